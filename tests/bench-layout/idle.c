/* SPDX-License-Identifier: MIT */
/*
 * idle.c - what the cores lose while nothing is done on them
 *
 * Interrupts, and whatever the host does, take a core away for some
 * microseconds each. No ring and no layout gets a message across while the core
 * that is to send or to take it is away. So the share of messages that wait for
 * longer than x is at least the share of the time that has more than x to go
 * until its gap is over: that is the floor of each percentile.
 */
#include <errno.h>
#include <stdlib.h>

#include "runs.h"

enum {
	IDLE_NS = 6000000, /* of a run, as those of a load */
	GAP_NS = 1000,	   /* shorter ones are the loop's own */
	GAPS_MOST = 4096,
};

/* What one core has seen. */
struct seen {
	uint64_t n, lasted;
	uint64_t gaps[GAPS_MOST]; /* ticks */
};

static struct seen *seen; /* of both, shared */

static void look(struct crew_worker *worker)
{
	const double ticks_per_ns = worker->crew->machine->ticks_per_ns;
	const uint64_t least = (uint64_t)(GAP_NS * ticks_per_ns);
	const uint64_t begin = machine_ticks();
	const uint64_t end = begin + (uint64_t)(IDLE_NS * ticks_per_ns);
	struct seen *const mine = &seen[worker->index];
	uint64_t last = begin, now = begin;

	mine->n = 0;
	while (now < end) {
		now = machine_ticks();
		if (now - last > least && mine->n < GAPS_MOST)
			mine->gaps[mine->n++] = now - last;
		last = now;
	}
	mine->lasted = now - begin;
}

/* Ticks of gaps that are left when the first x of each are over. */
static double left_after(double x)
{
	double sum = 0;

	for (int core = 0; core < 2; core++)
		for (uint64_t i = 0; i < seen[core].n; i++)
			if ((double)seen[core].gaps[i] > x)
				sum += (double)seen[core].gaps[i] - x;
	return sum;
}

/* The x that this share of all times of a run exceeds. */
static double floor_of(double share, double longest)
{
	const double wanted = share * (double)seen[0].lasted;
	double low = 0, high = longest;

	if (left_after(0) <= wanted)
		return 0;
	for (int i = 0; i < 40; i++) {
		const double x = (low + high) / 2;

		if (left_after(x) > wanted)
			low = x;
		else
			high = x;
	}
	return high;
}

int run_idle(struct cell *cell, struct crew *crew, double *values)
{
	const double ticks_per_ns = crew->machine->ticks_per_ns;
	double longest = 0;
	int ret;

	(void)cell;
	if (!seen)
		seen = bench_shared(2 * sizeof(*seen));
	if (!seen)
		return -ENOMEM;
	crew->work = look;
	ret = crew_run(crew);
	if (ret < 0)
		return ret;
	for (int core = 0; core < 2; core++)
		for (uint64_t i = 0; i < seen[core].n; i++)
			if ((double)seen[core].gaps[i] > longest)
				longest = (double)seen[core].gaps[i];
	values[FLOOR_P99] = floor_of(0.01, longest) / ticks_per_ns;
	values[FLOOR_P99_9] = floor_of(0.001, longest) / ticks_per_ns;
	values[LONGEST] = longest / ticks_per_ns;
	values[GAPS] = (double)(seen[0].n + seen[1].n) * 1e9 / IDLE_NS;
	values[LOST] = 100 * left_after(0) / (double)seen[0].lasted;
	return 0;
}
