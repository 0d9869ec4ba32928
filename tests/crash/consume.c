/* SPDX-License-Identifier: MIT */
/*
 * consume.c - workers that consume, and check what they get
 *
 * A message goes into the ledger before it is done: if its consumer is killed
 * in between, another one gets it again, marked.
 */
#include "config.h"

#include "tests/crash/campaign.h"
#include "tests/support/rings.h"

#include <errno.h>
#include <string.h>

#include "lib/handle.h"

#define WAIT_NS (20 * MS_NS)

/* Change the account of a lossy group, at once or not at all. */
static void note_lossy(struct reader *r, uint64_t end, uint64_t lost,
		       uint64_t voids)
{
	struct ledger *const ledger = &campaign->ledger;
	const uint32_t now = atomic_load(&ledger->lossy_now);
	struct lossy_account next = ledger->lossy[now];

	if (r->kind != HL_GROUP_LOSSY || !r->account)
		return;
	next.end = end;
	next.lost += lost;
	next.voids += voids;
	ledger->lossy[!now] = next;
	atomic_store(&ledger->lossy_now, !now);
}

/* A new reader: the messages that the one before it had died with. */
static void note_died_in_hand(struct reader *r)
{
	struct ledger *const ledger = &campaign->ledger;
	const uint32_t now = atomic_load(&ledger->lossy_now);
	struct lossy_account next = ledger->lossy[now];
	uint32_t index;

	if (r->kind != HL_GROUP_LOSSY || !r->account)
		return;
	for (; next.end < r->next; next.end++)
		if (ledger_index(next.end, &index) && !ledger->fresh[index])
			next.died_in_hand++;
	ledger->lossy[!now] = next;
	atomic_store(&ledger->lossy_now, !now);
}

/* What was found at this position now is what was found before. */
static void note_seen(uint32_t index, uint64_t position, uint64_t tag)
{
	_Atomic uint64_t *const seen = &campaign->ledger.seen[index];
	uint64_t before = 0;

	if (!atomic_compare_exchange_strong(seen, &before, tag) &&
	    before != tag)
		wrong("position %ju was %jx once and is %jx now",
		      (uintmax_t)position, (uintmax_t)before, (uintmax_t)tag);
}

static void note_delivery(struct reader *r, uint32_t index, uint64_t position,
			  bool redelivered)
{
	struct ledger *const ledger = &campaign->ledger;

	if (redelivered) {
		if (r->account)
			atomic_fetch_add(&ledger->marked[index], 1);
		return;
	}
	if (r->account && atomic_fetch_add(&ledger->fresh[index], 1) != 0)
		wrong("position %ju was handed out twice without a mark",
		      (uintmax_t)position);
	if (position <= r->fresh)
		wrong("position %ju came after %ju", (uintmax_t)position,
		      (uintmax_t)r->fresh);
	r->fresh = position;
	note_lossy(r, position + 1, 0, 0);
}

/* A lossy reader's payload may be overwritten while it reads. */
static bool payload_gone(const struct hl_batch *batch, const void *message)
{
	struct hl_payload payload;

	return batch->copied &&
	       hl_batch_payload(batch, message, &payload) == -ESTALE;
}

static void check_payload(const struct hl_batch *batch, const void *message,
			  uint64_t position, uint64_t tag)
{
	struct hl_payload payload;
	const void *field = NULL;
	size_t n = 0;
	int ret = hl_batch_payload(batch, message, &payload);

	if (ret == -ENODATA || (ret == -ESTALE && batch->copied))
		return;
	if (ret == 0)
		ret = hl_payload_field(&payload, 0, &field, &n);
	if (ret < 0)
		wrong("the payload of position %ju cannot be read: %d",
		      (uintmax_t)position, ret);
	else if (!worker_payload_whole(field, n, tag))
		wrong("the payload of position %ju is not its own",
		      (uintmax_t)position);
}

static void check_message(struct reader *r, const struct hl_batch *batch,
			  const struct hl_message *m)
{
	const uint64_t position = hl_batch_position(batch);
	const enum hl_verdict verdict = hl_batch_validate(batch, m);
	uint64_t tag;
	uint32_t index;

	if (!worker_whole(m, &tag) || m->sequence != position)
		wrong("the message at %ju is not whole", (uintmax_t)position);
	else if (verdict != HL_VALID && !payload_gone(batch, m))
		wrong("the message at %ju is not valid: %d",
		      (uintmax_t)position, verdict);
	else if (campaign->round.arena)
		check_payload(batch, m, position, tag);
	if (!ledger_index(position, &index))
		return;
	note_seen(index, position, tag);
	note_delivery(r, index, position, hl_batch_redelivered(batch));
}

static void note_gap(uint64_t from, uint64_t to)
{
	const uint32_t i = atomic_fetch_add(&campaign->ledger.ngaps, 1);

	if (i < GAPS_MAX)
		campaign->ledger.gaps[i] = (struct gap){ from, to };
}

/* What lies between the last batch and this one. */
static void check_gap(struct reader *r, const struct hl_batch *batch)
{
	const uint64_t voids = hli_load_rlx(&r->consumer->member.record->voids);
	const uint64_t gap = batch->position - r->next;

	if (batch->position < r->next)
		wrong("a batch at %ju after one up to %ju",
		      (uintmax_t)batch->position, (uintmax_t)r->next);
	if (r->kind == HL_GROUP_EXCLUSIVE && gap)
		note_gap(r->next, batch->position);
	if (r->kind == HL_GROUP_LOSSY && gap != batch->lost + voids - r->voids)
		wrong("%ju positions before %ju: %ju lost, %ju void",
		      (uintmax_t)gap, (uintmax_t)batch->position,
		      (uintmax_t)batch->lost, (uintmax_t)(voids - r->voids));
	note_lossy(r, batch->position, batch->lost, voids - r->voids);
	r->next = batch->position + batch->count;
	r->voids = voids;
}

ssize_t reader_take(struct reader *r, struct hl_batch *batch)
{
	const size_t max = 1 + worker_random(r->w, 32);
	const ssize_t got =
		r->singles ? support_next(r->consumer, WAIT_NS, batch) :
			     hl_consumer_take(r->consumer, max, WAIT_NS, batch);
	uint64_t next = batch->position, n = 0;
	const void *m;

	if (got <= 0)
		return got;
	if (r->kind != HL_GROUP_SHARED)
		check_gap(r, batch);
	for (next = batch->position; (m = hl_batch_next(batch)); n++) {
		check_message(r, batch, (const struct hl_message *)m);
		if (r->kind == HL_GROUP_EXCLUSIVE &&
		    next != hl_batch_position(batch))
			note_gap(next, hl_batch_position(batch));
		next = hl_batch_position(batch) + 1;
	}
	if (n != batch->messages || (!r->singles && n != (uint64_t)got))
		wrong("a batch of %zd has %ju messages", got, (uintmax_t)n);
	return got;
}

void reader_done(struct reader *r, const struct hl_batch *batch)
{
	const uint64_t step = 1 + worker_random(r->w, 4);
	const uint64_t end = batch->position + batch->count;
	uint64_t p;
	int ret = 0;

	if (r->singles && --r->singles)
		return; /* the next call finishes it */
	if (worker_random(r->w, 2)) {
		ret = hl_consumer_done(r->consumer);
	} else {
		for (p = batch->position + step - 1; p < end && ret == 0;
		     p += step)
			ret = hl_consumer_done_through(r->consumer, p);
		if (ret == 0 && (end - batch->position) % step)
			ret = hl_consumer_done_through(r->consumer, end - 1);
	}
	if (ret < 0)
		wrong("done: %d", ret);
}

bool reader_join(struct reader *r, struct worker *w, const char *group,
		 enum hl_group_kind kind, bool account)
{
	const enum hl_group_start start = account || worker_random(w, 2) ?
						  HL_START_OLDEST :
						  HL_START_NEWEST;

	*r = (struct reader){ .w = w, .kind = kind, .account = account };
	r->consumer = worker_join(w, group, kind, account, start);
	if (!r->consumer)
		return false;
	r->next = r->consumer->taker.cursor;
	note_died_in_hand(r);
	return true;
}

void reader_leave(struct reader *r)
{
	hl_consumer_leave(r->consumer);
	r->consumer = NULL;
}

/* At the end of all: what a lossy reader passed after its last batch. */
static void note_end(struct reader *r, uint64_t lost)
{
	const uint64_t voids = hli_load_rlx(&r->consumer->member.record->voids);

	note_lossy(r, r->consumer->taker.cursor, lost, voids - r->voids);
}

void consume_run(struct worker *w)
{
	const enum hl_group_kind kind = campaign->round.kind;
	struct hl_batch batch = { 0 };
	struct reader r;
	ssize_t got;

	if (!reader_join(&r, w, "main", kind, true))
		return;
	while (!atomic_load(&campaign->failed)) {
		got = reader_take(&r, &batch);
		if (got == -EPIPE)
			break;
		if (got < 0 && got != -ETIMEDOUT) {
			wrong("take: %zd", got);
			break;
		}
		if (got < 0)
			continue;
		worker_progress(w);
		worker_dawdle(w);
		if (worker_random(w, 256) == 0) { /* with it in hand */
			note_end(&r, 0);
			reader_leave(&r);
			if (!reader_join(&r, w, "main", kind, true))
				return;
			continue;
		}
		reader_done(&r, &batch);
		if (!r.consumer->taker.taken && worker_random(w, 8) == 0)
			r.singles = 1 + (uint32_t)worker_random(w, 16);
	}
	note_end(&r, r.consumer->taker.run.lost);
	reader_leave(&r);
}
