/* SPDX-License-Identifier: MIT */
/*
 * test_modes.c - who may be there at a time, and who gets which message
 */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "tests/support/rings.h"
#include "tests/support/support.h"

/* A ring of a small capacity with a group from the start. */
static struct hl_ring *ring_with_group(uint64_t capacity,
				       enum hl_producers producers,
				       enum hl_group_kind kind)
{
	const struct hl_group_attr group = support_group("g", kind);
	struct hl_ring_attr attr = HL_RING_ATTR_INIT;

	attr.capacity = capacity;
	attr.producers = producers;
	attr.groups = &group;
	attr.ngroups = 1;
	return support_create(&attr);
}

static struct hl_ring *plain_ring(uint64_t capacity)
{
	struct hl_ring_attr attr = HL_RING_ATTR_INIT;

	attr.capacity = capacity;
	return support_create(&attr);
}

static int try_produce(struct hl_ring *ring, struct hl_producer **out)
{
	return hl_producer_join(ring, NULL, out, NULL);
}

static int try_consume(struct hl_ring *ring, const char *name,
		       enum hl_group_kind kind, struct hl_consumer **out)
{
	const struct hl_group_attr attr = support_group(name, kind);

	return hl_consumer_join(ring, &attr, NULL, out, NULL);
}

static void hold_producer(struct helper *self)
{
	struct hl_ring *ring = helper_open(self, self->arg);

	helper_produce(self, ring);
	helper_step(self, 1);
	helper_pause();
}

static void hold_exclusive(struct helper *self)
{
	struct hl_ring *ring = helper_open(self, self->arg);

	helper_consume(self, ring, "g", HL_GROUP_EXCLUSIVE);
	helper_step(self, 1);
	helper_pause();
}

static void hold_lossy(struct helper *self)
{
	struct hl_ring *ring = helper_open(self, self->arg);

	helper_consume(self, ring, "g", HL_GROUP_LOSSY);
	helper_step(self, 1);
	helper_pause();
}

/* Start a helper that keeps a place in the ring until it is killed. */
static struct helper *hold(void (*run)(struct helper *), struct hl_ring *ring)
{
	static char name[64];
	struct helper *helper;

	strncpy(name, hl_ring_name(ring), sizeof(name) - 1);
	helper = support_fork(run, name);
	support_await(helper, 1);
	return helper;
}

START_TEST(second_sole_producer_is_busy_in_this_process)
{
	struct hl_ring *ring =
		ring_with_group(8, HL_PRODUCERS_SOLE, HL_GROUP_EXCLUSIVE);
	struct hl_producer *first = support_produce(ring), *second;

	ck_assert_int_eq(try_produce(ring, &second), -EBUSY);
	ck_assert_ptr_null(second);
	ck_assert_int_eq(hl_producer_leave(first), 0);
	ck_assert_int_eq(try_produce(ring, &second), 0);
}
END_TEST

START_TEST(second_sole_producer_is_busy_until_the_first_died)
{
	struct hl_ring *ring =
		ring_with_group(8, HL_PRODUCERS_SOLE, HL_GROUP_EXCLUSIVE);
	struct helper *first = hold(hold_producer, ring);
	struct hl_producer *second;

	ck_assert_int_eq(try_produce(ring, &second), -EBUSY);
	support_kill(first);
	ck_assert_int_eq(try_produce(ring, &second), 0);
	support_send(second, 1, 8);
}
END_TEST

START_TEST(second_exclusive_consumer_is_busy_in_this_process)
{
	struct hl_ring *ring =
		ring_with_group(8, HL_PRODUCERS_SHARED, HL_GROUP_EXCLUSIVE);
	struct hl_consumer *first =
		support_consume(ring, "g", HL_GROUP_EXCLUSIVE);
	struct hl_consumer *second;

	ck_assert_int_eq(try_consume(ring, "g", HL_GROUP_EXCLUSIVE, &second),
			 -EBUSY);
	ck_assert_ptr_null(second);
	ck_assert_int_eq(hl_consumer_leave(first), 0);
	ck_assert_int_eq(try_consume(ring, "g", HL_GROUP_EXCLUSIVE, &second),
			 0);
}
END_TEST

START_TEST(second_exclusive_consumer_is_busy_until_the_first_died)
{
	struct hl_ring *ring =
		ring_with_group(8, HL_PRODUCERS_SHARED, HL_GROUP_EXCLUSIVE);
	struct helper *first = hold(hold_exclusive, ring);
	struct hl_consumer *second;

	ck_assert_int_eq(try_consume(ring, "g", HL_GROUP_EXCLUSIVE, &second),
			 -EBUSY);
	support_kill(first);
	ck_assert_int_eq(try_consume(ring, "g", HL_GROUP_EXCLUSIVE, &second),
			 0);
}
END_TEST

START_TEST(second_lossy_consumer_is_busy_until_the_first_died)
{
	struct hl_ring *ring =
		ring_with_group(8, HL_PRODUCERS_SHARED, HL_GROUP_LOSSY);
	struct helper *first = hold(hold_lossy, ring);
	struct hl_consumer *second;

	ck_assert_int_eq(try_consume(ring, "g", HL_GROUP_LOSSY, &second),
			 -EBUSY);
	support_kill(first);
	ck_assert_int_eq(try_consume(ring, "g", HL_GROUP_LOSSY, &second), 0);
}
END_TEST

START_TEST(group_of_another_kind_is_refused)
{
	struct hl_ring *ring = plain_ring(8);
	struct hl_consumer *first = support_consume(ring, "g", HL_GROUP_SHARED);
	struct hl_consumer *second;

	ck_assert_int_eq(try_consume(ring, "g", HL_GROUP_EXCLUSIVE, &second),
			 -EEXIST);
	ck_assert_int_eq(try_consume(ring, "g", HL_GROUP_LOSSY, &second),
			 -EEXIST);
	ck_assert_ptr_null(second);
	ck_assert_int_eq(hl_consumer_leave(first), 0);
}
END_TEST

START_TEST(every_group_sees_every_message)
{
	struct hl_ring *ring = plain_ring(16);
	struct hl_consumer *consumers[] = {
		support_consume(ring, "exclusive", HL_GROUP_EXCLUSIVE),
		support_consume(ring, "shared", HL_GROUP_SHARED),
		support_consume(ring, "lossy", HL_GROUP_LOSSY),
		support_consume(ring, "another", HL_GROUP_EXCLUSIVE),
	};

	support_send(support_produce(ring), 1, 16);
	for (size_t i = 0; i < COUNT_OF(consumers); i++) {
		support_take(consumers[i], 1, 16);
		support_take_nothing(consumers[i]);
	}
}
END_TEST

START_TEST(members_of_a_shared_group_divide_the_messages)
{
	struct hl_ring *ring = plain_ring(16);
	struct hl_consumer *a = support_consume(ring, "g", HL_GROUP_SHARED);
	struct hl_consumer *b = support_consume(ring, "g", HL_GROUP_SHARED);

	support_send(support_produce(ring), 1, 6);
	support_take(a, 1, 2);
	support_take(b, 3, 2);
	support_take(a, 5, 1);
	support_take(b, 6, 1);
	support_take_nothing(a);
	support_take_nothing(b);
}
END_TEST

START_TEST(shared_group_finishes_in_any_order)
{
	struct hl_ring *ring = plain_ring(4);
	struct hl_consumer *a = support_consume(ring, "g", HL_GROUP_SHARED);
	struct hl_consumer *b = support_consume(ring, "g", HL_GROUP_SHARED);
	struct hl_producer *producer = support_produce(ring);
	struct hl_batch first, second;
	struct hl_claim claim;

	support_send(producer, 1, 4);
	ck_assert_int_eq(hl_consumer_take(a, 2, HL_NOWAIT, &first), 2);
	ck_assert_int_eq(hl_consumer_take(b, 2, HL_NOWAIT, &second), 2);
	ck_assert_int_eq(hl_consumer_done(b), 0);
	ck_assert_int_eq(hl_producer_claim(producer, 1, HL_NOWAIT, &claim),
			 -EAGAIN);
	ck_assert_int_eq(hl_consumer_done(a), 0);
	ck_assert_int_eq(hl_producer_claim(producer, 4, HL_NOWAIT, &claim), 4);
}
END_TEST

/* known-faults row 39: a batch that is held keeps producers out. */
START_TEST(borrowed_batch_is_never_overwritten)
{
	struct hl_ring *ring = plain_ring(8);
	struct hl_consumer *consumer =
		support_consume(ring, "g", HL_GROUP_SHARED);
	struct hl_producer *producer = support_produce(ring);
	struct hl_batch batch;
	const void *m;
	uint64_t number = 1;
	int sent = 0;

	support_send(producer, 1, 4);
	ck_assert_int_eq(hl_consumer_take(consumer, 4, HL_NOWAIT, &batch), 4);
	for (int i = 0; i < 80; i++) {
		struct hl_message other;

		support_fill(&other, sizeof(other), 1000);
		sent += hl_producer_send(producer, &other, sizeof(other),
					 HL_NOWAIT) == 1;
	}
	ck_assert_int_eq(sent, 4);
	while ((m = hl_batch_next(&batch))) {
		ck_assert_uint_eq(support_number(m), number++);
		ck_assert(support_whole(m, sizeof(struct hl_message)));
	}
	ck_assert_uint_eq(number, 5);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		second_sole_producer_is_busy_in_this_process,
		second_sole_producer_is_busy_until_the_first_died,
		second_exclusive_consumer_is_busy_in_this_process,
		second_exclusive_consumer_is_busy_until_the_first_died,
		second_lossy_consumer_is_busy_until_the_first_died,
		group_of_another_kind_is_refused,
		every_group_sees_every_message,
		members_of_a_shared_group_divide_the_messages,
		shared_group_finishes_in_any_order,
		borrowed_batch_is_never_overwritten,
	};
	TCase *tcase = support_begin("modes");

	support_add(tcase, tests, COUNT_OF(tests));
	return support_end();
}
