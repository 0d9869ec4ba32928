/* SPDX-License-Identifier: MIT */
/*
 * hotline/inspect.h - look into a ring without being part of it
 *
 * For monitors and for the hotline command. Everything here maps the ring for
 * reading only, takes no lock, and changes nothing: no producer or consumer
 * can tell that somebody looks. Figures are taken one after another while the
 * ring moves on, so they may be some messages apart.
 */
#ifndef HOTLINE_INSPECT_H
#define HOTLINE_INSPECT_H

#include <hotline/consume.h>

#ifdef __cplusplus
extern "C" {
#endif

struct hl_inspect;
struct hl_tap;

/*
 * hl_ring_list - call fn with the name of each ring file in the folder
 *
 * Names come sorted, whatever the files hold: open each to find out. fn returns
 * 0 to go on; anything else ends the list and is returned.
 */
HL_API HL_MUST_CHECK int hl_ring_list(int (*fn)(const char *name, void *user),
				      void *user, struct hl_error *err);

/*
 * hl_inspect_open - map a ring for reading only
 *
 * Takes what hl_ring_open() takes and fails as it does; a file that may be read
 * but not written will do.
 */
HL_API HL_MUST_CHECK int hl_inspect_open(const char *name, unsigned flags,
					 struct hl_inspect **out,
					 struct hl_error *err);
/* NULL is allowed. Its taps have to be closed before. */
HL_API
void hl_inspect_close(struct hl_inspect *inspect);

/* What has become of the name, as hl_ring_name_state(). */
HL_API
enum hl_name_state hl_inspect_name_state(const struct hl_inspect *inspect);

struct hl_ring_status {
	struct hl_ring_info info;
	uint64_t head;	       /* next position to be claimed */
	uint64_t low;	       /* lowest position that a group still needs */
	uint64_t announced;    /* highest low that a producer would act on */
	uint64_t created_ns;   /* CLOCK_REALTIME */
	uint64_t bounds_found; /* sleeps that ran out and found a message */
	uint64_t reaped;       /* participants that were found dead */
	uint64_t voided;       /* positions given up by their producers or
				   for them */
	uint32_t creator_pid;
	uint32_t owner_uid;
	uint32_t mode;	 /* of the file */
	uint32_t groups; /* that exist now */
	uint32_t alive;	 /* participants */
	uint32_t dead;	 /* found dead by this look, not yet reaped */
	bool finished;
	bool this_boot; /* created, or mended, since the last boot */
	/* What somebody waits for, or waited for last; 0 for nothing yet. */
	uint64_t held_position; /* claimed and not published */
	uint64_t held_for_ns;	/* since somebody first waited for it */
	uint64_t full_position; /* low, when a producer found the ring full */
	uint64_t full_for_ns;
	char boot_id[40]; /* of the system that created it */
};
HL_API
void hl_inspect_ring(const struct hl_inspect *inspect,
		     struct hl_ring_status *status);

struct hl_group_status {
	char name[HL_GROUP_NAME_BYTES];
	enum hl_group_kind kind;
	bool durable;
	uint64_t cursor; /* next position to be handed out */
	uint64_t low;	 /* lowest position not finished */
	uint64_t depth;	 /* positions from low to head */
	uint32_t alive;	 /* members */
	uint32_t dead;
	/* totals, those of members that are gone included */
	uint64_t messages, batches, redelivered, lost, voids, waits, wakeups;
	uint64_t dead_letters; /* given up after max_attempts */
};
/* Groups are numbered 0 to info.max_groups - 1.
 * Returns: 1, 0 when there is no such group now, -EINVAL. */
HL_API HL_MUST_CHECK int hl_inspect_group(const struct hl_inspect *inspect,
					  uint32_t index,
					  struct hl_group_status *status);

enum hl_liveness {
	HL_ALIVE = 0,
	HL_DEAD = 1,	/* its process is gone; not yet recovered */
	HL_EVICTED = 2, /* by an operator */
};

struct hl_participant_status {
	char name[HL_MEMBER_NAME_BYTES];
	bool producer;	/* else a consumer */
	uint32_t group; /* of a consumer */
	enum hl_liveness liveness;
	uint32_t tenure; /* another one for each participant of this number */
	uint32_t pid;	 /* in its own pid namespace; for people */
	uint32_t uid;
	uint64_t pid_start; /* clock ticks after boot, field 22 of stat */
	uint64_t joined_ns; /* CLOCK_REALTIME */
	uint64_t from, to;  /* range in hand; empty when from >= to. A live
			       producer's may be of its last publish */
	uint64_t cursor;    /* consumers: next position; producers: head */
	uint64_t lag;	    /* consumers: head - cursor or from */
	uint64_t messages, batches, waits, wakeups;
	uint64_t full;	      /* producers: found the ring full */
	uint64_t dropped;     /* producers: HL_DROP */
	uint64_t lost;	      /* lossy consumers */
	uint64_t redelivered; /* consumers */
	uint32_t attempts;    /* times its range was taken over */
};
/* Participants are numbered 0 to max_producers + max_consumers - 1.
 * Returns: 1, 0 when nobody has that number, -EINVAL. */
HL_API HL_MUST_CHECK int
hl_inspect_participant(const struct hl_inspect *inspect, uint32_t index,
		       struct hl_participant_status *status);

struct hl_block_status {
	bool leased;
	bool reusable;	/* free, and every group is past it */
	uint32_t owner; /* participant, while leased */
	uint64_t lease_position;
	uint64_t last_position;
};
/* Blocks are numbered 0 to info.nblocks - 1. Returns: 1, -EINVAL. */
HL_API HL_MUST_CHECK int hl_inspect_block(const struct hl_inspect *inspect,
					  uint32_t index,
					  struct hl_block_status *status);

enum hl_position_state {
	HL_POSITION_UNCLAIMED = 0,   /* at head or beyond it */
	HL_POSITION_UNPUBLISHED = 1, /* claimed, and not there yet */
	HL_POSITION_PUBLISHED = 2,
	HL_POSITION_VOID = 3,	     /* given up */
	HL_POSITION_OVERWRITTEN = 4, /* its slot was claimed again since, or it
					is from before the ring's start */
	HL_POSITION_DAMAGED = 5,     /* its slot says what cannot stand there */
};

#define HL_NOBODY UINT32_MAX

struct hl_position_status {
	enum hl_position_state state;
	/* Unpublished: who claimed it. Published: the first consumer that has
	   it in hand, of whatever group. By their ranges; else HL_NOBODY. */
	uint32_t owner;
};

/*
 * hl_inspect_position - what stands at a position, and who has it
 *
 * position from 1 to HL_POSITION_MAX - 1.
 * Returns: 1, -EINVAL.
 */
HL_API HL_MUST_CHECK int hl_inspect_position(const struct hl_inspect *inspect,
					     uint64_t position,
					     struct hl_position_status *status);

/*
 * hl_tap_open - watch the messages that pass, without being a consumer
 *
 * start as for a group; what HL_START_OLDEST finds is the oldest that still
 * stands in the ring. The tap belongs to inspect.
 */
HL_API HL_MUST_CHECK int hl_tap_open(struct hl_inspect *inspect,
				     enum hl_group_start start,
				     uint64_t position, struct hl_tap **out,
				     struct hl_error *err);
HL_API
void hl_tap_close(struct hl_tap *tap);

/* A message that a tap saw; the pointers are good until the next call. */
struct hl_tap_message {
	const void *message; /* a copy of the whole slot */
	uint64_t position;
	uint64_t lost;	    /* positions missed since the last one */
	uint64_t voids;	    /* void positions passed since the last one */
	int payload_status; /* as hl_batch_payload() returns */
	struct hl_payload payload;
};

/*
 * hl_tap_next - the next message, waiting up to timeout_ns for it
 *
 * Polls, since it must not write into the ring: every 1 to 20 ms.
 * Returns: 1, -EAGAIN, -ETIMEDOUT, -EPIPE when the ring is finished and this
 * was all, -EINTR after a signal, -EBADMSG, -ENOMEM.
 */
HL_API HL_MUST_CHECK int hl_tap_next(struct hl_tap *tap, int64_t timeout_ns,
				     struct hl_tap_message *message);

#ifdef __cplusplus
}
#endif
#endif /* HOTLINE_INSPECT_H */
