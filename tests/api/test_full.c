/* SPDX-License-Identifier: MIT */
/*
 * test_full.c - what a full ring does, and one that nobody reads
 */
#include "config.h"

#include <hotline/inspect.h>

#include <errno.h>
#include <string.h>

#include "tests/support/rings.h"
#include "tests/support/support.h"

#define CAPACITY 8

static struct hl_ring *ring_with(const struct hl_ring_attr *wanted)
{
	const struct hl_group_attr group =
		support_group("g", HL_GROUP_EXCLUSIVE);
	struct hl_ring_attr attr = *wanted;

	attr.capacity = CAPACITY;
	attr.groups = &group;
	attr.ngroups = 1;
	return support_create(&attr);
}

/* A ring with a group that nobody reads, and as many messages as fit. */
static struct hl_ring *full_ring(struct hl_producer **producer)
{
	const struct hl_ring_attr attr = HL_RING_ATTR_INIT;
	struct hl_ring *ring = ring_with(&attr);

	*producer = support_produce(ring);
	support_send(*producer, 1, CAPACITY);
	return ring;
}

static int send_one(struct hl_producer *producer, int64_t timeout_ns)
{
	struct hl_message m;

	support_fill(&m, sizeof(m), 4711);
	return hl_producer_send(producer, &m, sizeof(m), timeout_ns);
}

/* What inspect says of the only producer. */
static struct hl_participant_status producer_status(const char *name)
{
	struct hl_participant_status status;
	struct hl_inspect *inspect;

	ck_assert_int_eq(hl_inspect_open(name, 0, &inspect, NULL), 0);
	ck_assert_int_eq(hl_inspect_participant(inspect, 0, &status), 1);
	ck_assert(status.producer);
	hl_inspect_close(inspect);
	return status;
}

START_TEST(send_fails_at_once_when_the_ring_is_full)
{
	struct hl_producer *producer;
	struct hl_ring *ring = full_ring(&producer);
	struct hl_claim claim;

	ck_assert_int_eq(send_one(producer, HL_NOWAIT), -EAGAIN);
	ck_assert_int_eq(hl_producer_claim(producer, 1, HL_NOWAIT, &claim),
			 -EAGAIN);
	ck_assert_uint_ge(producer_status(hl_ring_name(ring)).full, 1);
}
END_TEST

START_TEST(send_waits_no_longer_than_its_timeout)
{
	struct hl_producer *producer;
	struct hl_claim claim;

	full_ring(&producer);
	ck_assert_int_eq(send_one(producer, 20 * MS_NS), -ETIMEDOUT);
	ck_assert_int_eq(hl_producer_claim(producer, 1, 20 * MS_NS, &claim),
			 -ETIMEDOUT);
}
END_TEST

START_TEST(timeout_is_not_negative)
{
	struct hl_producer *producer;
	struct hl_claim claim;

	full_ring(&producer);
	ck_assert_int_eq(hl_producer_claim(producer, 1, -1, &claim), -EINVAL);
}
END_TEST

/* known-faults row 77 */
START_TEST(dropped_messages_are_counted_exactly)
{
	struct hl_producer *producer;
	struct hl_ring *ring = full_ring(&producer);
	struct hl_consumer *consumer;
	struct hl_claim claim;

	for (int i = 0; i < 900; i++)
		ck_assert_int_eq(send_one(producer, HL_DROP), 0);
	for (int i = 0; i < 20; i++)
		ck_assert_int_eq(
			hl_producer_claim(producer, 5, HL_DROP, &claim), 0);
	ck_assert_uint_eq(producer_status(hl_ring_name(ring)).dropped, 1000);
	consumer = support_consume(ring, "g", HL_GROUP_EXCLUSIVE);
	support_take(consumer, 1, CAPACITY);
	support_take_nothing(consumer);
	ck_assert_int_eq(send_one(producer, HL_DROP), 1);
}
END_TEST

static void send_when_there_is_room(struct helper *self)
{
	struct hl_ring *ring = helper_open(self, self->arg);
	struct hl_producer *producer = helper_produce(self, ring);

	helper_step(self, 1);
	EXPECT(self, send_one(producer, DEADLINE_NS) == 1);
}

START_TEST(waiting_producer_goes_on_when_a_consumer_makes_room)
{
	struct hl_producer *producer;
	struct hl_ring *ring = full_ring(&producer);
	char name[64] = { 0 };
	struct helper *waiter;

	strncpy(name, hl_ring_name(ring), sizeof(name) - 1);
	waiter = support_fork(send_when_there_is_room, name);
	support_await(waiter, 1);
	support_take(support_consume(ring, "g", HL_GROUP_EXCLUSIVE), 1, 1);
	support_join(waiter);
}
END_TEST

START_TEST(claim_takes_what_is_free_when_less_than_asked_for_is)
{
	const struct hl_ring_attr attr = HL_RING_ATTR_INIT;
	struct hl_producer *producer = support_produce(ring_with(&attr));
	struct hl_claim claim;

	support_send(producer, 1, CAPACITY - 3);
	ck_assert_int_eq(
		hl_producer_claim(producer, CAPACITY, HL_NOWAIT, &claim), 3);
	ck_assert_uint_eq(claim.count, 3);
	ck_assert_uint_eq(claim.position, CAPACITY - 2);
}
END_TEST

START_TEST(claim_of_none_or_more_than_the_capacity_is_refused)
{
	const struct hl_ring_attr attr = HL_RING_ATTR_INIT;
	struct hl_producer *producer = support_produce(ring_with(&attr));
	struct hl_claim claim;

	ck_assert_int_eq(hl_producer_claim(producer, 0, HL_NOWAIT, &claim),
			 -EINVAL);
	ck_assert_int_eq(hl_producer_claim(producer, CAPACITY + 1, HL_NOWAIT,
					   &claim),
			 -EINVAL);
	ck_assert_int_eq(hl_producer_claim(producer, SIZE_MAX, HL_NOWAIT,
					   &claim),
			 -EINVAL);
}
END_TEST

/* known-faults row 76: 7/8 of the capacity stay, at the least. */
START_TEST(unread_messages_are_kept_for_a_later_group)
{
	struct hl_ring_attr attr = HL_RING_ATTR_INIT;
	struct hl_consumer *consumer;
	struct hl_batch batch;
	struct hl_ring *ring;
	uint64_t first;

	attr.capacity = 64;
	ring = support_create(&attr);
	support_send(support_produce(ring), 1, 1000);
	consumer = support_consume(ring, "g", HL_GROUP_EXCLUSIVE);
	ck_assert_int_gt(hl_consumer_take(consumer, 1, HL_NOWAIT, &batch), 0);
	first = support_number(hl_batch_next(&batch));
	ck_assert_uint_ge(first, 1000 - 64 + 1);
	ck_assert_uint_le(first, 1000 - 56 + 1);
	ck_assert_int_eq(hl_consumer_done(consumer), 0);
	support_take(consumer, first + 1, 1000 - first);
	support_take_nothing(consumer);
}
END_TEST

START_TEST(unread_messages_are_refused_when_the_ring_says_so)
{
	struct hl_ring_attr attr = HL_RING_ATTR_INIT;
	struct hl_producer *producer;
	struct hl_consumer *consumer;
	struct hl_ring *ring;

	attr.unread = HL_UNREAD_REFUSE;
	ring = support_create(&attr);
	producer = support_produce(ring);
	ck_assert_int_eq(send_one(producer, HL_NOWAIT), -ENOTCONN);
	consumer = support_consume(ring, "lossy", HL_GROUP_LOSSY);
	ck_assert_int_eq(send_one(producer, HL_NOWAIT), -ENOTCONN);
	ck_assert_int_eq(hl_consumer_leave(consumer), 0);
	consumer = support_consume(ring, "g", HL_GROUP_EXCLUSIVE);
	ck_assert_int_eq(send_one(producer, HL_NOWAIT), 1);
	ck_assert_int_eq(hl_consumer_leave(consumer), 0);
	ck_assert_int_eq(send_one(producer, HL_NOWAIT), -ENOTCONN);
}
END_TEST

START_TEST(refused_producer_may_wait_for_a_group)
{
	struct hl_ring_attr attr = HL_RING_ATTR_INIT;
	char name[64] = { 0 };
	struct helper *waiter;
	struct hl_ring *ring;
	struct hl_batch batch;

	attr.unread = HL_UNREAD_REFUSE;
	ring = support_create(&attr);
	strncpy(name, hl_ring_name(ring), sizeof(name) - 1);
	waiter = support_fork(send_when_there_is_room, name);
	support_await(waiter, 1);
	ck_assert_int_eq(
		hl_consumer_take(support_consume(ring, "g", HL_GROUP_SHARED), 1,
				 DEADLINE_NS, &batch),
		1);
	support_join(waiter);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		send_fails_at_once_when_the_ring_is_full,
		send_waits_no_longer_than_its_timeout,
		timeout_is_not_negative,
		dropped_messages_are_counted_exactly,
		waiting_producer_goes_on_when_a_consumer_makes_room,
		claim_takes_what_is_free_when_less_than_asked_for_is,
		claim_of_none_or_more_than_the_capacity_is_refused,
		unread_messages_are_kept_for_a_later_group,
		unread_messages_are_refused_when_the_ring_says_so,
		refused_producer_may_wait_for_a_group,
	};
	TCase *tcase = support_begin("full");

	support_add(tcase, tests, COUNT_OF(tests));
	return support_end();
}
