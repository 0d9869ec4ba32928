/* SPDX-License-Identifier: MIT */
/*
 * straight.h - the whole way of one message, where nothing is in its way
 *
 * The steps of claim.c and take.c in their order, for the case that each of them
 * is short: there is room, the slot is settled, nobody is faster; the next
 * message is there, and none was handed out before. What the message costs then
 * is mostly stores, which leave the core one by one; so all is inline, and
 * nothing is kept that the next message does not need. Who cannot go straight
 * has changed nothing that counts, and goes the long way.
 */
#ifndef HLI_STRAIGHT_H
#define HLI_STRAIGHT_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <hotline/message.h>
#include <hotline/ring.h>

#include "claim.h"
#include "hook.h"
#include "record.h"
#include "take.h"
#include "util.h"

static HLI_INLINE uint64_t hli_word_of(const void *message, size_t i)
{
	uint64_t word;

	memcpy(&word, (const unsigned char *)message + i * 8, sizeof(word));
	return word;
}

/* A line of a message without a payload, and its stamp. */
static HLI_INLINE void hli_put_line(unsigned char *slot, const void *message,
				    uint64_t stamp)
{
	uint64_t last = 0; /* without what follows in it, the payload_offset */

	memcpy(&last, (const unsigned char *)message + HL_CHECKSUM_OFFSET,
	       HL_PAYLOAD_OFFSET - HL_CHECKSUM_OFFSET);

	const uint64_t word[HL_LINE_WORDS] = {
		hli_word_of(message, 0), hli_word_of(message, 1),
		hli_word_of(message, 2), 0,
		hli_word_of(message, 4), hli_word_of(message, 5),
		hli_word_of(message, 6), last,
	};

	/* E1: pairs with take.c:ready_run() */
	hl_line_stamp_last(slot, word, stamp);
}

/* The slot of a position, of a line. */
static HLI_INLINE unsigned char *hli_line_of(const struct hli_view *view,
					     uint64_t position)
{
	return view->slots + ((position - 1) & view->mask) * HL_LINE_BYTES;
}

/* Claim, write and publish a message of one line, without a payload. There is
 * no claim in hand. Its position, or 0. */
static HLI_INLINE uint64_t hli_send_straight(struct hli_claimer *claimer,
					     const void *message)
{
	const struct hli_view *const view = claimer->view;
	struct hli_record *const record = claimer->record;
	const uint64_t h = hli_load_acq(&view->header->head);

	HLI_HOOK("claim_read");
	if (h - claimer->straight_from >= claimer->straight_n ||
	    !hli_record_live(record, claimer->tenure))
		return 0;
	HLI_HOOK("claim_checked");
	hli_range_set(record, h, h + 1);
	/* If not: hli_claim(), which follows, sets the range or empties it. */
	if (!hli_take_head(claimer, h, 1))
		return 0;
	HLI_HOOK("claim_head");
	hli_fence_rel(); /* head before the body, for lossy readers */
	/* As claim.c:ask_ahead() */
	if (hli_follows(claimer, h, 1) &&
	    h + HLI_ASK_ALONE - claimer->straight_from < claimer->straight_n)
		hl_line_ask(hli_line_of(view, h + HLI_ASK_ALONE));
	HLI_HOOK("claim_filling");
	hli_put_line(hli_line_of(view, h), message, h);
	HLI_HOOK("publish_first");
	hli_count(&record->messages, 1);
	hli_count(&record->batches, 1);
	return h;
}

/* Was that the last position that is known to be free? Then look anew. */
static inline bool hli_straight_ends(const struct hli_claimer *claimer,
				     uint64_t position)
{
	return position + 1 - claimer->straight_from >= claimer->straight_n;
}

/* Finish what is in hand, if anything, and take the next message, of an
 * exclusive group. */
static HLI_INLINE bool hli_next_straight(struct hli_taker *taker)
{
	const struct hli_view *const view = taker->view;
	struct hli_record *const record = taker->record;
	const uint64_t p = taker->handed;

	/* Above all that was handed out, and right after what is in hand. */
	if (taker->kind != HL_GROUP_EXCLUSIVE ||
	    p != (taker->taken ? taker->run.to : taker->cursor) ||
	    taker->run.voids)
		return false;
	/* E1: pairs with claim.c:hli_publish() */
	if (hli_load_acq(hli_stamp(view, p)) != p ||
	    !hli_record_live(record, taker->tenure))
		return false;
	if (taker->taken) {
		/* E2: pairs with group.c:scan() */
		hli_store_rel(&taker->group->next, p);
		HLI_HOOK("done_released");
		hli_count(&record->messages, p - taker->run.from);
		hli_count(&record->batches, 1);
	}
	hli_store_rel(&taker->group->handed, p + 1);
	HLI_HOOK("take_handed");
	taker->handed = p + 1;
	taker->cursor = p;
	taker->run.from = p;
	taker->run.to = p + 1;
	taker->taken = true;
	return true;
}

#endif /* HLI_STRAIGHT_H */
