/* SPDX-License-Identifier: MIT */
/*
 * stop - end a command that streams when SIGINT, SIGTERM or SIGHUP asks for it
 *
 * The handlers are gone after their first call (SA_RESETHAND), which is what
 * makes the second signal final. Writes are restarted: a line is never cut by
 * the first signal.
 */
#include "stop.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>

static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
enum {
	NSIGNALS = sizeof(signals) / sizeof(signals[0])
};

static volatile sig_atomic_t caught;
static void (*volatile cancel_wait)(void);

static void on_signal(int sig)
{
	const int saved = errno;

	caught = sig;
	if (cancel_wait != NULL)
		cancel_wait();
	errno = saved;
}

void hlt_stop_begin(void (*cancel)(void))
{
	struct sigaction act = { .sa_handler = on_signal,
				 .sa_flags = (int)(SA_RESETHAND | SA_RESTART) };

	cancel_wait = cancel;
	sigemptyset(&act.sa_mask);
	for (size_t i = 0; i < NSIGNALS; i++) {
		struct sigaction old;

		if (sigaction(signals[i], NULL, &old) == 0 &&
		    old.sa_handler != SIG_IGN)
			sigaction(signals[i], &act, NULL);
	}
}

bool hlt_stop_asked(void)
{
	return caught != 0;
}

int hlt_stop_poll(int fd)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
	sigset_t blocked, old;

	sigemptyset(&blocked);
	for (size_t i = 0; i < NSIGNALS; i++)
		sigaddset(&blocked, signals[i]);
	/* Between the look and the wait no signal may slip through. */
	sigprocmask(SIG_BLOCK, &blocked, &old);
	while (!caught && ppoll(&poll_fd, 1, NULL, &old) < 0 && errno == EINTR)
		;
	sigprocmask(SIG_SETMASK, &old, NULL);
	return caught ? -ECANCELED : 0;
}

void hlt_stop_end(void)
{
	if (!caught)
		return;
	signal(caught, SIG_DFL);
	raise(caught);
}
