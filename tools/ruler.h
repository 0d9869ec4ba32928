/* SPDX-License-Identifier: MIT */
/*
 * ruler - the bytes of a message in hex, with the names of its fields below
 */
#ifndef HLT_RULER_H
#define HLT_RULER_H

#include <hotline/schema.h>

#include "view.h"

/*
 *     7
 *        0  48 4c 4d 47 01 00 00 00 00 e4 0b 54 02 00 00 00
 *           |magic      |type       |timestamp
 */
void hlt_ruler_print(const struct hl_schema *schema,
		     const struct hlt_view *view);

#endif /* HLT_RULER_H */
