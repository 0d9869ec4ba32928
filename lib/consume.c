/* SPDX-License-Identifier: MIT */
/*
 * consume.c - consumers: take and wait, finish
 */
#include "config.h"

#include <hotline/hotline.h>

#include <errno.h>
#include <string.h>

#include "clock.h"
#include "handle.h"
#include "reap.h"
#include "record.h"
#include "straight.h"
#include "util.h"

static bool take_ready(void *self, bool fresh)
{
	const struct hl_consumer *const consumer = self;

	return !hli_member_live(&consumer->member) ||
	       hli_take_ready(&consumer->taker, fresh);
}

static int look(void *self)
{
	struct hl_consumer *const consumer = self;

	return hli_look_for_dead(&consumer->member, false);
}

/* A position that is claimed and not published, or, at the end of a finished
 * ring, what other members have in hand. */
static bool held_back(void *self)
{
	const struct hl_consumer *const consumer = self;
	struct hli_header *const header = consumer->member.ring->view.header;

	if (hli_unpublished(&consumer->taker)) {
		hli_note_held(&header->held_position, &header->held_since_ns,
			      hli_take_position(&consumer->taker));
		return true;
	}
	return hli_load_acq(&header->head) & HLI_FINISHED;
}

static const struct hli_wait_ops take_ops = { take_ready, look, held_back };

/* What a dead member left: 0 when there is nothing more of it. */
HLI_RARELY static ssize_t take_adopted(struct hl_consumer *consumer, size_t max)
{
	struct hli_member *const member = &consumer->member;
	ssize_t got;

	if (!hli_member_live(member))
		return -EIDRM;
	consumer->taker.adopted = member->adopted;
	got = hli_adopt(&consumer->taker, max);
	if (got > 0)
		return got;
	consumer->taker.adopted = HLI_NO_RECORD;
	if (got < 0)
		hli_discard_range(consumer->taker.view, member->adopted);
	hli_adopted_end(member);
	return 0;
}

/* The next run: what a dead member left comes first once it is found. */
static ssize_t take_run(struct hl_consumer *consumer, size_t max)
{
	ssize_t got = 0;

	if (consumer->member.adopted != HLI_NO_RECORD)
		got = take_adopted(consumer, max);
	return got ? got : hli_take(&consumer->taker, max, consumer->copies);
}

/* Some of it was handed out before. */
HLI_RARELY static void count_redelivered(const struct hl_consumer *consumer)
{
	const struct hli_run *const run = &consumer->taker.run;

	hli_count(&consumer->member.record->dropped,
		  hli_min(run->redelivered_below, run->to) - run->from);
}

/* Messages of a batch that asks for more: a smaller one may well be the last that
 * there is, and of a larger one all lines are on their way at once. */
#define ASK_LEAST 8u
#define ASK_MOST 64u

/* Let the walk begin in its first row, which ends where the ring wraps. */
static void begin_row(struct hl_batch *batch)
{
	const uint32_t to_wrap = batch->mask - batch->first;
	const uint32_t more = batch->count <= to_wrap ? batch->count - 1 :
							to_wrap;

	/* The slot before the first is the one that was returned last. */
	batch->at = batch->slots + (size_t)batch->first * HL_LINE_BYTES -
		    HL_LINE_BYTES;
	batch->row_last = batch->at + ((size_t)more + 1) * HL_LINE_BYTES;
	batch->next = more + 1;
}

/*
 * How far ahead of its walk to ask for more, where all that was asked for was
 * there at once, and right after the last batch: not beyond where the ring wraps.
 */
HLI_APART static uint32_t ask_ahead_bytes(struct hl_consumer *consumer,
					  const struct hl_batch *batch)
{
	const bool follows = batch->position == consumer->next;

	consumer->next = batch->position + batch->count;
	if (!follows ||
	    batch->mask - batch->first + 1 < batch->count + consumer->ask)
		return 0;
	return consumer->ask * batch->slot_bytes;
}

/* max is what was asked for. */
static HLI_INLINE void fill_batch(struct hl_consumer *consumer,
				  struct hl_batch *batch, size_t max)
{
	const struct hli_run *const run = &consumer->taker.run;

	memcpy(batch, &consumer->batch, offsetof(struct hl_batch, position));
	/* One by one: a load of two words at once has to wait for the stores of
	 * them, which were made a moment ago. */
	batch->position = run->from;
	hli_fence_compiler();
	batch->redelivered_below = run->redelivered_below;
	hli_fence_compiler();
	batch->lost = run->lost;
	batch->attempt = run->attempt;
	batch->count = (uint32_t)(run->to - run->from);
	batch->messages = batch->count - run->voids;
	batch->first = 0;
	if (!batch->copied)
		batch->first = (uint32_t)(run->from - 1) & batch->mask;
	batch->next = 0;
	batch->ahead_bytes = 0;
	if (batch->count == max && max >= ASK_LEAST && max <= ASK_MOST)
		batch->ahead_bytes = ask_ahead_bytes(consumer, batch);
	batch->at = batch->row_last = NULL;
	if (consumer->rows && run->voids == 0)
		begin_row(batch);
	if (run->redelivered_below > run->from)
		count_redelivered(consumer);
}

#define POISON_FORWARD_NS HLI_NS_PER_S /* in one take, at the most */

static void begin_burials(struct hl_consumer *consumer, int64_t timeout_ns)
{
	consumer->refused = false;
	consumer->poison_until_ns = 0;
	if (timeout_ns)
		consumer->poison_until_ns = hli_deadline_ns((int64_t)hli_min(
			(uint64_t)timeout_ns, POISON_FORWARD_NS));
}

/* What is left of it: for a take that may wait never no time at all. */
static int64_t poison_wait(const struct hl_consumer *consumer)
{
	const int64_t until = consumer->poison_until_ns;
	int64_t now;

	if (until == 0)
		return HL_NOWAIT;
	now = hli_now_ns();
	return now < until ? until - now : 1;
}

/*
 * The run in hand is one message that was tried too often: give it to whom
 * the caller named. 0, or an error: then it stays where it is.
 */
static int bury(struct hl_consumer *consumer)
{
	struct hl_batch batch;
	const void *message;
	int ret;

	fill_batch(consumer, &batch, 0);
	message = hl_batch_next(&batch);
	if (!message || (hl_message_sequence(message) & HL_SEQUENCE_VOID)) {
		/* Made void since: damage, and nothing to give. */
		hli_done(&consumer->taker, consumer->taker.run.to);
		return 0;
	}
	if (consumer->poison)
		ret = consumer->poison(&batch, message, consumer->poison_user);
	else
		ret = hl_producer_forward(consumer->poison_producer, &batch,
					  message, poison_wait(consumer));
	consumer->refused = ret < 0;
	if (ret < 0) {
		consumer->taker.taken = false;
		return ret;
	}
	hli_add_rlx(&consumer->taker.group->dead_letters, 1);
	hli_done(&consumer->taker, consumer->taker.run.to);
	return 0;
}

/* The next run without what was tried too often. */
HLI_RARELY static ssize_t take_healthy(struct hl_consumer *consumer, size_t max)
{
	uint64_t most = consumer->taker.view->geo.capacity;
	ssize_t got;
	int ret;

	while (most--) {
		got = take_run(consumer, max);
		if (got <= 0 ||
		    consumer->taker.run.attempt <= consumer->max_attempts)
			return got;
		ret = bury(consumer);
		if (ret < 0)
			return ret;
	}
	return -EAGAIN;
}

/*
 * Something was released: producers may have room. At the end of a finished
 * ring it is news to the other members, too: theirs may be the last look.
 */
static inline void tell(struct hl_consumer *consumer)
{
	const struct hli_view *const view = consumer->taker.view;
	const uint64_t group = consumer->member.wait.bit;
	uint64_t bits = hli_sleepers(view);

	consumer->taker.moved = false;
	if (!(bits & (HLI_SLEEPERS_PRODUCERS | group)))
		return;
	if (!(hli_load_acq(&view->header->head) & HLI_FINISHED))
		bits &= HLI_SLEEPERS_PRODUCERS;
	hli_wake_bits(view, bits & (HLI_SLEEPERS_PRODUCERS | group));
}

/* What there is, without waiting. */
static HLI_INLINE ssize_t take_now(struct hl_consumer *consumer, size_t max)
{
	ssize_t got;

	if (consumer->look_first) {
		consumer->look_first = false;
		got = hli_look_for_dead(&consumer->member, false);
		if (got < 0)
			return got;
	}
	got = consumer->max_attempts ? take_healthy(consumer, max) :
				       take_run(consumer, max);
	if (consumer->taker.moved) /* void ones, or what was given up */
		tell(consumer);
	if (got == -EAGAIN && hli_drained(&consumer->taker))
		return -EPIPE;
	return got;
}

/*
 * An answer from the next core takes less time than the clock does that tells
 * how long to wait: so many looks come first. Straight: it is taken as well.
 */
#define LOOKS_FIRST 32
#define LOOKED INT64_C(-1) /* they were made; there is no deadline yet */

static HLI_INLINE bool soon(struct hl_consumer *consumer, bool straight)
{
	struct hli_taker *const taker = &consumer->taker;
	int i;

	/* Not where the producer may need this core for it. */
	if (consumer->member.wait.crowded)
		return false;
	hli_keep_distance(&consumer->pace, taker);
	for (i = 0; i < LOOKS_FIRST; i++) {
		if (straight ? hli_next_straight(taker) :
			       hli_take_ready(taker, false))
			return true;
		hli_pause();
	}
	return false;
}

/*
 * There is nothing: is it worth to try again? 1 if so, after a wait where the
 * caller would, or what to return. *deadline_ns is 0 at first, then LOOKED.
 */
HLI_RARELY static int nothing_yet(struct hl_consumer *consumer,
				  int64_t timeout_ns, int64_t *deadline_ns)
{
	int ret;

	/* At its producer's heels it would ask for what is being written. */
	consumer->next = 0;
	/* What was refused is there: no wait is for it. */
	if (timeout_ns > 0 && !consumer->refused) {
		/* Once a call: what it finds may be void, again and again. */
		if (*deadline_ns == 0) {
			*deadline_ns = LOOKED;
			if (soon(consumer, false))
				return 1;
		}
		if (*deadline_ns == LOOKED) {
			hli_pace_broken(&consumer->pace, &consumer->taker);
			*deadline_ns = hli_deadline_ns(timeout_ns);
		}
		ret = hli_wait_until(&consumer->member.wait, &take_ops,
				     consumer, *deadline_ns);
		if (ret >= 0)
			return 1;
	} else {
		/* Who never waits looks for the dead now and then. */
		ret = hli_look_now_and_then(&consumer->member);
		if (ret > 0)
			return 1;
		if (ret == 0)
			ret = -EAGAIN;
	}
	/* Now the descriptor has to tell. */
	if (consumer->waitfd && (ret == -EAGAIN || ret == -ETIMEDOUT))
		hli_waitfd_rearm(consumer->waitfd);
	return ret;
}

static ssize_t take(struct hl_consumer *consumer, size_t max,
		    int64_t timeout_ns)
{
	int64_t deadline_ns = 0;
	ssize_t got;

	if (consumer->taker.taken)
		return -EBUSY;
	if (max == 0 || timeout_ns < 0)
		return -EINVAL;
	max = hli_min(max, consumer->batch_max);
	if (consumer->max_attempts)
		begin_burials(consumer, timeout_ns);
	for (;;) {
		got = take_now(consumer, max);
		if (got != -EAGAIN)
			return got;
		got = nothing_yet(consumer, timeout_ns, &deadline_ns);
		if (got < 0)
			return got;
	}
}

ssize_t hl_consumer_take(struct hl_consumer *consumer, size_t max,
			 int64_t timeout_ns, struct hl_batch *batch)
{
	ssize_t got = hli_enter(&consumer->member);

	if (got < 0)
		return got;
	got = take(consumer, max, timeout_ns);
	if (got > 0) {
		fill_batch(consumer, batch, max);
		got = batch->messages;
	}
	hli_leave(&consumer->member);
	return got;
}

static HLI_INLINE int done(struct hl_consumer *consumer, uint64_t end)
{
	struct hli_member *const member = &consumer->member;
	struct hli_taker *const taker = &consumer->taker;

	/* Evicted: what is in hand comes again, to another. */
	if (!hli_member_live(member)) {
		taker->taken = false;
		return -EIDRM;
	}
	hli_done(taker, end);
	tell(consumer);
	return 0;
}

/* Finish what is in hand, if anything, and take one message. */
HLI_APART static ssize_t done_and_take(struct hl_consumer *consumer,
				       int64_t timeout_ns)
{
	struct hli_taker *const taker = &consumer->taker;
	ssize_t got;

	if (timeout_ns < 0)
		return -EINVAL;
	got = taker->taken ? done(consumer, taker->run.to) : 0;
	if (got < 0)
		return got;
	/* An answer that is waited for is taken straight, too, if it can be. */
	if (timeout_ns > 0 && taker->kind == HL_GROUP_EXCLUSIVE &&
	    taker->handed == taker->cursor && !hli_take_ready(taker, false) &&
	    soon(consumer, true))
		return 1;
	got = take(consumer, 1, timeout_ns);
	if (got <= 0 || taker->run.redelivered_below <= taker->run.from)
		return got;
	count_redelivered(consumer);
	return 2;
}

ssize_t hl_consumer_next(struct hl_consumer *consumer, int64_t timeout_ns,
			 const void **message)
{
	const struct hl_batch *const batch = &consumer->batch;
	uint64_t slot;
	ssize_t got = hli_enter(&consumer->member);

	if (got < 0)
		return got;
	if (timeout_ns >= 0 && hli_next_straight(&consumer->taker)) {
		tell(consumer);
		got = 1;
	} else {
		got = done_and_take(consumer, timeout_ns);
	}
	if (got > 0) {
		slot = batch->copied ? 0 : consumer->taker.run.from - 1;
		*message =
			batch->slots + (slot & batch->mask) * batch->slot_bytes;
	}
	hli_leave(&consumer->member);
	return got;
}

const struct hl_batch *hl_consumer_batch(const struct hl_consumer *consumer)
{
	return &consumer->batch;
}

int hl_consumer_done(struct hl_consumer *consumer)
{
	int ret = hli_enter(&consumer->member);

	if (ret < 0)
		return ret;
	ret = consumer->taker.taken ? done(consumer, consumer->taker.run.to) :
				      -EINVAL;
	hli_leave(&consumer->member);
	return ret;
}

int hl_consumer_done_through(struct hl_consumer *consumer, uint64_t position)
{
	const struct hli_run *const run = &consumer->taker.run;
	int ret = hli_enter(&consumer->member);

	if (ret < 0)
		return ret;
	if (!consumer->taker.taken || position < run->from ||
	    position >= run->to)
		ret = -EINVAL;
	else
		ret = done(consumer, position + 1);
	hli_leave(&consumer->member);
	return ret;
}
