/* SPDX-License-Identifier: MIT */
/*
 * why_gone - reasons that concern positions in somebody's hand
 *
 * A producer that is stopped, or has died, between its claim and its publish
 * holds back every group at that position. Stopped is not dead: its position
 * waits for it. The dead are seen to by whoever joins or waits next.
 */
#include "why.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "out.h"
#include "words.h"

static bool claimed_before(const struct hlt_why *why, uint64_t position)
{
	for (size_t i = 0; i < why->before->nclaimed; i++) {
		if (why->before->claimed[i].position == position)
			return true;
	}
	return false;
}

/* The groups that stand at the position, since it is not published. */
static void say_who_waits(struct hlt_reason *reason, const struct hlt_why *why,
			  uint64_t position)
{
	const struct hlt_snapshot *s = why->after;
	json_t *groups = json_array();
	const char *glue = "; there waits group ";

	for (size_t i = 0; i < s->ngroups; i++) {
		if (s->groups[i].status.cursor != position)
			continue;
		hlt_reason_say(reason, "%s%s", glue, s->groups[i].status.name);
		hlt_json_append(
			groups,
			hlt_json_bytes(s->groups[i].status.name,
				       strlen(s->groups[i].status.name)));
		glue = ", ";
	}
	hlt_json_set(reason->object, "groups", groups);
}

/* What will become of it, by what its holder is. */
static const char *prospect(const struct hlt_participant_row *holder)
{
	if (holder == NULL)
		return "in nobody's range, so the ring is damaged: see hotline "
		       "doctor";
	if (holder->status.liveness == HL_DEAD)
		return "whoever joins or waits next makes it void";
	if (hlt_is_stopped(holder))
		return "it goes on when the process does, or ends";
	return "it did not get it done in this time";
}

static void explain_claim(struct hlt_why *why, const struct hlt_claimed *claim)
{
	const struct hl_ring_status *ring = &why->after->ring;
	struct hlt_reason *reason = hlt_why_add(why, "unpublished", true);
	char who[HLT_WHO_BYTES], state[HLT_STATE_BYTES], span[HLT_TIME_BYTES];

	hlt_reason_say(reason,
		       "position %" PRIu64 " is claimed and not published",
		       claim->position);
	hlt_json_set(reason->object, "position", hlt_json_u64(claim->position));
	if (claim->holder != NULL) {
		hlt_reason_say(reason, "; it belongs to %s, which is %s",
			       hlt_who(who, claim->holder),
			       hlt_who_state(state, claim->holder));
		hlt_reason_about(reason, why, claim->holder);
	}
	hlt_reason_say(reason, ": %s", prospect(claim->holder));
	if (claim->position == ring->held_position) {
		hlt_reason_say(reason, "; somebody first waited for it %s ago",
			       hlt_span(span, ring->held_for_ns));
		hlt_json_set(reason->object, "for_ns",
			     hlt_json_u64(ring->held_for_ns));
	}
	say_who_waits(reason, why, claim->position);
}

void hlt_why_claims(struct hlt_why *why)
{
	for (size_t i = 0; i < why->after->nclaimed; i++) {
		const struct hlt_claimed *claim = &why->after->claimed[i];

		if (claimed_before(why, claim->position))
			explain_claim(why, claim);
	}
}

/* Positions that a participant has not finished. */
static bool has_in_hand(const struct hlt_why *why,
			const struct hlt_participant_row *row)
{
	if (row->status.from >= row->status.to)
		return false;
	if (!row->status.producer)
		return true;
	for (size_t i = 0; i < why->after->nclaimed; i++) {
		if (why->after->claimed[i].holder == row)
			return true;
	}
	return false;
}

/* Blocks of the arena that a producer has leased. */
static uint32_t blocks_of(const struct hlt_why *why,
			  const struct hlt_participant_row *row)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < why->after->ring.info.nblocks; i++)
		n += why->after->blocks[i].leased &&
		     why->after->blocks[i].owner == row->index;
	return n;
}

static void dead_producer(struct hlt_reason *reason, const struct hlt_why *why,
			  const struct hlt_participant_row *row, bool in_hand)
{
	const uint32_t blocks = blocks_of(why, row);

	if (blocks > 0)
		hlt_reason_say(reason, " and %" PRIu32 " blocks of the arena",
			       blocks);
	if (in_hand)
		hlt_reason_say(reason, "; whoever joins or waits next makes "
				       "void what it did not publish");
	else
		hlt_reason_say(reason, "; whoever joins or waits next clears "
				       "its place");
}

static void dead_consumer(struct hlt_reason *reason, const struct hlt_why *why,
			  const struct hlt_participant_row *row, bool in_hand)
{
	const struct hl_participant_status *p = &row->status;
	const char *group = hlt_snapshot_group(why->after, p->group);

	if (in_hand)
		hlt_reason_say(reason,
			       "; the next member of group %s that joins or "
			       "waits gets that again, marked",
			       group);
	else
		hlt_reason_say(reason, "; whoever joins or waits next clears "
				       "its place");
}

/* An exclusive consumer's messages stay with its group, for the next one. */
static bool is_exclusive(const struct hlt_why *why,
			 const struct hlt_participant_row *row)
{
	const struct hlt_snapshot *s = why->after;

	for (size_t i = 0; i < s->ngroups && !row->status.producer; i++) {
		if (s->groups[i].index == row->status.group)
			return s->groups[i].status.kind == HL_GROUP_EXCLUSIVE;
	}
	return false;
}

static void explain_dead(struct hlt_why *why,
			 const struct hlt_participant_row *row)
{
	const struct hl_participant_status *p = &row->status;
	const bool in_hand = has_in_hand(why, row);
	const bool holds = in_hand &&
			   (!is_exclusive(why, row) || why->after->full);
	struct hlt_reason *reason =
		hlt_why_add(why, "dead",
			    holds || (why->starved && blocks_of(why, row) > 0));
	char who[HLT_WHO_BYTES], hand[HLT_POSITIONS_BYTES];
	char state[HLT_STATE_BYTES];

	hlt_reason_about(reason, why, row);
	hlt_reason_say(reason, "%s is %s", hlt_who(who, row),
		       hlt_who_state(state, row));
	hlt_reason_say(reason, ", with %s in hand",
		       in_hand ? hlt_positions(hand, p->from, p->to) :
				 "nothing");
	if (p->producer)
		dead_producer(reason, why, row, in_hand);
	else
		dead_consumer(reason, why, row, in_hand);
}

static void explain_evicted(struct hlt_why *why,
			    const struct hlt_participant_row *row)
{
	const bool in_hand = has_in_hand(why, row);
	struct hlt_reason *reason = hlt_why_add(why, "evicted", in_hand);
	char who[HLT_WHO_BYTES], state[HLT_STATE_BYTES];
	char hand[HLT_POSITIONS_BYTES];

	hlt_reason_about(reason, why, row);
	hlt_reason_say(reason, "%s is %s; it has %s in hand", hlt_who(who, row),
		       hlt_who_state(state, row),
		       in_hand ? hlt_positions(hand, row->status.from,
					       row->status.to) :
				 "nothing");
	if (in_hand)
		hlt_reason_say(reason,
			       ", which is honoured until it ends or does "
			       "something in the ring (hotline evict --force)");
}

void hlt_why_gone(struct hlt_why *why)
{
	for (size_t i = 0; i < why->after->nparticipants; i++) {
		const struct hlt_participant_row *row =
			&why->after->participants[i];

		if (row->status.liveness == HL_DEAD)
			explain_dead(why, row);
		else if (row->status.liveness == HL_EVICTED)
			explain_evicted(why, row);
	}
}
