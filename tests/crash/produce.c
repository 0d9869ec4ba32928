/* SPDX-License-Identifier: MIT */
/*
 * produce.c - workers that produce, in all the ways there are
 *
 * Before a message can be seen, the ledger has what its position holds, where
 * the way of sending tells the position; after the call that publishes, that
 * it was published.
 */
#include "config.h"

#include "tests/crash/campaign.h"

#include <errno.h>
#include <string.h>

#include "lib/handle.h"

#define WAIT_NS (50 * MS_NS)
#define BURST 16
#define PAYLOAD_MAX 700

/* What a call may say to who produces while others die and the ring ends. */
static bool expected(ssize_t ret)
{
	return ret == -ETIMEDOUT || ret == -EAGAIN || ret == -ENOBUFS;
}

static void published(struct worker *w, uint32_t index)
{
	atomic_store(&campaign->ledger.fate[index], FATE_PUBLISHED);
	atomic_fetch_add(&w->life->returned, 1);
}

static uint64_t next_tag(struct worker *w)
{
	return worker_tag(w->life_number,
			  atomic_fetch_add(&w->life->started, 1) + 1);
}

/* A number that did not go out is used for the next message. */
static void not_sent(struct worker *w)
{
	atomic_fetch_sub(&w->life->started, 1);
}

/* By the calls that copy. */
static bool send_one(struct worker *w, struct hl_producer *producer)
{
	unsigned char bytes[PAYLOAD_MAX];
	struct iovec field = { .iov_base = bytes };
	const uint64_t tag = next_tag(w);
	struct hl_message m;
	uint32_t index;
	int ret;

	worker_fill(&m, tag);
	field.iov_len = worker_random(w, sizeof(bytes));
	worker_fill_payload(bytes, field.iov_len, tag);
	if (campaign->round.arena && worker_random(w, 2))
		ret = hl_producer_sendv(producer, &m, sizeof(m), &field, 1,
					WAIT_NS);
	else
		ret = hl_producer_send(producer, &m, sizeof(m), WAIT_NS);
	if (ret != 1) {
		not_sent(w);
		if (!expected(ret))
			wrong("send: %d", ret);
		return false;
	}
	/* Its range stands until the next claim. */
	if (!ledger_index(hli_load_rlx(&producer->member.record->from), &index))
		return false;
	atomic_store(&campaign->ledger.sent[index], tag);
	published(w, index);
	return true;
}

/* A payload for the message with this tag, now and then, if there is room. */
static uint32_t put_payload(struct worker *w, struct hl_producer *producer,
			    uint64_t tag)
{
	unsigned char bytes[PAYLOAD_MAX];
	struct iovec field = { .iov_base = bytes };
	struct hl_payload_space space;
	int ret;

	if (!campaign->round.arena || worker_random(w, 3) == 0)
		return 0;
	field.iov_len = worker_random(w, sizeof(bytes));
	worker_fill_payload(bytes, field.iov_len, tag);
	ret = hl_payload_put(producer, &field, 1, &space);
	if (ret < 0 && ret != -ENOBUFS)
		wrong("put: %d", ret);
	return ret < 0 ? 0 : space.payload_offset;
}

static void fill_slot(const struct hl_claim *claim, uint32_t i, uint64_t tag,
		      uint32_t payload)
{
	struct hl_message *const slot =
		(struct hl_message *)hl_claim_slot(claim, i);
	uint32_t index;

	worker_fill(slot, tag);
	slot->payload_offset = payload;
	if (ledger_index(claim->position + i, &index))
		atomic_store(&campaign->ledger.sent[index], tag);
}

static void give_up(const struct hl_claim *claim, uint32_t i)
{
	uint32_t index;

	if (ledger_index(claim->position + i, &index))
		atomic_store(&campaign->ledger.fate[index], FATE_GIVEN_UP);
}

/* Publish or abandon slot by slot, in an order of its own. */
static void settle_slots(struct worker *w, struct hl_producer *producer,
			 const struct hl_claim *claim)
{
	const uint32_t first = (uint32_t)worker_random(w, claim->count);
	uint32_t i, index;
	int ret;

	for (i = 0; i < claim->count; i++) {
		const uint32_t slot = (first + i) % claim->count;

		if (worker_random(w, 4) == 0) {
			give_up(claim, slot);
			ret = hl_producer_abandon_slot(producer, slot);
		} else {
			ret = hl_producer_publish_slot(producer, slot);
			if (ledger_index(claim->position + slot, &index))
				published(w, index);
		}
		if (ret < 0)
			wrong("settle a slot: %d", ret);
	}
}

static void publish_all(struct worker *w, struct hl_producer *producer,
			const struct hl_claim *claim)
{
	const int ret = hl_producer_publish(producer);
	uint32_t i, index;

	if (ret < 0)
		wrong("publish: %d", ret);
	for (i = 0; i < claim->count; i++)
		if (ledger_index(claim->position + i, &index))
			published(w, index);
}

/* False: the producer has left, with the claim in hand. */
static bool settle_claim(struct worker *w, struct hl_producer *producer,
			 const struct hl_claim *claim)
{
	uint32_t i;

	switch (worker_random(w, 16)) {
	case 0: /* leave with it in hand */
	case 1:
		for (i = 0; i < claim->count; i++)
			give_up(claim, i);
		if (w->place->role == CHANGES) {
			worker_leave_producer(w, producer);
			return false;
		}
		hl_producer_abandon(producer);
		return true;
	case 2:
	case 3:
	case 4:
		settle_slots(w, producer, claim);
		return true;
	default:
		publish_all(w, producer, claim);
		return true;
	}
}

/* In place. Returns false when the producer has left. */
static bool send_burst(struct worker *w, struct hl_producer *producer)
{
	const uint32_t capacity = campaign->round.capacity;
	uint32_t n = 1 + (uint32_t)worker_random(w, BURST), i;
	uint32_t payloads[BURST];
	uint64_t tags[BURST];
	struct hl_claim claim;
	ssize_t got;

	n = n < capacity ? n : capacity;
	for (i = 0; i < n; i++) {
		tags[i] = next_tag(w);
		payloads[i] = put_payload(w, producer, tags[i]);
	}
	got = hl_producer_claim(producer, n, WAIT_NS, &claim);
	for (i = got < 0 ? 0 : (uint32_t)got; i < n; i++)
		not_sent(w);
	if (got <= 0) {
		if (!expected(got))
			wrong("claim: %zd", got);
		return true;
	}
	for (i = 0; i < claim.count; i++)
		fill_slot(&claim, i, tags[i], payloads[i]);
	return settle_claim(w, producer, &claim);
}

void produce_some(struct worker *w, struct hl_producer *producer)
{
	int i;

	for (i = 0; i < 4; i++)
		if (!send_burst(w, producer))
			return;
	worker_leave_producer(w, producer);
}

void produce_run(struct worker *w)
{
	struct hl_producer *producer = worker_join_producer(w);

	while (producer && !worker_told_to_stop()) {
		const uint64_t before = atomic_load(&w->life->returned);

		if (producer->claimer.first &&
		    ledger_full(producer->claimer.first)) {
			atomic_store(&campaign->stop, 1);
			break;
		}
		if (worker_random(w, 2))
			send_burst(w, producer);
		else
			send_one(w, producer);
		if (atomic_load(&w->life->returned) != before)
			worker_progress(w);
		worker_dawdle(w);
		if (worker_random(w, 512) == 0) {
			worker_leave_producer(w, producer);
			producer = worker_join_producer(w);
		}
	}
	if (producer)
		worker_leave_producer(w, producer);
}
