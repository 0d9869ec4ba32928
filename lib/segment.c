/* SPDX-License-Identifier: MIT */
/*
 * segment.c - create, reserve, name, open and map the file behind a ring
 *
 * Guarantees: a name leads to a whole ring or to nothing. A creator works on
 * an unnamed file and links it when it is finished, so there is no half-made
 * state to wait for or to clean up, and of many creators exactly one gets the
 * name. All memory is reserved before the first byte is written: a full file
 * system is an error at creation, never a SIGBUS later.
 *
 * Opening follows no link, does not block on a pipe, and reads the header into
 * private memory before anything is mapped, since the file may be anybody's.
 */
#include "config.h"

#include "segment.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <hotline/ring.h>

#include "hook.h"
#include "util.h"

#define DEFAULT_FOLDER "/dev/shm"
#define RESERVE_STEP (UINT64_C(16) << 20)
#define HUGETLBFS_TYPE 0x958458f6L
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* Linux 5.14 */
#endif
#define TMPFS_TYPE 0x01021994L

const char *hli_folder(void)
{
	const char *const folder = getenv("HOTLINE_DIR");

	return folder && folder[0] ? folder : DEFAULT_FOLDER;
}

int hli_segment_path(const char *name, char path[HLI_PATH_MAX],
		     struct hl_error *err)
{
	int len;

	if (!name)
		return hli_fail(err, -EINVAL, "a ring needs a name");
	if (strchr(name, '/')) {
		if (name[0] == '/' && !strchr(name + 1, '/'))
			return hli_fail(err, -EINVAL,
					"%.200s: write it without the slash "
					"for a ring in %.100s, or give a path "
					"with a folder",
					name, hli_folder());
		len = snprintf(path, HLI_PATH_MAX, "%s", name);
	} else {
		if (!hli_name_ok(name, HL_NAME_MAX))
			return hli_fail(err, -EINVAL,
					"\"%.100s\" is no name for a ring: 1 "
					"to %d letters, digits and ._-+@:,= "
					"beginning with a letter or digit",
					name, HL_NAME_MAX);
		len = snprintf(path, HLI_PATH_MAX, "%s/" HLI_FILE_PREFIX "%s",
			       hli_folder(), name);
	}
	if (len >= HLI_PATH_MAX)
		return hli_fail(err, -EINVAL,
				"the ring's path is longer than %d bytes",
				HLI_PATH_MAX - 1);
	return 0;
}

/*
 * Reserve memory piece by piece: a signal undoes the piece that it interrupts.
 * Where they come faster than a piece is done, smaller ones get through.
 */
static int reserve(int fd, uint64_t bytes)
{
	uint64_t step = RESERVE_STEP, at = 0;

	while (at < bytes) {
		const uint64_t n = hli_min(step, bytes - at);

		if (fallocate(fd, 0, (off_t)at, (off_t)n) == 0)
			at += n;
		else if (errno != EINTR)
			return -errno;
		else
			step = hli_max(step / 2, HLI_PAGE_BYTES);
	}
	return 0;
}

/*
 * Pages that the file system allots by itself are small; those that a mapping
 * with this advice touches are huge, where the kernel follows it. What this
 * leaves out, for whatever reason, is reserved as usual.
 */
static void touch_huge_pages(const struct hli_segment *segment, uint64_t bytes)
{
	void *base;

	if (ftruncate(segment->fd, (off_t)bytes) < 0)
		return;
	base = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
		    segment->fd, 0);
	if (base == MAP_FAILED)
		return;
	if (madvise(base, bytes, MADV_HUGEPAGE) == 0)
		(void)madvise(base, bytes, MADV_POPULATE_WRITE);
	munmap(base, bytes);
}

/* A tmpfs without a limit, as a memfd's, says 0 of 0. */
static bool has_room(const struct statfs *fs, uint64_t bytes)
{
	return fs->f_blocks == 0 ||
	       (uint64_t)fs->f_bavail >= bytes / (uint64_t)fs->f_bsize;
}

static int reserve_all(struct hli_segment *segment, uint64_t bytes,
		       unsigned flags, const char *name, struct hl_error *err)
{
	struct statfs fs;
	uint64_t whole;
	int ret;

	if (fstatfs(segment->fd, &fs) < 0)
		return hli_fail(err, -errno, "%s: statfs: %s", name,
				strerror(errno));
	segment->page_bytes = (uint64_t)fs.f_bsize;
	whole = fs.f_type == HUGETLBFS_TYPE ?
			hli_round_up(bytes, segment->page_bytes) :
			bytes;
	if (segment->named && (flags & HL_RING_HUGE_PAGES) && whole <= SIZE_MAX)
		touch_huge_pages(segment, whole);
	/* Not by trying: that would take all there is from others first. */
	ret = has_room(&fs, whole) ? reserve(segment->fd, whole) : -ENOSPC;
	if (ret == -ENOSPC)
		return hli_fail(err, ret,
				"%s: no space: %ju bytes needed, %ju free of "
				"%ju in the file system of %s",
				name, (uintmax_t)whole,
				(uintmax_t)fs.f_bavail * (uintmax_t)fs.f_bsize,
				(uintmax_t)fs.f_blocks * (uintmax_t)fs.f_bsize,
				segment->named ? segment->path : "memfd");
	if (ret < 0)
		return hli_fail(err, ret, "%s: cannot reserve %ju bytes: %s",
				name, (uintmax_t)whole, strerror(-ret));
	segment->map_bytes = whole;
	return 0;
}

static int map(struct hli_segment *segment, unsigned flags, bool read_only,
	       const char *name, struct hl_error *err)
{
	const int prot = read_only ? PROT_READ : PROT_READ | PROT_WRITE;
	const int populate = flags & HL_RING_PREFAULT ? MAP_POPULATE : 0;
	void *base;

	if (segment->map_bytes > SIZE_MAX)
		return hli_fail(err, -EFBIG,
				"%s: %ju bytes are more than this process can "
				"map",
				name, (uintmax_t)segment->map_bytes);
	base = mmap(NULL, segment->map_bytes, prot, MAP_SHARED | populate,
		    segment->fd, 0);
	if (base == MAP_FAILED)
		return hli_fail(err, -errno, "%s: cannot map %ju bytes: %s",
				name, (uintmax_t)segment->map_bytes,
				strerror(errno));
	segment->base = base;
	/* Advice only: a refusal changes nothing but speed. */
	if (flags & HL_RING_HUGE_PAGES)
		(void)madvise(base, segment->map_bytes, MADV_HUGEPAGE);
	return 0;
}

static int remember_file(struct hli_segment *segment, const char *name,
			 struct hl_error *err)
{
	struct stat st;

	if (fstat(segment->fd, &st) < 0)
		return hli_fail(err, -errno, "%s: stat: %s", name,
				strerror(errno));
	segment->device = st.st_dev;
	segment->inode = st.st_ino;
	return 0;
}

static int open_memfd(struct hli_segment *segment, const char *name,
		      unsigned flags, struct hl_error *err)
{
	unsigned how = MFD_CLOEXEC | MFD_ALLOW_SEALING;

	if (!hli_name_ok(name, HL_NAME_MAX))
		return hli_fail(err, -EINVAL,
				"\"%.100s\" is no label for a memfd", name);
	if (flags & HL_RING_HUGE_PAGES)
		how |= MFD_HUGETLB;
	segment->fd = memfd_create(name, how);
	if (segment->fd < 0)
		return hli_fail(err, -errno, "%s: memfd_create: %s", name,
				strerror(errno));
	return 0;
}

/* An unnamed file in the folder that path is in. */
static int open_unnamed(struct hli_segment *segment, const char *name,
			mode_t mode, struct hl_error *err)
{
	char folder[HLI_PATH_MAX];
	struct stat st;
	char *slash;

	if (lstat(segment->path, &st) == 0)
		return hli_fail(err, -EEXIST,
				"%s: %s exists already, owned by uid %u", name,
				segment->path, st.st_uid);
	memcpy(folder, segment->path, sizeof(folder));
	slash = strrchr(folder, '/');
	slash[slash == folder ? 1 : 0] = '\0';
	segment->fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (segment->fd < 0)
		return hli_fail(err, -errno,
				"%s: cannot make an unnamed file in %s: %s",
				name, folder, strerror(errno));
	if (fchmod(segment->fd, mode) < 0)
		return hli_fail(err, -errno, "%s: chmod %04o: %s", name,
				(unsigned)mode, strerror(errno));
	return 0;
}

int hli_segment_create(struct hli_segment *segment, const char *name,
		       const struct hl_ring_attr *attr,
		       const struct hli_geometry *geo, struct hl_error *err)
{
	int ret;

	memset(segment, 0, sizeof(*segment));
	segment->fd = -1;
	segment->named = attr->backing == HL_BACKING_NAMED;
	if (segment->named) {
		ret = hli_segment_path(name, segment->path, err);
		if (ret == 0)
			ret = open_unnamed(segment, name,
					   attr->mode ? attr->mode : 0600, err);
	} else {
		ret = open_memfd(segment, name, attr->flags, err);
	}
	if (ret == 0)
		ret = reserve_all(segment, geo->file_bytes, attr->flags, name,
				  err);
	if (ret == 0)
		ret = map(segment, attr->flags, false, name, err);
	if (ret == 0)
		ret = remember_file(segment, name, err);
	if (ret < 0)
		hli_segment_close(segment);
	HLI_HOOK("create_mapped");
	return ret;
}

int hli_segment_publish(struct hli_segment *segment, const char *name,
			struct hl_error *err)
{
	const int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
	char self[32];

	if (!segment->named) {
		if (fcntl(segment->fd, F_ADD_SEALS, seals) < 0)
			return hli_fail(err, -errno, "%s: cannot seal: %s",
					name, strerror(errno));
		return 0;
	}
	snprintf(self, sizeof(self), "/proc/self/fd/%d", segment->fd);
	HLI_HOOK("create_before_name");
	if (linkat(AT_FDCWD, self, AT_FDCWD, segment->path, AT_SYMLINK_FOLLOW) <
	    0) {
		if (errno == EEXIST)
			return hli_fail(err, -EEXIST, "%s: %s exists already",
					name, segment->path);
		return hli_fail(err, -errno, "%s: cannot name it %s: %s", name,
				segment->path, strerror(errno));
	}
	return 0;
}

static int check_owner(const struct stat *st, unsigned flags, const char *name,
		       struct hl_error *err)
{
	const uid_t me = geteuid();

	if (st->st_uid == me || st->st_uid == 0 || me == 0 ||
	    (flags & HL_OPEN_ANY_OWNER))
		return 0;
	return hli_fail(err, -EPERM,
			"%s: owned by uid %u, and we are uid %u: opened only "
			"with HL_OPEN_ANY_OWNER",
			name, st->st_uid, me);
}

int hli_segment_read_header(int fd, struct hli_header *header)
{
	size_t got = 0;

	memset(header, 0, sizeof(*header));
	while (got < sizeof(*header)) {
		const ssize_t n = pread(fd, (char *)header + got,
					sizeof(*header) - got, (off_t)got);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		got += (size_t)n;
	}
	return 0;
}

/*
 * A file that somebody copied, or made, with holes: touching one when memory
 * has run out would be a SIGBUS. Other file systems than tmpfs may compress,
 * and count fewer blocks for that.
 */
static int fill_holes(const struct hli_segment *segment, const struct stat *st,
		      long type, bool read_only, const char *name,
		      struct hl_error *err)
{
	int ret;

	if (type != TMPFS_TYPE ||
	    (uint64_t)st->st_blocks * 512 >= segment->map_bytes)
		return 0;
	if (read_only)
		return hli_fail(err, -EBADMSG,
				"%s: its memory is not reserved: %ju bytes of "
				"%ju are there",
				name, (uintmax_t)st->st_blocks * 512,
				(uintmax_t)segment->map_bytes);
	ret = reserve(segment->fd, segment->map_bytes);
	if (ret < 0)
		return hli_fail(err, ret,
				"%s: it has holes, and there is no memory to "
				"fill them: %s",
				name, strerror(-ret));
	return 0;
}

/* Check the open file and map all of it. */
static int map_whole(struct hli_segment *segment, struct hli_geometry *geo,
		     unsigned flags, bool read_only, const char *name,
		     struct hl_error *err)
{
	struct hli_header header;
	struct statfs fs;
	struct stat st;
	int ret;

	if (fstat(segment->fd, &st) < 0 || fstatfs(segment->fd, &fs) < 0)
		return hli_fail(err, -errno, "%s: stat: %s", name,
				strerror(errno));
	if (!S_ISREG(st.st_mode))
		return hli_fail(err, -EBADMSG,
				"%s: not a ring: not a regular file", name);
	ret = check_owner(&st, flags, name, err);
	if (ret < 0)
		return ret;
	ret = hli_segment_read_header(segment->fd, &header);
	if (ret < 0)
		return hli_fail(err, ret, "%s: cannot read it: %s", name,
				strerror(-ret));
	ret = hli_geometry_from_file(geo, &header, (uint64_t)st.st_size, name,
				     err);
	if (ret < 0)
		return ret;
	segment->device = st.st_dev;
	segment->inode = st.st_ino;
	segment->page_bytes = (uint64_t)fs.f_bsize;
	segment->map_bytes = fs.f_type == HUGETLBFS_TYPE ?
				     (uint64_t)st.st_size :
				     geo->file_bytes;
	ret = fill_holes(segment, &st, fs.f_type, read_only, name, err);
	if (ret == 0)
		ret = map(segment, flags, read_only, name, err);
	if (ret < 0)
		return ret;
	/* E5: pairs with layout.c:hli_layout_publish() */
	if (hli_load_acq(
		    &((struct hli_header *)(void *)segment->base)->magic) !=
	    HLI_MAGIC)
		return hli_fail(err, -EBADMSG,
				"%s: changed while it was opened", name);
	return 0;
}

static int open_failed(const char *name, const char *path, int code,
		       struct hl_error *err)
{
	struct stat st;

	if (code == -ENOENT)
		return hli_fail(err, code, "%s: no such ring: there is no %s",
				name, path);
	if (code == -ELOOP)
		return hli_fail(err, code,
				"%s: %s is a symbolic link, which is not "
				"followed",
				name, path);
	if (code == -EISDIR)
		return hli_fail(err, -EBADMSG, "%s: %s is a folder", name,
				path);
	if (code == -EACCES && lstat(path, &st) == 0)
		return hli_fail(err, code,
				"%s: permission denied: %s is owned by uid %u, "
				"mode %04o",
				name, path, st.st_uid, st.st_mode & 07777u);
	return hli_fail(err, code, "%s: cannot open %s: %s", name, path,
			strerror(-code));
}

/* The file by its name, no link followed, not blocking on a pipe. */
static int open_named(struct hli_segment *segment, const char *name,
		      bool read_only, struct hl_error *err)
{
	const int how = (read_only ? O_RDONLY : O_RDWR) | O_CLOEXEC |
			O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
	int ret;

	memset(segment, 0, sizeof(*segment));
	segment->fd = -1;
	segment->named = true;
	ret = hli_segment_path(name, segment->path, err);
	if (ret < 0)
		return ret;
	segment->fd = open(segment->path, how);
	if (segment->fd < 0)
		return open_failed(name, segment->path, -errno, err);
	return 0;
}

int hli_segment_open(struct hli_segment *segment, struct hli_geometry *geo,
		     const char *name, unsigned flags, bool read_only,
		     struct hl_error *err)
{
	int ret = open_named(segment, name, read_only, err);

	if (ret == 0)
		ret = map_whole(segment, geo, flags, read_only, name, err);
	if (ret < 0)
		hli_segment_close(segment);
	return ret;
}

int hli_segment_open_raw(struct hli_segment *segment, const char *name,
			 struct hl_error *err)
{
	struct stat st;
	int ret = open_named(segment, name, true, err);

	if (ret < 0)
		goto out;
	if (fstat(segment->fd, &st) < 0 || !S_ISREG(st.st_mode) ||
	    (uint64_t)st.st_size < sizeof(struct hli_header)) {
		ret = hli_fail(err, -EBADMSG,
			       "%s: not a regular file of at least %zu bytes",
			       name, sizeof(struct hli_header));
		goto out;
	}
	segment->map_bytes = (uint64_t)st.st_size;
	ret = map(segment, 0, true, name, err);
out:
	if (ret < 0)
		hli_segment_close(segment);
	return ret;
}

int hli_segment_open_fd(struct hli_segment *segment, struct hli_geometry *geo,
			int fd, unsigned flags, struct hl_error *err)
{
	char name[32];
	int ret;

	memset(segment, 0, sizeof(*segment));
	snprintf(name, sizeof(name), "descriptor %d", fd);
	segment->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (segment->fd < 0)
		return hli_fail(err, -errno, "%s: %s", name, strerror(errno));
	ret = map_whole(segment, geo, flags, false, name, err);
	if (ret < 0)
		hli_segment_close(segment);
	return ret;
}

bool hli_segment_is(const struct hli_segment *segment, int fd)
{
	struct stat st;

	return fd >= 0 && fstat(fd, &st) == 0 && st.st_dev == segment->device &&
	       st.st_ino == segment->inode;
}

void hli_segment_close(struct hli_segment *segment)
{
	/* Not known yet where a creation or an opening failed early. */
	const bool known = segment->inode != 0;

	if (segment->base)
		munmap(segment->base, segment->map_bytes);
	segment->base = NULL;
	if (segment->fd >= 0 &&
	    (!known || hli_segment_is(segment, segment->fd)))
		close(segment->fd);
	segment->fd = -1;
}

int hli_segment_named(const struct hli_segment *segment)
{
	struct stat st;

	if (lstat(segment->path, &st) < 0)
		return -errno;
	return st.st_dev == segment->device && st.st_ino == segment->inode;
}

enum hl_name_state hli_segment_name_state(const struct hli_segment *segment)
{
	int ret;

	if (!segment->named)
		return HL_NAME_NONE;
	ret = hli_segment_named(segment);
	if (ret == 1)
		return HL_NAME_CURRENT;
	return ret == 0 ? HL_NAME_REPLACED : HL_NAME_REMOVED;
}
