/* SPDX-License-Identifier: MIT */
/*
 * test_groups.c - where groups begin, what they hold, and when they go
 */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "tests/support/rings.h"
#include "tests/support/support.h"

/* A ring of a small capacity with a group from the start. */
static struct hl_ring *ring_with_group(enum hl_group_kind kind)
{
	const struct hl_group_attr group = support_group("g", kind);
	struct hl_ring_attr attr = HL_RING_ATTR_INIT;

	attr.capacity = 8;
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

static int try_consume(struct hl_ring *ring, const char *name,
		       enum hl_group_kind kind, struct hl_consumer **out)
{
	const struct hl_group_attr attr = support_group(name, kind);

	return hl_consumer_join(ring, &attr, NULL, out, NULL);
}

/* Join with all of the attr; asserts. */
static struct hl_consumer *consume_attr(struct hl_ring *ring,
					const struct hl_group_attr *attr)
{
	struct hl_error err = { 0 };
	struct hl_consumer *consumer;

	ck_assert_msg(hl_consumer_join(ring, attr, NULL, &consumer, &err) == 0,
		      "join: %d %s", err.code, err.text);
	return consumer;
}

static struct hl_consumer *consume_from(struct hl_ring *ring, const char *name,
					enum hl_group_start start,
					uint64_t position)
{
	struct hl_group_attr attr = support_group(name, HL_GROUP_EXCLUSIVE);

	attr.start = start;
	attr.position = position;
	return consume_attr(ring, &attr);
}

static void hold_exclusive(struct helper *self)
{
	struct hl_ring *ring = helper_open(self, self->arg);

	helper_consume(self, ring, "g", HL_GROUP_EXCLUSIVE);
	helper_step(self, 1);
	helper_pause();
}

START_TEST(group_of_the_ring_holds_messages_before_anybody_joins)
{
	struct hl_ring *ring = ring_with_group(HL_GROUP_SHARED);
	struct hl_producer *producer = support_produce(ring);
	struct hl_claim claim;

	support_send(producer, 1, 8);
	ck_assert_int_eq(hl_producer_claim(producer, 1, HL_NOWAIT, &claim),
			 -EAGAIN);
	support_take(support_consume(ring, "g", HL_GROUP_SHARED), 1, 8);
}
END_TEST

START_TEST(created_group_holds_messages_before_anybody_joins)
{
	const struct hl_group_attr group =
		support_group("late", HL_GROUP_EXCLUSIVE);
	struct hl_ring *ring = plain_ring(8);

	ck_assert_int_eq(hl_group_create(ring, &group, NULL), 0);
	ck_assert_int_eq(hl_group_create(ring, &group, NULL), -EEXIST);
	support_send(support_produce(ring), 1, 8);
	support_take(support_consume(ring, "late", HL_GROUP_EXCLUSIVE), 1, 8);
}
END_TEST

START_TEST(group_starts_at_the_oldest_message_held)
{
	struct hl_ring *ring = plain_ring(16);

	support_send(support_produce(ring), 1, 10);
	support_take(consume_from(ring, "g", HL_START_OLDEST, 0), 1, 10);
}
END_TEST

START_TEST(group_starts_at_what_is_sent_from_now_on)
{
	struct hl_ring *ring = plain_ring(16);
	struct hl_producer *producer = support_produce(ring);
	struct hl_consumer *consumer;

	support_send(producer, 1, 10);
	consumer = consume_from(ring, "g", HL_START_NEWEST, 0);
	support_take_nothing(consumer);
	support_send(producer, 11, 3);
	support_take(consumer, 11, 3);
}
END_TEST

START_TEST(group_starts_at_a_position)
{
	struct hl_ring *ring = plain_ring(16);

	support_send(support_produce(ring), 1, 10);
	/* The first position is 1, and so is the first number. */
	support_take(consume_from(ring, "g", HL_START_POSITION, 4), 4, 7);
	support_take_nothing(consume_from(ring, "h", HL_START_POSITION, 11));
}
END_TEST

START_TEST(group_cannot_start_at_a_position_to_come)
{
	struct hl_group_attr attr = support_group("g", HL_GROUP_EXCLUSIVE);
	struct hl_ring *ring = plain_ring(16);
	struct hl_consumer *consumer;

	support_send(support_produce(ring), 1, 10);
	attr.start = HL_START_POSITION;
	attr.position = 12;
	ck_assert_int_eq(hl_consumer_join(ring, &attr, NULL, &consumer, NULL),
			 -EINVAL);
	ck_assert_int_eq(hl_group_create(ring, &attr, NULL), -EINVAL);
}
END_TEST

START_TEST(group_cannot_start_at_a_position_overwritten)
{
	struct hl_group_attr attr = support_group("g", HL_GROUP_EXCLUSIVE);
	struct hl_error err = { 0 };
	struct hl_ring *ring = plain_ring(16);
	struct hl_consumer *consumer;

	support_send(support_produce(ring), 1, 100);
	attr.start = HL_START_POSITION;
	attr.position = 2;
	ck_assert_int_eq(hl_consumer_join(ring, &attr, NULL, &consumer, &err),
			 -ESTALE);
	ck_assert_int_eq(err.code, -ESTALE);
	ck_assert_ptr_nonnull(strstr(err.text, hl_ring_name(ring)));
}
END_TEST

START_TEST(durable_group_stays_without_members)
{
	struct hl_group_attr attr = support_group("g", HL_GROUP_SHARED);
	struct hl_ring *ring = plain_ring(8);
	struct hl_producer *producer = support_produce(ring);
	struct hl_consumer *consumer;
	struct hl_claim claim;

	attr.durable = true;
	consumer = consume_attr(ring, &attr);
	support_send(producer, 1, 4);
	support_take(consumer, 1, 2);
	ck_assert_int_eq(hl_consumer_leave(consumer), 0);
	support_send(producer, 5, 6);
	ck_assert_int_eq(hl_producer_claim(producer, 1, HL_NOWAIT, &claim),
			 -EAGAIN);
	support_take(support_consume(ring, "g", HL_GROUP_SHARED), 3, 8);
}
END_TEST

START_TEST(ephemeral_group_goes_with_its_last_member)
{
	struct hl_ring *ring = plain_ring(8);
	struct hl_consumer *a = support_consume(ring, "g", HL_GROUP_SHARED);
	struct hl_consumer *b = support_consume(ring, "g", HL_GROUP_SHARED);
	struct hl_consumer *c;

	ck_assert_int_eq(hl_consumer_leave(a), 0);
	ck_assert_int_eq(try_consume(ring, "g", HL_GROUP_EXCLUSIVE, &c),
			 -EEXIST);
	ck_assert_int_eq(hl_consumer_leave(b), 0);
	ck_assert_int_eq(try_consume(ring, "g", HL_GROUP_EXCLUSIVE, &c), 0);
}
END_TEST

START_TEST(ephemeral_group_goes_when_its_last_member_dies)
{
	struct hl_ring *ring = plain_ring(8);
	struct hl_producer *producer = support_produce(ring);
	char name[64] = { 0 };
	struct helper *member;

	strncpy(name, hl_ring_name(ring), sizeof(name) - 1);
	member = support_fork(hold_exclusive, name);
	support_await(member, 1);
	support_send(producer, 1, 8);
	support_kill(member);
	/* Nobody holds the producer back now. */
	support_send(producer, 9, 8);
}
END_TEST

START_TEST(group_is_dropped_without_members)
{
	struct hl_ring *ring = ring_with_group(HL_GROUP_EXCLUSIVE);
	struct hl_producer *producer = support_produce(ring);
	struct hl_consumer *consumer =
		support_consume(ring, "g", HL_GROUP_EXCLUSIVE);
	struct hl_claim claim;

	ck_assert_int_eq(hl_group_drop(ring, "other", NULL), -ENOENT);
	ck_assert_int_eq(hl_group_drop(ring, "g", NULL), -EBUSY);
	ck_assert_int_eq(hl_consumer_leave(consumer), 0);
	consumer = support_consume(ring, "h", HL_GROUP_EXCLUSIVE);
	support_send(producer, 1, 8);
	support_take(consumer, 1, 8);
	ck_assert_int_eq(hl_group_drop(ring, "h", NULL), -EBUSY);
	ck_assert_int_eq(hl_producer_claim(producer, 8, HL_NOWAIT, &claim), 8);
}
END_TEST

START_TEST(dropped_group_does_not_hold_producers_back)
{
	struct hl_group_attr attr = support_group("g", HL_GROUP_EXCLUSIVE);
	struct hl_ring *ring = plain_ring(8);
	struct hl_producer *producer = support_produce(ring);
	struct hl_claim claim;

	attr.durable = true;
	ck_assert_int_eq(hl_group_create(ring, &attr, NULL), 0);
	support_send(producer, 1, 8);
	ck_assert_int_eq(hl_producer_claim(producer, 1, HL_NOWAIT, &claim),
			 -EAGAIN);
	ck_assert_int_eq(hl_group_drop(ring, "g", NULL), 0);
	ck_assert_int_eq(hl_group_drop(ring, "g", NULL), -ENOENT);
	support_send(producer, 9, 8);
}
END_TEST

/* known-faults row 48: depth and order across handles. */
START_TEST(messages_outlive_everybody_who_has_the_ring_open)
{
	struct hl_group_attr attr = support_group("g", HL_GROUP_EXCLUSIVE);
	struct hl_ring_attr ring_attr = HL_RING_ATTR_INIT;
	struct hl_producer *producer;
	struct hl_consumer *consumer;
	struct hl_ring *ring;
	char name[64] = { 0 };

	attr.durable = true;
	ring_attr.groups = &attr;
	ring_attr.ngroups = 1;
	ring = support_create(&ring_attr);
	strncpy(name, hl_ring_name(ring), sizeof(name) - 1);
	producer = support_produce(ring);
	consumer = support_consume(ring, "g", HL_GROUP_EXCLUSIVE);
	support_send(producer, 1, 6);
	support_take(consumer, 1, 3);
	ck_assert_int_eq(hl_producer_leave(producer), 0);
	ck_assert_int_eq(hl_consumer_leave(consumer), 0);
	ck_assert_int_eq(hl_ring_close(ring), 0);

	ring = support_open(name);
	producer = support_produce(ring);
	support_send(producer, 7, 2);
	ck_assert_int_eq(hl_producer_leave(producer), 0);
	consumer = support_consume(ring, "g", HL_GROUP_EXCLUSIVE);
	support_take(consumer, 4, 5);
	support_take_nothing(consumer);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		group_of_the_ring_holds_messages_before_anybody_joins,
		created_group_holds_messages_before_anybody_joins,
		group_starts_at_the_oldest_message_held,
		group_starts_at_what_is_sent_from_now_on,
		group_starts_at_a_position,
		group_cannot_start_at_a_position_to_come,
		group_cannot_start_at_a_position_overwritten,
		durable_group_stays_without_members,
		ephemeral_group_goes_with_its_last_member,
		ephemeral_group_goes_when_its_last_member_dies,
		group_is_dropped_without_members,
		dropped_group_does_not_hold_producers_back,
		messages_outlive_everybody_who_has_the_ring_open,
	};
	TCase *tcase = support_begin("groups");

	support_add(tcase, tests, COUNT_OF(tests));
	return support_end();
}
