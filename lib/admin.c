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

/*
 * Give a live member's run to its group: as a dead record of its own.
 *
 * That record stands above the evicted one, since a scan reads them in that
 * order: it sees the run in the one or in the other. It is DEAD before it has
 * the range, so that the next look finds what an evictor that dies here left.
 * Of the evicted one exactly this run is taken: it may be in the middle of a
 * call, and have another by now.
 */
static int hand_over(struct hli_member *member, uint32_t participant,
		     struct hl_error *err)
{
	const struct hli_view *const view = &member->ring->view;
	struct hli_record *const from = &view->records[participant];
	uint64_t begin, end;
	int ret;

	if (!hli_range_get(from, &begin, &end) ||
	    end - begin > view->geo.capacity)
		return 0;
	if (participant + 1 == view->nrecords)
		return hli_fail(
			err, -EUSERS,
			"%s: evicted, but what participant %u has in "
			"hand cannot be handed over: there is no number "
			"above it",
			member->ring->name, participant);
	ret = hli_join_record(member, participant + 1, view->nrecords,
			      HLI_NO_RECORD, "evicted", err);
	if (ret < 0)
		return ret;
	hli_store_rlx(&member->record->group,
		      hli_load_rlx(&from->group)); /* fixed while not FREE */
	hli_store_rel(&member->record->state, member->tenure);
	hli_record_set(member->record, HLI_DEAD);
	HLI_HOOK("evict_dead");
	hli_range_set(member->record, begin, end);
	HLI_HOOK("evict_handed_over");
	(void)hli_cas_ar(&from->from, begin, end);
	HLI_HOOK("evict_taken");
	return 0;
}

/* A producer's positions become void, and what it says of them is nothing. */
static void give_up_claim(const struct hli_view *view, uint32_t participant)
{
	struct hli_record *const r = &view->records[participant];
	uint64_t from, to;
	uint32_t voids = 0; /* not used: they are counted in the header */

	if (!hli_range_get(r, &from, &to))
		return;
	(void)hli_settle(view, participant, &voids);
	(void)hli_cas_ar(&r->from, from, to);
}

/* Nothing of it is honoured any more. */
static int force_out(struct hli_member *member, uint32_t participant,
		     struct hl_error *err)
{
	const struct hli_view *const view = &member->ring->view;
	struct hli_record *const r = &view->records[participant];
	const uint32_t group = hli_load_rlx(&r->group); /* as above */

	if (participant < view->geo.max_producers) {
		give_up_claim(view, participant);
		return 0;
	}
	if (group >= view->geo.max_groups)
		return 0;
	/* Fixed while the group is used. */
	if (hli_load_rlx(&view->groups[group].kind) == HL_GROUP_SHARED)
		return hand_over(member, participant, err);
	/* Its place is nobody's until the evicted one's record is free. */
	hli_group_remove(view, group);
	return 0;
}

static int mark_evicted(const struct hl_ring *ring, uint32_t participant,
			uint32_t tenure, struct hl_error *err)
{
	struct hli_record *const r = &ring->view.records[participant];
	const uint32_t word = hli_load_acq(&r->state);
	const uint32_t state = word & HLI_STATE_MASK;

	if (tenure != HL_ANY_TENURE && tenure != word / HLI_TENURE_STEP)
		return hli_fail(err, -ENOENT,
				"%s: who had the number %u is gone, and %s",
				ring->name, participant,
				state == HLI_FREE ? "nobody has it now" :
						    "another has it now");
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

int hl_participant_evict(struct hl_ring *ring, uint32_t participant,
			 uint32_t tenure, bool force, struct hl_error *err)
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
		ret = mark_evicted(ring, participant, tenure, err);
	if (ret == 0 && force)
		ret = force_out(&member, participant, err);
out:
	hli_join_cancel(&member);
	hli_wake(&ring->view, UINT64_MAX);
	return ret;
}
