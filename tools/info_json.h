/* SPDX-License-Identifier: MIT */
/*
 * info_json - what a ring is: the same members and figures wherever printed
 */
#ifndef HLT_INFO_JSON_H
#define HLT_INFO_JSON_H

#include <jansson.h>

#include <hotline/inspect.h>

/* Adds the members of the geometry to an object. */
void hlt_info_to_json(json_t *object, const struct hl_ring_info *info);

/*
 * Positions claimed since the beginning, and those that a group still needs; 0
 * when a damaged ring has them the wrong way round.
 */
uint64_t hlt_claimed(const struct hl_ring_status *status);
uint64_t hlt_depth(const struct hl_ring_status *status);

#endif /* HLT_INFO_JSON_H */
