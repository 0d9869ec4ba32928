/* SPDX-License-Identifier: MIT */
/*
 * why_group - reasons that concern one group: why it does not get on
 *
 * A group stands still when its low is the same in both looks. Then either a
 * member has that position in hand, or it waits at a position that is not
 * published (which is said there), or nobody takes what is ready.
 */
#include "why.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "out.h"
#include "words.h"

static bool is_member(const struct hlt_participant_row *p,
		      const struct hlt_group_row *row)
{
	return !p->status.producer && p->status.group == row->index;
}

/* The member that the group waits for: who has its low in hand, or is alone. */
static const struct hlt_participant_row *
slowest(const struct hlt_why *why, const struct hlt_group_row *row)
{
	const struct hlt_participant_row *only = NULL;

	for (size_t i = 0; i < why->after->nparticipants; i++) {
		const struct hlt_participant_row *p =
			&why->after->participants[i];

		if (!is_member(p, row))
			continue;
		if (p->status.from < p->status.to &&
		    p->status.from == row->status.low)
			return p;
		if (row->status.kind != HL_GROUP_SHARED)
			only = p;
	}
	return only;
}

/* Do producers wait for this group? */
static bool presses(const struct hlt_why *why, const struct hlt_group_row *row)
{
	return (why->still || why->starved) &&
	       row->status.kind != HL_GROUP_LOSSY &&
	       row->status.low == why->after->ring.low;
}

static void set_group(struct hlt_reason *reason,
		      const struct hlt_group_row *row)
{
	hlt_json_set(reason->object, "group",
		     hlt_json_bytes(row->status.name,
				    strlen(row->status.name)));
	hlt_json_set(reason->object, "position", hlt_json_u64(row->status.low));
	hlt_json_set(reason->object, "depth", hlt_json_u64(row->status.depth));
}

static const char *then(bool pressing)
{
	return pressing ? "; it holds producers back" : "";
}

static void nobody_there(struct hlt_why *why, const struct hlt_group_row *row)
{
	const struct hl_group_status *g = &row->status;
	const bool pressing = presses(why, row);
	struct hlt_reason *reason = hlt_why_add(why, "no_member", pressing);
	char kept[HLT_POSITIONS_BYTES];

	set_group(reason, row);
	if (g->dead > 0 && !g->durable) {
		hlt_reason_say(reason,
			       "the last member of group %s has died: whoever "
			       "joins or waits next drops the group, with its "
			       "%s%s",
			       g->name, hlt_count_positions(kept, g->depth),
			       then(pressing));
		return;
	}
	hlt_reason_say(reason,
		       "%sgroup %s has no member, and keeps %s from %" PRIu64
		       " on for the next one%s",
		       g->durable ? "durable " : "", g->name,
		       hlt_count_positions(kept, g->depth), g->low,
		       then(pressing));
	if (pressing)
		hlt_reason_say(reason, ": join it, or drop it (hl_group_drop)");
}

static void slow_member(struct hlt_why *why, const struct hlt_group_row *row,
			const struct hlt_participant_row *member)
{
	const struct hl_participant_status *p = &member->status;
	const bool pressing = presses(why, row);
	const bool stuck = row->status.kind != HL_GROUP_LOSSY &&
			   (hlt_is_stopped(member) || p->liveness != HL_ALIVE);
	struct hlt_reason *reason =
		hlt_why_add(why, "slow_member", pressing || stuck);
	char who[HLT_WHO_BYTES], state[HLT_STATE_BYTES];
	char hand[HLT_POSITIONS_BYTES];

	set_group(reason, row);
	hlt_reason_about(reason, why, member);
	hlt_reason_say(reason,
		       "group %s stands at position %" PRIu64 ", %" PRIu64
		       " behind: its slowest member is %s, which is %s",
		       row->status.name, row->status.low, row->status.depth,
		       hlt_who(who, member), hlt_who_state(state, member));
	if (p->from < p->to)
		hlt_reason_say(reason, ", with %s in hand",
			       hlt_positions(hand, p->from, p->to));
	hlt_reason_say(reason, "%s", then(pressing));
}

/* Messages are ready, and members live, but nobody takes them. */
static void nobody_takes(struct hlt_why *why, const struct hlt_group_row *row)
{
	const bool pressing = presses(why, row);
	uint32_t members = 0, stopped = 0;
	char ready[HLT_POSITIONS_BYTES];
	struct hlt_reason *reason;

	for (size_t i = 0; i < why->after->nparticipants; i++) {
		const struct hlt_participant_row *p =
			&why->after->participants[i];

		members += is_member(p, row);
		stopped += is_member(p, row) && hlt_is_stopped(p);
	}
	reason = hlt_why_add(why, "not_taken", pressing || stopped == members);
	set_group(reason, row);
	hlt_json_set(reason->object, "members", hlt_json_u64(members));
	hlt_json_set(reason->object, "stopped", hlt_json_u64(stopped));
	hlt_reason_say(reason,
		       "group %s has %s from %" PRIu64
		       " on, and none of its %" PRIu32
		       " members takes them; stopped are %" PRIu32 "%s",
		       row->status.name,
		       hlt_count_positions(ready, row->status.depth),
		       row->status.low, members, stopped, then(pressing));
}

static void stands_still(struct hlt_why *why, const struct hlt_group_row *row)
{
	const struct hl_group_status *g = &row->status;
	const struct hlt_participant_row *member = slowest(why, row);

	if (g->low == g->cursor && hlt_why_is_claimed(why, g->cursor))
		return; /* that position is a reason of its own */
	if (g->alive == 0 && g->dead == 0)
		nobody_there(why, row);
	else if (member != NULL && member->status.liveness != HL_DEAD)
		slow_member(why, row, member);
	else if (g->alive == 0)
		nobody_there(why, row); /* and the dead are told of */
	else if (member == NULL)
		nobody_takes(why, row);
}

void hlt_why_group(struct hlt_why *why, const struct hlt_group_row *row)
{
	const struct hl_group_status *g = &row->status;
	const struct hlt_group_row *old = hlt_why_before(why, row);
	struct hlt_reason *reason;

	if (g->depth > 0) {
		if (old != NULL && old->status.low == g->low)
			stands_still(why, row);
		return;
	}
	if (g->alive == 0)
		return;
	reason = hlt_why_add(why, "waits", false);
	set_group(reason, row);
	hlt_reason_say(reason,
		       "group %s waits for a message: it has finished all up "
		       "to position %" PRIu64,
		       g->name, g->low - 1);
}
