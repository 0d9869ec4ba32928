/* SPDX-License-Identifier: MIT */
/*
 * test_put.c - slots that are written and published in one
 */
#include "config.h"

#include <errno.h>
#include <hotline/admin.h>
#include <hotline/inspect.h>
#include <string.h>

#include "tests/support/rings.h"
#include "tests/support/support.h"

#define CAPACITY 16
#define BURST 5

static struct hl_ring *ring;
static struct hl_consumer *consumer;
static struct hl_producer *producer;

static void begin(uint32_t slot_bytes, enum hl_checksum checksum)
{
	struct hl_group_attr group = support_group("g", HL_GROUP_EXCLUSIVE);
	struct hl_ring_attr attr = HL_RING_ATTR_INIT;

	group.durable = true;
	attr.capacity = CAPACITY;
	attr.slot_bytes = slot_bytes;
	attr.checksum = checksum;
	attr.groups = &group;
	attr.ngroups = 1;
	ring = support_create(&attr);
	consumer = support_consume(ring, "g", HL_GROUP_EXCLUSIVE);
	producer = support_produce(ring);
}

static void put(const struct hl_claim *claim, size_t i, uint64_t number)
{
	_Alignas(HL_LINE_BYTES) uint64_t word[HL_LINE_WORDS] = { 0 };

	support_fill(word, sizeof(word), number);
	hl_claim_put(claim, i, word);
}

/* From the last slot to this one. */
static void claim_and_put(uint64_t number, size_t to)
{
	struct hl_claim claim;

	ck_assert_int_eq(hl_producer_claim(producer, BURST, HL_NOWAIT, &claim),
			 BURST);
	for (size_t i = BURST; i-- > to;)
		put(&claim, i, number + i);
}

static uint64_t voided(void)
{
	struct hl_inspect *inspect;
	struct hl_ring_status status;

	ck_assert_int_eq(hl_inspect_open(hl_ring_name(ring), 0, &inspect, NULL),
			 0);
	hl_inspect_ring(inspect, &status);
	hl_inspect_close(inspect);
	return status.voided;
}

/* Over many laps, with bursts that wrap. */
START_TEST(burst_is_there_once_its_first_slot_is_put)
{
	struct hl_claim claim;

	begin(64, HL_CHECKSUM_NONE);
	for (uint64_t number = 1; number < 20 * CAPACITY; number += BURST) {
		ck_assert_int_eq(hl_producer_claim(producer, BURST, HL_NOWAIT,
						   &claim),
				 BURST);
		for (size_t i = BURST; i-- > 0;) {
			support_take_nothing(consumer);
			put(&claim, i, number + i);
		}
		support_take(consumer, number, BURST);
		ck_assert_int_eq(hl_producer_publish(producer), 0);
	}
	ck_assert_uint_eq(voided(), 0);
}
END_TEST

START_TEST(with_checksums_all_is_published_by_publish)
{
	begin(64, (enum hl_checksum)_i);
	claim_and_put(1, 0);
	support_take_nothing(consumer);
	ck_assert_int_eq(hl_producer_publish(producer), 0);
	support_take(consumer, 1, BURST);
}
END_TEST

/* They were read, and another has written a whole lap. */
START_TEST(publish_leaves_slots_alone_that_are_anothers_by_now)
{
	begin(64, HL_CHECKSUM_NONE);
	claim_and_put(1, 0);
	support_take(consumer, 1, BURST);
	support_send(support_produce(ring), 1, CAPACITY);
	ck_assert_int_eq(hl_producer_publish(producer), 0);
	support_take(consumer, 1, CAPACITY);
}
END_TEST

/* Some put, some filled, some given up, in any order. */
START_TEST(publish_settles_what_was_not_put)
{
	struct hl_claim claim;
	uint64_t number = 1;

	begin(64, HL_CHECKSUM_NONE);
	for (uint32_t set = 0; set < 1 << BURST; set++, number += BURST) {
		ck_assert_int_eq(hl_producer_claim(producer, BURST, HL_NOWAIT,
						   &claim),
				 BURST);
		for (size_t i = 0; i < BURST; i++) {
			if (set & 1u << i)
				put(&claim, i, number + i);
			else
				support_fill(hl_claim_slot(&claim, i), 64,
					     number + i);
		}
		ck_assert_int_eq(hl_producer_publish(producer), 0);
		support_take(consumer, number, BURST);
	}
	claim_and_put(number, 1);
	ck_assert_int_eq(hl_producer_publish_slot(producer, 3), -EINVAL);
	ck_assert_int_eq(hl_producer_abandon_slot(producer, 0), 0);
	support_take(consumer, number + 1, BURST - 1);
	ck_assert_int_eq(hl_producer_publish(producer), 0);
	ck_assert_uint_eq(voided(), 1);
}
END_TEST

START_TEST(abandon_gives_up_only_what_was_not_put)
{
	begin(64, HL_CHECKSUM_NONE);
	claim_and_put(1, 1);
	ck_assert_int_eq(hl_producer_abandon(producer), 0);
	support_take(consumer, 2, BURST - 1);
	ck_assert_uint_eq(voided(), 1);
}
END_TEST

static void puts_and_dies(struct helper *self)
{
	struct hl_ring *const opened = helper_open(self, self->arg);
	struct hl_producer *const joined = helper_produce(self, opened);
	struct hl_claim claim;

	if (!joined ||
	    !EXPECT(self, hl_producer_claim(joined, BURST, 0, &claim) == BURST))
		return;
	for (size_t i = BURST; i-- > 1;)
		put(&claim, i, 1 + i);
	helper_step(self, 1);
	helper_pause();
}

START_TEST(what_a_dead_producer_put_is_delivered)
{
	struct helper *dead;

	begin(64, HL_CHECKSUM_NONE);
	dead = support_fork(puts_and_dies,
			    (void *)(uintptr_t)hl_ring_name(ring));
	support_await(dead, 1);
	support_take_nothing(consumer);
	support_kill(dead);
	support_take(consumer, 2, BURST - 1);
	ck_assert_uint_eq(voided(), 1);
	support_send(producer, 1, CAPACITY);
	support_take(consumer, 1, CAPACITY);
}
END_TEST

/* Its positions are void by then, and its slots may be another's. */
START_TEST(who_was_evicted_publishes_nothing_by_a_put)
{
	struct hl_claim claim;

	begin(64, HL_CHECKSUM_NONE);
	ck_assert_int_eq(hl_producer_claim(producer, BURST, HL_NOWAIT, &claim),
			 BURST);
	ck_assert_int_eq(
		hl_participant_evict(ring, 0, HL_ANY_TENURE, true, NULL), 0);
	for (size_t i = 0; i < BURST; i++)
		put(&claim, i, 1 + i);
	support_take_nothing(consumer);
	ck_assert_int_eq(hl_producer_publish(producer), -EIDRM);
	support_take_nothing(consumer);
	ck_assert_uint_eq(voided(), BURST);
}
END_TEST

START_TEST(slot_of_two_lines_is_published_when_both_are_filled)
{
	_Alignas(64) uint64_t word[2 * HL_LINE_WORDS] = { 0 };
	struct hl_claim claim;

	begin(128, HL_CHECKSUM_NONE);
	ck_assert_int_eq(hl_producer_claim(producer, 2, HL_NOWAIT, &claim), 2);
	for (size_t i = 0; i < 2; i++) {
		support_fill(word, sizeof(word), 1 + i);
		hl_claim_put(&claim, i, word);
		memcpy((char *)hl_claim_slot(&claim, i) + HL_LINE_BYTES,
		       word + HL_LINE_WORDS, HL_LINE_BYTES);
	}
	ck_assert_int_eq(hl_producer_abandon_slot(producer, 0), 0);
	support_take_nothing(consumer);
	ck_assert_int_eq(hl_producer_publish(producer), 0);
	support_take(consumer, 2, 1);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		burst_is_there_once_its_first_slot_is_put,
		publish_leaves_slots_alone_that_are_anothers_by_now,
		publish_settles_what_was_not_put,
		abandon_gives_up_only_what_was_not_put,
		what_a_dead_producer_put_is_delivered,
		who_was_evicted_publishes_nothing_by_a_put,
		slot_of_two_lines_is_published_when_both_are_filled,
	};
	TCase *const tcase = support_begin("put");

	support_add(tcase, tests, COUNT_OF(tests));
	tcase_add_loop_test(tcase, with_checksums_all_is_published_by_publish,
			    HL_CHECKSUM_HEADER, HL_CHECKSUM_PAYLOAD + 1);
	return support_end();
}
