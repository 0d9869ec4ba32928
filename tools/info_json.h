/* SPDX-License-Identifier: MIT */
/*
 * info_json - what a ring is, as JSON: the same members wherever it is printed
 */
#ifndef HLT_INFO_JSON_H
#define HLT_INFO_JSON_H

#include <jansson.h>

#include <hotline/ring.h>

/* Adds the members of the geometry to an object. */
void hlt_info_to_json(json_t *object, const struct hl_ring_info *info);

#endif /* HLT_INFO_JSON_H */
