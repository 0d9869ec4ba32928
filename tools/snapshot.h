/* SPDX-License-Identifier: MIT */
/*
 * snapshot - all that can be seen of a ring at one time, for hotline stat
 *
 * Taken by reading only. The ring moves on meanwhile, so figures may be some
 * messages apart.
 */
#ifndef HLT_SNAPSHOT_H
#define HLT_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include <hotline/inspect.h>
#include <hotline/schema.h>

struct hlt_group_row {
	uint32_t index;
	struct hl_group_status status;
};

/* What /proc says of a participant's process, if it is the same process. */
struct hlt_process {
	bool known;
	char state; /* as in ps: R, S, T for stopped ... */
	char command[64];
};

struct hlt_participant_row {
	uint32_t index;
	struct hl_participant_status status;
	struct hlt_process process;
};

/* A position that is claimed and neither published nor void. */
struct hlt_claimed {
	uint64_t position;
	const struct hlt_participant_row *holder; /* NULL: in nobody's range */
};

struct hlt_snapshot {
	const char *name;
	struct hl_ring_status ring;
	struct hl_schema *schema; /* NULL: none, or damaged */
	bool schema_damaged;
	struct hlt_group_row *groups;
	size_t ngroups;
	struct hlt_participant_row *participants;
	size_t nparticipants;
	struct hl_block_status *blocks; /* all of ring.info.nblocks */
	uint32_t leased;
	uint32_t reusable;
	uint32_t waiting; /* free, but a group may still read them */
	/* The first of each producer, and where groups stand. */
	struct hlt_claimed *claimed;
	size_t nclaimed;
	bool held; /* ring.held_position is still not published */
	bool full; /* no position can be claimed */
};

/*
 * hlt_snapshot_take - look at the ring of that name
 *
 * Returns 0, or a negative errno with its sentence in err. What was taken is
 * given back by hlt_snapshot_fini(), also after a failure.
 */
int hlt_snapshot_take(struct hlt_snapshot *snapshot, const char *name,
		      struct hl_error *err);
void hlt_snapshot_fini(struct hlt_snapshot *snapshot);

/* The name of a group by its index, "?" when there is none of that index. */
const char *hlt_snapshot_group(const struct hlt_snapshot *snapshot,
			       uint32_t index);

/*
 * Who has claimed a position, by its range; NULL when nobody has. A range may
 * be an old one, so ask only for a position that is held.
 */
const struct hlt_participant_row *
hlt_snapshot_holder(const struct hlt_snapshot *snapshot, uint64_t position);

/* alive, dead or evicted. */
const char *hlt_liveness_word(enum hl_liveness liveness);

/* One participant as an object. */
json_t *hlt_participant_to_json(const struct hlt_snapshot *snapshot,
				const struct hlt_participant_row *row);

/* Write it out: tables, or one object. blocks: a line for each block too. */
void hlt_snapshot_print(const struct hlt_snapshot *snapshot, bool blocks);
json_t *hlt_snapshot_to_json(const struct hlt_snapshot *snapshot, bool blocks);

#endif /* HLT_SNAPSHOT_H */
