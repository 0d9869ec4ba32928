/* SPDX-License-Identifier: MIT */
/*
 * test_reserve.c - memory is reserved however many signals come
 *
 * The library's fallocate() is ours here: a timer that interrupts each long
 * one, as that of a profiler may.
 */
#include "config.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

#include "tests/support/rings.h"
#include "tests/support/support.h"

#define TOO_LONG_BYTES 100000
#define ENOUGH 10000 /* calls that no creation makes */

typedef int (*fallocate_fn)(int fd, int mode, off_t at, off_t bytes);

static int calls, interrupted;

__attribute__((visibility("default"))) int fallocate(int fd, int mode, off_t at,
						     off_t bytes)
{
	const fallocate_fn real = (fallocate_fn)dlsym(RTLD_NEXT, "fallocate");

	if (++calls > ENOUGH)
		abort();
	if (bytes <= TOO_LONG_BYTES)
		return real(fd, mode, at, bytes);
	interrupted++;
	errno = EINTR;
	return -1;
}

START_TEST(signals_that_interrupt_each_long_reservation_do_not_stop_a_create)
{
	struct hl_ring_attr attr = HL_RING_ATTR_INIT;

	attr.capacity = 65536;
	support_send(support_produce(support_create(&attr)), 1, 1);
	ck_assert_int_gt(interrupted, 0);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		signals_that_interrupt_each_long_reservation_do_not_stop_a_create,
	};

	support_add(support_begin("reserve"), tests, COUNT_OF(tests));
	return support_end();
}
