/* SPDX-License-Identifier: MIT */
/*
 * reap.h - look for the dead, and recover what they held
 */
#ifndef HLI_REAP_H
#define HLI_REAP_H

#include "handle.h"
#include "recover.h"

/*
 * Look at every participant but ourselves. Returns how many records or groups
 * changed, 0 for none. A dead member of our own shared group whose range has
 * something left is ours afterwards: member->adopted, its byte held.
 */
int hli_look_for_dead(struct hli_member *member, bool have_control);

/* The same, but at most every 10 ms: for who polls and never waits. */
int hli_look_now_and_then(struct hli_member *member);

/*
 * Under the control byte: remove a group that is ephemeral, had a member, and
 * has none that lives. Returns 1 when it went.
 */
int hli_group_settle(struct hli_member *member, uint32_t group);

/* The same for any group without a live member; false when one lives. */
bool hli_group_drop_dead(struct hli_member *member, uint32_t group);

/* The adopted range is worked off: free its record, unlock its byte. */
void hli_adopted_end(struct hli_member *member);

#endif /* HLI_REAP_H */
