/* SPDX-License-Identifier: MIT */
/*
 * test_crowded.c - who waits yields at once where others need the core
 *
 * sched_yield() is the test's own here: it lets time pass, as if others had run,
 * or it returns at once.
 */
#include "config.h"

#include "lib/wait.h"

#include <errno.h>
#include <sched.h>

#include "core_ring.h"
#include "lib/clock.h"
#include "tests/support/support.h"

#define OTHERS_NS 20000

static struct core_ring ring;
static struct hli_wait waiter;
static int64_t others_ns = OTHERS_NS; /* that others run in a yield */
static bool crowd;		      /* there are others */
static int looks;		      /* of this wait */
static int yields;		      /* the same */
static int looks_first;		      /* before the first yield */
static int yields_wanted;
static bool cancels; /* somebody does, in a yield */

int sched_yield(void)
{
	const int64_t end = hli_now_ns() + others_ns;

	if (yields++ == 0)
		looks_first = looks;
	if (cancels)
		hli_wait_cancel(&waiter);
	while (crowd && hli_now_ns() < end)
		;
	return 0;
}

static bool ready(void *self, bool fresh)
{
	(void)self;
	(void)fresh;
	looks++;
	return yields == yields_wanted;
}

static int look(void *self)
{
	(void)self;
	return 0;
}

static bool held_back(void *self)
{
	(void)self;
	return false;
}

static const struct hli_wait_ops ops = { ready, look, held_back };

/* Wait for what is there after so many yields. */
static void wait_for(int n)
{
	looks = looks_first = yields = 0;
	yields_wanted = n;
	ck_assert_int_eq(hli_wait_until(&waiter, &ops, NULL, INT64_MAX), 0);
	ck_assert_int_eq(yields, n);
}

/* Wait for what does not come: what the wait returned. */
static int wait_in_vain(int64_t ns)
{
	yields_wanted = -1;
	yields = 0;
	return hli_wait_until(&waiter, &ops, NULL, hli_now_ns() + ns);
}

static void begin(void)
{
	const struct hl_ring_attr attr = core_ring_attr();

	core_ring_init(&ring, &attr);
	waiter = (struct hli_wait){
		.view = &ring.view,
		.record = &ring.view.records[0],
		.count = &ring.view.header->wake,
		.bit = HLI_SLEEPERS_PRODUCERS,
		.spin_ns = 5000,
	};
}

START_TEST(who_is_alone_spins_first)
{
	begin();
	wait_for(1);
	ck_assert_int_ge(looks_first, 32);
	core_ring_fini(&ring);
}
END_TEST

START_TEST(who_is_not_yields_at_once_from_then_on)
{
	begin();
	crowd = true;
	wait_for(1);
	ck_assert_int_ge(looks_first, 32);
	for (int i = 0; i < 5; i++) {
		wait_for(1);
		ck_assert_int_eq(looks_first, 1);
	}
	core_ring_fini(&ring);
}
END_TEST

/* A sleep costs more than to let them run once more. */
START_TEST(who_is_not_yields_more_often_before_a_sleep)
{
	begin();
	crowd = true;
	wait_for(1);
	wait_for(16);
	ck_assert_uint_eq(waiter.record->waits, 0);
	core_ring_fini(&ring);
}
END_TEST

START_TEST(who_is_alone_again_spins_again)
{
	int64_t end = support_deadline();

	begin();
	crowd = true;
	wait_for(1);
	crowd = false;
	/* Others may have run all the same. */
	do {
		wait_for(1);
		ck_assert(support_poll(end));
	} while (waiter.crowded);
	wait_for(1);
	ck_assert_int_ge(looks_first, 32);
	core_ring_fini(&ring);
}
END_TEST

START_TEST(time_limit_is_seen_between_yields)
{
	begin();
	crowd = true;
	wait_for(1);
	ck_assert_int_eq(wait_in_vain(OTHERS_NS), -ETIMEDOUT);
	ck_assert_int_le(yields, 2);
	core_ring_fini(&ring);
}
END_TEST

START_TEST(cancelling_is_seen_between_yields)
{
	begin();
	crowd = true;
	wait_for(1);
	cancels = true;
	ck_assert_int_eq(wait_in_vain(DEADLINE_NS), -ECANCELED);
	ck_assert_int_eq(yields, 1);
	core_ring_fini(&ring);
}
END_TEST

/* Who runs so long is no member that yields in turn. */
START_TEST(who_yielded_for_long_sleeps)
{
	begin();
	crowd = true;
	wait_for(1);
	others_ns = 2 * MS_NS;
	ck_assert_int_eq(wait_in_vain(200 * MS_NS), -ETIMEDOUT);
	ck_assert_int_eq(yields, 1);
	ck_assert_uint_ge(waiter.record->waits, 1);
	core_ring_fini(&ring);
}
END_TEST

START_TEST(who_would_sleep_at_once_yields_once)
{
	begin();
	crowd = true;
	wait_for(1);
	waiter.spin_ns = 1;
	ck_assert_int_eq(wait_in_vain(200 * MS_NS), -ETIMEDOUT);
	ck_assert_int_eq(yields, 1);
	core_ring_fini(&ring);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		who_is_alone_spins_first,
		who_is_not_yields_at_once_from_then_on,
		who_is_not_yields_more_often_before_a_sleep,
		who_is_alone_again_spins_again,
		time_limit_is_seen_between_yields,
		cancelling_is_seen_between_yields,
		who_yielded_for_long_sleeps,
		who_would_sleep_at_once_yields_once,
	};
	TCase *const tcase = support_begin("crowded");

	support_add(tcase, tests, COUNT_OF(tests));
	return support_end();
}
