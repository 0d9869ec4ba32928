/* SPDX-License-Identifier: MIT */
/*
 * tick - one ITCH message as a message of a ring: a line, without a payload
 *
 * A struct of one's own instead of struct hl_message: only sequence and
 * payload_offset have their places.
 */
#ifndef TICK_H
#define TICK_H

#include <hotline/hotline.h>

#define TICK_BOOK "book"     /* exclusive group: misses nothing */
#define TICK_GLANCE "glance" /* lossy group: holds nobody back */

struct tick {
	HL_ALIGN_LINE char type; /* the letter of ITCH */
	char side;		 /* 'B' buys, 'S' sells */
	uint16_t locate;	 /* number of the stock, for this day */
	uint32_t price;		 /* 1/10000 dollars */
	uint64_t timestamp_ns;	 /* since midnight */
	uint64_t order;
	uint64_t sequence;
	uint64_t new_order; /* that takes the place of order */
	uint64_t shares;
	char stock[8]; /* padded with zero bytes */
	uint32_t unused;
	uint32_t payload_offset;
};
HL_ASSERT_MESSAGE(struct tick);

#endif
