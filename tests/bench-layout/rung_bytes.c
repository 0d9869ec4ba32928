/* SPDX-License-Identifier: MIT */
/*
 * rung_bytes.c - rungs 1 and 2: structs copied into and out of a ring of bytes
 *
 * Rung 1 has the fields of struct packed_payment without a byte between them,
 * and records without a byte between them. Rung 2 has the same fields in the
 * same order, each where its type wants to be, and records that begin on lines.
 * The sender has its records ready and sets in the ring what differs, so that
 * what is measured is the way and the reading. Set before the copy, it would be
 * read again by wider loads than it was stored by, and each copy would wait.
 *
 * The plainest rings beside them move the records of rung 1, set nothing and
 * look at nothing in them. One asks for the other side's position each time,
 * which is what one writes first; the other remembers it, as rungs 1 and 2 do.
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
	PACKED = 1,   /* alignment of records */
	ALIGNED = 64, /* a line */
};

/* A process's end, and the records that it sends. */
struct end {
	struct byte_end byte;
	uint64_t next; /* payment */
	uint32_t accounts;
	uint32_t sizes[PAY_PAYMENTS];
	uint64_t seeds[PAY_PAYMENTS];
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
	memcpy(r->sender, p->sender, PAY_NAME);                                \
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
	end->accounts = side->shape->accounts;
	for (uint32_t i = 0; i < PAY_PAYMENTS; i++) {
		const struct pay_payment *const p = &pay_payments()[i];

		end->seeds[i] = pay_seed(&p->fields);
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

/* Where in a record is what the sender sets. */
struct places {
	size_t stamp, recipient, checksum;
};

#define PLACES_OF(struct_)                                                     \
	{                                                                      \
		.stamp = offsetof(struct struct_, timestamp),                  \
		.recipient = offsetof(struct struct_, recipient),              \
		.checksum = offsetof(struct struct_, checksum),                \
	}

static const struct places packed_places = PLACES_OF(packed_payment);
static const struct places aligned_places = PLACES_OF(aligned_payment);

/* Set payment i's in the record that was copied to a position. */
BENCH_INLINE void set_places(struct end *end, uint64_t i, uint64_t at,
			     const struct places *places, uint64_t stamp)
{
	const struct pay_target t =
		pay_target(i, end->accounts, end->seeds[i % PAY_PAYMENTS]);

	byte_copy_in(&end->byte, at + places->stamp, &stamp, sizeof(stamp));
	byte_copy_in(&end->byte, at + places->recipient, &t.account,
		     sizeof(t.account));
	byte_copy_in(&end->byte, at + places->recipient + sizeof(t.account),
		     &t.account_end, sizeof(t.account_end));
	byte_copy_in(&end->byte, at + places->checksum, &t.checksum,
		     sizeof(t.checksum));
}

BENCH_INLINE void put(struct bench_side *side, uint64_t stamp,
		      const struct places *places, uint32_t align)
{
	struct end *const end = side->end;
	struct byte_end *const byte = &end->byte;
	const uint64_t i = end->next++;
	const uint32_t n = end->sizes[i % PAY_PAYMENTS];
	const uint32_t prefix = byte_prefix(align);
	const uint64_t after = byte->at + byte_record(n, prefix, align);
	uint32_t spins = 0;

	while (!byte_room(byte, after))
		bench_spin(side, &spins);
	byte_copy_record(byte, end->records[i % PAY_PAYMENTS], n, prefix);
	set_places(end, i, byte->at + prefix, places, stamp);
	byte_publish(byte, after);
}

BENCH_INLINE void put_packed(struct bench_side *side, const uint64_t *stamps,
			     uint32_t k)
{
	(void)k; /* one by one */
	put(side, *stamps, &packed_places, PACKED);
}

BENCH_INLINE void put_aligned(struct bench_side *side, const uint64_t *stamps,
			      uint32_t k)
{
	(void)k;
	put(side, *stamps, &aligned_places, ALIGNED);
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
		pay_account(&f, (r)->recipient);                               \
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

/* --- The plainest rings --------------------------------------------------- */

BENCH_INLINE void move_in(struct bench_side *side, bool remembers)
{
	struct end *const end = side->end;
	struct byte_end *const byte = &end->byte;
	const uint64_t i = end->next++ % PAY_PAYMENTS;
	const uint32_t n = end->sizes[i];
	const uint64_t after = byte->at + sizeof(n) + n;
	uint32_t spins = 0;

	if (!remembers)
		byte->seen = atomic_load_explicit(&byte->ring->read,
						  memory_order_acquire);
	while (!byte_room(byte, after))
		bench_spin(side, &spins);
	byte_copy_record(byte, end->records[i], n, sizeof(n));
	byte_publish(byte, after);
}

BENCH_INLINE uint32_t move_out(struct bench_side *side, struct rung_desk *desk,
			       bool remembers)
{
	struct byte_end *const byte = &((struct end *)side->end)->byte;
	_Alignas(64) unsigned char copy[BYTE_RECORD_MAX];

	if (!remembers)
		byte->seen = byte->at;
	if (byte_get(byte, copy, PACKED) == 0)
		return 0;
	/* The copy is wanted, though nobody looks at it. */
	__asm__ volatile("" ::"r"(copy) : "memory");
	desk->book.by_type[0]++;
	return 1;
}

BENCH_INLINE void put_plain(struct bench_side *side, const uint64_t *stamps,
			    uint32_t k)
{
	(void)stamps;
	(void)k;
	move_in(side, false);
}

BENCH_INLINE void put_remember(struct bench_side *side, const uint64_t *stamps,
			       uint32_t k)
{
	(void)stamps;
	(void)k;
	move_in(side, true);
}

BENCH_INLINE uint32_t get_plain(struct bench_side *side, struct rung_desk *desk)
{
	return move_out(side, desk, false);
}

BENCH_INLINE uint32_t get_remember(struct bench_side *side,
				   struct rung_desk *desk)
{
	return move_out(side, desk, true);
}

RUNG_LOOPS(plain, 1, put_plain, get_plain)
RUNG_LOOPS(remember, 1, put_remember, get_remember)

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

const struct rung rung_remember = {
	BYTES_CONTENDER("0 that remembers", "copy, look at nothing", BENCH_PEER,
			join_packed),
	.adds = "the same, with the other side's position remembered",
	RUNG_FUNCTIONS(remember),
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
