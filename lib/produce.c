/* SPDX-License-Identifier: MIT */
/*
 * produce.c - producers: join, claim and wait, publish, send, forward
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
#include "payload.h"
#include "reap.h"
#include "record.h"
#include "schema.h"
#include "util.h"

static bool claim_ready(void *self, bool fresh)
{
	const struct hl_producer *const producer = self;

	(void)fresh;
	return !hli_member_live(&producer->member) ||
	       hli_claim_ready(&producer->claimer);
}

int hli_producer_look(void *self)
{
	struct hl_producer *const producer = self;

	return hli_look_for_dead(&producer->member, false);
}

bool hli_producer_held_back(void *self)
{
	struct hl_producer *const producer = self;
	const struct hli_view *const view = &producer->member.ring->view;

	hli_note_held(&view->header->full_position,
		      &view->header->full_since_ns, hli_low_scan(view));
	return true;
}

static const struct hli_wait_ops claim_ops = {
	claim_ready,
	hli_producer_look,
	hli_producer_held_back,
};

static int check_attr(const struct hl_producer_attr *attr, const char *ring,
		      struct hl_error *err)
{
	if (attr->size != sizeof(*attr) || attr->wait > HL_WAIT_BUSY ||
	    attr->spin_ns < 0)
		return hli_fail(err, -EINVAL,
				"%s: the producer's attributes were not "
				"initialised by HL_PRODUCER_ATTR_INIT, or one "
				"has a value that is not defined",
				ring);
	return 0;
}

static int take_seat(struct hli_member *member, struct hl_error *err)
{
	const struct hl_ring *const ring = member->ring;

	if (ring->view.geo.producers != HL_PRODUCERS_SOLE)
		return 0;
	if (hli_lock_wait(member->lock_fd, HLI_LOCK_PRODUCER_SEAT,
			  HLI_DYING_NS) < 0)
		return hli_fail(err, -EBUSY,
				"%s: its sole producer lives: %.15s, pid %u",
				ring->name, ring->view.records[0].name,
				hli_load_rlx(&ring->view.records[0].pid));
	member->seat = HLI_LOCK_PRODUCER_SEAT;
	return 0;
}

static void init_wait(struct hli_member *member,
		      const struct hl_producer_attr *attr)
{
	const struct hli_view *const view = &member->ring->view;

	member->wait.view = view;
	member->wait.record = member->record;
	member->wait.count = &view->header->wake;
	member->wait.bit = HLI_SLEEPERS_PRODUCERS;
	member->wait.busy = attr->wait == HL_WAIT_BUSY;
	member->wait.spin_ns = attr->spin_ns ? attr->spin_ns : HLI_SPIN_NS;
}

static void init_claim(struct hl_producer *producer)
{
	static const uint32_t never = 0; /* no tenure, as that is LIVE */
	const struct hli_view *const view = producer->claimer.view;
	const uint32_t *state =
		(const uint32_t *)(uintptr_t)&producer->claimer.record->state;

	if (view->geo.checksum != HL_CHECKSUM_NONE ||
	    view->geo.slot_bytes != HL_LINE_BYTES)
		state = &never;
	producer->claim = (struct hl_claim){
		.slots = view->slots,
		.mask = (uint32_t)view->mask,
		.slot_bytes = view->geo.slot_bytes,
		.tenure = producer->claimer.tenure,
		.state = state,
	};
}

int hl_producer_join(struct hl_ring *ring, const struct hl_producer_attr *attr,
		     struct hl_producer **out, struct hl_error *err)
{
	const struct hl_producer_attr defaults = HL_PRODUCER_ATTR_INIT;
	struct hl_producer *producer;
	int ret;

	*out = NULL;
	if (!attr)
		attr = &defaults;
	ret = check_attr(attr, ring->name, err);
	if (ret == 0)
		ret = hli_schema_join(ring, attr->schema, err);
	if (ret < 0)
		return ret;
	producer = calloc(1, sizeof(*producer));
	if (!producer)
		return hli_fail(err, -ENOMEM, "%s: no memory for a producer",
				ring->name);
	ret = hli_join_begin(&producer->member, ring, err);
	if (ret == 0)
		ret = take_seat(&producer->member, err);
	/* A sole producer's predecessor is settled once its record is free. */
	if (ret == 0)
		ret = hli_join_record(&producer->member, 0,
				      ring->view.geo.max_producers,
				      HLI_NO_RECORD, attr->name, err);
	if (ret < 0) {
		hli_join_refused(&producer->member);
		free(producer);
		return ret;
	}
	hli_claimer_init(&producer->claimer, &ring->view,
			 producer->member.index, producer->member.tenure);
	init_claim(producer);
	init_wait(&producer->member, attr);
	hli_join_end(&producer->member);
	*out = producer;
	return 0;
}

/* Evicted, what is in hand may be settled; evicted by force, it is void. */
HLI_RARELY static bool may_still_settle(const struct hli_member *member)
{
	uint64_t from, to;

	return hli_record_ours(member->record, member->tenure) &&
	       hli_range_get(member->record, &from, &to);
}

static bool may_settle(const struct hl_producer *producer)
{
	return hli_member_live(&producer->member) ||
	       may_still_settle(&producer->member);
}

int hl_producer_leave(struct hl_producer *producer)
{
	struct hli_member *member;

	if (!producer)
		return 0;
	member = &producer->member;
	if (hli_forked(member))
		return -EBADF;
	if (hli_record_ours(member->record, member->tenure)) {
		if (producer->claimer.count && may_settle(producer))
			hli_abandon(&producer->claimer);
		hli_range_empty(member->record);
		hli_blocks_free(&member->ring->view, member->index);
		hli_wake(&member->ring->view, UINT64_MAX);
	}
	hli_join_leave(member, HLI_FREE);
	free(producer);
	return 0;
}

/* A sleeping consumer or producer hears of what was published or freed. */
static void tell(struct hl_producer *producer, bool blocks_freed)
{
	hli_wake(&producer->member.ring->view,
		 blocks_freed ? UINT64_MAX : HLI_SLEEPERS_FOR_STAMPS);
}

/* Full: what the caller said to do about it. */
static ssize_t wait_to_claim(struct hl_producer *producer, size_t n,
			     int64_t timeout_ns, ssize_t got)
{
	struct hli_member *const member = &producer->member;
	const int64_t deadline = hli_deadline_ns(timeout_ns);
	int ret;

	hli_count(&member->record->full, 1);
	for (;;) {
		member->wait.bit = HLI_SLEEPERS_PRODUCERS;
		if (producer->claimer.unsettled)
			member->wait.bit |= HLI_SLEEPERS_STAMPS;
		ret = hli_wait_until(&member->wait, &claim_ops, producer,
				     deadline);
		if (ret == -ETIMEDOUT && got == -ENOTCONN)
			return got;
		if (ret < 0)
			return ret;
		got = hli_claim(&producer->claimer, n);
		if (got != -EAGAIN && got != -ENOTCONN)
			return got;
	}
}

/* Nothing to be had now: wait, or see to it as the caller said. */
HLI_RARELY static ssize_t claim_later(struct hl_producer *producer, size_t n,
				      int64_t timeout_ns, ssize_t got)
{
	struct hli_member *const member = &producer->member;
	int looked;

	if (timeout_ns > 0)
		return wait_to_claim(producer, n, timeout_ns, got);
	/* Who never waits looks for the dead now and then. */
	looked = hli_look_now_and_then(member);
	if (looked)
		got = looked < 0 ? looked : hli_claim(&producer->claimer, n);
	if (got != -EAGAIN)
		return got;
	hli_count(&member->record->full, 1);
	if (timeout_ns != HL_DROP)
		return got;
	hli_count(&member->record->dropped, n);
	return 0;
}

ssize_t hli_producer_claim(struct hl_producer *producer, size_t n,
			   int64_t timeout_ns)
{
	const ssize_t got = hli_claim(&producer->claimer, n);

	if (got > 0 || (got != -EAGAIN && got != -ENOTCONN))
		return got;
	return claim_later(producer, n, timeout_ns, got);
}

static HLI_INLINE void give(const struct hl_producer *producer, uint32_t count,
			    struct hl_claim *claim)
{
	const uint64_t first = producer->claimer.first;

	*claim = producer->claim;
	claim->position = first;
	claim->count = count;
	claim->ahead_slots = producer->claimer.ahead;
	claim->first = (uint32_t)(first - 1) & claim->mask;
}

ssize_t hl_producer_claim(struct hl_producer *producer, size_t n,
			  int64_t timeout_ns, struct hl_claim *claim)
{
	const struct hli_view *const view = &producer->member.ring->view;
	ssize_t got = hli_enter(&producer->member);

	if (got < 0)
		return got;
	if (producer->claimer.count)
		got = -EBUSY;
	else if (n == 0 || n > view->geo.capacity ||
		 !hli_timeout_ok(timeout_ns, true))
		got = -EINVAL;
	else
		got = hli_claim(&producer->claimer, n);
	if (got == -EAGAIN || got == -ENOTCONN)
		got = claim_later(producer, n, timeout_ns, got);
	if (got > 0)
		give(producer, (uint32_t)got, claim);
	hli_leave(&producer->member);
	return got;
}

/* Fill in the checksum of one slot: 0, or -EBADMSG for a bad payload_offset. */
static int sum_slot(struct hl_producer *producer, uint64_t position)
{
	const struct hli_view *const view = &producer->member.ring->view;
	unsigned char *const slot = hli_slot(view, position);
	struct hl_payload payload = { 0 };
	uint32_t sum;
	int ret = -ENODATA;

	if (view->geo.checksum == HL_CHECKSUM_PAYLOAD)
		ret = hl_payload_find(view->base, view->geo.arena_at,
				      view->geo.nblocks, view->geo.block_stride,
				      hl_message_payload_offset(slot),
				      &payload);
	if (ret == -EBADMSG)
		return ret;
	sum = hli_checksum(slot, view->geo.slot_bytes, position,
			   ret == 0 ? &payload : NULL);
	memcpy(slot + HL_CHECKSUM_OFFSET, &sum, sizeof(sum));
	return 0;
}

/* Checksums of all of the claim; what cannot be summed is made void. */
HLI_APART static int sum_claim(struct hl_producer *producer)
{
	struct hli_claimer *const claimer = &producer->claimer;
	const uint64_t end = claimer->first + claimer->count;
	uint64_t p;
	int ret = 0;

	for (p = claimer->first; p < end && claimer->count; p++) {
		/* It is the readers' now; to look at it costs its line. */
		if (claimer->open != claimer->count &&
		    hli_is_settled(claimer, p))
			continue;
		if (sum_slot(producer, p) < 0) {
			hli_settle_one(claimer, p, true);
			ret = -EBADMSG;
		}
	}
	return ret;
}

/* The claim is over: its payloads are the readers' now. */
static HLI_INLINE void claim_over(struct hl_producer *producer, uint64_t last)
{
	struct hli_claimer *const claimer = &producer->claimer;

	tell(producer,
	     hli_lease_open(&claimer->lease) &&
		     hli_lease_published(claimer->view, &claimer->lease, last));
}

static HLI_INLINE int publish(struct hl_producer *producer)
{
	struct hli_claimer *const claimer = &producer->claimer;
	const uint64_t last = claimer->first + claimer->count - 1;
	int ret = 0;

	if (claimer->view->geo.checksum != HL_CHECKSUM_NONE)
		ret = sum_claim(producer);
	if (__builtin_expect(claimer->count, 1)) /* not all was made void */
		hli_publish(claimer);
	claim_over(producer, last);
	return ret;
}

int hli_producer_publish(struct hl_producer *producer)
{
	return publish(producer);
}

/*
 * Enter with a claim in hand. Who was declared dead has none: its positions
 * are void, and their slots may be in use again.
 */
static HLI_INLINE int enter_with_claim(struct hl_producer *producer)
{
	int ret = hli_enter(&producer->member);

	if (ret < 0)
		return ret;
	if (producer->claimer.count == 0)
		ret = -EINVAL;
	else if (!may_settle(producer))
		ret = -EIDRM;
	if (ret == -EIDRM)
		producer->claimer.count = producer->claimer.open = 0;
	if (ret < 0)
		hli_leave(&producer->member);
	return ret;
}

int hl_producer_publish(struct hl_producer *producer)
{
	int ret = enter_with_claim(producer);

	if (ret < 0)
		return ret;
	ret = publish(producer);
	hli_leave(&producer->member);
	return ret;
}

int hl_producer_abandon(struct hl_producer *producer)
{
	struct hli_claimer *const claimer = &producer->claimer;
	const int ret = enter_with_claim(producer);
	uint64_t last;

	if (ret < 0)
		return ret;
	last = claimer->first + claimer->count - 1;
	hli_abandon(claimer);
	claim_over(producer, last);
	hli_leave(&producer->member);
	return 0;
}

static int settle_slot(struct hl_producer *producer, size_t i, bool void_)
{
	struct hli_claimer *const claimer = &producer->claimer;
	int ret = enter_with_claim(producer);
	uint64_t last;

	if (ret < 0)
		return ret;
	last = claimer->first + claimer->count - 1;
	if (i >= claimer->count) {
		ret = -EINVAL;
		goto out;
	}
	if (!void_ && claimer->view->geo.checksum != HL_CHECKSUM_NONE &&
	    !hli_is_settled(claimer, claimer->first + i) &&
	    sum_slot(producer, claimer->first + i) < 0) {
		void_ = true;
		ret = -EBADMSG;
	}
	if (!hli_settle_one(claimer, claimer->first + i, void_))
		ret = -EINVAL;
	else if (claimer->count == 0)
		claim_over(producer, last);
	else
		tell(producer, false);
out:
	hli_leave(&producer->member);
	return ret;
}

int hl_producer_publish_slot(struct hl_producer *producer, size_t i)
{
	return settle_slot(producer, i, false);
}

int hl_producer_abandon_slot(struct hl_producer *producer, size_t i)
{
	return settle_slot(producer, i, true);
}

int hl_producer_finish(struct hl_producer *producer)
{
	struct hli_member *const member = &producer->member;
	int ret = hli_enter(member);

	if (ret < 0)
		return ret;
	if (producer->claimer.count) {
		ret = -EBUSY;
	} else if (!hli_member_live(member)) {
		ret = -EIDRM;
	} else {
		hli_finish(&member->ring->view);
		hli_wake(&member->ring->view, UINT64_MAX);
	}
	hli_leave(member);
	return ret;
}

void hl_producer_cancel(struct hl_producer *producer)
{
	if (!hli_forked(&producer->member))
		hli_wait_cancel(&producer->member.wait);
}
