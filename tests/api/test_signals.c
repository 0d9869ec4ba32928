/* SPDX-License-Identifier: MIT */
/*
 * test_signals.c - signals do not end a wait, hl_..._cancel() does
 *
 * known-faults rows 32, 33 and 36.
 */
#include "config.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>

#include "tests/support/line.h"
#include "tests/support/support.h"

#define SIGNALS 32

static void (*at_start[SIGNALS])(int);
static struct line line;
static pthread_t tester;
static _Atomic int busy; /* times that a handler found a handle busy */

static void set_up(void)
{
	struct hl_ring_attr attr = HL_RING_ATTR_INIT;

	attr.capacity = 16;
	line_init(&line, &attr);
	tester = pthread_self();
}

static ssize_t take_one(int64_t timeout_ns)
{
	struct hl_batch batch;

	return hl_consumer_take(line.consumer, 1, timeout_ns, &batch);
}

static ssize_t claim_one(int64_t timeout_ns)
{
	struct hl_claim claim;

	return hl_producer_claim(line.producer, 1, timeout_ns, &claim);
}

/* Without SA_RESTART, so that system calls would fail with EINTR. */
static void handle_signals(void (*handler)(int))
{
	const struct sigaction action = { .sa_handler = handler };

	ck_assert_int_eq(sigaction(SIGUSR1, &action, NULL), 0);
}

static void (*handler_of(int signal))(int)
{
	struct sigaction action = { .sa_handler = SIG_DFL };

	return sigaction(signal, NULL, &action) < 0 ? SIG_DFL :
						      action.sa_handler;
}

static void take_in_handler(int signal)
{
	(void)signal;
	if (take_one(HL_NOWAIT) == -EBUSY)
		atomic_fetch_add(&busy, 1);
}

static void claim_in_handler(int signal)
{
	(void)signal;
	if (claim_one(HL_NOWAIT) == -EBUSY)
		atomic_fetch_add(&busy, 1);
}

static void do_nothing(int signal)
{
	(void)signal;
}

static void cancel_in_handler(int signal)
{
	(void)signal;
	hl_consumer_cancel(line.consumer);
	hl_producer_cancel(line.producer);
}

/* Signal the tester until its handler has met it inside a call. */
static void signal_until_busy(struct helper *self)
{
	const int64_t end = support_deadline();

	while (atomic_load(&busy) < 3 && support_poll(end))
		pthread_kill(tester, SIGUSR1);
	EXPECT(self, atomic_load(&busy) >= 3);
	hl_consumer_cancel(line.consumer);
	hl_producer_cancel(line.producer);
}

static void signal_often(struct helper *self)
{
	(void)self;
	for (int i = 0; i < 200; i++) {
		pthread_kill(tester, SIGUSR1);
		support_poll(0);
	}
	hl_consumer_cancel(line.consumer);
	hl_producer_cancel(line.producer);
}

START_TEST(handler_that_interrupts_a_take_finds_the_handle_busy)
{
	struct helper *signaller;

	handle_signals(take_in_handler);
	signaller = support_thread(signal_until_busy, NULL);
	ck_assert_int_eq(take_one(DEADLINE_NS), -ECANCELED);
	support_join(signaller);
	line_send(&line, 1, NULL, 0);
	ck_assert_int_eq(take_one(HL_NOWAIT), 1);
}
END_TEST

START_TEST(handler_that_interrupts_a_claim_finds_the_handle_busy)
{
	struct helper *signaller;

	support_fill_ring(line.producer);
	handle_signals(claim_in_handler);
	signaller = support_thread(signal_until_busy, NULL);
	ck_assert_int_eq(claim_one(DEADLINE_NS), -ECANCELED);
	support_join(signaller);
	ck_assert_int_eq(take_one(HL_NOWAIT), 1);
	line_done(&line);
	ck_assert_int_eq(claim_one(HL_NOWAIT), 1);
}
END_TEST

START_TEST(signals_do_not_end_a_take)
{
	struct helper *signaller;

	handle_signals(do_nothing);
	signaller = support_thread(signal_often, NULL);
	ck_assert_int_eq(take_one(DEADLINE_NS), -ECANCELED);
	support_join(signaller);
}
END_TEST

START_TEST(signals_do_not_end_a_claim)
{
	struct helper *signaller;

	support_fill_ring(line.producer);
	handle_signals(do_nothing);
	signaller = support_thread(signal_often, NULL);
	ck_assert_int_eq(claim_one(DEADLINE_NS), -ECANCELED);
	support_join(signaller);
}
END_TEST

static void signal_once(struct helper *self)
{
	(void)self;
	for (int i = 0; i < 20; i++)
		support_poll(0);
	pthread_kill(tester, SIGUSR1);
}

START_TEST(waits_are_cancelled_from_a_signal_handler)
{
	struct helper *signaller;

	handle_signals(cancel_in_handler);
	signaller = support_thread(signal_once, NULL);
	ck_assert_int_eq(take_one(HL_FOREVER), -ECANCELED);
	support_join(signaller);
}
END_TEST

START_TEST(cancel_ends_the_next_wait_once)
{
	hl_consumer_cancel(line.consumer);
	ck_assert_int_eq(take_one(HL_FOREVER), -ECANCELED);
	ck_assert_int_eq(take_one(MS_NS), -ETIMEDOUT);
	support_fill_ring(line.producer);
	hl_producer_cancel(line.producer);
	ck_assert_int_eq(claim_one(HL_FOREVER), -ECANCELED);
	ck_assert_int_eq(claim_one(MS_NS), -ETIMEDOUT);
}
END_TEST

START_TEST(cancel_does_not_concern_a_call_that_need_not_wait)
{
	hl_consumer_cancel(line.consumer);
	hl_producer_cancel(line.producer);
	support_send(line.producer, 1, 3);
	support_take(line.consumer, 1, 3);
}
END_TEST

/* known-faults row 106 */
START_TEST(library_installs_no_signal_handlers)
{
	line_send(&line, 1, NULL, 0);
	ck_assert_int_ge(hl_consumer_fd(line.consumer), 0);
	for (int signal = 1; signal < SIGNALS; signal++) {
		/* Check's own. */
		if (signal == SIGALRM || signal == SIGTERM || signal == SIGINT)
			continue;
		ck_assert_msg(handler_of(signal) == at_start[signal],
			      "signal %d has another handler", signal);
	}
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		handler_that_interrupts_a_take_finds_the_handle_busy,
		handler_that_interrupts_a_claim_finds_the_handle_busy,
		signals_do_not_end_a_take,
		signals_do_not_end_a_claim,
		waits_are_cancelled_from_a_signal_handler,
		cancel_ends_the_next_wait_once,
		cancel_does_not_concern_a_call_that_need_not_wait,
		library_installs_no_signal_handlers,
	};
	TCase *tcase = support_begin("signals");

	for (int signal = 1; signal < SIGNALS; signal++)
		at_start[signal] = handler_of(signal);
	tcase_add_checked_fixture(tcase, set_up, NULL);
	support_add(tcase, tests, COUNT_OF(tests));
	return support_end();
}
