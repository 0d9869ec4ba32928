/* SPDX-License-Identifier: MIT */
/*
 * copied.h - loops for contenders that take messages from memory and copy them
 *
 * A contender gives two functions, which are inlined into the loops: push k
 * messages, pop up to k; each returns how many, 0 for none now, or waits. The
 * macro at the end makes the contender's functions out of them.
 */
#ifndef BENCH_COPIED_H
#define BENCH_COPIED_H

#include "fill.h"

typedef uint32_t copied_push_fn(struct bench_side *side,
				const struct bench_message *m, uint32_t k);
typedef uint32_t copied_pop_fn(struct bench_side *side, struct bench_message *m,
			       uint32_t k);

BENCH_INLINE void copied_push_all(struct bench_side *side,
				  const struct bench_message *m, uint32_t k,
				  copied_push_fn *push)
{
	uint32_t done = 0, spins = 0;

	for (;;) {
		done += push(side, m + done, k - done);
		if (done == k)
			return;
		bench_spin(side, &spins);
	}
}

BENCH_INLINE void copied_produce(struct bench_side *side, uint64_t first,
				 uint64_t n, uint32_t type,
				 copied_push_fn *push)
{
	struct bench_message burst[BENCH_AT_ONCE_MAX];

	while (n) {
		const uint32_t k = (uint32_t)bench_min(side->shape->burst, n);

		for (uint32_t i = 0; i < k; i++)
			bench_fill_whole(&burst[i], type, first + i);
		copied_push_all(side, burst, k, push);
		first += k;
		n -= k;
	}
}

BENCH_INLINE void copied_consume(struct bench_side *side, uint64_t n,
				 struct bench_tally *total, bool many,
				 copied_pop_fn *pop)
{
	struct bench_message burst[BENCH_AT_ONCE_MAX];
	const uint32_t take = side->shape->take;
	struct bench_tally tally = *total;
	uint32_t spins = 0;

	while (bench_more(&tally, n)) {
		const uint32_t k = pop(side, burst, take);

		for (uint32_t i = 0; i < k; i++)
			bench_tally_add(&tally, &burst[i], many);
		if (k == 0)
			bench_spin(side, &spins);
	}
	*total = tally;
}

BENCH_INLINE void copied_recv(struct bench_side *side, struct bench_message *m,
			      copied_pop_fn *pop)
{
	uint32_t spins = 0;

	while (pop(side, m, 1) == 0)
		bench_spin(side, &spins);
}

#define COPIED_LOOPS(name, push, pop)                                          \
	static void name##_produce(struct bench_side *side, uint64_t first,    \
				   uint64_t n)                                 \
	{                                                                      \
		copied_produce(side, first, n, side->id, push);                \
	}                                                                      \
	static void name##_end(struct bench_side *side, uint64_t n)            \
	{                                                                      \
		copied_produce(side, 1, n, BENCH_END_TYPE, push);              \
	}                                                                      \
	static void name##_consume(struct bench_side *side, uint64_t n,        \
				   struct bench_tally *tally)                  \
	{                                                                      \
		if (side->shape->producers > 1 || side->shape->consumers > 1)  \
			copied_consume(side, n, tally, true, pop);             \
		else                                                           \
			copied_consume(side, n, tally, false, pop);            \
	}                                                                      \
	static void name##_send(struct bench_side *side,                       \
				const struct bench_message *m)                 \
	{                                                                      \
		copied_push_all(side, m, 1, push);                             \
	}                                                                      \
	static void name##_recv(struct bench_side *side,                       \
				struct bench_message *m)                       \
	{                                                                      \
		copied_recv(side, m, pop);                                     \
	}

#endif /* BENCH_COPIED_H */
