/* SPDX-License-Identifier: MIT */
/*
 * clock.h - monotonic time for waits, wall time for people
 */
#ifndef HLI_CLOCK_H
#define HLI_CLOCK_H

#include <stdint.h>
#include <time.h>

#define HLI_NS_PER_S INT64_C(1000000000)
#define HLI_NS_PER_MS INT64_C(1000000)

static inline int64_t hli_clock_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (int64_t)ts.tv_sec * HLI_NS_PER_S + ts.tv_nsec;
}

static inline int64_t hli_now_ns(void)
{
	return hli_clock_ns(CLOCK_MONOTONIC);
}

/* Some ms behind, and cheap: for deciding whether it is worth to look. */
static inline int64_t hli_now_coarse_ns(void)
{
	return hli_clock_ns(CLOCK_MONOTONIC_COARSE);
}

/* now + timeout, held below the end of time; timeout >= 0. */
static inline int64_t hli_deadline_ns(int64_t timeout_ns)
{
	const int64_t now = hli_now_ns();

	return timeout_ns > INT64_MAX - now ? INT64_MAX : now + timeout_ns;
}

#endif /* HLI_CLOCK_H */
