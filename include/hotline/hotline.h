/* SPDX-License-Identifier: MIT */
/*
 * hotline/hotline.h - messages between processes through shared memory
 *
 * Includes what a program needs to produce and to consume; a router is in
 * hotline/router.h, and means to look into a ring are in hotline/inspect.h.
 *
 * Which calls may run together
 *
 *                                   same handle     other handles, other
 *                                   other thread    threads and processes
 *   hl_ring_... but close               yes                yes
 *   hl_ring_close                       no [1]             yes
 *   hl_producer_claim .. publish,
 *     hl_payload_..., hl_producer_send  no [2]             yes
 *   hl_consumer_take .. done            no [2]             yes
 *   hl_producer_cancel,
 *     hl_consumer_cancel                yes                yes
 *   hl_producer_leave,
 *     hl_consumer_leave                 no                 yes
 *   hl_batch_..., hl_claim_...          no                 yes
 *   hl_router_run, add, remove          yes [3]            yes
 *   hl_inspect_..., hl_tap_...          no                 yes
 *
 *   [1] -EBUSY while participants of the handle exist.
 *   [2] Seen in most cases, and then -EBUSY; always from a signal handler.
 *   [3] Each thread with its own consumer and batch.
 *
 *   signal handlers  hl_producer_cancel() and hl_consumer_cancel(). A claim,
 *                    send or take from a handler that interrupts a call on the
 *                    same handle returns -EBUSY; on a handle that only the
 *                    handler uses, calls with HL_NOWAIT are safe.
 *   signals          do not end a wait, and EINTR is not returned, but by
 *                    hl_tap_next().
 *   pthread_cancel   no call is a cancellation point in a useful state: keep
 *                    cancellation disabled in threads that use a ring. A thread
 *                    that is cancelled inside a call leaves its handle unusable
 *                    (-EBUSY) until the process ends.
 *   fork             a child does not inherit membership: every call on the
 *                    parent's producers and consumers returns -EBADF there,
 *                    and the parent is not affected. The child may join anew,
 *                    also by the parent's struct hl_ring. Made with
 *                    pthread_atfork(): a raw clone() escapes it, and the lock
 *                    that says "alive" is then held until both have ended.
 *   exec             all descriptors are close-on-exec: for others it is as if
 *                    the process had died.
 *   SCHED_FIFO       no call spins for longer than spin_ns and some 10
 *                    microseconds, but HL_WAIT_BUSY,
 *                    which must not share a core with whom it waits for.
 *   SIGSTOP          a stopped process is alive: what it has claimed or taken
 *                    waits for it.
 *   closing descriptors that are not one's own (closefrom() in a library)
 *                    looks like a death to others; once one has seen it, the
 *                    next claim or take returns -EIDRM.
 */
#ifndef HOTLINE_HOTLINE_H
#define HOTLINE_HOTLINE_H

#include <hotline/version.h>

#include <hotline/message.h>
#include <hotline/ring.h>

#include <hotline/produce.h>

#include <hotline/consume.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of the library in use, "0.1.0"; HL_VERSION is the header's. */
HL_API
const char *hl_version(void);

#ifdef __cplusplus
}
#endif
#endif /* HOTLINE_HOTLINE_H */
