/* SPDX-License-Identifier: MIT */
/*
 * runs.h - what is measured of a rung, one run at a time
 *
 * Each is a function for a cell of "make bench": it fills in values, and
 * returns 0 or a negative errno.
 */
#ifndef BENCH_LAYOUT_RUNS_H
#define BENCH_LAYOUT_RUNS_H

#include "rung.h"
#include "tests/bench/experiment.h"

enum {
	/* Of streams and backlogs */
	RATE = 0, /* million messages a second */
	INSTRUCTIONS,
	MISSES,	 /* a message, by the processor's counters; 0 without them */
	FILLING, /* M/s of a sender whose receiver rests; 0 if not timed */
	RATES,
	/* Of an open loop, in ns */
	P50 = 0,
	P99,
	P99_9,
	OFFERED, /* million messages a second */
	CARRIED, /* per cent of that */
	OPENS,
	/* Of idle cores, in ns, and so on */
	FLOOR_P99 = 0,
	FLOOR_P99_9,
	LONGEST,
	GAPS, /* a second */
	LOST, /* per cent of the time */
	IDLES,
};

/* Once, before any run: memory for routing tables. 0, or -ENOMEM. */
int runs_init(uint32_t naccounts_large);

/* Both at full speed, the ring in any state. */
int run_rate(struct cell *cell, struct crew *crew, double *values);

/* Half the ring is filled, then emptied: the rate of emptying. */
int run_drain(struct cell *cell, struct crew *crew, double *values);

/* As run_rate(), with the clock read as in an open loop. */
int run_capacity(struct cell *cell, struct crew *crew, double *values);

/*
 * Messages that are due at random times, cell->shape.variant thousandths of
 * what rung 1 carried a moment before. Times are from when one was due.
 */
int run_load(struct cell *cell, struct crew *crew, double *values);

/*
 * Two cores on which nothing is done but reading the clock: where it jumps,
 * something else had the core. The values are what a message, due at any time,
 * waits at least, if both cores have to be there and everything else is free.
 */
int run_idle(struct cell *cell, struct crew *crew, double *values);

#endif /* BENCH_LAYOUT_RUNS_H */
