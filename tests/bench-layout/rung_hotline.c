/* SPDX-License-Identifier: MIT */
/*
 * rung_hotline.c - rungs 3 to 6: messages of this library, read in place
 *
 * All that the fast path reads is in the first line of a message. In rung 3 the
 * reference and the memo follow in the slot; from rung 4 on they are a payload
 * in the arena, and the message is one line. The sender writes them in all of
 * them; as in rungs 1 and 2 nobody on the fast path reads them.
 *
 * Prefetching: a take reads the stamps of all that it takes, so that the lines
 * of a batch are on their way before the first of its messages is looked at.
 * What is left to ask for are the places of the routing table, which only a
 * batch lets one know ahead, and the lines of the next batch. Rung 6 asks for
 * those while there is a backlog, that is, when a batch was as large as can be:
 * behind the sender's heels it would take lines away from who is writing them.
 */
#include <errno.h>
#include <stdlib.h>

#include <hotline/hotline.h>

#include "hot.h"

enum {
	INLINE_BYTES = 192, /* of a slot of rung 3 */
	/* A header, an entry, a reference and a memo that is not the longest. */
	SECTION_BYTES = 128,
	BLOCKS = 5, /* each of a quarter of the ring's payloads */
	/* Lines that rung 6 asks for ahead of where it is. */
	PUT_AHEAD = 16,
	GET_AHEAD = 16,
};

struct rest {
	char reference[PAY_REFERENCE];
	uint32_t memo_bytes;
	char memo[PAY_MEMO_MAX];
};

struct inline_payment {
	struct hot_payment hot;
	struct rest rest;
};
HL_STATIC_ASSERT(sizeof(struct inline_payment) == INLINE_BYTES,
		 "an inline payment is three lines");

struct end {
	struct hl_ring *ring;
	struct hl_producer *producer;
	struct hl_consumer *consumer;
	uint64_t next; /* payment */
	uint32_t accounts;
	uint64_t seeds[PAY_PAYMENTS];
	_Alignas(64) struct inline_payment messages[PAY_PAYMENTS];
};

static void *create(const struct bench_contender *self,
		    const struct bench_shape *shape)
{
	struct hl_ring_attr attr = HL_RING_ATTR_INIT;
	struct hl_group_attr group = HL_GROUP_ATTR_INIT;
	struct hl_ring *ring;

	group.name = "desk";
	attr.capacity = shape->slots;
	attr.slot_bytes = self->mode;
	attr.producers = HL_PRODUCERS_SOLE;
	attr.backing = HL_BACKING_MEMFD;
	attr.groups = &group;
	attr.ngroups = 1;
	if (self->mode == HL_LINE_BYTES) {
		attr.block_bytes = SECTION_BYTES * (shape->slots / 4);
		attr.arena_bytes =
			(uint64_t)(attr.block_bytes + HL_LINE_BYTES) * BLOCKS;
	}
	if (hl_ring_create("layout", &attr, &ring, NULL) < 0)
		return NULL;
	return ring;
}

static void destroy(void *channel)
{
	hl_ring_close(channel);
}

static void fill(struct inline_payment *m, const struct pay_payment *p)
{
	hot_fill(&m->hot, p);
	memcpy(m->rest.reference, p->reference, PAY_REFERENCE);
	memcpy(m->rest.memo, p->memo, p->memo_bytes);
	m->rest.memo_bytes = p->memo_bytes;
}

static int join_end(struct bench_side *side, struct end *end)
{
	struct hl_producer_attr producer = HL_PRODUCER_ATTR_INIT;
	struct hl_consumer_attr consumer = HL_CONSUMER_ATTR_INIT;
	struct hl_group_attr group = HL_GROUP_ATTR_INIT;
	int ret = hl_ring_open_fd(hl_ring_fd(side->channel), HL_RING_PREFAULT,
				  &end->ring, NULL);

	if (ret < 0)
		return ret;
	/* The byte ring spins too. */
	producer.wait = HL_WAIT_BUSY;
	consumer.wait = HL_WAIT_BUSY;
	group.name = "desk";
	if (side->producer)
		return hl_producer_join(end->ring, &producer, &end->producer,
					NULL);
	return hl_consumer_join(end->ring, &group, &consumer, &end->consumer,
				NULL);
}

static int join(struct bench_side *side)
{
	struct end *const end = aligned_alloc(64, sizeof(*end));

	if (!end)
		return -ENOMEM;
	memset(end, 0, sizeof(*end));
	end->accounts = side->shape->accounts;
	for (uint32_t i = 0; i < PAY_PAYMENTS; i++) {
		fill(&end->messages[i], &pay_payments()[i]);
		end->seeds[i] = pay_seed(&pay_payments()[i].fields);
	}
	side->end = end;
	return join_end(side, end);
}

static void leave(struct bench_side *side)
{
	struct end *const end = side->end;

	hl_producer_leave(end->producer);
	hl_consumer_leave(end->consumer);
	hl_ring_close(end->ring);
	free(end);
}

/* Of a ring with something in it: a batch says where its memory is. */
static void ranges(struct bench_side *side, struct rung_ranges *ranges)
{
	struct end *const end = side->end;
	struct hl_ring_info info;
	struct hl_batch batch;
	const ssize_t n = hl_consumer_take(end->consumer, 1, HL_NOWAIT, &batch);

	if (n != 1)
		bench_give_up("ranges", (int)n);
	hl_ring_get_info(end->ring, &info);
	ranges->all = batch.file;
	ranges->all_end = batch.file + info.file_bytes;
	ranges->messages = batch.slots;
	/* The arena comes last; between it and the slots is nothing. */
	ranges->messages_end = ranges->all_end;
	hl_consumer_done(end->consumer);
}

BENCH_INLINE const struct inline_payment *message_at(const struct end *end,
						     uint64_t i)
{
	return &end->messages[i % PAY_PAYMENTS];
}

/* The next payment into a slot. */
BENCH_INLINE void put_next(struct end *end, struct hot_payment *slot,
			   uint64_t stamp, uint32_t payload_offset)
{
	const uint64_t i = end->next++;
	const struct pay_target target =
		pay_target(i, end->accounts, end->seeds[i % PAY_PAYMENTS]);

	hot_put(slot, &message_at(end, i)->hot, stamp, &target, payload_offset);
}

static void must(const char *what, ssize_t got)
{
	if (got < 0)
		bench_give_up(what, (int)got);
}

BENCH_INLINE void put_inline(struct bench_side *side, const uint64_t *stamps,
			     uint32_t k)
{
	struct end *const end = side->end;
	const struct inline_payment *const from = message_at(end, end->next);
	struct inline_payment *slot;
	struct hl_claim claim;

	(void)k; /* one by one */
	must("claim", hl_producer_claim(end->producer, 1, HL_FOREVER, &claim));
	slot = hl_claim_slot(&claim, 0);
	put_next(end, &slot->hot, *stamps, 0);
	memcpy(&slot->rest, &from->rest,
	       offsetof(struct rest, memo) + from->rest.memo_bytes);
	hl_producer_publish(end->producer);
}

/* What the fast path does not read: in the slot, or the payload. */
static struct iovec rest_of(struct inline_payment *m)
{
	return (struct iovec){
		.iov_base = &m->rest,
		.iov_len = offsetof(struct rest, memo) + m->rest.memo_bytes,
	};
}

/* Payloads of the next k payments, as many as there is room for, at least 1. */
BENCH_INLINE uint32_t put_payloads(struct end *end, uint32_t k,
				   uint32_t *offsets)
{
	struct hl_payload_space space;
	uint32_t i = 0;

	while (i < k) {
		const struct iovec rest =
			rest_of(&end->messages[(end->next + i) % PAY_PAYMENTS]);
		const int ret = hl_payload_put(end->producer, &rest, 1, &space);

		if (ret == -ENOBUFS && i)
			break;
		if (ret == -ENOBUFS) {
			must("wait",
			     hl_payload_wait(end->producer, HL_FOREVER));
			continue;
		}
		must("payload", ret);
		offsets[i++] = space.payload_offset;
	}
	return i;
}

/* What a rung does beside sending and taking. */
enum {
	WITH_PAYLOAD = 1,
	FETCHES = 2, /* asks for lines ahead */
};

/* Send up to k messages: how many. */
BENCH_INLINE uint32_t put_some(struct end *end, const uint64_t *stamps,
			       uint32_t k, uint32_t with)
{
	uint32_t offsets[RUNG_BURST] = { 0 };
	struct hl_claim claim;
	uint32_t done = 0;

	if (with & WITH_PAYLOAD)
		k = put_payloads(end, k, offsets);
	while (done < k) {
		const ssize_t n = hl_producer_claim(end->producer, k - done,
						    HL_FOREVER, &claim);

		must("claim", n);
		for (uint32_t i = 0; i < (uint32_t)n; i++) {
			if (with & FETCHES)
				__builtin_prefetch(hl_claim_slot(&claim,
								 i + PUT_AHEAD),
						   1);
			put_next(end, hl_claim_slot(&claim, i),
				 stamps[done + i], offsets[done + i]);
		}
		hl_producer_publish(end->producer);
		done += (uint32_t)n;
	}
	return k;
}

BENCH_INLINE void put_all(struct bench_side *side, const uint64_t *stamps,
			  uint32_t k, uint32_t with)
{
	for (uint32_t done = 0; done < k;)
		done += put_some(side->end, stamps + done, k - done, with);
}

BENCH_INLINE void put_offset(struct bench_side *side, const uint64_t *stamps,
			     uint32_t k)
{
	put_all(side, stamps, k, WITH_PAYLOAD);
}

BENCH_INLINE void put_ahead(struct bench_side *side, const uint64_t *stamps,
			    uint32_t k)
{
	put_all(side, stamps, k, WITH_PAYLOAD | FETCHES);
}

BENCH_INLINE void put_bare(struct bench_side *side, const uint64_t *stamps,
			   uint32_t k)
{
	put_all(side, stamps, k, FETCHES);
}

BENCH_INLINE uint32_t get_up_to(struct bench_side *side, struct rung_desk *desk,
				uint32_t max)
{
	struct end *const end = side->end;
	struct hl_batch batch;
	const struct hot_payment *m;
	const ssize_t n =
		hl_consumer_take(end->consumer, max, HL_FOREVER, &batch);

	must("take", n);
	while ((m = hl_batch_next(&batch)))
		hot_pass(desk, m);
	hl_consumer_done(end->consumer);
	return (uint32_t)n;
}

/* The place of each message is asked for some messages before it. */
BENCH_INLINE uint32_t get_ahead(struct bench_side *side, struct rung_desk *desk)
{
	struct end *const end = side->end;
	struct hl_batch batch;
	const struct hot_payment *m;
	const ssize_t n =
		hl_consumer_take(end->consumer, RUNG_TAKE, HL_FOREVER, &batch);
	const uint32_t count = n > 0 ? (uint32_t)n : 0;

	must("take", n);
	for (uint32_t i = 0; i < count && i < GET_AHEAD; i++)
		hot_fetch_place(desk, hl_batch_slot(&batch, i));
	for (uint32_t i = 0; (m = hl_batch_next(&batch)); i++) {
		/* No more than an address: the ring has such a slot. */
		if (count == RUNG_TAKE)
			__builtin_prefetch(
				hl_batch_slot(&batch, RUNG_TAKE + i));
		if (i + GET_AHEAD < count)
			hot_fetch_place(desk,
					hl_batch_slot(&batch, i + GET_AHEAD));
		hot_pass(desk, m);
	}
	hl_consumer_done(end->consumer);
	return count;
}

BENCH_INLINE uint32_t get_one(struct bench_side *side, struct rung_desk *desk)
{
	return get_up_to(side, desk, 1);
}

BENCH_INLINE uint32_t get_batch(struct bench_side *side, struct rung_desk *desk)
{
	return get_up_to(side, desk, RUNG_TAKE);
}

RUNG_LOOPS(split, 1, put_inline, get_one)
RUNG_LOOPS(offset, 1, put_offset, get_one)
RUNG_LOOPS(batch, RUNG_BURST, put_offset, get_batch)
RUNG_LOOPS(prefetch, RUNG_BURST, put_ahead, get_ahead)
RUNG_LOOPS(bare, RUNG_BURST, put_bare, get_ahead)

#define HOTLINE_CONTENDER(name_, api_, slot_)                                  \
	.contender = {                                                         \
		.name = name_,                                                 \
		.api = api_,                                                   \
		.role = BENCH_OURS,                                            \
		.can = BENCH_CAN_ONE,                                          \
		.mode = slot_,                                                 \
		.create = create,                                              \
		.destroy = destroy,                                            \
		.join = join,                                                  \
		.leave = leave,                                                \
	},                                                                     \
	.ranges = ranges

const struct rung rung_split = {
	HOTLINE_CONTENDER("3 split", "one by one, in place", INLINE_BYTES),
	.adds = "hot and warm in one line, the rest behind it",
	RUNG_FUNCTIONS(split),
};

const struct rung rung_offset = {
	HOTLINE_CONTENDER("4 offset", "one by one, in place", HL_LINE_BYTES),
	.adds = "the rest in the arena",
	RUNG_FUNCTIONS(offset),
};

const struct rung rung_batch = {
	HOTLINE_CONTENDER("5 batches", "32 sent, up to 64 taken",
			  HL_LINE_BYTES),
	.adds = "batches",
	.batches = true,
	RUNG_FUNCTIONS(batch),
};

const struct rung rung_prefetch = {
	HOTLINE_CONTENDER("6 prefetch", "32 sent, up to 64 taken",
			  HL_LINE_BYTES),
	.adds = "prefetch",
	.batches = true,
	RUNG_FUNCTIONS(prefetch),
};

const struct rung rung_bare = {
	HOTLINE_CONTENDER("6 without payloads", "as rung 6", HL_LINE_BYTES),
	.adds = "what the sender's payloads cost",
	.batches = true,
	RUNG_FUNCTIONS(bare),
};
