/* SPDX-License-Identifier: MIT */
/*
 * group.h - groups, and the low that they hold down together
 */
#ifndef HLI_GROUP_H
#define HLI_GROUP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "layout.h"

struct hl_error;
struct hl_group_attr;

/* Does any group hold producers back? */
static inline bool hli_group_any(const struct hli_view *view)
{
	/* The joiner's side of the pair is announced: see hli_low_raise(). */
	return hli_load_acq(&view->header->active) != 0;
}

/*
 * One look at what is still needed: the lowest position that a reliable group
 * has not finished, or head when there is none. Only a hint; to act on it, use
 * hli_low_raise().
 */
uint64_t hli_low_scan(const struct hli_view *view);

/*
 * A low that may be acted on: positions below it are nobody's any more.
 * enough is as much as the caller needs: without a group no more is announced,
 * so that a later group finds the rest.
 */
uint64_t hli_low_raise(const struct hli_view *view, uint64_t enough);

/* The lowest position that this group has not finished. */
uint64_t hli_group_low(const struct hli_view *view, uint32_t group);

/* Positions [from, to); 0, 0 for none. */
struct hli_passed {
	uint64_t from, to;
};

/*
 * Positions that some group has handed out, one by one: each is settled, and
 * stays so. From oldest or below, and up to low if there is such a group.
 */
struct hli_passed hli_groups_passed(const struct hli_view *view,
				    uint64_t oldest, uint64_t low);

/* What a group must be asked for under the control byte, held by the caller. */

/* Its index, or -ENOENT. */
int hli_group_find(const struct hli_view *view, const char *name);

/*
 * Create it; joined when that is by a join, which may fail or die: then the
 * group goes again. Its index, -EUSERS, -ESTALE or -EINVAL.
 */
int hli_group_add(const struct hli_view *view, const struct hl_group_attr *attr,
		  bool joined, const char *ring, struct hl_error *err);

/* Take it off the low, and free its place. No member may have a range. */
void hli_group_remove(const struct hli_view *view, uint32_t group);

/*
 * Bits of groups that hold producers back but are in nobody's table: their
 * creator or remover died half-way. True only under the control byte, where
 * hli_group_remove() mends them.
 */
uint64_t hli_group_orphans(const struct hli_view *view);

/* How many records of the group are in a state other than FREE. */
uint32_t hli_group_members(const struct hli_view *view, uint32_t group);

/* Is the record of a consumer that is not FREE, and in this group? */
bool hli_group_has(const struct hli_view *view, uint32_t group,
		   uint32_t record);

/* Add a consumer's counters to its group's totals, and clear them. */
void hli_group_fold(const struct hli_view *view, struct hli_record *record);

#endif /* HLI_GROUP_H */
