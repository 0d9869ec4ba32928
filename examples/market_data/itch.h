/* SPDX-License-Identifier: MIT */
/*
 * itch - reader of NASDAQ TotalView-ITCH 5.0 messages
 *
 * Guarantees: messages come one by one from a stream of any length; each is
 * decoded into plain integers and text; an unknown type, a wrong length or a
 * message that breaks off is reported with its byte offset, and then the
 * reading ends, since what follows cannot be told apart any more.
 *
 * In a file each message stands behind two bytes: its length, or zero, in which
 * case the length is what the type says.
 */
#ifndef ITCH_H
#define ITCH_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define ITCH_MESSAGE_MAX 50   /* bytes of the longest message */
#define ITCH_PRICE_UNIT 10000 /* a price of 10000 is one dollar */

/*
 * What a type does not have is zero or empty. Types by their letters:
 *   S system event     R stock directory  H trading action   Y short sale
 *   L market maker     V breaker levels   W breaker status   K IPO quote
 *   J price collar     h operational halt A add              F add with mpid
 *   E execute          C execute at price X cancel           D delete
 *   U replace          P trade            Q cross trade      B broken trade
 *   I imbalance        N retail interest  O direct listing
 * V's levels, and some of R, L, K, J, I and O, are only in their raw bytes.
 */
struct itch_message {
	char type;
	char side;	 /* A F P: 'B' buys, 'S' sells */
	char code;	 /* the one letter that says what it is about: S event,
			      R market, H state, C printable, Q I cross type */
	uint16_t locate; /* number of the stock, for this day */
	uint16_t tracking;
	uint32_t price;
	uint64_t timestamp_ns; /* since midnight */
	uint64_t order;
	uint64_t new_order; /* U: takes the place of order */
	uint64_t match;
	uint64_t shares;
	char stock[8 + 1];
	char mpid[4 + 1];
	char reason[4 + 1]; /* H */
};

/* Bytes of a message of that type, 0 if there is none. */
size_t itch_size(char type);

/*
 * itch_decode - decode one message that stands in memory
 *
 * bytes begin with the type. Returns the size of the message, 0 for an unknown
 * type, or more than size_bytes if it breaks off: then nothing was decoded.
 */
size_t itch_decode(const unsigned char *bytes, size_t size_bytes,
		   struct itch_message *message);

struct itch_reader {
	FILE *file;
	uint64_t offset;  /* of the next byte */
	uint64_t count;	  /* of messages so far */
	char reason[120]; /* after -EBADMSG */
};

/* Reads from file, which stays the caller's to close. */
void itch_reader_init(struct itch_reader *reader, FILE *file);

/* Returns 1 with a message, 0 at the end, -EBADMSG and a reason, or -EIO. */
int itch_reader_next(struct itch_reader *reader, struct itch_message *message);

#endif
