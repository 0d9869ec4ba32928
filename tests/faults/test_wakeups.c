/* SPDX-License-Identifier: MIT */
/*
 * test_wakeups.c - stray wake-ups, lost ones, signals, and clocks that jump
 *
 * known-faults rows 29 to 32 and 34. clock_gettime() is one of this file's own:
 * it moves the wall clock, and no other.
 */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "lib/handle.h"
#include "tests/support/rings.h"

#define CAPACITY 16
#define TIMED_NS (200 * MS_NS)
#define LATE_NS (2 * SECOND_NS) /* a busy machine may be that late */
#define MESSAGES 20000
#define LONG_MESSAGES 2000000
#define HOUR_NS (3600 * SECOND_NS)

static char name[64];
static struct hl_ring *ring;
static struct hl_producer *producer;
static struct hl_consumer *consumer;
static _Atomic int64_t wall_offset_ns;

int clock_gettime(clockid_t clock, struct timespec *ts)
{
	const int64_t offset = atomic_load(&wall_offset_ns);
	const int ret = (int)syscall(SYS_clock_gettime, clock, ts);

	if (clock == CLOCK_REALTIME)
		ts->tv_sec += offset / SECOND_NS;
	return ret;
}

static int64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * SECOND_NS + ts.tv_nsec;
}

static void set_up(void)
{
	struct hl_ring_attr attr = HL_RING_ATTR_INIT;

	attr.capacity = CAPACITY;
	ring = support_create(&attr);
	snprintf(name, sizeof(name), "%s", hl_ring_name(ring));
	producer = support_produce(ring);
	consumer = support_consume(ring, "g", HL_GROUP_EXCLUSIVE);
}

static _Atomic uint32_t *wake_count(void)
{
	return &ring->view.groups[consumer->member.group].wake;
}

static void do_nothing(int signal)
{
	(void)signal;
}

/* Without SA_RESTART. */
static void catch_signals(void)
{
	const struct sigaction action = { .sa_handler = do_nothing };

	ck_assert_int_eq(sigaction(SIGUSR1, &action, NULL), 0);
}

/* Wake whoever sleeps on the ring's words, and send signals, without end. */
static void disturb(struct helper *self)
{
	const pid_t pid = *(const pid_t *)self->arg;
	const struct timespec pause = { .tv_nsec = 100000 };

	helper_step(self, 1);
	while (!atomic_load(&self->go)) {
		syscall(SYS_futex, wake_count(), FUTEX_WAKE, INT_MAX, NULL,
			NULL, 0);
		syscall(SYS_futex, &ring->view.header->wake, FUTEX_WAKE,
			INT_MAX, NULL, NULL, 0);
		(void)kill(pid, SIGUSR1);
		nanosleep(&pause, NULL); /* 10,000 a second at most */
	}
}

static void expect_timed(int64_t timeout_ns)
{
	const int64_t begin = now_ns();
	struct hl_batch batch;
	int64_t took;

	ck_assert_int_eq(hl_consumer_take(consumer, 1, timeout_ns, &batch),
			 -ETIMEDOUT);
	took = now_ns() - begin;
	ck_assert_int_ge(took, timeout_ns);
	ck_assert_int_lt(took, timeout_ns + LATE_NS);
}

/* Row 29 */
START_TEST(stray_wake_ups_do_not_end_a_timed_wait)
{
	struct helper *helper;
	pid_t self = getpid();

	set_up();
	catch_signals();
	helper = support_fork(disturb, &self);
	support_await(helper, 1);
	expect_timed(TIMED_NS);
	support_send(producer, 1, 3);
	support_take(consumer, 1, 3);
	expect_timed(20 * MS_NS);
	signal(SIGUSR1, SIG_IGN);
	support_go(helper, 1);
	support_join(helper);
}
END_TEST

static void send_when_told(struct helper *self)
{
	struct hl_ring *const mine = helper_open(self, name);
	struct hl_producer *const theirs = helper_produce(self, mine);
	struct hli_header *const header = mine->view.header;
	const int64_t end = support_deadline();
	struct hl_message m;

	while (!atomic_load(&header->sleepers) && support_poll(end))
		continue;
	/* As a waker that is killed after it has cleared the bits. */
	atomic_store(&header->sleepers, 0);
	support_fill(&m, sizeof(m), 1);
	EXPECT(self, hl_producer_send(theirs, &m, sizeof(m), HL_NOWAIT) == 1);
}

/* Row 30 */
START_TEST(message_whose_wake_up_was_lost_is_found_after_the_bound)
{
	struct helper *helper;
	int64_t begin;

	set_up();
	helper = support_fork(send_when_told, name);
	begin = now_ns();
	support_take(consumer, 1, 1);
	ck_assert_int_lt(now_ns() - begin, DEADLINE_NS);
	support_join(helper);
}
END_TEST

static jmp_buf out;

static void handle(const void *message)
{
	if (support_number(message) == 7)
		longjmp(out, 1);
}

/* Row 30: a callback of the application that does not return. */
START_TEST(batch_that_was_left_by_a_jump_is_finished_where_it_stands)
{
	static struct hl_batch batch;
	const void *m;

	set_up();
	support_send(producer, 1, 10);
	ck_assert_int_eq(hl_consumer_take(consumer, 10, HL_NOWAIT, &batch), 10);
	if (setjmp(out) == 0) {
		while ((m = hl_batch_next(&batch)))
			handle(m);
		ck_abort_msg("the seventh message did not come");
	}
	ck_assert_int_eq(hl_consumer_done_through(
				 consumer, hl_batch_position(&batch) - 1),
			 0);
	support_send(producer, 11, 12); /* there is room for what was done */
	ck_assert_int_eq(hl_consumer_leave(consumer), 0);
	consumer = support_consume(ring, "h", HL_GROUP_EXCLUSIVE);
	support_take(consumer, 7, 16);
}
END_TEST

/* Row 31 */
START_TEST(descriptor_whose_counter_is_full_still_tells_of_messages)
{
	const uint64_t most = UINT64_MAX - 1;
	struct hl_batch batch;
	struct pollfd fd = { .events = POLLIN };
	int i;

	set_up();
	fd.fd = hl_consumer_fd(consumer);
	ck_assert_int_ge(fd.fd, 0);
	for (i = 1; i <= 3; i++) {
		ck_assert_int_eq(hl_consumer_take(consumer, 1, HL_NOWAIT,
						  &batch),
				 -EAGAIN);
		if (write(fd.fd, &most, sizeof(most)) < 0)
			ck_assert_int_eq(errno, EAGAIN); /* full already */
		support_send(producer, (uint64_t)i, 1);
		ck_assert_int_eq(poll(&fd, 1, 20000), 1);
		support_take(consumer, (uint64_t)i, 1);
	}
}
END_TEST

static void send_all(struct helper *self)
{
	const uint64_t n = support_long() ? LONG_MESSAGES : MESSAGES;
	struct hl_ring *const mine = helper_open(self, name);
	struct hl_producer *const theirs = helper_produce(self, mine);
	struct hl_message m;
	uint64_t i;

	helper_step(self, 1);
	helper_await(self, 1);
	for (i = 1; i <= n; i++) {
		support_fill(&m, sizeof(m), i);
		if (!EXPECT(self, hl_producer_send(theirs, &m, sizeof(m),
						   DEADLINE_NS) == 1))
			return;
	}
	hl_producer_leave(theirs);
}

/* Row 32 */
START_TEST(storm_of_signals_loses_and_tears_nothing)
{
	const uint64_t n = support_long() ? LONG_MESSAGES : MESSAGES;
	struct helper *sender, *storms[2];
	pid_t pids[2] = { getpid(), 0 };
	int i;

	set_up();
	catch_signals();
	sender = support_fork(send_all, name);
	pids[1] = sender->pid;
	support_await(sender, 1);
	for (i = 0; i < 2; i++) {
		storms[i] = support_fork(disturb, &pids[i]);
		support_await(storms[i], 1);
	}
	support_go(sender, 1);
	support_take(consumer, 1, n);
	expect_timed(10 * MS_NS);
	signal(SIGUSR1, SIG_IGN);
	for (i = 0; i < 2; i++) {
		support_go(storms[i], 1);
		support_join(storms[i]);
	}
	support_join(sender);
}
END_TEST

static void jump(struct helper *self)
{
	static const int64_t hours[] = { 1, -1, 87600, -87600, 0 };
	const struct timespec pause = { .tv_nsec = 5000000 };
	size_t i;

	for (i = 0; !atomic_load(&self->go); i++) {
		atomic_store(&wall_offset_ns,
			     hours[i % COUNT_OF(hours)] * HOUR_NS);
		nanosleep(&pause, NULL); /* how often it jumps */
		helper_step(self, (int)i);
	}
	atomic_store(&wall_offset_ns, 0);
}

/* Row 34 */
START_TEST(wall_clock_that_jumps_changes_no_wait_and_kills_nobody)
{
	struct helper *clock;
	struct hl_consumer *other;

	set_up();
	clock = support_thread(jump, NULL);
	support_await(clock, 1);
	expect_timed(TIMED_NS);
	expect_timed(TIMED_NS);
	/* A join looks for the dead. */
	other = support_consume(ring, "h", HL_GROUP_SHARED);
	support_send(producer, 1, 2);
	support_take(other, 1, 2);
	support_take(consumer, 1, 2);
	ck_assert_uint_eq(atomic_load(&ring->view.header->reaped), 0);
	support_go(clock, 1);
	support_join(clock);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		stray_wake_ups_do_not_end_a_timed_wait,
		message_whose_wake_up_was_lost_is_found_after_the_bound,
		batch_that_was_left_by_a_jump_is_finished_where_it_stands,
		descriptor_whose_counter_is_full_still_tells_of_messages,
		storm_of_signals_loses_and_tears_nothing,
		wall_clock_that_jumps_changes_no_wait_and_kills_nobody,
	};

	support_add(support_begin("wakeups"), tests, COUNT_OF(tests));
	return support_end();
}
