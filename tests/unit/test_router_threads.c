/* SPDX-License-Identifier: MIT */
/*
 * test_router_threads.c - the router alone, in threads and forked children
 */
#include "config.h"

#include <hotline/router.h>

#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/support.h"

#include "fake_batch.h"

static struct hl_router *router;

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

/* Run batches with types 0 to 3 until told to stop; report how many. */
static void run_batches(struct helper *self)
{
	while (atomic_load(&self->go) == 0) {
		struct fake fake;

		fake_init(&fake);
		for (uint32_t i = 0; i < FAKE_SLOTS; i++)
			fake_add(&fake, i % 4, "bank");
		EXPECT(self, hl_router_run(router, &fake.batch) == FAKE_SLOTS);
		atomic_fetch_add(&self->counts[0], FAKE_SLOTS);
		helper_step(self, 1);
	}
}

/* What a route leads to while it exists. */
struct target {
	_Atomic uint64_t calls;
	_Atomic uint64_t late; /* calls after the route was removed */
	_Atomic bool removed;
};

static int hit(const struct hl_batch *batch, const void *message, void *user)
{
	struct target *target = (struct target *)user;

	(void)batch;
	(void)message;
	atomic_fetch_add(&target->calls, 1);
	if (atomic_load(&target->removed))
		atomic_fetch_add(&target->late, 1);
	return 0;
}

static int bury_count(const struct hl_batch *batch, const void *message,
		      enum hl_reason reason, int error, void *user)
{
	(void)reason;
	(void)error;
	return count(batch, message, user);
}

START_TEST(routes_change_while_threads_run)
{
	struct counter dead = { 0 };
	struct target targets[4] = { 0 };
	struct helper *runners[2];
	uint64_t called = 0;

	hl_router_set_dead_letter(router, bury_count, &dead);
	for (int i = 0; i < 2; i++)
		runners[i] = support_thread(run_batches, NULL);
	for (uint32_t round = 0; round < 2000; round++) {
		struct target *target = &targets[round % 4];

		atomic_store(&target->removed, false);
		ck_assert_int_eq(hl_router_add(router, round % 4, "bank", hit,
					       target),
				 0);
		ck_assert_int_eq(hl_router_remove(router, round % 4, "bank"),
				 0);
		atomic_store(&target->removed, true);
	}
	for (int i = 0; i < 2; i++) {
		support_await(runners[i], 1);
		support_go(runners[i], 1);
		support_join(runners[i]);
	}
	for (int i = 0; i < 4; i++) {
		called += targets[i].calls;
		ck_assert_uint_eq(targets[i].late, 0);
	}
	ck_assert_uint_eq(stats_now().messages, called);
	ck_assert_uint_eq(stats_now().dead[HL_REASON_NO_ROUTE], dead.n);
}
END_TEST

/* A handler that stays long enough for a removal that does not wait. */
static int linger(const struct hl_batch *batch, const void *message, void *user)
{
	struct helper *runner = (struct helper *)user;

	(void)batch;
	(void)message;
	helper_step(runner, 1);
	if (!helper_await(runner, 1))
		return -ETIMEDOUT;
	for (int i = 0; i < 100; i++)
		support_poll(INT64_MAX);
	EXPECT(runner, atomic_load(&runner->go) == 1);
	return 0;
}

static void run_and_linger(struct helper *self)
{
	struct fake fake;

	EXPECT(self, hl_router_add(router, 7, "bank", linger, self) == 0);
	fake_init(&fake);
	fake_add(&fake, 7, "bank");
	EXPECT(self, hl_router_run(router, &fake.batch) == 1);
}

START_TEST(removal_waits_for_a_handler_that_runs)
{
	struct helper *runner = support_thread(run_and_linger, NULL);

	support_await(runner, 1);
	support_go(runner, 1);
	ck_assert_int_eq(hl_router_remove(router, 7, "bank"), 0);
	support_go(runner, 2);
	support_join(runner);
}
END_TEST

START_TEST(counters_of_two_threads_are_exact)
{
	struct counter calls = { 0 };
	struct helper *runners[2];
	uint64_t sent = 0;

	for (uint32_t type = 0; type < 4; type++)
		ck_assert_int_eq(
			hl_router_add(router, type, "bank", count, &calls), 0);
	for (int i = 0; i < 2; i++)
		runners[i] = support_thread(run_batches, NULL);
	for (int i = 0; i < 2; i++)
		support_await(runners[i], 1);
	for (int i = 0; i < 2; i++) {
		support_go(runners[i], 1);
		support_join(runners[i]);
		sent += runners[i]->counts[0];
	}
	ck_assert_uint_eq(calls.n, sent);
	ck_assert_uint_eq(stats_now().messages, sent);
	for (uint32_t type = 0; type < 4; type++)
		ck_assert_uint_eq(route_stats(type).messages, sent / 4);
}
END_TEST

START_TEST(thread_that_has_ended_does_not_hold_removal_back)
{
	struct counter calls = { 0 };

	for (int i = 0; i < 50; i++) {
		struct helper *runner;

		for (uint32_t type = 0; type < 4; type++)
			ck_assert_int_eq(hl_router_add(router, type, "bank",
						       count, &calls),
					 0);
		runner = support_thread(run_batches, NULL);
		support_await(runner, 1);
		support_go(runner, 1);
		support_join(runner);
		for (uint32_t type = 0; type < 4; type++)
			ck_assert_int_eq(hl_router_remove(router, type, "bank"),
					 0);
	}
}
END_TEST

/* In a child of a process whose threads run the router. */
static void change_in_child(struct helper *self)
{
	struct fake fake;

	EXPECT(self, hl_router_remove(router, 0, "bank") == 0);
	EXPECT(self, hl_router_remove(router, 0, "bank") == -ENOENT);
	fake_init(&fake);
	fake_add(&fake, 1, "bank");
	EXPECT(self, hl_router_run(router, &fake.batch) == 1);
}

START_TEST(child_may_use_its_copy_while_the_parent_runs)
{
	struct counter calls = { 0 };
	struct helper *runner;

	for (uint32_t type = 0; type < 4; type++)
		ck_assert_int_eq(
			hl_router_add(router, type, "bank", count, &calls), 0);
	runner = support_thread(run_batches, NULL);
	support_await(runner, 1);
	for (int i = 0; i < 20; i++)
		support_join(support_fork(change_in_child, NULL));
	support_go(runner, 1);
	support_join(runner);
}
END_TEST

static int fork_and_change(const struct hl_batch *batch, const void *message,
			   void *user)
{
	const pid_t pid = fork();

	(void)batch;
	(void)message;
	if (pid == 0)
		_exit(hl_router_remove(router, 7, "bank") == -EBADF ? 0 : 1);
	return waitpid(pid, (int *)user, 0) == pid ? 0 : -EIO;
}

START_TEST(child_forked_by_a_handler_cannot_change_routes)
{
	struct fake fake;
	int status = -1;

	fake_init(&fake);
	fake_add(&fake, 7, "bank");
	ck_assert_int_eq(
		hl_router_add(router, 7, "bank", fork_and_change, &status), 0);
	ck_assert_int_eq(hl_router_run(router, &fake.batch), 1);
	ck_assert_int_eq(status, 0);
	ck_assert_int_eq(hl_router_remove(router, 7, "bank"), 0);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		routes_change_while_threads_run,
		removal_waits_for_a_handler_that_runs,
		counters_of_two_threads_are_exact,
		thread_that_has_ended_does_not_hold_removal_back,
		child_may_use_its_copy_while_the_parent_runs,
		child_forked_by_a_handler_cannot_change_routes,
	};
	TCase *tcase = support_begin("router threads");

	tcase_add_checked_fixture(tcase, set_up, tear_down);
	support_add(tcase, tests, COUNT_OF(tests));
	return support_end();
}
