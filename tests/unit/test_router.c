/* SPDX-License-Identifier: MIT */
/*
 * test_router.c - the router alone, in one thread
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

START_TEST(message_goes_to_the_route_of_its_type_and_recipient)
{
	struct seen right = { 0 }, wrong = { 0 };
	struct fake fake;
	struct hl_message *m;

	fake_init(&fake);
	m = fake_add(&fake, 7, "bank");
	ck_assert_int_eq(hl_router_add(router, 7, "bank", handle, &right), 0);
	ck_assert_int_eq(hl_router_add(router, 7, "other", handle, &wrong), 0);
	ck_assert_int_eq(hl_router_add(router, 8, "bank", handle, &wrong), 0);
	ck_assert_int_eq(hl_router_run(router, &fake.batch), 1);
	ck_assert_ptr_eq(right.last, m);
	ck_assert_uint_eq(wrong.calls, 0);
}
END_TEST

START_TEST(any_recipient_takes_what_no_other_route_names)
{
	struct seen named = { 0 }, any = { 0 };
	struct fake fake;

	fake_init(&fake);
	fake_add(&fake, 7, "bank");
	fake_add(&fake, 7, "stranger");
	fake_add(&fake, 7, "");
	ck_assert_int_eq(hl_router_add(router, 7, "bank", handle, &named), 0);
	ck_assert_int_eq(
		hl_router_add(router, 7, HL_ANY_RECIPIENT, handle, &any), 0);
	ck_assert_int_eq(hl_router_run(router, &fake.batch), 3);
	ck_assert_uint_eq(named.calls, 1);
	ck_assert_uint_eq(any.calls, 2);
}
END_TEST

START_TEST(empty_recipient_is_not_any_recipient)
{
	struct seen empty = { 0 }, dead = { 0 };
	struct fake fake;

	fake_init(&fake);
	fake_add(&fake, 7, "");
	fake_add(&fake, 7, "bank");
	hl_router_set_dead_letter(router, bury, &dead);
	ck_assert_int_eq(hl_router_add(router, 7, "", handle, &empty), 0);
	ck_assert_int_eq(hl_router_run(router, &fake.batch), 2);
	ck_assert_uint_eq(empty.calls, 1);
	ck_assert_uint_eq(dead.calls, 1);
}
END_TEST

START_TEST(recipient_has_at_most_twelve_bytes)
{
	struct seen seen = { 0 };
	struct fake fake;

	fake_init(&fake);
	fake_add(&fake, 7, "twelve_bytes");
	ck_assert_int_eq(
		hl_router_add(router, 7, "twelve_bytes", handle, &seen), 0);
	ck_assert_int_eq(hl_router_add(router, 7, "twelve_bytes+", handle,
				       &seen),
			 -EINVAL);
	ck_assert_int_eq(hl_router_run(router, &fake.batch), 1);
	ck_assert_uint_eq(seen.calls, 1);
}
END_TEST

START_TEST(route_leads_to_something)
{
	ck_assert_int_eq(hl_router_add(router, 7, "bank", NULL, NULL), -EINVAL);
	ck_assert_int_eq(hl_router_add_ring(router, 7, "bank", NULL, 0),
			 -EINVAL);
}
END_TEST

START_TEST(timeout_of_a_ring_is_not_negative)
{
	struct hl_producer *producer =
		(struct hl_producer *)(void *)&forward_answer;

	ck_assert_int_eq(hl_router_add_ring(router, 7, "bank", producer, -1),
			 -EINVAL);
	ck_assert_int_eq(
		hl_router_add_ring(router, 7, "bank", producer, HL_DROP), 0);
}
END_TEST

START_TEST(second_route_of_a_key_is_refused)
{
	struct seen first = { 0 }, second = { 0 };
	struct fake fake;

	fake_init(&fake);
	fake_add(&fake, 7, "bank");
	ck_assert_int_eq(hl_router_add(router, 7, "bank", handle, &first), 0);
	ck_assert_int_eq(hl_router_add(router, 7, "bank", handle, &second),
			 -EEXIST);
	ck_assert_int_eq(hl_router_run(router, &fake.batch), 1);
	ck_assert_uint_eq(first.calls, 1);
}
END_TEST

START_TEST(removed_route_is_gone)
{
	struct seen seen = { 0 }, dead = { 0 };
	struct fake fake;

	fake_init(&fake);
	fake_add(&fake, 7, "bank");
	hl_router_set_dead_letter(router, bury, &dead);
	ck_assert_int_eq(hl_router_add(router, 7, "bank", handle, &seen), 0);
	ck_assert_int_eq(hl_router_remove(router, 7, "bank"), 0);
	ck_assert_int_eq(hl_router_remove(router, 7, "bank"), -ENOENT);
	ck_assert_int_eq(hl_router_run(router, &fake.batch), 1);
	ck_assert_uint_eq(seen.calls, 0);
	ck_assert_int_eq(dead.reason, HL_REASON_NO_ROUTE);
}
END_TEST

START_TEST(void_positions_are_passed_over)
{
	struct seen seen = { 0 };
	struct fake fake;

	fake_init(&fake);
	fake_add(&fake, 7, "bank")->sequence |= HL_SEQUENCE_VOID;
	fake_add(&fake, 7, "bank");
	fake_add(&fake, 7, "bank")->sequence |= HL_SEQUENCE_VOID;
	fake.batch.messages -= 2;
	ck_assert_int_eq(hl_router_add(router, 7, "bank", handle, &seen), 0);
	ck_assert_int_eq(hl_router_run(router, &fake.batch), 1);
	ck_assert_uint_eq(seen.calls, 1);
	ck_assert_ptr_null(hl_batch_next(&fake.batch));
}
END_TEST

START_TEST(batch_may_wrap)
{
	struct seen seen = { 0 };
	struct fake fake;

	fake_init(&fake);
	fake.batch.first = FAKE_SLOTS - 2;
	for (int i = 0; i < 5; i++)
		fake_add(&fake, 7, "bank");
	ck_assert_int_eq(hl_router_add(router, 7, "bank", handle, &seen), 0);
	ck_assert_int_eq(hl_router_run(router, &fake.batch), 5);
	ck_assert_ptr_eq(seen.last, &fake.slots[2]);
}
END_TEST

START_TEST(empty_batch_is_no_error)
{
	struct fake fake;

	fake_init(&fake);
	ck_assert_int_eq(hl_router_run(router, &fake.batch), 0);
}
END_TEST

START_TEST(route_is_described_as_it_was_added)
{
	struct hl_route_stats stats;
	struct seen seen = { 0 };

	ck_assert_int_eq(
		hl_router_add(router, 7, "twelve_bytes", handle, &seen), 0);
	ck_assert_int_eq(
		hl_router_add(router, 8, HL_ANY_RECIPIENT, handle, &seen), 0);
	stats = route_stats(7);
	ck_assert(!stats.any);
	ck_assert_mem_eq(stats.recipient, "twelve_bytes", 12);
	ck_assert(route_stats(8).any);
}
END_TEST

static void count_route(const struct hl_route_stats *route, void *user)
{
	(void)route;
	++*(unsigned *)user;
}

START_TEST(ten_thousand_routes_are_found)
{
	const uint32_t n = 10000;
	struct counter calls = { 0 };
	unsigned listed = 0;

	for (uint32_t i = 0; i < n; i++) {
		char recipient[16];

		snprintf(recipient, sizeof(recipient), "r%u", i);
		ck_assert_int_eq(
			hl_router_add(router, i, recipient, count, &calls), 0);
	}
	hl_router_each(router, count_route, &listed);
	ck_assert_uint_eq(listed, n);
	for (uint32_t i = 0; i < n; i++) {
		char recipient[16];
		struct fake fake;

		snprintf(recipient, sizeof(recipient), "r%u", i);
		fake_init(&fake);
		fake_add(&fake, i, recipient);
		ck_assert_int_eq(hl_router_run(router, &fake.batch), 1);
	}
	ck_assert_uint_eq(calls.n, n);
}
END_TEST

static int change_routes(const struct hl_batch *batch, const void *message,
			 void *user)
{
	int *ret = (int *)user;

	(void)batch;
	(void)message;
	ret[0] = hl_router_add(router, 9, "bank", count, NULL);
	ret[1] = hl_router_remove(router, 7, "bank");
	return 0;
}

START_TEST(handler_cannot_change_routes)
{
	struct fake fake;
	int ret[2] = { 0 };

	fake_init(&fake);
	fake_add(&fake, 7, "bank");
	ck_assert_int_eq(hl_router_add(router, 7, "bank", change_routes, ret),
			 0);
	ck_assert_int_eq(hl_router_run(router, &fake.batch), 1);
	ck_assert_int_eq(ret[0], -EDEADLK);
	ck_assert_int_eq(ret[1], -EDEADLK);
	ck_assert_int_eq(hl_router_remove(router, 7, "bank"), 0);
}
END_TEST

static int run_inner(const struct hl_batch *batch, const void *message,
		     void *user)
{
	struct fake inner;

	(void)batch;
	(void)message;
	(void)user;
	fake_init(&inner);
	fake_add(&inner, 8, "bank");
	return hl_router_run(router, &inner.batch) == 1 ? 0 : -EIO;
}

START_TEST(handler_may_run_the_router)
{
	struct seen seen = { 0 };
	struct fake fake;

	fake_init(&fake);
	fake_add(&fake, 7, "bank");
	ck_assert_int_eq(hl_router_add(router, 7, "bank", run_inner, NULL), 0);
	ck_assert_int_eq(hl_router_add(router, 8, "bank", handle, &seen), 0);
	ck_assert_int_eq(hl_router_run(router, &fake.batch), 1);
	ck_assert_uint_eq(seen.calls, 1);
	ck_assert_uint_eq(stats_now().messages, 2);
}
END_TEST

START_TEST(destroy_accepts_null)
{
	hl_router_destroy(NULL);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		message_goes_to_the_route_of_its_type_and_recipient,
		any_recipient_takes_what_no_other_route_names,
		empty_recipient_is_not_any_recipient,
		recipient_has_at_most_twelve_bytes,
		route_leads_to_something,
		timeout_of_a_ring_is_not_negative,
		second_route_of_a_key_is_refused,
		removed_route_is_gone,
		void_positions_are_passed_over,
		batch_may_wrap,
		empty_batch_is_no_error,
		route_is_described_as_it_was_added,
		ten_thousand_routes_are_found,
		handler_cannot_change_routes,
		handler_may_run_the_router,
		destroy_accepts_null,
	};
	TCase *tcase = support_begin("router");

	tcase_add_checked_fixture(tcase, set_up, tear_down);
	support_add(tcase, tests, COUNT_OF(tests));
	return support_end();
}
