/* SPDX-License-Identifier: MIT */
/*
 * packed_payment - a payment as many a wire format has it: not a byte wasted
 *
 * The checksum is FNV-1a with 32 bits. It covers the whole message, so that
 * checking one reads each of its lines.
 */
#include "packed_payment.h"

#include <errno.h>
#include <string.h>

_Static_assert(offsetof(struct packed_payment, sender) == 28,
	       "the header has 28 bytes");
_Static_assert(sizeof(struct packed_payment) == 101,
	       "a payment without memo has 101 bytes");

static uint32_t hash(uint32_t sum, const unsigned char *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		sum = (sum ^ bytes[i]) * 16777619u;
	return sum;
}

static uint32_t checksum(const unsigned char *bytes, size_t size)
{
	const size_t at = offsetof(struct packed_payment, checksum);
	const size_t after = at + sizeof(uint32_t);

	return hash(hash(2166136261u, bytes, at), bytes + after, size - after);
}

static void put_text(char *field, size_t field_bytes, const char *text)
{
	const size_t len = strnlen(text, field_bytes);

	memcpy(field, text, len);
	memset(field + len, 0, field_bytes - len);
}

ssize_t packed_payment_put(void *out, size_t room,
			   const struct packed_payment *head,
			   const struct packed_payment_text *text)
{
	struct packed_payment p = *head;
	const size_t memo = strnlen(text->memo, PACKED_PAYMENT_MEMO_MAX);
	const size_t size = sizeof(p) + memo;

	if (room < size)
		return -EMSGSIZE;
	p.magic = PACKED_PAYMENT_MAGIC;
	p.version = PACKED_PAYMENT_VERSION;
	p.flags = 0;
	p.size_bytes = (uint32_t)size;
	p.memo_bytes = (uint16_t)memo;
	put_text(p.sender, sizeof(p.sender), text->sender);
	put_text(p.recipient, sizeof(p.recipient), text->recipient);
	put_text(p.reference, sizeof(p.reference), text->reference);
	memcpy(p.currency, "USD", sizeof(p.currency));
	memcpy(out, &p, sizeof(p));
	memcpy((char *)out + sizeof(p), text->memo, memo);
	p.checksum = checksum(out, size);
	memcpy((char *)out + offsetof(struct packed_payment, checksum),
	       &p.checksum, sizeof(p.checksum));
	return (ssize_t)size;
}

ssize_t packed_payment_check(const void *bytes, size_t room)
{
	struct packed_payment p;

	if (room < sizeof(p))
		return 0;
	memcpy(&p, bytes, sizeof(p));
	if (p.magic != PACKED_PAYMENT_MAGIC ||
	    p.version != PACKED_PAYMENT_VERSION ||
	    p.memo_bytes > PACKED_PAYMENT_MEMO_MAX ||
	    p.size_bytes != sizeof(p) + p.memo_bytes)
		return -EBADMSG;
	if (room < p.size_bytes)
		return 0;
	if (checksum(bytes, p.size_bytes) != p.checksum)
		return -EBADMSG;
	return (ssize_t)p.size_bytes;
}
