/* SPDX-License-Identifier: MIT */
/*
 * stamp - is a position published, void, or only claimed?
 *
 * hotline/inspect.h does not say it of a single position, so the slot's stamp is
 * read from the file, at the place that hotline-format(5) gives for it.
 */
#ifndef HLT_STAMP_H
#define HLT_STAMP_H

#include <stdint.h>

#include <hotline/inspect.h>

enum hlt_stamp {
	HLT_STAMP_UNKNOWN = 0, /* could not be read, or makes no sense */
	HLT_STAMP_CLAIMED,     /* its slot still names the lap before */
	HLT_STAMP_PUBLISHED,
	HLT_STAMP_VOID,
	HLT_STAMP_LATER, /* the slot was used again since */
};

struct hlt_stamps {
	int fd; /* -1 when nothing can be read */
	uint64_t slots_at;
	uint64_t capacity;
	uint32_t slot_bytes;
};

/* Look at the file of the ring that status is of. */
void hlt_stamps_open(struct hlt_stamps *stamps, const char *name,
		     const struct hl_ring_status *status);
void hlt_stamps_close(struct hlt_stamps *stamps);

/* A position below head. */
enum hlt_stamp hlt_stamp_of(const struct hlt_stamps *stamps, uint64_t position);

#endif /* HLT_STAMP_H */
