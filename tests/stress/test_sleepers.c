/* SPDX-License-Identifier: MIT */
/*
 * test_sleepers.c - no message is lost on who goes to sleep for it
 *
 * One message at a time, to consumers that sleep or are about to: the next one
 * is sent a random moment after all have the last, so that it meets them at
 * each step on their way to sleep. The bound of sleeps is off, so a wake that
 * is lost is never made good: the watchdog below finds that nobody goes on.
 *
 * Who finds a position claimed but not yet published sleeps shortly, whatever
 * the bound. What that hides is counted by the ring (bounds_found). So is a
 * wake that is only late: the producer was preempted while it woke another
 * group, and meanwhile this one's short sleep ran out, and it went to sleep
 * again. That is rare; with one group alone there is no such moment.
 *
 * HOTLINE_MESSAGES=n sends as many. tests/stress/mutants.sh shows that this can
 * fail.
 */
#include "config.h"

#include <hotline/hotline.h>
#include <hotline/inspect.h>

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/atomic.h"
#include "lib/wait.h"
#include "tests/support/rings.h"

#define MESSAGES 10000
#define LONG_MESSAGES 1000000
#define SLEEPERS 3
#define POLLS_PER_CLOCK 64
#define LATE_WAKES(n) (2 + (n) / 100000)
#define LONGEST_DELAY_LOG2 13 /* of pauses: somewhat longer than to sleep */

struct sleeper {
	const char *ring, *group;
	enum hl_group_kind kind;
};

/* Count what comes: each number above the one before. */
static void sleep_for_messages(struct helper *self)
{
	const struct sleeper *const s = (const struct sleeper *)self->arg;
	struct hl_group_attr group = support_group(s->group, s->kind);
	struct hl_consumer_attr attr = HL_CONSUMER_ATTR_INIT;
	struct hl_ring *const ring = helper_open(self, s->ring);
	struct hl_consumer *consumer;
	struct hl_batch batch;
	uint64_t last = 0;
	const void *m;
	ssize_t got;

	attr.spin_ns = 1;
	if (!ring || !EXPECT(self, hl_consumer_join(ring, &group, &attr,
						    &consumer, NULL) == 0))
		return;
	helper_step(self, 1);
	while ((got = hl_consumer_take(consumer, 1, HL_FOREVER, &batch)) > 0) {
		while ((m = hl_batch_next(&batch))) {
			EXPECT(self, support_number(m) > last);
			last = support_number(m);
		}
		EXPECT(self, hl_consumer_done(consumer) == 0);
		atomic_fetch_add(&self->counts[0], 1);
	}
	EXPECT(self, got == -EPIPE);
	hl_consumer_leave(consumer);
	hl_ring_close(ring);
}

static uint64_t received(struct helper *const *helpers)
{
	uint64_t n = 0;

	for (int i = 0; i < SLEEPERS; i++)
		n += helpers[i] ? atomic_load(&helpers[i]->counts[0]) : 0;
	return n;
}

/* The watchdog: false when they do not all have it in time. */
static bool all_have(struct helper *const *helpers, uint64_t n)
{
	const int64_t end = support_deadline();

	for (;;) {
		for (int i = 0; i < POLLS_PER_CLOCK; i++) {
			if (received(helpers) == n)
				return true;
			sched_yield();
		}
		if (received(helpers) != n && !support_poll(end))
			return false;
	}
}

static void pause_at_random(uint64_t *random)
{
	const uint64_t bits = support_random(random) % LONGEST_DELAY_LOG2;
	uint64_t n = support_random(random) & ((UINT64_C(1) << bits) - 1);

	while (n--)
		hli_pause();
}

static uint64_t bounds_found(const char *ring)
{
	struct hl_ring_status status;
	struct hl_inspect *inspect;

	ck_assert_int_eq(hl_inspect_open(ring, 0, &inspect, NULL), 0);
	hl_inspect_ring(inspect, &status);
	hl_inspect_close(inspect);
	return status.bounds_found;
}

/* Returns how many sleeps ran out and found a message. */
static uint64_t send_to_sleepers(bool wakers_fence, int nsleepers, uint64_t n)
{
	struct sleeper sleepers[SLEEPERS] = {
		{ .group = "one", .kind = HL_GROUP_EXCLUSIVE },
		{ .group = "all", .kind = HL_GROUP_SHARED },
		{ .group = "all", .kind = HL_GROUP_SHARED },
	};
	const int ngroups = nsleepers > 1 ? 2 : 1;
	struct helper *helpers[SLEEPERS] = { 0 };
	uint64_t random = support_seed(), found;
	struct hl_producer *producer;
	struct hl_ring_info info;
	struct hl_ring *ring;

	ring = support_create(NULL);
	hl_ring_get_info(ring, &info);
	ck_assert_int_eq(info.wakers_fence, wakers_fence);
	for (int i = 0; i < nsleepers; i++) {
		sleepers[i].ring = hl_ring_name(ring);
		helpers[i] = support_fork(sleep_for_messages, &sleepers[i]);
		support_await(helpers[i], 1);
	}
	producer = support_produce(ring);
	for (uint64_t i = 1; i <= n; i++) {
		pause_at_random(&random);
		support_send(producer, i, 1);
		ck_assert_msg(all_have(helpers, i * (uint64_t)ngroups),
			      "message %ju did not wake everybody",
			      (uintmax_t)i);
	}
	ck_assert_int_eq(hl_producer_finish(producer), 0);
	for (int i = 0; i < nsleepers; i++)
		support_join(helpers[i]);
	found = bounds_found(hl_ring_name(ring));
	hl_producer_leave(producer);
	ck_assert_int_eq(hl_ring_close(ring), 0);
	fprintf(stderr,
		"# %ju messages to %d sleepers of %d groups, %s: %ju sleeps ran out and found one\n",
		(uintmax_t)n, nsleepers, ngroups,
		wakers_fence ? "wakers fence" : "sleepers pay",
		(uintmax_t)found);
	return found;
}

static uint64_t messages(void)
{
	const char *const given = getenv("HOTLINE_MESSAGES");

	if (given)
		return strtoull(given, NULL, 0);
	return support_long() ? LONG_MESSAGES : MESSAGES;
}

START_TEST(no_message_is_lost_on_sleepers_that_pay_for_the_barrier)
{
	const uint64_t n = messages();

	if (!hli_membarrier_works())
		return;
	hli_sleep_bound_ns = INT64_MAX;
	ck_assert_uint_le(send_to_sleepers(false, SLEEPERS, n), LATE_WAKES(n));
}
END_TEST

START_TEST(no_message_is_lost_on_sleepers_without_membarrier)
{
	const uint64_t n = messages();

	hli_sleep_bound_ns = INT64_MAX;
	hli_membarrier_off = true;
	ck_assert_uint_le(send_to_sleepers(true, SLEEPERS, n), LATE_WAKES(n));
}
END_TEST

START_TEST(no_bound_of_a_sleep_finds_a_message_when_nobody_dies)
{
	const bool wakers_fence = !hli_membarrier_works();

	ck_assert_uint_eq(send_to_sleepers(wakers_fence, 1, messages()), 0);
}
END_TEST

START_TEST(no_bound_of_a_sleep_finds_a_message_with_two_groups)
{
	const uint64_t n = messages();
	const bool wakers_fence = !hli_membarrier_works();

	ck_assert_uint_le(send_to_sleepers(wakers_fence, SLEEPERS, n),
			  LATE_WAKES(n));
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		no_message_is_lost_on_sleepers_that_pay_for_the_barrier,
		no_message_is_lost_on_sleepers_without_membarrier,
		no_bound_of_a_sleep_finds_a_message_when_nobody_dies,
		no_bound_of_a_sleep_finds_a_message_with_two_groups,
	};
	TCase *tcase = support_begin("sleepers");

	support_add(tcase, tests, COUNT_OF(tests));
	return support_end();
}
