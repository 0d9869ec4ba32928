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
 * What is left to ask for are those of the next one. Rung 6 does so while there
 * is a backlog, that is, when a batch was as large as can be: behind the sender's
 * heels it would take lines away from who is writing them.
 */
#include <errno.h>
#include <stdlib.h>

#include <hotline/hotline.h>

#include "rung.h"

enum {
	FIELD_REFERENCE,
	FIELD_MEMO,
	FIELDS,

	INLINE_BYTES = 192, /* of a slot of rung 3 */
	/* A header, two entries, a reference and the longest memo. */
	SECTION_BYTES = 192,
	BLOCKS = 5, /* each of a quarter of the ring's payloads */
};

struct hot_payment {
	HL_ALIGN_LINE uint32_t magic;
	uint16_t type;
	uint16_t currency;
	uint64_t stamp;
	int64_t amount;
	uint64_t sequence;
	char sender[PAY_NAME];
	char recipient[PAY_NAME];
	uint32_t checksum;
	uint32_t payload_offset;
};
HL_ASSERT_MESSAGE(struct hot_payment);

struct inline_payment {
	struct hot_payment hot;
	char reference[PAY_REFERENCE];
	uint32_t memo_bytes;
	char memo[PAY_MEMO_MAX];
};
HL_STATIC_ASSERT(sizeof(struct inline_payment) == INLINE_BYTES,
		 "an inline payment is three lines");

struct end {
	struct hl_ring *ring;
	struct hl_producer *producer;
	struct hl_consumer *consumer;
	uint64_t next; /* payment */
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
	m->hot.magic = p->fields.magic;
	m->hot.type = (uint16_t)p->fields.type;
	m->hot.currency = PAY_CURRENCY;
	m->hot.amount = p->fields.amount;
	m->hot.checksum = p->fields.checksum;
	memcpy(m->hot.sender, p->sender, PAY_NAME);
	memcpy(m->hot.recipient, p->recipient, PAY_NAME);
	memcpy(m->reference, p->reference, PAY_REFERENCE);
	memcpy(m->memo, p->memo, p->memo_bytes);
	m->memo_bytes = p->memo_bytes;
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
	for (uint32_t i = 0; i < PAY_PAYMENTS; i++)
		fill(&end->messages[i], &pay_payments()[i]);
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

/* Store the line, stamp and payload excepted: those come from the caller. */
BENCH_INLINE void put_line(struct hot_payment *slot,
			   const struct hot_payment *from, uint64_t stamp,
			   uint32_t payload_offset)
{
	slot->magic = from->magic;
	slot->type = from->type;
	slot->currency = from->currency;
	slot->stamp = stamp;
	slot->amount = from->amount;
	memcpy(slot->sender, from->sender, PAY_NAME);
	memcpy(slot->recipient, from->recipient, PAY_NAME);
	slot->checksum = from->checksum;
	slot->payload_offset = payload_offset;
}

BENCH_INLINE const struct inline_payment *next_message(struct end *end)
{
	return &end->messages[end->next++ % PAY_PAYMENTS];
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
	const struct inline_payment *const from = next_message(end);
	struct inline_payment *slot;
	struct hl_claim claim;

	(void)k; /* one by one */
	must("claim", hl_producer_claim(end->producer, 1, HL_FOREVER, &claim));
	slot = hl_claim_slot(&claim, 0);
	put_line(&slot->hot, &from->hot, *stamps, 0);
	memcpy(slot->reference, from->reference, PAY_REFERENCE);
	slot->memo_bytes = from->memo_bytes;
	memcpy(slot->memo, from->memo, from->memo_bytes);
	hl_producer_publish(end->producer);
}

/* Write a message's payload; -ENOBUFS when there is no room now. */
BENCH_INLINE int put_payload(struct end *end, const struct inline_payment *from,
			     struct hl_payload_space *space)
{
	const size_t bytes[FIELDS] = {
		[FIELD_REFERENCE] = PAY_REFERENCE,
		[FIELD_MEMO] = from->memo_bytes,
	};
	const int ret = hl_payload_alloc(end->producer, bytes, FIELDS, space);
	void *field;

	if (ret < 0)
		return ret;
	for (uint32_t k = 0; k < FIELDS; k++) {
		field = hl_payload_space_field(space, k, bytes[k]);
		if (!field)
			return -EBADMSG;
		memcpy(field, k == FIELD_MEMO ? from->memo : from->reference,
		       bytes[k]);
	}
	return 0;
}

/* Payloads of the next k payments, as many as there is room for, at least 1. */
BENCH_INLINE uint32_t put_payloads(struct end *end, uint32_t k,
				   uint32_t *offsets)
{
	struct hl_payload_space space;
	uint32_t i = 0;

	while (i < k) {
		const int ret = put_payload(
			end, &end->messages[(end->next + i) % PAY_PAYMENTS],
			&space);

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

/* Send up to k messages with their payloads: how many. */
BENCH_INLINE uint32_t put_some(struct end *end, const uint64_t *stamps,
			       uint32_t k, uint32_t ahead)
{
	uint32_t offsets[RUNG_BURST];
	struct hl_claim claim;
	uint32_t done = 0;

	k = put_payloads(end, k, offsets);
	while (done < k) {
		const ssize_t n = hl_producer_claim(end->producer, k - done,
						    HL_FOREVER, &claim);

		must("claim", n);
		for (uint32_t i = 0; i < (uint32_t)n; i++) {
			if (ahead)
				__builtin_prefetch(
					hl_claim_slot(&claim, i + ahead), 1);
			put_line(hl_claim_slot(&claim, i),
				 &next_message(end)->hot, stamps[done + i],
				 offsets[done + i]);
		}
		hl_producer_publish(end->producer);
		done += (uint32_t)n;
	}
	return k;
}

BENCH_INLINE void put_all(struct bench_side *side, const uint64_t *stamps,
			  uint32_t k, uint32_t ahead)
{
	for (uint32_t done = 0; done < k;)
		done += put_some(side->end, stamps + done, k - done, ahead);
}

BENCH_INLINE void put_offset(struct bench_side *side, const uint64_t *stamps,
			     uint32_t k)
{
	put_all(side, stamps, k, 0);
}

BENCH_INLINE void put_ahead(struct bench_side *side, const uint64_t *stamps,
			    uint32_t k)
{
	put_all(side, stamps, k, 8);
}

BENCH_INLINE void pass(struct rung_desk *desk, const struct hot_payment *m)
{
	struct pay_fields f = {
		.magic = m->magic,
		.type = m->type,
		.stamp = m->stamp,
		.amount = m->amount,
		.checksum = m->checksum,
	};

	pay_bank(&f, m->recipient);
	pay_pass(&desk->book, &f);
	rung_passed(desk, f.stamp);
}

BENCH_INLINE uint32_t get_up_to(struct bench_side *side, struct rung_desk *desk,
				uint32_t max, bool fetch)
{
	struct end *const end = side->end;
	struct hl_batch batch;
	const struct hot_payment *m;
	const ssize_t n =
		hl_consumer_take(end->consumer, max, HL_FOREVER, &batch);
	uint32_t i = 0;

	must("take", n);
	fetch = fetch && batch.count == max;
	while ((m = hl_batch_next(&batch))) {
		/* No more than an address: the ring has such a slot. */
		if (fetch)
			__builtin_prefetch(hl_batch_slot(&batch, max + i++));
		pass(desk, m);
	}
	hl_consumer_done(end->consumer);
	return (uint32_t)n;
}

BENCH_INLINE uint32_t get_one(struct bench_side *side, struct rung_desk *desk)
{
	return get_up_to(side, desk, 1, false);
}

BENCH_INLINE uint32_t get_batch(struct bench_side *side, struct rung_desk *desk)
{
	return get_up_to(side, desk, RUNG_TAKE, false);
}

BENCH_INLINE uint32_t get_ahead(struct bench_side *side, struct rung_desk *desk)
{
	return get_up_to(side, desk, RUNG_TAKE, true);
}

RUNG_LOOPS(split, 1, put_inline, get_one)
RUNG_LOOPS(offset, 1, put_offset, get_one)
RUNG_LOOPS(batch, RUNG_BURST, put_offset, get_batch)
RUNG_LOOPS(prefetch, RUNG_BURST, put_ahead, get_ahead)

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
