/* SPDX-License-Identifier: MIT */
/*
 * check.c - check every invariant of a ring's file, reading only
 *
 * Guarantees: what is called damage was seen twice with head unchanged in
 * between or far from it, so that a ring in motion is not blamed. No value of
 * the file is used as an index before it is checked.
 */
#include "config.h"

#include <hotline/admin.h>

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "group.h"
#include "handle.h"
#include "inspect.h"
#include "liveness.h"
#include "record.h"
#include "schema.h"
#include "util.h"

#define MOST_OF_A_KIND 10 /* findings about slots that are told one by one */

struct check {
	const struct hl_inspect *inspect;
	const struct hli_view *view;
	hl_finding_fn fn;
	void *user;
	int damage;
	int untold; /* findings beyond most of a section */
	int told;   /* in this section */
	int most;
	uint64_t head, start;
};

__attribute__((format(printf, 3, 4))) static void
tell(struct check *check, enum hl_finding kind, const char *format, ...)
{
	char text[256];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	hli_printable(text);
	check->damage += kind == HL_FINDING_DAMAGE;
	if (check->told++ >= check->most)
		check->untold++;
	else if (check->fn)
		check->fn(kind, text, check->user);
}

/* What is found from here on is told up to a limit, and counted beyond. */
static void begin_section(struct check *check, int most)
{
	check->told = check->untold = 0;
	check->most = most;
}

static void end_section(struct check *check, const char *what)
{
	const int untold = check->untold;

	begin_section(check, INT_MAX);
	if (untold)
		tell(check, HL_FINDING_NOTE, "%d more findings about %s",
		     untold, what);
}

/* Read it again, in case it moved since. */
static uint64_t head_again(struct check *check)
{
	check->head =
		hli_head_position(hli_load_acq(&check->view->header->head));
	return check->head;
}

static void check_header(struct check *check)
{
	const struct hli_header *const header = check->view->header;
	/* In this order: it is raised after announced, and never above. */
	const uint64_t acted = hli_load_acq(&header->acted);
	const uint64_t announced = hli_load_acq(&header->announced);

	if (head_again(check) < check->start)
		tell(check, HL_FINDING_DAMAGE,
		     "head is %ju, below the start %ju", (uintmax_t)check->head,
		     (uintmax_t)check->start);
	if (announced < check->start || announced > head_again(check))
		tell(check, HL_FINDING_DAMAGE,
		     "announced is %ju, not from %ju to head %ju",
		     (uintmax_t)announced, (uintmax_t)check->start,
		     (uintmax_t)check->head);
	if (acted < check->start || acted > announced)
		tell(check, HL_FINDING_DAMAGE,
		     "acted is %ju, not from %ju to announced %ju",
		     (uintmax_t)acted, (uintmax_t)check->start,
		     (uintmax_t)announced);
	if (!(hli_load_acq(&header->head) & HLI_FINISHED))
		return;
	tell(check, HL_FINDING_NOTE, "the ring is finished");
	/* Set before that bit, which we acquired. */
	if (!hli_load_rlx(&header->finishing))
		tell(check, HL_FINDING_DAMAGE,
		     "head says that the ring is finished, and finishing does "
		     "not: consumers wait for ever");
}

/* It was written before the ring could be seen, and never since. */
static void check_schema(struct check *check)
{
	struct hl_error why = { 0 };
	const int ret = hli_schema_examine(check->view, &why);

	if (ret < 0)
		tell(check,
		     ret == -ENOMEM ? HL_FINDING_NOTE : HL_FINDING_DAMAGE, "%s",
		     why.text);
}

static void check_cursor(struct check *check, uint32_t index, const char *name)
{
	const struct hli_group *const g = &check->view->groups[index];
	const uint64_t capacity = check->view->geo.capacity;
	const uint64_t next = hli_load_acq(&g->next);
	const uint64_t low = hli_group_low(check->view, index);

	if (next < check->start || next > head_again(check))
		tell(check, HL_FINDING_DAMAGE,
		     "group %s stands at %ju, not from %ju to head %ju", name,
		     (uintmax_t)next, (uintmax_t)check->start,
		     (uintmax_t)check->head);
	else if (hli_load_rlx(&g->kind) != HL_GROUP_LOSSY &&
		 low + capacity < check->head &&
		 hli_group_low(check->view, index) == low)
		tell(check, HL_FINDING_DAMAGE,
		     "group %s still needs %ju, which head %ju has passed by "
		     "more than the capacity",
		     name, (uintmax_t)low, (uintmax_t)check->head);
}

static void check_group(struct check *check, uint32_t index)
{
	const struct hli_group *const g = &check->view->groups[index];
	const uint32_t state = hli_load_acq(&g->state);
	const bool active = hli_load_acq(&check->view->header->active) &
			    (UINT64_C(1) << index);
	const uint32_t kind = hli_load_rlx(&g->kind); /* checked here */
	char name[HL_GROUP_NAME_BYTES];

	if (state == HLI_GROUP_FREE && active)
		tell(check, HL_FINDING_PENDING,
		     "group %u holds producers back and is in no table: who "
		     "made or removed it died",
		     index);
	if (state == HLI_GROUP_FREE)
		return;
	hli_shared_text(name, sizeof(name), g->name);
	if (state != HLI_GROUP_USED || kind > HL_GROUP_LOSSY ||
	    !hli_name_ok(name, sizeof(name) - 1)) {
		tell(check, HL_FINDING_DAMAGE,
		     "group %u has state %u, kind %u or a name that cannot be",
		     index, state, kind);
		return;
	}
	if (active != (kind != HL_GROUP_LOSSY))
		tell(check, HL_FINDING_DAMAGE, "group %s %s producers back",
		     name, active ? "is lossy and holds" : "does not hold");
	check_cursor(check, index, name);
}

static bool byte_is_free(const struct check *check, uint32_t record)
{
	return hli_lock_probe(check->inspect->segment.fd,
			      HLI_LOCK_RECORD(record)) == 0;
}

static void check_record(struct check *check, uint32_t i)
{
	const struct hli_record *const r = &check->view->records[i];
	const enum hli_state state = hli_record_state(r);
	char name[HL_MEMBER_NAME_BYTES];
	uint64_t from, to;
	const bool busy = hli_range_get(r, &from, &to);

	if (state == HLI_FREE && !busy)
		return;
	hli_shared_text(name, sizeof(name), r->name);
	if (state == HLI_FREE && hli_record_state(r) == HLI_FREE)
		tell(check, HL_FINDING_DAMAGE,
		     "record %u is free but holds [%ju, %ju)", i,
		     (uintmax_t)from, (uintmax_t)to);
	else if (state > HLI_EVICTED)
		tell(check, HL_FINDING_DAMAGE, "record %u has state %u", i,
		     state);
	else if (busy && to - from > check->view->geo.capacity)
		tell(check, HL_FINDING_DAMAGE,
		     "participant %u holds [%ju, %ju), more than the capacity",
		     i, (uintmax_t)from, (uintmax_t)to);
	else if (state != HLI_FREE && byte_is_free(check, i) &&
		 hli_record_state(r) != HLI_FREE)
		tell(check, HL_FINDING_PENDING,
		     "participant %u (%.15s, pid %u) is dead%s", i, name,
		     hli_load_rlx(&r->pid), /* for people */
		     busy ? " with something in hand" : "");
}

/* Whose range covers p? HLI_NO_RECORD for nobody's. */
static uint32_t owner_of(const struct check *check, uint64_t p)
{
	uint64_t from, to;
	uint32_t i;

	for (i = 0; i < check->view->geo.max_producers; i++) {
		if (hli_range_get(&check->view->records[i], &from, &to) &&
		    from <= p && p < to)
			return i;
	}
	return HLI_NO_RECORD;
}

static void check_unpublished(struct check *check, uint64_t p, uint64_t stamp)
{
	const uint32_t owner = owner_of(check, p);

	if (owner == HLI_NO_RECORD) {
		/* Published since, and its range gone with the next claim? */
		if (hli_load_acq(hli_stamp(check->view, p)) == stamp &&
		    head_again(check) <= p + check->view->geo.capacity)
			tell(check, HL_FINDING_DAMAGE,
			     "position %ju is claimed, not published, and in "
			     "nobody's range: its slot says %jx",
			     (uintmax_t)p, (uintmax_t)stamp);
		return;
	}
	if (byte_is_free(check, owner))
		tell(check, HL_FINDING_PENDING,
		     "position %ju was claimed by participant %u, which is "
		     "dead",
		     (uintmax_t)p, owner);
	else
		tell(check, HL_FINDING_NOTE,
		     "position %ju is claimed by participant %u and not yet "
		     "published",
		     (uintmax_t)p, owner);
}

/* The contents of a published position that somebody may still read. */
static void check_message(struct check *check, uint64_t p)
{
	const struct hli_view *const view = check->view;
	_Alignas(64) unsigned char copy[HL_SLOT_BYTES_MAX];
	struct hl_payload payload;
	uint32_t word;
	int ret;

	if (hli_read_lossy(view, p, copy) != 1)
		return;
	ret = hl_payload_find(view->base, view->geo.arena_at, view->geo.nblocks,
			      view->geo.block_stride,
			      hl_message_payload_offset(copy), &payload);
	if (ret == -EBADMSG && view->geo.nblocks && p >= hli_low_scan(view))
		tell(check, HL_FINDING_DAMAGE,
		     "position %ju: its payload offset %u leads to no payload",
		     (uintmax_t)p, hl_message_payload_offset(copy));
	if (view->geo.checksum == HL_CHECKSUM_NONE ||
	    (view->geo.checksum == HL_CHECKSUM_PAYLOAD && ret != -ENODATA &&
	     (ret < 0 || p < hli_low_scan(view))))
		return;
	memcpy(&word, copy + HL_CHECKSUM_OFFSET, sizeof(word));
	if (view->geo.checksum == HL_CHECKSUM_HEADER)
		ret = -ENODATA;
	if (word != hli_checksum(copy, view->geo.slot_bytes, p,
				 ret == 0 ? &payload : NULL) &&
	    head_again(check) <= p + view->geo.capacity)
		tell(check, HL_FINDING_DAMAGE,
		     "position %ju: its checksum is wrong", (uintmax_t)p);
}

static void check_slot(struct check *check, uint64_t p)
{
	const uint64_t capacity = check->view->geo.capacity;
	const uint64_t s = hli_load_acq(hli_stamp(check->view, p));
	const uint64_t named = hli_stamp_position(s);

	if (named == p) {
		if (s == p)
			check_message(check, p);
		return;
	}
	if (named == (p > capacity ? p - capacity : 0)) {
		check_unpublished(check, p, s);
		return;
	}
	if (named == p + capacity || head_again(check) > p + capacity)
		return; /* it moved on while we looked */
	tell(check, HL_FINDING_DAMAGE,
	     "the slot of position %ju says %jx, which belongs elsewhere",
	     (uintmax_t)p, (uintmax_t)s);
}

static void check_slots(struct check *check)
{
	const uint64_t capacity = check->view->geo.capacity;
	const uint64_t head = head_again(check);
	uint64_t p;

	if (head < check->start)
		return;
	p = head - check->start > capacity ? head - capacity : check->start;
	begin_section(check, MOST_OF_A_KIND);
	for (; p < head; p++)
		check_slot(check, p);
	end_section(check, "positions");
}

static void check_blocks(struct check *check)
{
	const struct hli_view *const view = check->view;
	uint32_t i;

	begin_section(check, MOST_OF_A_KIND);
	for (i = 0; i < view->geo.nblocks; i++) {
		const struct hli_block *const b = &view->blocks[i];
		const uint32_t owner = hli_load_acq(&b->owner);
		const uint64_t last = hli_load_acq(&b->last_position);

		if (owner > view->geo.max_producers)
			tell(check, HL_FINDING_DAMAGE,
			     "block %u is leased to %u, who is no producer", i,
			     owner - 1);
		else if (owner &&
			 hli_record_state(&view->records[owner - 1]) ==
				 HLI_FREE &&
			 hli_load_acq(&b->owner) == owner)
			tell(check, HL_FINDING_DAMAGE,
			     "block %u is leased to producer %u, who left", i,
			     owner - 1);
		if (last >= check->head && last >= head_again(check))
			tell(check, HL_FINDING_DAMAGE,
			     "block %u holds a payload of %ju, and head is %ju",
			     i, (uintmax_t)last, (uintmax_t)check->head);
	}
	end_section(check, "blocks");
}

int hl_ring_check(const struct hl_inspect *inspect, hl_finding_fn fn,
		  void *user)
{
	struct check check = {
		.inspect = inspect,
		.view = &inspect->view,
		.fn = fn,
		.user = user,
		.start = inspect->view.geo.start_position,
	};
	uint32_t i;

	begin_section(&check, INT_MAX);
	check_header(&check);
	check_schema(&check);
	for (i = 0; i < check.view->geo.max_groups; i++)
		check_group(&check, i);
	for (i = 0; i < check.view->nrecords; i++)
		check_record(&check, i);
	check_slots(&check);
	check_blocks(&check);
	return check.damage;
}
