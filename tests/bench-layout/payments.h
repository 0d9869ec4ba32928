/* SPDX-License-Identifier: MIT */
/*
 * payments.h - the payments of bench-layout, and what is done with each
 *
 * All rungs carry the same payments in the same order and do the same with
 * them: validate, route, count. pay_pass() is that, on values; a rung only
 * says where in its message each value is. So what differs between two rungs
 * is where the bytes are and how they got there, and nothing else.
 *
 * A sender takes its payments from a few that are ready in its format, and sets
 * what differs from one to the next: the stamp, who is paid, and so the
 * checksum. Who is paid is one of as many accounts as the case wants, so that
 * the routing table fits in a cache or does not.
 *
 * The checksum covers what the fast path reads, all but the stamp: with one
 * over all bytes, as many formats have it, no layout could spare the fast path
 * a line.
 */
#ifndef BENCH_LAYOUT_PAYMENTS_H
#define BENCH_LAYOUT_PAYMENTS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "tests/bench/bench.h"

enum {
	PAY_PAYMENTS = 512, /* that are sent in turn; a power of two */
	PAY_ACCOUNTS = 64,  /* of a table that fits anywhere */
	PAY_PLACES = 4,	    /* of the routing table, for an account */
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
	uint64_t account; /* the first 8 bytes of the recipient */
	uint32_t account_end;
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

/* A place of the routing table, with the counts of its account: half a line. */
struct pay_account {
	_Alignas(32) uint64_t account;
	uint32_t account_end;
	uint32_t payments;
	int64_t cents;
	uint64_t stamps;
};

struct pay_book {
	struct pay_account *places;
	uint64_t mask; /* one less than there are places, a power of two */
	uint32_t naccounts;
	uint64_t by_type[PAY_TYPES];
	uint64_t bad;
};

/* What a sender sets in each payment, beside its stamp. */
struct pay_target {
	uint64_t account;
	uint32_t account_end;
	uint32_t checksum;
};

/* All payments; the same in each process and each run. */
const struct pay_payment *pay_payments(void);

/* Bytes of the places of a book of so many accounts, a power of two. */
uint64_t pay_book_bytes(uint32_t naccounts);

/* A book that knows all accounts; places are zero bytes, and stay its own. */
void pay_book_init(struct pay_book *book, void *places, uint32_t naccounts);

/* Nothing has been counted: each place is touched. */
void pay_book_clear(struct pay_book *book);

/*
 * Does the book hold what the first n messages, stamped or numbered from 1 on,
 * come to? Numbers are checked by their sum, stamps are not.
 */
bool pay_book_good(const struct pay_book *book, uint64_t n, bool numbered);

BENCH_INLINE uint64_t pay_mix(uint64_t a, uint64_t b)
{
	const uint64_t product = (a ^ b) * UINT64_C(0x9e3779b97f4a7c15);

	return product ^ product >> 32;
}

/* What a checksum begins with, before it is known who is paid. */
BENCH_INLINE uint64_t pay_seed(const struct pay_fields *f)
{
	const uint64_t head = (uint64_t)f->type << 32 | f->magic;

	return pay_mix(head, (uint64_t)f->amount);
}

BENCH_INLINE uint32_t pay_checksum(uint64_t seed, uint64_t account,
				   uint32_t account_end)
{
	return (uint32_t)pay_mix(seed, account ^ (uint64_t)account_end << 29);
}

/* Account k of a table; its name is never 0. */
BENCH_INLINE struct pay_target pay_target_of(uint64_t k, uint64_t seed)
{
	struct pay_target target = {
		.account = (k + 1) * UINT64_C(0xd1342543de82ef95),
		.account_end = (uint32_t)k,
	};

	target.checksum =
		pay_checksum(seed, target.account, target.account_end);
	return target;
}

/* Whom message i, from 0 on, pays; seed is that of its payment. */
BENCH_INLINE struct pay_target pay_target(uint64_t i, uint32_t naccounts,
					  uint64_t seed)
{
	return pay_target_of(pay_mix(i + 1, 77) & (naccounts - 1), seed);
}

/* As the twelve bytes of a message say it. */
BENCH_INLINE void pay_account(struct pay_fields *f, const char *recipient)
{
	memcpy(&f->account, recipient, sizeof(f->account));
	memcpy(&f->account_end, recipient + sizeof(f->account),
	       sizeof(f->account_end));
}

BENCH_INLINE bool pay_validate(const struct pay_fields *f)
{
	return f->magic == PAY_MAGIC && f->type - 1 < PAY_TYPES - 1 &&
	       f->amount > 0 &&
	       f->checksum ==
		       pay_checksum(pay_seed(f), f->account, f->account_end);
}

/* Where the search for an account begins: nearly always where it ends. */
BENCH_INLINE struct pay_account *
pay_place(const struct pay_book *book, uint64_t account, uint32_t account_end)
{
	return &book->places[pay_mix(account, account_end) & book->mask];
}

/* Where a payment is counted, NULL for an unknown account. */
BENCH_INLINE struct pay_account *pay_route(const struct pay_book *book,
					   const struct pay_fields *f)
{
	struct pay_account *place = pay_place(book, f->account, f->account_end);

	while (place->account != f->account ||
	       place->account_end != f->account_end) {
		if (!place->account)
			return NULL;
		place = &book->places[(uint64_t)(place + 1 - book->places) &
				      book->mask];
	}
	return place;
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
