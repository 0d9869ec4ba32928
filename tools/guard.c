/* SPDX-License-Identifier: MIT */
/*
 * guard - look at a ring whose file somebody may cut short meanwhile
 *
 * SIGBUS by a read comes in the thread and at the instruction that reads, in
 * code of the library that holds no lock and allocates nothing while it reads:
 * so it may be left by a jump.
 */
#include "guard.h"

#include <setjmp.h>
#include <signal.h>
#include <stddef.h>

static sigjmp_buf escape;

static void on_bus_error(int sig)
{
	siglongjmp(escape, sig);
}

bool hlt_guard_run(void (*fn)(void *arg), void *arg)
{
	struct sigaction act = { .sa_handler = on_bus_error };
	struct sigaction old;
	bool whole = false;

	sigemptyset(&act.sa_mask);
	if (sigaction(SIGBUS, &act, &old) < 0)
		return false;
	if (sigsetjmp(escape, 1) == 0) {
		fn(arg);
		whole = true;
	}
	sigaction(SIGBUS, &old, NULL);
	return whole;
}
