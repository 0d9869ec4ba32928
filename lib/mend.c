/* SPDX-License-Identifier: MIT */
/*
 * mend.c - make every invariant hold again, when nobody lives
 *
 * Guarantees: afterwards a claim succeeds, every group gets past every
 * position, and what the slots hold of it is delivered. Pages of a file that
 * outlived a reboot may be of different ages, so no word is believed more than
 * another, but for this: a stamp that fits its slot was published.
 *
 * Not here: whether a message is whole. Its checksum tells its reader.
 */
#include "config.h"

#include "mend.h"

#include <hotline/message.h>
#include <hotline/ring.h>

#include "group.h"
#include "record.h"
#include "recover.h"
#include "util.h"

/* Stamps that fit their slots and lie before head, or less than a lap after. */
static int mend_head(const struct hli_view *view)
{
	const uint64_t word = hli_load_acq(&view->header->head);
	const uint64_t before = hli_head_position(word);
	uint64_t head = hli_max(before, view->geo.start_position);
	uint64_t i;

	for (i = 0; i <= view->mask; i++) {
		const uint64_t p = hli_stamp_position(
			hli_load_acq(hli_stamp(view, i + 1)));

		if (p > 0 && ((p - 1) & view->mask) == i && p >= before &&
		    p - before < view->geo.capacity && p < HLI_POSITION_END)
			head = hli_max(head, p + 1);
	}
	if (head == before)
		return 0;
	hli_store_rel(&view->header->head, head | (word & HLI_FINISHED));
	return 1;
}

/* Without it no consumer would find the end. */
static int mend_finishing(const struct hli_view *view)
{
	struct hli_header *const header = view->header;

	if (!(hli_load_acq(&header->head) & HLI_FINISHED) ||
	    hli_load_rlx(&header->finishing)) /* nobody lives */
		return 0;
	hli_store_rlx(&header->finishing, 1); /* the same */
	return 1;
}

/* Each slot names its last position below head, or is void for it. */
static int mend_slots(const struct hli_view *view)
{
	const uint64_t head = hli_head(view);
	const uint64_t capacity = view->geo.capacity;
	int n = 0;
	uint64_t i;

	for (i = 0; i < capacity; i++) {
		/* The position of this slot in the lap up to head. */
		const uint64_t back = (head - 1 - i - 1) & view->mask;
		const uint64_t p = head - 1 > back ? head - 1 - back : 0;
		_Atomic uint64_t *const stamp = hli_stamp(view, i + 1);

		if (hli_stamp_position(hli_load_acq(stamp)) == p)
			continue;
		/* E1: pairs with take.c:ready_run() */
		hli_store_rel(stamp, p ? p | HL_SEQUENCE_VOID : 0);
		n++;
	}
	hli_add_rlx(&view->header->voided, (uint64_t)n);
	return n;
}

static int clamp(_Atomic uint64_t *word, uint64_t low, uint64_t high)
{
	const uint64_t v = hli_load_acq(word);

	if (v >= low && v <= high)
		return 0;
	hli_store_rel(word, v < low ? low : high);
	return 1;
}

/* A reliable group holds producers back, a lossy one does not. */
static int mend_active(const struct hli_view *view, uint32_t index,
		       bool reliable)
{
	const uint64_t bit = UINT64_C(1) << index;
	const uint64_t before = reliable ?
					hli_or_ar(&view->header->active, bit) :
					hli_and_ar(&view->header->active, ~bit);

	return ((before & bit) != 0) != reliable;
}

static int mend_group(const struct hli_view *view, uint32_t index)
{
	struct hli_group *const g = &view->groups[index];
	const uint64_t next = hli_load_acq(&g->next);
	const uint64_t first = hli_oldest(view), head = hli_head(view);
	const bool reliable = hli_load_rlx(&g->kind) != HL_GROUP_LOSSY;
	int n = 0;

	if (hli_load_acq(&g->state) != HLI_GROUP_USED)
		return 0;
	if (reliable && next < first)
		hli_add_rlx(&g->lost, first - next);
	n += clamp(&g->next, first, head);
	n += clamp(&g->handed, hli_load_acq(&g->next), head);
	return n + mend_active(view, index, reliable);
}

/* Records that recovery left: their range makes no sense, or is not there. */
static int mend_record(const struct hli_view *view, uint32_t i)
{
	struct hli_record *const r = &view->records[i];
	uint64_t from, to;
	const bool busy = hli_range_get(r, &from, &to);

	if (hli_record_state(r) == HLI_FREE) {
		hli_discard_range(view, i);
		return busy;
	}
	/* A durable group's member: what it had is for the next one. */
	if (i >= view->geo.max_producers && busy && from >= hli_oldest(view) &&
	    to <= hli_head(view))
		return 0;
	hli_record_set(r, HLI_DEAD);
	hli_record_free(view, i);
	return 1;
}

static int mend_block(const struct hli_view *view, uint32_t i)
{
	struct hli_block *const b = &view->blocks[i];
	const uint64_t head = hli_head(view);
	int n = 0;

	if (hli_load_acq(&b->last_position) >= head ||
	    hli_load_acq(&b->owner)) {
		hli_store_rel(&b->last_position, head - 1);
		n++;
	}
	hli_store_rel(&b->owner, 0); /* E7: pairs with arena.c:lease_one() */
	return n;
}

int hli_mend(const struct hli_view *view)
{
	int n = mend_head(view);
	uint32_t i;

	n += mend_finishing(view);
	n += mend_slots(view);
	n += clamp(&view->header->announced, hli_oldest(view), hli_head(view));
	n += clamp(&view->header->acted, view->geo.start_position,
		   hli_load_acq(&view->header->announced));
	for (i = 0; i < view->geo.max_groups; i++)
		n += mend_group(view, i);
	for (i = 0; i < view->nrecords; i++)
		n += mend_record(view, i);
	for (i = 0; i < view->geo.nblocks; i++)
		n += mend_block(view, i);
	return n;
}
