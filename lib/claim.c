/* SPDX-License-Identifier: MIT */
/*
 * claim.c - the producer's side of the ring
 *
 * Guarantees: a position is claimed by one producer, and its slot is written
 * only when no group needs it (low) and the producer of the lap before has let
 * go of it (its stamp). From before the claim shows in head until after the
 * stamps, the producer's range covers the positions: whoever finds the
 * producer dead knows what to make void.
 *
 *      full?       settled?     range      head       body       stamps
 *   ---- low ------ stamps ----- [h,h+n) -- h+n ------ plain ---- p ... ----
 *                                    \________ dead here: void ____/
 *
 * Not here: who is dead, and waiting.
 */
#include "config.h"

#include "claim.h"

#include <errno.h>
#include <string.h>

#include <hotline/message.h>
#include <hotline/ring.h>

#include "group.h"
#include "hook.h"
#include "record.h"
#include "util.h"

/* A claim fails only because another succeeded; so many in a row are damage, or
 * a crowd that had better wait. */
#define TRIES 10000
#define TRIES_OF_MANY 16 /* where one looks at thousands of slots */
#define MANY 4096

/* So often it is looked for room that is only to be asked for. */
#define LOOKS_A_LAP 4

void hli_claimer_init(struct hli_claimer *claimer, const struct hli_view *view,
		      uint32_t record, uint32_t tenure)
{
	memset(claimer, 0, sizeof(*claimer));
	claimer->view = view;
	claimer->record = &view->records[record];
	claimer->index = record;
	claimer->tenure = tenure;
	claimer->sole = view->geo.producers == HL_PRODUCERS_SOLE;
	claimer->refuse = view->geo.unread == HL_UNREAD_REFUSE;
	/* Nothing is known yet: the first claim raises it. */
	claimer->low = 0;
	claimer->ask = hli_ask_slots(view->geo.slot_bytes);
	/* Nothing was in the slots before the first lap. */
	claimer->passed_to = view->geo.capacity + 1;
	hli_lease_init(&claimer->lease);
}

/* How many of n positions from h on are free, by a low that is raised first. */
HLI_RARELY static uint64_t more_room(struct hli_claimer *claimer, uint64_t h,
				     uint64_t n)
{
	const uint64_t capacity = claimer->view->geo.capacity;
	uint64_t enough;

	if (h + n > claimer->low + capacity) {
		/* Without a group: some to spare, the rest stays to be read. */
		enough = h + n + capacity / 8;
		enough = enough > capacity ? enough - capacity : 0;
		claimer->low = hli_low_raise(claimer->view, enough);
	}
	/* Above h: head has moved on since. Far below: a range from an old tail
	 * shows for a moment, before its owner finds out. */
	if (claimer->low > h || h >= claimer->low + capacity)
		return 0;
	return hli_min(n, claimer->low + capacity - h);
}

/* The same, by the low that is known if that is enough. */
static uint64_t room(struct hli_claimer *claimer, uint64_t h, uint64_t n)
{
	const uint64_t capacity = claimer->view->geo.capacity;
	const uint64_t spare = claimer->low + capacity - h;

	/* More than the ring: low is above h, or far below. */
	return n <= spare && spare <= capacity ? n : more_room(claimer, h, n);
}

/*
 * How many of n slots from h on are settled for the lap before. Low alone does
 * not tell: a group that joined at the newest does not wait for a slow
 * producer of an older lap.
 */
static uint64_t settled(const struct hli_view *view, uint64_t h, uint64_t n)
{
	const uint64_t capacity = view->geo.capacity;
	const uint32_t step = view->geo.slot_bytes;
	uint64_t left = n, p = h;

	if (h <= capacity) { /* nothing was there before */
		p += hli_min(n, capacity + 1 - h);
		left -= p - h;
	}
	while (left) {
		const unsigned char *slot = hli_slot(view, p);
		const uint64_t row_end = p + hli_slots_in_row(view, p, left);

		left -= row_end - p;
		if (step == HL_LINE_BYTES) {
			const uint64_t there =
				capacity +
				hli_lines_stamped(slot, p - capacity,
						  row_end - capacity);

			slot += (there - p) * HL_LINE_BYTES;
			p = there;
		}
		for (; p != row_end; p++, slot += step) {
			/* E1: pairs with claim.c:hli_publish(), of the lap
			 * before */
			const uint64_t s = hli_load_acq(hli_stamp_in(slot));

			if (hli_stamp_position(s) != p - capacity)
				return p - h;
		}
	}
	return n;
}

/*
 * Are all of them, by what groups have passed? Then they are not looked at: that
 * fetches a line as one to read, and the body fetches it again as one to write.
 */
static HLI_INLINE bool passed(const struct hli_claimer *claimer, uint64_t h,
			      uint64_t n)
{
	return h >= claimer->passed_from && h + n <= claimer->passed_to;
}

/* See what groups have passed by now, if low has risen since. */
static void note_passed(struct hli_claimer *claimer, uint64_t h)
{
	const uint64_t capacity = claimer->view->geo.capacity;
	struct hli_passed lap;

	if (claimer->noted_low == claimer->low)
		return;
	claimer->noted_low = claimer->low;
	lap = hli_groups_passed(claimer->view, h > capacity ? h - capacity : 1,
				claimer->low);
	claimer->passed_from = lap.from + capacity;
	claimer->passed_to = lap.to + capacity;
}

/* How many of them: what groups have passed by now is seen first. */
HLI_APART static uint64_t look_at_slots(struct hli_claimer *claimer, uint64_t h,
					uint64_t n)
{
	note_passed(claimer, h);
	return passed(claimer, h, n) ? n : settled(claimer->view, h, n);
}

/* What the lap before left must not be followed. */
HLI_APART static void clear_payloads(const struct hli_claimer *claimer)
{
	const struct hli_view *const view = claimer->view;
	const uint64_t end = claimer->first + claimer->count;
	const uint32_t none = 0;
	uint64_t p = claimer->first;

	while (p < end) {
		unsigned char *slot = hli_slot(view, p);
		uint64_t left = hli_slots_in_row(view, p, end - p);

		p += left;
		for (; left; left--, slot += view->geo.slot_bytes)
			memcpy(slot + HL_PAYLOAD_OFFSET, &none, sizeof(none));
	}
}

static ssize_t without_claim(struct hli_claimer *claimer, int code)
{
	/* A stale range would keep others from settling a dead one's. Not that
	 * of who has the record now. */
	if (hli_record_ours(claimer->record, claimer->tenure))
		hli_range_empty(claimer->record);
	return code;
}

/* A head that is finished, damaged or near its end: how many of n can follow
 * it, or an error. */
HLI_RARELY static ssize_t odd_head(uint64_t h, uint64_t n)
{
	if (h & HLI_FINISHED)
		return -EPIPE;
	if (h == 0)
		return -EBADMSG;
	if (h >= HLI_POSITION_END)
		return -EOVERFLOW;
	return (ssize_t)hli_min(n, HLI_POSITION_END - h);
}

/* One try: positions claimed, 0 when another was faster, or an error. */
static HLI_INLINE ssize_t try_claim(struct hli_claimer *claimer, uint64_t n)
{
	const struct hli_view *const view = claimer->view;
	const uint64_t h = hli_load_acq(&view->header->head);

	HLI_HOOK("claim_read");
	if (!hli_record_live(claimer->record, claimer->tenure))
		return -EIDRM;
	if (h - 1 >= HLI_POSITION_END / 2) {
		const ssize_t follow = odd_head(h, n);

		if (follow < 0)
			return follow;
		n = (uint64_t)follow;
	}
	if (claimer->refuse && !hli_group_any(view))
		return -ENOTCONN;
	n = room(claimer, h, n);
	HLI_HOOK("claim_room");
	if (claimer->low > h)
		return hli_load_acq(&view->header->head) == h ? -EBADMSG : 0;
	claimer->unsettled = false;
	if (n && !claimer->sole && !passed(claimer, h, n)) {
		n = look_at_slots(claimer, h, n);
		claimer->unsettled = n == 0;
	}
	if (n == 0)
		return -EAGAIN;
	HLI_HOOK("claim_checked");
	hli_range_set(claimer->record, h, h + n);
	if (!hli_take_head(claimer, h, n))
		return 0;
	HLI_HOOK("claim_head");
	claimer->first = h;
	return (ssize_t)n;
}

/* The first try was for nothing: others are faster, or it cannot be. */
HLI_RARELY static ssize_t claim_again(struct hli_claimer *claimer, uint64_t n,
				      ssize_t got)
{
	int tries = n < MANY ? TRIES : TRIES_OF_MANY;

	while (got == 0 && --tries)
		got = try_claim(claimer, n);
	if (got == 0)
		got = -EAGAIN;
	return got < 0 ? without_claim(claimer, (int)got) : got;
}

/* The first position of which it is not known that it is free and settled. */
static HLI_INLINE uint64_t free_to(const struct hli_claimer *claimer)
{
	const uint64_t room_to = claimer->low + claimer->view->geo.capacity;

	return claimer->sole ? room_to : hli_min(room_to, claimer->passed_to);
}

/* Are n positions from h on? Who does not know looks, but not each time. */
HLI_APART static bool look_behind(struct hli_claimer *claimer, uint64_t h,
				  uint64_t n)
{
	const uint64_t capacity = claimer->view->geo.capacity;

	/* Without a group the oldest give way only to who needs their room. */
	if (h - claimer->looked_at < capacity / LOOKS_A_LAP ||
	    capacity < 2 * HLI_ASK_LINES || !hli_group_any(claimer->view))
		return false;
	claimer->looked_at = h;
	more_room(claimer, h, n);
	note_passed(claimer, h);
	return h + n <= free_to(claimer);
}

/*
 * Ask for a line behind a claim of n positions from h on; or say how far behind to
 * ask, slot by slot, while they are written. It has to be free and settled: a
 * reliable group may be reading it else, or another producer still writing it. A
 * large burst has lines enough on their way by itself.
 */
static HLI_INLINE void ask_ahead(struct hli_claimer *claimer, uint64_t h,
				 uint64_t n)
{
	const uint32_t ask = n > 1 ? claimer->ask : HLI_ASK_ALONE;

	claimer->ahead = 0;
	if (!hli_follows(claimer, h, n) || n > 2 * claimer->ask)
		return;
	if (h + n + ask > free_to(claimer) && !look_behind(claimer, h + n, ask))
		return;
	if (n > 1)
		claimer->ahead = ask;
	else
		hl_line_ask(hli_slot(claimer->view, h + ask));
}

ssize_t hli_claim(struct hli_claimer *claimer, uint64_t n)
{
	ssize_t got = try_claim(claimer, n);

	if (got <= 0)
		got = claim_again(claimer, n, got);
	if (got < 0)
		return got;
	claimer->count = claimer->open = (uint32_t)got;
	ask_ahead(claimer, claimer->first, (uint64_t)got);
	hli_fence_rel(); /* head before the bodies, for lossy readers */
	if (claimer->view->geo.nblocks)
		clear_payloads(claimer);
	HLI_HOOK("claim_filling");
	return got;
}

void hli_see_straight(struct hli_claimer *claimer)
{
	const struct hli_geometry *const geo = &claimer->view->geo;
	uint64_t from = claimer->low, to = claimer->low + geo->capacity;

	if (!claimer->sole) {
		from = hli_max(from, claimer->passed_from);
		to = hli_min(to, claimer->passed_to);
	}
	claimer->straight_from = from;
	claimer->straight_n = 0;
	if (from < to && to < HLI_POSITION_END / 2 && !claimer->refuse &&
	    geo->slot_bytes == HL_LINE_BYTES &&
	    geo->checksum == HL_CHECKSUM_NONE)
		claimer->straight_n = to - from;
}

void hli_look_ahead(struct hli_claimer *claimer, uint64_t h)
{
	/* Without a group the oldest give way only to who needs their room. */
	if (hli_group_any(claimer->view) && more_room(claimer, h, 1) &&
	    !claimer->sole && !passed(claimer, h, 1))
		look_at_slots(claimer, h, 1);
	hli_see_straight(claimer);
}

static void claim_over(struct hli_claimer *claimer)
{
	claimer->count = claimer->open = 0;
}

bool hli_is_settled(const struct hli_claimer *claimer, uint64_t position)
{
	/* Nobody else writes it until we have; then it may have been read, and
	 * the slot claimed and stamped again. */
	const uint64_t s = hli_load_acq(hli_stamp(claimer->view, position));

	return hli_stamp_position(s) >= position;
}

/* All of a claim of which some positions are settled already: how many were
 * not. */
HLI_APART static uint32_t settle_rest(struct hli_claimer *claimer, uint64_t p,
				      uint64_t flag)
{
	const uint64_t end = claimer->first + claimer->count;
	uint32_t n = 0;

	for (; p < end; p++) {
		if (hli_is_settled(claimer, p))
			continue;
		n++;
		/* E1: pairs with take.c:ready_run() */
		hli_store_rel(hli_stamp(claimer->view, p), p | flag);
		HLI_HOOK(flag ? "abandon_stamp" : "publish_stamp");
	}
	return n;
}

/*
 * Stamp n slots that lie in a row, from p on. Each time ask for a slot of another
 * row, from ask on, which will be written soon.
 */
static HLI_INLINE void stamp_row(unsigned char *slot, uint64_t p, uint64_t n,
				 size_t step, const unsigned char *ask)
{
	const uint64_t end = p + n;
	size_t k;

	for (; step == HL_LINE_BYTES && end - p >= 8; p += 8) {
		HLI_UNROLL_8
		for (k = 0; k < 8; k++) {
			if (ask)
				hl_line_ask(ask + k * HL_LINE_BYTES);
			/* E1: pairs with take.c:ready_run() */
			hli_store_rel(hli_stamp_in(slot + k * HL_LINE_BYTES),
				      p + k);
			HLI_HOOK("publish_stamp");
		}
		slot += 8 * HL_LINE_BYTES;
		if (ask)
			ask += 8 * HL_LINE_BYTES;
	}
	for (; p < end; p++, slot += step) {
		for (k = 0; ask && k < step; k += HL_LINE_BYTES)
			hl_line_ask(ask + k);
		if (ask)
			ask += step;
		/* E1: pairs with take.c:ready_run() */
		hli_store_rel(hli_stamp_in(slot), p);
		HLI_HOOK("publish_stamp");
	}
}

/* Stamp n positions from p on, and ask for what comes so many slots later. */
HLI_APART static void stamp_run(const struct hli_view *view, uint64_t p,
				uint64_t n, uint32_t ahead)
{
	const uint32_t step = view->geo.slot_bytes;
	uint64_t row;

	for (; n; p += row, n -= row) {
		row = hli_slots_in_row(view, p, n);
		if (!ahead) {
			stamp_row(hli_slot(view, p), p, row, step, NULL);
			continue;
		}
		row = hli_slots_in_row(view, p + ahead, row);
		stamp_row(hli_slot(view, p), p, row, step,
			  hli_slot(view, p + ahead));
	}
}

/* Were all positions from p on put, and no slot is another's yet? */
static bool all_put(const struct hli_view *view, uint64_t p, uint64_t end)
{
	uint64_t row_end;

	if (view->geo.slot_bytes != HL_LINE_BYTES)
		return false;
	for (; p < end; p = row_end) {
		row_end = p + hli_slots_in_row(view, p, end - p);
		if (hli_lines_stamped(hli_slot(view, p), p, row_end) != row_end)
			return false;
	}
	return true;
}

/* Stamp those of the claim from p on that were not put. */
HLI_APART static void stamp_what_was_not_put(struct hli_claimer *claimer,
					     uint64_t p)
{
	if (!all_put(claimer->view, p, claimer->first + claimer->count))
		settle_rest(claimer, p, 0);
}

/* All but the first one. If the last was put, so were most. */
HLI_APART static void publish_others(struct hli_claimer *claimer)
{
	const uint64_t second = claimer->first + 1;
	const uint32_t n = claimer->count - 1;

	if (hli_is_settled(claimer, claimer->first + n))
		stamp_what_was_not_put(claimer, second);
	else
		stamp_run(claimer->view, second, n, claimer->ahead);
}

void hli_publish(struct hli_claimer *claimer)
{
	const uint64_t first = claimer->first;
	_Atomic uint64_t *const stamp = hli_stamp(claimer->view, first);

	/* If the first one stands, readers may have gone on, and a slot may be
	 * another's by now. */
	if (claimer->open != claimer->count) {
		settle_rest(claimer, first, 0);
	} else if (hli_stamp_position(hli_load_acq(stamp)) >= first) {
		stamp_what_was_not_put(claimer, first);
	} else {
		/* The first one last: readers find the whole burst at once. */
		if (claimer->count > 1)
			publish_others(claimer);
		/* E1: pairs with take.c:ready_run() */
		hli_store_rel(stamp, first);
		HLI_HOOK("publish_first");
	}
	hli_count(&claimer->record->messages, claimer->open);
	hli_count(&claimer->record->batches, 1);
	claim_over(claimer);
}

void hli_abandon(struct hli_claimer *claimer)
{
	const uint32_t voids =
		settle_rest(claimer, claimer->first, HL_SEQUENCE_VOID);

	hli_count(&claimer->record->messages, claimer->open - voids); /* put */
	/* After: dead on the way, who finds us counts the rest. */
	hli_add_rlx(&claimer->view->header->voided, voids);
	claim_over(claimer);
}

bool hli_settle_one(struct hli_claimer *claimer, uint64_t position, bool void_)
{
	if (hli_is_settled(claimer, position))
		return false;
	/* E1: pairs with take.c:ready_run() */
	hli_store_rel(hli_stamp(claimer->view, position),
		      position | (void_ ? HL_SEQUENCE_VOID : 0));
	HLI_HOOK("settle_one");
	claimer->open--;
	if (void_)
		hli_add_rlx(&claimer->view->header->voided, 1);
	else
		hli_count(&claimer->record->messages, 1);
	if (claimer->open == 0)
		claim_over(claimer);
	return true;
}

void hli_finish(const struct hli_view *view)
{
	/* Before: consumers look at head only when this is set. The operation
	 * on head, a release, keeps it before. */
	hli_store_rlx(&view->header->finishing, 1);
	HLI_HOOK("finishing");
	hli_or_ar(&view->header->head, HLI_FINISHED);
	HLI_HOOK("finished");
}

bool hli_claim_ready(const struct hli_claimer *claimer)
{
	const struct hli_view *const view = claimer->view;
	const uint64_t h = hli_load_acq(&view->header->head);

	if (h & HLI_FINISHED)
		return true;
	if (claimer->refuse && !hli_group_any(view))
		return false;
	return h < hli_low_scan(view) + view->geo.capacity &&
	       (!claimer->unsettled || settled(view, h, 1) == 1);
}
