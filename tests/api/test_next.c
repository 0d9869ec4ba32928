/* SPDX-License-Identifier: MIT */
/*
 * test_next.c - messages one by one: hl_producer_send() and hl_consumer_next()
 */
#include "config.h"

#include <errno.h>
#include <hotline/admin.h>
#include <hotline/inspect.h>
#include <string.h>

#include "tests/support/rings.h"
#include "tests/support/support.h"

#define CAPACITY 16

static struct hl_ring *ring;
static struct hl_producer *producer;
static struct hl_consumer *consumer;

static void begin(const struct hl_ring_attr *wanted, enum hl_group_kind kind)
{
	struct hl_group_attr group = support_group("g", kind);
	struct hl_ring_attr attr = *wanted;

	group.durable = true;
	attr.capacity = CAPACITY;
	attr.groups = &group;
	attr.ngroups = 1;
	ring = support_create(&attr);
	consumer = support_consume(ring, "g", kind);
	producer = support_produce(ring);
}

/* The next message has that number. */
static void expect_next(struct hl_consumer *from, uint64_t number, ssize_t how)
{
	const void *message = NULL;

	ck_assert_int_eq(hl_consumer_next(from, HL_NOWAIT, &message), how);
	ck_assert(support_whole(message, sizeof(struct hl_message)));
	ck_assert_uint_eq(support_number(message), number);
}

static ssize_t next_fails(int64_t timeout_ns)
{
	const void *message;

	return hl_consumer_next(consumer, timeout_ns, &message);
}

static struct hl_group_status status_of_group(void)
{
	struct hl_inspect *inspect;
	struct hl_group_status group;

	ck_assert_int_eq(hl_inspect_open(hl_ring_name(ring), 0, &inspect, NULL),
			 0);
	ck_assert_int_eq(hl_inspect_group(inspect, 0, &group), 1);
	hl_inspect_close(inspect);
	return group;
}

/* Over many laps, in rings of all kinds; each is finished by the next call. */
static void laps(enum hl_producers producers, enum hl_group_kind kind,
		 uint64_t arena_bytes)
{
	struct hl_ring_attr attr = HL_RING_ATTR_INIT;

	attr.producers = producers;
	attr.arena_bytes = arena_bytes;
	begin(&attr, kind);
	for (uint64_t number = 1; number < 10 * CAPACITY; number += 3) {
		support_send(producer, number, 3);
		for (uint64_t k = 0; k < 3; k++)
			expect_next(consumer, number + k, 1);
		ck_assert_int_eq(next_fails(HL_NOWAIT), -EAGAIN);
	}
}

START_TEST(all_come_in_order)
{
	laps(HL_PRODUCERS_SHARED, HL_GROUP_EXCLUSIVE, 0);
	laps(HL_PRODUCERS_SOLE, HL_GROUP_EXCLUSIVE, 0);
	laps(HL_PRODUCERS_SHARED, HL_GROUP_SHARED, 0);
	laps(HL_PRODUCERS_SHARED, HL_GROUP_LOSSY, 0);
	laps(HL_PRODUCERS_SHARED, HL_GROUP_EXCLUSIVE, 1 << 16);
}
END_TEST

START_TEST(message_in_hand_is_kept_until_the_next_call)
{
	const struct hl_ring_attr attr = HL_RING_ATTR_INIT;
	struct hl_message m = { 0 };

	begin(&attr, HL_GROUP_EXCLUSIVE);
	support_send(producer, 1, CAPACITY);
	expect_next(consumer, 1, 1);
	ck_assert_int_eq(hl_producer_send(producer, &m, sizeof(m), HL_NOWAIT),
			 -EAGAIN);
	ck_assert_uint_eq(status_of_group().low, 1);
	expect_next(consumer, 2, 1);
	ck_assert_uint_eq(status_of_group().low, 2);
	support_send(producer, CAPACITY + 1, 1);
	ck_assert_uint_eq(status_of_group().messages, 1);
}
END_TEST

START_TEST(it_is_finished_also_when_there_is_no_next)
{
	const struct hl_ring_attr attr = HL_RING_ATTR_INIT;

	begin(&attr, HL_GROUP_EXCLUSIVE);
	support_send(producer, 1, 2);
	expect_next(consumer, 1, 1);
	expect_next(consumer, 2, 1);
	ck_assert_int_eq(next_fails(HL_NOWAIT), -EAGAIN);
	ck_assert_uint_eq(status_of_group().low, 3);
	ck_assert_int_eq(next_fails(1000), -ETIMEDOUT);
	ck_assert_int_eq(hl_consumer_done(consumer), -EINVAL);
	ck_assert_uint_eq(status_of_group().messages, 2);
	ck_assert_uint_eq(status_of_group().batches, 2);
	ck_assert_int_eq(hl_producer_finish(producer), 0);
	ck_assert_int_eq(next_fails(HL_FOREVER), -EPIPE);
}
END_TEST

START_TEST(call_that_is_wrong_finishes_nothing)
{
	const struct hl_ring_attr attr = HL_RING_ATTR_INIT;

	begin(&attr, HL_GROUP_EXCLUSIVE);
	support_send(producer, 1, 2);
	expect_next(consumer, 1, 1);
	ck_assert_int_eq(next_fails(HL_DROP), -EINVAL);
	ck_assert_uint_eq(status_of_group().low, 1);
	ck_assert_int_eq(hl_consumer_done(consumer), 0);
	ck_assert_uint_eq(status_of_group().low, 2);
	expect_next(consumer, 2, 1);
}
END_TEST

START_TEST(batches_and_single_messages_take_turns)
{
	const struct hl_ring_attr attr = HL_RING_ATTR_INIT;
	struct hl_batch batch;

	begin(&attr, HL_GROUP_EXCLUSIVE);
	support_send(producer, 1, 9);
	ck_assert_int_eq(hl_consumer_take(consumer, 5, HL_NOWAIT, &batch), 5);
	ck_assert_int_eq(hl_consumer_done_through(consumer, 2), 0);
	expect_next(consumer, 6, 1);
	ck_assert_uint_eq(status_of_group().low, 6);
	ck_assert_uint_eq(status_of_group().messages, 5);
	ck_assert_int_eq(hl_consumer_take(consumer, 5, HL_NOWAIT, &batch),
			 -EBUSY);
	ck_assert_int_eq(hl_consumer_done(consumer), 0);
	support_take(consumer, 7, 2);
	expect_next(consumer, 9, 1);
	ck_assert_uint_eq(status_of_group().messages, 8);
}
END_TEST

START_TEST(what_was_in_hand_comes_again_marked)
{
	const enum hl_group_kind kinds[] = { HL_GROUP_EXCLUSIVE,
					     HL_GROUP_SHARED };
	const struct hl_ring_attr attr = HL_RING_ATTR_INIT;

	for (size_t i = 0; i < COUNT_OF(kinds); i++) {
		begin(&attr, kinds[i]);
		support_send(producer, 1, 3);
		expect_next(consumer, 1, 1);
		expect_next(consumer, 2, 1);
		hl_consumer_leave(consumer);
		consumer = support_consume(ring, "g", kinds[i]);
		expect_next(consumer, 2, 2);
		expect_next(consumer, 3, 1);
		ck_assert_int_eq(next_fails(HL_NOWAIT), -EAGAIN);
		ck_assert_uint_eq(status_of_group().redelivered, 1);
	}
}
END_TEST

START_TEST(voids_are_passed)
{
	const struct hl_ring_attr attr = HL_RING_ATTR_INIT;
	struct hl_claim claim;

	begin(&attr, HL_GROUP_EXCLUSIVE);
	support_send(producer, 1, 1);
	expect_next(consumer, 1, 1);
	ck_assert_int_eq(hl_producer_claim(producer, 2, HL_NOWAIT, &claim), 2);
	ck_assert_int_eq(next_fails(HL_NOWAIT), -EAGAIN);
	ck_assert_int_eq(hl_producer_abandon(producer), 0);
	support_send(producer, 2, 2);
	expect_next(consumer, 2, 1);
	expect_next(consumer, 3, 1);
	ck_assert_uint_eq(status_of_group().voids, 2);
}
END_TEST

START_TEST(who_is_evicted_learns_of_it)
{
	struct hl_ring_attr attr = HL_RING_ATTR_INIT;

	attr.max_producers = 1; /* so consumers begin with number 1 */
	begin(&attr, HL_GROUP_EXCLUSIVE);
	support_send(producer, 1, 2);
	expect_next(consumer, 1, 1);
	ck_assert_int_eq(
		hl_participant_evict(ring, 1, HL_ANY_TENURE, false, NULL), 0);
	ck_assert_int_eq(next_fails(HL_NOWAIT), -EIDRM);
	hl_consumer_leave(consumer);
	consumer = support_consume(ring, "g", HL_GROUP_EXCLUSIVE);
	expect_next(consumer, 1, 2);
	ck_assert_int_eq(
		hl_participant_evict(ring, 0, HL_ANY_TENURE, false, NULL), 0);
	ck_assert_int_eq(hl_producer_send(producer, &(struct hl_message){ 0 },
					  sizeof(struct hl_message), HL_NOWAIT),
			 -EIDRM);
}
END_TEST

/* The ring's words of a message are the ring's, and payloads stay alive. */
START_TEST(message_that_is_sent_alone_has_no_payload)
{
	struct hl_ring_attr attr = HL_RING_ATTR_INIT;
	struct hl_payload_space space;
	const size_t bytes = 100;
	const void *message;
	struct hl_message m;

	attr.arena_bytes = 1 << 16;
	begin(&attr, HL_GROUP_EXCLUSIVE);
	for (uint64_t number = 1; number < 20 * CAPACITY; number++) {
		support_fill(&m, sizeof(m), number);
		m.sequence = UINT64_MAX;
		m.payload_offset = 12345;
		/* One that nobody names: it is given up with the send. */
		if (number % 3 == 0)
			ck_assert_int_eq(hl_payload_alloc(producer, &bytes, 1,
							  &space),
					 0);
		ck_assert_int_eq(hl_producer_send(producer, &m, sizeof(m),
						  HL_NOWAIT),
				 1);
		ck_assert_int_eq(
			hl_consumer_next(consumer, HL_NOWAIT, &message), 1);
		ck_assert_uint_eq(support_number(message), number);
		ck_assert_uint_eq(hl_message_sequence(message), number);
		ck_assert_uint_eq(hl_message_payload_offset(message), 0);
	}
}
END_TEST

START_TEST(payload_of_the_next_message_is_found)
{
	const struct iovec field = { .iov_base = (void *)(uintptr_t) "abc",
				     .iov_len = 3 };
	const enum hl_group_kind kinds[] = { HL_GROUP_EXCLUSIVE,
					     HL_GROUP_LOSSY };
	struct hl_ring_attr attr = HL_RING_ATTR_INIT;
	struct hl_payload payload;
	const void *message, *data;
	struct hl_message m;
	size_t bytes;

	attr.arena_bytes = 1 << 16;
	support_fill(&m, sizeof(m), 1);
	for (size_t i = 0; i < COUNT_OF(kinds); i++) {
		begin(&attr, kinds[i]);
		ck_assert_int_eq(hl_producer_sendv(producer, &m, sizeof(m),
						   &field, 1, HL_NOWAIT),
				 1);
		ck_assert_int_eq(
			hl_consumer_next(consumer, HL_NOWAIT, &message), 1);
		ck_assert_int_eq(hl_batch_payload(hl_consumer_batch(consumer),
						  message, &payload),
				 0);
		ck_assert_int_eq(hl_payload_field(&payload, 0, &data, &bytes),
				 0);
		ck_assert_uint_eq(bytes, 3);
		ck_assert_mem_eq(data, "abc", 3);
		ck_assert_int_eq((int)hl_batch_validate(
					 hl_consumer_batch(consumer), message),
				 HL_VALID);
	}
}
END_TEST

START_TEST(wrong_sends_are_refused)
{
	const struct hl_ring_attr attr = HL_RING_ATTR_INIT;
	struct hl_claim claim;
	struct hl_message m;

	begin(&attr, HL_GROUP_EXCLUSIVE);
	support_fill(&m, sizeof(m), 1);
	support_send(producer, 1, 2); /* now the next may go straight on */
	ck_assert_int_eq(hl_producer_send(producer, &m, sizeof(m), -5),
			 -EINVAL);
	ck_assert_int_eq(hl_producer_send(producer, &m, 32, HL_NOWAIT),
			 -EINVAL);
	ck_assert_int_eq(hl_producer_claim(producer, 1, HL_NOWAIT, &claim), 1);
	ck_assert_int_eq(hl_producer_send(producer, &m, sizeof(m), HL_NOWAIT),
			 -EBUSY);
	ck_assert_int_eq(hl_producer_abandon(producer), 0);
	support_take(consumer, 1, 2);
	ck_assert_int_eq(hl_producer_finish(producer), 0);
	ck_assert_int_eq(hl_producer_send(producer, &m, sizeof(m), HL_NOWAIT),
			 -EPIPE);
}
END_TEST

/* Whoever waits, or stays away: what is there is taken first. */
START_TEST(what_is_there_is_not_waited_for)
{
	const enum hl_group_kind kinds[] = { HL_GROUP_EXCLUSIVE,
					     HL_GROUP_SHARED };
	struct hl_ring_attr attr = HL_RING_ATTR_INIT;
	const void *message;

	attr.capacity = 1024;
	for (size_t i = 0; i < COUNT_OF(kinds); i++) {
		struct hl_group_attr group = support_group("g", kinds[i]);

		group.durable = true;
		attr.groups = &group;
		attr.ngroups = 1;
		ring = support_create(&attr);
		producer = support_produce(ring);
		support_send(producer, 1, 900);
		for (int again = 0; again < 2; again++) {
			consumer = support_consume(ring, "g", kinds[i]);
			for (int k = 0; k < 300; k++)
				ck_assert_int_gt(hl_consumer_next(consumer,
								  HL_FOREVER,
								  &message),
						 0);
			ck_assert_uint_eq(support_pace(consumer), 0);
			hl_consumer_leave(consumer); /* one comes again */
		}
	}
}
END_TEST

/* Looking ahead must not give up what nobody needs the room of. */
START_TEST(without_a_group_the_last_ones_are_kept)
{
	struct hl_ring_attr attr = HL_RING_ATTR_INIT;
	const uint32_t capacity = 64;

	attr.capacity = capacity;
	for (uint64_t n = 1; n < 3 * capacity; n++) {
		struct hl_group_attr group =
			support_group("late", HL_GROUP_EXCLUSIVE);
		uint64_t got = 0;

		ring = support_create(&attr);
		producer = support_produce(ring);
		support_send(producer, 1, n);
		group.start = HL_START_OLDEST;
		ck_assert_int_eq(hl_consumer_join(ring, &group, NULL, &consumer,
						  NULL),
				 0);
		for (const void *m;
		     hl_consumer_next(consumer, HL_NOWAIT, &m) > 0;)
			got++;
		ck_assert_uint_ge(got, n < capacity ? n : capacity / 8 * 7);
		hl_consumer_leave(consumer);
		hl_producer_leave(producer);
		hl_ring_close(ring);
	}
}
END_TEST

static void hold_it_up(struct helper *self)
{
	struct hl_ring *const mine = helper_open(self, self->arg);

	if (helper_consume(self, mine, "g", HL_GROUP_EXCLUSIVE))
		helper_step(self, 1);
	helper_pause();
}

/* However short its time is, it looks before it gives up. */
START_TEST(busy_sender_in_a_hurry_finds_the_dead)
{
	struct hl_producer_attr busy = HL_PRODUCER_ATTR_INIT;
	struct hl_ring_attr attr = HL_RING_ATTR_INIT;
	struct hl_message m = { 0 };
	struct helper *helper;
	int calls = 0;

	attr.capacity = CAPACITY;
	ring = support_create(&attr);
	busy.wait = HL_WAIT_BUSY;
	ck_assert_int_eq(hl_producer_join(ring, &busy, &producer, NULL), 0);
	helper =
		support_fork(hold_it_up, (void *)(uintptr_t)hl_ring_name(ring));
	support_await(helper, 1);
	support_fill_ring(producer);
	support_kill(helper);
	while (hl_producer_send(producer, &m, sizeof(m), 1000) != 1)
		ck_assert_int_lt(++calls, 100);
}
END_TEST

#define STREAM 20000

static void stream(struct helper *self)
{
	struct hl_ring *const mine = helper_open(self, self->arg);
	struct hl_producer *const out = helper_produce(self, mine);
	struct hl_message m;

	for (uint64_t number = 1; out && number <= STREAM; number++) {
		support_fill(&m, sizeof(m), number);
		if (!EXPECT(self, hl_producer_send(out, &m, sizeof(m),
						   HL_FOREVER) == 1))
			return;
	}
	hl_producer_leave(out);
}

/* In a ring that is large enough for a consumer to keep its distance. */
START_TEST(stream_is_read_whole)
{
	struct hl_ring_attr attr = HL_RING_ATTR_INIT;
	const void *message;
	struct helper *helper;

	attr.capacity = 1024;
	ring = support_create(&attr);
	consumer = support_consume(ring, "g", HL_GROUP_EXCLUSIVE);
	helper = support_fork(stream, (void *)(uintptr_t)hl_ring_name(ring));
	for (uint64_t number = 1; number <= STREAM; number++) {
		ck_assert_int_eq(
			hl_consumer_next(consumer, HL_FOREVER, &message), 1);
		ck_assert_uint_eq(support_number(message), number);
	}
	support_join(helper);
	ck_assert_int_eq(next_fails(HL_NOWAIT), -EAGAIN);
}
END_TEST

int main(void)
{
	TCase *const tcase = support_begin("next");
	const TTest *const tests[] = {
		all_come_in_order,
		message_in_hand_is_kept_until_the_next_call,
		it_is_finished_also_when_there_is_no_next,
		call_that_is_wrong_finishes_nothing,
		batches_and_single_messages_take_turns,
		what_was_in_hand_comes_again_marked,
		voids_are_passed,
		who_is_evicted_learns_of_it,
		message_that_is_sent_alone_has_no_payload,
		payload_of_the_next_message_is_found,
		wrong_sends_are_refused,
		what_is_there_is_not_waited_for,
		without_a_group_the_last_ones_are_kept,
		busy_sender_in_a_hurry_finds_the_dead,
		stream_is_read_whole,
	};

	support_add(tcase, tests, COUNT_OF(tests));
	return support_end();
}
