/* SPDX-License-Identifier: MIT */
/*
 * stamp - is a position published, void, or only claimed?
 *
 * Reads with pread(2): a file that is cut short meanwhile gives fewer bytes and
 * no signal. The name may by now be another ring's, so its time of creation has
 * to be that of the ring that was looked at.
 */
#include "stamp.h"

#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "place.h"

/* Of hotline-format(5), version 1. */
enum {
	AT_FORMAT_VERSION = 8,
	AT_SLOTS = 72,
	AT_CREATED = 144,
	FORMAT_VERSION = 1,
};

static bool read_at(int fd, void *to, size_t bytes, uint64_t at)
{
	return at <= INT64_MAX &&
	       pread(fd, to, bytes, (off_t)at) == (ssize_t)bytes;
}

void hlt_stamps_open(struct hlt_stamps *stamps, const char *name,
		     const struct hl_ring_status *status)
{
	char path[PATH_MAX];
	uint32_t version;
	uint64_t created_ns;

	hlt_ring_path(path, sizeof(path), name);
	stamps->capacity = status->info.capacity;
	stamps->slot_bytes = status->info.slot_bytes;
	stamps->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (stamps->fd < 0)
		return;
	if (read_at(stamps->fd, &version, sizeof(version), AT_FORMAT_VERSION) &&
	    version == FORMAT_VERSION &&
	    read_at(stamps->fd, &created_ns, sizeof(created_ns), AT_CREATED) &&
	    created_ns == status->created_ns &&
	    read_at(stamps->fd, &stamps->slots_at, sizeof(stamps->slots_at),
		    AT_SLOTS))
		return;
	hlt_stamps_close(stamps);
}

void hlt_stamps_close(struct hlt_stamps *stamps)
{
	if (stamps->fd >= 0)
		close(stamps->fd);
	stamps->fd = -1;
}

enum hlt_stamp hlt_stamp_of(const struct hlt_stamps *stamps, uint64_t position)
{
	const uint64_t slot = (position - 1) & (stamps->capacity - 1);
	uint64_t stamp, named;

	if (stamps->fd < 0 || position == 0 ||
	    !read_at(stamps->fd, &stamp, sizeof(stamp),
		     stamps->slots_at + slot * stamps->slot_bytes +
			     HL_SEQUENCE_OFFSET))
		return HLT_STAMP_UNKNOWN;
	named = stamp & ~HL_SEQUENCE_VOID;
	if (named == position)
		return stamp == position ? HLT_STAMP_PUBLISHED : HLT_STAMP_VOID;
	if (named > position)
		return HLT_STAMP_LATER;
	return named == 0 || named == position - stamps->capacity ?
		       HLT_STAMP_CLAIMED :
		       HLT_STAMP_UNKNOWN;
}
