/* SPDX-License-Identifier: MIT */
/*
 * packed_payment - a payment as many a wire format has it: not a byte wasted
 *
 * What the other examples are measured against. Fields follow one another as
 * the format's authors thought of them: a header of 28 bytes, the parties, a
 * reference in the middle, the checksum last, and then a memo as long as it is.
 * No byte is lost; but a message begins anywhere in a cache line, and what the
 * fast path reads is spread over all of it:
 *
 *     hotline layout examples/payments/packed_count 'struct packed_payment' \
 *             --stride packed --hot magic,type,size_bytes,amount,recipient
 */
#ifndef PACKED_PAYMENT_H
#define PACKED_PAYMENT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define PACKED_PAYMENT_MAGIC 0x594150u /* "PAY" in memory, little endian */
#define PACKED_PAYMENT_VERSION 1u
#define PACKED_PAYMENT_MEMO_MAX 1024u

struct packed_payment {
	/* header */
	uint32_t magic;
	uint8_t version;
	uint16_t type;
	uint8_t flags;
	uint32_t size_bytes; /* of the message, the memo included */
	uint64_t sequence;
	uint64_t timestamp; /* nanoseconds since the epoch */
	/* body */
	char sender[12]; /* padded with zero bytes */
	char recipient[12];
	char reference[32];
	char currency[3];
	int64_t amount; /* smallest units of the currency */
	uint16_t memo_bytes;
	uint32_t checksum; /* of all other bytes */
	char memo[];
} __attribute__((packed));

/* A payment to be packed. */
struct packed_payment_text {
	const char *sender;
	const char *recipient;
	const char *reference;
	const char *memo;
};

/*
 * packed_payment_put - write a message into room bytes
 *
 * head has the type, sequence, timestamp and amount; all else in it is filled
 * in here. Returns the message's size, or -EMSGSIZE when it does not fit.
 */
ssize_t packed_payment_put(void *out, size_t room,
			   const struct packed_payment *head,
			   const struct packed_payment_text *text);

/*
 * packed_payment_check - is there a whole message in the first room bytes?
 *
 * The bytes may be anything, and need not be aligned. Returns the message's
 * size, 0 when room has only a part of one, or -EBADMSG.
 */
ssize_t packed_payment_check(const void *bytes, size_t room);

#endif
