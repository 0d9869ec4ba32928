/* SPDX-License-Identifier: MIT */
/*
 * consume.c - consumers: join a group, take and wait, finish, leave
 */
#include "config.h"

#include <hotline/hotline.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "group.h"
#include "handle.h"
#include "join.h"
#include "liveness.h"
#include "reap.h"
#include "record.h"
#include "schema.h"
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

static int check_attr(const struct hl_consumer_attr *attr, const char *ring,
		      struct hl_error *err)
{
	if (attr->size != sizeof(*attr) || attr->wait > HL_WAIT_BUSY ||
	    attr->spin_ns < 0)
		return hli_fail(err, -EINVAL,
				"%s: the consumer's attributes were not "
				"initialised by HL_CONSUMER_ATTR_INIT, or one "
				"has a value that is not defined",
				ring);
	if (attr->max_attempts && !attr->poison && !attr->poison_producer)
		return hli_fail(err, -EINVAL,
				"%s: max_attempts needs somebody to give the "
				"message to: poison or poison_producer",
				ring);
	return 0;
}

/* The group, found or created; the control byte is held. */
static int enter_group(struct hli_member *member,
		       const struct hl_group_attr *attr, struct hl_error *err)
{
	const struct hl_ring *const ring = member->ring;
	const struct hli_view *const view = &ring->view;
	int group = hli_group_find(view, attr->name);
	uint32_t kind;

	if (group < 0)
		group = hli_group_add(view, attr, true, ring->name, err);
	if (group < 0)
		return group;
	kind = hli_load_rlx(&view->groups[group].kind); /* control byte */
	if (kind != (uint32_t)attr->kind)
		return hli_fail(err, -EEXIST,
				"%s: group %s is of kind %u, not %u (0 "
				"exclusive, 1 shared, 2 lossy)",
				ring->name, attr->name, kind, attr->kind);
	member->group = (uint32_t)group;
	hli_store_rlx(&member->record->group, (uint16_t)group); /* not LIVE */
	member->adopts = kind == HL_GROUP_SHARED;
	if (kind == HL_GROUP_SHARED)
		return 0;
	/* Inherited as long as the kind was another: damage. */
	member->adopted = HLI_NO_RECORD;
	if (hli_lock_wait(member->lock_fd, HLI_LOCK_GROUP_SEAT(group),
			  HLI_DYING_NS) < 0)
		return hli_fail(err, -EBUSY,
				"%s: the consumer of group %s lives",
				ring->name, attr->name);
	member->seat = HLI_LOCK_GROUP_SEAT(group);
	return 0;
}

/* The group, if its dead members' records may be taken with what they hold. */
static uint32_t heritage(const struct hli_view *view, const char *name)
{
	const int group = hli_group_find(view, name);

	/* Fixed while the group is used; the control byte is ours. */
	if (group < 0 || !hli_load_rlx(&view->groups[group].durable) ||
	    hli_load_rlx(&view->groups[group].kind) != HL_GROUP_SHARED)
		return HLI_NO_RECORD;
	return (uint32_t)group;
}

/* What is the same in every batch. */
static void init_batch(struct hl_consumer *consumer)
{
	const struct hli_view *const view = consumer->taker.view;
	const bool copied = consumer->taker.kind == HL_GROUP_LOSSY;

	consumer->batch = (struct hl_batch){
		.slots = copied ? consumer->copies : view->slots,
		.file = view->base,
		.arena_at = view->geo.arena_at,
		.mask = copied ? UINT32_MAX : (uint32_t)view->mask,
		.slot_bytes = view->geo.slot_bytes,
		.nblocks = view->geo.nblocks,
		.block_stride = view->geo.block_stride,
		.prefetch = consumer->prefetch_payload && !copied,
		.consumer = consumer,
		.copied = copied,
	};
	consumer->batch_max = copied ? HLI_LOSSY_BATCH :
				       (uint32_t)view->geo.capacity;
	consumer->rows = view->geo.slot_bytes == HL_LINE_BYTES &&
			 !consumer->batch.prefetch;
}

static void init_consumer(struct hl_consumer *consumer,
			  const struct hl_consumer_attr *attr,
			  enum hl_group_kind kind)
{
	struct hli_member *const member = &consumer->member;
	const struct hli_view *const view = &member->ring->view;

	hli_taker_init(&consumer->taker, view, member->index, member->tenure,
		       member->group, (uint32_t)kind);
	consumer->look_first = consumer->taker.kind == HL_GROUP_SHARED;
	consumer->prefetch_payload = attr->prefetch_payload;
	consumer->max_attempts = attr->max_attempts;
	consumer->poison = attr->poison;
	consumer->poison_user = attr->poison_user;
	consumer->poison_producer = attr->poison_producer;
	init_batch(consumer);
	member->wait.view = view;
	member->wait.record = member->record;
	member->wait.count = &view->groups[member->group].wake;
	member->wait.bit = UINT64_C(1) << member->group;
	member->wait.busy = attr->wait == HL_WAIT_BUSY;
	member->wait.spin_ns = attr->spin_ns ? attr->spin_ns : HLI_SPIN_NS;
}

/* Memory for the handle, and for the copies of a lossy one. */
static struct hl_consumer *new_consumer(const struct hl_ring *ring,
					const struct hl_group_attr *group)
{
	struct hl_consumer *const consumer = calloc(1, sizeof(*consumer));
	const size_t bytes =
		(size_t)HLI_LOSSY_BATCH * ring->view.geo.slot_bytes;

	if (!consumer || group->kind != HL_GROUP_LOSSY)
		return consumer;
	consumer->copies = aligned_alloc(HL_LINE_BYTES, bytes);
	if (consumer->copies)
		return consumer;
	free(consumer);
	return NULL;
}

static void free_consumer(struct hl_consumer *consumer)
{
	free(consumer->copies);
	free(consumer->payload_copy);
	free(consumer);
}

int hl_consumer_join(struct hl_ring *ring, const struct hl_group_attr *group,
		     const struct hl_consumer_attr *attr,
		     struct hl_consumer **out, struct hl_error *err)
{
	const struct hl_consumer_attr defaults = HL_CONSUMER_ATTR_INIT;
	const struct hli_view *const view = &ring->view;
	struct hl_consumer *consumer;
	int ret;

	*out = NULL;
	if (!attr)
		attr = &defaults;
	ret = hli_check_group_attr(group, ring->name, err);
	if (ret == 0)
		ret = check_attr(attr, ring->name, err);
	if (ret == 0)
		ret = hli_schema_join(ring, attr->schema, err);
	if (ret < 0)
		return ret;
	consumer = new_consumer(ring, group);
	if (!consumer)
		return hli_fail(err, -ENOMEM, "%s: no memory for a consumer",
				ring->name);
	ret = hli_join_begin(&consumer->member, ring, err);
	if (ret == 0)
		ret = hli_join_record(&consumer->member,
				      view->geo.max_producers, view->nrecords,
				      heritage(view, group->name), attr->name,
				      err);
	if (ret == 0)
		ret = enter_group(&consumer->member, group, err);
	if (ret < 0) {
		hli_join_refused(&consumer->member);
		/* Its group may have held them back for a moment. */
		hli_wake(view, HLI_SLEEPERS_PRODUCERS);
		free_consumer(consumer);
		return ret;
	}
	init_consumer(consumer, attr, group->kind);
	hli_join_end(&consumer->member);
	/* After LIVE: a group whose first joiner dies on the way has had no
	 * member. Who finds us dead stores it as well. */
	hli_store_rel(&view->groups[consumer->member.group].joined, 1);
	/* Who waits because there was no group looks again. */
	hli_wake(view, HLI_SLEEPERS_PRODUCERS);
	*out = consumer;
	return 0;
}

int hl_consumer_leave(struct hl_consumer *consumer)
{
	struct hli_member *member;
	const struct hli_view *view;
	uint64_t group, from, to;
	bool unfinished;

	if (!consumer)
		return 0;
	member = &consumer->member;
	if (hli_forked(member))
		return -EBADF;
	hli_waitfd_stop(consumer->waitfd);
	view = &member->ring->view;
	group = UINT64_C(1) << member->group;
	/* What is in hand is for the other members; so is what was adopted. */
	unfinished = hli_record_ours(member->record, member->tenure) &&
		     hli_range_get(member->record, &from, &to);
	hli_join_leave(member, unfinished ? HLI_DEAD : HLI_FREE);
	hli_wake(view, group | HLI_SLEEPERS_PRODUCERS);
	free_consumer(consumer);
	return 0;
}

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

static HLI_INLINE void fill_batch(struct hl_consumer *consumer,
				  struct hl_batch *batch)
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

	fill_batch(consumer, &batch);
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
 * There is nothing: is it worth to try again? 1 if so, after a wait where the
 * caller would, or what to return. *deadline_ns is 0 at first.
 */
HLI_RARELY static int nothing_yet(struct hl_consumer *consumer,
				  int64_t timeout_ns, int64_t *deadline_ns)
{
	int ret;

	/* What was refused is there: no wait is for it. */
	if (timeout_ns > 0 && !consumer->refused) {
		if (*deadline_ns == 0)
			*deadline_ns = hli_deadline_ns(timeout_ns);
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
		fill_batch(consumer, batch);
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

int hl_consumer_fd(struct hl_consumer *consumer)
{
	int ret = hli_enter(&consumer->member);

	if (ret < 0)
		return ret;
	if (!consumer->waitfd)
		ret = hli_waitfd_start(consumer);
	if (ret == 0)
		ret = hli_waitfd_descriptor(consumer->waitfd);
	hli_leave(&consumer->member);
	return ret;
}

void hl_consumer_cancel(struct hl_consumer *consumer)
{
	if (!hli_forked(&consumer->member))
		hli_wait_cancel(&consumer->member.wait);
}
