/* SPDX-License-Identifier: MIT */
/*
 * hist.h - a histogram of times, by HdrHistogram's method
 *
 * Each power of two is cut into 64 equal parts, so that a value is known to 1.6
 * per cent whatever its size, up to 2^40 (18 minutes of nanoseconds; larger
 * ones count as that). Recording is an addition to one word.
 */
#ifndef BENCH_HIST_H
#define BENCH_HIST_H

#include <stdint.h>

enum {
	HIST_PARTS_LOG2 = 6,
	HIST_PARTS = 1 << HIST_PARTS_LOG2,
	HIST_POWERS = 40 - HIST_PARTS_LOG2,
	HIST_CELLS = (HIST_POWERS + 1) * HIST_PARTS
};

struct hist {
	uint64_t count, max;
	uint64_t cells[HIST_CELLS];
};

static inline uint32_t hist_cell(uint64_t value)
{
	uint32_t power;

	if (value < HIST_PARTS)
		return (uint32_t)value;
	if (value >> 40)
		return HIST_CELLS - 1;
	/* Of the highest bit; the HIST_PARTS_LOG2 below it choose the part. */
	power = 63 - (uint32_t)__builtin_clzll(value);
	return ((power - HIST_PARTS_LOG2) << HIST_PARTS_LOG2) +
	       (uint32_t)(value >> (power - HIST_PARTS_LOG2));
}

static inline void hist_add(struct hist *hist, uint64_t value)
{
	hist->cells[hist_cell(value)]++;
	hist->count++;
	if (value > hist->max)
		hist->max = value;
}

/* The value that this share of all (0 to 1) does not exceed. */
uint64_t hist_percentile(const struct hist *hist, double share);

#endif /* BENCH_HIST_H */
