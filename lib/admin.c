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

#include "group.h"
#include "handle.h"
#include "join.h"
#include "mend.h"
#include "reap.h"
#include "util.h"

int hl_ring_repair(struct hl_ring *ring, struct hl_error *err)
{
	struct hli_member member = { 0 };
	int ret = hli_join_begin(&member, ring, err);

	if (ret < 0)
		goto out;
	ret = member.changed;
	if (!hli_anybody_lives(&member)) {
		ret += hli_mend(&ring->view);
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
	ret = hli_join_record(member, view->geo.max_producers, view->nrecords,
			      "evicted", err);
	if (ret < 0)
		return ret;
	hli_store_rlx(&member->record->group,
		      hli_load_rlx(&from->group)); /* fixed while not FREE */
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
	uint32_t voids;

	if (participant < view->geo.max_producers) {
		(void)hli_settle(view, participant, &voids);
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
