/* SPDX-License-Identifier: MIT */
/*
 * segment.h - the file behind a ring
 */
#ifndef HLI_SEGMENT_H
#define HLI_SEGMENT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <hotline/ring.h>

#include "layout.h"

#define HLI_PATH_MAX 1024
#define HLI_FILE_PREFIX "hotline."

struct hl_error;
struct hl_ring_attr;

struct hli_segment {
	int fd;
	bool named; /* path says where; else opened by descriptor */
	dev_t device;
	ino_t inode;
	unsigned char *base;
	uint64_t map_bytes;
	uint64_t page_bytes;
	char path[HLI_PATH_MAX];
};

/* The folder for names without a slash. */
const char *hli_folder(void);

/* The path of a ring by the rule in ring.h. 0 or -EINVAL. */
int hli_segment_path(const char *name, char path[HLI_PATH_MAX],
		     struct hl_error *err);

/*
 * Make an unnamed, zeroed file of geo->file_bytes with all its memory
 * reserved, and map it. Nothing of it shows before hli_segment_publish().
 */
int hli_segment_create(struct hli_segment *segment, const char *name,
		       const struct hl_ring_attr *attr,
		       const struct hli_geometry *geo, struct hl_error *err);

/* Give the file its name, if nobody else has it: 0, -EEXIST, ... */
int hli_segment_publish(struct hli_segment *segment, const char *name,
			struct hl_error *err);

/* Open a named file, check it, and map it; for reading only if so asked. */
int hli_segment_open(struct hli_segment *segment, struct hli_geometry *geo,
		     const char *name, unsigned flags, bool read_only,
		     struct hl_error *err);

/* The same for a descriptor, of which it takes a duplicate. */
int hli_segment_open_fd(struct hli_segment *segment, struct hli_geometry *geo,
			int fd, unsigned flags, struct hl_error *err);

/* Read a header once, into memory that nobody else can change. */
int hli_segment_read_header(int fd, struct hli_header *header);

/* Map a named file for reading as it is: damaged, or no ring at all. */
int hli_segment_open_raw(struct hli_segment *segment, const char *name,
			 struct hl_error *err);

/*
 * Is this descriptor one of the segment's file? Something may have closed it
 * behind our back, and another file may have its number.
 */
bool hli_segment_is(const struct hli_segment *segment, int fd);

void hli_segment_close(struct hli_segment *segment);

/* What has become of the name. */
enum hl_name_state hli_segment_name_state(const struct hli_segment *segment);

/*
 * Is path still this file? 1 yes, 0 replaced by another file, -ENOENT gone,
 * or what stat(2) said.
 */
int hli_segment_named(const struct hli_segment *segment);

#endif /* HLI_SEGMENT_H */
