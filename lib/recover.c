/* SPDX-License-Identifier: MIT */
/*
 * recover.c - what is done for the dead, by whoever holds their byte
 *
 * Guarantees: a dead producer's claimed positions are settled, each once, and
 * only those that no live producer may still write. A dead member's range is
 * handed out again, marked, but for what it cannot have owned: its range may
 * come from an old tail, so positions below acted, or whose slot holds
 * something else, are stepped over.
 *
 * The caller holds the record's byte and has stored DEAD before it reads the
 * range here; it may die at any step, and the next one goes on from there.
 */
#include "config.h"

#include "recover.h"

#include <errno.h>

#include <hotline/message.h>
#include <hotline/ring.h>

#include "arena.h"
#include "group.h"
#include "hook.h"
#include "record.h"
#include "util.h"

/* Does a live producer's range cover p? */
static bool covered(const struct hli_view *view, uint64_t p, uint32_t dead)
{
	uint64_t from, to;
	uint32_t i;

	for (i = 0; i < view->geo.max_producers; i++) {
		const struct hli_record *const r = &view->records[i];

		if (i != dead && hli_record_active(r) &&
		    hli_range_get(r, &from, &to) && from <= p && p < to)
			return true;
	}
	return false;
}

/* One position of a dead producer: settled now? */
static bool settle_position(const struct hli_view *view, uint64_t p,
			    uint32_t dead, uint32_t *voids)
{
	_Atomic uint64_t *const stamp = hli_stamp(view, p);
	const uint64_t seen = hli_load_acq(stamp);

	HLI_HOOK("settle_seen");
	/* Greater: the slot was used again, long after. */
	if (hli_stamp_position(seen) >= p)
		return true;
	if (covered(view, p, dead))
		return false;
	HLI_HOOK("settle_checked");
	/* From the value seen: if it fails, somebody settled it.
	 * E1: pairs with take.c:ready_run() */
	if (hli_cas_ar(stamp, seen, p | HL_SEQUENCE_VOID)) {
		hli_add_rlx(&view->header->voided, 1);
		++*voids;
	}
	HLI_HOOK("settle_void");
	return true;
}

int hli_settle(const struct hli_view *view, uint32_t record, uint32_t *voids)
{
	/* E3: pairs with claim.h:hli_take_head() */
	const uint64_t head =
		hli_head_position(hli_load_acq(&view->header->head));
	uint64_t from, to, p;
	bool all = true;

	HLI_HOOK("settle_head");
	if (hli_range_get(&view->records[record], &from, &to)) {
		if (to - from > view->geo.capacity)
			return -EBADMSG;
		for (p = from; p < to && p < head; p++)
			all &= settle_position(view, p, record, voids);
	}
	if (all)
		hli_blocks_free(view, record);
	return all;
}

/* Which run of [from, to) may be handed out again? *from moves to its start. */
static uint64_t owed_run(const struct hli_view *view, uint64_t *from,
			 uint64_t to, uint64_t max)
{
	uint64_t acted, n;

	/* E9: pairs with group.c:hli_low_raise() */
	hli_fence_store_load();
	acted = hli_load_acq(&view->header->acted);
	HLI_HOOK("adopt_acted");
	*from = hli_max(*from, hli_min(acted, to));
	while (*from < to &&
	       /* E1: pairs with claim.c:hli_publish() */
	       hli_load_acq(hli_stamp(view, *from)) != *from)
		++*from;
	for (n = 0; n < max && *from + n < to; n++) {
		if (hli_load_acq(hli_stamp(view, *from + n)) != *from + n)
			break;
	}
	return n;
}

/* Was it begun at this position before? Then it may hold the poison. */
static bool tried_before(const struct hli_record *record, uint64_t from)
{
	/* Written only under the record's byte. */
	return hli_load_rlx(&record->attempt_position) == from &&
	       hli_load_rlx(&record->attempts);
}

/* Count what begins again at the same position. */
static uint32_t count_attempt(struct hli_record *record, uint64_t from)
{
	uint32_t n = 0;

	if (tried_before(record, from))
		n = hli_load_rlx(&record->attempts); /* as there */
	n = n < UINT16_MAX ? n + 1 : n;
	hli_store_rlx(&record->attempt_position, from);
	hli_store_rel(&record->attempts, (uint16_t)n);
	return n;
}

ssize_t hli_adopt(struct hli_taker *taker, uint64_t max)
{
	const struct hli_view *const view = taker->view;
	struct hli_record *const dead = &view->records[taker->adopted];
	uint64_t from, to, n;

	if (!hli_range_get(dead, &from, &to))
		return 0;
	if (to - from > view->geo.capacity)
		return -EBADMSG;
	n = owed_run(view, &from, to, max);
	if (n > 1 && tried_before(dead, from))
		n = 1; /* one by one, until the poison is found */
	/* E2: pairs with group.c:lowest_range() */
	hli_store_rel(&dead->from, from);
	HLI_HOOK("adopt_from");
	if (n == 0)
		return 0;
	taker->run = (struct hli_run){
		.from = from,
		.to = from + n,
		.redelivered_below = from + n,
		.attempt = count_attempt(dead, from),
	};
	taker->taken = true;
	return (ssize_t)n;
}

void hli_discard_range(const struct hli_view *view, uint32_t record)
{
	hli_range_empty(&view->records[record]);
}

void hli_record_free(const struct hli_view *view, uint32_t record)
{
	struct hli_record *const r = &view->records[record];

	hli_range_empty(r); /* free means so, for who scans without asking */
	if (record >= view->geo.max_producers)
		hli_group_fold(view, r);
	hli_record_set(r, HLI_FREE);
	HLI_HOOK("record_free");
}
