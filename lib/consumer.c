/* SPDX-License-Identifier: MIT */
/*
 * consumer.c - consumers: join and leave, a descriptor, cancel
 */
#include "config.h"

#include <hotline/hotline.h>

#include <errno.h>
#include <stdlib.h>

#include "group.h"
#include "handle.h"
#include "join.h"
#include "liveness.h"
#include "record.h"
#include "schema.h"
#include "util.h"

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
	if (!copied && !consumer->batch.prefetch)
		consumer->ask = hli_ask_slots(view->geo.slot_bytes);
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
	hli_pace_broken(&consumer->pace, &consumer->taker);
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
