/* SPDX-License-Identifier: MIT */
/*
 * peer_qb.c - libqb's ring buffer, without semaphores: the receiver polls
 *
 * Built and read in place: chunk_alloc and commit, chunk_peek and reclaim. Its
 * files are in /dev/shm and go with it.
 */
#include <stdio.h>
#include <unistd.h>

#include <qb/qbrb.h>

#include "fill.h"

struct channel {
	qb_ringbuffer_t *parents;
	size_t bytes;
	char name[64];
};

#define FLAGS (QB_RB_FLAG_SHARED_PROCESS | QB_RB_FLAG_NO_SEMAPHORE)

static void *create(const struct bench_contender *self,
		    const struct bench_shape *shape)
{
	static unsigned serial;
	struct channel *const channel = bench_shared(sizeof(*channel));

	(void)self;
	if (!channel)
		return NULL;
	/* A chunk has a header of three words. */
	channel->bytes = (size_t)shape->slots * (BENCH_LINE + 12);
	snprintf(channel->name, sizeof(channel->name), "hotline-bench-%ld-%u",
		 (long)getpid(), serial++);
	channel->parents = qb_rb_open(channel->name, channel->bytes,
				      FLAGS | QB_RB_FLAG_CREATE, 0);
	return channel->parents ? channel : NULL;
}

static void destroy(void *memory)
{
	struct channel *const channel = memory;

	qb_rb_close(channel->parents);
	bench_unshare(channel, sizeof(*channel));
}

static int join(struct bench_side *side)
{
	struct channel *const channel = side->channel;

	side->end = qb_rb_open(channel->name, channel->bytes, FLAGS, 0);
	return side->end ? 0 : -1;
}

static void leave(struct bench_side *side)
{
	qb_rb_close(side->end); /* who created it removes it */
}

BENCH_INLINE void *room(struct bench_side *side)
{
	uint32_t spins = 0;
	void *at;

	while (!(at = qb_rb_chunk_alloc(side->end, BENCH_LINE)))
		bench_spin(side, &spins);
	return at;
}

static void produce(struct bench_side *side, uint64_t first, uint64_t n)
{
	for (uint64_t i = first; i < first + n; i++) {
		struct bench_message m;

		/* Its chunks are not aligned. */
		bench_fill_whole(&m, side->id, i);
		memcpy(room(side), &m, sizeof(m));
		qb_rb_chunk_commit(side->end, BENCH_LINE);
	}
}

BENCH_INLINE void take(struct bench_side *side, struct bench_message *m)
{
	uint32_t spins = 0;
	void *at;

	while (qb_rb_chunk_peek(side->end, &at, 0) <= 0)
		bench_spin(side, &spins);
	memcpy(m, at, sizeof(*m));
	qb_rb_chunk_reclaim(side->end);
}

static void consume(struct bench_side *side, uint64_t n,
		    struct bench_tally *tally)
{
	struct bench_message m;

	while (bench_more(tally, n)) {
		take(side, &m);
		bench_tally_next(tally, &m);
	}
}

static void send_one(struct bench_side *side, const struct bench_message *m)
{
	memcpy(room(side), m, sizeof(*m));
	qb_rb_chunk_commit(side->end, BENCH_LINE);
}

const struct bench_contender bench_qb = {
	.name = "libqb ring buffer",
	.api = "qb_rb_chunk_alloc and commit, peek and reclaim; polling; one a "
	       "call",
	.role = BENCH_PEER,
	.can = BENCH_CAN_ONE | BENCH_CAN_ROUND,
	.create = create,
	.destroy = destroy,
	.join = join,
	.leave = leave,
	.produce = produce,
	.consume = consume,
	.send = send_one,
	.recv = take,
};
