/* SPDX-License-Identifier: MIT */
/*
 * packed_count - count packed payments for each bank, one after another
 *
 *     packed_count [N]
 *
 * Packs N (1000) made-up payments into a buffer, walks through it as a receiver
 * would (check, find the bank, add up) and compares the sums with what was put
 * in. No ring has a part in it: it shows what a packed message costs its reader,
 * and is what to look at with hotline layout.
 *
 * Exit status: 0 the sums agree, 1 they do not, 2 wrong usage or no memory.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "packed_payment.h"

#define BANKS 5
#define MESSAGE_MAX (sizeof(struct packed_payment) + PACKED_PAYMENT_MEMO_MAX)
#define N_MAX 1000000u

struct count {
	uint64_t payments;
	int64_t cents;
};

static const char *const banks[BANKS] = {
	"021000021", "026009593", "111000025", "121042882", "322271627",
};
static const char *const memos[] = {
	"",
	"rent",
	"invoice 2291",
	"salary for this month, with the bonus",
};

/* Payment i, and what it adds to its bank. */
static ssize_t make(uint64_t i, unsigned char *out, size_t room,
		    struct count *counts)
{
	char reference[32];
	const struct packed_payment head = {
		.type = 6,
		.sequence = i + 1,
		.timestamp = UINT64_C(1700000000000000000) + i * 1000,
		.amount = (int64_t)(i * 7919 % 100000) + 1,
	};
	const struct packed_payment_text text = {
		.sender = banks[(i / BANKS) % BANKS],
		.recipient = banks[i % BANKS],
		.reference = reference,
		.memo = memos[i % (sizeof(memos) / sizeof(memos[0]))],
	};

	snprintf(reference, sizeof(reference), "PAYMENT-%" PRIu64, i);
	counts[i % BANKS].payments++;
	counts[i % BANKS].cents += head.amount;
	return packed_payment_put(out, room, &head, &text);
}

/* The fast path: check, route, count. Returns the message's size. */
static ssize_t take(const unsigned char *bytes, size_t room,
		    struct count *counts)
{
	struct packed_payment p;
	const ssize_t size = packed_payment_check(bytes, room);

	if (size <= 0)
		return -1;
	memcpy(&p, bytes, sizeof(p));
	for (int bank = 0; bank < BANKS; bank++) {
		if (strncmp(p.recipient, banks[bank], sizeof(p.recipient)) != 0)
			continue;
		counts[bank].payments++;
		counts[bank].cents += p.amount;
		return size;
	}
	return -1;
}

/* Fills and walks the buffer; true if both sums agree. */
static bool run(uint64_t n, unsigned char *buffer, size_t room)
{
	struct count in[BANKS] = { { 0 } }, out[BANKS] = { { 0 } };
	size_t end = 0, at = 0;

	for (uint64_t i = 0; i < n; i++) {
		const ssize_t size = make(i, buffer + end, room - end, in);

		if (size < 0)
			return false;
		end += (size_t)size;
	}
	while (at < end) {
		const ssize_t size = take(buffer + at, end - at, out);

		if (size < 0) {
			fprintf(stderr, "packed_count: byte %zu: no payment\n",
				at);
			return false;
		}
		at += (size_t)size;
	}
	for (int bank = 0; bank < BANKS; bank++)
		printf("%s %" PRIu64 " payments, %" PRId64 ".%02d dollars\n",
		       banks[bank], out[bank].payments, out[bank].cents / 100,
		       (int)(out[bank].cents % 100));
	printf("%" PRIu64 " payments in %zu bytes\n", n, end);
	return memcmp(in, out, sizeof(in)) == 0;
}

int main(int argc, char **argv)
{
	const unsigned long n = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000;
	unsigned char *buffer;
	bool agree;

	if (argc > 2 || n < 1 || n > N_MAX) {
		fprintf(stderr, "usage: packed_count [N], N up to %u\n", N_MAX);
		return 2;
	}
	buffer = malloc(n * 256 + MESSAGE_MAX);
	if (buffer == NULL) {
		fprintf(stderr, "packed_count: out of memory\n");
		return 2;
	}
	agree = run(n, buffer, n * 256 + MESSAGE_MAX);
	free(buffer);
	if (!agree)
		fprintf(stderr, "packed_count: the sums do not agree\n");
	return agree ? 0 : 1;
}
