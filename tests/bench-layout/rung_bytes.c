/* SPDX-License-Identifier: MIT */
/*
 * rung_bytes.c - rungs 1 and 2: structs copied into and out of a ring of bytes
 *
 * Rung 1 has the fields of struct packed_payment without a byte between them,
 * and records without a byte between them. Rung 2 has the same fields in the
 * same order, each where its type wants to be, and records that begin on lines.
 * The sender has its records ready and sets the stamp, so that what is measured
 * is the way and the reading.
 *
 * The plainest ring beside them moves the records of rung 1 and looks at
 * nothing in them. It asks for the other side's position each time, which is
 * what one writes first.
 */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

#include "byte_ring.h"
#include "examples/payments/packed_payment.h"
#include "rung.h"

struct aligned_payment {
	uint32_t magic;
	uint8_t version;
	uint16_t type;
	uint8_t flags;
	uint32_t size_bytes;
	uint64_t sequence;
	uint64_t timestamp;
	char sender[PAY_NAME];
	char recipient[PAY_NAME];
	char reference[PAY_REFERENCE];
	char currency[3];
	int64_t amount;
	uint16_t memo_bytes;
	uint32_t checksum;
	char memo[];
};

enum {
	PACKED = 1,   /* alignment of records: also of their fields */
	ALIGNED = 64, /* a line */
};

/* A process's end, and the records that it sends. */
struct end {
	struct byte_end byte;
	uint64_t next; /* payment */
	uint32_t sizes[PAY_PAYMENTS];
	_Alignas(64) unsigned char records[PAY_PAYMENTS][BYTE_RECORD_MAX];
};

#define FILL_RECORD(struct_)                                                   \
	struct struct_ *const r = (struct struct_ *)(void *)record;            \
	const uint32_t size = (uint32_t)sizeof(*r) + p->memo_bytes;            \
	r->magic = p->fields.magic;                                            \
	r->version = PACKED_PAYMENT_VERSION;                                   \
	r->type = (uint16_t)p->fields.type;                                    \
	r->size_bytes = size;                                                  \
	r->amount = p->fields.amount;                                          \
	r->memo_bytes = (uint16_t)p->memo_bytes;                               \
	r->checksum = p->fields.checksum;                                      \
	memcpy(r->sender, p->sender, PAY_NAME);                                \
	memcpy(r->recipient, p->recipient, PAY_NAME);                          \
	memcpy(r->reference, p->reference, PAY_REFERENCE);                     \
	memcpy(r->currency, "USD", sizeof(r->currency));                       \
	memcpy(record + offsetof(struct struct_, memo), p->memo, p->memo_bytes)

static uint32_t fill_packed(unsigned char *record, const struct pay_payment *p)
{
	FILL_RECORD(packed_payment);
	return size;
}

static uint32_t fill_aligned(unsigned char *record, const struct pay_payment *p)
{
	FILL_RECORD(aligned_payment);
	return size;
}

static void *create(const struct bench_contender *self,
		    const struct bench_shape *shape)
{
	/* A packed record has 151 bytes on average: not quite as many of them
	 * as slots, and so sooner in a cache. */
	const uint64_t bytes = (uint64_t)shape->slots * 128;
	struct byte_ring *const ring = bench_shared(sizeof(*ring) + bytes);

	(void)self;
	if (ring)
		ring->size = bytes;
	return ring;
}

static void destroy(void *channel)
{
	struct byte_ring *const ring = channel;

	bench_unshare(ring, sizeof(*ring) + ring->size);
}

/* Have all pages in this process's table, as rings of the library do. */
static void touch_pages(struct byte_ring *ring)
{
	const volatile unsigned char *const bytes = ring->bytes;

	for (uint64_t at = 0; at < ring->size; at += 4096)
		(void)bytes[at];
}

static int join(struct bench_side *side, uint32_t align)
{
	struct end *const end = aligned_alloc(64, sizeof(*end));

	if (!end)
		return -ENOMEM;
	memset(end, 0, sizeof(*end));
	byte_end_init(&end->byte, side->channel);
	touch_pages(side->channel);
	for (uint32_t i = 0; i < PAY_PAYMENTS; i++) {
		const struct pay_payment *const p = &pay_payments()[i];

		end->sizes[i] = align == PACKED ?
					fill_packed(end->records[i], p) :
					fill_aligned(end->records[i], p);
	}
	side->end = end;
	return 0;
}

static int join_packed(struct bench_side *side)
{
	return join(side, PACKED);
}

static int join_aligned(struct bench_side *side)
{
	return join(side, ALIGNED);
}

static void leave(struct bench_side *side)
{
	free(side->end);
}

static void ranges(struct bench_side *side, struct rung_ranges *ranges)
{
	const struct byte_ring *const ring = side->channel;

	ranges->all = ring;
	ranges->messages = ring->bytes;
	ranges->messages_end = ring->bytes + ring->size;
	ranges->all_end = ranges->messages_end;
}

/* The next payment, with its stamp: a record of *n bytes. */
BENCH_INLINE const unsigned char *next_record(struct end *end, uint64_t stamp,
					      size_t stamp_at, uint32_t *n)
{
	const size_t i = end->next++ % PAY_PAYMENTS;

	memcpy(end->records[i] + stamp_at, &stamp, sizeof(stamp));
	*n = end->sizes[i];
	return end->records[i];
}

BENCH_INLINE void put(struct bench_side *side, uint64_t stamp, size_t stamp_at,
		      uint32_t align)
{
	struct end *const end = side->end;
	uint32_t n, spins = 0;
	const unsigned char *const record =
		next_record(end, stamp, stamp_at, &n);

	while (!byte_put(&end->byte, record, n, align))
		bench_spin(side, &spins);
}

BENCH_INLINE void put_packed(struct bench_side *side, const uint64_t *stamps,
			     uint32_t k)
{
	(void)k; /* one by one */
	put(side, *stamps, offsetof(struct packed_payment, timestamp), PACKED);
}

BENCH_INLINE void put_aligned(struct bench_side *side, const uint64_t *stamps,
			      uint32_t k)
{
	(void)k;
	put(side, *stamps, offsetof(struct aligned_payment, timestamp),
	    ALIGNED);
}

#define PASS_RECORD(r, desk)                                                   \
	do {                                                                   \
		struct pay_fields f = {                                        \
			.magic = (r)->magic,                                   \
			.type = (r)->type,                                     \
			.stamp = (r)->timestamp,                               \
			.amount = (r)->amount,                                 \
			.checksum = (r)->checksum,                             \
		};                                                             \
		pay_bank(&f, (r)->recipient);                                  \
		pay_pass(&(desk)->book, &f);                                   \
		rung_passed(desk, f.stamp);                                    \
	} while (0)

BENCH_INLINE uint32_t get_packed(struct bench_side *side,
				 struct rung_desk *desk)
{
	struct end *const end = side->end;
	_Alignas(64) unsigned char copy[BYTE_RECORD_MAX];
	const struct packed_payment *const r = (const void *)copy;

	if (byte_get(&end->byte, copy, PACKED) < sizeof(*r))
		return 0;
	PASS_RECORD(r, desk);
	return 1;
}

BENCH_INLINE uint32_t get_aligned(struct bench_side *side,
				  struct rung_desk *desk)
{
	struct end *const end = side->end;
	_Alignas(64) unsigned char copy[BYTE_RECORD_MAX];
	const struct aligned_payment *const r = (const void *)copy;

	if (byte_get(&end->byte, copy, ALIGNED) <
	    offsetof(struct aligned_payment, memo))
		return 0;
	PASS_RECORD(r, desk);
	return 1;
}

RUNG_LOOPS(packed, 1, put_packed, get_packed)
RUNG_LOOPS(aligned, 1, put_aligned, get_aligned)

/* --- The plainest ring ---------------------------------------------------- */

BENCH_INLINE void put_plain(struct bench_side *side, const uint64_t *stamps,
			    uint32_t k)
{
	struct end *const end = side->end;
	struct byte_end *const byte = &end->byte;
	uint32_t n, spins = 0;
	const unsigned char *const record = next_record(
		end, *stamps, offsetof(struct packed_payment, timestamp), &n);

	(void)k;
	while (byte->at + sizeof(n) + n -
		       atomic_load_explicit(&byte->ring->read,
					    memory_order_acquire) >
	       byte->size)
		bench_spin(side, &spins);
	byte_copy_in(byte, byte->at, &n, sizeof(n));
	byte_copy_in(byte, byte->at + sizeof(n), record, n);
	byte->at += sizeof(n) + n;
	atomic_store_explicit(&byte->ring->written, byte->at,
			      memory_order_release);
}

BENCH_INLINE uint32_t get_plain(struct bench_side *side, struct rung_desk *desk)
{
	struct byte_end *const byte = &((struct end *)side->end)->byte;
	_Alignas(64) unsigned char copy[BYTE_RECORD_MAX];
	uint32_t n;

	if (atomic_load_explicit(&byte->ring->written, memory_order_acquire) ==
	    byte->at)
		return 0;
	byte_copy_out(byte, byte->at, &n, sizeof(n));
	if (n > sizeof(copy))
		return 0;
	byte_copy_out(byte, byte->at + sizeof(n), copy, n);
	/* The copy is wanted, though nobody looks at it. */
	__asm__ volatile("" ::"r"(copy) : "memory");
	byte->at += sizeof(n) + n;
	atomic_store_explicit(&byte->ring->read, byte->at,
			      memory_order_release);
	desk->book.by_type[0]++;
	return 1;
}

RUNG_LOOPS(plain, 1, put_plain, get_plain)

#define BYTES_CONTENDER(name_, api_, role_, join_)                             \
	.contender = {                                                         \
		.name = name_,                                                 \
		.api = api_,                                                   \
		.role = role_,                                                 \
		.can = BENCH_CAN_ONE,                                          \
		.create = create,                                              \
		.destroy = destroy,                                            \
		.join = join_,                                                 \
		.leave = leave,                                                \
	},                                                                     \
	.ranges = ranges

const struct rung rung_plain = {
	BYTES_CONTENDER("0 plainest byte ring", "copy, look at nothing",
			BENCH_PEER, join_packed),
	.adds = "what moving the bytes costs",
	RUNG_FUNCTIONS(plain),
};

const struct rung rung_packed = {
	BYTES_CONTENDER("1 packed", "byte ring, copied out", BENCH_PEER,
			join_packed),
	.adds = "validate, route, count",
	RUNG_FUNCTIONS(packed),
};

const struct rung rung_aligned = {
	BYTES_CONTENDER("2 aligned", "byte ring, copied out", BENCH_PEER,
			join_aligned),
	.adds = "fields and records aligned",
	RUNG_FUNCTIONS(aligned),
};
