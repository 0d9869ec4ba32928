/* SPDX-License-Identifier: MIT */
/*
 * arena.c - blocks that producers lease for payloads
 *
 * Guarantees: bytes of a block are written only by its owner, and only when no
 * reader needs them: the block was free, and every position that had a payload
 * in it is below low. A block becomes free (is sealed) when every payload in
 * it is published or given up, never earlier.
 *
 * For lossy readers, who hold nothing back, lease_position tells: it is head
 * as read after the lease, so a payload of a position below it may be gone.
 */
#include "config.h"

#include "arena.h"

#include <hotline/message.h>

#include "group.h"
#include "hook.h"
#include "util.h"

#define LEASE_TRIES 64 /* blocks that others were faster to get */

void hli_lease_init(struct hli_lease *lease)
{
	lease->block = HLI_NO_BLOCK;
	lease->used = 0;
	lease->used_published = 0;
	lease->last_line = 0;
	lease->last = 0;
	lease->freed = false;
	lease->nheld = 0;
}

/* last_position first: who sees the block free sees what it held. */
static void seal(const struct hli_view *view, uint32_t block, uint64_t last)
{
	struct hli_block *const b = &view->blocks[block];

	hli_store_rel(&b->last_position, last);
	HLI_HOOK("seal_last");
	/* E7: pairs with arena.c:lease_one() */
	hli_store_rel(&b->owner, 0);
	HLI_HOOK("seal_owner");
}

static bool lease_one(const struct hli_view *view, uint32_t block,
		      uint32_t record, uint64_t low)
{
	struct hli_block *const b = &view->blocks[block];

	/* E7: pairs with arena.c:seal() */
	if (!hli_cas32_ar(&b->owner, 0, record + 1))
		return false;
	HLI_HOOK("lease_owner");
	/* It may have been leased and sealed since it was looked at. */
	if (hli_load_acq(&b->last_position) >= low) {
		hli_store_rel(&b->owner, 0); /* unused: nothing to show */
		return false;
	}
	hli_store_rel(&b->lease_position, hli_head(view));
	HLI_HOOK("lease_position");
	hli_fence_rel(); /* before the payload's bytes, for lossy readers */
	return true;
}

/*
 * The block to try: the lowest that is free, recently used memory being in
 * the cache; without a reliable group, the one that lossy readers miss least.
 */
static uint32_t choose(const struct hli_view *view, uint64_t low, uint32_t from)
{
	const bool oldest = !hli_group_any(view);
	uint64_t best_last = UINT64_MAX;
	uint32_t best = HLI_NO_BLOCK;
	uint32_t i;

	for (i = from; i < view->geo.nblocks; i++) {
		const struct hli_block *const b = &view->blocks[i];
		const uint64_t last = hli_load_acq(&b->last_position);

		if (hli_load_acq(&b->owner) || last >= low || last >= best_last)
			continue;
		best = i;
		best_last = last;
		if (!oldest)
			break;
	}
	return best;
}

static uint32_t lease_below(const struct hli_view *view, uint32_t record,
			    uint64_t low)
{
	uint32_t from = 0, tries = LEASE_TRIES;

	/* Each try that fails moves on. */
	while (tries--) {
		const uint32_t block = choose(view, low, from);

		HLI_HOOK("lease_chosen");
		if (block == HLI_NO_BLOCK ||
		    lease_one(view, block, record, low))
			return block;
		from = block + 1;
	}
	return HLI_NO_BLOCK;
}

bool hli_block_to_have(const struct hli_view *view)
{
	return choose(view, hli_low_scan(view), 0) != HLI_NO_BLOCK;
}

/* As much low as the next block needs; without a group no more is taken. */
static uint64_t enough_low(const struct hli_view *view)
{
	uint64_t lowest = UINT64_MAX;
	uint32_t i;

	for (i = 0; i < view->geo.nblocks; i++) {
		const struct hli_block *const b = &view->blocks[i];

		if (!hli_load_acq(&b->owner))
			lowest = hli_min(lowest,
					 hli_load_acq(&b->last_position));
	}
	return lowest + 1; /* 0 without a free block: nothing to gain */
}

/* Put a new block in the place of the current one. */
static bool change_block(const struct hli_view *view, uint32_t record,
			 struct hli_lease *lease, uint64_t *low)
{
	const bool unpublished = lease->used > lease->used_published;
	uint32_t block;

	if (unpublished && lease->nheld == HLI_HELD_MAX)
		return false;
	block = lease_below(view, record, *low);
	if (block == HLI_NO_BLOCK) {
		*low = hli_low_raise(view, enough_low(view));
		block = lease_below(view, record, *low);
	}
	if (block == HLI_NO_BLOCK)
		return false;
	if (lease->block != HLI_NO_BLOCK) {
		if (unpublished)
			lease->held[lease->nheld++] = lease->block;
		else
			seal(view, lease->block, lease->last);
		lease->freed = !unpublished;
	}
	lease->block = block;
	lease->used = 0;
	lease->used_published = 0;
	lease->last =
		hli_load_rlx(&view->blocks[block].last_position); /* own */
	return true;
}

uint32_t hli_lease_alloc(const struct hli_view *view, uint32_t record,
			 struct hli_lease *lease, uint64_t *low, uint32_t bytes)
{
	if (bytes > view->geo.block_stride || view->geo.nblocks == 0)
		return UINT32_MAX;
	if (!hli_lease_holds(view, lease, bytes) &&
	    !change_block(view, record, lease, low))
		return 0;
	return hli_lease_take(view, lease, bytes);
}

void hli_lease_cancel(const struct hli_view *view, struct hli_lease *lease,
		      uint32_t line)
{
	const uint64_t block_at =
		view->geo.arena_at +
		(uint64_t)lease->block * view->geo.block_stride;

	if (line == 0 || line != lease->last_line)
		return; /* it lies below others, or is published */
	lease->used = (uint32_t)((uint64_t)line * HL_LINE_BYTES - block_at);
	lease->last_line = 0;
}

bool hli_lease_published(const struct hli_view *view, struct hli_lease *lease,
			 uint64_t last)
{
	const bool freed = lease->nheld > 0;

	if (!hli_lease_open(lease))
		return false;
	while (lease->nheld)
		seal(view, lease->held[--lease->nheld], last);
	lease->last = last;
	lease->used_published = lease->used;
	lease->last_line = 0;
	return freed;
}

void hli_blocks_free(const struct hli_view *view, uint32_t record)
{
	uint32_t i;

	for (i = 0; i < view->geo.nblocks; i++) {
		/* head - 1: with head itself nobody could ever lease it. */
		if (hli_load_acq(&view->blocks[i].owner) == record + 1)
			seal(view, i, hli_head(view) - 1);
	}
}
