/* SPDX-License-Identifier: MIT */
/*
 * hotline/admin.h - for operators: check a ring, mend it, evict, salvage
 *
 * hl_ring_check() and hl_ring_salvage() only read. What recovery does by
 * itself needs none of this: a ring mends as soon as somebody joins or waits.
 */
#ifndef HOTLINE_ADMIN_H
#define HOTLINE_ADMIN_H

#include <hotline/inspect.h>

#ifdef __cplusplus
extern "C" {
#endif

enum hl_finding {
	HL_FINDING_NOTE = 0,	/* unusual, and right */
	HL_FINDING_PENDING = 1, /* recovery will see to it */
	HL_FINDING_DAMAGE = 2,	/* breaks an invariant: somebody wrote wrong */
};

/*
 * hl_ring_check - check every invariant of the ring's file
 *
 * Calls fn with a sentence for each finding. What moves while it looks is
 * looked at again before it is called damage; on a busy ring a position that
 * went by in between is left out.
 *
 * The schema, if the ring carries one, is read and checked too.
 * Of positions and of blocks the first ten findings are told each, and how many
 * more there are; all are counted.
 *
 * Returns: the number of findings of kind HL_FINDING_DAMAGE.
 */
typedef void (*hl_finding_fn)(enum hl_finding kind, const char *text,
			      void *user);
HL_API
int hl_ring_check(const struct hl_inspect *inspect, hl_finding_fn fn,
		  void *user);

/*
 * hl_ring_repair - do what recovery would do, and what it cannot
 *
 * Looks for the dead as a join does. With nobody alive it also makes every
 * invariant hold again: what is claimed and not there becomes void, cursors,
 * head and low are brought together, records and blocks are freed.
 *
 * Returns: how many things were changed, or
 *   -EBUSY  somebody lives, and there was nothing to recover: the rest is done
 *           only when nobody does
 *   and as hl_producer_join()
 */
HL_API HL_MUST_CHECK int hl_ring_repair(struct hl_ring *ring,
					struct hl_error *err);

#define HL_ANY_TENURE UINT32_MAX

/*
 * hl_participant_evict - remove a participant that lives, by decision
 *
 * tenure is what hl_inspect_participant() told when the decision was made, so
 * that it hits nobody who has the number since; or HL_ANY_TENURE. Who is evicted
 * learns of it by -EIDRM from its next call. Until then what it has in hand is
 * honoured, and holds others back. With force it is not: a shared group's run
 * goes to the other members, marked; a producer's positions become void; an
 * exclusive or lossy consumer's group is dropped. What it had taken over from a
 * dead member stays with it until it leaves or dies. A stopped process that
 * wakes up later may then still write into a slot that is somebody else's.
 *
 * Returns: 0, -ENOENT nobody has that number, or another by now, -EUSERS no free
 * record with a higher number to hand the run over (force; it is evicted all
 * the same), and as hl_group_create().
 */
HL_API HL_MUST_CHECK int hl_participant_evict(struct hl_ring *ring,
					      uint32_t participant,
					      uint32_t tenure, bool force,
					      struct hl_error *err);

/* What is known of a slot's message. */
enum hl_salvage {
	HL_SALVAGE_WHOLE = 0,	 /* its checksum is right */
	HL_SALVAGE_UNPROVED = 1, /* published; no checksum says whether whole */
	HL_SALVAGE_BAD_CHECKSUM = 2, /* published, and changed since */
	HL_SALVAGE_NO_PAYLOAD = 3,   /* published; its payload cannot be read */
	HL_SALVAGE_UNPUBLISHED = 4,  /* claimed; half of it may be there, and
					half of what was there before */
	HL_SALVAGE_VOID = 5,	     /* given up: no message */
};

struct hl_salvaged {
	const void *message;		  /* a copy of the slot */
	const struct hl_payload *payload; /* NULL for none that can be read */
	uint64_t position;
	uint32_t slot_bytes;
	enum hl_salvage verdict;
	/* Of a published one, and false where the header is damaged: */
	bool needed;  /* an exclusive or shared group has not finished it */
	bool in_hand; /* a consumer had it and has not finished: recovery
			 would deliver it again, marked */
};

/*
 * hl_ring_salvage - read whatever messages a damaged file still holds
 *
 * For a file that hl_ring_open() refuses, or that hl_ring_check() finds damaged.
 * Where the header does not tell, slot_bytes and capacity have to (else 0).
 * Calls fn for each slot whose stamp fits its place, in order of position, and,
 * where the header can be believed, for those that are claimed and not
 * published. fn returns 0 to go on.
 *
 * Returns: messages that were published, what fn returned, -EINVAL when the
 * sizes are needed, and as hl_ring_open().
 */
typedef int (*hl_salvage_fn)(const struct hl_salvaged *salvaged, void *user);
HL_API HL_MUST_CHECK int64_t hl_ring_salvage(const char *name,
					     uint32_t slot_bytes,
					     uint64_t capacity,
					     hl_salvage_fn fn, void *user,
					     struct hl_error *err);

#ifdef __cplusplus
}
#endif
#endif /* HOTLINE_ADMIN_H */
