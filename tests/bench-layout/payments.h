/* SPDX-License-Identifier: MIT */
/*
 * payments.h - the payments of bench-layout, and what is done with each
 *
 * All rungs carry the same payments in the same order and do the same with
 * them: validate, route, count. pay_pass() is that, on values; a rung only
 * says where in its message each value is. So what differs between two rungs
 * is where the bytes are and how they got there, and nothing else.
 *
 * The checksum covers what the fast path reads, all but the stamp, which is
 * set anew for each message: with one over all bytes, as many formats have it,
 * no layout could spare the fast path a line.
 */
#ifndef BENCH_LAYOUT_PAYMENTS_H
#define BENCH_LAYOUT_PAYMENTS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "tests/bench/bench.h"

enum {
	PAY_PAYMENTS = 512, /* that are sent in turn; a power of two */
	PAY_BANKS = 64,
	PAY_TABLE = 256, /* places of the routing table; a power of two */
	PAY_TYPES = 8,
	PAY_NAME = 12,
	PAY_REFERENCE = 32,
	PAY_MEMO_MAX = 92,
	PAY_CURRENCY = 840, /* US dollar, as ISO 4217 numbers it */
};

#define PAY_MAGIC 0x594150u

/* What the fast path reads of a message. */
struct pay_fields {
	uint32_t magic;
	uint32_t type; /* 1 to PAY_TYPES - 1 */
	uint64_t stamp;
	int64_t amount;
	uint64_t bank; /* the first 8 bytes of the recipient */
	uint32_t bank_end;
	uint32_t checksum;
};

/* A payment, whatever its format. */
struct pay_payment {
	struct pay_fields fields;
	char sender[PAY_NAME];
	char recipient[PAY_NAME];
	char reference[PAY_REFERENCE];
	char memo[PAY_MEMO_MAX];
	uint32_t memo_bytes;
};

/* A place of the routing table, with the counts of its bank. */
struct pay_account {
	uint64_t bank;
	uint32_t bank_end;
	uint32_t payments;
	int64_t cents;
	uint64_t stamps;
};

struct pay_book {
	struct pay_account accounts[PAY_TABLE];
	uint64_t by_type[PAY_TYPES];
	uint64_t bad;
};

/* All payments; the same in each process and each run. */
const struct pay_payment *pay_payments(void);

/* An empty book that knows all banks. */
void pay_book_init(struct pay_book *book);

/*
 * Does the book hold what these n messages, stamped or numbered from 1 on, come
 * to? Numbers are checked by their sum, stamps are not.
 */
bool pay_book_good(const struct pay_book *book, uint64_t n, bool numbered);

BENCH_INLINE uint64_t pay_mix(uint64_t a, uint64_t b)
{
	const uint64_t product = (a ^ b) * UINT64_C(0x9e3779b97f4a7c15);

	return product ^ product >> 32;
}

BENCH_INLINE uint32_t pay_checksum(const struct pay_fields *f)
{
	const uint64_t head = (uint64_t)f->type << 32 | f->magic;

	return (uint32_t)pay_mix(pay_mix(head, (uint64_t)f->amount),
				 f->bank ^ (uint64_t)f->bank_end << 29);
}

BENCH_INLINE void pay_bank(struct pay_fields *f, const char *recipient)
{
	memcpy(&f->bank, recipient, sizeof(f->bank));
	memcpy(&f->bank_end, recipient + sizeof(f->bank), sizeof(f->bank_end));
}

BENCH_INLINE bool pay_validate(const struct pay_fields *f)
{
	return f->magic == PAY_MAGIC && f->type - 1 < PAY_TYPES - 1 &&
	       f->amount > 0 && f->checksum == pay_checksum(f);
}

/* Where its bank is counted, NULL for an unknown one. */
BENCH_INLINE struct pay_account *pay_route(struct pay_book *book,
					   const struct pay_fields *f)
{
	size_t i = pay_mix(f->bank, f->bank_end) % PAY_TABLE;

	while (book->accounts[i].bank != f->bank ||
	       book->accounts[i].bank_end != f->bank_end) {
		if (!book->accounts[i].bank)
			return NULL;
		i = (i + 1) % PAY_TABLE;
	}
	return &book->accounts[i];
}

BENCH_INLINE void pay_count(struct pay_book *book, struct pay_account *account,
			    const struct pay_fields *f)
{
	account->payments++;
	account->cents += f->amount;
	account->stamps += f->stamp;
	book->by_type[f->type]++;
}

/* The fast path. */
BENCH_INLINE void pay_pass(struct pay_book *book, const struct pay_fields *f)
{
	struct pay_account *account;

	if (!pay_validate(f)) {
		book->bad++;
		return;
	}
	account = pay_route(book, f);
	if (account)
		pay_count(book, account, f);
	else
		book->bad++;
}

#endif /* BENCH_LAYOUT_PAYMENTS_H */
