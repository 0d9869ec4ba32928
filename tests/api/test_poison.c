/* SPDX-License-Identifier: MIT */
/*
 * test_poison.c - a message that nobody gets done is given up, and not lost
 *
 * A consumer that leaves with messages in hand stands for one that died.
 */
#include "config.h"

#include <errno.h>

#include <hotline/inspect.h>

#include "tests/support/rings.h"

struct grave {
	uint64_t numbers[8];
	int n;
	int answer;
};

static int bury(const struct hl_batch *batch, const void *message, void *user)
{
	struct grave *const grave = user;

	(void)batch;
	if (grave->answer < 0)
		return grave->answer;
	grave->numbers[grave->n++] = support_number(message);
	return 0;
}

static struct hl_ring *ring;
static struct hl_producer *producer;
static struct hl_group_attr group;
static struct grave grave;

/* Four messages in a durable group of a kind, _i of enum hl_group_kind. */
static void begin(enum hl_group_kind kind)
{
	struct hl_ring_attr attr = HL_RING_ATTR_INIT;

	group = support_group("g", kind);
	group.durable = true;
	attr.groups = &group;
	attr.ngroups = 1;
	ring = support_create(&attr);
	producer = support_produce(ring);
	support_send(producer, 1, 4);
	grave = (struct grave){ .n = 0 };
}

static struct hl_consumer *join(uint32_t max_attempts)
{
	struct hl_consumer_attr attr = HL_CONSUMER_ATTR_INIT;
	struct hl_consumer *consumer;

	attr.max_attempts = max_attempts;
	attr.poison = bury;
	attr.poison_user = &grave;
	ck_assert_int_eq(hl_consumer_join(ring, &group, &attr, &consumer, NULL),
			 0);
	return consumer;
}

/* Take and stop with the messages in hand; how many they were. */
static ssize_t fail_once(uint32_t max_attempts, struct hl_batch *batch)
{
	struct hl_consumer *const consumer = join(max_attempts);
	const ssize_t n = hl_consumer_take(consumer, 8, HL_NOWAIT, batch);

	hl_consumer_leave(consumer);
	return n;
}

START_TEST(message_comes_alone_from_the_second_redelivery_on)
{
	struct hl_batch batch;

	begin((enum hl_group_kind)_i);
	ck_assert_int_eq(fail_once(0, &batch), 4);
	ck_assert_uint_eq(batch.attempt, 0);
	ck_assert_int_eq(fail_once(0, &batch), 4);
	ck_assert_uint_eq(batch.attempt, 1);
	ck_assert_int_eq(fail_once(0, &batch), 1);
	ck_assert_uint_eq(batch.attempt, 2);
	ck_assert_int_eq(fail_once(0, &batch), 1);
	ck_assert_uint_eq(batch.attempt, 3);
}
END_TEST

START_TEST(message_tried_too_often_is_given_up_and_the_rest_goes_on)
{
	struct hl_consumer *consumer;
	struct hl_batch batch;

	begin((enum hl_group_kind)_i);
	ck_assert_int_eq(fail_once(1, &batch), 4);
	ck_assert_int_eq(fail_once(1, &batch), 4);
	consumer = join(1);
	support_take(consumer, 2, 3);
	ck_assert_int_eq(grave.n, 1);
	ck_assert_uint_eq(grave.numbers[0], 1);
}
END_TEST

START_TEST(given_up_messages_are_counted)
{
	struct hl_inspect *inspect;
	struct hl_group_status status;
	struct hl_batch batch;

	begin((enum hl_group_kind)_i);
	ck_assert_int_eq(fail_once(1, &batch), 4);
	ck_assert_int_eq(fail_once(1, &batch), 4);
	support_take(join(1), 2, 3);
	ck_assert_int_eq(hl_inspect_open(hl_ring_name(ring), 0, &inspect, NULL),
			 0);
	ck_assert_int_eq(hl_inspect_group(inspect, 0, &status), 1);
	ck_assert_uint_eq(status.dead_letters, 1);
	ck_assert_uint_eq(status.depth, 0);
	hl_inspect_close(inspect);
}
END_TEST

START_TEST(message_that_its_handler_refuses_stays)
{
	struct hl_consumer *consumer;
	struct hl_batch batch;

	begin((enum hl_group_kind)_i);
	ck_assert_int_eq(fail_once(1, &batch), 4);
	ck_assert_int_eq(fail_once(1, &batch), 4);
	consumer = join(1);
	grave.answer = -EIO;
	ck_assert_int_eq(hl_consumer_take(consumer, 8, HL_NOWAIT, &batch),
			 -EIO);
	grave.answer = 0;
	support_take(consumer, 2, 3);
	ck_assert_int_eq(grave.n, 1);
}
END_TEST

/* No message comes of waiting: who has no room now is asked again later. */
START_TEST(refusal_for_now_ends_a_take_that_would_wait)
{
	struct hl_consumer *consumer;
	struct hl_batch batch;

	begin((enum hl_group_kind)_i);
	ck_assert_int_eq(fail_once(1, &batch), 4);
	ck_assert_int_eq(fail_once(1, &batch), 4);
	consumer = join(1);
	grave.answer = -EAGAIN;
	ck_assert_int_eq(hl_consumer_take(consumer, 8, DEADLINE_NS, &batch),
			 -EAGAIN);
	grave.answer = 0;
	support_take(consumer, 2, 3);
	ck_assert_int_eq(grave.n, 1);
}
END_TEST

START_TEST(given_up_message_can_go_to_another_ring)
{
	struct hl_consumer_attr attr = HL_CONSUMER_ATTR_INIT;
	struct hl_ring *const dead = support_create(NULL);
	struct hl_consumer *consumer, *gravedigger;
	struct hl_batch batch;

	begin(HL_GROUP_SHARED);
	gravedigger = support_consume(dead, "d", HL_GROUP_EXCLUSIVE);
	ck_assert_int_eq(fail_once(1, &batch), 4);
	ck_assert_int_eq(fail_once(1, &batch), 4);
	attr.max_attempts = 1;
	attr.poison_producer = support_produce(dead);
	ck_assert_int_eq(hl_consumer_join(ring, &group, &attr, &consumer, NULL),
			 0);
	support_take(consumer, 2, 3);
	support_take(gravedigger, 1, 1);
}
END_TEST

START_TEST(limit_without_somebody_to_take_the_message_is_refused)
{
	struct hl_consumer_attr attr = HL_CONSUMER_ATTR_INIT;
	struct hl_consumer *consumer;

	begin(HL_GROUP_SHARED);
	attr.max_attempts = 1;
	ck_assert_int_eq(hl_consumer_join(ring, &group, &attr, &consumer, NULL),
			 -EINVAL);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		given_up_message_can_go_to_another_ring,
		limit_without_somebody_to_take_the_message_is_refused,
	};
	const TTest *const both[] = {
		message_comes_alone_from_the_second_redelivery_on,
		message_tried_too_often_is_given_up_and_the_rest_goes_on,
		given_up_messages_are_counted,
		message_that_its_handler_refuses_stays,
		refusal_for_now_ends_a_take_that_would_wait,
	};
	TCase *const tcase = support_begin("poison");
	size_t i;

	support_add(tcase, tests, COUNT_OF(tests));
	for (i = 0; i < COUNT_OF(both); i++)
		tcase_add_loop_test(tcase, both[i], HL_GROUP_EXCLUSIVE,
				    HL_GROUP_SHARED + 1);
	return support_end();
}
