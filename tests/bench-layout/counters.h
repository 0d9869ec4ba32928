/* SPDX-License-Identifier: MIT */
/*
 * counters.h - the processor's own counts of a process, where it gives them
 *
 * The same counters as of perf stat, of this process alone and of nothing but
 * the part that is measured. Virtual machines often have none.
 */
#ifndef BENCH_LAYOUT_COUNTERS_H
#define BENCH_LAYOUT_COUNTERS_H

#include <stdint.h>

enum {
	COUNT_INSTRUCTIONS,
	COUNT_MISSES, /* that went to memory or to another core's cache */
	COUNTS,
};

struct counters {
	int fds[COUNTS]; /* -1: the machine does not have it */
};

void counters_open(struct counters *counters);
void counters_close(struct counters *counters);
void counters_start(const struct counters *counters);

/* Stop, and read: 0 for what is not there. */
void counters_stop(const struct counters *counters, uint64_t *counts);

#endif /* BENCH_LAYOUT_COUNTERS_H */
