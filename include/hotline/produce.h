/* SPDX-License-Identifier: MIT */
/*
 * hotline/produce.h - put messages into a ring
 *
 * The short way copies a message:
 *
 *     hl_producer_send(producer, &message, sizeof(message), HL_FOREVER);
 *
 * The fast way fills slots in place: claim, fill, publish.
 *
 *     struct hl_claim claim;
 *     ssize_t n = hl_producer_claim(producer, 32, HL_FOREVER, &claim);
 *     for (ssize_t i = 0; i < n; i++)
 *             fill(hl_claim_slot(&claim, i));
 *     hl_producer_publish(producer);
 *
 * A slot holds what the lap before left in it: fill every field, but never the
 * sequence. On a ring with an arena, payload_offset is already 0.
 *
 * Payloads are written before their messages are claimed, so that nobody waits
 * for a copy: hl_payload_alloc(), write, claim, set the message's
 * payload_offset to the space's, publish. A payload belongs to the next
 * publish (or abandon): those of its messages that name it keep it alive until
 * every group is done with them; afterwards it must not be named again.
 *
 * Order: positions are the order over the whole ring. A producer's claims
 * follow one another in the order it made them, and a claim is contiguous.
 */
#ifndef HOTLINE_PRODUCE_H
#define HOTLINE_PRODUCE_H

#include <hotline/message.h>
#include <hotline/ring.h>
#include <sys/uio.h>

#ifdef __cplusplus
extern "C" {
#endif

struct hl_producer;
struct hl_batch;

/* How a participant waits. */
enum hl_wait {
	HL_WAIT_ADAPTIVE = 0, /* spin, then yield, then sleep; where others
				 need the core, yield at once */
	HL_WAIT_BUSY = 1,     /* never sleep: for a core of one's own. Under
				 SCHED_FIFO it can starve who it waits for. */
};

struct hl_producer_attr {
	size_t size;	  /* sizeof: HL_PRODUCER_ATTR_INIT */
	const char *name; /* for people; cut at 15 bytes; NULL: the process's */
	enum hl_wait wait;
	int64_t spin_ns; /* how long an adaptive wait spins; 0: 5,000 */
	const struct hl_schema *schema; /* ours: has to fit the ring's; NULL
					   for any */
};
#define HL_PRODUCER_ATTR_INIT                                                  \
	{                                                                      \
		sizeof(struct hl_producer_attr), 0, HL_WAIT_ADAPTIVE, 0, 0     \
	}

/*
 * hl_producer_join - become a producer of the ring
 *
 * Looks for dead participants first. attr may be NULL.
 *
 * Threads:  any; each producer is then used by one thread at a time.
 * Returns:  0, or
 *   -EBUSY    the ring has a sole producer, and it lives
 *   -EUSERS   max_producers live already
 *   -EPROTONOSUPPORT  the ring's messages are not of attr->schema: err has the
 *             first field that differs
 *   -EIDRM    the ring's name was removed
 *   -ETIMEDOUT  somebody who joins or leaves does not get done
 *   -ENOTSUP  the kernel lacks membarrier, which this ring relies on
 *   others    from open: too many files and the like
 */
HL_API HL_MUST_CHECK int hl_producer_join(struct hl_ring *ring,
					  const struct hl_producer_attr *attr,
					  struct hl_producer **out,
					  struct hl_error *err);

/*
 * hl_producer_leave - stop producing; NULL is allowed
 *
 * A claim that was not published is abandoned. The handle is gone whatever is
 * returned: 0, or -EBADF in a forked child, where nothing else is done.
 */
HL_API
int hl_producer_leave(struct hl_producer *producer);

/* A run of claimed slots. */
struct hl_claim {
	unsigned char *slots; /* the ring's */
	uint64_t position;    /* of the first */
	uint32_t count;
	uint32_t first; /* slot of the first */
	uint32_t mask;
	uint32_t slot_bytes;
	uint32_t next; /* of hl_claim_run() */
	uint32_t tenure;
	const uint32_t *state; /* slots may be put while it is tenure */
	uint32_t ahead_slots;  /* from a slot to the one that is asked for */
};

/* Slot i of a claim, i below count. */
static inline void *hl_claim_slot(const struct hl_claim *claim, size_t i)
{
	const size_t slot = (claim->first + i) & claim->mask;

	return claim->slots + slot * claim->slot_bytes;
}

/*
 * hl_claim_run - the next slots of a claim that lie in a row
 *
 * *slots is the first of an array of slots of slot_bytes each. A claim has one,
 * two where the ring wraps. Returns how many slots, 0 after the last.
 */
static inline size_t hl_claim_run(struct hl_claim *claim, void **slots)
{
	const uint32_t left = claim->count - claim->next;
	const uint32_t slot = (claim->first + claim->next) & claim->mask;
	const uint32_t to_wrap = claim->mask - slot;
	const uint32_t n = left <= to_wrap ? left : to_wrap + 1;

	*slots = claim->slots + (size_t)slot * claim->slot_bytes;
	claim->next += n;
	return n;
}

/*
 * hl_claim_put - write slot i of a claim from registers, and publish it
 *
 * word has the eight words of the slot's first line; the fourth is the ring's,
 * and the stamp stands there after the same stores. So the line is touched once,
 * not again by hl_producer_publish(), which has to follow all the same, and
 * which publishes what was not put. Compiled for AVX2 it is two stores, and a
 * stream of bursts a third faster. Put the last slot first, and slot 0 last:
 * readers, who go on in order, then find the burst whole. A slot must not be
 * touched after it was put, and not be put twice. After a claim of n > 0:
 *
 *     for (size_t i = (size_t)n; i-- > 0;)
 *             hl_claim_put(&claim, i, words_of(i));
 *     hl_producer_publish(producer);
 *
 * Order: release (E1), as hl_producer_publish(), which wakes who sleeps.
 * Crash: what was put is published; dying before hl_producer_publish(), or
 *        hl_producer_abandon(), makes the rest void.
 * With checksums, or slots of several lines, it only writes the line. While a
 * producer goes on behind its own claims, this also asks for a slot some way
 * behind the claim, which is written soon and nobody's yet.
 */
static inline void hl_claim_put(const struct hl_claim *claim, size_t i,
				const uint64_t word[HL_LINE_WORDS])
{
	void *const line = hl_claim_slot(claim, i);

	/* Who is not of the ring any more learns of it from the publish. */
	if (*(const volatile uint32_t *)claim->state != claim->tenure) {
		hl_line_store(line, word);
		return;
	}
	if (claim->ahead_slots)
		hl_line_ask(hl_claim_slot(claim, i + claim->ahead_slots));
	if (i == 0)
		hl_line_stamp_last(line, word, claim->position);
	else
		hl_line_stamp(line, word, claim->position + i);
}

/*
 * hl_producer_claim - claim up to n slots, in order and contiguous
 *
 * n is 1 to the capacity. When fewer are free, claims those. timeout_ns counts
 * while none is free: HL_NOWAIT, HL_FOREVER, a time, or HL_DROP: then the n are
 * counted as dropped and 0 is returned.
 *
 * Threads:  one at a time per producer.
 * Order:    the slots are the caller's alone until published.
 * Progress: lock-free. No system call but to wait.
 * Crash:    dying before the publish makes the positions void; consumers skip
 *           and count them.
 * Returns:  slots claimed (> 0), 0 for dropped, or
 *   -EAGAIN     full, HL_NOWAIT
 *   -ETIMEDOUT  full all the time
 *   -EPIPE      the ring is finished
 *   -ENOTCONN   no group, and the ring refuses sends without one
 *   -ECANCELED  hl_producer_cancel()
 *   -EINVAL     n out of range
 *   -EBUSY      the last claim is not published yet, or another call on this
 *               producer is under way (a second thread, a signal handler)
 *   -EIDRM      evicted, or the descriptor was closed behind our back
 *   -EBADF      in a forked child
 *   -EOVERFLOW  2^63 positions are used up
 *   -EBADMSG    damaged ring
 */
HL_API HL_MUST_CHECK ssize_t hl_producer_claim(struct hl_producer *producer,
					       size_t n, int64_t timeout_ns,
					       struct hl_claim *claim);

/*
 * hl_producer_publish - publish all of the claim that is not settled yet
 * hl_producer_abandon - give it up instead: readers skip and count it
 *
 * The _slot calls do so for slot i alone, in any order; with the last slot the
 * claim is over. Checksums are filled in here.
 *
 * Order:    release (E1): who finds the stamp sees the slot and its payload.
 * Progress: wait-free. No system call, but to wake who sleeps.
 * Returns:  0, or -EINVAL without a claim (or slot i is settled), -EIDRM,
 *   -EBADF, and -EBUSY as above. -EBADMSG: the ring has checksums, and a
 *   payload_offset names nothing that can be read; the slot is made void.
 */
HL_API
int hl_producer_publish(struct hl_producer *producer);
HL_API
int hl_producer_abandon(struct hl_producer *producer);
HL_API
int hl_producer_publish_slot(struct hl_producer *producer, size_t i);
HL_API
int hl_producer_abandon_slot(struct hl_producer *producer, size_t i);

/*
 * hl_payload_alloc - room in the arena for a payload of nfields fields
 *
 * field_bytes has the size of each. All of a payload fits in one block:
 * hl_ring_info.block_bytes for up to 7 fields, 8 bytes less for each further
 * one; fields are rounded up to 8 bytes. The room is not cleared.
 *
 * Returns: 0, or
 *   -EMSGSIZE  never fits: larger than a block, or the ring has no arena
 *   -ENOBUFS   no block now: publish what there is, or wait for consumers
 *              (hl_payload_wait())
 *   -EBUSY, -EIDRM, -EBADF as hl_producer_claim()
 */
HL_API HL_MUST_CHECK int hl_payload_alloc(struct hl_producer *producer,
					  const size_t *field_bytes,
					  size_t nfields,
					  struct hl_payload_space *space);

/* Give back the payload that was allocated last; others wait for publish. */
HL_API
void hl_payload_cancel(struct hl_producer *producer,
		       const struct hl_payload_space *space);

/*
 * hl_payload_wait - wait until a block can be had
 *
 * Fails with -EBUSY while a claim or an unpublished payload of this producer
 * exists: nobody may wait for space with messages in hand.
 * Returns: 0, -ETIMEDOUT, -ECANCELED, -EPIPE, and as hl_producer_claim().
 */
HL_API HL_MUST_CHECK int hl_payload_wait(struct hl_producer *producer,
					 int64_t timeout_ns);

/* hl_payload_put - allocate a payload and copy each element as one field. */
HL_API HL_MUST_CHECK int hl_payload_put(struct hl_producer *producer,
					const struct iovec *fields,
					size_t nfields,
					struct hl_payload_space *space);

/*
 * hl_producer_send - copy one message into the ring and publish it
 *
 * size_bytes is a multiple of 64, at most slot_bytes; the rest of the slot is
 * zeroed. The message's sequence and payload_offset are not copied.
 * hl_producer_sendv() sends a payload with it, a field per element; without
 * elements it has none.
 *
 * Returns: 1 sent, 0 dropped (HL_DROP), or as hl_producer_claim() and
 *   hl_payload_alloc(). -EMSGSIZE: larger than a slot.
 */
HL_API HL_MUST_CHECK int hl_producer_send(struct hl_producer *producer,
					  const void *message,
					  size_t size_bytes,
					  int64_t timeout_ns);
HL_API HL_MUST_CHECK int hl_producer_sendv(struct hl_producer *producer,
					   const void *message,
					   size_t size_bytes,
					   const struct iovec *fields,
					   size_t nfields, int64_t timeout_ns);

/*
 * hl_producer_forward - send a message of a taken batch on, payload included
 *
 * message is one that hl_batch_next() or hl_consumer_next() gave. The stamp is this ring's own;
 * a checksum is made anew. Returns as hl_producer_sendv(); -EBADMSG when the
 * message's payload cannot be read.
 */
HL_API HL_MUST_CHECK int hl_producer_forward(struct hl_producer *producer,
					     const struct hl_batch *batch,
					     const void *message,
					     int64_t timeout_ns);

/* hl_producer_finish - hl_ring_finish() by a producer; -EBUSY with a claim,
 * -EIDRM, -EBADF. */
HL_API HL_MUST_CHECK int hl_producer_finish(struct hl_producer *producer);

/*
 * hl_producer_cancel - end the wait that is under way, or the next one
 *
 * The wait returns -ECANCELED, once.
 * Threads: any; also from a signal handler.
 */
HL_API
void hl_producer_cancel(struct hl_producer *producer);

#ifdef __cplusplus
}
#endif
#endif /* HOTLINE_PRODUCE_H */
