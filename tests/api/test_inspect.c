/* SPDX-License-Identifier: MIT */
/*
 * test_inspect.c - what stands at a position, as seen from outside
 */
#include "config.h"

#include <hotline/inspect.h>

#include <errno.h>

#include "tests/support/rings.h"

#define CAPACITY 4

static struct hl_ring *small_ring(uint64_t start_position)
{
	struct hl_ring_attr attr = HL_RING_ATTR_INIT;

	attr.capacity = CAPACITY;
	attr.start_position = start_position;
	return support_create(&attr);
}

static struct hl_position_status look(const struct hl_ring *ring,
				      uint64_t position)
{
	struct hl_position_status status;
	struct hl_inspect *inspect;

	ck_assert_int_eq(hl_inspect_open(hl_ring_name(ring), 0, &inspect, NULL),
			 0);
	ck_assert_int_eq(hl_inspect_position(inspect, position, &status), 1);
	hl_inspect_close(inspect);
	return status;
}

static void expect(const struct hl_ring *ring, uint64_t position,
		   enum hl_position_state state)
{
	ck_assert_int_eq(look(ring, position).state, state);
}

/* The participant of the only handle of that kind. */
static uint32_t number_of(const struct hl_ring *ring, bool producer)
{
	struct hl_participant_status status;
	struct hl_inspect *inspect;
	struct hl_ring_info info;
	uint32_t i, found = HL_NOBODY;

	hl_ring_get_info(ring, &info);
	ck_assert_int_eq(hl_inspect_open(hl_ring_name(ring), 0, &inspect, NULL),
			 0);
	for (i = 0; i < info.max_producers + info.max_consumers; i++) {
		if (hl_inspect_participant(inspect, i, &status) > 0 &&
		    status.producer == producer)
			found = i;
	}
	hl_inspect_close(inspect);
	ck_assert_uint_ne(found, HL_NOBODY);
	return found;
}

START_TEST(position_that_nobody_claimed_is_unclaimed)
{
	struct hl_ring *ring = small_ring(1);

	expect(ring, 1, HL_POSITION_UNCLAIMED);
	support_send(support_produce(ring), 1, 1);
	expect(ring, 2, HL_POSITION_UNCLAIMED);
	ck_assert_uint_eq(look(ring, 2).owner, HL_NOBODY);
}
END_TEST

START_TEST(claimed_position_is_its_producers_until_it_is_published)
{
	struct hl_ring *ring = small_ring(1);
	struct hl_producer *producer = support_produce(ring);
	struct hl_claim claim;

	ck_assert_int_eq(hl_producer_claim(producer, 2, HL_NOWAIT, &claim), 2);
	expect(ring, 2, HL_POSITION_UNPUBLISHED);
	ck_assert_uint_eq(look(ring, 2).owner, number_of(ring, true));
	support_fill(hl_claim_slot(&claim, 0), 64, 1);
	support_fill(hl_claim_slot(&claim, 1), 64, 2);
	ck_assert_int_eq(hl_producer_publish(producer), 0);
	expect(ring, 2, HL_POSITION_PUBLISHED);
	ck_assert_uint_eq(look(ring, 2).owner, HL_NOBODY);
}
END_TEST

START_TEST(claimed_position_of_a_later_lap_is_unpublished)
{
	struct hl_ring *ring = small_ring(1);
	struct hl_producer *producer = support_produce(ring);
	struct hl_claim claim;

	support_send(producer, 1, CAPACITY);
	ck_assert_int_eq(hl_producer_claim(producer, 1, HL_NOWAIT, &claim), 1);
	expect(ring, CAPACITY + 1, HL_POSITION_UNPUBLISHED);
	expect(ring, 1, HL_POSITION_OVERWRITTEN);
	expect(ring, 2, HL_POSITION_PUBLISHED);
}
END_TEST

START_TEST(abandoned_position_is_void)
{
	struct hl_ring *ring = small_ring(1);
	struct hl_producer *producer = support_produce(ring);
	struct hl_claim claim;

	ck_assert_int_eq(hl_producer_claim(producer, 1, HL_NOWAIT, &claim), 1);
	hl_producer_abandon(producer);
	expect(ring, 1, HL_POSITION_VOID);
	ck_assert_uint_eq(look(ring, 1).owner, HL_NOBODY);
}
END_TEST

static void expect_in_hand(enum hl_group_kind kind)
{
	struct hl_ring *ring = small_ring(1);
	struct hl_producer *producer = support_produce(ring);
	struct hl_consumer *consumer = support_consume(ring, "g", kind);
	struct hl_batch batch;

	support_send(producer, 1, 3);
	ck_assert_int_eq(hl_consumer_take(consumer, 2, HL_NOWAIT, &batch), 2);
	expect(ring, 2, HL_POSITION_PUBLISHED);
	ck_assert_uint_eq(look(ring, 2).owner, number_of(ring, false));
	ck_assert_uint_eq(look(ring, 3).owner, HL_NOBODY);
	ck_assert_int_eq(hl_consumer_done(consumer), 0);
	ck_assert_uint_eq(look(ring, 2).owner, HL_NOBODY);
}

START_TEST(published_position_is_whose_hands_it_is_in)
{
	expect_in_hand(HL_GROUP_SHARED);
	expect_in_hand(HL_GROUP_EXCLUSIVE);
}
END_TEST

START_TEST(position_before_the_start_of_a_ring_never_stood_there)
{
	struct hl_ring *ring = small_ring(1000);

	expect(ring, 999, HL_POSITION_OVERWRITTEN);
	expect(ring, 1000, HL_POSITION_UNCLAIMED);
}
END_TEST

START_TEST(no_position_is_0_or_beyond_the_last_one)
{
	struct hl_position_status status;
	struct hl_inspect *inspect;
	struct hl_ring *ring = small_ring(1);

	ck_assert_int_eq(hl_inspect_open(hl_ring_name(ring), 0, &inspect, NULL),
			 0);
	ck_assert_int_eq(hl_inspect_position(inspect, 0, &status), -EINVAL);
	ck_assert_int_eq(hl_inspect_position(inspect, HL_POSITION_MAX, &status),
			 -EINVAL);
	ck_assert_int_eq(
		hl_inspect_position(inspect, HL_POSITION_MAX - 1, &status), 1);
	hl_inspect_close(inspect);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		position_that_nobody_claimed_is_unclaimed,
		claimed_position_is_its_producers_until_it_is_published,
		claimed_position_of_a_later_lap_is_unpublished,
		abandoned_position_is_void,
		published_position_is_whose_hands_it_is_in,
		position_before_the_start_of_a_ring_never_stood_there,
		no_position_is_0_or_beyond_the_last_one,
	};
	TCase *tcase = support_begin("inspect");

	support_add(tcase, tests, COUNT_OF(tests));
	return support_end();
}
