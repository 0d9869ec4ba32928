/* SPDX-License-Identifier: MIT */
/*
 * stat_text - a snapshot as people read it: what the ring is, then tables
 */
#include "snapshot.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "info_json.h"
#include "opt.h"
#include "place.h"
#include "schema_file.h"
#include "table.h"
#include "text.h"
#include "words.h"

static const struct hlt_column group_columns[] = {
	{ "GROUP", 0 },
	{ "KIND", 0 },
	{ "ALIVE", HLT_RIGHT },
	{ "DEAD", HLT_RIGHT },
	{ "NEXT", HLT_RIGHT },
	{ "LOW", HLT_RIGHT },
	{ "DEPTH", HLT_RIGHT },
	{ "MESSAGES", HLT_RIGHT },
	{ "BATCHES", HLT_RIGHT },
	{ "WAITS", HLT_RIGHT },
	{ "WAKEUPS", HLT_RIGHT },
	{ "REDELIVERED", HLT_RIGHT | HLT_RARE },
	{ "LOST", HLT_RIGHT | HLT_RARE },
	{ "VOIDS", HLT_RIGHT | HLT_RARE },
	{ "DEAD LETTERS", HLT_RIGHT | HLT_RARE },
};

static const struct hlt_column participant_columns[] = {
	{ "NO", HLT_RIGHT },
	{ "PARTICIPANT", 0 },
	{ "ROLE", 0 },
	{ "GROUP", HLT_RARE },
	{ "PID", HLT_RIGHT },
	{ "COMMAND", HLT_RARE },
	{ "STATE", 0 },
	{ "NEXT", HLT_RIGHT },
	{ "IN HAND", HLT_RARE },
	{ "LAG", HLT_RIGHT },
	{ "MESSAGES", HLT_RIGHT },
	{ "BATCHES", HLT_RIGHT },
	{ "WAITS", HLT_RIGHT },
	{ "WAKEUPS", HLT_RIGHT },
	{ "FULL", HLT_RIGHT | HLT_RARE },
	{ "DROPPED", HLT_RIGHT | HLT_RARE },
	{ "LOST", HLT_RIGHT | HLT_RARE },
	{ "REDELIVERED", HLT_RIGHT | HLT_RARE },
	{ "ATTEMPTS", HLT_RIGHT | HLT_RARE },
};

static const struct hlt_column block_columns[] = {
	{ "BLOCK", HLT_RIGHT }, { "STATE", 0 },
	{ "OWNER", HLT_RARE },	{ "LEASED AT", HLT_RIGHT },
	{ "LAST", HLT_RIGHT },
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void put_text(const char *text)
{
	hlt_text_put(stdout, text, strlen(text), 0);
}

static void put_time(uint64_t ns)
{
	const time_t seconds = (time_t)(ns / 1000000000);
	char text[40];
	struct tm tm;

	if (gmtime_r(&seconds, &tm) != NULL &&
	    strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm) > 0)
		fputs(text, stdout);
	else
		printf("%" PRIu64 " ns", ns);
}

static void print_origin(const struct hlt_snapshot *s)
{
	char owner[HLT_USER_BYTES];

	fputs("ring         ", stdout);
	put_text(s->name);
	fputs("\nowner        ", stdout);
	put_text(hlt_user_name(owner, s->ring.owner_uid));
	printf(", mode %04o\ncreated      ", s->ring.mode & 07777u);
	put_time(s->ring.created_ns);
	printf(" by process %" PRIu32 "%s\n", s->ring.creator_pid,
	       s->ring.this_boot ? "" : ", before the system was started");
}

static void print_memory(const struct hl_ring_info *info)
{
	char all[HLT_SIZE_BYTES], arena[HLT_SIZE_BYTES], rest[HLT_SIZE_BYTES];

	printf("memory       %s: %" PRIu64 " slots of %" PRIu32 " bytes, ",
	       hlt_size_text(all, info->file_bytes), info->capacity,
	       info->slot_bytes);
	if (info->nblocks > 0)
		printf("%s in %" PRIu32 " blocks for payloads up to %" PRIu32
		       ", ",
		       hlt_size_text(arena, info->arena_bytes), info->nblocks,
		       info->block_bytes);
	else
		fputs("no payloads, ", stdout);
	printf("%s besides; pages of %s\n",
	       hlt_size_text(rest, info->overhead_bytes),
	       hlt_size_text(all, info->page_bytes));
}

static void print_options(const struct hl_ring_info *info)
{
	printf("producers    %s, up to %" PRIu32 "; consumers up to %" PRIu32
	       " in up to %" PRIu32 " groups\n",
	       hlt_word(hlt_producers_words, info->producers),
	       info->max_producers, info->max_consumers, info->max_groups);
	printf("messages     checksum %s; unread: %s; ",
	       hlt_word(hlt_checksum_words, info->checksum),
	       hlt_word(hlt_unread_words, info->unread));
	if (info->message_magic != 0)
		printf("begin with 0x%08" PRIx32 "\n", info->message_magic);
	else
		fputs("may begin with anything\n", stdout);
	printf("barrier      %s\n",
	       info->wakers_fence ? "wakers fence" : "sleepers pay");
}

static void print_positions(const struct hl_ring_status *ring)
{
	printf("state        %s, %" PRIu32 " alive, %" PRIu32 " dead\n",
	       ring->finished ? "finished" : "open", ring->alive, ring->dead);
	printf("positions    head %" PRIu64 ", low %" PRIu64
	       ", announced %" PRIu64 ", first %" PRIu64 "\n",
	       ring->head, ring->low, ring->announced,
	       ring->info.start_position);
	printf("so far       %" PRIu64 " claimed, depth %" PRIu64 ", %" PRIu64
	       " void, %" PRIu64 " reaped, %" PRIu64 " late wake-ups\n",
	       hlt_claimed(ring), hlt_depth(ring), ring->voided, ring->reaped,
	       ring->bounds_found);
}

static double seconds(uint64_t ns)
{
	return (double)ns / 1e9;
}

/* A position that is claimed and does not get published, and by whom. */
static void print_held(const struct hlt_snapshot *s)
{
	const uint64_t position = s->ring.held_position;
	const struct hlt_participant_row *holder =
		hlt_snapshot_holder(s, position);

	printf("waited for   position %" PRIu64 ", for %.1f s: claimed",
	       position, seconds(s->ring.held_for_ns));
	if (holder != NULL) {
		fputs(" by ", stdout);
		put_text(holder->status.name);
		printf(" (pid %" PRIu32 ", %s)", holder->status.pid,
		       hlt_liveness_word(holder->status.liveness));
	}
	fputs(", not published\n", stdout);
}

/* The ring is full, and which groups have to move on. */
static void print_full(const struct hlt_snapshot *s)
{
	fputs("full         ", stdout);
	if (s->ring.full_position == s->ring.low)
		printf("for %.1f s, ", seconds(s->ring.full_for_ns));
	printf("held at position %" PRIu64, s->ring.low);
	for (size_t i = 0; i < s->ngroups; i++) {
		if (s->groups[i].status.low != s->ring.low ||
		    s->groups[i].status.kind == HL_GROUP_LOSSY)
			continue;
		fputs(", by group ", stdout);
		put_text(s->groups[i].status.name);
	}
	putchar('\n');
}

static void add_group(struct hlt_table *t, const struct hl_group_status *g)
{
	hlt_table_cell(t, "%s", g->name);
	hlt_table_cell(t, "%s%s", hlt_word(hlt_kind_words, g->kind),
		       g->durable ? ", durable" : "");
	hlt_table_u64(t, g->alive);
	hlt_table_u64(t, g->dead);
	hlt_table_u64(t, g->cursor);
	hlt_table_u64(t, g->low);
	hlt_table_u64(t, g->depth);
	hlt_table_u64(t, g->messages);
	hlt_table_u64(t, g->batches);
	hlt_table_u64(t, g->waits);
	hlt_table_u64(t, g->wakeups);
	hlt_table_u64(t, g->redelivered);
	hlt_table_u64(t, g->lost);
	hlt_table_u64(t, g->voids);
	hlt_table_u64(t, g->dead_letters);
}

/* Alive or not, and if the system has stopped it. */
static void add_state(struct hlt_table *t,
		      const struct hlt_participant_row *row)
{
	hlt_table_cell(t, "%s%s", hlt_liveness_word(row->status.liveness),
		       hlt_is_stopped(row) ? ", stopped" : "");
}

static void add_range(struct hlt_table *t,
		      const struct hl_participant_status *p)
{
	if (p->from >= p->to)
		hlt_table_cell(t, "-");
	else if (p->to - p->from == 1)
		hlt_table_u64(t, p->from);
	else
		hlt_table_cell(t, "%" PRIu64 "-%" PRIu64, p->from, p->to - 1);
}

static void add_participant(struct hlt_table *t, const struct hlt_snapshot *s,
			    const struct hlt_participant_row *row)
{
	const struct hl_participant_status *p = &row->status;

	hlt_table_u64(t, row->index);
	hlt_table_cell(t, "%s", p->name);
	hlt_table_cell(t, "%s", p->producer ? "producer" : "consumer");
	hlt_table_cell(t, "%s",
		       p->producer ? "-" : hlt_snapshot_group(s, p->group));
	hlt_table_u64(t, p->pid);
	hlt_table_cell(t, "%s",
		       row->process.known ? row->process.command : "-");
	add_state(t, row);
	hlt_table_u64(t, p->cursor);
	add_range(t, p);
	if (p->producer)
		hlt_table_cell(t, "-");
	else
		hlt_table_u64(t, p->lag);
	hlt_table_u64(t, p->messages);
	hlt_table_u64(t, p->batches);
	hlt_table_u64(t, p->waits);
	hlt_table_u64(t, p->wakeups);
	hlt_table_u64(t, p->full);
	hlt_table_u64(t, p->dropped);
	hlt_table_u64(t, p->lost);
	hlt_table_u64(t, p->redelivered);
	hlt_table_u64(t, p->attempts);
}

static void print_groups(const struct hlt_snapshot *s)
{
	struct hlt_table table;

	hlt_table_init(&table, group_columns, COUNT(group_columns));
	for (size_t i = 0; i < s->ngroups; i++)
		add_group(&table, &s->groups[i].status);
	putchar('\n');
	if (s->ngroups == 0)
		puts("no groups");
	hlt_table_print(&table);
	hlt_table_fini(&table);
}

static void print_participants(const struct hlt_snapshot *s)
{
	struct hlt_table table;

	hlt_table_init(&table, participant_columns, COUNT(participant_columns));
	for (size_t i = 0; i < s->nparticipants; i++)
		add_participant(&table, s, &s->participants[i]);
	putchar('\n');
	if (s->nparticipants == 0)
		puts("no participants");
	hlt_table_print(&table);
	hlt_table_fini(&table);
}

/* The participant that has a block; its number if it is gone by now. */
static void add_owner(struct hlt_table *t, const struct hlt_snapshot *s,
		      const struct hl_block_status *block)
{
	if (!block->leased) {
		hlt_table_cell(t, "-");
		return;
	}
	for (size_t i = 0; i < s->nparticipants; i++) {
		if (s->participants[i].index == block->owner) {
			hlt_table_cell(t, "%s (%" PRIu32 ")",
				       s->participants[i].status.name,
				       s->participants[i].status.pid);
			return;
		}
	}
	hlt_table_cell(t, "participant %" PRIu32, block->owner);
}

static void print_blocks(const struct hlt_snapshot *s)
{
	struct hlt_table table;

	hlt_table_init(&table, block_columns, COUNT(block_columns));
	for (uint32_t i = 0; i < s->ring.info.nblocks; i++) {
		const struct hl_block_status *block = &s->blocks[i];

		hlt_table_u64(&table, i);
		hlt_table_cell(&table, "%s",
			       block->leased   ? "leased" :
			       block->reusable ? "reusable" :
						 "waiting");
		add_owner(&table, s, block);
		hlt_table_u64(&table, block->lease_position);
		hlt_table_u64(&table, block->last_position);
	}
	hlt_table_print(&table);
	hlt_table_fini(&table);
}

static void print_arena(const struct hlt_snapshot *snapshot, bool blocks)
{
	const struct hl_ring_info *info = &snapshot->ring.info;

	if (info->nblocks == 0)
		return;
	printf("\narena        %" PRIu32 " blocks: %" PRIu32 " leased, %" PRIu32
	       " reusable, %" PRIu32 " waiting for a group\n",
	       info->nblocks, snapshot->leased, snapshot->reusable,
	       snapshot->waiting);
	if (blocks)
		print_blocks(snapshot);
}

void hlt_snapshot_print(const struct hlt_snapshot *snapshot, bool blocks)
{
	const struct hl_ring_info *info = &snapshot->ring.info;

	print_origin(snapshot);
	print_memory(info);
	print_options(info);
	print_positions(&snapshot->ring);
	if (snapshot->held)
		print_held(snapshot);
	if (snapshot->full)
		print_full(snapshot);
	print_groups(snapshot);
	print_participants(snapshot);
	print_arena(snapshot, blocks);
	if (snapshot->schema_damaged)
		puts("\nschema       damaged");
	if (snapshot->schema == NULL)
		return;
	putchar('\n');
	hlt_schema_show(snapshot->schema);
}
