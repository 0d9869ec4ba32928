/* SPDX-License-Identifier: MIT */
/*
 * join.h - come to life as a participant, and leave
 */
#ifndef HLI_JOIN_H
#define HLI_JOIN_H

#include "handle.h"

/*
 * Begin a join: open the description, take the control byte, see that the ring
 * still has its name, register for the barrier, look for the dead. On success
 * the control byte is held.
 */
int hli_join_begin(struct hli_member *member, struct hl_ring *ring,
		   struct hl_error *err);

/* Take part in the barrier that sleepers rely on; before going LIVE. */
int hli_register_barrier(const struct hl_ring *ring, struct hl_error *err);

/* Does anybody live, but ourselves? */
bool hli_anybody_lives(const struct hli_member *member);

/* The id of the system's present boot; empty where /proc does not tell. */
void hli_read_boot_id(char id[40]);

/*
 * Find a free record in [from, to), lock its byte, fill it. Not LIVE yet. Before
 * the group is entered: this may look for the dead, and groups go with them.
 * heir_of is a durable shared group, or HLI_NO_RECORD: where no record is free
 * it takes a dead member's, with its range: member->adopted is the same then.
 */
int hli_join_record(struct hli_member *member, uint32_t from, uint32_t to,
		    uint32_t heir_of, const char *name, struct hl_error *err);

/* Is the lock descriptor still what we opened? */
bool hli_descriptor_ours(const struct hli_member *member);

/* Go LIVE and give the control byte back. */
void hli_join_end(struct hli_member *member);

/* Undo: the join failed. Takes a member at any stage of it. */
void hli_join_cancel(struct hli_member *member);

/*
 * The join waited in vain for a place, with the control byte all the time. Who
 * tries again at once would have it before those who look for it now and then.
 */
void hli_join_refused(struct hli_member *member);

/*
 * Leave: the record becomes FREE, or DEAD when its range is to be taken over;
 * then the byte is given back.
 */
void hli_join_leave(struct hli_member *member, enum hli_state state);

#endif /* HLI_JOIN_H */
