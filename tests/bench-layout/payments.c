/* SPDX-License-Identifier: MIT */
/*
 * payments.c - made-up payments, and the sums that they come to
 */
#include "payments.h"

#include <inttypes.h>
#include <stdio.h>

/* Bank k: nine digits, padded with zero bytes. */
static void bank_name(unsigned k, char *out)
{
	char digits[16];

	snprintf(digits, sizeof(digits), "%09u", 21000021u + k * 4759123u);
	memset(out, 0, PAY_NAME);
	memcpy(out, digits, 9);
}

/* Payment i: amounts, banks and lengths vary, and are the same in each run. */
static void make(struct pay_payment *p, uint32_t i)
{
	const uint32_t r = (uint32_t)pay_mix(i + 1, 77);
	char reference[PAY_REFERENCE + 1];

	memset(p, 0, sizeof(*p));
	bank_name((r >> 8) % PAY_BANKS, p->sender);
	bank_name(r % PAY_BANKS, p->recipient);
	snprintf(reference, sizeof(reference), "INVOICE %010" PRIu32 " PART %u",
		 r, i % 97);
	memcpy(p->reference, reference, strlen(reference));
	p->memo_bytes = (r >> 16) % (PAY_MEMO_MAX + 1);
	memset(p->memo, 'a' + (int)(i % 26), p->memo_bytes);
	p->fields.magic = PAY_MAGIC;
	p->fields.type = 1 + r % (PAY_TYPES - 1);
	p->fields.amount = 1 + r % 1000000;
	pay_bank(&p->fields, p->recipient);
	p->fields.checksum = pay_checksum(&p->fields);
}

const struct pay_payment *pay_payments(void)
{
	static struct pay_payment payments[PAY_PAYMENTS];

	if (!payments[0].fields.magic) {
		for (uint32_t i = 0; i < PAY_PAYMENTS; i++)
			make(&payments[i], i);
	}
	return payments;
}

void pay_book_init(struct pay_book *book)
{
	memset(book, 0, sizeof(*book));
	for (unsigned k = 0; k < PAY_BANKS; k++) {
		struct pay_fields f = { 0 };
		char name[PAY_NAME];
		size_t i;

		bank_name(k, name);
		pay_bank(&f, name);
		i = pay_mix(f.bank, f.bank_end) % PAY_TABLE;
		while (book->accounts[i].bank)
			i = (i + 1) % PAY_TABLE;
		book->accounts[i].bank = f.bank;
		book->accounts[i].bank_end = f.bank_end;
	}
}

/* How often payment i is among the first n messages. */
static uint64_t times(uint64_t n, uint32_t i)
{
	return n / PAY_PAYMENTS + (i < n % PAY_PAYMENTS);
}

bool pay_book_good(const struct pay_book *book, uint64_t n, bool numbered)
{
	static struct pay_book wanted;
	uint64_t stamps = 0;

	pay_book_init(&wanted);
	for (uint32_t i = 0; i < PAY_PAYMENTS; i++) {
		const struct pay_fields *const f = &pay_payments()[i].fields;
		struct pay_account *const account = pay_route(&wanted, f);

		account->payments += (uint32_t)times(n, i);
		account->cents += f->amount * (int64_t)times(n, i);
	}
	for (size_t i = 0; i < PAY_TABLE; i++) {
		const struct pay_account *const is = &book->accounts[i];
		const struct pay_account *const want = &wanted.accounts[i];

		if (is->payments != want->payments || is->cents != want->cents)
			return false;
		stamps += is->stamps;
	}
	return book->bad == 0 && (!numbered || stamps == n * (n + 1) / 2);
}
