/* SPDX-License-Identifier: MIT */
/*
 * peer_ck.c - Concurrency Kit's ck_ring, typed for a whole message
 */
#include <ck_ring.h>

#include "copied.h"

CK_RING_PROTOTYPE(bench, bench_message)

struct channel {
	struct ck_ring ring;
	size_t bytes;
	_Alignas(4096) struct bench_message slots[];
};

static void *create(const struct bench_contender *self,
		    const struct bench_shape *shape)
{
	/* It holds one less than its size. */
	const size_t bytes =
		sizeof(struct channel) +
		(size_t)shape->slots * sizeof(struct bench_message);
	struct channel *const channel = bench_shared(bytes);

	(void)self;
	if (!channel)
		return NULL;
	channel->bytes = bytes;
	ck_ring_init(&channel->ring, shape->slots);
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

/* What stays on the stack is read only: the interface does not say so. */
BENCH_INLINE struct bench_message *unconst(const struct bench_message *m)
{
	return (struct bench_message *)(uintptr_t)m;
}

BENCH_INLINE uint32_t spsc_push(struct bench_side *side,
				const struct bench_message *m, uint32_t k)
{
	struct channel *const channel = side->channel;
	uint32_t i;

	for (i = 0; i < k; i++) {
		if (!CK_RING_ENQUEUE_SPSC(bench, &channel->ring, channel->slots,
					  unconst(&m[i])))
			break;
	}
	return i;
}

BENCH_INLINE uint32_t spsc_pop(struct bench_side *side, struct bench_message *m,
			       uint32_t k)
{
	struct channel *const channel = side->channel;
	uint32_t i;

	for (i = 0; i < k; i++) {
		if (!CK_RING_DEQUEUE_SPSC(bench, &channel->ring, channel->slots,
					  &m[i]))
			break;
	}
	return i;
}

BENCH_INLINE uint32_t mpmc_push(struct bench_side *side,
				const struct bench_message *m, uint32_t k)
{
	struct channel *const channel = side->channel;
	uint32_t i;

	for (i = 0; i < k; i++) {
		if (!CK_RING_ENQUEUE_MPMC(bench, &channel->ring, channel->slots,
					  unconst(&m[i])))
			break;
	}
	return i;
}

BENCH_INLINE uint32_t mpmc_pop(struct bench_side *side, struct bench_message *m,
			       uint32_t k)
{
	struct channel *const channel = side->channel;
	uint32_t i;

	for (i = 0; i < k; i++) {
		if (!CK_RING_DEQUEUE_MPMC(bench, &channel->ring, channel->slots,
					  &m[i]))
			break;
	}
	return i;
}

COPIED_LOOPS(spsc, spsc_push, spsc_pop)
COPIED_LOOPS(mpmc, mpmc_push, mpmc_pop)

const struct bench_contender bench_ck_spsc = {
	.name = "ck_ring SPSC",
	.api = "CK_RING_ENQUEUE_SPSC of 64-byte elements, one a call: it has "
	       "no bursts",
	.role = BENCH_PEER,
	.can = BENCH_CAN_ONE | BENCH_CAN_ROUND,
	.create = create,
	.destroy = destroy,
	.join = join,
	.leave = leave,
	.produce = spsc_produce,
	.end = spsc_end,
	.consume = spsc_consume,
	.send = spsc_send,
	.recv = spsc_recv,
};

const struct bench_contender bench_ck_mpmc = {
	.name = "ck_ring MPMC",
	.api = "CK_RING_ENQUEUE_MPMC, the same",
	.role = BENCH_PEER,
	.can = BENCH_CAN_MANY,
	.create = create,
	.destroy = destroy,
	.join = join,
	.leave = leave,
	.produce = mpmc_produce,
	.end = mpmc_end,
	.consume = mpmc_consume,
	.send = mpmc_send,
	.recv = mpmc_recv,
};
