/* SPDX-License-Identifier: MIT */
/*
 * why - why nothing moves in a ring: the list of reasons, and the ring itself
 *
 * Order matters to who reads: first what the ring as a whole waits for, then
 * positions and participants that hold others back, then each group.
 */
#include "why.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "out.h"
#include "words.h"

struct hlt_reason *hlt_why_add(struct hlt_why *why, const char *kind, bool held)
{
	struct hlt_reason *reason;

	why->reasons = hlt_realloc(why->reasons,
				   (why->nreasons + 1) * sizeof(*reason));
	reason = &why->reasons[why->nreasons++];
	reason->kind = kind;
	reason->held = held;
	reason->text[0] = '\0';
	reason->object = json_object();
	hlt_json_set(reason->object, "kind", json_string(kind));
	hlt_json_set(reason->object, "held", json_boolean(held));
	why->held |= held;
	return reason;
}

void hlt_reason_say(struct hlt_reason *reason, const char *format, ...)
{
	const size_t len = strlen(reason->text);
	va_list args;

	va_start(args, format);
	vsnprintf(reason->text + len, sizeof(reason->text) - len, format, args);
	va_end(args);
}

void hlt_reason_about(struct hlt_reason *reason, const struct hlt_why *why,
		      const struct hlt_participant_row *row)
{
	hlt_json_set(reason->object, "participant",
		     hlt_participant_to_json(why->after, row));
}

const struct hlt_group_row *hlt_why_before(const struct hlt_why *why,
					   const struct hlt_group_row *row)
{
	for (size_t i = 0; i < why->before->ngroups; i++) {
		const struct hlt_group_row *old = &why->before->groups[i];

		if (old->index == row->index &&
		    strcmp(old->status.name, row->status.name) == 0)
			return old;
	}
	return NULL;
}

bool hlt_why_is_claimed(const struct hlt_why *why, uint64_t position)
{
	for (size_t i = 0; i < why->after->nclaimed; i++) {
		if (why->after->claimed[i].position == position)
			return true;
	}
	return false;
}

/* --- The ring ------------------------------------------------------------- */

static void find_full(struct hlt_why *why)
{
	const struct hl_ring_status *ring = &why->after->ring;
	char span[HLT_TIME_BYTES];
	struct hlt_reason *reason;

	if (!why->after->full)
		return;
	reason = hlt_why_add(why, "full", why->still);
	hlt_reason_say(reason,
		       "the ring is full: all of its %" PRIu64 " positions, "
		       "from %" PRIu64 " on, are still needed",
		       ring->info.capacity, ring->low);
	hlt_json_set(reason->object, "position", hlt_json_u64(ring->low));
	if (!why->still)
		hlt_reason_say(reason, ", but it moves");
	if (ring->full_position != ring->low) {
		hlt_reason_say(reason, "; no producer has waited for room yet");
		return;
	}
	hlt_reason_say(reason, "; a producer first waited for room %s ago",
		       hlt_span(span, ring->full_for_ns));
	hlt_json_set(reason->object, "for_ns", hlt_json_u64(ring->full_for_ns));
}

/* Whoever has a block, one object each. */
static void blame_blocks(struct hlt_reason *reason, const struct hlt_why *why)
{
	const struct hlt_snapshot *s = why->after;
	json_t *owners = json_array();
	char who[HLT_WHO_BYTES];

	for (size_t i = 0; i < s->nparticipants; i++) {
		const struct hlt_participant_row *row = &s->participants[i];
		uint32_t blocks = 0;
		json_t *owner;

		for (uint32_t k = 0; k < s->ring.info.nblocks; k++)
			blocks += s->blocks[k].leased &&
				  s->blocks[k].owner == row->index;
		if (blocks == 0)
			continue;
		hlt_reason_say(reason, "; %" PRIu32 " with %s", blocks,
			       hlt_who(who, row));
		owner = hlt_participant_to_json(s, row);
		hlt_json_set(owner, "blocks", hlt_json_u64(blocks));
		hlt_json_append(owners, owner);
	}
	hlt_json_set(reason->object, "owners", owners);
}

static void find_arena(struct hlt_why *why)
{
	const struct hlt_snapshot *s = why->after;
	struct hlt_reason *reason;

	if (s->ring.info.nblocks == 0 || s->reusable > 0)
		return;
	reason = hlt_why_add(why, "arena", why->starved);
	hlt_reason_say(reason,
		       "the arena is exhausted: of %" PRIu32
		       " blocks none is free for another payload; %" PRIu32
		       " wait for groups to get past position %" PRIu64,
		       s->ring.info.nblocks, s->waiting, s->ring.low);
	hlt_json_set(reason->object, "position", hlt_json_u64(s->ring.low));
	hlt_json_set(reason->object, "leased", hlt_json_u64(s->leased));
	hlt_json_set(reason->object, "waiting", hlt_json_u64(s->waiting));
	blame_blocks(reason, why);
}

static void find_end(struct hlt_why *why)
{
	const struct hl_ring_status *ring = &why->after->ring;

	if (!ring->this_boot)
		hlt_reason_say(
			hlt_why_add(why, "boot", false),
			"the ring is older than this boot of the system: "
			"nobody from before is alive, and whoever joins first "
			"mends it");
	if (ring->finished)
		hlt_reason_say(hlt_why_add(why, "finished", false),
			       "the ring is finished: no message comes after "
			       "position %" PRIu64,
			       ring->head - 1);
}

static void find_producers(struct hlt_why *why)
{
	const struct hlt_snapshot *s = why->after;
	size_t alive = 0, reliable = 0;

	for (size_t i = 0; i < s->nparticipants; i++)
		alive += s->participants[i].status.producer &&
			 s->participants[i].status.liveness == HL_ALIVE;
	for (size_t i = 0; i < s->ngroups; i++)
		reliable += s->groups[i].status.kind != HL_GROUP_LOSSY;
	if (alive == 0 && !s->ring.finished)
		hlt_reason_say(hlt_why_add(why, "no_producer", false),
			       "nobody produces: no producer is alive in it");
	if (s->ngroups == 0)
		hlt_reason_say(hlt_why_add(why, "no_group", false),
			       "nobody consumes: there is no group");
	if (reliable == 0 && s->ring.info.unread == HL_UNREAD_REFUSE)
		hlt_reason_say(
			hlt_why_add(why, "refused", alive > 0),
			"the ring refuses messages while it has no exclusive or "
			"shared group: who sends fails, or waits for a group");
}

/* --- What moved ----------------------------------------------------------- */

static bool anything_moves(const struct hlt_why *why)
{
	if (why->after->ring.head != why->before->ring.head ||
	    why->after->ring.low != why->before->ring.low)
		return true;
	for (size_t i = 0; i < why->after->ngroups; i++) {
		const struct hlt_group_row *row = &why->after->groups[i];
		const struct hlt_group_row *old = hlt_why_before(why, row);

		if (old == NULL || old->status.cursor != row->status.cursor ||
		    old->status.low != row->status.low)
			return true;
	}
	return false;
}

void hlt_why_find(struct hlt_why *why, const struct hlt_snapshot *before,
		  const struct hlt_snapshot *after, int64_t watched_ns)
{
	*why = (struct hlt_why){ .before = before,
				 .after = after,
				 .watched_ns = watched_ns };
	why->moves = anything_moves(why);
	why->still = before->full && after->full &&
		     before->ring.low == after->ring.low;
	why->starved = after->ring.info.nblocks > 0 && before->reusable == 0 &&
		       after->reusable == 0 && !why->moves;
	find_full(why);
	find_arena(why);
	hlt_why_claims(why);
	hlt_why_gone(why);
	for (size_t i = 0; i < after->ngroups; i++)
		hlt_why_group(why, &after->groups[i]);
	find_producers(why);
	find_end(why);
}

void hlt_why_fini(struct hlt_why *why)
{
	for (size_t i = 0; i < why->nreasons; i++)
		json_decref(why->reasons[i].object);
	free(why->reasons);
	why->reasons = NULL;
	why->nreasons = 0;
}
