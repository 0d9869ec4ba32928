/* SPDX-License-Identifier: MIT */
/*
 * test_batch.c - what a consumer has in hand, finished in parts
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

START_TEST(batch_takes_what_is_there_and_waits_for_no_more)
{
	struct hl_ring *ring = new_ring(HL_GROUP_EXCLUSIVE);
	struct hl_consumer *consumer =
		support_consume(ring, "g", HL_GROUP_EXCLUSIVE);
	struct hl_batch batch;

	support_send(support_produce(ring), 1, 3);
	ck_assert_int_eq(
		hl_consumer_take(consumer, CAPACITY, HL_FOREVER, &batch), 3);
	ck_assert_uint_eq(batch.count, 3);
	ck_assert_uint_eq(batch.messages, 3);
}
END_TEST

START_TEST(batch_of_none_is_refused)
{
	struct hl_ring *ring = new_ring(HL_GROUP_EXCLUSIVE);
	struct hl_consumer *consumer =
		support_consume(ring, "g", HL_GROUP_EXCLUSIVE);
	struct hl_batch batch;

	support_send(support_produce(ring), 1, 3);
	ck_assert_int_eq(hl_consumer_take(consumer, 0, HL_NOWAIT, &batch),
			 -EINVAL);
	ck_assert_int_eq(hl_consumer_take(consumer, 1, -1, &batch), -EINVAL);
}
END_TEST

START_TEST(batch_is_never_more_than_the_capacity)
{
	const enum hl_group_kind kind = (enum hl_group_kind)_i;
	struct hl_ring *ring = new_ring(kind);
	struct hl_consumer *consumer = support_consume(ring, "g", kind);
	struct hl_batch batch;

	support_send(support_produce(ring), 1, CAPACITY);
	ck_assert_int_eq(hl_consumer_take(consumer, SIZE_MAX, HL_NOWAIT,
					  &batch),
			 CAPACITY);
}
END_TEST

START_TEST(batches_are_not_nested)
{
	struct hl_ring *ring = new_ring(HL_GROUP_EXCLUSIVE);
	struct hl_consumer *consumer =
		support_consume(ring, "g", HL_GROUP_EXCLUSIVE);
	struct hl_batch batch;

	support_send(support_produce(ring), 1, 3);
	ck_assert_int_eq(hl_consumer_take(consumer, 1, HL_NOWAIT, &batch), 1);
	ck_assert_int_eq(hl_consumer_take(consumer, 1, HL_NOWAIT, &batch),
			 -EBUSY);
	ck_assert_int_eq(hl_consumer_done(consumer), 0);
	support_take(consumer, 2, 2);
}
END_TEST

START_TEST(nothing_is_done_without_a_batch)
{
	struct hl_ring *ring = new_ring(HL_GROUP_EXCLUSIVE);
	struct hl_consumer *consumer =
		support_consume(ring, "g", HL_GROUP_EXCLUSIVE);

	ck_assert_int_eq(hl_consumer_done(consumer), -EINVAL);
	ck_assert_int_eq(hl_consumer_done_through(consumer, 1), -EINVAL);
	support_send(support_produce(ring), 1, 1);
	support_take(consumer, 1, 1);
	ck_assert_int_eq(hl_consumer_done(consumer), -EINVAL);
}
END_TEST

START_TEST(position_outside_of_the_batch_is_refused)
{
	struct hl_ring *ring = new_ring(HL_GROUP_EXCLUSIVE);
	struct hl_consumer *consumer =
		support_consume(ring, "g", HL_GROUP_EXCLUSIVE);
	struct hl_batch batch;

	support_send(support_produce(ring), 1, 6);
	support_take(consumer, 1, 2);
	ck_assert_int_eq(hl_consumer_take(consumer, 3, HL_NOWAIT, &batch), 3);
	ck_assert_int_eq(hl_consumer_done_through(consumer, batch.position - 1),
			 -EINVAL);
	ck_assert_int_eq(hl_consumer_done_through(consumer, batch.position + 3),
			 -EINVAL);
	ck_assert_int_eq(hl_consumer_done_through(consumer, batch.position + 2),
			 0);
	ck_assert_int_eq(hl_consumer_done(consumer), -EINVAL);
	support_take(consumer, 6, 1);
}
END_TEST

/* known-faults row 85 */
START_TEST(producers_go_on_after_the_first_message_is_done)
{
	const enum hl_group_kind kind = (enum hl_group_kind)_i;
	struct hl_ring *ring = new_ring(kind);
	struct hl_consumer *consumer = support_consume(ring, "g", kind);
	struct hl_producer *producer = support_produce(ring);
	struct hl_batch batch;
	const void *m;

	support_send(producer, 1, CAPACITY);
	ck_assert_int_eq(hl_consumer_take(consumer, CAPACITY, HL_NOWAIT,
					  &batch),
			 CAPACITY);
	ck_assert_int_eq(room(producer), -EAGAIN);
	while ((m = hl_batch_next(&batch))) {
		const uint64_t number = support_number(m);

		ck_assert_int_eq(hl_consumer_done_through(
					 consumer, hl_batch_position(&batch)),
				 0);
		support_send(producer, number + CAPACITY, 1);
		ck_assert_int_eq(room(producer), -EAGAIN);
	}
	support_take(consumer, CAPACITY + 1, CAPACITY);
}
END_TEST

START_TEST(unfinished_rest_is_handed_to_another_member_marked)
{
	struct hl_ring *ring = new_ring(HL_GROUP_SHARED);
	struct hl_consumer *a = support_consume(ring, "g", HL_GROUP_SHARED);
	struct hl_consumer *b = support_consume(ring, "g", HL_GROUP_SHARED);
	uint64_t next = 3;
	struct hl_batch batch;

	support_send(support_produce(ring), 1, 8);
	ck_assert_int_eq(hl_consumer_take(a, 6, HL_NOWAIT, &batch), 6);
	ck_assert_int_eq(hl_consumer_done_through(a, batch.position + 1), 0);
	ck_assert_int_eq(hl_consumer_leave(a), 0);
	while (next <= 8) {
		const void *m;

		ck_assert_int_gt(
			hl_consumer_take(b, CAPACITY, HL_NOWAIT, &batch), 0);
		while ((m = hl_batch_next(&batch))) {
			ck_assert_uint_eq(support_number(m), next);
			ck_assert_int_eq(hl_batch_redelivered(&batch),
					 next <= 6);
			if (next <= 6)
				ck_assert_uint_eq(batch.attempt, 1);
			next++;
		}
		ck_assert_int_eq(hl_consumer_done(b), 0);
	}
	support_take_nothing(b);
}
END_TEST

START_TEST(unfinished_rest_is_handed_to_the_next_consumer_marked)
{
	const enum hl_group_kind kind = (enum hl_group_kind)_i;
	struct hl_ring *ring = new_ring(kind);
	struct hl_consumer *consumer = support_consume(ring, "g", kind);
	uint64_t next = 2;
	struct hl_batch batch;

	support_send(support_produce(ring), 1, 8);
	ck_assert_int_eq(hl_consumer_take(consumer, 4, HL_NOWAIT, &batch), 4);
	ck_assert_int_eq(hl_consumer_done_through(consumer, batch.position), 0);
	ck_assert_int_eq(hl_consumer_leave(consumer), 0);
	consumer = support_consume(ring, "g", kind);
	while (next <= 8) {
		const void *m;

		ck_assert_int_gt(hl_consumer_take(consumer, CAPACITY, HL_NOWAIT,
						  &batch),
				 0);
		while ((m = hl_batch_next(&batch))) {
			ck_assert_uint_eq(support_number(m), next);
			ck_assert_int_eq(hl_batch_redelivered(&batch),
					 next <= 4);
			next++;
		}
		ck_assert_int_eq(hl_consumer_done(consumer), 0);
	}
}
END_TEST

START_TEST(walk_passes_over_void_positions)
{
	struct hl_ring *ring = new_ring(HL_GROUP_EXCLUSIVE);
	struct hl_consumer *consumer =
		support_consume(ring, "g", HL_GROUP_EXCLUSIVE);
	struct hl_producer *producer = support_produce(ring);
	struct hl_batch batch;
	struct hl_claim claim;
	const void *m;

	ck_assert_int_eq(hl_producer_claim(producer, 5, HL_NOWAIT, &claim), 5);
	for (size_t i = 0; i < 5; i++)
		support_fill(hl_claim_slot(&claim, i), 64, i + 1);
	ck_assert_int_eq(hl_producer_abandon_slot(producer, 2), 0);
	ck_assert_int_eq(hl_producer_publish(producer), 0);
	ck_assert_int_eq(hl_consumer_take(consumer, 5, HL_NOWAIT, &batch), 4);
	ck_assert_uint_eq(batch.count, 5);
	ck_assert_uint_eq(batch.messages, 4);
	for (uint64_t number = 1; number <= 5; number++) {
		if (number == 3)
			continue;
		m = hl_batch_next(&batch);
		ck_assert_ptr_nonnull(m);
		ck_assert_uint_eq(support_number(m), number);
		ck_assert_uint_eq(hl_batch_position(&batch), number);
		ck_assert_uint_eq(hl_message_sequence(m), number);
	}
	ck_assert_ptr_null(hl_batch_next(&batch));
	ck_assert_int_eq(hl_consumer_done(consumer), 0);
}
END_TEST

START_TEST(prefetching_walk_finds_the_same_messages)
{
	struct hl_consumer_attr attr = HL_CONSUMER_ATTR_INIT;
	const struct hl_group_attr group =
		support_group("g", HL_GROUP_EXCLUSIVE);
	struct hl_ring_attr ring_attr = HL_RING_ATTR_INIT;
	struct hl_producer *producer;
	struct hl_consumer *consumer;
	struct support_message m;
	struct hl_ring *ring;

	ring_attr.capacity = CAPACITY;
	ring_attr.slot_bytes = 192;
	ring_attr.arena_bytes = 256 * 1024;
	ring = support_create(&ring_attr);
	attr.prefetch_payload = true;
	ck_assert_int_eq(hl_consumer_join(ring, &group, &attr, &consumer, NULL),
			 0);
	producer = support_produce(ring);
	for (uint64_t number = 1; number <= 3 * CAPACITY; number++) {
		const struct iovec field = { &number, sizeof(number) };
		struct hl_batch batch;
		const void *found;

		support_fill(&m, 192, number);
		ck_assert_int_eq(hl_producer_sendv(producer, &m, 192, &field, 1,
						   HL_NOWAIT),
				 1);
		if (number % CAPACITY)
			continue;
		ck_assert_int_eq(hl_consumer_take(consumer, CAPACITY, HL_NOWAIT,
						  &batch),
				 CAPACITY);
		for (uint64_t i = number - CAPACITY + 1; i <= number; i++) {
			found = hl_batch_next(&batch);
			ck_assert(support_whole(found, 192));
			ck_assert_uint_eq(support_number(found), i);
		}
		ck_assert_int_eq(hl_consumer_done(consumer), 0);
	}
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		batch_takes_what_is_there_and_waits_for_no_more,
		batch_of_none_is_refused,
		batches_are_not_nested,
		nothing_is_done_without_a_batch,
		position_outside_of_the_batch_is_refused,
		unfinished_rest_is_handed_to_another_member_marked,
		walk_passes_over_void_positions,
		prefetching_walk_finds_the_same_messages,
	};
	TCase *tcase = support_begin("batch");

	support_add(tcase, tests, COUNT_OF(tests));
	tcase_add_loop_test(tcase, batch_is_never_more_than_the_capacity,
			    HL_GROUP_EXCLUSIVE, HL_GROUP_LOSSY + 1);
	tcase_add_loop_test(tcase,
			    producers_go_on_after_the_first_message_is_done,
			    HL_GROUP_EXCLUSIVE, HL_GROUP_SHARED + 1);
	tcase_add_loop_test(
		tcase, unfinished_rest_is_handed_to_the_next_consumer_marked,
		HL_GROUP_EXCLUSIVE, HL_GROUP_SHARED + 1);
	return support_end();
}
