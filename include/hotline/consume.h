/* SPDX-License-Identifier: MIT */
/*
 * hotline/consume.h - take messages out of a ring, in batches and in place
 *
 *     struct hl_batch batch;
 *     while (hl_consumer_take(consumer, 64, HL_FOREVER, &batch) > 0) {
 *             const struct hl_message *m;
 *             while ((m = hl_batch_next(&batch)))
 *                     handle(m);
 *             hl_consumer_done(consumer);
 *     }
 *
 * A taken message stays unchanged until it is done: it may be read in place,
 * and must not be written. Who dies with messages in hand, or leaves, has them
 * redelivered to the next member of the group, marked. To narrow that down,
 * finish them one by one with hl_consumer_done_through().
 *
 * A lossy group holds nobody back, so its batches are copies: what was
 * overwritten before it could be copied is counted, exactly, in batch.lost.
 *
 * Order: every group gets messages by position. The members of a shared group
 * take them in that order, and finish in any.
 */
#ifndef HOTLINE_CONSUME_H
#define HOTLINE_CONSUME_H

#include <hotline/message.h>
#include <hotline/produce.h>
#include <hotline/ring.h>

#ifdef __cplusplus
extern "C" {
#endif

struct hl_consumer;

struct hl_batch;

/*
 * Take a message that was given up: it was redelivered max_attempts times and
 * nobody got it done. Returns 0, or a negative errno: then it stays where it
 * is, and the take that found it returns that.
 */
typedef int (*hl_poison_fn)(const struct hl_batch *batch, const void *message,
			    void *user);

struct hl_consumer_attr {
	size_t size;	  /* sizeof: HL_CONSUMER_ATTR_INIT */
	const char *name; /* for people; cut at 15 bytes; NULL: the process's */
	enum hl_wait wait;
	int64_t spin_ns;       /* how long an adaptive wait spins; 0: 5,000 */
	bool prefetch_payload; /* the walk fetches payloads ahead */
	uint32_t max_attempts; /* redeliveries before a message is given up, to
				  one of the next two; 0: never. From the
				  second on they come one message a batch */
	hl_poison_fn poison;
	void *poison_user;
	struct hl_producer *poison_producer; /* forwards it to another ring */
	const struct hl_schema *schema; /* ours: has to fit the ring's; NULL
					   for any */
};
#define HL_CONSUMER_ATTR_INIT                                                  \
	{                                                                      \
		sizeof(struct hl_consumer_attr), 0, HL_WAIT_ADAPTIVE, 0,       \
			false, 0, 0, 0, 0, 0                                   \
	}

/*
 * hl_consumer_join - become a member of a group, creating it if there is none
 *
 * When the group exists, its kind has to be the one asked for; durable, start
 * and position then count for nothing. attr may be NULL.
 *
 * Threads:  any; each consumer is then used by one thread at a time.
 * Returns:  0, or
 *   -EBUSY    the group is exclusive or lossy, and its consumer lives
 *   -EEXIST   the group is of another kind
 *   -EUSERS   max_consumers live already, or max_groups exist
 *   and as hl_group_create() and hl_producer_join()
 */
HL_API HL_MUST_CHECK int hl_consumer_join(struct hl_ring *ring,
					  const struct hl_group_attr *group,
					  const struct hl_consumer_attr *attr,
					  struct hl_consumer **out,
					  struct hl_error *err);

/*
 * hl_consumer_leave - leave the group; NULL is allowed
 *
 * What was taken and not done goes back to the group at once, as after a death.
 * Returns: 0, or -EBADF in a forked child, where nothing else is done.
 */
HL_API
int hl_consumer_leave(struct hl_consumer *consumer);

/* A run of taken messages. Read it through the functions below. */
struct hl_batch {
	/* the same in all batches of a consumer */
	const unsigned char *slots;
	const unsigned char *file; /* the mapping: payloads are found by it */
	struct hl_consumer *consumer;
	uint64_t arena_at; /* bytes from file to the first block */
	uint32_t nblocks;
	uint32_t block_stride;
	uint32_t mask;
	uint32_t slot_bytes;
	uint32_t prefetch; /* payloads to fetch ahead; 0 for none */
	bool copied;	   /* lossy: the messages are copies */
	/* of this one */
	uint64_t position;	    /* of the first */
	uint64_t redelivered_below; /* earlier positions were handed out before */
	uint64_t lost;	   /* lossy: overwritten since the last batch */
	uint32_t attempt;  /* of redelivered ones: 1 for the first time again */
	uint32_t count;	   /* positions, void ones included */
	uint32_t messages; /* positions that hold a message */
	uint32_t first;	   /* slot of the first */
	uint32_t next;	   /* positions that the walk's row has come to */
	uint32_t ahead_bytes; /* from the walk to the line that it asks for */
	const unsigned char *at;       /* of the walk: the slot returned last */
	const unsigned char *row_last; /* it may go on to here in a row */
};

/*
 * hl_consumer_take - borrow the next run of published messages, in place
 *
 * Takes what is there, at most max (1 or more; a lossy group gives at most 64
 * at a time), and never waits for more. timeout_ns counts while there is
 * nothing: HL_NOWAIT, HL_FOREVER, or a time. Batches are not nested: the one
 * before has to be done.
 *
 * Who finds nothing in the middle of a stream stays away for some microseconds:
 * a stream is faster when its reader is not at its writer's heels. What a stream
 * is, it tries, and more and more rarely where there is none. Never with
 * HL_NOWAIT, in a lossy group, or in rings of less than 256 slots.
 *
 * Threads:  one at a time per consumer; any number of consumers.
 * Order:    acquire (E1): sees all that the producer wrote before publishing.
 * Progress: wait-free (exclusive), lock-free (shared). No system call but to
 *           wait, and a look for the dead at most every 10 ms while empty.
 * Crash:    dying before hl_consumer_done() redelivers the batch, marked.
 * Returns:  messages taken (> 0), or
 *   -EAGAIN     nothing there, HL_NOWAIT
 *   -ETIMEDOUT  nothing came
 *   -EPIPE      the ring is finished, and this was all
 *   -ECANCELED  hl_consumer_cancel()
 *   -EINVAL     max or timeout_ns out of range
 *   -EBUSY      the last batch is not done, or another call on this consumer
 *               is under way (a second thread, a signal handler)
 *   -EIDRM      evicted, or the descriptor was closed behind our back
 *   -EBADF      in a forked child
 *   -EBADMSG    damaged ring
 */
HL_API HL_MUST_CHECK ssize_t hl_consumer_take(struct hl_consumer *consumer,
					      size_t max, int64_t timeout_ns,
					      struct hl_batch *batch);

/*
 * hl_consumer_done         - finish all of the batch
 * hl_consumer_done_through - finish it up to and including a position
 *
 * With the last position the batch is over.
 *
 * Order:    release (E2): producers overwrite only after the caller's reads.
 * Progress: wait-free. No system call, but to wake producers who sleep.
 * Returns:  0, -EINVAL without a batch or with a position outside of it,
 *   -EBUSY, -EIDRM, -EBADF.
 */
HL_API
int hl_consumer_done(struct hl_consumer *consumer);
HL_API
int hl_consumer_done_through(struct hl_consumer *consumer, uint64_t position);

/*
 * hl_consumer_next - finish what is in hand, and take the next message
 *
 * For messages one by one: hl_consumer_done(), if there is something to finish,
 * and hl_consumer_take() of one message, in one call; in an exclusive group that
 * is a third of the instructions. What *message points to is in hand until the
 * next call; the last one is finished also when there is no next, whatever is
 * returned, but for calls that are refused (-EINVAL, -EBUSY, -EBADF, -EIDRM). What
 * a lossy group lost, and how often a message was tried, only hl_consumer_take()
 * tells.
 *
 *     while (hl_consumer_next(consumer, HL_FOREVER, &message) > 0)
 *             handle(message);
 *
 * Threads, order, progress and crash as hl_consumer_take().
 * Returns:  1, or 2 for a message that was handed out before, or an error as
 *   hl_consumer_take() has.
 */
HL_API HL_MUST_CHECK ssize_t hl_consumer_next(struct hl_consumer *consumer,
					      int64_t timeout_ns,
					      const void **message);

/*
 * hl_consumer_batch - what to ask about the message of hl_consumer_next()
 *
 * For the functions that ask a batch about one message: hl_batch_payload(),
 * hl_batch_validate(), hl_producer_forward(). There is nothing in it to walk, and
 * hl_batch_redelivered() knows nothing. The same at each call, as long as the
 * consumer has not left.
 */
HL_API const struct hl_batch *
hl_consumer_batch(const struct hl_consumer *consumer);

/*
 * hl_consumer_fd - a descriptor that polls readable while there is work
 *
 * For poll, select and epoll in every mode. When it is readable, call
 * hl_consumer_take() with HL_NOWAIT until it returns -EAGAIN (or with a time
 * limit until -ETIMEDOUT): that clears it. The first call starts a thread in
 * this process, which hl_consumer_leave() joins and which has all signals
 * blocked. Each call gives the same descriptor.
 *
 * Never read it: until the next take that finds nothing it is then not readable
 * again, whatever comes. It is the consumer's, which closes it when it leaves:
 * never close it, since the consumer goes on to write 8 bytes to whatever has
 * its number by then, and to close that.
 *
 * Threads:  any may poll, also while another takes; who was told may then find
 *   nothing, and others who poll may be told of the same message.
 * Returns: a descriptor, or a negative errno.
 */
HL_API HL_MUST_CHECK int hl_consumer_fd(struct hl_consumer *consumer);

/*
 * hl_consumer_cancel - end the wait that is under way, or the next one
 *
 * The wait returns -ECANCELED, once. Signals alone do not end a wait.
 * Threads: any; also from a signal handler.
 */
HL_API
void hl_consumer_cancel(struct hl_consumer *consumer);

/* Why a message is not valid, for hl_batch_validate(). */
enum hl_verdict {
	HL_VALID = 0,
	HL_BAD_MAGIC = 1,
	HL_BAD_CHECKSUM = 2,
	HL_BAD_PAYLOAD = 3, /* payload_offset or length out of its block; of a
			       lossy group also: overwritten meanwhile */
};

/* Check a message of the batch by what the ring's options say. */
HL_API HL_MUST_CHECK enum hl_verdict
hl_batch_validate(const struct hl_batch *batch, const void *message);

/* For hl_batch_payload(): a copy, checked before and after. */
HL_API HL_MUST_CHECK int hl_consumer_copy_payload(struct hl_consumer *consumer,
						  const void *message,
						  struct hl_payload *payload);

/*
 * hl_payload_find - check a payload_offset, and the section it leads to
 *
 * file is a mapping whose nblocks blocks of block_stride bytes start at byte
 * arena_at. Every length is read once. Returns: 0, -ENODATA for none, -EBADMSG.
 */
static inline int hl_payload_find(const unsigned char *file, uint64_t arena_at,
				  uint32_t nblocks, uint32_t block_stride,
				  uint32_t payload_offset,
				  struct hl_payload *payload)
{
	const uint64_t at = (uint64_t)payload_offset * HL_LINE_BYTES;
	const unsigned char *section;
	uint32_t room, size, fields;

	if (payload_offset == 0)
		return -ENODATA;
	if (at < arena_at || nblocks == 0 ||
	    at - arena_at >= (uint64_t)nblocks * block_stride)
		return -EBADMSG;
	room = block_stride - (uint32_t)((at - arena_at) % block_stride);
	section = file + at;
	size = hl_payload_word(section, 0);
	fields = hl_payload_word(section, 4) & 0xffffu;
	if (size > room || size < HL_PAYLOAD_HEADER_BYTES ||
	    fields * HL_PAYLOAD_ENTRY_BYTES > size - HL_PAYLOAD_HEADER_BYTES)
		return -EBADMSG;
	payload->section = section;
	payload->size_bytes = size;
	payload->nfields = fields;
	return 0;
}

/* A message's own words, read once; the message may be of any type. */
static inline uint64_t hl_message_sequence(const void *message)
{
	const char *const at = (const char *)message + HL_SEQUENCE_OFFSET;

	return *(const volatile uint64_t *)(const void *)at;
}

static inline uint32_t hl_message_payload_offset(const void *message)
{
	return hl_payload_word((const unsigned char *)message,
			       HL_PAYLOAD_OFFSET);
}

/* Slot i of the batch, i below count; it may be void. */
static inline const void *hl_batch_slot(const struct hl_batch *batch, size_t i)
{
	const size_t slot = (batch->first + i) & batch->mask;

	return batch->slots + slot * batch->slot_bytes;
}

/* Ask for the lines of a slot but for the first. */
static inline void hl_slot_fetch(const unsigned char *slot, uint32_t slot_bytes)
{
	uint32_t line;

	for (line = HL_LINE_BYTES; line < slot_bytes; line += HL_LINE_BYTES)
		__builtin_prefetch(slot + line);
}

/* Ask for the lines that the walk will need soon. */
static inline void hl_batch_fetch(const struct hl_batch *batch, size_t i)
{
	const unsigned char *slot =
		(const unsigned char *)hl_batch_slot(batch, i);

	hl_slot_fetch(slot, batch->slot_bytes);
	if (batch->prefetch) {
		const uint64_t at = (uint64_t)hl_message_payload_offset(slot) *
				    HL_LINE_BYTES;

		if (at >= batch->arena_at &&
		    at - batch->arena_at <
			    (uint64_t)batch->nblocks * batch->block_stride)
			__builtin_prefetch(batch->file + at);
	}
}

#define HL_BATCH_AHEAD 4u /* messages between the walk and its prefetch */

/*
 * For hl_batch_next(): begin the next row of slots that hold messages. All up
 * to where the ring wraps, one where each has to be looked at, or the next
 * ones fetched.
 */
static inline const void *hl_batch_next_row(struct hl_batch *batch)
{
	const bool one = batch->messages != batch->count || batch->prefetch ||
			 batch->slot_bytes > HL_LINE_BYTES;

	while (batch->next < batch->count) {
		const uint32_t left = batch->count - batch->next;
		const uint32_t to_wrap =
			batch->mask -
			((batch->first + batch->next) & batch->mask);
		const uint32_t more = left <= to_wrap ? left - 1 : to_wrap;
		const unsigned char *const slot =
			(const unsigned char *)hl_batch_slot(batch,
							     batch->next);

		batch->at = batch->row_last = slot;
		batch->next++;
		if (!one) {
			batch->next += more;
			batch->row_last += (size_t)more * HL_LINE_BYTES;
			return slot;
		}
		if (batch->next + HL_BATCH_AHEAD <= batch->count)
			hl_batch_fetch(batch, batch->next + HL_BATCH_AHEAD - 1);
		if (batch->ahead_bytes) {
			__builtin_prefetch(slot + batch->ahead_bytes);
			hl_slot_fetch(slot + batch->ahead_bytes,
				      batch->slot_bytes);
		}
		if (!(hl_message_sequence(slot) & HL_SEQUENCE_VOID))
			return slot;
	}
	return NULL;
}

/*
 * hl_batch_next - the next message of the batch, NULL after the last
 *
 * Skips void positions. What it returns stays valid until it is done.
 */
static inline const void *hl_batch_next(struct hl_batch *batch)
{
	if (batch->at == batch->row_last)
		return batch->next < batch->count ? hl_batch_next_row(batch) :
						    NULL;
	batch->at += HL_LINE_BYTES; /* rows of wider slots are one long */
	__builtin_prefetch(batch->at + batch->ahead_bytes);
	return batch->at;
}

/* Give back what hl_batch_next() returned last: it comes again. */
static inline void hl_batch_back(struct hl_batch *batch)
{
	batch->at -= HL_LINE_BYTES;
}

/*
 * hl_batch_run - the next messages of the batch that lie in a row
 *
 * For the tightest loops: *messages is the first of an array of slots of
 * slot_bytes each, so a plain struct array where that is the message's size. A
 * batch has one run, two where the ring wraps, more around void positions.
 * Goes on where hl_batch_next() or the last run stopped. Returns how many, 0
 * after the last.
 */
static inline size_t hl_batch_run(struct hl_batch *batch, const void **messages)
{
	const unsigned char *slot;
	size_t n;

	*messages = hl_batch_next(batch);
	if (!*messages)
		return 0;
	n = 1 + (size_t)(batch->row_last - batch->at) / HL_LINE_BYTES;
	/* Where a row is one slot, the run is longer. */
	for (; batch->next < batch->count; batch->next++, n++) {
		slot = (const unsigned char *)hl_batch_slot(batch, batch->next);
		if (slot != batch->row_last + batch->slot_bytes ||
		    (batch->messages != batch->count &&
		     (hl_message_sequence(slot) & HL_SEQUENCE_VOID)))
			break;
		batch->row_last = slot;
	}
	batch->at = batch->row_last;
	return n;
}

/* Position of the message that hl_batch_next() returned last. */
static inline uint64_t hl_batch_position(const struct hl_batch *batch)
{
	const size_t ahead = (size_t)(batch->row_last - batch->at);

	return batch->position + batch->next - 1 - ahead / HL_LINE_BYTES;
}

/* Was the message that hl_batch_next() returned last handed out before? */
static inline bool hl_batch_redelivered(const struct hl_batch *batch)
{
	return batch->position < batch->redelivered_below &&
	       hl_batch_position(batch) < batch->redelivered_below;
}

/*
 * hl_batch_payload - the payload of a message of the batch
 *
 * Returns: 0, or
 *   -ENODATA  it has none
 *   -EBADMSG  its payload_offset or length is wrong
 *   -ESTALE   lossy: overwritten meanwhile
 *   -ENOMEM   lossy: no memory for the copy
 */
static inline int hl_batch_payload(const struct hl_batch *batch,
				   const void *message,
				   struct hl_payload *payload)
{
	if (batch->copied)
		return hl_consumer_copy_payload(batch->consumer, message,
						payload);
	return hl_payload_find(batch->file, batch->arena_at, batch->nblocks,
			       batch->block_stride,
			       hl_message_payload_offset(message), payload);
}

#ifdef __cplusplus
}
#endif
#endif /* HOTLINE_CONSUME_H */
