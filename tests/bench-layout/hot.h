/* SPDX-License-Identifier: MIT */
/*
 * hot.h - a payment in one line: what rungs 3 to 6 send, and the line by hand
 */
#ifndef BENCH_LAYOUT_HOT_H
#define BENCH_LAYOUT_HOT_H

#include <hotline/hotline.h>

#include "rung.h"

struct hot_payment {
	HL_ALIGN_LINE uint32_t magic;
	uint16_t type;
	uint16_t currency;
	uint64_t stamp;
	int64_t amount;
	uint64_t sequence;
	char sender[PAY_NAME];
	char recipient[PAY_NAME];
	uint32_t checksum;
	uint32_t payload_offset;
};
HL_ASSERT_MESSAGE(struct hot_payment);

BENCH_INLINE void hot_fill(struct hot_payment *m, const struct pay_payment *p)
{
	memset(m, 0, sizeof(*m));
	m->magic = p->fields.magic;
	m->type = (uint16_t)p->fields.type;
	m->currency = PAY_CURRENCY;
	m->amount = p->fields.amount;
	memcpy(m->sender, p->sender, PAY_NAME);
}

/* Store the line, all but the sequence: whose is the ring's. */
BENCH_INLINE void hot_put(struct hot_payment *slot,
			  const struct hot_payment *from, uint64_t stamp,
			  const struct pay_target *target,
			  uint32_t payload_offset)
{
	slot->magic = from->magic;
	slot->type = from->type;
	slot->currency = from->currency;
	slot->stamp = stamp;
	slot->amount = from->amount;
	memcpy(slot->sender, from->sender, PAY_NAME);
	memcpy(slot->recipient, &target->account, sizeof(target->account));
	memcpy(slot->recipient + sizeof(target->account), &target->account_end,
	       sizeof(target->account_end));
	slot->checksum = target->checksum;
	slot->payload_offset = payload_offset;
}

BENCH_INLINE void hot_pass(struct rung_desk *desk, const struct hot_payment *m)
{
	struct pay_fields f = {
		.magic = m->magic,
		.type = m->type,
		.stamp = m->stamp,
		.amount = m->amount,
		.checksum = m->checksum,
	};

	pay_account(&f, m->recipient);
	pay_pass(&desk->book, &f);
	rung_passed(desk, f.stamp);
}

/* Ask for the place where a message will be counted. */
BENCH_INLINE void hot_fetch_place(const struct rung_desk *desk,
				  const struct hot_payment *m)
{
	struct pay_fields f;

	pay_account(&f, m->recipient);
	__builtin_prefetch(pay_place(&desk->book, f.account, f.account_end), 1);
}

#endif /* BENCH_LAYOUT_HOT_H */
