/* SPDX-License-Identifier: MIT */
/*
 * take.c - the consumer's side of the ring
 *
 * Guarantees: each published position is handed out once to a reliable group,
 * in order, unless somebody died or left with it in hand; and a slot in hand is
 * not overwritten: the group's cursor, or the member's range, holds low.
 *
 *   exclusive  ready run -> handed := end -> use -> cursor := end
 *   shared     ready run -> range -> tail CAS -> use -> from rises -> empty
 *   lossy      stamp == p -> copy -> head <= p + C, else it was overwritten
 *
 * A lossy reader cannot tell by the stamp alone, since bodies are overwritten
 * before stamps change: it asks whether the next lap of the slot was claimed.
 *
 * Not here: who is dead, whose range is adopted (recover.c), and waiting.
 */
#include "config.h"

#include "take.h"

#include <errno.h>
#include <string.h>

#include <hotline/consume.h>
#include <hotline/message.h>
#include <hotline/ring.h>

#include "group.h"
#include "hook.h"
#include "record.h"
#include "util.h"

/* As in claim.c: a tail that moves this often is damage, or a crowd. */
#define TRIES 10000
#define TRIES_OF_MANY 16
#define MANY 4096

void hli_taker_init(struct hli_taker *taker, const struct hli_view *view,
		    uint32_t record, uint32_t tenure, uint32_t group,
		    uint32_t kind)
{
	memset(taker, 0, sizeof(*taker));
	taker->view = view;
	taker->record = &view->records[record];
	taker->tenure = tenure;
	taker->group = &view->groups[group];
	taker->group_index = group;
	taker->kind = kind;
	taker->adopted = HLI_NO_RECORD;
	taker->cursor = hli_load_acq(&taker->group->next);
	if (taker->kind != HL_GROUP_EXCLUSIVE)
		return;
	taker->handed = hli_load_acq(&taker->group->handed);
	taker->redelivered_below = taker->handed;
	if (taker->handed <= taker->cursor)
		return;
	/* Only the holder of the seat writes these two. */
	if (hli_load_rlx(&taker->group->attempt_position) != taker->cursor)
		hli_store_rlx(&taker->group->attempts, 0);
	hli_store_rlx(&taker->group->attempt_position, taker->cursor);
	taker->attempt_at = taker->cursor;
	taker->attempt = hli_load_rlx(&taker->group->attempts) + 1;
	hli_store_rel(&taker->group->attempts, taker->attempt);
}

/* Count the ready positions from p on, up to max, and the void ones. */
HLI_APART static uint64_t ready_run(struct hli_taker *taker, uint64_t p,
				    uint64_t max)
{
	const struct hli_view *const view = taker->view;
	const uint32_t step = view->geo.slot_bytes;
	uint64_t left = max;

	taker->run.voids = 0;
	while (left) {
		const unsigned char *slot = hli_slot(view, p);
		const uint64_t row_end = p + hli_slots_in_row(view, p, left);

		left -= row_end - p;
		if (step == HL_LINE_BYTES) {
			const uint64_t there =
				hli_lines_stamped(slot, p, row_end);

			slot += (there - p) * HL_LINE_BYTES;
			p = there;
		}
		for (; p != row_end; p++, slot += step) {
			/* E1: pairs with claim.c:hli_publish() */
			const uint64_t s = hli_load_acq(hli_stamp_in(slot));

			if (s == p)
				continue;
			if (hli_stamp_position(s) != p)
				return max - left - (row_end - p);
			taker->run.voids++;
		}
	}
	return max;
}

/* The same, at once where it is one message. */
static inline uint64_t ready(struct hli_taker *taker, uint64_t p, uint64_t max)
{
	/* E1: pairs with claim.c:hli_publish() */
	if (max != 1 || hli_load_acq(hli_stamp(taker->view, p)) != p)
		return ready_run(taker, p, max);
	taker->run.voids = 0;
	return 1;
}

/* Nothing is ready at p: not yet, or does the slot belong to a later lap? */
HLI_RARELY static ssize_t nothing_at(const struct hli_view *view, uint64_t p)
{
	const uint64_t s = hli_load_acq(hli_stamp(view, p));

	return hli_stamp_position(s) > p ? -EBADMSG : -EAGAIN;
}

static void run_in_hand(struct hli_taker *taker, uint64_t from, uint64_t n)
{
	taker->run.from = from;
	taker->run.to = from + n;
	taker->run.redelivered_below = taker->redelivered_below;
	taker->run.attempt = from < taker->redelivered_below;
	taker->taken = true;
}

static HLI_INLINE ssize_t take_exclusive(struct hli_taker *taker, uint64_t max)
{
	const bool again = taker->attempt && taker->cursor == taker->attempt_at;
	uint64_t n;

	if (again && taker->attempt > 1)
		max = 1; /* one by one, until the poison is found */
	n = ready(taker, taker->cursor, max);
	if (n == 0)
		return nothing_at(taker->view, taker->cursor);
	/* Before the use: a successor marks all below as redelivered. */
	if (taker->handed < taker->cursor + n) {
		taker->handed = taker->cursor + n;
		hli_store_rel(&taker->group->handed, taker->handed);
		HLI_HOOK("take_handed");
	}
	run_in_hand(taker, taker->cursor, n);
	if (again)
		taker->run.attempt = taker->attempt;
	return (ssize_t)n;
}

/* One try: positions, 0 when another was faster, or an error. */
static HLI_INLINE ssize_t claim_run(struct hli_taker *taker, uint64_t max)
{
	_Atomic uint64_t *const tail = &taker->group->next;
	const uint64_t t = hli_load_acq(tail);

	HLI_HOOK("take_read");
	const uint64_t n = ready(taker, t, max);

	if (n == 0) {
		const ssize_t nothing = nothing_at(taker->view, t);

		return hli_load_acq(tail) == t ? nothing : 0;
	}
	HLI_HOOK("take_checked");
	hli_range_set(taker->record, t, t + n);
	/* E4: pairs with group.c:scan() */
	if (!hli_cas_ar(tail, t, t + n)) {
		hli_range_empty(taker->record);
		taker->moved = true; /* it may have held low for a moment */
		return 0;
	}
	HLI_HOOK("take_tail");
	run_in_hand(taker, t, n);
	return (ssize_t)n;
}

HLI_RARELY static ssize_t take_again(struct hli_taker *taker, uint64_t max)
{
	int tries = max < MANY ? TRIES : TRIES_OF_MANY;
	ssize_t got = 0;

	while (got == 0 && --tries)
		got = claim_run(taker, max);
	return got ? got : -EAGAIN;
}

HLI_APART static ssize_t take_shared(struct hli_taker *taker, uint64_t max)
{
	const ssize_t got = claim_run(taker, max);

	return got ? got : take_again(taker, max);
}

HLI_RACES_BY_DESIGN
void hli_copy_words(void *to, const void *from, size_t bytes)
{
	const _Atomic uint64_t *words = from;
	uint64_t *out = to;
	size_t k;

	/* All relaxed: it is checked afterwards. */
	for (; bytes >= HL_LINE_BYTES; bytes -= HL_LINE_BYTES) {
		HLI_UNROLL_8
		for (k = 0; k < 8; k++)
			out[k] = hli_load_rlx(&words[k]);
		words += 8;
		out += 8;
	}
	for (k = 0; k < bytes / sizeof(uint64_t); k++)
		out[k] = hli_load_rlx(&words[k]);
}

/* Was the slot of a position claimed for its next lap while it was copied? */
static bool overtaken(const struct hli_view *view, uint64_t position)
{
	uint64_t head;

	hli_fence_acq();
	head = hli_head_position(hli_load_rlx(&view->header->head)); /* fence */
	return head > position + view->geo.capacity;
}

/*
 * Copy what is published from p on, up to max, in one row, and ask once whether
 * it is whole, by the first: it is overwritten before the others. Returns how
 * many, or 0 where one has to look closer.
 */
static uint64_t copy_run(const struct hli_view *view, uint64_t p, uint64_t max,
			 unsigned char *copies)
{
	const unsigned char *const slot = hli_slot(view, p);
	const uint64_t end = p + hli_slots_in_row(view, p, max);
	uint64_t n, k;

	if (view->geo.slot_bytes != HL_LINE_BYTES)
		return 0;
	n = hli_lines_stamped(slot, p, end) - p;
	if (n == 0)
		return 0;
	HLI_HOOK("lossy_checked");
	hli_copy_words(copies, slot, n * HL_LINE_BYTES);
	HLI_HOOK("lossy_copied");
	if (overtaken(view, p))
		return 0;
	copies += HL_SEQUENCE_OFFSET;
	for (k = p; k < p + n; k++, copies += HL_LINE_BYTES)
		memcpy(copies, &k, sizeof(k));
	return n;
}

int hli_read_lossy(const struct hli_view *view, uint64_t position,
		   unsigned char *copy)
{
	/* E1: pairs with claim.c:hli_publish() */
	const uint64_t s = hli_load_acq(hli_stamp(view, position));
	uint64_t head;

	if (hli_stamp_position(s) < position)
		return 0;
	if (hli_stamp_position(s) > position) {
		/* Published, so it was claimed: else nobody wrote that. */
		head = hli_head_position(hli_load_acq(&view->header->head));
		return head > hli_stamp_position(s) ? -ESTALE : -EBADMSG;
	}
	if (s & HL_SEQUENCE_VOID)
		return 2;
	HLI_HOOK("lossy_checked");
	hli_copy_words(copy, hli_slot(view, position), view->geo.slot_bytes);
	HLI_HOOK("lossy_copied");
	if (overtaken(view, position))
		return -ESTALE;
	memcpy(copy + HL_SEQUENCE_OFFSET, &position, sizeof(position));
	return 1;
}

int hli_payload_lossy(const struct hli_view *view, const void *message,
		      unsigned char *copy, struct hl_payload *payload)
{
	const uint32_t line = hl_message_payload_offset(message);
	const uint64_t position = hl_message_sequence(message);
	const struct hli_block *block;
	struct hl_payload found;
	uint64_t at;
	int ret;

	ret = hl_payload_find(view->base, view->geo.arena_at, view->geo.nblocks,
			      view->geo.block_stride, line, &found);
	if (ret == -ENODATA || view->geo.nblocks == 0)
		return ret;
	at = (uint64_t)line * HL_LINE_BYTES - view->geo.arena_at;
	if (at / view->geo.block_stride >= view->geo.nblocks)
		return -EBADMSG;
	block = &view->blocks[at / view->geo.block_stride];
	if (hli_load_acq(&block->lease_position) > position)
		return -ESTALE;
	HLI_HOOK("lossy_lease");
	if (ret == 0)
		hli_copy_words(copy, found.section,
			       hli_round_up(found.size_bytes, 8));
	hli_fence_acq();
	/* Within one lease nothing is written twice; this tells of another. */
	if (hli_load_rlx(&block->lease_position) > position) /* fence above */
		return -ESTALE;
	if (ret < 0)
		return ret;
	/* The words that were checked, not what was copied of them. */
	memcpy(copy, &found.size_bytes, sizeof(found.size_bytes));
	payload->section = copy;
	payload->size_bytes = found.size_bytes;
	payload->nfields = found.nfields;
	return 0;
}

/* Step over what was overwritten: the new position. */
static uint64_t skip_lost(const struct hli_view *view, uint64_t p,
			  uint64_t *lost)
{
	const uint64_t head =
		hli_head_position(hli_load_acq(&view->header->head));
	const uint64_t capacity = view->geo.capacity;

	if (head <= p + capacity)
		return p;
	*lost += head - capacity - p;
	return head - capacity;
}

HLI_APART static ssize_t take_lossy(struct hli_taker *taker, uint64_t max,
				    unsigned char *copies)
{
	const struct hli_view *const view = taker->view;
	uint64_t budget = 2 * view->geo.capacity + max; /* ends in any case */
	uint64_t lost = 0, voids = 0;
	/* What was overwritten it leaves to the loop. */
	uint64_t n = copy_run(view, taker->cursor, max, copies);
	uint64_t p = taker->cursor + n;
	int got;

	while (n < max && budget--) {
		if (n == 0)
			p = skip_lost(view, p, &lost);
		got = hli_read_lossy(view, p,
				     copies + n * view->geo.slot_bytes);
		if (got == -EBADMSG && n == 0)
			return got;
		if (got == 0 || (got != 1 && n > 0))
			break; /* a run is contiguous: the rest comes next */
		p++;
		n += got == 1;
		voids += got == 2;
		lost += got == -ESTALE;
	}
	taker->cursor = p;
	hli_store_rel(&taker->group->next, p);
	hli_count(&taker->record->full, lost);
	hli_count(&taker->record->voids, voids);
	taker->run.lost += lost;
	if (n == 0)
		return -EAGAIN;
	run_in_hand(taker, p - n, n);
	taker->run.voids = 0;
	return (ssize_t)n;
}

static HLI_INLINE ssize_t take_run(struct hli_taker *taker, uint64_t max,
				   unsigned char *copies)
{
	switch (taker->kind) {
	case HL_GROUP_EXCLUSIVE:
		return take_exclusive(taker, max);
	case HL_GROUP_SHARED:
		return take_shared(taker, max);
	case HL_GROUP_LOSSY:
		return take_lossy(taker, max, copies);
	default:
		return -EBADMSG;
	}
}

/* Is what was taken nothing but void positions? Those of a lossy group are
 * not in its runs. */
static bool all_void(const struct hli_taker *taker, ssize_t got)
{
	return got > 0 && (uint64_t)got <= taker->run.voids;
}

/* Finish a run of nothing but void positions, and take the next. */
HLI_RARELY static ssize_t take_past_voids(struct hli_taker *taker, uint64_t max,
					  unsigned char *copies)
{
	uint64_t voids = 0;
	ssize_t got;

	do {
		voids += taker->run.voids;
		hli_done(taker, taker->run.to);
		/* More in a row than the ring holds: come again. */
		if (voids > taker->view->geo.capacity)
			return -EAGAIN;
		got = take_run(taker, max, copies);
	} while (all_void(taker, got));
	return got;
}

ssize_t hli_take(struct hli_taker *taker, uint64_t max, unsigned char *copies)
{
	ssize_t got;

	if (!hli_record_live(taker->record, taker->tenure))
		return -EIDRM;
	got = take_run(taker, max, copies);
	return all_void(taker, got) ? take_past_voids(taker, max, copies) : got;
}

/* Where low is held by what this consumer works off. */
static void release(struct hli_taker *taker, uint64_t end)
{
	struct hli_record *record = taker->record;

	if (taker->kind == HL_GROUP_EXCLUSIVE) {
		taker->cursor = end;
		/* E2: pairs with group.c:scan() */
		hli_store_rel(&taker->group->next, end);
	} else if (taker->kind == HL_GROUP_SHARED) {
		if (taker->adopted != HLI_NO_RECORD)
			record = &taker->view->records[taker->adopted];
		/* E2: pairs with group.c:lowest_range() */
		hli_store_rel(&record->from, end);
	}
	HLI_HOOK("done_released");
}

void hli_done(struct hli_taker *taker, uint64_t end)
{
	const uint64_t positions = end - taker->run.from;
	struct hli_record *const record = taker->record;

	release(taker, end);
	taker->moved = true;
	taker->run.from = end;
	hli_count(&record->messages, positions);
	if (end < taker->run.to)
		return;
	if (taker->run.voids) {
		/* They were counted as messages on the way. */
		hli_store_rlx(&record->messages, /* the owner's own */
			      hli_load_rlx(&record->messages) -
				      taker->run.voids);
		hli_count(&record->voids, taker->run.voids);
	}
	hli_count(&record->batches, 1);
	taker->run.lost = 0;
	taker->taken = false;
}

uint64_t hli_take_position(const struct hli_taker *taker)
{
	return taker->kind == HL_GROUP_SHARED ?
		       hli_load_acq(&taker->group->next) :
		       taker->cursor;
}

bool hli_take_ready(const struct hli_taker *taker, bool fresh)
{
	const uint64_t p = hli_take_position(taker);
	const uint64_t s = hli_load_acq(hli_stamp(taker->view, p));

	/* E1: pairs with claim.c:hli_publish(); a newer one is news as well. Head
	 * is left alone while we spin: producers write it all the time. */
	return hli_stamp_position(s) >= p || (fresh && hli_drained(taker));
}

bool hli_unpublished(const struct hli_taker *taker)
{
	const uint64_t p = hli_take_position(taker);

	return hli_head_position(hli_load_acq(&taker->view->header->head)) > p;
}

bool hli_drained(const struct hli_taker *taker)
{
	const struct hli_view *const view = taker->view;
	uint64_t head, end;

	/* Who finds nothing asks again and again. Producers need head's line
	 * for the next claim; this one is written at the end alone. Relaxed:
	 * it says no more than that head is worth a look. */
	if (!hli_load_rlx(&view->header->finishing))
		return false;
	head = hli_load_acq(&view->header->head);
	end = hli_head_position(head);
	if (!(head & HLI_FINISHED))
		return false;
	return taker->kind == HL_GROUP_LOSSY ?
		       taker->cursor >= end :
		       hli_group_low(view, taker->group_index) >= end;
}
