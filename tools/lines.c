/* SPDX-License-Identifier: MIT */
/*
 * lines - which cache lines the bytes of a message lie on
 *
 * A line is a power of two, so the period has at most line_bytes positions, and
 * walking all of them is cheap enough to need no formula.
 */
#include "lines.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

bool hlt_line_ok(uint64_t line_bytes)
{
	return line_bytes >= HLT_LINE_LEAST && line_bytes <= HLT_LINE_MOST &&
	       (line_bytes & (line_bytes - 1)) == 0;
}

static int by_offset(const void *a, const void *b)
{
	const struct hlt_range *x = a, *y = b;

	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	return (x->size > y->size) - (x->size < y->size);
}

void hlt_ranges_sort(struct hlt_range *ranges, size_t n)
{
	if (n > 1)
		qsort(ranges, n, sizeof(*ranges), by_offset);
}

uint64_t hlt_lines_at(const struct hlt_range *ranges, size_t n, uint64_t base,
		      uint64_t line_bytes)
{
	uint64_t lines = 0;
	uint64_t next = 0; /* the first line that was not counted */

	for (size_t i = 0; i < n; i++) {
		if (ranges[i].size == 0)
			continue;

		const uint64_t from = base + ranges[i].offset;
		const uint64_t first = from / line_bytes;
		const uint64_t last = (from + ranges[i].size - 1) / line_bytes;
		const uint64_t start = first > next ? first : next;

		if (last < start)
			continue;
		lines += last - start + 1;
		next = last + 1;
	}
	return lines;
}

bool hlt_straddles(const struct hlt_range *range, uint64_t base,
		   uint64_t line_bytes)
{
	const uint64_t from = base + range->offset;

	return range->size > 0 &&
	       from / line_bytes != (from + range->size - 1) / line_bytes;
}

static bool any_straddles(const struct hlt_range *ranges, size_t n,
			  uint64_t base, uint64_t line_bytes)
{
	for (size_t i = 0; i < n; i++) {
		if (hlt_straddles(&ranges[i], base, line_bytes))
			return true;
	}
	return false;
}

void hlt_lines_figure(const struct hlt_range *ranges, size_t n, uint64_t stride,
		      uint64_t line_bytes, struct hlt_figure *figure)
{
	uint64_t base = 0; /* of a message in its line */

	*figure = (struct hlt_figure){ .least = UINT64_MAX };
	do {
		const uint64_t lines =
			hlt_lines_at(ranges, n, base, line_bytes);

		figure->positions++;
		figure->lines += lines;
		if (lines < figure->least)
			figure->least = lines;
		if (lines > figure->most)
			figure->most = lines;
		figure->split += any_straddles(ranges, n, base, line_bytes);
		base = (base + stride) % line_bytes;
	} while (base != 0);
}

char *hlt_decimal(char *out, uint64_t numerator, uint64_t denominator)
{
	const uint64_t whole = numerator / denominator;
	const uint64_t rest = numerator % denominator;
	const uint64_t thousandths =
		(rest * 1000 + denominator / 2) / denominator;

	if (rest == 0)
		snprintf(out, HLT_DECIMAL_BYTES, "%" PRIu64, whole);
	else if (thousandths == 0)
		snprintf(out, HLT_DECIMAL_BYTES, "%" PRIu64 ".000+", whole);
	else if (thousandths >= 1000)
		snprintf(out, HLT_DECIMAL_BYTES, "%" PRIu64 ".000-", whole + 1);
	else
		snprintf(out, HLT_DECIMAL_BYTES, "%" PRIu64 ".%03" PRIu64,
			 whole, thousandths);
	return out;
}

bool hlt_figure_above(const struct hlt_figure *figure, uint64_t thousandths)
{
	const uint64_t whole = figure->lines / figure->positions;
	const uint64_t rest = figure->lines % figure->positions;

	if (whole != thousandths / 1000)
		return whole > thousandths / 1000;
	return rest * 1000 > thousandths % 1000 * figure->positions;
}
