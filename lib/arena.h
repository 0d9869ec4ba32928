/* SPDX-License-Identifier: MIT */
/*
 * arena.h - blocks that producers lease for payloads
 */
#ifndef HLI_ARENA_H
#define HLI_ARENA_H

#include <stdbool.h>
#include <stdint.h>

#include <hotline/message.h>

#include "layout.h"
#include "util.h"

#define HLI_NO_BLOCK UINT32_MAX
#define HLI_HELD_MAX 14

/* A producer's own account of its blocks. */
struct hli_lease {
	uint32_t block;		 /* allocated from; HLI_NO_BLOCK for none */
	uint32_t used;		 /* bytes of it */
	uint32_t used_published; /* of these, by payloads that are published */
	uint32_t last_line;	 /* of what was allocated last; 0 for none */
	uint64_t last;	/* highest published position with a payload in it */
	bool freed;	/* a block, which somebody may wait for */
	uint32_t nheld; /* full blocks whose payloads are not yet published */
	uint32_t held[HLI_HELD_MAX];
};

/* Were payloads allocated since the last publish? */
static inline bool hli_lease_open(const struct hli_lease *lease)
{
	return lease->nheld || lease->used > lease->used_published;
}

void hli_lease_init(struct hli_lease *lease);

/* Is there room for so many bytes in the block that is allocated from? */
static inline bool hli_lease_holds(const struct hli_view *view,
				   const struct hli_lease *lease,
				   uint32_t bytes)
{
	return lease->block != HLI_NO_BLOCK &&
	       view->geo.block_stride - lease->used >=
		       hli_round_up(bytes, HL_LINE_BYTES);
}

/* Take bytes from that block, which holds them: their line. */
static inline uint32_t hli_lease_take(const struct hli_view *view,
				      struct hli_lease *lease, uint32_t bytes)
{
	const uint64_t at = view->geo.arena_at +
			    (uint64_t)lease->block * view->geo.block_stride +
			    lease->used;

	lease->used += (uint32_t)hli_round_up(bytes, HL_LINE_BYTES);
	lease->last_line = (uint32_t)(at / HL_LINE_BYTES);
	return lease->last_line;
}

/*
 * Allocate bytes, from another block if need be. low is the caller's cached one,
 * raised here if need be.
 * Returns the line of the file at which they are, 0 when there is no block
 * now, or UINT32_MAX when they fit in no block.
 */
uint32_t hli_lease_alloc(const struct hli_view *view, uint32_t record,
			 struct hli_lease *lease, uint64_t *low,
			 uint32_t bytes);

/* Give back the bytes at line, if they were allocated last. */
void hli_lease_cancel(const struct hli_view *view, struct hli_lease *lease,
		      uint32_t line);

/*
 * A claim is over, last is its highest position: what was allocated before
 * belongs to it. True when blocks were freed.
 */
bool hli_lease_published(const struct hli_view *view, struct hli_lease *lease,
			 uint64_t last);

/* Free all blocks of a record: at leave, and for the dead once settled. */
void hli_blocks_free(const struct hli_view *view, uint32_t record);

/* Could a block be had now? A hint. */
bool hli_block_to_have(const struct hli_view *view);

#endif /* HLI_ARENA_H */
