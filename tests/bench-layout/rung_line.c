/* SPDX-License-Identifier: MIT */
/*
 * rung_line.c - the same payments in one line each, with no library around them
 *
 * What any layout of one line could come to, and so a limit: the sender stores
 * a line, its number last, and the consumer sees by the number that it is
 * there. Now and then the consumer says how far it is. Nobody can join, wait,
 * die or be counted, and there are no payloads.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "hot.h"

enum {
	LINE_AHEAD = 16, /* lines and places that are asked for */
};

struct line_ring {
	_Alignas(128) _Atomic uint64_t read; /* messages, ever */
	_Alignas(128) uint64_t bytes;
	_Alignas(4096) struct hot_payment lines[];
};

struct end {
	struct line_ring *ring;
	uint64_t mask, next, seen;
	uint32_t accounts;
	uint64_t seeds[PAY_PAYMENTS];
	struct hot_payment messages[PAY_PAYMENTS];
};

static void *create(const struct bench_contender *self,
		    const struct bench_shape *shape)
{
	const uint64_t bytes = sizeof(struct line_ring) +
			       (uint64_t)shape->slots * HL_LINE_BYTES;
	struct line_ring *const ring = bench_shared(bytes);

	(void)self;
	if (ring)
		ring->bytes = bytes;
	return ring;
}

static void destroy(void *channel)
{
	struct line_ring *const ring = channel;

	bench_unshare(ring, ring->bytes);
}

static int join(struct bench_side *side)
{
	struct end *const end = aligned_alloc(64, sizeof(*end));
	volatile uint64_t page;

	if (!end)
		return -ENOMEM;
	memset(end, 0, sizeof(*end));
	end->ring = side->channel;
	end->mask = side->shape->slots - 1;
	end->accounts = side->shape->accounts;
	for (uint64_t i = 0; i <= end->mask; i += 4096 / HL_LINE_BYTES)
		page = end->ring->lines[i].sequence;
	(void)page;
	for (uint32_t i = 0; i < PAY_PAYMENTS; i++) {
		hot_fill(&end->messages[i], &pay_payments()[i]);
		end->seeds[i] = pay_seed(&pay_payments()[i].fields);
	}
	side->end = end;
	return 0;
}

static void leave(struct bench_side *side)
{
	free(side->end);
}

BENCH_INLINE _Atomic uint64_t *number_of(struct hot_payment *line)
{
	return (_Atomic uint64_t *)&line->sequence;
}

BENCH_INLINE struct hot_payment *line_at(const struct end *end, uint32_t i)
{
	return &end->ring->lines[(end->next + i) & end->mask];
}

/* Wait until so many lines more have been read. */
BENCH_INLINE void wait_room(struct bench_side *side, struct end *end,
			    uint32_t k)
{
	uint32_t spins = 0;

	while (end->next + k - end->seen > end->mask + 1) {
		end->seen = atomic_load_explicit(&end->ring->read,
						 memory_order_acquire);
		if (end->next + k - end->seen > end->mask + 1)
			bench_spin(side, &spins);
	}
}

BENCH_INLINE void put_line(struct bench_side *side, const uint64_t *stamps,
			   uint32_t k)
{
	struct end *const end = side->end;

	wait_room(side, end, k);
	for (uint32_t j = 0; j < k; j++) {
		const uint64_t i = end->next + j;
		const struct pay_target target = pay_target(
			i, end->accounts, end->seeds[i % PAY_PAYMENTS]);

		__builtin_prefetch(line_at(end, j + LINE_AHEAD), 1);
		hot_put(line_at(end, j), &end->messages[i % PAY_PAYMENTS],
			stamps[j], &target, 0);
	}
	for (uint32_t j = 0; j < k; j++)
		atomic_store_explicit(number_of(line_at(end, j)),
				      end->next + j + 1, memory_order_release);
	end->next += k;
}

BENCH_INLINE uint32_t get_line(struct bench_side *side, struct rung_desk *desk)
{
	struct end *const end = side->end;
	uint32_t n = 0;

	while (n < RUNG_TAKE &&
	       atomic_load_explicit(number_of(line_at(end, n)),
				    memory_order_acquire) == end->next + n + 1)
		hot_fetch_place(desk, line_at(end, n++));
	if (n == 0)
		return 0;
	for (uint32_t i = 0; i < n; i++) {
		if (n == RUNG_TAKE)
			__builtin_prefetch(line_at(end, RUNG_TAKE + i));
		hot_pass(desk, line_at(end, i));
	}
	end->next += n;
	atomic_store_explicit(&end->ring->read, end->next,
			      memory_order_release);
	return n;
}

RUNG_LOOPS(line, RUNG_BURST, put_line, get_line)

const struct rung rung_line = {
	.contender = {
		.name = "limit: lines by hand",
		.api = "store a line, its number last; no payloads",
		.role = BENCH_LIMIT,
		.can = BENCH_CAN_ONE,
		.create = create,
		.destroy = destroy,
		.join = join,
		.leave = leave,
	},
	.adds = "what any layout of one line could come to",
	.batches = true,
	RUNG_FUNCTIONS(line),
};
