/* SPDX-License-Identifier: MIT */
/*
 * salvage - write what messages a damaged ring still holds into a file
 */
#ifndef HLT_SALVAGE_H
#define HLT_SALVAGE_H

#include <stdbool.h>
#include <stdint.h>

#include <hotline/admin.h>

enum {
	HLT_SALVAGE_VERDICTS = HL_SALVAGE_VOID + 1
};

struct hlt_salvage {
	/* what is asked for */
	const char *name;
	const char *file;
	uint64_t slot_bytes, capacity; /* 0: as the header says */
	bool raw;		       /* slots as they are, else JSON lines */
	bool force;		       /* a file that exists is overwritten */
	bool has_checksum;	       /* known of the ring, if it opens */
	/* what came of it */
	uint64_t messages; /* in the file */
	uint64_t needed, in_hand;
	uint64_t count[HLT_SALVAGE_VERDICTS];
	uint64_t first, last;
};

/* The word for a verdict. */
const char *hlt_salvage_word(enum hl_salvage verdict);

/* Complains about what goes wrong. Returns an exit status. */
int hlt_salvage_run(struct hlt_salvage *salvage);

#endif /* HLT_SALVAGE_H */
