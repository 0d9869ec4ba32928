/* SPDX-License-Identifier: MIT */
/*
 * test_run.c - a batch read as arrays of messages
 */
#include "config.h"

#include "tests/support/rings.h"

#define CAPACITY 8

static struct hl_ring *ring;
static struct hl_producer *producer;
static struct hl_consumer *consumer;

/* Messages of several lines, and the next comes at this slot. */
static void begin_wide(uint64_t slot, uint32_t slot_bytes)
{
	struct hl_ring_attr attr = HL_RING_ATTR_INIT;

	attr.capacity = CAPACITY;
	attr.slot_bytes = slot_bytes;
	attr.start_position = CAPACITY + 1 + slot;
	ring = support_create(&attr);
	producer = support_produce(ring);
	consumer = support_consume(ring, "g", HL_GROUP_EXCLUSIVE);
}

/* The next message comes at this slot, 0 to CAPACITY - 1. */
static void begin_at(uint64_t slot)
{
	begin_wide(slot, 64);
}

static size_t next_run(struct hl_batch *batch, uint64_t first)
{
	const struct hl_message *messages;
	const void *at;
	const size_t n = hl_batch_run(batch, &at);
	size_t i;

	messages = at;
	for (i = 0; i < n; i++)
		ck_assert_uint_eq(support_number(&messages[i]), first + i);
	return n;
}

START_TEST(batch_is_one_run_where_nothing_wraps)
{
	struct hl_batch batch;

	begin_at(0);
	support_send(producer, 1, CAPACITY);
	ck_assert_int_eq(hl_consumer_take(consumer, CAPACITY, 0, &batch),
			 CAPACITY);
	ck_assert_uint_eq(next_run(&batch, 1), CAPACITY);
	ck_assert_uint_eq(next_run(&batch, 0), 0);
}
END_TEST

/* _i is the slot of the first message. */
START_TEST(batch_is_two_runs_where_the_ring_wraps)
{
	const size_t first = CAPACITY - (size_t)_i;
	struct hl_batch batch;

	begin_at((uint64_t)_i);
	support_send(producer, 1, CAPACITY);
	ck_assert_int_eq(hl_consumer_take(consumer, CAPACITY, 0, &batch),
			 CAPACITY);
	ck_assert_uint_eq(next_run(&batch, 1), first);
	ck_assert_uint_eq(next_run(&batch, 1 + first), CAPACITY - first);
	ck_assert_uint_eq(next_run(&batch, 0), 0);
}
END_TEST

START_TEST(void_positions_part_runs)
{
	struct hl_claim claim;
	struct hl_batch batch;
	size_t i;

	begin_at(0);
	ck_assert_int_eq(hl_producer_claim(producer, 6, 0, &claim), 6);
	for (i = 0; i < 6; i++)
		support_fill(hl_claim_slot(&claim, i), 64, i);
	ck_assert_int_eq(hl_producer_abandon_slot(producer, 0), 0);
	ck_assert_int_eq(hl_producer_abandon_slot(producer, 3), 0);
	ck_assert_int_eq(hl_producer_publish(producer), 0);
	ck_assert_int_eq(hl_consumer_take(consumer, CAPACITY, 0, &batch), 4);
	ck_assert_uint_eq(next_run(&batch, 1), 2);
	ck_assert_uint_eq(next_run(&batch, 4), 2);
	ck_assert_uint_eq(next_run(&batch, 0), 0);
}
END_TEST

START_TEST(run_goes_on_where_the_walk_stopped)
{
	struct hl_batch batch;

	begin_at(0);
	support_send(producer, 1, 5);
	ck_assert_int_eq(hl_consumer_take(consumer, CAPACITY, 0, &batch), 5);
	ck_assert_uint_eq(support_number(hl_batch_next(&batch)), 1);
	ck_assert_uint_eq(next_run(&batch, 2), 4);
}
END_TEST

/* _i is the slot of the first message. */
START_TEST(runs_of_wide_messages_are_as_long)
{
	const size_t first = CAPACITY - (size_t)_i;
	struct hl_batch batch;
	const void *at;

	begin_wide((uint64_t)_i, 128);
	support_send(producer, 1, CAPACITY);
	ck_assert_int_eq(hl_consumer_take(consumer, CAPACITY, 0, &batch),
			 CAPACITY);
	ck_assert_uint_eq(hl_batch_run(&batch, &at), first);
	ck_assert_ptr_eq(at, hl_batch_slot(&batch, 0));
	ck_assert_uint_eq(hl_batch_run(&batch, &at), CAPACITY - first);
	ck_assert_uint_eq(hl_batch_run(&batch, &at), 0);
}
END_TEST

/* Walk a batch of which every message is given back once. */
static void walk_twice(uint64_t first)
{
	const struct hl_message *m, *again;
	struct hl_batch batch;

	ck_assert_int_gt(hl_consumer_take(consumer, CAPACITY, 0, &batch), 0);
	while ((m = hl_batch_next(&batch))) {
		hl_batch_back(&batch);
		again = hl_batch_next(&batch);
		ck_assert_ptr_eq(again, m);
		ck_assert_uint_eq(support_number(m), first++);
		ck_assert_uint_eq(hl_batch_position(&batch), m->sequence);
		ck_assert(!hl_batch_redelivered(&batch));
	}
	ck_assert_ptr_null(hl_batch_next(&batch));
}

/* _i is the slot of the first message. */
START_TEST(walk_knows_the_position_of_what_it_returned_last)
{
	for (uint32_t bytes = 64; bytes <= 192; bytes += 64) {
		begin_wide((uint64_t)_i, bytes);
		support_send(producer, 1, CAPACITY);
		walk_twice(1);
	}
}
END_TEST

/* The same, with a void position among them. */
START_TEST(walk_knows_it_around_void_positions)
{
	struct hl_claim claim;
	struct hl_batch batch;
	const void *m;
	size_t i = 0;

	begin_at((uint64_t)_i);
	ck_assert_int_eq(hl_producer_claim(producer, 6, 0, &claim), 6);
	for (; i < 6; i++)
		support_fill(hl_claim_slot(&claim, i), 64, i + 1);
	ck_assert_int_eq(hl_producer_abandon_slot(producer, 3), 0);
	ck_assert_int_eq(hl_producer_publish(producer), 0);
	ck_assert_int_eq(hl_consumer_take(consumer, CAPACITY, 0, &batch), 5);
	for (i = 1; (m = hl_batch_next(&batch)); i++) {
		hl_batch_back(&batch);
		ck_assert_ptr_eq(hl_batch_next(&batch), m);
		i += i == 4;
		ck_assert_uint_eq(support_number(m), i);
		ck_assert_uint_eq(hl_batch_position(&batch),
				  batch.position + i - 1);
	}
}
END_TEST

START_TEST(copies_of_a_lossy_group_are_one_run)
{
	struct hl_batch batch;

	begin_at(5);
	consumer = support_consume(ring, "l", HL_GROUP_LOSSY);
	support_send(producer, 1, CAPACITY);
	ck_assert_int_eq(hl_consumer_take(consumer, CAPACITY, 0, &batch),
			 CAPACITY);
	ck_assert_uint_eq(next_run(&batch, 1), CAPACITY);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		batch_is_one_run_where_nothing_wraps,
		void_positions_part_runs,
		run_goes_on_where_the_walk_stopped,
		copies_of_a_lossy_group_are_one_run,
	};
	TCase *const tcase = support_begin("run");

	support_add(tcase, tests, COUNT_OF(tests));
	tcase_add_loop_test(tcase, batch_is_two_runs_where_the_ring_wraps, 1,
			    CAPACITY);
	tcase_add_loop_test(tcase, runs_of_wide_messages_are_as_long, 1,
			    CAPACITY);
	tcase_add_loop_test(tcase,
			    walk_knows_the_position_of_what_it_returned_last, 0,
			    CAPACITY);
	tcase_add_loop_test(tcase, walk_knows_it_around_void_positions, 0,
			    CAPACITY);
	return support_end();
}
