/* SPDX-License-Identifier: MIT */
/*
 * reap.c - look for the dead, and recover what they held
 *
 * Guarantees: two that look at once exclude each other by the record's byte,
 * neither touches a record that a newcomer has taken, and the death of one
 * leaves DEAD with a free byte, so that the next goes on.
 *
 *     byte, state again, DEAD, range, recover, FREE, byte
 *
 * A description never conflicts with itself: our own record is left out, and
 * so is the one whose range we have adopted.
 */
#include "config.h"

#include "reap.h"

#include <errno.h>

#include "clock.h"
#include "group.h"
#include "join.h"
#include "liveness.h"
#include "record.h"

#define LOOK_EVERY_NS (10 * HLI_NS_PER_MS)

static bool group_is_live(const struct hli_view *view, uint32_t group)
{
	uint32_t i;

	for (i = view->geo.max_producers; i < view->nrecords; i++) {
		if (hli_record_active(&view->records[i]) &&
		    hli_group_has(view, group, i))
			return true;
	}
	return false;
}

static bool group_is_durable(const struct hli_view *view, uint32_t group)
{
	return hli_load_rlx(
		&view->groups[group].durable); /* fixed while used */
}

/* Free the dead members' records; false when somebody else has one. */
static bool clear_members(struct hli_member *member, uint32_t group)
{
	const struct hli_view *const view = &member->ring->view;
	bool all = true;
	uint32_t i;

	for (i = view->geo.max_producers; i < view->nrecords; i++) {
		if (i == member->index || !hli_group_has(view, group, i))
			continue;
		if (hli_lock_try(member->lock_fd, HLI_LOCK_RECORD(i)) < 0) {
			all = false;
			continue;
		}
		if (hli_group_has(view, group, i)) {
			hli_record_set(&view->records[i], HLI_DEAD);
			HLI_HOOK("clear_dead");
			hli_discard_range(view, i);
			hli_record_free(view, i);
		}
		hli_lock_drop(member->lock_fd, HLI_LOCK_RECORD(i));
	}
	return all;
}

int hli_group_settle(struct hli_member *member, uint32_t group)
{
	const struct hli_view *const view = &member->ring->view;
	const struct hli_group *const g = &view->groups[group];

	return hli_load_acq(&g->state) == HLI_GROUP_USED &&
	       !group_is_durable(view, group) &&
	       hli_load_rlx(&g->joined) && /* under the control byte */
	       hli_group_drop_dead(member, group);
}

/*
 * The group is in nobody's table any more, but holds producers back: give up
 * what its members had, then let go. What somebody else has a byte of waits
 * for the next look.
 */
static void finish_drop(struct hli_member *member, uint32_t group)
{
	const struct hli_view *const view = &member->ring->view;

	/* Ourselves leaving with something in hand: it goes with the group. */
	if (member->index != HLI_NO_RECORD &&
	    hli_group_has(view, group, member->index)) {
		hli_discard_range(view, member->index);
		hli_record_free(view, member->index);
	}
	if (clear_members(member, group))
		hli_group_remove(view, group);
	hli_wake(view, HLI_SLEEPERS_PRODUCERS);
}

bool hli_group_drop_dead(struct hli_member *member, uint32_t group)
{
	const struct hli_view *const view = &member->ring->view;

	if (group_is_live(view, group))
		return false;
	/* From here on it is decided: nobody finds the group by its name. */
	hli_store_rel(&view->groups[group].state, HLI_GROUP_FREE);
	HLI_HOOK("drop_decided");
	finish_drop(member, group);
	return true;
}

/* All groups that may have to go, and what the dead left half-way. */
static int settle_groups(struct hli_member *member)
{
	const struct hli_view *const view = &member->ring->view;
	uint64_t orphans = hli_group_orphans(view);
	int changed = 0;
	uint32_t g;

	for (; orphans; orphans &= orphans - 1, changed++) {
		g = (uint32_t)__builtin_ctzll(orphans);
		if (g < view->geo.max_groups)
			finish_drop(member, g);
		else
			hli_and_ar(&view->header->active, ~(UINT64_C(1) << g));
	}
	for (g = 0; g < view->geo.max_groups; g++)
		changed += hli_group_settle(member, g);
	return changed;
}

/* Without the byte: is it worth to ask for it? */
static bool groups_to_settle(const struct hli_view *view)
{
	uint32_t g;

	if (hli_group_orphans(view))
		return true;
	for (g = 0; g < view->geo.max_groups; g++) {
		const struct hli_group *const group = &view->groups[g];

		if (hli_load_acq(&group->state) == HLI_GROUP_USED &&
		    !group_is_durable(view, g) &&
		    hli_load_rlx(&group->joined) && /* looked at again */
		    !group_is_live(view, g))
			return true;
	}
	return false;
}

/*
 * A dead member of a shared group, under its byte. True when its record can go
 * now. What is left in its range is for members; others wake them, or drop it
 * with the group, which settle_groups() does.
 */
static bool member_can_go(struct hli_member *member, uint32_t record,
			  bool *keep_byte)
{
	const struct hli_view *const view = &member->ring->view;
	struct hli_record *const r = &view->records[record];
	const uint32_t group = hli_load_rlx(&r->group); /* we hold its byte */
	uint64_t from, to;

	if (group >= view->geo.max_groups)
		return true;
	hli_store_rel(&view->groups[group].joined, 1); /* it was here */
	if (!hli_range_get(r, &from, &to))
		return true;
	if (to - from > view->geo.capacity) {
		hli_discard_range(view, record); /* damage */
		return true;
	}
	if (member->adopts && group == member->group &&
	    member->adopted == HLI_NO_RECORD) {
		member->adopted = record;
		*keep_byte = true;
	} else if (group != member->group) {
		hli_wake(view, UINT64_C(1) << group);
	}
	return false;
}

/* One record that is not FREE and not ours. Returns 1 when it changed. */
static int reap_one(struct hli_member *member, uint32_t record)
{
	const struct hli_view *const view = &member->ring->view;
	struct hli_record *const r = &view->records[record];
	bool keep_byte = false, gone;
	uint32_t voids = 0;
	int changed;

	HLI_HOOK("reap_seen");
	if (hli_lock_try(member->lock_fd, HLI_LOCK_RECORD(record)) < 0)
		return 0;
	HLI_HOOK("reap_locked");
	if (hli_record_state(r) == HLI_FREE) {
		hli_lock_drop(member->lock_fd, HLI_LOCK_RECORD(record));
		return 0;
	}
	if (hli_record_state(r) != HLI_DEAD) {
		hli_record_set(r, HLI_DEAD);
		hli_add_rlx(&view->header->reaped, 1);
	}
	HLI_HOOK("reap_dead");
	gone = record < view->geo.max_producers ?
		       hli_settle(view, record, &voids) == 1 :
		       member_can_go(member, record, &keep_byte);
	changed = voids > 0;
	if (gone) {
		hli_record_free(view, record);
		changed = 1;
	}
	if (!keep_byte)
		hli_lock_drop(member->lock_fd, HLI_LOCK_RECORD(record));
	HLI_HOOK("reap_unlocked");
	return changed || keep_byte;
}

int hli_look_for_dead(struct hli_member *member, bool have_control)
{
	const struct hli_view *const view = &member->ring->view;
	int changed = 0;
	uint32_t i;

	/* Something closed it, and every lock would be had in another file. */
	if (!hli_descriptor_ours(member))
		return -EIDRM;
	for (i = 0; i < view->nrecords; i++) {
		if (i != member->index && i != member->adopted &&
		    hli_record_state(&view->records[i]) != HLI_FREE)
			changed += reap_one(member, i);
	}
	if (have_control) {
		changed += settle_groups(member);
	} else if (groups_to_settle(view) &&
		   hli_lock_try(member->lock_fd, HLI_LOCK_CONTROL) == 0) {
		changed += settle_groups(member);
		hli_lock_drop(member->lock_fd, HLI_LOCK_CONTROL);
	}
	if (changed)
		hli_wake(view, UINT64_MAX);
	return changed;
}

int hli_look_now_and_then(struct hli_member *member)
{
	const int64_t now = hli_now_coarse_ns();

	if (now - member->looked_ns < LOOK_EVERY_NS)
		return 0;
	member->looked_ns = now;
	return hli_look_for_dead(member, false);
}

void hli_adopted_end(struct hli_member *member)
{
	const uint32_t record = member->adopted;

	member->adopted = HLI_NO_RECORD;
	/* Inherited: it is our own record, and stays. */
	if (record == HLI_NO_RECORD || record == member->index)
		return;
	hli_record_free(&member->ring->view, record);
	hli_lock_drop(member->lock_fd, HLI_LOCK_RECORD(record));
	hli_wake(&member->ring->view, UINT64_MAX);
}
