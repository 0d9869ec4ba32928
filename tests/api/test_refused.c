/* SPDX-License-Identifier: MIT */
/*
 * test_refused.c - who is refused a place lets the others join before it tries
 * again
 *
 * The library's nanosleep() is ours here: it looks whether the byte that all
 * joins need is free meanwhile.
 */
#include "config.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "tests/support/rings.h"
#include "tests/support/support.h"

#define CONTROL_BYTE 0 /* hotline-format(5) */

typedef int (*nanosleep_fn)(const struct timespec *ts, struct timespec *left);

static int ring_fd = -1; /* a description of our own */
static bool free_at_last;

static bool control_is_free(void)
{
	struct flock lock = { .l_type = F_WRLCK,
			      .l_start = CONTROL_BYTE,
			      .l_len = 1 };

	return fcntl(ring_fd, F_OFD_GETLK, &lock) == 0 &&
	       lock.l_type == F_UNLCK;
}

__attribute__((visibility("default"))) int nanosleep(const struct timespec *ts,
						     struct timespec *left)
{
	const nanosleep_fn real = (nanosleep_fn)dlsym(RTLD_NEXT, "nanosleep");

	free_at_last = ring_fd >= 0 && control_is_free();
	return real(ts, left);
}

static struct hl_ring *new_ring(void)
{
	struct hl_ring_attr attr = HL_RING_ATTR_INIT;
	struct hl_ring *ring;
	char path[64];

	attr.max_producers = 1;
	ring = support_create(&attr);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", hl_ring_fd(ring));
	ring_fd = open(path, O_RDWR | O_CLOEXEC);
	ck_assert_int_ge(ring_fd, 0);
	return ring;
}

START_TEST(refused_producer_lets_others_join)
{
	struct hl_ring *const ring = new_ring();
	struct hl_producer *producer;

	support_produce(ring);
	ck_assert_int_eq(hl_producer_join(ring, NULL, &producer, NULL),
			 -EUSERS);
	ck_assert(free_at_last);
}
END_TEST

START_TEST(refused_consumer_lets_others_join)
{
	const struct hl_group_attr group =
		support_group("g", HL_GROUP_EXCLUSIVE);
	struct hl_ring *const ring = new_ring();
	struct hl_consumer *consumer;

	support_consume(ring, "g", HL_GROUP_EXCLUSIVE);
	ck_assert_int_eq(hl_consumer_join(ring, &group, NULL, &consumer, NULL),
			 -EBUSY);
	ck_assert(free_at_last);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		refused_producer_lets_others_join,
		refused_consumer_lets_others_join,
	};

	support_add(support_begin("refused"), tests, COUNT_OF(tests));
	return support_end();
}
