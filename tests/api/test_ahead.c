/* SPDX-License-Identifier: MIT */
/*
 * test_ahead.c - when lines are asked for before they are needed
 *
 * To ask is a hint and changes no message. What must not be asked for are lines
 * that another may be using: a consumer those that are being written, a producer
 * those that are being read, or that another producer is about to write.
 */
#include "config.h"

#include <errno.h>

#include "tests/support/rings.h"
#include "tests/support/support.h"

#define CAPACITY 256
#define BURST 32

/* How far ahead of a burst it is asked, in slots and in bytes. */
#define SLOTS 32
#define BYTES (SLOTS * HL_LINE_BYTES)

/* So many claims have to follow each other first. */
#define IN_A_ROW 8

static struct hl_ring *ring;
static struct hl_consumer *consumer;
static struct hl_producer *producer;
static uint64_t written; /* positions */

static void begin_with(uint64_t capacity, uint32_t slot_bytes,
		       enum hl_group_kind kind)
{
	struct hl_ring_attr attr = HL_RING_ATTR_INIT;

	attr.capacity = capacity;
	attr.slot_bytes = slot_bytes;
	ring = support_create(&attr);
	consumer = support_consume(ring, "g", kind);
	producer = support_produce(ring);
}

static void begin(uint32_t slot_bytes, enum hl_group_kind kind)
{
	begin_with(CAPACITY, slot_bytes, kind);
}

/* Claim, fill and publish n slots: how far ahead of them was asked. */
static uint32_t produce(struct hl_producer *self, size_t n)
{
	struct hl_claim claim;

	ck_assert_int_eq(hl_producer_claim(self, n, HL_NOWAIT, &claim), n);
	for (size_t i = 0; i < n; i++)
		support_fill(hl_claim_slot(&claim, i), claim.slot_bytes,
			     claim.position + i);
	ck_assert_int_eq(hl_producer_publish(self), 0);
	written = claim.position + n - 1;
	return claim.ahead_slots;
}

/* Take what there is, at most max; the same of the walk. */
static uint32_t take(size_t max)
{
	struct hl_batch batch;
	const void *m;

	ck_assert_int_gt(hl_consumer_take(consumer, max, HL_NOWAIT, &batch), 0);
	while ((m = hl_batch_next(&batch)))
		ck_assert_uint_eq(support_number(m), hl_batch_position(&batch));
	ck_assert_int_eq(hl_consumer_done(consumer), 0);
	return batch.ahead_bytes;
}

/* Claims of one slot until the next one asks: how many it took. */
static int follow(struct hl_producer *self)
{
	int claims = 0;

	for (uint32_t ahead = 0; ahead == 0; claims++) {
		produce(self, 1);
		ahead = produce(self, 2);
		ck_assert_int_lt(claims, IN_A_ROW);
	}
	return 2 * claims;
}

START_TEST(producer_asks_after_some_claims_in_a_row)
{
	begin(64, HL_GROUP_EXCLUSIVE);
	for (int i = 0; i < IN_A_ROW; i++)
		ck_assert_uint_eq(produce(producer, 2), 0);
	for (int i = 0; i < 20; i++)
		ck_assert_uint_eq(produce(producer, 2), SLOTS);
}
END_TEST

/* It learns in time what consumers have freed. */
START_TEST(producer_asks_in_every_lap)
{
	begin(64, HL_GROUP_EXCLUSIVE);
	follow(producer);
	for (uint32_t i = 0; i < 10 * CAPACITY / BURST; i++) {
		take(CAPACITY);
		ck_assert_uint_eq(produce(producer, BURST), SLOTS);
	}
}
END_TEST

START_TEST(producer_asks_for_nothing_near_another_one)
{
	struct hl_producer *other;

	begin(64, HL_GROUP_EXCLUSIVE);
	other = support_produce(ring);
	follow(producer);
	ck_assert_uint_eq(produce(producer, 2), SLOTS);
	ck_assert_uint_eq(produce(other, 2), 0);
	ck_assert_int_ge(follow(producer), IN_A_ROW);
}
END_TEST

START_TEST(producer_asks_for_nothing_that_is_not_free)
{
	begin(64, HL_GROUP_EXCLUSIVE);
	follow(producer);
	while (written + 4 + SLOTS <= CAPACITY)
		ck_assert_uint_eq(produce(producer, 4), SLOTS);
	while (written + 4 <= CAPACITY)
		ck_assert_uint_eq(produce(producer, 4), 0);
}
END_TEST

START_TEST(producer_asks_for_as_many_lines_whatever_the_slot)
{
	const uint32_t bytes[] = { 64, 128, 192, 512, 1024 };

	for (size_t i = 0; i < COUNT_OF(bytes); i++) {
		begin(bytes[i], HL_GROUP_EXCLUSIVE);
		follow(producer);
		ck_assert_uint_eq(produce(producer, 2), SLOTS * 64 / bytes[i]);
	}
}
END_TEST

/* One alone asks by itself; of many all are on their way at once. */
START_TEST(producer_does_not_ask_as_it_writes_one_or_many)
{
	begin(64, HL_GROUP_EXCLUSIVE);
	follow(producer);
	ck_assert_uint_eq(produce(producer, 1), 0);
	ck_assert_uint_eq(produce(producer, 2), SLOTS);
	ck_assert_uint_eq(produce(producer, 2 * SLOTS), SLOTS);
	ck_assert_uint_eq(produce(producer, 2 * SLOTS + 1), 0);
}
END_TEST

/* Sent straight, or the long way; whether a send asks cannot be seen. */
START_TEST(sends_and_claims_follow_each_other)
{
	begin(64, HL_GROUP_EXCLUSIVE);
	for (uint64_t number = 1; number <= IN_A_ROW; number++)
		support_send(producer, number, 1);
	ck_assert_uint_eq(produce(producer, 2), SLOTS);
	support_send(producer, IN_A_ROW + 3, 1);
	ck_assert_uint_eq(produce(producer, 2), SLOTS);
}
END_TEST

/* Over many laps, where claims and what they ask for wrap each in its place. */
START_TEST(all_that_is_written_while_asking_comes)
{
	const uint64_t capacities[] = { 2, 8, 32, 64, 128 };
	const uint32_t bytes[] = { 64, 128, 1024 };
	const uint64_t capacity = capacities[_i % 5];
	uint64_t position = 1;

	begin_with(capacity, bytes[_i / 5], HL_GROUP_EXCLUSIVE);
	for (uint64_t k = 0; k < 40 * capacity; k++) {
		const uint64_t n = 1 + k % 13 % capacity;

		produce(producer, n);
		support_take(consumer, position, n);
		position += n;
	}
}
END_TEST

START_TEST(consumer_asks_once_there_was_all_that_it_wanted)
{
	begin(64, (enum hl_group_kind)_i);
	produce(producer, 3 * BURST);
	ck_assert_uint_eq(take(BURST), 0);
	ck_assert_uint_eq(take(BURST), BYTES);
	take(BURST + 1);
	produce(producer, BURST);
	ck_assert_uint_eq(take(BURST + 1), 0);
}
END_TEST

/* It finds nothing: it is where the producer is writing. */
START_TEST(consumer_asks_for_nothing_at_the_producers_heels)
{
	struct hl_batch batch;

	begin(64, HL_GROUP_EXCLUSIVE);
	produce(producer, BURST);
	take(BURST);
	produce(producer, BURST);
	ck_assert_uint_eq(take(BURST), BYTES);
	ck_assert_int_eq(hl_consumer_take(consumer, BURST, HL_NOWAIT, &batch),
			 -EAGAIN);
	produce(producer, BURST);
	ck_assert_uint_eq(take(BURST), 0);
}
END_TEST

START_TEST(consumer_asks_in_batches_of_8_to_64)
{
	const size_t sizes[] = { 7, 8, 64, 65 };

	begin(64, HL_GROUP_EXCLUSIVE);
	produce(producer, 8);
	take(8);
	for (size_t i = 0; i < COUNT_OF(sizes); i++) {
		produce(producer, sizes[i]);
		ck_assert_uint_eq(take(sizes[i]),
				  sizes[i] >= 8 && sizes[i] <= 64 ? BYTES : 0);
		produce(producer, 8);
		take(8);
	}
}
END_TEST

/* No address behind the last slot is asked for. */
START_TEST(consumer_does_not_ask_beyond_the_last_slot)
{
	begin(64, HL_GROUP_EXCLUSIVE);
	produce(producer, BURST);
	take(BURST);
	for (uint32_t first = BURST; first < CAPACITY; first += BURST) {
		produce(producer, BURST);
		ck_assert_uint_eq(take(BURST),
				  first + BURST + SLOTS <= CAPACITY ? BYTES :
								      0);
	}
}
END_TEST

START_TEST(consumer_of_copies_does_not_ask)
{
	begin(64, HL_GROUP_LOSSY);
	for (int i = 0; i < 3; i++) {
		produce(producer, 8);
		ck_assert_uint_eq(take(8), 0);
	}
}
END_TEST

START_TEST(consumer_asks_for_as_many_lines_whatever_the_slot)
{
	const uint32_t bytes[] = { 64, 128, 192, 512, 1024 };

	for (size_t i = 0; i < COUNT_OF(bytes); i++) {
		begin(bytes[i], HL_GROUP_EXCLUSIVE);
		produce(producer, 16);
		take(8);
		ck_assert_uint_eq(take(8), BYTES / bytes[i] * bytes[i]);
	}
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		producer_asks_after_some_claims_in_a_row,
		producer_asks_in_every_lap,
		producer_asks_for_nothing_near_another_one,
		producer_asks_for_nothing_that_is_not_free,
		producer_asks_for_as_many_lines_whatever_the_slot,
		producer_does_not_ask_as_it_writes_one_or_many,
		sends_and_claims_follow_each_other,
		consumer_asks_for_nothing_at_the_producers_heels,
		consumer_asks_in_batches_of_8_to_64,
		consumer_does_not_ask_beyond_the_last_slot,
		consumer_of_copies_does_not_ask,
		consumer_asks_for_as_many_lines_whatever_the_slot,
	};
	TCase *const tcase = support_begin("ahead");

	support_add(tcase, tests, COUNT_OF(tests));
	tcase_add_loop_test(tcase,
			    consumer_asks_once_there_was_all_that_it_wanted,
			    HL_GROUP_EXCLUSIVE, HL_GROUP_SHARED + 1);
	tcase_add_loop_test(tcase, all_that_is_written_while_asking_comes, 0,
			    3 * 5);
	return support_end();
}
