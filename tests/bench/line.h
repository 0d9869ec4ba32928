/* SPDX-License-Identifier: MIT */
/*
 * line.h - the limit: a stream of lines from one core to another, and no more
 *
 * Its settings are tuned anew in each run (stream.c), since the best depend on
 * the machine and on where the two cores happen to be.
 */
#ifndef BENCH_LINE_H
#define BENCH_LINE_H

#include <stdint.h>

/*
 * How a line is stored; each kind includes the stamp. One store of 64 bytes is
 * no kind: it was seen to arrive in halves, the stamp before the rest.
 */
enum line_store {
	LINE_SCALAR, /* eight words, the stamp last */
	LINE_16,     /* 32 bytes or 16 and 16, 16, and 16 with the stamp last */
	LINE_32,     /* two of 32; aligned ones are whole on all that is known,
			but no manual promises it */
	LINE_STORES,
};

/* A variant is one of each. */
struct line_variant {
	uint32_t store;	     /* enum line_store */
	uint32_t first_last; /* the first line of a burst is stored last */
	uint32_t ahead;	     /* lines that the producer asks for ahead */
	uint32_t backoff;    /* pauses of a consumer that finds nothing, or: */
	uint32_t fetch;	     /* lines that the consumer asks for ahead */
};

#define LINE_STAY UINT32_MAX /* until half a ring is there, for a while */

enum {
	LINE_VARIANTS = LINE_STORES * 2 * 5 * 4 * 3
};

struct line_variant line_variant(uint32_t number);

/* Can this build on this machine do it? */
int line_variant_works(uint32_t number);

/* A name for people, in a buffer of the caller's. */
void line_variant_name(uint32_t number, char *out, unsigned bytes);

#endif /* BENCH_LINE_H */
