/* SPDX-License-Identifier: MIT */
/*
 * test_finish.c - a ring comes to its end: what is there is drained, no more
 */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "tests/support/rings.h"
#include "tests/support/support.h"

#define CAPACITY 8

static struct hl_ring *new_ring(enum hl_producers producers,
				enum hl_group_kind kind)
{
	const struct hl_group_attr group = support_group("g", kind);
	struct hl_ring_attr attr = HL_RING_ATTR_INIT;

	attr.capacity = CAPACITY;
	attr.producers = producers;
	attr.groups = &group;
	attr.ngroups = 1;
	return support_create(&attr);
}

static int send_one(struct hl_producer *producer, int64_t timeout_ns)
{
	struct hl_message m;

	support_fill(&m, sizeof(m), 4711);
	return hl_producer_send(producer, &m, sizeof(m), timeout_ns);
}

static ssize_t take_one(struct hl_consumer *consumer, int64_t timeout_ns)
{
	struct hl_batch batch;

	return hl_consumer_take(consumer, 1, timeout_ns, &batch);
}

START_TEST(finished_ring_takes_no_claims)
{
	struct hl_ring *ring =
		new_ring(HL_PRODUCERS_SHARED, HL_GROUP_EXCLUSIVE);
	struct hl_producer *producer = support_produce(ring);
	struct hl_claim claim;

	ck_assert_int_eq(hl_ring_finish(ring, NULL), 0);
	ck_assert_int_eq(hl_producer_claim(producer, 1, HL_NOWAIT, &claim),
			 -EPIPE);
	ck_assert_int_eq(hl_producer_claim(producer, 1, HL_FOREVER, &claim),
			 -EPIPE);
	ck_assert_int_eq(send_one(producer, HL_NOWAIT), -EPIPE);
	ck_assert_int_eq(send_one(producer, HL_DROP), -EPIPE);
}
END_TEST

START_TEST(finishing_twice_is_no_error)
{
	struct hl_ring *ring =
		new_ring(HL_PRODUCERS_SHARED, HL_GROUP_EXCLUSIVE);

	ck_assert_int_eq(hl_ring_finish(ring, NULL), 0);
	ck_assert_int_eq(hl_ring_finish(ring, NULL), 0);
}
END_TEST

START_TEST(consumers_get_the_end_after_the_last_message)
{
	const enum hl_group_kind kind = (enum hl_group_kind)_i;
	struct hl_ring *ring = new_ring(HL_PRODUCERS_SHARED, kind);
	struct hl_consumer *consumer = support_consume(ring, "g", kind);

	support_send(support_produce(ring), 1, 5);
	ck_assert_int_eq(hl_ring_finish(ring, NULL), 0);
	support_take(consumer, 1, 5);
	ck_assert_int_eq(take_one(consumer, HL_NOWAIT), -EPIPE);
	ck_assert_int_eq(take_one(consumer, HL_FOREVER), -EPIPE);
}
END_TEST

START_TEST(consumer_who_joins_a_finished_ring_gets_what_is_there)
{
	struct hl_ring *ring =
		new_ring(HL_PRODUCERS_SHARED, HL_GROUP_EXCLUSIVE);
	struct hl_consumer *consumer;

	support_send(support_produce(ring), 1, CAPACITY);
	ck_assert_int_eq(hl_ring_finish(ring, NULL), 0);
	consumer = support_consume(ring, "g", HL_GROUP_EXCLUSIVE);
	support_take(consumer, 1, CAPACITY);
	ck_assert_int_eq(take_one(consumer, HL_NOWAIT), -EPIPE);
}
END_TEST

START_TEST(finished_ring_is_empty_from_the_start)
{
	struct hl_ring *ring = new_ring(HL_PRODUCERS_SHARED, HL_GROUP_SHARED);

	ck_assert_int_eq(hl_ring_finish(ring, NULL), 0);
	ck_assert_int_eq(take_one(support_consume(ring, "g", HL_GROUP_SHARED),
				  HL_NOWAIT),
			 -EPIPE);
}
END_TEST

START_TEST(what_was_claimed_before_may_be_published)
{
	struct hl_ring *ring =
		new_ring(HL_PRODUCERS_SHARED, HL_GROUP_EXCLUSIVE);
	struct hl_consumer *consumer =
		support_consume(ring, "g", HL_GROUP_EXCLUSIVE);
	struct hl_producer *producer = support_produce(ring);
	struct hl_claim claim;

	ck_assert_int_eq(hl_producer_claim(producer, 2, HL_NOWAIT, &claim), 2);
	ck_assert_int_eq(hl_ring_finish(ring, NULL), 0);
	ck_assert_int_eq(take_one(consumer, HL_NOWAIT), -EAGAIN);
	support_fill(hl_claim_slot(&claim, 0), 64, 1);
	support_fill(hl_claim_slot(&claim, 1), 64, 2);
	ck_assert_int_eq(hl_producer_publish(producer), 0);
	support_take(consumer, 1, 2);
	ck_assert_int_eq(take_one(consumer, HL_NOWAIT), -EPIPE);
}
END_TEST

START_TEST(abandoned_claim_does_not_hide_the_end)
{
	struct hl_ring *ring =
		new_ring(HL_PRODUCERS_SHARED, HL_GROUP_EXCLUSIVE);
	struct hl_consumer *consumer =
		support_consume(ring, "g", HL_GROUP_EXCLUSIVE);
	struct hl_producer *producer = support_produce(ring);
	struct hl_claim claim;

	ck_assert_int_eq(hl_producer_claim(producer, 2, HL_NOWAIT, &claim), 2);
	ck_assert_int_eq(hl_ring_finish(ring, NULL), 0);
	ck_assert_int_eq(hl_producer_abandon(producer), 0);
	ck_assert_int_eq(take_one(consumer, HL_NOWAIT), -EPIPE);
}
END_TEST

START_TEST(sole_producer_finishes_its_ring_itself)
{
	struct hl_ring *ring = new_ring(HL_PRODUCERS_SOLE, HL_GROUP_EXCLUSIVE);
	struct hl_producer *producer = support_produce(ring);

	support_send(producer, 1, 3);
	ck_assert_int_eq(hl_ring_finish(ring, NULL), -EBUSY);
	support_send(producer, 4, 1);
	ck_assert_int_eq(hl_producer_finish(producer), 0);
	ck_assert_int_eq(send_one(producer, HL_NOWAIT), -EPIPE);
	support_take(support_consume(ring, "g", HL_GROUP_EXCLUSIVE), 1, 4);
}
END_TEST

START_TEST(anybody_finishes_a_sole_ring_without_a_producer)
{
	struct hl_ring *ring = new_ring(HL_PRODUCERS_SOLE, HL_GROUP_EXCLUSIVE);
	struct hl_producer *producer = support_produce(ring);

	ck_assert_int_eq(hl_producer_leave(producer), 0);
	ck_assert_int_eq(hl_ring_finish(ring, NULL), 0);
	ck_assert_int_eq(
		take_one(support_consume(ring, "g", HL_GROUP_EXCLUSIVE),
			 HL_NOWAIT),
		-EPIPE);
}
END_TEST

START_TEST(producer_with_a_claim_cannot_finish)
{
	struct hl_ring *ring =
		new_ring(HL_PRODUCERS_SHARED, HL_GROUP_EXCLUSIVE);
	struct hl_producer *producer = support_produce(ring);
	struct hl_claim claim;

	ck_assert_int_eq(hl_producer_claim(producer, 1, HL_NOWAIT, &claim), 1);
	ck_assert_int_eq(hl_producer_finish(producer), -EBUSY);
	ck_assert_int_eq(hl_producer_abandon(producer), 0);
	ck_assert_int_eq(hl_producer_finish(producer), 0);
}
END_TEST

static void wait_for_message(struct helper *self)
{
	struct hl_ring *ring = helper_open(self, self->arg);
	struct hl_consumer *consumer =
		helper_consume(self, ring, "g", HL_GROUP_SHARED);

	helper_step(self, 1);
	EXPECT(self, take_one(consumer, DEADLINE_NS) == -EPIPE);
}

static void wait_for_room(struct helper *self)
{
	struct hl_ring *ring = helper_open(self, self->arg);
	struct hl_producer *producer = helper_produce(self, ring);

	helper_step(self, 1);
	EXPECT(self, send_one(producer, DEADLINE_NS) == -EPIPE);
}

/* Start helpers that wait, finish the ring, and expect that they end. */
static void finish_under(struct hl_ring *ring, void (*run)(struct helper *))
{
	struct helper *waiters[2];
	char name[64] = { 0 };

	strncpy(name, hl_ring_name(ring), sizeof(name) - 1);
	for (size_t i = 0; i < COUNT_OF(waiters); i++) {
		waiters[i] = support_fork(run, name);
		support_await(waiters[i], 1);
	}
	ck_assert_int_eq(hl_ring_finish(ring, NULL), 0);
	for (size_t i = 0; i < COUNT_OF(waiters); i++)
		support_join(waiters[i]);
}

START_TEST(waiting_consumers_wake_up_at_the_end)
{
	finish_under(new_ring(HL_PRODUCERS_SHARED, HL_GROUP_SHARED),
		     wait_for_message);
}
END_TEST

START_TEST(waiting_producers_wake_up_at_the_end)
{
	struct hl_ring *ring = new_ring(HL_PRODUCERS_SHARED, HL_GROUP_SHARED);

	support_send(support_produce(ring), 1, CAPACITY);
	finish_under(ring, wait_for_room);
}
END_TEST

/* What a member took and did not finish is not the end for the others. */
START_TEST(end_comes_after_what_others_have_in_hand)
{
	struct hl_ring *ring = new_ring(HL_PRODUCERS_SHARED, HL_GROUP_SHARED);
	struct hl_consumer *a = support_consume(ring, "g", HL_GROUP_SHARED);
	struct hl_consumer *b = support_consume(ring, "g", HL_GROUP_SHARED);

	support_send(support_produce(ring), 1, 1);
	ck_assert_int_eq(take_one(a, HL_NOWAIT), 1);
	ck_assert_int_eq(hl_ring_finish(ring, NULL), 0);
	ck_assert_int_eq(hl_consumer_leave(a), 0);
	support_take(b, 1, 1);
	ck_assert_int_eq(take_one(b, HL_NOWAIT), -EPIPE);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		finished_ring_takes_no_claims,
		finishing_twice_is_no_error,
		consumer_who_joins_a_finished_ring_gets_what_is_there,
		finished_ring_is_empty_from_the_start,
		what_was_claimed_before_may_be_published,
		abandoned_claim_does_not_hide_the_end,
		sole_producer_finishes_its_ring_itself,
		anybody_finishes_a_sole_ring_without_a_producer,
		producer_with_a_claim_cannot_finish,
		waiting_consumers_wake_up_at_the_end,
		waiting_producers_wake_up_at_the_end,
		end_comes_after_what_others_have_in_hand,
	};
	TCase *tcase = support_begin("finish");

	support_add(tcase, tests, COUNT_OF(tests));
	tcase_add_loop_test(tcase, consumers_get_the_end_after_the_last_message,
			    HL_GROUP_EXCLUSIVE, HL_GROUP_LOSSY + 1);
	return support_end();
}
