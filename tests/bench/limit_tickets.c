/* SPDX-License-Identifier: MIT */
/*
 * limit_tickets.c - many to many by hand: tickets, and stamps in the lines
 *
 * A burst of places is had by one addition, on either side; then each place is
 * waited for by its own stamp: n for free for n, n + 1 for filled. Fast, and
 * nothing more: who dies between the two stops all others. Rows of many
 * producers or consumers are measured by it, though it bounds nothing: others
 * were seen to be faster.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "fill.h"

struct channel {
	_Alignas(128) _Atomic uint64_t head;
	_Alignas(128) _Atomic uint64_t tail;
	size_t bytes;
	_Alignas(4096) unsigned char lines[];
};

static _Atomic uint64_t *stamp_of(unsigned char *line)
{
	return (_Atomic uint64_t *)(void *)(line + 24);
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
	for (uint64_t i = 0; i < shape->slots; i++)
		*stamp_of(channel->lines + i * BENCH_LINE) = i;
	return channel;
}

static void destroy(void *channel)
{
	bench_unshare(channel, ((struct channel *)channel)->bytes);
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

/* The line of a ticket, once its stamp is the one that is waited for. */
BENCH_INLINE unsigned char *line_of(struct bench_side *side, uint64_t ticket,
				    uint64_t stamp)
{
	struct channel *const channel = side->channel;
	unsigned char *const line =
		channel->lines +
		(ticket & (side->shape->slots - 1)) * (uint64_t)BENCH_LINE;
	uint32_t spins = 0;

	while (atomic_load_explicit(stamp_of(line), memory_order_acquire) !=
	       stamp)
		bench_spin(side, &spins);
	return line;
}

BENCH_INLINE void stream_out(struct bench_side *side, uint64_t first,
			     uint64_t n, uint32_t type)
{
	struct channel *const channel = side->channel;

	while (n) {
		const uint64_t k = bench_min(side->shape->burst, n);
		const uint64_t ticket = atomic_fetch_add_explicit(
			&channel->head, k, memory_order_relaxed);

		for (uint64_t i = 0; i < k; i++) {
			unsigned char *const line =
				line_of(side, ticket + i, ticket + i);

			bench_fill(line, type, first + i);
			atomic_store_explicit(stamp_of(line), ticket + i + 1,
					      memory_order_release);
		}
		first += k;
		n -= k;
	}
}

static void produce(struct bench_side *side, uint64_t first, uint64_t n)
{
	stream_out(side, first, n, side->id);
}

static void end_stream(struct bench_side *side, uint64_t n)
{
	stream_out(side, 1, n, BENCH_END_TYPE);
}

static void consume(struct bench_side *side, uint64_t n,
		    struct bench_tally *total)
{
	struct channel *const channel = side->channel;
	const uint64_t slots = side->shape->slots;
	struct bench_tally tally = *total;

	while (bench_more(&tally, n)) {
		const uint64_t k = side->shape->take;
		const uint64_t ticket = atomic_fetch_add_explicit(
			&channel->tail, k, memory_order_relaxed);

		for (uint64_t i = 0; i < k; i++) {
			unsigned char *const line =
				line_of(side, ticket + i, ticket + i + 1);

			bench_tally_any(&tally, (const void *)line);
			atomic_store_explicit(stamp_of(line),
					      ticket + i + slots,
					      memory_order_release);
		}
	}
	*total = tally;
}

const struct bench_contender bench_tickets = {
	.name = "limit: tickets",
	.api = "written by hand: fetch-and-add, a stamp in each line; nobody "
	       "may die",
	.role = BENCH_LIMIT,
	.can = BENCH_CAN_MANY,
	.create = create,
	.destroy = destroy,
	.join = join,
	.leave = leave,
	.produce = produce,
	.end = end_stream,
	.consume = consume,
};
