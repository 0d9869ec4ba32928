/* SPDX-License-Identifier: MIT */
/*
 * group.c - groups, and the low that they hold down together
 *
 * Guarantees: what hli_low_raise() returns is a position below which no group
 * needs anything, nor ever will: not a group that joins while it is computed,
 * and not a dead member's range that its adopter has yet to look at.
 *
 * The argument is two pairs of stores before loads:
 *
 *   producer: scan; announced := max; FENCE; scan
 *   joiner:   group active; FENCE; read announced, start there or above
 *
 *   producer: (the smaller) acted := max; FENCE; scan; use the smallest
 *   adopter:  a range that a dead member stored; FENCE; read acted
 *
 * If a scan misses the other's store, the other's load sees the raised word. The
 * fences stand also where the word was high enough already.
 *
 * Announced alone would not do for the adopter: it is raised to what was found
 * before a group came, which can be above what the group's members then take.
 * What the second scan leaves is a low that no message in hand is below, so an
 * adopter loses nothing by stepping over what is below acted. Without a shared
 * group in the second scan there is nothing to adopt, and a later group starts
 * above.
 *
 * Which groups hold producers back is one word, a bit a group. It is read
 * before the cursors, and head before all: a scan never exceeds a head that
 * had been claimed when it began.
 */
#include "config.h"

#include "group.h"

#include <errno.h>
#include <string.h>

#include <hotline/ring.h>

#include "hook.h"
#include "record.h"
#include "util.h"

#define RAISE_TRIES 100000

struct scan {
	uint64_t low;
	uint64_t active;
	bool shared; /* a shared group among them */
};

/* Ranges of a shared group's members reach below its tail. */
static uint64_t lowest_range(const struct hli_view *view, uint64_t low)
{
	uint64_t from, to;
	uint32_t i;

	/* E2: pairs with take.c:release(), record.h:hli_range_set(),
	 * record.h:hli_range_empty(), recover.c:hli_adopt() */
	for (i = view->geo.max_producers; i < view->nrecords; i++) {
		if (hli_range_get(&view->records[i], &from, &to))
			low = hli_min(low, from);
	}
	return low;
}

static struct scan scan(const struct hli_view *view)
{
	struct scan found = { 0 };
	uint64_t bits;

	found.low = hli_head_position(hli_load_acq(&view->header->head));
	HLI_HOOK("scan_head");
	found.active = hli_load_acq(&view->header->active);
	for (bits = found.active; bits; bits &= bits - 1) {
		const uint32_t g = (uint32_t)__builtin_ctzll(bits);

		if (g >= view->geo.max_groups)
			break;
		/* E4: pairs with take.c:claim_run(),
		 * E2: pairs with take.c:release() */
		found.low =
			hli_min(found.low, hli_load_acq(&view->groups[g].next));
		HLI_HOOK("scan_tail");
		/* Kind is fixed while the bit is set, which we acquired. */
		if (hli_load_rlx(&view->groups[g].kind) == HL_GROUP_SHARED)
			found.shared = true;
	}
	/* After the tails: a tail that shows a claim then shows its range. */
	if (found.shared)
		found.low = lowest_range(view, found.low);
	return found;
}

uint64_t hli_low_scan(const struct hli_view *view)
{
	return scan(view).low;
}

/* Raise announced or acted, for who loads it after a fence of its own. */
static void raise_to(_Atomic uint64_t *word, uint64_t low)
{
	uint64_t old = hli_load_acq(word);
	int tries = RAISE_TRIES;

	/* It only rises, so this ends; but for who writes it wrong. */
	while (old < low && tries-- && !hli_cas_ar(word, old, low))
		old = hli_load_acq(word);
}

uint64_t hli_low_raise(const struct hli_view *view, uint64_t enough)
{
	struct scan found = scan(view);
	uint64_t low = found.low;

	HLI_HOOK("low_first_scan");
	if (!found.active)
		low = hli_min(low, enough);
	raise_to(&view->header->announced, low);
	HLI_HOOK("low_announced");
	/* E8: pairs with group.c:start_group() */
	hli_fence_store_load();
	found = scan(view);
	low = hli_min(low, found.low);
	if (!found.shared)
		return low;
	HLI_HOOK("low_second_scan");
	raise_to(&view->header->acted, low);
	HLI_HOOK("low_acted");
	/* E9: pairs with recover.c:owed_run() */
	hli_fence_store_load();
	return hli_min(low, scan(view).low);
}

uint64_t hli_group_low(const struct hli_view *view, uint32_t group)
{
	const struct hli_group *const g = &view->groups[group];
	/* E4: pairs with take.c:claim_run() */
	uint64_t low = hli_load_acq(&g->next);
	uint64_t from, to;
	uint32_t i;

	if (hli_load_rlx(&g->kind) != HL_GROUP_SHARED)
		return low;
	for (i = view->geo.max_producers; i < view->nrecords; i++) {
		if (hli_group_has(view, group, i) &&
		    hli_range_get(&view->records[i], &from, &to))
			low = hli_min(low, from);
	}
	return low;
}

/*
 * What one group has passed since it began. Both words are of one group: who
 * makes the next one here takes start away, then counts, and then stores them.
 * The group may be gone by now: what it has passed it has passed.
 */
static struct hli_passed group_passed(const struct hli_group *g)
{
	const uint32_t generation = hli_load_acq(&g->generation);
	struct hli_passed passed;

	HLI_HOOK("passed_generation");
	passed.from = hli_load_acq(&g->start);
	HLI_HOOK("passed_start");
	/* E2: pairs with take.c:release(), E4: pairs with take.c:claim_run() */
	passed.to = hli_load_acq(&g->next);
	HLI_HOOK("passed_next");
	if (passed.from == 0 || hli_load_acq(&g->generation) != generation)
		passed.from = passed.to = 0;
	return passed;
}

struct hli_passed hli_groups_passed(const struct hli_view *view,
				    uint64_t oldest, uint64_t low)
{
	uint64_t bits = hli_load_acq(&view->header->active);
	struct hli_passed best = { 0, 0 };

	for (; bits && best.to < low; bits &= bits - 1) {
		const uint32_t g = (uint32_t)__builtin_ctzll(bits);
		struct hli_passed passed;

		if (g >= view->geo.max_groups)
			break;
		passed = group_passed(&view->groups[g]);
		if (passed.from <= oldest && passed.to > best.to)
			best = passed;
	}
	return best;
}

int hli_group_find(const struct hli_view *view, const char *name)
{
	uint32_t i;

	for (i = 0; i < view->geo.max_groups; i++) {
		const struct hli_group *const g = &view->groups[i];

		if (hli_load_acq(&g->state) == HLI_GROUP_USED &&
		    strncmp(g->name, name, sizeof(g->name)) == 0)
			return (int)i;
	}
	return -ENOENT;
}

bool hli_group_has(const struct hli_view *view, uint32_t group, uint32_t record)
{
	const struct hli_record *const r = &view->records[record];

	return record >= view->geo.max_producers &&
	       hli_record_state(r) != HLI_FREE &&
	       hli_load_rlx(&r->group) == group; /* filled before LIVE */
}

uint32_t hli_group_members(const struct hli_view *view, uint32_t group)
{
	uint32_t i, n = 0;

	for (i = view->geo.max_producers; i < view->nrecords; i++)
		n += hli_group_has(view, group, i);
	return n;
}

static uint64_t wanted_start(const struct hli_view *view,
			     const struct hl_group_attr *attr)
{
	switch (attr->start) {
	case HL_START_NEWEST:
		return hli_head_position(hli_load_acq(&view->header->head));
	case HL_START_POSITION:
		/* Before the first one there was nothing to miss. */
		return attr->position ? hli_max(attr->position,
						view->geo.start_position) :
					0;
	case HL_START_OLDEST:
		break;
	}
	return hli_load_acq(&view->header->announced);
}

/* Make the group visible to producers, then see what they had announced. */
static uint64_t start_group(const struct hli_view *view, uint32_t index,
			    uint64_t start)
{
	struct hli_group *const g = &view->groups[index];

	hli_store_rel(&g->next, start);
	hli_store_rel(&g->handed, start);
	HLI_HOOK("group_start_stored");
	if (hli_load_rlx(&g->kind) != HL_GROUP_LOSSY) /* ours to fill */
		hli_or_ar(&view->header->active, UINT64_C(1) << index);
	HLI_HOOK("group_active");
	/* E8: pairs with group.c:hli_low_raise() */
	hli_fence_store_load();
	return hli_load_acq(&view->header->announced);
}

static int free_place(const struct hli_view *view)
{
	/* A bit without a group, or a record of one: its drop is not over. */
	const uint64_t active = hli_load_acq(&view->header->active);
	uint32_t i;

	for (i = 0; i < view->geo.max_groups; i++) {
		if (hli_load_acq(&view->groups[i].state) == HLI_GROUP_FREE &&
		    !(active & (UINT64_C(1) << i)) &&
		    hli_group_members(view, i) == 0)
			return (int)i;
	}
	return -EUSERS;
}

static void fill_group(struct hli_group *g, const struct hl_group_attr *attr)
{
	/* In this order, and before the rest: see group_passed(). */
	hli_store_rel(&g->start, 0);
	HLI_HOOK("group_start_taken");
	hli_add_ar(&g->generation, 1);
	HLI_HOOK("group_generation");
	hli_store_rlx(&g->kind, (uint32_t)attr->kind);
	hli_store_rlx(&g->durable, attr->durable);
	hli_store_rlx(&g->attempts, 0);
	hli_store_rlx(&g->attempt_position, 0);
	hli_store_rlx(&g->dead_letters, 0);
	hli_store_rlx(&g->messages, 0);
	hli_store_rlx(&g->batches, 0);
	hli_store_rlx(&g->redelivered, 0);
	hli_store_rlx(&g->lost, 0);
	hli_store_rlx(&g->voids, 0);
	hli_store_rlx(&g->waits, 0);
	hli_store_rlx(&g->wakeups, 0);
	hli_copy_text(g->name, sizeof(g->name), attr->name);
}

int hli_group_add(const struct hli_view *view, const struct hl_group_attr *attr,
		  bool joined, const char *ring, struct hl_error *err)
{
	const int index = free_place(view);
	const uint64_t start = wanted_start(view, attr);
	struct hli_group *g;
	uint64_t announced;

	if (index < 0)
		return hli_fail(
			err, index,
			"%s: no room for group %s: there are %u already", ring,
			attr->name, view->geo.max_groups);
	if (start > hli_head_position(hli_load_acq(&view->header->head)) ||
	    start == 0)
		return hli_fail(err, -EINVAL,
				"%s: group %s cannot start at %ju: the next "
				"position is %ju",
				ring, attr->name, (uintmax_t)start,
				(uintmax_t)hli_head_position(
					hli_load_acq(&view->header->head)));
	g = &view->groups[index];
	fill_group(g, attr);
	hli_store_rlx(&g->joined, joined);
	announced = start_group(view, (uint32_t)index, start);
	HLI_HOOK("group_announced");
	if (announced > start && attr->start == HL_START_POSITION &&
	    attr->kind != HL_GROUP_LOSSY) {
		hli_group_remove(view, (uint32_t)index);
		return hli_fail(err, -ESTALE,
				"%s: group %s cannot start at %ju: the oldest "
				"position that is held is %ju",
				ring, attr->name, (uintmax_t)start,
				(uintmax_t)announced);
	}
	if (announced > start && attr->kind != HL_GROUP_LOSSY) {
		hli_store_rel(&g->next, announced);
		hli_store_rel(&g->handed, announced);
	}
	/* A lossy one steps over what is not settled. Nobody else writes next
	 * before the group is in the table. */
	if (attr->kind != HL_GROUP_LOSSY)
		hli_store_rel(&g->start, hli_load_rlx(&g->next));
	hli_store_rel(&g->state, HLI_GROUP_USED);
	HLI_HOOK("group_used");
	return index;
}

void hli_group_remove(const struct hli_view *view, uint32_t group)
{
	/* In this order: a group found by name always holds producers back. */
	hli_store_rel(&view->groups[group].state, HLI_GROUP_FREE);
	HLI_HOOK("group_free");
	hli_and_ar(&view->header->active, ~(UINT64_C(1) << group));
	HLI_HOOK("group_inactive");
}

static void fold(_Atomic uint64_t *total, _Atomic uint64_t *counter)
{
	hli_add_rlx(total, hli_swap_ar(counter, 0));
}

void hli_group_fold(const struct hli_view *view, struct hli_record *record)
{
	const uint32_t index = hli_load_rlx(&record->group); /* we own it */
	struct hli_group *g;

	if (index >= view->geo.max_groups)
		return;
	g = &view->groups[index];
	fold(&g->messages, &record->messages);
	fold(&g->batches, &record->batches);
	fold(&g->waits, &record->waits);
	fold(&g->wakeups, &record->wakeups);
	fold(&g->voids, &record->voids);
	fold(&g->lost, &record->full);
	fold(&g->redelivered, &record->dropped);
}

uint64_t hli_group_orphans(const struct hli_view *view)
{
	uint64_t bits = hli_load_acq(&view->header->active);
	uint64_t orphans = 0;

	for (; bits; bits &= bits - 1) {
		const uint32_t g = (uint32_t)__builtin_ctzll(bits);

		if (g >= view->geo.max_groups ||
		    hli_load_acq(&view->groups[g].state) != HLI_GROUP_USED)
			orphans |= UINT64_C(1) << g;
	}
	return orphans;
}
