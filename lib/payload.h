/* SPDX-License-Identifier: MIT */
/*
 * payload.h - what sending shares between produce.c and payload.c
 */
#ifndef HLI_PAYLOAD_H
#define HLI_PAYLOAD_H

#include "handle.h"

/* produce.c, for a handle that was entered and has no claim. */
ssize_t hli_producer_claim(struct hl_producer *producer, size_t n,
			   int64_t timeout_ns);
int hli_producer_publish(struct hl_producer *producer);

/* For waiting, as struct hli_wait_ops has them: who waits for space waits for
 * others, who may be dead. */
int hli_producer_look(void *self);
bool hli_producer_held_back(void *self);

/* Is it a timeout of ring.h? */
static inline bool hli_timeout_ok(int64_t timeout_ns, bool drop)
{
	return timeout_ns >= 0 || (drop && timeout_ns == HL_DROP);
}

#endif /* HLI_PAYLOAD_H */
