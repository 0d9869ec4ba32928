/* SPDX-License-Identifier: MIT */
/*
 * hist.c - percentiles of a histogram
 */
#include "hist.h"

/* The largest value that a cell stands for. */
static uint64_t cell_top(uint32_t cell)
{
	const uint32_t shift =
		cell < 2 * HIST_PARTS ? 0 : (cell >> HIST_PARTS_LOG2) - 1;
	const uint64_t part = cell < 2 * HIST_PARTS ?
				      cell :
				      (cell & (HIST_PARTS - 1)) |
					      (uint64_t)HIST_PARTS;

	return ((part + 1) << shift) - 1;
}

uint64_t hist_percentile(const struct hist *hist, double share)
{
	const double wanted = share * (double)hist->count;
	uint64_t seen = 0;

	for (uint32_t i = 0; i < HIST_CELLS; i++) {
		seen += hist->cells[i];
		if (seen && (double)seen >= wanted) {
			const uint64_t top = cell_top(i);

			return top < hist->max ? top : hist->max;
		}
	}
	return hist->max;
}
