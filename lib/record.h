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

static inline bool hli_record_live(const struct hli_record *record)
{
	/* Only news that it is not: no data hangs on it. */
	return hli_load_rlx(&record->state) == HLI_LIVE;
}

static inline void hli_range_set(struct hli_record *record, uint64_t from,
				 uint64_t to)
{
	/* Release: not seen before the stamps of the batch before. */
	hli_store_rel(&record->from, from); /* E2: pairs with
					       group.c:hli_low_scan() */
	HLI_HOOK("range_from");
	hli_store_rel(&record->to, to); /* E2: pairs with
					   group.c:hli_low_scan() */
	HLI_HOOK("range_to");
}

static inline void hli_range_empty(struct hli_record *record)
{
	const uint64_t to = hli_load_rlx(&record->to); /* the owner's own */

	if (hli_load_rlx(&record->from) == to)
		return;
	hli_store_rel(&record->from, to); /* E2: pairs with
					     group.c:hli_low_scan() */
	HLI_HOOK("range_empty");
}

/* Read another's range; false when it is empty. */
static inline bool hli_range_get(const struct hli_record *record,
				 uint64_t *from, uint64_t *to)
{
	*from = hli_load_acq(&record->from);
	*to = hli_load_acq(&record->to);
	return *from < *to;
}

#endif /* HLI_RECORD_H */
