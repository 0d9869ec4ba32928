/* SPDX-License-Identifier: MIT */
/*
 * stat_json - a snapshot as one JSON object
 *
 * Members are named as in hotline/inspect.h, so that what a program reads here
 * it can look up there.
 */
#include "snapshot.h"

#include <stdio.h>
#include <string.h>

#include "info_json.h"
#include "opt.h"
#include "out.h"
#include "place.h"
#include "schema_file.h"

static void set_u64(json_t *object, const char *key, uint64_t value)
{
	hlt_json_set(object, key, hlt_json_u64(value));
}

static void set_text(json_t *object, const char *key, const char *text)
{
	hlt_json_set(object, key, hlt_json_bytes(text, strlen(text)));
}

static void set_bool(json_t *object, const char *key, bool value)
{
	hlt_json_set(object, key, json_boolean(value));
}

/* What somebody waits for: a position to be published, or room. */
static void set_waits(json_t *object, const struct hlt_snapshot *s)
{
	const struct hl_ring_status *ring = &s->ring;
	const struct hlt_participant_row *holder =
		s->held ? hlt_snapshot_holder(s, ring->held_position) : NULL;

	set_bool(object, "held", s->held);
	set_u64(object, "held_position", ring->held_position);
	set_u64(object, "held_for_ns", ring->held_for_ns);
	if (holder != NULL)
		set_u64(object, "held_by", holder->index);
	set_bool(object, "full", s->full);
	set_u64(object, "full_position", ring->full_position);
	set_u64(object, "full_for_ns", ring->full_for_ns);
}

static void set_ring(json_t *object, const struct hl_ring_status *ring)
{
	char mode[16], owner[HLT_USER_BYTES];

	snprintf(mode, sizeof(mode), "%04o", ring->mode & 07777u);
	set_text(object, "owner", hlt_user_name(owner, ring->owner_uid));
	set_u64(object, "owner_uid", ring->owner_uid);
	set_text(object, "mode", mode);
	set_u64(object, "created_ns", ring->created_ns);
	set_u64(object, "creator_pid", ring->creator_pid);
	set_text(object, "boot_id", ring->boot_id);
	set_bool(object, "this_boot", ring->this_boot);
	set_bool(object, "finished", ring->finished);
	set_u64(object, "head", ring->head);
	set_u64(object, "low", ring->low);
	set_u64(object, "announced", ring->announced);
	set_u64(object, "depth", hlt_depth(ring));
	set_u64(object, "messages", hlt_claimed(ring));
	set_u64(object, "voided", ring->voided);
	set_u64(object, "reaped", ring->reaped);
	set_u64(object, "bounds_found", ring->bounds_found);
	set_u64(object, "alive", ring->alive);
	set_u64(object, "dead", ring->dead);
}

static json_t *group_to_json(const struct hlt_group_row *row)
{
	const struct hl_group_status *g = &row->status;
	json_t *object = json_object();

	set_text(object, "name", g->name);
	set_text(object, "kind", hlt_word(hlt_kind_words, g->kind));
	set_bool(object, "durable", g->durable);
	set_u64(object, "cursor", g->cursor);
	set_u64(object, "low", g->low);
	set_u64(object, "depth", g->depth);
	set_u64(object, "alive", g->alive);
	set_u64(object, "dead", g->dead);
	set_u64(object, "messages", g->messages);
	set_u64(object, "batches", g->batches);
	set_u64(object, "redelivered", g->redelivered);
	set_u64(object, "lost", g->lost);
	set_u64(object, "voids", g->voids);
	set_u64(object, "dead_letters", g->dead_letters);
	set_u64(object, "waits", g->waits);
	set_u64(object, "wakeups", g->wakeups);
	return object;
}

/* What only a consumer has, or only a producer. */
static void set_role(json_t *object, const struct hl_participant_status *p,
		     const char *group)
{
	set_text(object, "role", p->producer ? "producer" : "consumer");
	if (p->producer) {
		set_u64(object, "full", p->full);
		set_u64(object, "dropped", p->dropped);
		return;
	}
	set_text(object, "group", group);
	set_u64(object, "lag", p->lag);
	set_u64(object, "lost", p->lost);
	set_u64(object, "redelivered", p->redelivered);
}

json_t *hlt_participant_to_json(const struct hlt_snapshot *s,
				const struct hlt_participant_row *row)
{
	const struct hl_participant_status *p = &row->status;
	json_t *object = json_object();
	char state[2] = { row->process.state, '\0' };

	set_u64(object, "index", row->index);
	set_text(object, "name", p->name);
	set_role(object, p, hlt_snapshot_group(s, p->group));
	set_text(object, "liveness", hlt_liveness_word(p->liveness));
	set_u64(object, "tenure", p->tenure);
	set_u64(object, "pid", p->pid);
	set_u64(object, "pid_start", p->pid_start);
	set_u64(object, "uid", p->uid);
	if (row->process.known) {
		set_text(object, "command", row->process.command);
		set_text(object, "process_state", state);
	}
	set_u64(object, "joined_ns", p->joined_ns);
	set_u64(object, "cursor", p->cursor);
	if (p->from < p->to) {
		set_u64(object, "from", p->from);
		set_u64(object, "to", p->to);
	}
	set_u64(object, "attempts", p->attempts);
	set_u64(object, "messages", p->messages);
	set_u64(object, "batches", p->batches);
	set_u64(object, "waits", p->waits);
	set_u64(object, "wakeups", p->wakeups);
	return object;
}

static json_t *block_to_json(uint32_t index,
			     const struct hl_block_status *block)
{
	json_t *object = json_object();

	set_u64(object, "index", index);
	set_bool(object, "leased", block->leased);
	set_bool(object, "reusable", block->reusable);
	if (block->leased)
		set_u64(object, "owner", block->owner);
	set_u64(object, "lease_position", block->lease_position);
	set_u64(object, "last_position", block->last_position);
	return object;
}

static json_t *arena_to_json(const struct hlt_snapshot *s, bool blocks)
{
	json_t *object = json_object();
	json_t *array;

	set_u64(object, "leased", s->leased);
	set_u64(object, "reusable", s->reusable);
	set_u64(object, "waiting", s->waiting);
	if (!blocks)
		return object;
	array = json_array();
	for (uint32_t i = 0; i < s->ring.info.nblocks; i++)
		hlt_json_append(array, block_to_json(i, &s->blocks[i]));
	hlt_json_set(object, "blocks", array);
	return object;
}

json_t *hlt_snapshot_to_json(const struct hlt_snapshot *snapshot, bool blocks)
{
	json_t *object = json_object();
	json_t *groups = json_array();
	json_t *participants = json_array();
	json_t *geometry = json_object();

	set_text(object, "name", snapshot->name);
	set_ring(object, &snapshot->ring);
	set_waits(object, snapshot);
	hlt_info_to_json(geometry, &snapshot->ring.info);
	hlt_json_set(object, "geometry", geometry);
	if (snapshot->schema != NULL)
		hlt_json_set(object, "schema",
			     hlt_schema_to_json(snapshot->schema));
	if (snapshot->schema_damaged)
		set_bool(object, "schema_damaged", true);
	for (size_t i = 0; i < snapshot->ngroups; i++)
		hlt_json_append(groups, group_to_json(&snapshot->groups[i]));
	hlt_json_set(object, "groups", groups);
	for (size_t i = 0; i < snapshot->nparticipants; i++)
		hlt_json_append(participants,
				hlt_participant_to_json(
					snapshot, &snapshot->participants[i]));
	hlt_json_set(object, "participants", participants);
	hlt_json_set(object, "arena", arena_to_json(snapshot, blocks));
	return object;
}
