/* SPDX-License-Identifier: MIT */
/*
 * rung.h - a step of bench-layout: a format, and a way through a ring
 *
 * A rung is a bench_contender of "make bench" with two loops more, for messages
 * that are due at given times. Each is made of two functions, which are inlined
 * into the loops:
 *
 *   put  send the next k payments with these stamps, waiting for room
 *   get  take what is there, one or a batch, pass each; how many, 0 for none
 *
 * Stamps are the number of the message, from 1 on, or the ticks of the clock at
 * which it was due.
 */
#ifndef BENCH_LAYOUT_RUNG_H
#define BENCH_LAYOUT_RUNG_H

#include "payments.h"
#include "tests/bench/hist.h"
#include "tests/bench/machine.h"

enum {
	RUNG_BURST = 32, /* messages that a producer of batches hands over */
	RUNG_TAKE = 64,	 /* the most that their consumer takes */
	RUNG_GAPS = 4096,
	RUNG_SIXTH = 6,
	RUNGS = 7,
	RUNG_REMEMBER = RUNGS,
	RUNG_BARE,
	RUNG_LINE,
	RUNGS_ALL,
};

/* Where a consumer keeps what it does. */
struct rung_desk {
	struct pay_book book;
	struct hist *hist; /* of the time since the stamp, in ticks; or NULL */
};

/* When messages are due: gaps in ticks, in turn. */
struct rung_arrivals {
	uint64_t start;
	uint64_t gaps[RUNG_GAPS];
};

/* Ranges of memory, for counting lines. */
struct rung_ranges {
	const void *messages, *messages_end;
	const void *all, *all_end; /* of the ring */
};

struct rung {
	struct bench_contender contender;
	const char *adds;
	bool batches;
	/* At least n messages: how many, since a batch may be more. */
	uint64_t (*consume)(struct bench_side *side, uint64_t n,
			    struct rung_desk *desk);
	void (*produce)(struct bench_side *side, uint64_t n);
	void (*open)(struct bench_side *side, uint64_t n,
		     const struct rung_arrivals *arrivals);
	/* Takes once: for tools that look at each take. */
	uint32_t (*take)(struct bench_side *side, struct rung_desk *desk);
	void (*ranges)(struct bench_side *side, struct rung_ranges *ranges);
};

/*
 * The plainest ring, which is no rung, then rungs 1 to 6, then what they are
 * compared with: nobody counts lines of those.
 */
extern const struct rung *const rungs[RUNGS_ALL];
extern const struct rung rung_plain, rung_packed, rung_aligned;
extern const struct rung rung_split, rung_offset, rung_batch, rung_prefetch;
extern const struct rung rung_remember, rung_bare, rung_line;

typedef void rung_put_fn(struct bench_side *side, const uint64_t *stamps,
			 uint32_t k);
typedef uint32_t rung_get_fn(struct bench_side *side, struct rung_desk *desk);

BENCH_INLINE void rung_produce(struct bench_side *side, uint64_t n,
			       uint32_t burst, rung_put_fn *put)
{
	uint64_t stamps[RUNG_BURST] = { 0 };

	for (uint64_t i = 1; i <= n;) {
		const uint32_t k = (uint32_t)bench_min(burst, n - i + 1);

		for (uint32_t j = 0; j < k; j++)
			stamps[j] = i + j;
		put(side, stamps, k);
		i += k;
	}
}

/* Each message when it is due; who batches hands over all that are. */
BENCH_INLINE void rung_open(struct bench_side *side, uint64_t n,
			    const struct rung_arrivals *arrivals,
			    uint32_t burst, rung_put_fn *put)
{
	uint64_t due = arrivals->start + arrivals->gaps[0];
	uint64_t stamps[RUNG_BURST] = { 0 };

	for (uint64_t i = 0; i < n;) {
		uint64_t now = machine_ticks();
		uint32_t k = 0;

		while (now < due) {
			bench_pause();
			now = machine_ticks();
		}
		do {
			stamps[k++] = due;
			due += arrivals->gaps[++i % RUNG_GAPS];
		} while (k < burst && i < n && due <= now);
		put(side, stamps, k);
	}
}

BENCH_INLINE uint64_t rung_consume(struct bench_side *side, uint64_t n,
				   struct rung_desk *desk, rung_get_fn *get)
{
	uint64_t done = 0;
	uint32_t spins = 0;

	while (done < n) {
		const uint32_t k = get(side, desk);

		done += k;
		if (k == 0)
			bench_spin(side, &spins);
	}
	return done;
}

/* One message was passed; the clock is read for it if that is asked for. */
BENCH_INLINE void rung_passed(struct rung_desk *desk, uint64_t stamp)
{
	uint64_t now;

	if (!desk->hist)
		return;
	now = machine_ticks();
	hist_add(desk->hist, now > stamp ? now - stamp : 0);
}

#define RUNG_LOOPS(name, burst, put, get)                                      \
	static void name##_produce(struct bench_side *side, uint64_t n)        \
	{                                                                      \
		rung_produce(side, n, burst, put);                             \
	}                                                                      \
	static void name##_open(struct bench_side *side, uint64_t n,           \
				const struct rung_arrivals *arrivals)          \
	{                                                                      \
		rung_open(side, n, arrivals, burst, put);                      \
	}                                                                      \
	static uint64_t name##_consume(struct bench_side *side, uint64_t n,    \
				       struct rung_desk *desk)                 \
	{                                                                      \
		return rung_consume(side, n, desk, get);                       \
	}                                                                      \
	static uint32_t name##_take(struct bench_side *side,                   \
				    struct rung_desk *desk)                    \
	{                                                                      \
		return get(side, desk);                                        \
	}

#define RUNG_FUNCTIONS(name)                                                   \
	.produce = name##_produce, .open = name##_open,                        \
	.consume = name##_consume, .take = name##_take

#endif /* BENCH_LAYOUT_RUNG_H */
