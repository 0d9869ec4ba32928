/* SPDX-License-Identifier: MIT */
/*
 * test_router_dead.c - the router alone: what is not handled, and the counters
 */
#include "config.h"

#include <hotline/router.h>

#include <errno.h>
#include <stdio.h>

#include "tests/support/support.h"

#include "fake_batch.h"

/* What has come to a handler. */
struct seen {
	_Atomic uint64_t calls;
	const struct hl_message *last;
	enum hl_reason reason;
	int error;
	int answer; /* what the handler returns */
};

static struct hl_router *router;

static int handle(const struct hl_batch *batch, const void *message, void *user)
{
	struct seen *seen = (struct seen *)user;

	(void)batch;
	atomic_fetch_add(&seen->calls, 1);
	seen->last = (const struct hl_message *)message;
	return seen->answer;
}

static int bury(const struct hl_batch *batch, const void *message,
		enum hl_reason reason, int error, void *user)
{
	struct seen *seen = (struct seen *)user;

	(void)batch;
	atomic_fetch_add(&seen->calls, 1);
	seen->last = (const struct hl_message *)message;
	seen->reason = reason;
	seen->error = error;
	return seen->answer;
}

static void set_up(void)
{
	ck_assert_int_eq(hl_router_create(&router), 0);
}

static void tear_down(void)
{
	hl_router_destroy(router);
}

static struct hl_router_stats stats_now(void)
{
	struct hl_router_stats stats;

	hl_router_get_stats(router, &stats);
	return stats;
}

static void find_stats(const struct hl_route_stats *route, void *user)
{
	struct hl_route_stats *wanted = (struct hl_route_stats *)user;

	if (route->type == wanted->type)
		*wanted = *route;
}

/* Of the one route with a type. */
static struct hl_route_stats route_stats(uint32_t type)
{
	struct hl_route_stats stats = { .type = type };

	hl_router_each(router, find_stats, &stats);
	return stats;
}

START_TEST(invalid_message_is_dead_by_its_verdict)
{
	struct seen seen = { 0 }, dead = { 0 };
	struct fake fake;

	hl_router_set_dead_letter(router, bury, &dead);
	ck_assert_int_eq(hl_router_add(router, 7, "bank", handle, &seen), 0);
	for (uint32_t verdict = HL_BAD_MAGIC; verdict <= HL_BAD_PAYLOAD;
	     verdict++) {
		fake_init(&fake);
		fake_add(&fake, 7, "bank")->checksum = verdict;
		ck_assert_int_eq(hl_router_run(router, &fake.batch), 1);
		ck_assert_uint_eq(dead.reason, verdict);
		ck_assert_int_eq(dead.error, -EBADMSG);
		ck_assert_uint_eq(stats_now().dead[verdict], 1);
	}
	ck_assert_uint_eq(seen.calls, 0);
}
END_TEST

START_TEST(unknown_message_is_dead_without_a_route)
{
	struct seen dead = { 0 };
	struct fake fake;
	struct hl_message *m;

	fake_init(&fake);
	m = fake_add(&fake, 7, "bank");
	hl_router_set_dead_letter(router, bury, &dead);
	ck_assert_int_eq(hl_router_run(router, &fake.batch), 1);
	ck_assert_ptr_eq(dead.last, m);
	ck_assert_int_eq(dead.reason, HL_REASON_NO_ROUTE);
	ck_assert_int_eq(dead.error, -ENOENT);
	ck_assert_uint_eq(stats_now().dead[HL_REASON_NO_ROUTE], 1);
	ck_assert_uint_eq(stats_now().messages, 0);
}
END_TEST

START_TEST(message_is_dead_when_its_handler_fails)
{
	struct seen seen = { .answer = -EDOM }, dead = { 0 };
	struct fake fake;

	fake_init(&fake);
	fake_add(&fake, 7, "bank");
	hl_router_set_dead_letter(router, bury, &dead);
	ck_assert_int_eq(hl_router_add(router, 7, "bank", handle, &seen), 0);
	ck_assert_int_eq(hl_router_run(router, &fake.batch), 1);
	ck_assert_int_eq(dead.reason, HL_REASON_HANDLER);
	ck_assert_int_eq(dead.error, -EDOM);
	ck_assert_uint_eq(stats_now().dead[HL_REASON_HANDLER], 1);
	ck_assert_uint_eq(route_stats(7).errors, 1);
	ck_assert_uint_eq(route_stats(7).messages, 0);
}
END_TEST

START_TEST(message_is_dead_when_the_other_ring_fails)
{
	struct hl_producer *producer =
		(struct hl_producer *)(void *)&forward_answer;
	struct seen dead = { 0 };
	struct fake fake;

	fake_init(&fake);
	fake_add(&fake, 7, "bank");
	forward_answer = -EAGAIN;
	hl_router_set_dead_letter(router, bury, &dead);
	ck_assert_int_eq(
		hl_router_add_ring(router, 7, "bank", producer, HL_NOWAIT), 0);
	ck_assert_int_eq(hl_router_run(router, &fake.batch), 1);
	ck_assert_int_eq(dead.reason, HL_REASON_FORWARD);
	ck_assert_int_eq(dead.error, -EAGAIN);
	ck_assert_uint_eq(route_stats(7).errors, 1);
}
END_TEST

START_TEST(forwarded_and_dropped_messages_are_handled)
{
	struct hl_producer *producer =
		(struct hl_producer *)(void *)&forward_answer;
	struct fake fake;

	ck_assert_int_eq(
		hl_router_add_ring(router, 7, "bank", producer, HL_DROP), 0);
	for (int answer = 0; answer <= 1; answer++) {
		fake_init(&fake);
		fake_add(&fake, 7, "bank");
		forward_answer = answer;
		ck_assert_int_eq(hl_router_run(router, &fake.batch), 1);
	}
	ck_assert_uint_eq(route_stats(7).messages, 2);
}
END_TEST

START_TEST(walk_stops_before_a_dead_message_that_nobody_takes)
{
	struct seen seen = { 0 };
	struct fake fake;
	struct hl_message *unknown;

	fake_init(&fake);
	fake_add(&fake, 7, "bank");
	unknown = fake_add(&fake, 8, "bank");
	fake_add(&fake, 7, "bank");
	ck_assert_int_eq(hl_router_add(router, 7, "bank", handle, &seen), 0);
	ck_assert_int_eq(hl_router_run(router, &fake.batch), -ENOMSG);
	ck_assert_uint_eq(seen.calls, 1);
	ck_assert_uint_eq(stats_now().messages, 1);
	ck_assert_uint_eq(hl_batch_position(&fake.batch), 1);
	ck_assert_ptr_eq(hl_batch_next(&fake.batch), unknown);
}
END_TEST

START_TEST(dead_letter_handler_can_stop_the_walk)
{
	struct seen dead = { .answer = -EIO };
	struct fake fake;
	struct hl_message *m;

	fake_init(&fake);
	m = fake_add(&fake, 8, "bank");
	hl_router_set_dead_letter(router, bury, &dead);
	ck_assert_int_eq(hl_router_run(router, &fake.batch), -EIO);
	ck_assert_uint_eq(stats_now().dead[HL_REASON_NO_ROUTE], 0);
	ck_assert_ptr_eq(hl_batch_next(&fake.batch), m);
}
END_TEST

START_TEST(failed_message_counts_only_when_it_is_taken)
{
	struct seen seen = { .answer = -EDOM };
	struct fake fake;

	fake_init(&fake);
	fake_add(&fake, 7, "bank");
	ck_assert_int_eq(hl_router_add(router, 7, "bank", handle, &seen), 0);
	ck_assert_int_eq(hl_router_run(router, &fake.batch), -ENOMSG);
	ck_assert_uint_eq(route_stats(7).errors, 0);
	seen.answer = 0;
	ck_assert_int_eq(hl_router_run(router, &fake.batch), 1);
	ck_assert_uint_eq(seen.calls, 2);
	ck_assert_uint_eq(route_stats(7).messages, 1);
	ck_assert_uint_eq(stats_now().dead[HL_REASON_HANDLER], 0);
}
END_TEST

START_TEST(counters_are_per_route)
{
	struct seen seen = { 0 };
	struct fake fake;

	fake_init(&fake);
	for (uint32_t i = 0; i < 9; i++)
		fake_add(&fake, i % 3, "bank");
	fake_add(&fake, 2, "bank");
	for (uint32_t type = 0; type < 3; type++)
		ck_assert_int_eq(
			hl_router_add(router, type, "bank", handle, &seen), 0);
	ck_assert_int_eq(hl_router_run(router, &fake.batch), 10);
	ck_assert_uint_eq(route_stats(0).messages, 3);
	ck_assert_uint_eq(route_stats(1).messages, 3);
	ck_assert_uint_eq(route_stats(2).messages, 4);
	ck_assert_uint_eq(stats_now().messages, 10);
}
END_TEST

START_TEST(totals_outlive_the_route)
{
	struct seen seen = { 0 };
	struct fake fake;

	fake_init(&fake);
	fake_add(&fake, 7, "bank");
	ck_assert_int_eq(hl_router_add(router, 7, "bank", handle, &seen), 0);
	ck_assert_int_eq(hl_router_run(router, &fake.batch), 1);
	ck_assert_int_eq(hl_router_remove(router, 7, "bank"), 0);
	ck_assert_uint_eq(stats_now().messages, 1);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		invalid_message_is_dead_by_its_verdict,
		unknown_message_is_dead_without_a_route,
		message_is_dead_when_its_handler_fails,
		message_is_dead_when_the_other_ring_fails,
		forwarded_and_dropped_messages_are_handled,
		walk_stops_before_a_dead_message_that_nobody_takes,
		dead_letter_handler_can_stop_the_walk,
		failed_message_counts_only_when_it_is_taken,
		counters_are_per_route,
		totals_outlive_the_route,
	};
	TCase *tcase = support_begin("router dead letters");

	tcase_add_checked_fixture(tcase, set_up, tear_down);
	support_add(tcase, tests, COUNT_OF(tests));
	return support_end();
}
