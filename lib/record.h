/* SPDX-License-Identifier: MIT */
/*
 * record.h - a participant's record: its life and its range
 *
 *            join: lock, fill             leave: range empty
 *     FREE ---------------------> LIVE ----------------------> FREE
 *                                  | \  operator
 *        found dead, byte taken    |  `---------> EVICTED --+
 *                                  v                        |
 *     FREE <--------------------- DEAD <--------------------+
 *            recovered: range empty, blocks free; unlock last
 *
 * Written by its owner while it holds the record's byte, afterwards by whoever
 * holds it. A range is [from, to): what its owner has claimed, or is about to,
 * and has not finished. Both words are stored with release, from before to, so
 * that a reader who reads from before to sees at least what is in use.
 */
#ifndef HLI_RECORD_H
#define HLI_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "hook.h"
#include "layout.h"

#define HLI_STATE_MASK 0xffu
#define HLI_TENURE_STEP 0x100u

static inline enum hli_state hli_record_state(const struct hli_record *record)
{
	return (enum hli_state)(hli_load_acq(&record->state) & HLI_STATE_MASK);
}

/* Of a participant that may still write: it is honoured as long as it may. */
static inline bool hli_record_active(const struct hli_record *record)
{
	const enum hli_state state = hli_record_state(record);

	return state == HLI_LIVE || state == HLI_EVICTED;
}

/* By who holds the record's byte; the tenure stays. */
static inline void hli_record_set(struct hli_record *record,
				  enum hli_state state)
{
	/* Only the holder of the byte and an operator's eviction write it. */
	const uint32_t word = hli_load_rlx(&record->state);

	hli_store_rel(&record->state, (word & ~HLI_STATE_MASK) | state);
}

/* The word of a new tenure, LIVE. */
static inline uint32_t hli_record_next_tenure(const struct hli_record *record)
{
	const uint32_t word = hli_load_rlx(&record->state); /* we hold it */

	return ((word & ~HLI_STATE_MASK) + HLI_TENURE_STEP) | HLI_LIVE;
}

/* Is the record still of this tenure, and LIVE? */
static inline bool hli_record_live(const struct hli_record *record,
				   uint32_t tenure)
{
	/* Only news that it is not: no data hangs on it. */
	return hli_load_rlx(&record->state) == tenure;
}

/* The same, or evicted: ours to bring in order, at least. */
static inline bool hli_record_ours(const struct hli_record *record,
				   uint32_t tenure)
{
	return (hli_load_acq(&record->state) & ~HLI_STATE_MASK) ==
		       (tenure & ~HLI_STATE_MASK) &&
	       hli_record_active(record);
}

static inline void hli_range_set(struct hli_record *record, uint64_t from,
				 uint64_t to)
{
	/* Release: not seen before the stamps of the batch before. */
	/* E2: pairs with group.c:lowest_range() */
	hli_store_rel(&record->from, from);
	HLI_HOOK("range_from");
	/* E2: pairs with group.c:lowest_range() */
	hli_store_rel(&record->to, to);
	HLI_HOOK("range_to");
}

static inline void hli_range_empty(struct hli_record *record)
{
	const uint64_t to = hli_load_rlx(&record->to); /* the owner's own */

	if (hli_load_rlx(&record->from) == to)
		return;
	/* E2: pairs with group.c:lowest_range() */
	hli_store_rel(&record->from, to);
	HLI_HOOK("range_empty");
}

/* Read another's range; false when it is empty. */
static inline bool hli_range_get(const struct hli_record *record,
				 uint64_t *from, uint64_t *to)
{
	*from = hli_load_acq(&record->from);
	HLI_HOOK("range_read");
	*to = hli_load_acq(&record->to);
	return *from < *to;
}

#endif /* HLI_RECORD_H */
