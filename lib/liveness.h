/* SPDX-License-Identifier: MIT */
/*
 * liveness.h - a participant is alive while its byte of the file is locked
 *
 * The locks belong to an open file description (F_OFD_SETLK), opened for one
 * participant and never mapped. The kernel drops them when the last descriptor
 * of it goes, however the process ends. A description never conflicts with
 * itself, so nobody asks for a byte that it holds.
 */
#ifndef HLI_LIVENESS_H
#define HLI_LIVENESS_H

#include <stdint.h>

/* A new description of the ring's file. A descriptor or a negative errno. */
int hli_lock_open(int ring_fd);

/* Lock a byte without waiting: 0, -EAGAIN when another has it, ... */
int hli_lock_try(int fd, int64_t byte);

/* Unlock this one byte. */
void hli_lock_drop(int fd, int64_t byte);

/* Who asks without locking: 1 another description has it, 0 free, errno. */
int hli_lock_probe(int fd, int64_t byte);

/*
 * Lock a byte that others hold briefly: 0, or -ETIMEDOUT after ns. A process
 * that is killed holds its bytes for some ms more: see HLI_DYING_NS.
 */
int hli_lock_wait(int fd, int64_t byte, int64_t ns);

#define HLI_CONTROL_NS INT64_C(5000000000) /* for who joins or leaves */
#define HLI_DYING_NS INT64_C(50000000)	   /* for who is being killed */

#endif /* HLI_LIVENESS_H */
