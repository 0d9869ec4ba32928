/* SPDX-License-Identifier: MIT */
/*
 * lines - which cache lines the bytes of a message lie on
 *
 * Pure functions of numbers. A message lies in an array whose first byte is the
 * first of a line; message k begins at k * stride. Where in its line a message
 * begins repeats after lcm(stride, line) bytes, so an average over that period
 * is the average over an array without end: it is exact, and kept as a fraction.
 */
#ifndef HLT_LINES_H
#define HLT_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	HLT_LINE_LEAST = 8,
	HLT_LINE_MOST = 4096,
};
/* No struct of a compiler comes near; sums of two such numbers fit. */
#define HLT_BYTES_MOST (UINT64_C(1) << 48)

/* Bytes of a message that something reads. */
struct hlt_range {
	uint64_t offset;
	uint64_t size;
};

/* How many lines a message has its bytes on, over all positions of the period. */
struct hlt_figure {
	uint64_t positions; /* lcm(stride, line) / stride */
	uint64_t lines; /* of all of them: the average is lines / positions */
	uint64_t least, most;
	uint64_t split; /* positions in which some range lies on two lines */
};

/* Is it a size of a line: a power of two from HLT_LINE_LEAST to _MOST? */
bool hlt_line_ok(uint64_t line_bytes);

/* Put ranges in the order that the functions below want. */
void hlt_ranges_sort(struct hlt_range *ranges, size_t n);

/* Different lines under sorted ranges, of a message that begins at base. */
uint64_t hlt_lines_at(const struct hlt_range *ranges, size_t n, uint64_t base,
		      uint64_t line_bytes);

/*
 * hlt_lines_figure - lines under sorted ranges, over the period of a stride
 *
 * stride is from 1 to HLT_BYTES_MOST, and so is what a range ends at.
 */
void hlt_lines_figure(const struct hlt_range *ranges, size_t n, uint64_t stride,
		      uint64_t line_bytes, struct hlt_figure *figure);

/* Does a range that begins at a byte of a line end on another line? */
bool hlt_straddles(const struct hlt_range *range, uint64_t base,
		   uint64_t line_bytes);

/*
 * hlt_decimal - a fraction with three digits behind the point, rounded
 *
 * "1" for a whole number, "1.359" else, and "1.000+" or "2.000-" for one that
 * is not whole and would look so. denominator is at most HLT_LINE_MOST. out has
 * HLT_DECIMAL_BYTES. Returns out.
 */
enum {
	HLT_DECIMAL_BYTES = 32
};
char *hlt_decimal(char *out, uint64_t numerator, uint64_t denominator);

/* Is lines / positions above a limit of thousandths? */
bool hlt_figure_above(const struct hlt_figure *figure, uint64_t thousandths);

#endif /* HLT_LINES_H */
