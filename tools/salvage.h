/* SPDX-License-Identifier: MIT */
/*
 * salvage - write what messages a damaged ring still holds into a file
 */
#ifndef HLT_SALVAGE_H
#define HLT_SALVAGE_H

#include <stdbool.h>
#include <stdint.h>

#include <hotline/ring.h>

struct hlt_salvage {
	/* what is asked for */
	const char *name;
	const char *file;
	uint64_t slot_bytes, capacity; /* 0: as the header says */
	bool raw;		       /* slots as they are, else JSON lines */
	bool force;		       /* a file that exists is overwritten */
	/* what is known of the ring, if it opens */
	bool has_checksum;
	uint64_t low; /* positions from here on are needed by some group */
	/* what came of it */
	uint64_t messages;
	uint64_t needed;
	uint64_t unreadable; /* whose payload cannot be read */
	uint64_t first, last;
};

/* Complains about what goes wrong. Returns an exit status. */
int hlt_salvage_run(struct hlt_salvage *salvage);

#endif /* HLT_SALVAGE_H */
