/* SPDX-License-Identifier: MIT */
/*
 * snapshot - all that can be seen of a ring at one time, for hotline stat
 *
 * Memory is asked for before the ring is read, since reading may be left by a
 * jump when the file is cut short (guard.h).
 */
#include "snapshot.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "guard.h"
#include "info_json.h"
#include "out.h"

enum {
	STAT_BYTES = 1024,     /* of /proc/PID/stat */
	LOOKED_AT_MOST = 4096, /* positions of one range */
};

struct take {
	struct hlt_snapshot *snapshot;
	struct hl_inspect *inspect;
	struct hl_error *err;
	int ret;
};

static void open_ring(void *arg)
{
	struct take *take = arg;

	take->ret = hl_inspect_open(take->snapshot->name, HL_OPEN_ANY_OWNER,
				    &take->inspect, take->err);
	if (take->ret < 0)
		return;
	hl_inspect_ring(take->inspect, &take->snapshot->ring);
	take->snapshot->full = hlt_depth(&take->snapshot->ring) >=
			       take->snapshot->ring.info.capacity;
}

static void read_groups(struct hlt_snapshot *s,
			const struct hl_inspect *inspect)
{
	for (uint32_t i = 0; i < s->ring.info.max_groups; i++) {
		struct hlt_group_row *row = &s->groups[s->ngroups];

		row->index = i;
		if (hl_inspect_group(inspect, i, &row->status) > 0)
			s->ngroups++;
	}
}

static void read_participants(struct hlt_snapshot *s,
			      const struct hl_inspect *inspect)
{
	const struct hl_ring_info *info = &s->ring.info;

	for (uint32_t i = 0; i < info->max_producers + info->max_consumers;
	     i++) {
		struct hlt_participant_row *row =
			&s->participants[s->nparticipants];

		row->index = i;
		if (hl_inspect_participant(inspect, i, &row->status) > 0)
			s->nparticipants++;
	}
}

static void read_blocks(struct hlt_snapshot *s,
			const struct hl_inspect *inspect)
{
	for (uint32_t i = 0; i < s->ring.info.nblocks; i++) {
		struct hl_block_status *block = &s->blocks[i];

		if (hl_inspect_block(inspect, i, block) <= 0)
			continue;
		s->leased += block->leased;
		s->reusable += !block->leased && block->reusable;
		s->waiting += !block->leased && !block->reusable;
	}
}

static void read_schema(struct hlt_snapshot *s,
			const struct hl_inspect *inspect)
{
	const int ret = hl_inspect_get_schema(inspect, &s->schema, NULL);

	s->schema_damaged = ret < 0 && ret != -ENODATA;
}

static bool is_claimed(const struct hl_inspect *inspect, uint64_t position)
{
	struct hl_position_status status;

	return hl_inspect_position(inspect, position, &status) > 0 &&
	       status.state == HL_POSITION_UNPUBLISHED;
}

/* The first position of a producer's range that it has not published. */
static void add_first_of(struct hlt_snapshot *s,
			 const struct hl_inspect *inspect,
			 const struct hlt_participant_row *row)
{
	const struct hl_participant_status *p = &row->status;

	if (!p->producer || p->from >= p->to)
		return;
	for (uint64_t i = 0; i < p->to - p->from && i < LOOKED_AT_MOST; i++) {
		if (!is_claimed(inspect, p->from + i))
			continue;
		s->claimed[s->nclaimed++] = (struct hlt_claimed){
			.position = p->from + i,
			.holder = row,
		};
		return;
	}
}

/* A position that somebody waits for, unless it is there already. */
static bool add_position(struct hlt_snapshot *s,
			 const struct hl_inspect *inspect, uint64_t position)
{
	if (!is_claimed(inspect, position))
		return false;
	for (size_t i = 0; i < s->nclaimed; i++) {
		if (s->claimed[i].position == position)
			return true;
	}
	s->claimed[s->nclaimed++] = (struct hlt_claimed){
		.position = position,
		.holder = hlt_snapshot_holder(s, position),
	};
	return true;
}

/* The ring remembers what was waited for last: it may be long published. */
static void find_claimed(struct hlt_snapshot *s,
			 const struct hl_inspect *inspect)
{
	for (size_t i = 0; i < s->nparticipants; i++)
		add_first_of(s, inspect, &s->participants[i]);
	for (size_t i = 0; i < s->ngroups; i++)
		add_position(s, inspect, s->groups[i].status.cursor);
	s->held = add_position(s, inspect, s->ring.held_position);
}

static void read_ring(void *arg)
{
	struct take *take = arg;

	read_groups(take->snapshot, take->inspect);
	read_participants(take->snapshot, take->inspect);
	read_blocks(take->snapshot, take->inspect);
	read_schema(take->snapshot, take->inspect);
	find_claimed(take->snapshot, take->inspect);
}

/*
 * Fills in what /proc says of a process. Its start time must be the one in the
 * ring: the number may by now be another process's, or be one of another pid
 * namespace.
 */
static void look_up_process(struct hlt_process *process, uint32_t pid,
			    uint64_t pid_start)
{
	char path[32], text[STAT_BYTES];
	uint64_t start;
	char state;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/stat", pid);

	FILE *file = fopen(path, "re");

	if (file == NULL)
		return;

	const size_t len = fread(text, 1, sizeof(text) - 1, file);

	fclose(file);
	text[len] = '\0';

	/* The command stands in brackets and may itself have some in it. */
	const char *open = strchr(text, '('), *close = strrchr(text, ')');

	if (open == NULL || close == NULL || close < open ||
	    sscanf(close + 1,
		   " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d "
		   "%*d %*d %*d %*d %*d %" SCNu64,
		   &state, &start) != 2 ||
	    start != pid_start)
		return;
	process->known = true;
	process->state = state;
	snprintf(process->command, sizeof(process->command), "%.*s",
		 (int)(close - open - 1), open + 1);
}

static void make_room(struct hlt_snapshot *s)
{
	const struct hl_ring_info *info = &s->ring.info;
	const size_t n = (size_t)info->max_producers + info->max_consumers;

	s->groups = hlt_alloc(info->max_groups * sizeof(*s->groups));
	s->participants = hlt_alloc(n * sizeof(*s->participants));
	s->blocks = hlt_alloc(info->nblocks * sizeof(*s->blocks));
	s->claimed =
		hlt_alloc((n + info->max_groups + 1) * sizeof(*s->claimed));
}

static int cut_short(struct hl_error *err)
{
	snprintf(err->text, sizeof(err->text), "%s",
		 "its file was cut short while it was read");
	return -EBADMSG;
}

static int look(struct take *take)
{
	if (!hlt_guard_run(open_ring, take))
		return cut_short(take->err);
	if (take->ret < 0)
		return take->ret;
	make_room(take->snapshot);
	if (!hlt_guard_run(read_ring, take))
		return cut_short(take->err);
	return 0;
}

int hlt_snapshot_take(struct hlt_snapshot *snapshot, const char *name,
		      struct hl_error *err)
{
	struct take take = { .snapshot = snapshot, .err = err };
	int ret;

	memset(snapshot, 0, sizeof(*snapshot));
	snapshot->name = name;
	ret = look(&take);
	hl_inspect_close(take.inspect);
	for (size_t i = 0; i < snapshot->nparticipants; i++) {
		struct hlt_participant_row *row = &snapshot->participants[i];

		look_up_process(&row->process, row->status.pid,
				row->status.pid_start);
	}
	return ret;
}

void hlt_snapshot_fini(struct hlt_snapshot *snapshot)
{
	free(snapshot->groups);
	free(snapshot->participants);
	free(snapshot->blocks);
	free(snapshot->claimed);
	hl_schema_destroy(snapshot->schema);
}

const char *hlt_snapshot_group(const struct hlt_snapshot *snapshot,
			       uint32_t index)
{
	for (size_t i = 0; i < snapshot->ngroups; i++) {
		if (snapshot->groups[i].index == index)
			return snapshot->groups[i].status.name;
	}
	return "?";
}

const struct hlt_participant_row *
hlt_snapshot_holder(const struct hlt_snapshot *snapshot, uint64_t position)
{
	for (size_t i = 0; i < snapshot->nparticipants; i++) {
		const struct hl_participant_status *p =
			&snapshot->participants[i].status;

		if (p->producer && position >= p->from && position < p->to)
			return &snapshot->participants[i];
	}
	return NULL;
}

const char *hlt_liveness_word(enum hl_liveness liveness)
{
	switch (liveness) {
	case HL_ALIVE:
		return "alive";
	case HL_DEAD:
		return "dead";
	case HL_EVICTED:
		return "evicted";
	}
	return "?";
}
