/* SPDX-License-Identifier: MIT */
/*
 * test_claim.c - what a producer has in hand, settled in parts
 */
#include "config.h"

#include <errno.h>

#include "tests/support/rings.h"
#include "tests/support/support.h"

#define CAPACITY 16

/* A ring with a durable group. */
static struct hl_ring *new_ring(enum hl_group_kind kind)
{
	struct hl_group_attr group = support_group("g", kind);
	struct hl_ring_attr attr = HL_RING_ATTR_INIT;

	group.durable = true;
	attr.capacity = CAPACITY;
	attr.groups = &group;
	attr.ngroups = 1;
	return support_create(&attr);
}

/* How many more messages fit. */
static ssize_t room(struct hl_producer *producer)
{
	struct hl_claim claim;
	const ssize_t n =
		hl_producer_claim(producer, CAPACITY, HL_NOWAIT, &claim);

	if (n > 0)
		ck_assert_int_eq(hl_producer_abandon(producer), 0);
	return n;
}

START_TEST(slots_of_a_claim_are_in_order_and_wrap)
{
	struct hl_ring *ring = new_ring(HL_GROUP_EXCLUSIVE);
	struct hl_consumer *consumer =
		support_consume(ring, "g", HL_GROUP_EXCLUSIVE);
	struct hl_producer *producer = support_produce(ring);
	struct hl_claim claim;

	support_send(producer, 1, 10);
	support_take(consumer, 1, 10);
	ck_assert_int_eq(hl_producer_claim(producer, CAPACITY, HL_NOWAIT,
					   &claim),
			 CAPACITY);
	ck_assert_uint_eq(claim.position, 11);
	for (size_t i = 0; i < CAPACITY; i++) {
		void *slot = hl_claim_slot(&claim, i);

		ck_assert_uint_eq((uintptr_t)slot % 64, 0);
		support_fill(slot, 64, 11 + i);
	}
	ck_assert_int_eq(hl_producer_publish(producer), 0);
	support_take(consumer, 11, CAPACITY);
}
END_TEST

/* A whole ring of claimed slots, of which the first is slot at. */
static struct hl_claim whole_ring(uint32_t slot_bytes, uint64_t at)
{
	struct hl_ring_attr attr = HL_RING_ATTR_INIT;
	struct hl_claim claim;

	attr.capacity = CAPACITY;
	attr.slot_bytes = slot_bytes;
	attr.start_position = CAPACITY + 1 + at;
	ck_assert_int_eq(
		hl_producer_claim(support_produce(support_create(&attr)),
				  CAPACITY, HL_NOWAIT, &claim),
		CAPACITY);
	return claim;
}

/* _i is the slot of the first. */
START_TEST(slots_of_a_claim_are_one_array_or_two)
{
	const size_t first = CAPACITY - (size_t)_i;

	for (uint32_t bytes = 64; bytes <= 192; bytes += 64) {
		struct hl_claim claim = whole_ring(bytes, (uint64_t)_i);
		void *slots;

		ck_assert_uint_eq(hl_claim_run(&claim, &slots), first);
		ck_assert_ptr_eq(slots, hl_claim_slot(&claim, 0));
		ck_assert_uint_eq(hl_claim_run(&claim, &slots),
				  CAPACITY - first);
		if (first < CAPACITY)
			ck_assert_ptr_eq(slots, claim.slots);
		ck_assert_uint_eq(hl_claim_run(&claim, &slots), 0);
	}
}
END_TEST

START_TEST(stored_line_is_its_words_but_for_the_sequence)
{
	const uint64_t word[HL_LINE_WORDS] = { 10, 11, 12, 13, 14, 15, 16, 17 };
	_Alignas(64) uint64_t line[HL_LINE_WORDS + 1] = { 0 };

	line[3] = 99;
	line[HL_LINE_WORDS] = 99;
	hl_line_store(line, word);
	for (size_t i = 0; i < HL_LINE_WORDS; i++)
		ck_assert_uint_eq(line[i], i == 3 ? 99 : word[i]);
	ck_assert_uint_eq(line[HL_LINE_WORDS], 99);
}
END_TEST

START_TEST(claims_are_not_nested)
{
	struct hl_producer *producer =
		support_produce(new_ring(HL_GROUP_EXCLUSIVE));
	struct hl_message m;
	struct hl_claim claim;

	support_fill(&m, sizeof(m), 1);
	ck_assert_int_eq(hl_producer_claim(producer, 2, HL_NOWAIT, &claim), 2);
	ck_assert_int_eq(hl_producer_claim(producer, 1, HL_NOWAIT, &claim),
			 -EBUSY);
	ck_assert_int_eq(hl_producer_send(producer, &m, sizeof(m), HL_NOWAIT),
			 -EBUSY);
	ck_assert_int_eq(hl_producer_publish_slot(producer, 0), 0);
	ck_assert_int_eq(hl_producer_claim(producer, 1, HL_NOWAIT, &claim),
			 -EBUSY);
	ck_assert_int_eq(hl_producer_publish_slot(producer, 1), 0);
	ck_assert_int_eq(hl_producer_claim(producer, 1, HL_NOWAIT, &claim), 1);
}
END_TEST

START_TEST(nothing_is_settled_without_a_claim)
{
	struct hl_producer *producer =
		support_produce(new_ring(HL_GROUP_EXCLUSIVE));
	struct hl_claim claim;

	ck_assert_int_eq(hl_producer_publish(producer), -EINVAL);
	ck_assert_int_eq(hl_producer_abandon(producer), -EINVAL);
	ck_assert_int_eq(hl_producer_publish_slot(producer, 0), -EINVAL);
	ck_assert_int_eq(hl_producer_claim(producer, 2, HL_NOWAIT, &claim), 2);
	ck_assert_int_eq(hl_producer_publish_slot(producer, 2), -EINVAL);
	ck_assert_int_eq(hl_producer_abandon_slot(producer, SIZE_MAX), -EINVAL);
	ck_assert_int_eq(hl_producer_abandon_slot(producer, 1), 0);
	ck_assert_int_eq(hl_producer_abandon_slot(producer, 1), -EINVAL);
	ck_assert_int_eq(hl_producer_publish_slot(producer, 1), -EINVAL);
	ck_assert_int_eq(hl_producer_publish(producer), 0);
	ck_assert_int_eq(hl_producer_publish(producer), -EINVAL);
}
END_TEST

START_TEST(slot_published_first_waits_for_those_before_it)
{
	struct hl_ring *ring = new_ring(HL_GROUP_EXCLUSIVE);
	struct hl_consumer *consumer =
		support_consume(ring, "g", HL_GROUP_EXCLUSIVE);
	struct hl_producer *producer = support_produce(ring);
	struct hl_claim claim;

	ck_assert_int_eq(hl_producer_claim(producer, 3, HL_NOWAIT, &claim), 3);
	for (size_t i = 0; i < 3; i++)
		support_fill(hl_claim_slot(&claim, i), 64, i + 1);
	ck_assert_int_eq(hl_producer_publish_slot(producer, 1), 0);
	support_take_nothing(consumer);
	ck_assert_int_eq(hl_producer_publish_slot(producer, 0), 0);
	support_take(consumer, 1, 2);
	support_take_nothing(consumer);
	ck_assert_int_eq(hl_producer_publish_slot(producer, 2), 0);
	support_take(consumer, 3, 1);
}
END_TEST

/* Settle the slots of a claim in random order; returns what is published. */
static uint32_t settle_at_random(struct hl_producer *producer, size_t n,
				 uint64_t *state)
{
	size_t order[CAPACITY];
	uint32_t published = 0;

	for (size_t i = 0; i < n; i++) {
		const size_t j = support_random(state) % (i + 1);

		order[i] = order[j];
		order[j] = i;
	}
	for (size_t i = 0; i < n; i++) {
		if (support_random(state) % 4 == 0) {
			ck_assert_int_eq(hl_producer_abandon_slot(producer,
								  order[i]),
					 0);
			continue;
		}
		published |= UINT32_C(1) << order[i];
		ck_assert_int_eq(hl_producer_publish_slot(producer, order[i]),
				 0);
	}
	return published;
}

/* known-faults row 79 */
START_TEST(slots_are_settled_in_any_order)
{
	struct hl_ring *ring = new_ring(HL_GROUP_EXCLUSIVE);
	struct hl_consumer *consumer =
		support_consume(ring, "g", HL_GROUP_EXCLUSIVE);
	struct hl_producer *producer = support_produce(ring);
	uint64_t state = support_seed();

	for (int round = 0; round < 1000; round++) {
		const size_t n = 1 + support_random(&state) % CAPACITY;
		struct hl_claim claim;
		uint32_t published;

		ck_assert_int_eq(hl_producer_claim(producer, n, HL_NOWAIT,
						   &claim),
				 (ssize_t)n);
		for (size_t i = 0; i < n; i++)
			support_fill(hl_claim_slot(&claim, i), 64, i);
		published = settle_at_random(producer, n, &state);
		for (size_t i = 0; i < n; i++)
			if (published >> i & 1)
				support_take(consumer, i, 1);
		support_take_nothing(consumer);
	}
}
END_TEST

START_TEST(leaving_gives_an_open_claim_up)
{
	struct hl_ring *ring = new_ring(HL_GROUP_EXCLUSIVE);
	struct hl_consumer *consumer =
		support_consume(ring, "g", HL_GROUP_EXCLUSIVE);
	struct hl_producer *leaver = support_produce(ring);
	struct hl_producer *producer = support_produce(ring);
	struct hl_claim claim;

	ck_assert_int_eq(hl_producer_claim(leaver, 4, HL_NOWAIT, &claim), 4);
	support_send(producer, 1, 1);
	support_take_nothing(consumer);
	ck_assert_int_eq(hl_producer_leave(leaver), 0);
	support_take(consumer, 1, 1);
	ck_assert_int_eq(room(producer), CAPACITY);
}
END_TEST

START_TEST(abandoned_positions_are_no_messages)
{
	const enum hl_group_kind kind = (enum hl_group_kind)_i;
	struct hl_ring *ring = new_ring(kind);
	struct hl_consumer *consumer = support_consume(ring, "g", kind);
	struct hl_producer *producer = support_produce(ring);
	struct hl_claim claim;

	for (int i = 0; i < 10 * CAPACITY; i++) {
		ck_assert_int_eq(
			hl_producer_claim(producer, 3, HL_NOWAIT, &claim), 3);
		ck_assert_int_eq(hl_producer_abandon(producer), 0);
		support_take_nothing(consumer);
	}
	support_send(producer, 1, 2);
	support_take(consumer, 1, 2);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		slots_of_a_claim_are_in_order_and_wrap,
		stored_line_is_its_words_but_for_the_sequence,
		claims_are_not_nested,
		nothing_is_settled_without_a_claim,
		slot_published_first_waits_for_those_before_it,
		slots_are_settled_in_any_order,
		leaving_gives_an_open_claim_up,
	};
	TCase *tcase = support_begin("claim");

	support_add(tcase, tests, COUNT_OF(tests));
	tcase_add_loop_test(tcase, slots_of_a_claim_are_one_array_or_two, 0,
			    CAPACITY);
	tcase_add_loop_test(tcase, abandoned_positions_are_no_messages,
			    HL_GROUP_EXCLUSIVE, HL_GROUP_LOSSY + 1);
	return support_end();
}
