/* SPDX-License-Identifier: MIT */
/*
 * recover.h - what is done for the dead, by whoever holds their byte
 */
#ifndef HLI_RECOVER_H
#define HLI_RECOVER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "take.h"

/*
 * A dead producer's record: make its unpublished positions void, and free its
 * blocks. *voids counts them. Returns 1 all settled, 0 some are left for the
 * next look, -EBADMSG.
 */
int hli_settle(const struct hli_view *view, uint32_t record, uint32_t *voids);

/*
 * Take the next run of up to max positions out of the dead member's range that
 * taker->adopted names. Returns positions, 0 when the range is worked off, or
 * -EBADMSG.
 */
ssize_t hli_adopt(struct hli_taker *taker, uint64_t max);

/* Give up a dead member's range: its group is dropped, or damaged. */
void hli_discard_range(const struct hli_view *view, uint32_t record);

/* The record is nobody's from here on; its byte is unlocked afterwards. */
void hli_record_free(const struct hli_view *view, uint32_t record);

#endif /* HLI_RECOVER_H */
