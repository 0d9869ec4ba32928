/* SPDX-License-Identifier: MIT */
/*
 * limit_block.c - memory that one core writes and another reads, and no more
 *
 * A block is announced by a stamp, a line a message, and given back by a cursor
 * that the reader moves after each eighth of the ring, or each message.
 */
#include <stdatomic.h>
#include <stdlib.h>

#include "blocks.h"

struct channel {
	_Alignas(128) _Atomic uint64_t next; /* of the reader */
	size_t bytes;
	struct blocks blocks;
	_Alignas(4096) unsigned char lines[];
};

static unsigned char *line_of(const struct bench_side *side, uint64_t p)
{
	struct channel *const channel = side->channel;

	return channel->lines +
	       (p & (side->shape->slots - 1)) * (uint64_t)BENCH_LINE;
}

static _Atomic uint64_t *stamp_of(const struct bench_side *side, uint64_t p)
{
	return (_Atomic uint64_t *)(void *)(line_of(side, p) + 24);
}

static void *create(const struct bench_contender *self,
		    const struct bench_shape *shape)
{
	const size_t bytes =
		sizeof(struct channel) + (size_t)shape->slots * BENCH_LINE;
	struct channel *const channel = bench_shared(bytes);

	(void)self;
	if (!channel)
		return NULL;
	channel->bytes = bytes;
	channel->next = 1;
	return blocks_init(&channel->blocks, shape, 0) ? channel : NULL;
}

static void destroy(void *memory)
{
	struct channel *const channel = memory;

	blocks_fini(&channel->blocks);
	bench_unshare(channel, channel->bytes);
}

static int join(struct bench_side *side)
{
	(void)side;
	return 0;
}

static void leave(struct bench_side *side)
{
	(void)side;
}

static void produce(struct bench_side *side, uint64_t first, uint64_t n)
{
	struct channel *const channel = side->channel;
	const bool copied = side->shape->copied;
	uint64_t free_below = 0;
	uint32_t spins = 0;

	for (uint64_t p = first; p < first + n; p++) {
		while (p >= free_below) {
			free_below =
				atomic_load_explicit(&channel->next,
						     memory_order_acquire) +
				side->shape->slots;
			if (p >= free_below)
				bench_spin(side, &spins);
		}
		blocks_write(&channel->blocks, p, copied);
		bench_fill(line_of(side, p), 0, p);
		atomic_store_explicit(stamp_of(side, p), p,
				      memory_order_release);
	}
}

static void consume(struct bench_side *side, uint64_t n,
		    struct bench_tally *tally)
{
	struct channel *const channel = side->channel;
	const bool copied = side->shape->copied;
	const uint64_t step = side->shape->slots < 8 ? 1 :
						       side->shape->slots / 8;
	uint32_t spins = 0;

	while (tally->count < n) {
		const uint64_t p = tally->count + 1;

		while (atomic_load_explicit(stamp_of(side, p),
					    memory_order_acquire) != p)
			bench_spin(side, &spins);
		bench_tally_next(tally, (const void *)line_of(side, p));
		tally->bad |= blocks_bad(&channel->blocks, p, copied);
		if (p % step == 0)
			atomic_store_explicit(&channel->next, p + 1,
					      memory_order_release);
	}
	atomic_store_explicit(&channel->next, tally->count + 1,
			      memory_order_release);
}

const struct bench_contender bench_block = {
	.name = "limit: memory",
	.api = "written by hand: blocks used in turn, a stamp each",
	.role = BENCH_LIMIT,
	.can = BENCH_CAN_PAYLOAD,
	.create = create,
	.destroy = destroy,
	.join = join,
	.leave = leave,
	.produce = produce,
	.consume = consume,
};
