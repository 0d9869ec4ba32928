/* SPDX-License-Identifier: MIT */
/*
 * peer_dpdk.c - DPDK's rte_ring, with elements of a whole message
 *
 * The ring stands in plain shared memory: it needs nothing of DPDK's
 * environment. Single producer and consumer: copied, or filled and read in
 * place (rte_ring_peek_zc.h). Many: the default, and the two that limit what a
 * pre-empted member holds up, HTS and RTS.
 */
#include <rte_ring.h>
#include <rte_ring_elem.h>
#include <rte_ring_peek_zc.h>

#include "blocks.h"
#include "copied.h"

enum {
	MODE_SP,
	MODE_ZC,
	MODE_MP,
	MODE_HTS,
	MODE_RTS,
};

static const uint32_t flags[] = {
	[MODE_SP] = RING_F_SP_ENQ | RING_F_SC_DEQ | RING_F_EXACT_SZ,
	[MODE_ZC] = RING_F_SP_ENQ | RING_F_SC_DEQ | RING_F_EXACT_SZ,
	[MODE_MP] = RING_F_EXACT_SZ,
	[MODE_HTS] = RING_F_MP_HTS_ENQ | RING_F_MC_HTS_DEQ | RING_F_EXACT_SZ,
	[MODE_RTS] = RING_F_MP_RTS_ENQ | RING_F_MC_RTS_DEQ | RING_F_EXACT_SZ,
};

static size_t ring_bytes(uint32_t slots)
{
	/* Exactly slots usable ones take the next power of two. */
	return (size_t)rte_ring_get_memsize_elem(BENCH_LINE, slots * 2);
}

static void *create(const struct bench_contender *self,
		    const struct bench_shape *shape)
{
	struct rte_ring *const ring = bench_shared(ring_bytes(shape->slots));

	if (!ring)
		return NULL;
	if (rte_ring_init(ring, "bench", shape->slots, flags[self->mode]) != 0)
		return NULL;
	return ring;
}

static void destroy(void *channel)
{
	const struct rte_ring *const ring = channel;

	bench_unshare(channel, ring_bytes(ring->capacity));
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

BENCH_INLINE uint32_t sp_push(struct bench_side *side,
			      const struct bench_message *m, uint32_t k)
{
	return rte_ring_sp_enqueue_burst_elem(side->channel, m, BENCH_LINE, k,
					      NULL);
}

BENCH_INLINE uint32_t sp_pop(struct bench_side *side, struct bench_message *m,
			     uint32_t k)
{
	return rte_ring_sc_dequeue_burst_elem(side->channel, m, BENCH_LINE, k,
					      NULL);
}

BENCH_INLINE uint32_t mp_push(struct bench_side *side,
			      const struct bench_message *m, uint32_t k)
{
	return rte_ring_mp_enqueue_burst_elem(side->channel, m, BENCH_LINE, k,
					      NULL);
}

BENCH_INLINE uint32_t mp_pop(struct bench_side *side, struct bench_message *m,
			     uint32_t k)
{
	return rte_ring_mc_dequeue_burst_elem(side->channel, m, BENCH_LINE, k,
					      NULL);
}

BENCH_INLINE uint32_t hts_push(struct bench_side *side,
			       const struct bench_message *m, uint32_t k)
{
	return rte_ring_mp_hts_enqueue_burst_elem(side->channel, m, BENCH_LINE,
						  k, NULL);
}

BENCH_INLINE uint32_t hts_pop(struct bench_side *side, struct bench_message *m,
			      uint32_t k)
{
	return rte_ring_mc_hts_dequeue_burst_elem(side->channel, m, BENCH_LINE,
						  k, NULL);
}

BENCH_INLINE uint32_t rts_push(struct bench_side *side,
			       const struct bench_message *m, uint32_t k)
{
	return rte_ring_mp_rts_enqueue_burst_elem(side->channel, m, BENCH_LINE,
						  k, NULL);
}

BENCH_INLINE uint32_t rts_pop(struct bench_side *side, struct bench_message *m,
			      uint32_t k)
{
	return rte_ring_mc_rts_dequeue_burst_elem(side->channel, m, BENCH_LINE,
						  k, NULL);
}

COPIED_LOOPS(sp, sp_push, sp_pop)
COPIED_LOOPS(mp, mp_push, mp_pop)
COPIED_LOOPS(hts, hts_push, hts_pop)
COPIED_LOOPS(rts, rts_push, rts_pop)

BENCH_INLINE void fill_run(void *at, uint32_t n, uint32_t id, uint64_t first)
{
	unsigned char *const slots = at;

	for (uint32_t i = 0; i < n; i++)
		bench_fill_whole(slots + (size_t)i * BENCH_LINE, id, first + i);
}

static void zc_produce(struct bench_side *side, uint64_t first, uint64_t n)
{
	struct rte_ring *const ring = side->channel;
	struct rte_ring_zc_data run;
	uint32_t spins = 0;

	while (n) {
		const uint32_t k = rte_ring_enqueue_zc_burst_elem_start(
			ring, BENCH_LINE,
			(uint32_t)bench_min(side->shape->burst, n), &run, NULL);

		if (k == 0) {
			bench_spin(side, &spins);
			continue;
		}
		fill_run(run.ptr1, run.n1, side->id, first);
		if (run.n1 < k)
			fill_run(run.ptr2, k - run.n1, side->id,
				 first + run.n1);
		rte_ring_enqueue_zc_finish(ring, k);
		first += k;
		n -= k;
	}
}

BENCH_INLINE void tally_run(const void *at, uint32_t n,
			    struct bench_tally *tally)
{
	const unsigned char *const slots = at;

	for (uint32_t i = 0; i < n; i++)
		bench_tally_next(
			tally, (const void *)(slots + (size_t)i * BENCH_LINE));
}

static void zc_consume(struct bench_side *side, uint64_t n,
		       struct bench_tally *total)
{
	struct rte_ring *const ring = side->channel;
	struct bench_tally tally = *total;
	struct rte_ring_zc_data run;
	uint32_t spins = 0;

	while (tally.count < n) {
		const uint32_t k = rte_ring_dequeue_zc_burst_elem_start(
			ring, BENCH_LINE, side->shape->take, &run, NULL);

		if (k == 0) {
			bench_spin(side, &spins);
			continue;
		}
		tally_run(run.ptr1, run.n1, &tally);
		if (run.n1 < k)
			tally_run(run.ptr2, k - run.n1, &tally);
		rte_ring_dequeue_zc_finish(ring, k);
	}
	*total = tally;
}

#define RTE_RING(variable, text, how, can_do, mode_, loops)                    \
	const struct bench_contender variable = {                              \
		.name = text,                                                  \
		.api = how,                                                    \
		.role = BENCH_PEER,                                            \
		.can = can_do,                                                 \
		.mode = mode_,                                                 \
		.create = create,                                              \
		.destroy = destroy,                                            \
		.join = join,                                                  \
		.leave = leave,                                                \
		.produce = loops##_produce,                                    \
		.end = loops##_end,                                            \
		.consume = loops##_consume,                                    \
		.send = loops##_send,                                          \
		.recv = loops##_recv,                                          \
	}

#define zc_end sp_end
#define zc_send sp_send
#define zc_recv sp_recv

RTE_RING(bench_rte_sp, "rte_ring SP/SC",
	 "rte_ring_sp_enqueue_burst_elem, sc_dequeue; 64-byte elements, copied",
	 BENCH_CAN_ONE | BENCH_CAN_ROUND, MODE_SP, sp);
RTE_RING(bench_rte_zc, "rte_ring SP/SC in place",
	 "rte_ring_enqueue_zc_burst_elem_start and finish, dequeue alike",
	 BENCH_CAN_ONE, MODE_ZC, zc);
RTE_RING(bench_rte_mp, "rte_ring MP/MC",
	 "rte_ring_mp_enqueue_burst_elem, mc_dequeue; 64-byte elements, copied",
	 BENCH_CAN_ONE | BENCH_CAN_MANY, MODE_MP, mp);
RTE_RING(bench_rte_hts, "rte_ring HTS", "the same, head and tail in step",
	 BENCH_CAN_MANY, MODE_HTS, hts);
RTE_RING(bench_rte_rts, "rte_ring RTS", "the same, relaxed tail",
	 BENCH_CAN_MANY, MODE_RTS, rts);

/* --- Payloads: indices of blocks in the ring ---------------------------- */

struct pool {
	struct rte_ring *ring;
	struct blocks blocks;
};

static void *create_pool(const struct bench_contender *self,
			 const struct bench_shape *shape)
{
	struct pool *const pool = bench_shared(sizeof(*pool));

	if (!pool)
		return NULL;
	pool->ring = create(self, shape);
	/* The slot is free before its block is read. */
	return pool->ring && blocks_init(&pool->blocks, shape,
					 shape->take + shape->burst) ?
		       pool :
		       NULL;
}

static void destroy_pool(void *channel)
{
	struct pool *const pool = channel;

	destroy(pool->ring);
	blocks_fini(&pool->blocks);
	bench_unshare(pool, sizeof(*pool));
}

static void pool_produce(struct bench_side *side, uint64_t first, uint64_t n)
{
	struct pool *const pool = side->channel;
	struct bench_message m;
	uint32_t spins = 0;

	for (uint64_t i = first; i < first + n; i++) {
		/* Room first: only then is the block free. */
		while (rte_ring_full(pool->ring))
			bench_spin(side, &spins);
		blocks_write(&pool->blocks, i, side->shape->copied);
		bench_fill_whole(&m, side->id, i);
		rte_ring_sp_enqueue_burst_elem(pool->ring, &m, BENCH_LINE, 1,
					       NULL);
	}
}

static void pool_consume(struct bench_side *side, uint64_t n,
			 struct bench_tally *tally)
{
	struct pool *const pool = side->channel;
	struct bench_message m;
	uint32_t spins = 0;

	while (tally->count < n) {
		if (rte_ring_sc_dequeue_burst_elem(pool->ring, &m, BENCH_LINE,
						   1, NULL) == 0) {
			bench_spin(side, &spins);
			continue;
		}
		bench_tally_next(tally, &m);
		tally->bad |= blocks_bad(&pool->blocks, tally->count,
					 side->shape->copied);
	}
}

const struct bench_contender bench_rte_pool = {
	.name = "rte_ring SP/SC, blocks in turn",
	.api = "rte_ring_sp_enqueue_burst_elem; payloads in shared memory",
	.role = BENCH_PEER,
	.can = BENCH_CAN_PAYLOAD,
	.mode = MODE_SP,
	.create = create_pool,
	.destroy = destroy_pool,
	.join = join,
	.leave = leave,
	.produce = pool_produce,
	.consume = pool_consume,
};
