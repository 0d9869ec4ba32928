/* SPDX-License-Identifier: MIT */
/*
 * hotline/ring.h - rings and their groups: create, open, share, remove
 *
 * A ring is a file in shared memory. It needs no daemon: whoever has the file
 * mapped and follows the protocol is part of it. A process opens a ring once
 * and then joins it as producer (produce.h) or consumer (consume.h), as often
 * as it likes.
 *
 * Names. A name without a slash is a ring in the shared-memory folder:
 * /dev/shm, or $HOTLINE_DIR if that is set. It has 1 to 200 characters out of
 * letters, digits and . _ - + @ : , = and begins with a letter or a digit; its
 * file is "hotline." and the name. A name with a slash is the path of a file
 * anywhere (tmpfs, hugetlbfs). "/name" with nothing but a leading slash is
 * refused, since other systems mean different things by it.
 *
 * Errors. Calls return 0 or a count, else a negative errno. Calls that take a
 * struct hl_error fill it, on failure, with a sentence that names the ring.
 * NULL is allowed. errno means nothing after a call.
 *
 * Descriptors: one per open ring, one more per participant, one more per
 * pollable descriptor; all are close-on-exec.
 */
#ifndef HOTLINE_RING_H
#define HOTLINE_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HL_API __attribute__((visibility("default")))
#define HL_MUST_CHECK __attribute__((warn_unused_result))

/* Timeouts, in nanoseconds of the monotonic clock. */
#define HL_NOWAIT INT64_C(0)
#define HL_FOREVER INT64_MAX
#define HL_DROP INT64_MIN /* producers: when full, count it and go on */

#define HL_NAME_MAX 200		/* of a ring, without the terminator */
#define HL_GROUP_NAME_BYTES 32	/* of a group, terminator included */
#define HL_MEMBER_NAME_BYTES 16 /* of a participant, terminator included */
#define HL_GROUPS_MAX 62
#define HL_CAPACITY_MAX (UINT64_C(1) << 26)
#define HL_POSITION_MAX INT64_MAX /* positions are 1 to HL_POSITION_MAX - 1 */

struct hl_ring;
struct hl_schema; /* hotline/schema.h */

struct hl_error {
	int code; /* what the call returned */
	char text[240];
};

/*
 * hl_strerror - what a return code of this library means, in words
 *
 * Where the system's own words would mislead: here -EPIPE is the end of a ring.
 * A code that only the system gives has no words of ours: use strerror(-code).
 */
HL_API
const char *hl_strerror(int code);

/* Who may produce. */
enum hl_producers {
	HL_PRODUCERS_SHARED = 0, /* many at a time */
	HL_PRODUCERS_SOLE = 1,	 /* one at a time; the next one is -EBUSY */
};

/* What a group is. Every group sees every message. */
enum hl_group_kind {
	HL_GROUP_EXCLUSIVE = 0, /* one consumer at a time */
	HL_GROUP_SHARED = 1,	/* members compete, each message to one */
	HL_GROUP_LOSSY = 2,	/* one consumer; never holds producers back */
};

enum hl_group_start {
	HL_START_OLDEST = 0, /* the oldest message that is certainly held */
	HL_START_NEWEST = 1, /* what is sent from now on */
	HL_START_POSITION = 2,
};

/* What a ring does with a send while it has no exclusive or shared group. */
enum hl_unread {
	HL_UNREAD_KEEP = 0,   /* keep it for a later group; when the ring is
				 full the oldest give way (at least 7/8 of
				 the capacity stays, less where the arena
				 runs out before) */
	HL_UNREAD_REFUSE = 1, /* -ENOTCONN, or wait for a group */
};

enum hl_checksum {
	HL_CHECKSUM_NONE = 0,
	HL_CHECKSUM_HEADER = 1,	 /* of the message's own lines */
	HL_CHECKSUM_PAYLOAD = 2, /* and of its payload */
};

enum hl_backing {
	HL_BACKING_NAMED = 0, /* by the rule for names above */
	HL_BACKING_MEMFD = 1, /* no file: pass the descriptor; sealed against
				 shrinking and growing; the name is a label */
};

struct hl_group_attr {
	size_t size;	  /* sizeof(struct hl_group_attr): HL_GROUP_ATTR_INIT */
	const char *name; /* 1 to 31 characters as in a ring's name, but : */
	enum hl_group_kind kind;
	bool durable; /* stays when its last member leaves or dies */
	enum hl_group_start start;
	uint64_t position; /* for HL_START_POSITION */
};
#define HL_GROUP_ATTR_INIT                                                     \
	{                                                                      \
		sizeof(struct hl_group_attr), 0, HL_GROUP_EXCLUSIVE, false,    \
			HL_START_OLDEST, 0                                     \
	}

/* Flags of struct hl_ring_attr and of opening. */
#define HL_RING_PREFAULT 1u /* touch all of the mapping at once */
#define HL_RING_HUGE_PAGES                                                     \
	2u		     /* memfd: huge pages or an error; elsewhere
				 advice that the kernel may follow */
#define HL_OPEN_ANY_OWNER 4u /* also rings of users other than us and root */

/* Zero means the default, everywhere. */
struct hl_ring_attr {
	size_t size;	   /* sizeof(struct hl_ring_attr): HL_RING_ATTR_INIT */
	uint64_t capacity; /* messages: a power of two, 2 to 2^26; 1024 */
	uint32_t slot_bytes;	/* a multiple of 64, up to 1024; 64 */
	uint32_t block_bytes;	/* largest payload: a multiple of 64, up to
				   1 GiB; by default a share of arena_bytes
				   that gives 4 blocks to a producer */
	uint64_t arena_bytes;	/* for payloads; 0 is none */
	uint32_t max_producers; /* at a time, up to 1024; 16 (sole: 1) */
	uint32_t max_consumers; /* at a time, up to 1024; 48 */
	uint32_t max_groups;	/* up to 62; 16 */
	enum hl_producers producers;
	enum hl_unread unread;
	enum hl_checksum checksum;
	enum hl_backing backing;
	mode_t mode;		 /* of the file, umask aside; 0600 */
	uint32_t flags;		 /* HL_RING_... */
	uint32_t message_magic;	 /* what byte 0 of each message must hold to be
				    valid; 0 for anything */
	uint64_t start_position; /* for tests; 1 */
	const struct hl_group_attr *groups; /* there from the first moment */
	size_t ngroups;
	const struct hl_schema *schema; /* of its messages, carried in the ring;
					   NULL for none. slot_bytes is its
					   message's size by default */
};
#define HL_RING_ATTR_INIT                                                      \
	{                                                                      \
		sizeof(struct hl_ring_attr), 0, 0, 0, 0, 0, 0, 0,              \
			HL_PRODUCERS_SHARED, HL_UNREAD_KEEP, HL_CHECKSUM_NONE, \
			HL_BACKING_NAMED, 0, 0, 0, 0, 0, 0, 0                  \
	}

/*
 * hl_ring_create - create a ring, reserve all its memory, and open it
 *
 * The name appears when the ring is whole: nobody ever sees half of one, and a
 * creator that dies leaves nothing behind. attr may be NULL.
 *
 * Threads:  any.
 * Returns:  0, or
 *   -EEXIST   the name is taken (err tells by whom)
 *   -EINVAL   a value out of its range
 *   -ENOSPC   not enough memory: err has bytes needed and bytes free
 *   others    from open, mmap and the like
 * Since:    0.1
 */
HL_API HL_MUST_CHECK int hl_ring_create(const char *name,
					const struct hl_ring_attr *attr,
					struct hl_ring **out,
					struct hl_error *err);

/*
 * hl_ring_open - open a ring that exists
 *
 * Checks magic, version, byte order, features and all sizes against the file.
 * The owner must be the caller or root, unless the caller is root or flags has
 * HL_OPEN_ANY_OWNER. flags may also have HL_RING_PREFAULT, HL_RING_HUGE_PAGES.
 *
 * Threads:  any.
 * Returns:  0, or
 *   -ENOENT   no such ring (err has the path that was looked at)
 *   -EPERM    owned by another user
 *   -ELOOP    the name is a symbolic link
 *   -EBADMSG  not a ring, or a damaged one
 *   -EPROTONOSUPPORT  a ring of another format version, byte order, or with
 *             features that this library does not know
 * Since:    0.1
 */
HL_API HL_MUST_CHECK int hl_ring_open(const char *name, unsigned flags,
				      struct hl_ring **out,
				      struct hl_error *err);

/*
 * hl_ring_open_or_create - open the ring, or create it if there is none
 *
 * When it exists attr counts for nothing but its flags: see hl_ring_get_info()
 * for what the ring is. However many call this at once, all get the same ring.
 * Returns what hl_ring_create() and hl_ring_open() return, but not -EEXIST.
 */
HL_API HL_MUST_CHECK int hl_ring_open_or_create(const char *name,
						const struct hl_ring_attr *attr,
						struct hl_ring **out,
						struct hl_error *err);

/*
 * hl_ring_open_fd - open a ring by a descriptor that was received or inherited
 *
 * The descriptor stays the caller's. It has to be open for reading and writing,
 * and /proc has to be mounted. Otherwise as hl_ring_open().
 */
HL_API HL_MUST_CHECK int hl_ring_open_fd(int fd, unsigned flags,
					 struct hl_ring **out,
					 struct hl_error *err);

/*
 * hl_ring_close - unmap the ring; NULL is allowed
 *
 * Removes nothing: the ring goes on without this process.
 *
 * Threads:  no other call on this ring may be under way.
 * Returns:  0, or -EBUSY when participants of this handle have not left.
 */
HL_API
int hl_ring_close(struct hl_ring *ring);

/*
 * hl_ring_unlink - remove a ring's name
 *
 * Refuses with -EBUSY while participants live, unless force: then those who
 * have it open go on with it, and nobody else finds it. A file that is not a
 * ring is refused (-EBADMSG), unless force.
 */
HL_API HL_MUST_CHECK int hl_ring_unlink(const char *name, bool force,
					struct hl_error *err);

/*
 * hl_ring_path - where the ring of a name is, whether it exists or not
 *
 * Returns: 0, or -EINVAL for what is no name, or when path has too little room
 * (1024 bytes always do).
 */
HL_API HL_MUST_CHECK int hl_ring_path(const char *name, char *path,
				      size_t path_bytes, struct hl_error *err);

/* The ring's name as it was opened or, for a memfd, its label. */
HL_API
const char *hl_ring_name(const struct hl_ring *ring);

/* The descriptor of the ring's file, to pass on; it stays the ring's. */
HL_API
int hl_ring_fd(const struct hl_ring *ring);

/*
 * hl_ring_send_fd - pass the ring over a connected Unix socket (SCM_RIGHTS)
 * hl_ring_recv_fd - receive it at the other end, and open it
 *
 * Both send or wait for one byte of data with the descriptor in it.
 * Returns: 0, -EBADMSG when what came was no descriptor, else as sendmsg(2),
 * recvmsg(2) and hl_ring_open_fd().
 */
HL_API HL_MUST_CHECK int hl_ring_send_fd(const struct hl_ring *ring,
					 int socket_fd);
HL_API HL_MUST_CHECK int hl_ring_recv_fd(int socket_fd, unsigned flags,
					 struct hl_ring **out,
					 struct hl_error *err);

/* What a ring is; nothing here changes while it exists. */
struct hl_ring_info {
	uint64_t file_bytes;
	uint64_t capacity;
	uint64_t start_position;
	uint64_t arena_bytes;
	uint64_t overhead_bytes; /* all but slots and arena */
	uint32_t slot_bytes;
	uint32_t nblocks;
	uint32_t block_bytes; /* the largest payload of up to 7 fields */
	uint32_t max_producers;
	uint32_t max_consumers;
	uint32_t max_groups;
	uint32_t message_magic;
	enum hl_producers producers;
	enum hl_unread unread;
	enum hl_checksum checksum;
	bool wakers_fence;   /* else sleepers pay for the barrier */
	uint64_t page_bytes; /* of the file system that holds it */
};
HL_API
void hl_ring_get_info(const struct hl_ring *ring, struct hl_ring_info *info);

/* What has become of the name under which a ring was opened. */
enum hl_name_state {
	HL_NAME_CURRENT = 0,
	HL_NAME_REMOVED = 1,
	HL_NAME_REPLACED = 2, /* another ring has it: close, and open again */
	HL_NAME_NONE = 3,     /* opened by descriptor */
};
HL_API
enum hl_name_state hl_ring_name_state(const struct hl_ring *ring);

/*
 * hl_ring_finish - no message comes after those already claimed
 *
 * Claims then fail with -EPIPE; consumers drain what is there and get -EPIPE
 * after the last message. It cannot be undone. On a ring with a sole producer
 * it is that producer's to say (hl_producer_finish()): -EBUSY while one lives.
 *
 * Threads:  any.
 * Returns:  0 (also when it was finished before), -EBUSY, -ENOTSUP, -EIDRM (the
 *   descriptor was closed behind our back), or what opening the file once more
 *   gives.
 */
HL_API HL_MUST_CHECK int hl_ring_finish(struct hl_ring *ring,
					struct hl_error *err);

/*
 * hl_group_create - create a group that no consumer has joined yet
 *
 * Joining creates a group too; this is for groups that have to hold messages
 * before their first member comes. An ephemeral group goes when its last
 * member leaves or dies; one that never had a member stays.
 *
 * Threads:  any.
 * Returns:  0, or
 *   -EEXIST   there is one of that name
 *   -EUSERS   no room for another group
 *   -ESTALE   HL_START_POSITION: no longer held (err has the oldest)
 *   -EINVAL   a bad name, or a position that was not reached yet
 *   -ETIMEDOUT  somebody who changes the group table does not get done
 */
HL_API HL_MUST_CHECK int hl_group_create(struct hl_ring *ring,
					 const struct hl_group_attr *attr,
					 struct hl_error *err);

/*
 * hl_group_drop - remove a group that has no live member
 *
 * What it had not finished is given up. Returns: 0, -ENOENT, -EBUSY while a
 * member lives, -ETIMEDOUT.
 */
HL_API HL_MUST_CHECK int hl_group_drop(struct hl_ring *ring, const char *name,
				       struct hl_error *err);

#ifdef __cplusplus
}
#endif
#endif /* HOTLINE_RING_H */
