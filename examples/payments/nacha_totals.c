/* SPDX-License-Identifier: MIT */
/*
 * nacha_totals - what an ACH control record states, counted independently
 *
 * Sums are 64-bit and so cannot wrap: a file has at most 10^7 entries of at
 * most 10^10 cents.
 */
#include "nacha_totals.h"

#include <inttypes.h>
#include <stdio.h>

#define HASH_LIMIT UINT64_C(10000000000)

/*
 * The first digit is the kind of account (2 checking, 3 savings, 4 general
 * ledger, 5 loan); the second 1 to 4 credits it and 6 to 9 debits it, but a
 * loan can only be debited to reverse (55) or to return (56) a credit.
 */
enum nacha_direction nacha_code_direction(unsigned int code)
{
	const unsigned int account = code / 10;
	const unsigned int action = code % 10;

	if (account < 2 || account > 5 || action == 0)
		return NACHA_NO_CODE;
	if (action <= 4)
		return NACHA_CREDIT;
	if (account == 5)
		return action <= 6 ? NACHA_DEBIT : NACHA_NO_CODE;
	return action >= 6 ? NACHA_DEBIT : NACHA_NO_CODE;
}

bool nacha_code_is_prenote(unsigned int code)
{
	return nacha_code_direction(code) != NACHA_NO_CODE &&
	       (code % 10 == 3 || code % 10 == 8);
}

unsigned int nacha_check_digit(uint32_t bank8)
{
	/* From the last digit to the first. */
	static const unsigned int weight[8] = { 7, 3, 1, 7, 3, 1, 7, 3 };
	unsigned int sum = 0;

	for (int i = 0; i < 8; i++) {
		sum += weight[i] * (bank8 % 10);
		bank8 /= 10;
	}
	return (10 - sum % 10) % 10;
}

void nacha_totals_add_entry(struct nacha_totals *totals, uint32_t bank,
			    unsigned int code, uint64_t cents)
{
	totals->entries++;
	totals->hash = (totals->hash + bank / 10) % HASH_LIMIT;
	if (nacha_code_direction(code) == NACHA_DEBIT)
		totals->debit_cents += cents;
	else
		totals->credit_cents += cents;
}

void nacha_totals_add_addenda(struct nacha_totals *totals, uint64_t count)
{
	totals->entries += count;
}

void nacha_totals_add_batch(struct nacha_totals *file,
			    const struct nacha_totals *batch)
{
	file->entries += batch->entries;
	file->hash = (file->hash + batch->hash) % HASH_LIMIT;
	file->debit_cents += batch->debit_cents;
	file->credit_cents += batch->credit_cents;
	file->batches++;
}

/* Beside the entries: two records for the file and two for each batch. */
uint64_t nacha_totals_blocks(const struct nacha_totals *file)
{
	return (2 + 2 * file->batches + file->entries + 9) / 10;
}

bool nacha_totals_agree(const struct nacha_totals *said,
			const struct nacha_totals *counted, char *why,
			size_t size_bytes)
{
	const struct {
		const char *what;
		uint64_t said;
		uint64_t counted;
	} pairs[] = {
		{ "batches", said->batches, counted->batches },
		{ "blocks", said->blocks,
		  said->blocks ? nacha_totals_blocks(counted) : 0 },
		{ "entries", said->entries, counted->entries },
		{ "hash", said->hash, counted->hash },
		{ "debit cents", said->debit_cents, counted->debit_cents },
		{ "credit cents", said->credit_cents, counted->credit_cents },
	};
	size_t used = 0;

	if (size_bytes > 0)
		why[0] = '\0';
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		if (pairs[i].said == pairs[i].counted)
			continue;
		used += (size_t)snprintf(
			used < size_bytes ? why + used : NULL,
			used < size_bytes ? size_bytes - used : 0,
			"%s%s %" PRIu64 ", control says %" PRIu64,
			used ? "; " : "", pairs[i].what, pairs[i].counted,
			pairs[i].said);
	}
	return used == 0;
}
