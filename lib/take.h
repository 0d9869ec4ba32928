/* SPDX-License-Identifier: MIT */
/*
 * take.h - the consumer's side of the ring
 */
#ifndef HLI_TAKE_H
#define HLI_TAKE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "layout.h"

#define HLI_NO_RECORD UINT32_MAX

/* A run of positions in hand, [from, to), and what is in it. */
struct hli_run {
	uint64_t from, to;
	uint64_t redelivered_below;
	uint64_t lost; /* lossy: positions overwritten before it */
	uint32_t voids;
	uint32_t attempt;
};

/* A consumer's own memory. */
struct hli_taker {
	const struct hli_view *view;
	struct hli_record *record; /* its own */
	uint32_t tenure;	   /* its state word while it is ours */
	struct hli_group *group;
	uint32_t group_index;
	uint32_t kind;	 /* enum hl_group_kind */
	uint64_t cursor; /* exclusive, lossy: next position */
	uint64_t handed; /* exclusive: positions below were handed out once */
	uint64_t redelivered_below;
	uint64_t attempt_at; /* where an earlier consumer stopped */
	uint32_t attempt;    /* how often one stopped there; 0 for never */
	uint32_t adopted; /* record whose range it works off, or HLI_NO_RECORD;
			      the caller holds its byte */
	bool moved;	  /* it released something, and nobody was told */
	bool taken;	  /* run is in hand */
	struct hli_run run;
};

/* Start as the only consumer of an exclusive or lossy group, or as a member. */
void hli_taker_init(struct hli_taker *taker, const struct hli_view *view,
		    uint32_t record, uint32_t tenure, uint32_t group,
		    uint32_t kind);

/*
 * Take the next run of up to max positions into taker->run. Void positions
 * alone are finished at once. Lossy: copies of the slots go to copies, max of
 * them. Returns positions, or -EAGAIN, -EIDRM, -EBADMSG.
 */
ssize_t hli_take(struct hli_taker *taker, uint64_t max, unsigned char *copies);

/* Finish the run up to a position of it, or up to its end. */
void hli_done(struct hli_taker *taker, uint64_t end);

/* Is there something to take? A hint, for waiting; fresh: or the end. */
bool hli_take_ready(const struct hli_taker *taker, bool fresh);

/* Is the ring finished, and nothing left for this group or in its hands? */
bool hli_drained(const struct hli_taker *taker);

/* The next position of the consumer's group. */
uint64_t hli_take_position(const struct hli_taker *taker);

/* Is that position claimed, but not published? */
bool hli_unpublished(const struct hli_taker *taker);

/*
 * Read one position that nobody keeps for us. Returns 1 copied, 2 void, 0 not
 * published yet, -ESTALE overwritten, -EBADMSG.
 */
int hli_read_lossy(const struct hli_view *view, uint64_t position,
		   unsigned char *copy);

/*
 * Copy a payload that nobody keeps for us, of a message that was copied whole.
 * copy has a block's room. Returns 0, -ENODATA, -EBADMSG, -ESTALE.
 */
struct hl_payload;
int hli_payload_lossy(const struct hli_view *view, const void *message,
		      unsigned char *copy, struct hl_payload *payload);

/* Copy by relaxed words what its writer may be changing. */
void hli_copy_words(void *to, const void *from, size_t bytes);

#endif /* HLI_TAKE_H */
