/* SPDX-License-Identifier: MIT */
/*
 * instructions.c - the loops whose instructions are counted
 *
 * Each count_...() hands over one batch; instructions.sh runs this under
 * callgrind and divides what a function and all that it calls took by the
 * messages it was called for. One process on both sides: nothing waits, and
 * every run counts the same. With --key it says what the counts depend on, and
 * with --list which functions there are, with the messages of a call.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hotline/hotline.h>

#include "fill.h"

#ifndef BUILD_FLAGS
#define BUILD_FLAGS ""
#endif

enum {
	ROUNDS = 8192, /* calls of each function: many laps of the ring */
	PAYLOAD_BYTES = 256,
};

static struct hl_producer *producer;
static struct hl_consumer *consumer;
static uint64_t number;
static uint64_t sum; /* what was read, so that it is */

__attribute__((noreturn)) static void fail(const char *what)
{
	fprintf(stderr, "instructions: %s\n", what);
	exit(1);
}

BENCH_INLINE void claim(uint32_t n, struct hl_claim *claimed)
{
	if (hl_producer_claim(producer, n, HL_NOWAIT, claimed) != (ssize_t)n)
		fail("claim");
}

/* A burst, written as arrays of slots. */
BENCH_INLINE void produce(uint32_t n)
{
	struct hl_claim claimed;
	void *slots;
	size_t k;

	claim(n, &claimed);
	while ((k = hl_claim_run(&claimed, &slots))) {
		unsigned char *slot = slots;

		for (; k; k--, slot += BENCH_LINE)
			bench_fill(slot, 0, number++);
	}
	hl_producer_publish(producer);
}

/* The same, each line written and published at once. */
BENCH_INLINE void put(uint32_t n)
{
	struct hl_claim claimed;

	claim(n, &claimed);
	for (uint32_t i = n; i-- > 0;) {
		const uint64_t at = number + i;
		const uint64_t word[HL_LINE_WORDS] = {
			bench_head_word(0), at,		  ~at, 0, at,
			BENCH_MORE_1,	    BENCH_MORE_2, 0,
		};

		hl_claim_put(&claimed, i, word);
	}
	number += n;
	hl_producer_publish(producer);
}

BENCH_INLINE void take(uint32_t n)
{
	struct hl_batch batch;
	const struct bench_message *m;
	uint64_t read = 0;

	if (hl_consumer_take(consumer, n, HL_NOWAIT, &batch) != (ssize_t)n)
		fail("take");
	while ((m = hl_batch_next(&batch)))
		read += m->number;
	sum += read;
	hl_consumer_done(consumer);
}

/* The same, walked as arrays of slots. */
BENCH_INLINE void take_rows(uint32_t n)
{
	struct hl_batch batch;
	const void *messages;
	uint64_t read = 0;
	size_t k;

	if (hl_consumer_take(consumer, n, HL_NOWAIT, &batch) != (ssize_t)n)
		fail("take");
	while ((k = hl_batch_run(&batch, &messages))) {
		const struct bench_message *m = messages;

		for (; k; k--, m++)
			read += m->number;
	}
	sum += read;
	hl_consumer_done(consumer);
}

BENCH_INLINE void take_one(void)
{
	struct hl_batch batch;

	if (hl_consumer_take(consumer, 1, HL_NOWAIT, &batch) != 1)
		fail("take");
	sum += ((const struct bench_message *)hl_batch_next(&batch))->number;
	hl_consumer_done(consumer);
}

#define COUNTED __attribute__((noinline, used)) static void

COUNTED count_produce_32(void)
{
	produce(32);
}

COUNTED count_take_32(void)
{
	take(32);
}

COUNTED count_put_32(void)
{
	put(32);
}

COUNTED count_take_rows_32(void)
{
	take_rows(32);
}

COUNTED count_produce_1(void)
{
	struct hl_claim claimed;

	claim(1, &claimed);
	bench_fill(hl_claim_slot(&claimed, 0), 0, number++);
	hl_producer_publish(producer);
}

COUNTED count_take_1(void)
{
	take_one();
}

/* Counted by itself for each ring, as all of it is. */
BENCH_INLINE void send_one(void)
{
	struct bench_message m;

	bench_fill_whole(&m, 0, number++);
	if (hl_producer_send(producer, &m, sizeof(m), HL_NOWAIT) != 1)
		fail("send");
}

BENCH_INLINE void next(void)
{
	const void *m;

	if (hl_consumer_next(consumer, HL_NOWAIT, &m) != 1)
		fail("next");
	sum += ((const struct bench_message *)m)->number;
}

COUNTED count_send(void)
{
	send_one();
}

COUNTED count_shared_send(void)
{
	send_one();
}

COUNTED count_sole_send(void)
{
	send_one();
}

COUNTED count_next(void)
{
	next();
}

COUNTED count_shared_next(void)
{
	next();
}

COUNTED count_sole_produce_32(void)
{
	produce(32);
}

COUNTED count_shared_take_32(void)
{
	take(32);
}

COUNTED count_shared_take_1(void)
{
	take_one();
}

COUNTED count_lossy_take_32(void)
{
	take(32);
}

COUNTED count_arena_produce_32(void)
{
	produce(32);
}

/* A payload is allocated, not written: writing it is the user's. */
COUNTED count_payload_produce_1(void)
{
	const size_t bytes = PAYLOAD_BYTES;
	struct hl_payload_space space;
	struct hl_claim claimed;
	struct hl_message *m;

	if (hl_payload_alloc(producer, &bytes, 1, &space) < 0)
		fail("payload");
	claim(1, &claimed);
	m = hl_claim_slot(&claimed, 0);
	bench_fill(m, 0, number++);
	m->payload_offset = space.payload_offset;
	hl_producer_publish(producer);
}

COUNTED count_payload_take_1(void)
{
	struct hl_payload payload;
	struct hl_batch batch;
	const void *m, *data;
	size_t bytes;

	if (hl_consumer_take(consumer, 1, HL_NOWAIT, &batch) != 1)
		fail("take");
	m = hl_batch_next(&batch);
	if (hl_batch_payload(&batch, m, &payload) < 0 ||
	    hl_payload_field(&payload, 0, &data, &bytes) < 0)
		fail("payload");
	sum += bytes;
	hl_consumer_done(consumer);
}

/* What goes in by one function comes out by the other. */
struct pair {
	const char *in_name, *out_name;
	void (*in)(void), (*out)(void);
	uint32_t messages;
	enum hl_producers producers;
	enum hl_group_kind kind;
	uint64_t arena_bytes;
};

#define PAIR(in_, out_) #in_, #out_, count_##in_, count_##out_

/* A name that comes twice has to be of the same ring: the first counts. */
static const struct pair pairs[] = {
	{ PAIR(produce_32, take_32), 32, HL_PRODUCERS_SHARED,
	  HL_GROUP_EXCLUSIVE, 0 },
	{ PAIR(put_32, take_rows_32), 32, HL_PRODUCERS_SHARED,
	  HL_GROUP_EXCLUSIVE, 0 },
	{ PAIR(produce_1, take_1), 1, HL_PRODUCERS_SHARED, HL_GROUP_EXCLUSIVE,
	  0 },
	{ PAIR(sole_produce_32, shared_take_32), 32, HL_PRODUCERS_SOLE,
	  HL_GROUP_SHARED, 0 },
	{ PAIR(shared_send, shared_take_1), 1, HL_PRODUCERS_SHARED,
	  HL_GROUP_SHARED, 0 },
	{ PAIR(send, next), 1, HL_PRODUCERS_SHARED, HL_GROUP_EXCLUSIVE, 0 },
	{ PAIR(sole_send, shared_next), 1, HL_PRODUCERS_SOLE, HL_GROUP_SHARED,
	  0 },
	{ PAIR(arena_produce_32, lossy_take_32), 32, HL_PRODUCERS_SHARED,
	  HL_GROUP_LOSSY, 1 << 20 },
	{ PAIR(payload_produce_1, payload_take_1), 1, HL_PRODUCERS_SHARED,
	  HL_GROUP_EXCLUSIVE, 1 << 20 },
};
enum {
	NPAIRS = sizeof(pairs) / sizeof(pairs[0])
};

static void run(const struct pair *pair)
{
	struct hl_ring_attr attr = HL_RING_ATTR_INIT;
	struct hl_group_attr group = HL_GROUP_ATTR_INIT;
	struct hl_ring *ring;

	attr.backing = HL_BACKING_MEMFD;
	attr.producers = pair->producers;
	attr.arena_bytes = pair->arena_bytes;
	group.name = "counted";
	group.kind = pair->kind;
	if (hl_ring_create("counted", &attr, &ring, NULL) < 0 ||
	    hl_consumer_join(ring, &group, NULL, &consumer, NULL) < 0 ||
	    hl_producer_join(ring, NULL, &producer, NULL) < 0)
		fail("a ring");
	for (int i = 0; i < ROUNDS; i++) {
		pair->in();
		pair->out();
	}
	hl_producer_leave(producer);
	hl_consumer_leave(consumer);
	hl_ring_close(ring);
}

static void list(void)
{
	for (size_t i = 0; i < NPAIRS; i++)
		printf("%s %u\n%s %u\n", pairs[i].in_name,
		       pairs[i].messages * ROUNDS, pairs[i].out_name,
		       pairs[i].messages * ROUNDS);
}

int main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "--key") == 0) {
#ifdef __clang__
		puts(__VERSION__ " " BUILD_FLAGS);
#else
		puts("gcc " __VERSION__ " " BUILD_FLAGS);
#endif
		return 0;
	}
	if (argc == 2 && strcmp(argv[1], "--list") == 0) {
		list();
		return 0;
	}
	for (size_t i = 0; i < NPAIRS; i++)
		run(&pairs[i]);
	/* The values are of no interest, that they were read is. */
	return sum == 0;
}
