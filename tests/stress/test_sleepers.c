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
 * the bound. What that hides is counted by the ring (bounds_found), and the
 * count has to be 0.
 *
 * tests/stress/mutants.sh shows that this can fail.
 */
#include "config.h"

#include <hotline/hotline.h>
#include <hotline/inspect.h>

#include <errno.h>
#include <sched.h>

#include "lib/atomic.h"
#include "lib/wait.h"
#include "tests/support/rings.h"

#define MESSAGES 10000
#define LONG_MESSAGES 1000000
#define SLEEPERS 3
#define POLLS_PER_CLOCK 64
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
		n += atomic_load(&helpers[i]->counts[0]);
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

static void expect_no_late_message(const char *ring)
{
	struct hl_ring_status status;
	struct hl_inspect *inspect;

	ck_assert_int_eq(hl_inspect_open(ring, 0, &inspect, NULL), 0);
	hl_inspect_ring(inspect, &status);
	hl_inspect_close(inspect);
	ck_assert_uint_eq(status.bounds_found, 0);
}

static void send_to_sleepers(bool wakers_fence)
{
	struct sleeper sleepers[SLEEPERS] = {
		{ .group = "one", .kind = HL_GROUP_EXCLUSIVE },
		{ .group = "all", .kind = HL_GROUP_SHARED },
		{ .group = "all", .kind = HL_GROUP_SHARED },
	};
	const uint64_t n = support_long() ? LONG_MESSAGES : MESSAGES;
	uint64_t random = support_seed(), i;
	struct helper *helpers[SLEEPERS];
	struct hl_producer *producer;
	struct hl_ring_info info;
	struct hl_ring *ring;

	ring = support_create(NULL);
	hl_ring_get_info(ring, &info);
	ck_assert_int_eq(info.wakers_fence, wakers_fence);
	for (i = 0; i < SLEEPERS; i++) {
		sleepers[i].ring = hl_ring_name(ring);
		helpers[i] = support_fork(sleep_for_messages, &sleepers[i]);
		support_await(helpers[i], 1);
	}
	producer = support_produce(ring);

	for (i = 1; i <= n; i++) {
		pause_at_random(&random);
		support_send(producer, i, 1);
		/* One for each group. */
		ck_assert_msg(all_have(helpers, 2 * i),
			      "message %ju did not wake everybody",
			      (uintmax_t)i);
	}

	ck_assert_int_eq(hl_producer_finish(producer), 0);
	for (i = 0; i < SLEEPERS; i++)
		support_join(helpers[i]);
	expect_no_late_message(hl_ring_name(ring));
	hl_producer_leave(producer);
	ck_assert_int_eq(hl_ring_close(ring), 0);
}

START_TEST(no_message_is_lost_on_sleepers_that_pay_for_the_barrier)
{
	if (!hli_membarrier_works())
		return;
	hli_sleep_bound_ns = INT64_MAX;
	send_to_sleepers(false);
}
END_TEST

START_TEST(no_message_is_lost_on_sleepers_without_membarrier)
{
	hli_sleep_bound_ns = INT64_MAX;
	hli_membarrier_off = true;
	send_to_sleepers(true);
}
END_TEST

START_TEST(no_bound_of_a_sleep_finds_a_message_when_nobody_dies)
{
	send_to_sleepers(!hli_membarrier_works());
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		no_message_is_lost_on_sleepers_that_pay_for_the_barrier,
		no_message_is_lost_on_sleepers_without_membarrier,
		no_bound_of_a_sleep_finds_a_message_when_nobody_dies,
	};
	TCase *tcase = support_begin("sleepers");

	support_add(tcase, tests, COUNT_OF(tests));
	return support_end();
}
