/* SPDX-License-Identifier: MIT */
/*
 * limit_line.c - the best stream of lines that we know how to write by hand
 *
 * One producer; each consumer sees all. The stamp is in the line: number n of
 * the stream is there when the line says so. Consumers say now and then how far
 * they are, in a line each. Nobody can join, die, wait or be counted: that is
 * what makes it a limit. Stores of a line are x86's strong order, or, as the
 * scalar kind, release stores.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fill.h"
#include "line.h"

struct cursor {
	_Alignas(128) _Atomic uint64_t next;
};

struct channel {
	struct cursor cursors[BENCH_MEMBERS_MAX];
	size_t bytes;
	_Alignas(4096) unsigned char lines[];
};

static void *create(const struct bench_contender *self,
		    const struct bench_shape *shape)
{
	const size_t bytes = sizeof(struct channel) +
			     (size_t)shape->slots * shape->slot_bytes;
	struct channel *const channel = bench_shared(bytes);

	(void)self;
	if (!channel)
		return NULL;
	channel->bytes = bytes;
	for (size_t i = 0; i < BENCH_MEMBERS_MAX; i++)
		channel->cursors[i].next = i < shape->consumers ? 1 :
								  UINT64_MAX;
	return channel;
}

static void destroy(void *channel)
{
	bench_unshare(channel, ((struct channel *)channel)->bytes);
}

/* How far this side is: kept between calls. */
struct place {
	uint64_t next, free_below;
};

static int join(struct bench_side *side)
{
	struct place *const place = calloc(1, sizeof(*place));

	if (!place)
		return -1;
	place->next = place->free_below = 1;
	side->end = place;
	return 0;
}

static void leave(struct bench_side *side)
{
	free(side->end);
}

static uint64_t slowest(const struct channel *channel)
{
	uint64_t low = UINT64_MAX;

	for (size_t i = 0; i < BENCH_MEMBERS_MAX; i++)
		low = bench_min(low,
				atomic_load_explicit(&channel->cursors[i].next,
						     memory_order_acquire));
	return low;
}

BENCH_INLINE void store_line(unsigned char *at, uint64_t number, uint32_t store)
{
#if defined(__SSE2__)
	if (store == LINE_SCALAR) {
		bench_store(at + 32, number);
		bench_store(at + 40, BENCH_MORE_1);
		bench_store(at + 48, BENCH_MORE_2);
		bench_store(at + 56, 0);
		bench_store(at, BENCH_MAGIC);
		bench_store(at + 8, number);
		bench_store(at + 16, ~number);
		atomic_store_explicit((_Atomic uint64_t *)(void *)(at + 24),
				      number, memory_order_release);
		return;
	}
	bench_fill_warm(at, number);
#if defined(__AVX2__)
	if (store == LINE_32) {
		__asm__ volatile("" ::: "memory");
		_mm256_store_si256((__m256i *)(void *)at,
				   _mm256_set_epi64x((long long)number,
						     (long long)~number,
						     (long long)number,
						     (long long)BENCH_MAGIC));
		return;
	}
#endif
	bench_fill_hot(at, 0, number);
	__asm__ volatile("" ::: "memory");
	_mm_store_si128((__m128i *)(void *)(at + 16),
			_mm_set_epi64x((long long)number, (long long)~number));
#else
	(void)store;
	bench_fill(at, 0, number);
	atomic_store_explicit((_Atomic uint64_t *)(void *)(at + 24), number,
			      memory_order_release);
#endif
	__asm__ volatile("" ::: "memory");
}

BENCH_INLINE void store_slot(struct channel *channel,
			     const struct bench_shape *shape, uint64_t number,
			     uint32_t store, uint32_t ahead)
{
	const uint64_t mask = shape->slots - 1;
	unsigned char *const at =
		channel->lines + (number & mask) * shape->slot_bytes;

	if (ahead)
		__builtin_prefetch(channel->lines + ((number + ahead) & mask) *
							    shape->slot_bytes,
				   1);
	if (shape->slot_bytes > BENCH_LINE)
		bench_fill_wide(at, number);
	store_line(at, number, store);
}

BENCH_INLINE void stream_out(struct bench_side *side, uint64_t n,
			     uint32_t store, bool first_last, uint32_t ahead)
{
	struct channel *const channel = side->channel;
	const struct bench_shape shape = *side->shape;
	struct place *const place = side->end;
	uint64_t p = place->next;

	while (n) {
		const uint64_t k = bench_min(shape.burst, n);
		uint32_t spins = 0;

		while (p + k > place->free_below + shape.slots) {
			place->free_below = slowest(channel);
			if (p + k > place->free_below + shape.slots)
				bench_spin(side, &spins);
		}
		for (uint64_t i = first_last; i < k; i++)
			store_slot(channel, &shape, p + i, store, ahead);
		if (first_last)
			store_slot(channel, &shape, p, store, 0);
		p += k;
		n -= k;
	}
	place->next = p;
}

#define AHEADS(store, first_last)                                              \
	switch (variant.ahead) {                                               \
	case 0:                                                                \
		stream_out(side, n, (store), (first_last), 0);                 \
		break;                                                         \
	case 4:                                                                \
		stream_out(side, n, (store), (first_last), 4);                 \
		break;                                                         \
	case 8:                                                                \
		stream_out(side, n, (store), (first_last), 8);                 \
		break;                                                         \
	case 16:                                                               \
		stream_out(side, n, (store), (first_last), 16);                \
		break;                                                         \
	default:                                                               \
		stream_out(side, n, (store), (first_last), 32);                \
		break;                                                         \
	}

#define VARIANTS(name, store)                                                  \
	static void name(struct bench_side *side, uint64_t n,                  \
			 struct line_variant variant)                          \
	{                                                                      \
		if (variant.first_last) {                                      \
			AHEADS(store, true)                                    \
		} else {                                                       \
			AHEADS(store, false)                                   \
		}                                                              \
	}

VARIANTS(produce_scalar, LINE_SCALAR)
VARIANTS(produce_16, LINE_16)
VARIANTS(produce_32, LINE_32)

static void produce(struct bench_side *side, uint64_t first, uint64_t n)
{
	const struct line_variant variant = line_variant(side->shape->variant);

	(void)first; /* it goes on where it stopped */
	switch (variant.store) {
	case LINE_SCALAR:
		produce_scalar(side, n, variant);
		break;
	case LINE_32:
		produce_32(side, n, variant);
		break;
	default:
		produce_16(side, n, variant);
	}
}

BENCH_INLINE const _Atomic uint64_t *stamp_of(const struct channel *channel,
					      const struct bench_shape *shape,
					      uint64_t number)
{
	const uint64_t at = (number & (shape->slots - 1)) * shape->slot_bytes;

	return (const _Atomic uint64_t *)(const void *)(channel->lines + at +
							24);
}

/* Until half a ring is there, but no more than 1,024 lines, or 256 pauses. */
static void stay_away(const struct channel *channel,
		      const struct bench_shape *shape, uint64_t next)
{
	const _Atomic uint64_t *const far = stamp_of(
		channel, shape, next + bench_min(shape->slots / 2, 1024) - 1);

	for (int i = 1; i <= 256; i++) {
		bench_pause();
		if (i % 8 == 0 &&
		    atomic_load_explicit(far, memory_order_relaxed) >= next)
			return;
	}
}

BENCH_INLINE void stream_in(struct bench_side *side, uint64_t n,
			    struct bench_tally *total, bool wide,
			    uint32_t fetch)
{
	struct channel *const channel = side->channel;
	const struct bench_shape shape = *side->shape;
	const struct line_variant variant = line_variant(shape.variant);
	struct place *const place = side->end;
	_Atomic uint64_t *const mine = &channel->cursors[side->id].next;
	const uint64_t mask = shape.slots - 1;
	const uint64_t step = shape.slots / 8;
	struct bench_tally tally = *total;
	uint32_t spins = 0;
	uint64_t p = place->next;

	while (tally.count < n) {
		const unsigned char *const at =
			channel->lines + (p & mask) * shape.slot_bytes;
		const _Atomic uint64_t *const stamp =
			stamp_of(channel, &shape, p);

		while (atomic_load_explicit(stamp, memory_order_acquire) != p) {
			bench_spin(side, &spins);
			if (variant.backoff == LINE_STAY)
				stay_away(channel, &shape, p);
			else
				for (uint32_t i = 0; i < variant.backoff; i++)
					bench_pause();
		}
		if (fetch)
			__builtin_prefetch(channel->lines +
					   ((p + fetch) & mask) *
						   shape.slot_bytes);
		bench_tally_next(&tally, (const void *)at);
		if (wide)
			bench_tally_wide(&tally, (const void *)at);
		if (++p % step == 0)
			atomic_store_explicit(mine, p, memory_order_release);
	}
	atomic_store_explicit(mine, p, memory_order_release);
	place->next = p;
	*total = tally;
}

static void consume(struct bench_side *side, uint64_t n,
		    struct bench_tally *tally)
{
	const uint32_t fetch = line_variant(side->shape->variant).fetch;
	const bool wide = side->shape->slot_bytes > BENCH_LINE;

	if (wide)
		stream_in(side, n, tally, true, 0);
	else if (fetch == 24)
		stream_in(side, n, tally, false, 24);
	else if (fetch)
		stream_in(side, n, tally, false, 8);
	else
		stream_in(side, n, tally, false, 0);
}

/* Two lines, one each way: the same line all the time. */
static void send_one(struct bench_side *side, const struct bench_message *m)
{
	struct channel *const channel = side->channel;
	struct place *const place = side->end;

	store_line(channel->lines, m->number, LINE_16);
	place->next = m->number + 1;
}

static void recv_one(struct bench_side *side, struct bench_message *m)
{
	struct channel *const channel = side->channel;
	struct place *const place = side->end;
	_Atomic uint64_t *const stamp =
		(_Atomic uint64_t *)(void *)(channel->lines + 24);
	uint32_t spins = 0;

	while (atomic_load_explicit(stamp, memory_order_acquire) < place->next)
		bench_spin(side, &spins);
	memcpy(m, channel->lines, sizeof(*m));
	place->next = m->number + 1;
}

const struct bench_contender bench_line = {
	.name = "limit: line stream",
	.api = "written by hand, settings tuned in this run; round trip: two "
	       "lines, one each way",
	.role = BENCH_LIMIT,
	.can = BENCH_CAN_ONE | BENCH_CAN_BROADCAST | BENCH_CAN_ROUND |
	       BENCH_CAN_WIDE,
	.create = create,
	.destroy = destroy,
	.join = join,
	.leave = leave,
	.produce = produce,
	.consume = consume,
	.send = send_one,
	.recv = recv_one,
};
