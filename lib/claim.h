/* SPDX-License-Identifier: MIT */
/*
 * claim.h - the producer's side of the ring
 */
#ifndef HLI_CLAIM_H
#define HLI_CLAIM_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "arena.h"
#include "layout.h"

/*
 * While slots are written others are asked for, so many lines ahead in a burst, so
 * many slots ahead of one alone: once so many claims in a row have followed each
 * other. Then no other producer is likely to be writing there.
 */
#define HLI_ASK_LINES 32u
#define HLI_ASK_ALONE 8u
#define HLI_ASK_AFTER 8u

static inline uint32_t hli_ask_slots(uint32_t slot_bytes)
{
	return HLI_ASK_LINES * HL_LINE_BYTES / slot_bytes;
}

/* A producer's own memory. */
struct hli_claimer {
	const struct hli_view *view;
	struct hli_record *record;
	uint32_t index;	    /* of the record */
	uint32_t tenure;    /* its state word while it is ours */
	uint32_t count;	    /* positions of the claim in hand; 0 for none */
	uint32_t open;	    /* those not settled */
	uint64_t first;	    /* position of the claim */
	uint32_t ahead;	    /* slots from it to what is asked for; 0: nothing */
	uint32_t in_a_row;  /* claims that followed each other */
	uint64_t next;	    /* position after the last claim */
	uint64_t low;	    /* cached: slots below are free to overwrite */
	uint64_t looked_at; /* position; for room only to ask for */
	uint32_t ask;	    /* slots ahead of a burst */
	bool unsettled;	    /* there is room, but for a slow producer's stamp */
	bool sole;
	bool refuse; /* the ring takes nothing without a group */
	uint64_t passed_from, passed_to; /* their slots are settled */
	uint64_t noted_low;		 /* low when that was noted */
	/* Of a ring whose slots are a line each and have no checksum: positions
	 * that have room and are settled, from here, so many. */
	uint64_t straight_from, straight_n;
	struct hli_lease lease;
};

void hli_claimer_init(struct hli_claimer *claimer, const struct hli_view *view,
		      uint32_t record, uint32_t tenure);

/* Note a claim: may it be asked for what comes behind it? */
static inline bool hli_follows(struct hli_claimer *claimer, uint64_t h,
			       uint64_t n)
{
	const uint32_t before = claimer->in_a_row;

	claimer->in_a_row = h == claimer->next ? before + 1 : 0;
	claimer->next = h + n;
	return claimer->in_a_row >= HLI_ASK_AFTER;
}

/* Step 4 of a claim: false when another was faster. */
static inline bool hli_take_head(const struct hli_claimer *claimer, uint64_t h,
				 uint64_t n)
{
	_Atomic uint64_t *const head = &claimer->view->header->head;

	if (!claimer->sole)
		/* E3: pairs with recover.c:hli_settle() */
		return hli_cas_ar(head, h, h + n);
	/* E3: pairs with recover.c:hli_settle() */
	hli_store_rel(head, h + n);
	return true;
}

/*
 * Claim up to n positions: claimer->first and count. Returns how many, or
 * -EAGAIN full (the range is empty then), -EPIPE, -ENOTCONN, -EIDRM,
 * -EOVERFLOW, -EBADMSG.
 */
ssize_t hli_claim(struct hli_claimer *claimer, uint64_t n);

/* See how far one can go straight on (straight.h), by what the last claim
 * knew. */
void hli_see_straight(struct hli_claimer *claimer);

/* The same for positions from h on, by what can be known now: after a message
 * is out, so that none has to wait for it. */
void hli_look_ahead(struct hli_claimer *claimer, uint64_t h);

/* Publish, or make void, what is not settled of the claim in hand. */
void hli_publish(struct hli_claimer *claimer);
void hli_abandon(struct hli_claimer *claimer);

/* Is this position of the claim settled already? */
bool hli_is_settled(const struct hli_claimer *claimer, uint64_t position);

/* Settle one position of it: false when it is settled already. */
bool hli_settle_one(struct hli_claimer *claimer, uint64_t position, bool void_);

/* No claim succeeds from now on. Of a sole producer's ring: by itself, or by who
 * has its seat. */
void hli_finish(const struct hli_view *view);

/* Would a claim of one position succeed? A hint, for waiting. */
bool hli_claim_ready(const struct hli_claimer *claimer);

#endif /* HLI_CLAIM_H */
