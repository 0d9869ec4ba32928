/* SPDX-License-Identifier: MIT */
/*
 * payments.c - made-up payments, and the sums that they come to
 */
#include "payments.h"

#include <inttypes.h>
#include <stdio.h>

/* Payment i: amounts and lengths vary, and are the same in each run. */
static void make(struct pay_payment *p, uint32_t i)
{
	const uint32_t r = (uint32_t)pay_mix(i + 1, 77);
	char text[PAY_REFERENCE + 1];

	memset(p, 0, sizeof(*p));
	snprintf(text, sizeof(text), "%09u", 21000021u + (r >> 8) % 64);
	memcpy(p->sender, text, 9);
	snprintf(text, sizeof(text), "INVOICE %010" PRIu32 " PART %u", r,
		 i % 97);
	memcpy(p->reference, text, strlen(text));
	p->memo_bytes = (r >> 16) % (PAY_MEMO_MAX + 1);
	memset(p->memo, 'a' + (int)(i % 26), p->memo_bytes);
	p->fields.magic = PAY_MAGIC;
	p->fields.type = 1 + r % (PAY_TYPES - 1);
	p->fields.amount = 1 + r % 1000000;
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

uint64_t pay_book_bytes(uint32_t naccounts)
{
	return (uint64_t)naccounts * PAY_PLACES * sizeof(struct pay_account);
}

void pay_book_init(struct pay_book *book, void *places, uint32_t naccounts)
{
	*book = (struct pay_book){
		.places = places,
		.mask = (uint64_t)naccounts * PAY_PLACES - 1,
		.naccounts = naccounts,
	};
	for (uint64_t k = 0; k < naccounts; k++) {
		const struct pay_target t = pay_target_of(k, 0);
		struct pay_account *place =
			pay_place(book, t.account, t.account_end);

		while (place->account)
			place = &book->places[(uint64_t)(place + 1 -
							 book->places) &
					      book->mask];
		place->account = t.account;
		place->account_end = t.account_end;
	}
}

void pay_book_clear(struct pay_book *book)
{
	for (uint64_t i = 0; i <= book->mask; i++) {
		book->places[i].payments = 0;
		book->places[i].cents = 0;
		book->places[i].stamps = 0;
	}
	memset(book->by_type, 0, sizeof(book->by_type));
	book->bad = 0;
}

/* All that is counted, as sums: a payment that was booked elsewhere shows. */
struct sums {
	uint64_t payments, stamps;
	uint64_t who; /* each payment and its cents, weighted by account */
	uint64_t by_type[PAY_TYPES];
};

static void add(struct sums *sums, uint64_t account, uint64_t payments,
		int64_t cents)
{
	sums->payments += payments;
	sums->who += pay_mix(account, 5) * (payments + (uint64_t)cents * 65537);
}

static void sum_book(const struct pay_book *book, struct sums *sums)
{
	for (uint64_t i = 0; i <= book->mask; i++) {
		const struct pay_account *const p = &book->places[i];

		add(sums, p->account, p->payments, p->cents);
		sums->stamps += p->stamps;
	}
	memcpy(sums->by_type, book->by_type, sizeof(sums->by_type));
}

static void sum_messages(uint32_t naccounts, uint64_t n, struct sums *sums)
{
	const struct pay_payment *const payments = pay_payments();

	for (uint64_t i = 0; i < n; i++) {
		const struct pay_fields *const f =
			&payments[i % PAY_PAYMENTS].fields;

		add(sums, pay_target(i, naccounts, 0).account, 1, f->amount);
		sums->stamps += i + 1;
		sums->by_type[f->type]++;
	}
}

bool pay_book_good(const struct pay_book *book, uint64_t n, bool numbered)
{
	struct sums is = { 0 }, wanted = { 0 };

	sum_book(book, &is);
	sum_messages(book->naccounts, n, &wanted);
	if (!numbered)
		is.stamps = wanted.stamps;
	return book->bad == 0 && memcmp(&is, &wanted, sizeof(is)) == 0;
}
