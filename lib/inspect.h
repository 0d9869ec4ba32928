/* SPDX-License-Identifier: MIT */
/*
 * inspect.h - what inspect.c and tap.c share
 */
#ifndef HLI_INSPECT_H
#define HLI_INSPECT_H

#include <hotline/inspect.h>

#include "layout.h"
#include "segment.h"

struct hl_inspect {
	struct hli_view view; /* of a mapping that cannot be written */
	struct hli_segment segment;
	char name[HLI_PATH_MAX];
};

/* Copy text that somebody else wrote: terminated, whatever it is. */
void hli_shared_text(char *to, size_t n, const char *from);

#endif /* HLI_INSPECT_H */
