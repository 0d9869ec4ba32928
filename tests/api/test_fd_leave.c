/* SPDX-License-Identifier: MIT */
/*
 * test_fd_leave.c - a leave ends the thread behind the descriptor wherever
 * that stands
 *
 * The library's syscall() is ours here: it holds the thread between its last
 * look and its sleep until the leave has woken nobody.
 */
#include "config.h"

#include <dlfcn.h>
#include <errno.h>
#include <linux/futex.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/support/rings.h"
#include "tests/support/support.h"

typedef long (*syscall_fn)(long number, ...);

static _Atomic bool about_to_sleep, woken, forgotten;

/* The sleep itself: it would last for ever if the word were still the same. */
static bool would_sleep(const _Atomic uint32_t *word, uint32_t value)
{
	const int64_t end = support_deadline();

	atomic_store(&about_to_sleep, true);
	while (!atomic_load(&woken) && support_poll(end))
		continue;
	return atomic_load(word) == value;
}

__attribute__((visibility("default"))) long syscall(long number, ...)
{
	const syscall_fn real = (syscall_fn)dlsym(RTLD_NEXT, "syscall");
	long args[6], ret;
	va_list list;

	va_start(list, number);
	for (int i = 0; i < 6; i++)
		args[i] = va_arg(list, long);
	va_end(list);
	if (number == SYS_futex && args[1] == FUTEX_WAIT_PRIVATE &&
	    would_sleep((const _Atomic uint32_t *)args[0], (uint32_t)args[2])) {
		atomic_store(&forgotten, true);
		errno = EINTR;
		return -1;
	}
	ret = real(number, args[0], args[1], args[2], args[3], args[4],
		   args[5]);
	if (number == SYS_futex && args[1] == FUTEX_WAKE_PRIVATE)
		atomic_store(&woken, true);
	return ret;
}

START_TEST(leave_reaches_a_thread_that_goes_to_sleep_at_that_moment)
{
	const struct hl_ring_attr attr = HL_RING_ATTR_INIT;
	struct hl_ring *const ring = support_create(&attr);
	struct hl_consumer *const consumer =
		support_consume(ring, "g", HL_GROUP_SHARED);
	const int64_t end = support_deadline();

	support_send(support_produce(ring), 1, 1);
	ck_assert_int_ge(hl_consumer_fd(consumer), 0);
	while (!atomic_load(&about_to_sleep))
		ck_assert(support_poll(end));
	ck_assert_int_eq(hl_consumer_leave(consumer), 0);
	ck_assert(!atomic_load(&forgotten));
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		leave_reaches_a_thread_that_goes_to_sleep_at_that_moment,
	};

	support_add(support_begin("fd_leave"), tests, COUNT_OF(tests));
	return support_end();
}
