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

START_TEST(group_of_the_ring_holds_messages_before_anybody_joins)
{
	struct hl_ring *ring =
		ring_with_group(8, HL_PRODUCERS_SHARED, HL_GROUP_SHARED);
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
	struct helper *member = hold(hold_exclusive, ring);
	struct hl_producer *producer = support_produce(ring);

	support_send(producer, 1, 8);
	support_kill(member);
	/* Nobody holds the producer back now. */
	support_send(producer, 9, 8);
}
END_TEST

START_TEST(group_is_dropped_without_members)
{
	struct hl_ring *ring =
		ring_with_group(8, HL_PRODUCERS_SHARED, HL_GROUP_EXCLUSIVE);
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

START_TEST(lossy_group_is_told_exactly_what_it_missed)
{
	struct hl_ring *ring = plain_ring(16);
	struct hl_consumer *consumer =
		support_consume(ring, "g", HL_GROUP_LOSSY);
	uint64_t received = 0, lost = 0, next = 1;
	struct hl_batch batch;
	const void *m;

	support_send(support_produce(ring), 1, 1000);
	while (hl_consumer_take(consumer, 16, HL_NOWAIT, &batch) > 0) {
		lost += batch.lost;
		next += batch.lost;
		while ((m = hl_batch_next(&batch))) {
			ck_assert_uint_eq(support_number(m), next++);
			received++;
		}
		ck_assert_int_eq(hl_consumer_done(consumer), 0);
	}
	ck_assert_uint_eq(received + lost, 1000);
	ck_assert_uint_le(received, 16);
	ck_assert_uint_gt(received, 0);
	ck_assert_uint_eq(next, 1001);
}
END_TEST

START_TEST(lossy_group_never_holds_producers_back)
{
	struct hl_ring *ring = plain_ring(4);
	struct hl_consumer *consumer =
		support_consume(ring, "g", HL_GROUP_LOSSY);
	struct hl_producer *producer = support_produce(ring);
	struct hl_batch batch;

	support_send(producer, 1, 4);
	ck_assert_int_gt(hl_consumer_take(consumer, 4, HL_NOWAIT, &batch), 0);
	support_send(producer, 5, 100);
	ck_assert_int_eq(hl_consumer_done(consumer), 0);
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
		borrowed_batch_is_never_overwritten,
		lossy_group_is_told_exactly_what_it_missed,
		lossy_group_never_holds_producers_back,
	};
	TCase *tcase = support_begin("modes");

	support_add(tcase, tests, COUNT_OF(tests));
	return support_end();
}
