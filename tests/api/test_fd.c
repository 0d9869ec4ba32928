/* SPDX-License-Identifier: MIT */
/*
 * test_fd.c - the descriptor that polls readable while there is work
 *
 * known-faults row 28: level, edge and one-shot; the rule is to take with
 * HL_NOWAIT until there is nothing.
 */
#include "config.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "tests/support/rings.h"
#include "tests/support/support.h"

#define CAPACITY 16
#define MESSAGES 2000
#define MESSAGES_LONG 300000
#define DEADLINE_MS ((int)(DEADLINE_NS / MS_NS))

static struct hl_ring *new_ring(enum hl_group_kind kind)
{
	const struct hl_group_attr group = support_group("g", kind);
	struct hl_ring_attr attr = HL_RING_ATTR_INIT;

	attr.capacity = CAPACITY;
	attr.groups = &group;
	attr.ngroups = 1;
	return support_create(&attr);
}

static int readable(int fd, int timeout_ms)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, timeout_ms);
}

static int messages(void)
{
	return support_long() ? MESSAGES_LONG : MESSAGES;
}

/* Bursts of one to three, with pauses so that the consumer comes to rest. */
static void send_bursts(struct helper *self)
{
	struct hl_ring *ring = helper_open(self, self->arg);
	struct hl_producer *producer = helper_produce(self, ring);
	const uint64_t n = (uint64_t)messages();
	uint64_t state = 1;

	for (uint64_t i = 0; i < n;) {
		const uint64_t burst = 1 + support_random(&state) % 3;

		for (uint64_t j = 0; j < burst && i < n; j++, i++) {
			struct hl_message m;

			support_fill(&m, sizeof(m), i);
			EXPECT(self, hl_producer_send(producer, &m, sizeof(m),
						      DEADLINE_NS) == 1);
		}
		if (support_random(&state) % 8 == 0)
			support_poll(0);
	}
	EXPECT(self, hl_producer_leave(producer) == 0);
}

static struct helper *start_bursts(const struct hl_ring *ring)
{
	static char name[64];

	snprintf(name, sizeof(name), "%s", hl_ring_name(ring));
	return support_fork(send_bursts, name);
}

/* Take until there is nothing; returns how many. */
static uint64_t drain(struct hl_consumer *consumer, uint64_t next)
{
	struct hl_batch batch;
	uint64_t n = 0;
	ssize_t taken;

	while ((taken = hl_consumer_take(consumer, CAPACITY, HL_NOWAIT,
					 &batch)) > 0) {
		const void *m;

		while ((m = hl_batch_next(&batch)))
			ck_assert_uint_eq(support_number(m), next + n++);
		ck_assert_int_eq(hl_consumer_done(consumer), 0);
	}
	ck_assert_int_eq(taken, -EAGAIN);
	return n;
}

START_TEST(descriptor_is_readable_while_there_is_work)
{
	const enum hl_group_kind kind = (enum hl_group_kind)_i;
	struct hl_ring *ring = new_ring(kind);
	struct hl_consumer *consumer = support_consume(ring, "g", kind);
	struct hl_producer *producer = support_produce(ring);
	const int fd = hl_consumer_fd(consumer);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(hl_consumer_fd(consumer), fd);
	ck_assert_uint_eq(drain(consumer, 1), 0);
	for (uint64_t i = 1; i < 200; i++) {
		ck_assert_int_eq(readable(fd, 0), 0);
		support_send(producer, i, 1);
		ck_assert_int_eq(readable(fd, DEADLINE_MS), 1);
		ck_assert_uint_eq(drain(consumer, i), 1);
	}
	ck_assert_int_eq(hl_consumer_leave(consumer), 0);
}
END_TEST

START_TEST(descriptor_is_readable_for_what_was_there_before)
{
	struct hl_ring *ring = new_ring(HL_GROUP_EXCLUSIVE);
	struct hl_consumer *consumer;

	support_send(support_produce(ring), 1, 3);
	consumer = support_consume(ring, "g", HL_GROUP_EXCLUSIVE);
	ck_assert_int_eq(readable(hl_consumer_fd(consumer), DEADLINE_MS), 1);
	ck_assert_uint_eq(drain(consumer, 1), 3);
}
END_TEST

START_TEST(descriptor_is_readable_at_the_end)
{
	struct hl_ring *ring = new_ring(HL_GROUP_SHARED);
	struct hl_consumer *consumer =
		support_consume(ring, "g", HL_GROUP_SHARED);
	const int fd = hl_consumer_fd(consumer);
	struct hl_batch batch;

	ck_assert_uint_eq(drain(consumer, 1), 0);
	ck_assert_int_eq(hl_ring_finish(ring, NULL), 0);
	ck_assert_int_eq(readable(fd, DEADLINE_MS), 1);
	ck_assert_int_eq(hl_consumer_take(consumer, 1, HL_NOWAIT, &batch),
			 -EPIPE);
}
END_TEST

START_TEST(level_triggered_poll_never_stalls)
{
	struct hl_ring *ring = new_ring(HL_GROUP_EXCLUSIVE);
	struct hl_consumer *consumer =
		support_consume(ring, "g", HL_GROUP_EXCLUSIVE);
	const int fd = hl_consumer_fd(consumer);
	struct helper *producer = start_bursts(ring);
	const uint64_t n = (uint64_t)messages();
	uint64_t got = 0;

	while (got < n) {
		ck_assert_int_eq(readable(fd, DEADLINE_MS), 1);
		got += drain(consumer, got);
	}
	support_join(producer);
}
END_TEST

/* Receive all with epoll; events is how it is triggered. */
static void receive_by_epoll(enum hl_group_kind kind, uint32_t events)
{
	struct hl_ring *ring = new_ring(kind);
	struct hl_consumer *consumer = support_consume(ring, "g", kind);
	const int epoll = epoll_create1(EPOLL_CLOEXEC);
	const int fd = hl_consumer_fd(consumer);
	struct epoll_event event = { .events = events };
	const uint64_t n = (uint64_t)messages();
	struct helper *producer;
	uint64_t got = 0;

	ck_assert_int_eq(epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event), 0);
	producer = start_bursts(ring);
	while (got < n) {
		struct epoll_event ready;

		ck_assert_int_eq(epoll_wait(epoll, &ready, 1, DEADLINE_MS), 1);
		got += drain(consumer, got);
		if (events & EPOLLONESHOT)
			ck_assert_int_eq(
				epoll_ctl(epoll, EPOLL_CTL_MOD, fd, &event), 0);
	}
	support_join(producer);
	close(epoll);
	ck_assert_int_eq(hl_consumer_leave(consumer), 0);
}

START_TEST(level_triggered_epoll_never_stalls)
{
	receive_by_epoll(HL_GROUP_SHARED, EPOLLIN);
}
END_TEST

START_TEST(edge_triggered_epoll_never_stalls)
{
	receive_by_epoll(HL_GROUP_EXCLUSIVE, EPOLLIN | EPOLLET);
}
END_TEST

START_TEST(one_shot_epoll_never_stalls)
{
	receive_by_epoll(HL_GROUP_SHARED, EPOLLIN | EPOLLONESHOT);
}
END_TEST

START_TEST(members_of_a_group_share_the_work_by_poll)
{
	struct hl_ring *ring = new_ring(HL_GROUP_SHARED);
	struct hl_consumer *a = support_consume(ring, "g", HL_GROUP_SHARED);
	struct hl_consumer *b = support_consume(ring, "g", HL_GROUP_SHARED);
	struct pollfd p[2] = { { .events = POLLIN }, { .events = POLLIN } };
	struct helper *producer = start_bursts(ring);
	const uint64_t n = (uint64_t)messages();
	uint64_t got = 0;

	p[0].fd = hl_consumer_fd(a);
	p[1].fd = hl_consumer_fd(b);
	while (got < n) {
		ck_assert_int_gt(poll(p, 2, DEADLINE_MS), 0);
		if (p[0].revents)
			got += drain(a, got);
		if (p[1].revents)
			got += drain(b, got);
	}
	support_join(producer);
}
END_TEST

START_TEST(idle_consumer_with_a_descriptor_uses_no_processor)
{
	struct hl_ring *ring = new_ring(HL_GROUP_EXCLUSIVE);
	struct hl_consumer *consumer =
		support_consume(ring, "g", HL_GROUP_EXCLUSIVE);
	const int fd = hl_consumer_fd(consumer);
	int64_t before;

	ck_assert_uint_eq(drain(consumer, 1), 0);
	before = support_cpu_ns();
	ck_assert_int_eq(readable(fd, 500), 0);
	ck_assert_int_lt(support_cpu_ns() - before, 50 * MS_NS);
}
END_TEST

/* What a program may do wrong with it harms nobody but itself. */
START_TEST(descriptor_that_was_read_tells_again_after_the_next_take)
{
	struct hl_ring *ring = new_ring(HL_GROUP_SHARED);
	struct hl_consumer *consumer =
		support_consume(ring, "g", HL_GROUP_SHARED);
	struct hl_producer *producer = support_produce(ring);
	const int fd = hl_consumer_fd(consumer);
	uint64_t count;

	support_send(producer, 1, 1);
	ck_assert_int_eq(readable(fd, DEADLINE_MS), 1);
	ck_assert_int_eq(read(fd, &count, sizeof(count)), sizeof(count));
	ck_assert_int_eq(read(fd, &count, sizeof(count)), -1);
	ck_assert_int_eq(errno, EAGAIN); /* it never blocks */
	ck_assert_uint_eq(drain(consumer, 1), 1);
	support_send(producer, 2, 1);
	ck_assert_int_eq(readable(fd, DEADLINE_MS), 1);
	ck_assert_uint_eq(drain(consumer, 2), 1);
	ck_assert_int_eq(hl_consumer_leave(consumer), 0);
}
END_TEST

START_TEST(consumer_whose_descriptor_was_closed_goes_on_without_it)
{
	struct hl_ring *ring = new_ring(HL_GROUP_SHARED);
	struct hl_consumer *consumer =
		support_consume(ring, "g", HL_GROUP_SHARED);
	struct hl_producer *producer = support_produce(ring);
	const int fd = hl_consumer_fd(consumer);

	ck_assert_uint_eq(drain(consumer, 1), 0);
	ck_assert_int_eq(close(fd), 0);
	for (uint64_t i = 1; i < 50; i++) {
		support_send(producer, i, 1);
		ck_assert_uint_eq(drain(consumer, i), 1);
		ck_assert_uint_eq(drain(consumer, i), 0);
	}
	ck_assert_int_eq(hl_consumer_fd(consumer), fd);
	ck_assert_int_eq(hl_consumer_leave(consumer), 0);
}
END_TEST

/* With an edge there is no second chance. */
START_TEST(take_that_waited_in_vain_clears_the_descriptor)
{
	struct hl_ring *ring = new_ring(HL_GROUP_SHARED);
	struct hl_consumer *consumer =
		support_consume(ring, "g", HL_GROUP_SHARED);
	struct hl_producer *producer = support_produce(ring);
	const int fd = hl_consumer_fd(consumer);
	struct hl_batch batch;

	for (uint64_t i = 1; i < 10; i++) {
		support_send(producer, i, 1);
		ck_assert_int_eq(readable(fd, DEADLINE_MS), 1);
		support_take(consumer, i, 1);
		ck_assert_int_eq(hl_consumer_take(consumer, 1, 1, &batch),
				 -ETIMEDOUT);
		ck_assert_int_eq(readable(fd, 0), 0);
	}
	ck_assert_int_eq(hl_consumer_leave(consumer), 0);
}
END_TEST

struct poller {
	int fd, epoll;
	_Atomic uint64_t told;
	_Atomic bool stop;
};

static void poll_edges(struct helper *self)
{
	struct poller *const poller = self->arg;
	struct epoll_event event;

	while (!atomic_load(&poller->stop)) {
		const int n = epoll_wait(poller->epoll, &event, 1, 50);

		EXPECT(self, n >= 0);
		atomic_fetch_add(&poller->told, (uint64_t)(n > 0));
	}
}

START_TEST(thread_that_polls_is_told_while_another_takes)
{
	struct hl_ring *ring = new_ring(HL_GROUP_SHARED);
	struct hl_consumer *consumer =
		support_consume(ring, "g", HL_GROUP_SHARED);
	struct hl_producer *producer = support_produce(ring);
	struct poller poller = { .fd = hl_consumer_fd(consumer) };
	struct epoll_event event = { .events = EPOLLIN | EPOLLET };
	struct helper *helper;

	ck_assert_uint_eq(drain(consumer, 1), 0);
	poller.epoll = epoll_create1(EPOLL_CLOEXEC);
	ck_assert_int_eq(
		epoll_ctl(poller.epoll, EPOLL_CTL_ADD, poller.fd, &event), 0);
	helper = support_thread(poll_edges, &poller);
	for (uint64_t i = 1; i < 1000; i++) {
		const uint64_t before = atomic_load(&poller.told);
		const int64_t end = support_deadline();

		support_send(producer, i, 1);
		while (atomic_load(&poller.told) == before)
			ck_assert(support_poll(end));
		ck_assert_uint_eq(drain(consumer, i), 1);
	}
	atomic_store(&poller.stop, true);
	support_join(helper);
	ck_assert_int_eq(hl_consumer_leave(consumer), 0);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		descriptor_is_readable_for_what_was_there_before,
		descriptor_is_readable_at_the_end,
		level_triggered_poll_never_stalls,
		level_triggered_epoll_never_stalls,
		edge_triggered_epoll_never_stalls,
		one_shot_epoll_never_stalls,
		members_of_a_group_share_the_work_by_poll,
		idle_consumer_with_a_descriptor_uses_no_processor,
		descriptor_that_was_read_tells_again_after_the_next_take,
		consumer_whose_descriptor_was_closed_goes_on_without_it,
		take_that_waited_in_vain_clears_the_descriptor,
		thread_that_polls_is_told_while_another_takes,
	};
	TCase *tcase = support_begin("fd");

	support_add(tcase, tests, COUNT_OF(tests));
	tcase_add_loop_test(tcase, descriptor_is_readable_while_there_is_work,
			    HL_GROUP_EXCLUSIVE, HL_GROUP_LOSSY + 1);
	return support_end();
}
