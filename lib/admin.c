/* SPDX-License-Identifier: MIT */
/*
 * admin.c - repair a ring, evict a participant
 *
 * Guarantees: both work under the control byte, so that two operators and all
 * who join exclude one another. What needs nobody to be alive is done only when
 * every record's byte is free.
 */
#include "config.h"

#include <hotline/admin.h>

#include <errno.h>
#include <string.h>

#include "group.h"
#include "handle.h"
#include "join.h"
#include "liveness.h"
#include "reap.h"
#include "util.h"

static bool anybody_lives(const struct hli_member *member)
{
	uint32_t i;

	for (i = 0; i < member->ring->view.nrecords; i++) {
		if (hli_lock_probe(member->lock_fd, HLI_LOCK_RECORD(i)) != 0)
			return true;
	}
	return false;
}

/* What is claimed, not settled, and in nobody's range: damage. */
static int void_orphans(const struct hli_view *view)
{
	const uint64_t head =
		hli_head_position(hli_load_acq(&view->header->head));
	const uint64_t start = view->geo.start_position;
	const uint64_t capacity = view->geo.capacity;
	uint64_t p = head > start + capacity ? head - capacity : start;
	int n = 0;

	for (; p < head; p++) {
		_Atomic uint64_t *const stamp = hli_stamp(view, p);
		const uint64_t s = hli_load_acq(stamp);

		if (hli_stamp_position(s) == p)
			continue;
		/* E1: pairs with take.c:ready_run() */
		if (hli_cas_ar(stamp, s, p | HL_SEQUENCE_VOID)) {
			hli_add_rlx(&view->header->voided, 1);
			n++;
		}
	}
	return n;
}

/* Dead records whose range makes no sense: recovery leaves them alone. */
static int free_damaged(const struct hli_view *view)
{
	int n = 0;
	uint32_t i;

	for (i = 0; i < view->nrecords; i++) {
		uint64_t from, to;

		if (hli_record_state(&view->records[i]) == HLI_FREE ||
		    (hli_range_get(&view->records[i], &from, &to) &&
		     to - from <= view->geo.capacity))
			continue;
		hli_discard_range(view, i);
		if (i < view->geo.max_producers)
			hli_blocks_free(view, i);
		hli_record_free(view, i);
		n++;
	}
	return n;
}

/* A cursor beyond head would wait for what nobody has claimed. */
static int clamp_cursors(const struct hli_view *view)
{
	const uint64_t head =
		hli_head_position(hli_load_acq(&view->header->head));
	int n = 0;
	uint32_t g;

	for (g = 0; g < view->geo.max_groups; g++) {
		if (hli_load_acq(&view->groups[g].state) != HLI_GROUP_USED ||
		    hli_load_acq(&view->groups[g].next) <= head)
			continue;
		hli_store_rel(&view->groups[g].next, head);
		n++;
	}
	return n;
}

int hl_ring_repair(struct hl_ring *ring, struct hl_error *err)
{
	struct hli_member member = { 0 };
	int ret = hli_join_begin(&member, ring, err);

	if (ret < 0)
		goto out;
	ret = member.changed;
	if (!anybody_lives(&member)) {
		ret += free_damaged(&ring->view);
		ret += clamp_cursors(&ring->view);
		ret += void_orphans(&ring->view);
	} else if (ret == 0) {
		ret = hli_fail(err, -EBUSY,
			       "%s: nothing to recover; what only damage "
			       "explains is mended when nobody lives",
			       ring->name);
	}
	hli_wake(&ring->view, UINT64_MAX);
out:
	hli_join_cancel(&member);
	return ret;
}

/* Give a live member's run to its group: as a dead record of its own. */
static int hand_over(struct hli_member *member, struct hli_record *from,
		     struct hl_error *err)
{
	const struct hli_view *const view = &member->ring->view;
	uint64_t begin, end;
	int ret;

	if (!hli_range_get(from, &begin, &end) ||
	    end - begin > view->geo.capacity)
		return 0;
	member->group = hli_load_rlx(&from->group); /* fixed while not FREE */
	ret = hli_join_record(member, view->geo.max_producers, view->nrecords,
			      "evicted", err);
	if (ret < 0)
		return ret;
	hli_range_set(member->record, begin, end);
	hli_store_rel(&member->record->state, member->tenure);
	hli_record_set(member->record, HLI_DEAD);
	HLI_HOOK("evict_handed_over");
	hli_range_empty(from);
	return 0;
}

/* Nothing of it is honoured any more. */
static int force_out(struct hli_member *member, uint32_t participant,
		     struct hl_error *err)
{
	const struct hli_view *const view = &member->ring->view;
	struct hli_record *const r = &view->records[participant];
	const uint32_t group = hli_load_rlx(&r->group); /* as above */

	if (participant < view->geo.max_producers) {
		(void)hli_settle(view, participant);
		hli_range_empty(r);
		return 0;
	}
	if (group >= view->geo.max_groups)
		return 0;
	/* Fixed while the group is used. */
	if (hli_load_rlx(&view->groups[group].kind) == HL_GROUP_SHARED)
		return hand_over(member, r, err);
	hli_group_remove(view, group);
	hli_store_rel(&r->group, UINT16_MAX);
	return 0;
}

static int mark_evicted(const struct hl_ring *ring, uint32_t participant,
			struct hl_error *err)
{
	struct hli_record *const r = &ring->view.records[participant];
	const uint32_t word = hli_load_acq(&r->state);
	const uint32_t state = word & HLI_STATE_MASK;

	if (state == HLI_EVICTED)
		return 0;
	if (state != HLI_LIVE ||
	    !hli_cas32_ar(&r->state, word,
			  (word & ~HLI_STATE_MASK) | HLI_EVICTED))
		return hli_fail(err, -ENOENT,
				"%s: participant %u is gone already",
				ring->name, participant);
	HLI_HOOK("evict_marked");
	return 0;
}

int hl_participant_evict(struct hl_ring *ring, uint32_t participant, bool force,
			 struct hl_error *err)
{
	struct hli_member member = { 0 };
	int ret = hli_join_begin(&member, ring, err);

	if (ret < 0)
		goto out;
	if (participant >= ring->view.nrecords ||
	    hli_record_state(&ring->view.records[participant]) == HLI_FREE)
		ret = hli_fail(err, -ENOENT, "%s: nobody has the number %u",
			       ring->name, participant);
	if (ret == 0)
		ret = mark_evicted(ring, participant, err);
	if (ret == 0 && force)
		ret = force_out(&member, participant, err);
out:
	hli_join_cancel(&member);
	hli_wake(&ring->view, UINT64_MAX);
	return ret;
}
