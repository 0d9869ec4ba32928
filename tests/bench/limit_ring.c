/* SPDX-License-Identifier: MIT */
/*
 * limit_ring.c - messages one by one through a bare ring that many could use
 *
 * The least that such a ring is: a slot is a line with its stamp, a position is
 * taken by a locked instruction on one word, the consumer stores how far it is.
 * Nobody can join, die, wait or be counted. It shows what of the library's cost
 * for a message alone is the ring, and what is the library. It asks for lines
 * ahead, and stays away in a stream, as the library does.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "fill.h"

struct channel {
	_Alignas(128) _Atomic uint64_t head; /* positions taken */
	_Alignas(128) _Atomic uint64_t tail; /* positions read */
	size_t bytes;
	_Alignas(4096) struct bench_message slots[];
};

#define AHEAD 8 /* slots that the producer asks for ahead */

struct place {
	uint64_t mask, next, free_below;
};

static void *create(const struct bench_contender *self,
		    const struct bench_shape *shape)
{
	const size_t bytes = sizeof(struct channel) +
			     shape->slots * sizeof(struct bench_message);
	struct channel *const channel = bench_shared(bytes);

	(void)self;
	if (channel)
		channel->bytes = bytes;
	return channel;
}

static void destroy(void *channel)
{
	bench_unshare(channel, ((struct channel *)channel)->bytes);
}

static int join(struct bench_side *side)
{
	struct place *const place = calloc(1, sizeof(*place));

	if (!place)
		return -1;
	place->mask = side->shape->slots - 1;
	side->end = place;
	return 0;
}

static void leave(struct bench_side *side)
{
	free(side->end);
}

BENCH_INLINE _Atomic uint64_t *stamp_of(struct bench_message *slot)
{
	return (_Atomic uint64_t *)(void *)((char *)slot + 24);
}

BENCH_INLINE void send_number(struct bench_side *side, uint64_t number)
{
	struct channel *const channel = side->channel;
	struct place *const place = side->end;
	uint64_t h = atomic_load_explicit(&channel->head, memory_order_relaxed);
	uint32_t spins = 0;

	do {
		while (h > place->free_below + place->mask) {
			place->free_below = atomic_load_explicit(
				&channel->tail, memory_order_acquire);
			bench_spin(side, &spins);
		}
	} while (!atomic_compare_exchange_weak_explicit(
		&channel->head, &h, h + 1, memory_order_acq_rel,
		memory_order_relaxed));
	struct bench_message *const slot = &channel->slots[h & place->mask];

	if (h + AHEAD <= place->free_below + place->mask)
		__builtin_prefetch(&channel->slots[(h + AHEAD) & place->mask],
				   1);
	bench_fill(slot, 0, number);
	atomic_store_explicit(stamp_of(slot), h + 1, memory_order_release);
}

/* Until half a ring is there, or 256 pauses. */
static void stay_away(struct channel *channel, const struct place *place)
{
	_Atomic uint64_t *const far = stamp_of(
		&channel->slots[(place->next + place->mask / 2) & place->mask]);

	for (int i = 1; i <= 256; i++) {
		bench_pause();
		if (i % 8 == 0 &&
		    atomic_load_explicit(far, memory_order_relaxed) >
			    place->next)
			return;
	}
}

BENCH_INLINE const struct bench_message *next(struct bench_side *side,
					      bool stream)
{
	struct channel *const channel = side->channel;
	struct place *const place = side->end;
	struct bench_message *const slot =
		&channel->slots[place->next & place->mask];
	uint32_t spins = 0;

	/* What was read before is free now. */
	atomic_store_explicit(&channel->tail, place->next,
			      memory_order_release);
	place->next++;
	while (atomic_load_explicit(stamp_of(slot), memory_order_acquire) !=
	       place->next) {
		bench_spin(side, &spins);
		if (stream)
			stay_away(channel, place);
	}
	return slot;
}

static void produce(struct bench_side *side, uint64_t first, uint64_t n)
{
	for (; n; n--, first++)
		send_number(side, first);
}

static void consume(struct bench_side *side, uint64_t n,
		    struct bench_tally *tally)
{
	while (tally->count < n)
		bench_tally_next(tally, next(side, true));
}

static void send_one(struct bench_side *side, const struct bench_message *m)
{
	send_number(side, m->number);
}

static void recv_one(struct bench_side *side, struct bench_message *m)
{
	memcpy(m, next(side, false), sizeof(*m));
}

const struct bench_contender bench_ring = {
	.name = "limit: bare ring",
	.api = "written by hand: a stamp in each line, a locked instruction a "
	       "message",
	.role = BENCH_LIMIT,
	.can = BENCH_CAN_ROUND,
	.create = create,
	.destroy = destroy,
	.join = join,
	.leave = leave,
	.produce = produce,
	.consume = consume,
	.send = send_one,
	.recv = recv_one,
};
