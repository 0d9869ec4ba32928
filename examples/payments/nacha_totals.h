/* SPDX-License-Identifier: MIT */
/*
 * nacha_totals - what an ACH control record states, counted independently
 *
 * The same struct holds what a control record (type 8 or 9) says and what a
 * reader of the entries counted, so that comparing them is one call. Counting
 * needs only an entry's receiving bank, transaction code and amount: the ledger
 * counts from messages what the reader counts from lines.
 */
#ifndef NACHA_TOTALS_H
#define NACHA_TOTALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct nacha_totals {
	uint64_t entries; /* entries and addenda, as control records count */
	uint64_t hash;	  /* sum of receiving banks, 8 digits each, mod 10^10 */
	uint64_t debit_cents;
	uint64_t credit_cents;
	uint64_t batches; /* of a file; 0 in the totals of a batch */
	uint64_t blocks;  /* stated by a file control; never counted */
};

enum nacha_direction {
	NACHA_NO_CODE, /* no transaction code of an entry */
	NACHA_CREDIT,
	NACHA_DEBIT,
};

/* Which way a transaction code moves money. */
enum nacha_direction nacha_code_direction(unsigned int code);

/* Prenotes try an account out; their amount must be zero. */
bool nacha_code_is_prenote(unsigned int code);

/* The check digit of the eight digits that identify a bank. */
unsigned int nacha_check_digit(uint32_t bank8);

/* bank is the routing number with its check digit, nine digits. */
void nacha_totals_add_entry(struct nacha_totals *totals, uint32_t bank,
			    unsigned int code, uint64_t cents);
void nacha_totals_add_addenda(struct nacha_totals *totals, uint64_t count);
void nacha_totals_add_batch(struct nacha_totals *file,
			    const struct nacha_totals *batch);

/* Blocks of ten records that a file with these totals fills. */
uint64_t nacha_totals_blocks(const struct nacha_totals *file);

/*
 * nacha_totals_agree - compare a control record with what was counted
 *
 * Returns true, or false and in why each value that differs, both ways.
 */
bool nacha_totals_agree(const struct nacha_totals *said,
			const struct nacha_totals *counted, char *why,
			size_t size_bytes);

#endif
