/* SPDX-License-Identifier: MIT */
/*
 * byte_ring.h - records in a ring of bytes, from one process to another
 *
 * What a payments system has when it has no library: a length, then so many
 * bytes, one record behind the other, split in two where the ring ends. Each
 * side publishes after each record how far it has come, on a line of its own,
 * and looks at the other's only when what it saw last does not suffice, so that
 * neither line moves for each record.
 *
 * Guarantees: records come whole and in order, to one reader from one writer.
 * Positions never wrap. Nobody may die.
 *
 * The functions take the alignment of records as a constant: 1 packs them, 64
 * lets each begin on a line.
 */
#ifndef BENCH_LAYOUT_BYTE_RING_H
#define BENCH_LAYOUT_BYTE_RING_H

#include <stdatomic.h>
#include <string.h>

#include "tests/bench/bench.h"

enum {
	BYTE_RECORD_MAX = 256
};

struct byte_ring {
	_Alignas(128) _Atomic uint64_t written; /* bytes, ever */
	_Alignas(128) _Atomic uint64_t read;
	_Alignas(128) uint64_t size; /* a power of two, above a record's */
	_Alignas(128) unsigned char bytes[];
};

/* One end of it, in the memory of its process. */
struct byte_end {
	struct byte_ring *ring;
	unsigned char *bytes;
	uint64_t size;
	uint64_t at;   /* ours */
	uint64_t seen; /* the other's, when last looked at */
};

BENCH_INLINE void byte_end_init(struct byte_end *end, struct byte_ring *ring)
{
	*end = (struct byte_end){
		.ring = ring,
		.bytes = ring->bytes,
		.size = ring->size,
	};
}

/* Bytes that a record takes: alignment is a power of two. */
BENCH_INLINE uint64_t byte_record(uint32_t n, uint32_t prefix, uint32_t align)
{
	return ((uint64_t)n + prefix + align - 1) & ~((uint64_t)align - 1);
}

BENCH_INLINE void byte_copy_in(struct byte_end *end, uint64_t at,
			       const void *from, size_t n)
{
	const uint64_t place = at & (end->size - 1);
	const size_t row = end->size - place;

	if (__builtin_expect(n <= row, 1)) {
		memcpy(end->bytes + place, from, n);
		return;
	}
	memcpy(end->bytes + place, from, row);
	memcpy(end->bytes, (const char *)from + row, n - row);
}

BENCH_INLINE void byte_copy_out(const struct byte_end *end, uint64_t at,
				void *to, size_t n)
{
	const uint64_t place = at & (end->size - 1);
	const size_t row = end->size - place;

	if (__builtin_expect(n <= row, 1)) {
		memcpy(to, end->bytes + place, n);
		return;
	}
	memcpy(to, end->bytes + place, row);
	memcpy((char *)to + row, end->bytes, n - row);
}

/* The length before a record: as wide as the record's fields need it. */
BENCH_INLINE uint32_t byte_prefix(uint32_t align)
{
	return align > 1 ? 8 : 4;
}

/* Is there room up to a position? Asks the reader only if it has to. */
BENCH_INLINE bool byte_room(struct byte_end *end, uint64_t after)
{
	if (after - end->seen > end->size)
		end->seen = atomic_load_explicit(&end->ring->read,
						 memory_order_acquire);
	return after - end->seen <= end->size;
}

/* Copy a length and a record of so many bytes to where the writer is. */
BENCH_INLINE void byte_copy_record(struct byte_end *end, const void *record,
				   uint32_t n, uint32_t prefix)
{
	byte_copy_in(end, end->at, &n, sizeof(n));
	byte_copy_in(end, end->at + prefix, record, n);
}

BENCH_INLINE void byte_publish(struct byte_end *end, uint64_t after)
{
	end->at = after;
	atomic_store_explicit(&end->ring->written, after, memory_order_release);
}

/* Copy the next record out: its length; 0 for none, or for one too long. */
BENCH_INLINE uint32_t byte_get(struct byte_end *end, void *record,
			       uint32_t align)
{
	const uint32_t prefix = byte_prefix(align);
	uint32_t n;

	if (end->at == end->seen) {
		end->seen = atomic_load_explicit(&end->ring->written,
						 memory_order_acquire);
		if (end->at == end->seen)
			return 0;
	}
	byte_copy_out(end, end->at, &n, sizeof(n));
	if (n > BYTE_RECORD_MAX)
		return 0;
	byte_copy_out(end, end->at + prefix, record, n);
	end->at += byte_record(n, prefix, align);
	atomic_store_explicit(&end->ring->read, end->at, memory_order_release);
	return n;
}

#endif /* BENCH_LAYOUT_BYTE_RING_H */
