/* SPDX-License-Identifier: MIT */
/*
 * handle.h - what the public handles point to
 */
#ifndef HLI_HANDLE_H
#define HLI_HANDLE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include <errno.h>
#include <hotline/consume.h>
#include <hotline/produce.h>
#include <hotline/ring.h>

#include "claim.h"
#include "hook.h"
#include "pace.h"
#include "record.h"
#include "segment.h"
#include "take.h"
#include "wait.h"

struct hl_ring {
	struct hli_view view;
	struct hli_segment segment;
	_Atomic uint32_t members; /* handles that have not left */
	char name[HLI_PATH_MAX];
};

/* What producers and consumers have in common. */
struct hli_member {
	struct hl_ring *ring;
	struct hli_record *record;
	uint32_t index;	  /* of the record */
	uint32_t tenure;  /* its state word while it is ours and LIVE */
	uint32_t group;	  /* HLI_NO_RECORD for producers */
	bool adopts;	  /* a member of a shared group */
	uint32_t adopted; /* a record whose byte we hold too */
	int64_t seat;	  /* a lock byte that we hold as well; 0 for none */
	int lock_fd;
	_Atomic uint32_t busy; /* in a call; HLI_FORKED in a child of ours */
	int changed;	       /* by the look of a join */
	int64_t looked_ns;     /* coarse clock, of the last look for the dead */
	struct hli_wait wait;
	struct hli_member *next, **link; /* all of the process, for fork */
};

struct hl_producer {
	struct hli_member member;
	struct hli_claimer claimer;
	struct hl_claim claim; /* what is the same in each */
};

struct hl_consumer {
	struct hli_member member;
	struct hli_taker taker;
	struct hli_pace pace;
	bool look_first; /* an earlier member may have left something */
	bool prefetch_payload;
	uint32_t max_attempts; /* 0: a message is never given up */
	hl_poison_fn poison;
	void *poison_user;
	struct hl_producer *poison_producer;
	int64_t poison_until_ns; /* how long it is waited for in this take */
	bool refused;		 /* in this take: what was to be given up */
	struct hl_batch batch;	 /* what is the same in each */
	uint32_t batch_max;	 /* messages */
	bool rows;		 /* they are walked a row at a time */
	uint64_t next;		 /* position after the last batch */
	uint32_t ask;		 /* slots ahead of a walk; 0: never */
	unsigned char *copies;	 /* lossy */
	unsigned char *payload_copy;
	struct hli_waitfd *waitfd; /* hl_consumer_fd() */
};

#define HLI_FORKED 2u
#define HLI_LOSSY_BATCH 64u /* messages of a lossy batch at the most */
#define HLI_SPIN_NS 5000    /* unless the caller says otherwise */

static inline bool hli_member_live(const struct hli_member *member)
{
	return hli_record_live(member->record, member->tenure);
}

/*
 * A call on a handle begins and ends here. Not atomic: it costs nothing, sees a
 * signal handler always, and another thread nearly so.
 */
static inline int hli_enter(struct hli_member *member)
{
	const uint32_t busy = hli_load_rlx(&member->busy); /* a flag alone */

	if (busy)
		return busy == HLI_FORKED ? -EBADF : -EBUSY;
	hli_store_rlx(&member->busy, 1); /* the same */
	hli_fence_compiler();
	return 0;
}

static inline bool hli_forked(const struct hli_member *member)
{
	return hli_load_rlx(&member->busy) == HLI_FORKED; /* as above */
}

static inline void hli_leave(struct hli_member *member)
{
	hli_fence_compiler();
	hli_store_rlx(&member->busy, 0); /* the same */
}

/* ring.c */
void hli_info_from_view(const struct hli_view *view, uint64_t page_bytes,
			struct hl_ring_info *info);
int hli_check_group_attr(const struct hl_group_attr *attr, const char *ring,
			 struct hl_error *err);

/* waitfd.c: the thread behind hl_consumer_fd(). */
int hli_waitfd_start(struct hl_consumer *consumer);
int hli_waitfd_descriptor(const struct hli_waitfd *waitfd);
void hli_waitfd_rearm(struct hli_waitfd *waitfd);
void hli_waitfd_stop(struct hli_waitfd *waitfd);

/* checksum.c */
uint32_t hli_checksum(const unsigned char *message, uint32_t slot_bytes,
		      uint64_t position, const struct hl_payload *payload);

#endif /* HLI_HANDLE_H */
