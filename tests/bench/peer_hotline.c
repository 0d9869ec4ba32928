/* SPDX-License-Identifier: MIT */
/*
 * peer_hotline.c - the library, through its public interface
 *
 * Rings are memfds, so that nothing stays behind; their pages are of the same
 * kind as those of named rings. What is not said by the shape is the default.
 */
#include <errno.h>
#include <string.h>
#include <stdlib.h>

#include <hotline/hotline.h>

#include "fill.h"

enum {
	MODE_DEFAULT,
	MODE_SOLE,
};

struct end {
	struct hl_ring *ring;
	struct hl_producer *producer;
	struct hl_consumer *consumer;
};

/* Room for four payloads to a producer, at least as many as slots. */
static void with_arena(struct hl_ring_attr *attr,
		       const struct bench_shape *shape)
{
	const uint64_t section = (shape->payload_bytes + 16 + 63) / 64 * 64;
	uint64_t block = section * shape->slots / 4;

	if (block < section)
		block = section;
	attr->block_bytes = (uint32_t)block;
	attr->arena_bytes = 5 * block;
	attr->max_producers = shape->producers;
}

static void *create(const struct bench_contender *self,
		    const struct bench_shape *shape)
{
	struct hl_ring_attr attr = HL_RING_ATTR_INIT;
	struct hl_group_attr groups[BENCH_MEMBERS_MAX];
	static const char *const names[] = { "a", "b", "c", "d",
					     "e", "f", "g", "h" };
	char name[64] = "bench";
	struct hl_ring *ring;

	attr.capacity = shape->slots;
	attr.slot_bytes = shape->slot_bytes;
	attr.producers = self->mode == MODE_SOLE ? HL_PRODUCERS_SOLE :
						   HL_PRODUCERS_SHARED;
	attr.backing = HL_BACKING_MEMFD;
	if (shape->payload_bytes)
		with_arena(&attr, shape);
	if (shape->variant & BENCH_WITH_CHECKSUM)
		attr.checksum = HL_CHECKSUM_HEADER;
	if (shape->variant & BENCH_WITH_PAYLOAD_CHECKSUM)
		attr.checksum = HL_CHECKSUM_PAYLOAD;
	/* They are there before the first message: nobody misses any. */
	attr.ngroups = shape->broadcast ? shape->consumers : 1;
	for (size_t i = 0; i < attr.ngroups; i++) {
		groups[i] = (struct hl_group_attr)HL_GROUP_ATTR_INIT;
		groups[i].name = names[i];
		if (shape->consumers > 1 && !shape->broadcast)
			groups[i].kind = HL_GROUP_SHARED;
	}
	attr.groups = groups;
	if (shape->variant & BENCH_WITH_NAME) {
		bench_name(name, sizeof(name));
		attr.backing = HL_BACKING_NAMED;
	}
	if (hl_ring_create(name, &attr, &ring, NULL) < 0)
		return NULL;
	return ring;
}

static void destroy(void *channel)
{
	char name[64];
	int ret = 0;

	bench_name(name, sizeof(name));
	if (strcmp(hl_ring_name(channel), name) == 0)
		ret = hl_ring_unlink(name, true, NULL);
	if (ret < 0)
		bench_give_up("hl_ring_unlink", ret);
	hl_ring_close(channel);
}

static int join_producer(struct bench_side *side, struct end *end)
{
	struct hl_producer_attr attr = HL_PRODUCER_ATTR_INIT;

	if (side->shape->wait == BENCH_WAIT_BUSY)
		attr.wait = HL_WAIT_BUSY;
	return hl_producer_join(end->ring, &attr, &end->producer, NULL);
}

static int join_consumer(struct bench_side *side, struct end *end)
{
	const struct bench_shape *const shape = side->shape;
	struct hl_consumer_attr attr = HL_CONSUMER_ATTR_INIT;
	struct hl_group_attr group = HL_GROUP_ATTR_INIT;
	const char name[] = { (char)('a' + (shape->broadcast ? side->id : 0)),
			      '\0' };

	group.name = name;
	if (shape->consumers > 1 && !shape->broadcast)
		group.kind = HL_GROUP_SHARED;
	if (shape->wait == BENCH_WAIT_BUSY)
		attr.wait = HL_WAIT_BUSY;
	if (shape->wait == BENCH_WAIT_SLEEP)
		attr.spin_ns = 1;
	return hl_consumer_join(end->ring, &group, &attr, &end->consumer, NULL);
}

static int join(struct bench_side *side)
{
	struct end *const end = calloc(1, sizeof(*end));
	int ret;

	if (!end)
		return -ENOMEM;
	side->end = end;
	ret = hl_ring_open_fd(hl_ring_fd(side->channel), HL_RING_PREFAULT,
			      &end->ring, NULL);
	if (ret == 0)
		ret = side->producer ? join_producer(side, end) :
				       join_consumer(side, end);
	return ret;
}

static void leave(struct bench_side *side)
{
	struct end *const end = side->end;

	hl_producer_leave(end->producer);
	hl_consumer_leave(end->consumer);
	hl_ring_close(end->ring);
	free(end);
}

BENCH_INLINE void fill_claim(const struct hl_claim *claim, uint64_t first,
			     uint32_t n, uint32_t type, bool wide)
{
	for (uint32_t i = n; i-- > 0 && !wide;) {
		const uint64_t number = first + i;
		const uint64_t word[HL_LINE_WORDS] = {
			bench_head_word(type), number,	     ~number, 0, number,
			BENCH_MORE_1,	       BENCH_MORE_2, 0,
		};

		hl_claim_put(claim, i, word);
	}
	for (uint32_t i = 0; i < n && wide; i++) {
		void *const slot = hl_claim_slot(claim, i);

		bench_fill(slot, type, first + i);
		bench_fill_wide(slot, first + i);
	}
}

BENCH_INLINE void stream_out(struct bench_side *side, uint64_t first,
			     uint64_t n, uint32_t type)
{
	struct hl_producer *const producer =
		((struct end *)side->end)->producer;
	const uint32_t burst = side->shape->burst;
	const bool wide = side->shape->slot_bytes > BENCH_LINE;
	struct hl_claim claim;

	while (n) {
		const ssize_t got = hl_producer_claim(
			producer, bench_min(burst, n), HL_FOREVER, &claim);

		if (got < 0)
			bench_give_up("hl_producer_claim", (int)got);
		fill_claim(&claim, first, (uint32_t)got, type, wide);
		hl_producer_publish(producer);
		first += (uint64_t)got;
		n -= (uint64_t)got;
	}
}

/* One by one there are calls for it. */
static void send_singles(struct hl_producer *producer, uint64_t first,
			 uint64_t n, uint32_t type)
{
	struct bench_message m;

	for (; n; n--, first++) {
		bench_fill_whole(&m, type, first);
		const int ret =
			hl_producer_send(producer, &m, sizeof(m), HL_FOREVER);

		if (ret != 1)
			bench_give_up("hl_producer_send", ret);
	}
}

/* A payload in place of the message's own words. */
static void produce_payloads(struct bench_side *side, uint64_t first,
			     uint64_t n)
{
	struct hl_producer *const producer =
		((struct end *)side->end)->producer;
	const size_t bytes = side->shape->payload_bytes;
	struct hl_payload_space space;
	struct hl_claim claim;
	static unsigned char source[65536];

	for (; n; n--, first++) {
		int ret;

		while ((ret = hl_payload_alloc(producer, &bytes, 1, &space)) ==
		       -ENOBUFS)
			ret = hl_payload_wait(producer, HL_FOREVER);
		if (ret < 0)
			bench_give_up("hl_payload_alloc", ret);
		void *const room = hl_payload_space_field(&space, 0, bytes);

		if (side->shape->copied) {
			bench_payload_write(source, 8, first);
			memcpy(room, source, bytes);
		} else {
			bench_payload_write(room, bytes, first);
		}
		if (hl_producer_claim(producer, 1, HL_FOREVER, &claim) < 0)
			bench_give_up("hl_producer_claim", -EIO);
		struct hl_message *const m = hl_claim_slot(&claim, 0);

		bench_fill(m, side->id, first);
		m->payload_offset = space.payload_offset;
		hl_producer_publish(producer);
	}
}

static void produce(struct bench_side *side, uint64_t first, uint64_t n)
{
	struct hl_producer *const producer =
		((struct end *)side->end)->producer;

	if (side->shape->payload_bytes)
		produce_payloads(side, first, n);
	else if (side->shape->burst == 1 &&
		 side->shape->slot_bytes == BENCH_LINE)
		send_singles(producer, first, n, side->id);
	else
		stream_out(side, first, n, side->id);
}

static void end_stream(struct bench_side *side, uint64_t n)
{
	stream_out(side, 1, n, BENCH_END_TYPE);
}

BENCH_INLINE void stream_in(struct bench_side *side, uint64_t n,
			    struct bench_tally *total, bool many, bool wide)
{
	struct hl_consumer *const consumer =
		((struct end *)side->end)->consumer;
	const uint32_t take = side->shape->take;
	struct bench_tally tally = *total;
	struct hl_batch batch;

	while (bench_more(&tally, n)) {
		const ssize_t got =
			hl_consumer_take(consumer, take, HL_FOREVER, &batch);
		const void *m;

		if (got < 0)
			bench_give_up("hl_consumer_take", (int)got);
		while ((m = hl_batch_next(&batch))) {
			bench_tally_add(&tally, m, many);
			if (wide)
				bench_tally_wide(&tally, m);
		}
		hl_consumer_done(consumer);
	}
	*total = tally;
}

BENCH_INLINE void next_singles(struct bench_side *side, uint64_t n,
			       struct bench_tally *total, bool many)
{
	struct hl_consumer *const consumer =
		((struct end *)side->end)->consumer;
	struct bench_tally tally = *total;
	const void *m;

	while (bench_more(&tally, n)) {
		const ssize_t got = hl_consumer_next(consumer, HL_FOREVER, &m);

		if (got < 0)
			bench_give_up("hl_consumer_next", (int)got);
		bench_tally_add(&tally, m, many);
	}
	*total = tally;
	hl_consumer_done(consumer);
}

static void consume_payloads(struct bench_side *side, uint64_t n,
			     struct bench_tally *tally)
{
	struct hl_consumer *const consumer =
		((struct end *)side->end)->consumer;
	static unsigned char copy[65536];
	struct hl_payload payload;
	struct hl_batch batch;
	const void *m, *data;
	size_t bytes;

	while (bench_more(tally, n)) {
		if (hl_consumer_take(consumer, side->shape->take, HL_FOREVER,
				     &batch) < 0)
			bench_give_up("hl_consumer_take", -EIO);
		while ((m = hl_batch_next(&batch))) {
			bench_tally_next(tally, m);
			if (hl_batch_payload(&batch, m, &payload) < 0 ||
			    hl_payload_field(&payload, 0, &data, &bytes) < 0)
				bench_give_up("hl_batch_payload", -EIO);
			if (side->shape->copied) {
				memcpy(copy, data, bytes);
				tally->bad |= !bench_payload_good(
					bench_payload_read(copy, 8), 8,
					tally->count);
			} else {
				tally->bad |= !bench_payload_good(
					bench_payload_read(data, bytes), bytes,
					tally->count);
			}
		}
		hl_consumer_done(consumer);
	}
}

static void consume(struct bench_side *side, uint64_t n,
		    struct bench_tally *tally)
{
	const struct bench_shape *const shape = side->shape;

	if (shape->payload_bytes)
		consume_payloads(side, n, tally);
	else if (shape->take == 1 && shape->slot_bytes == BENCH_LINE)
		next_singles(side, n, tally,
			     shape->producers > 1 || shape->consumers > 1);
	else if (shape->producers > 1 || shape->consumers > 1)
		stream_in(side, n, tally, true, false);
	else if (shape->slot_bytes > BENCH_LINE)
		stream_in(side, n, tally, false, true);
	else
		stream_in(side, n, tally, false, false);
}

static void send_one(struct bench_side *side, const struct bench_message *m)
{
	struct hl_producer *const producer =
		((struct end *)side->end)->producer;

	if (hl_producer_send(producer, m, sizeof(*m), HL_FOREVER) != 1)
		bench_give_up("hl_producer_send", -EIO);
}

static void recv_one(struct bench_side *side, struct bench_message *m)
{
	struct hl_consumer *const consumer =
		((struct end *)side->end)->consumer;
	const void *message;
	const ssize_t got = hl_consumer_next(consumer, HL_FOREVER, &message);

	if (got < 0)
		bench_give_up("hl_consumer_next", (int)got);
	memcpy(m, message, sizeof(*m));
}

const struct bench_contender bench_hotline = {
	.name = "hotline",
	.api = "claim, put, publish; take, walk in place, done; one by one: "
	       "send and next; all at default settings",
	.role = BENCH_OURS,
	.can = BENCH_CAN_ONE | BENCH_CAN_MANY | BENCH_CAN_BROADCAST |
	       BENCH_CAN_PAYLOAD | BENCH_CAN_ROUND | BENCH_SLEEPS |
	       BENCH_CAN_WIDE,
	.mode = MODE_DEFAULT,
	.create = create,
	.destroy = destroy,
	.join = join,
	.leave = leave,
	.produce = produce,
	.end = end_stream,
	.consume = consume,
	.send = send_one,
	.recv = recv_one,
};

const struct bench_contender bench_hotline_sole = {
	.name = "hotline sole",
	.api = "the same on a ring with a sole producer",
	.role = BENCH_OURS,
	.can = BENCH_CAN_ONE | BENCH_CAN_BROADCAST | BENCH_CAN_ROUND,
	.mode = MODE_SOLE,
	.create = create,
	.destroy = destroy,
	.join = join,
	.leave = leave,
	.produce = produce,
	.end = end_stream,
	.consume = consume,
	.send = send_one,
	.recv = recv_one,
};
