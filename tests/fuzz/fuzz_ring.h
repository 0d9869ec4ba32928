/* SPDX-License-Identifier: MIT */
/*
 * fuzz_ring.h - a small ring, and damage done to its file
 *
 * Its folder is $HOTLINE_DIR, which who runs the target sets and removes.
 */
#ifndef TESTS_FUZZ_RING_H
#define TESTS_FUZZ_RING_H

#include "fuzz.h"

#include <hotline/inspect.h>

struct fuzz_ring {
	char name[64];
	char path[512];
	unsigned char *base; /* a mapping of our own; NULL for a raw file */
	size_t bytes;
	size_t blocks_at, slots_at, arena_at, slot_bytes;
};

/* What it is like follows from shape: each value gives a valid ring. */
void fuzz_ring_make(struct fuzz_ring *ring, uint8_t shape);

/* A file under the name of a ring that holds what is left of the input. */
void fuzz_ring_raw(struct fuzz_ring *ring, struct fuzz_input *in);

/* Overwrite one word of its file, as the input says. */
void fuzz_ring_damage(struct fuzz_ring *ring, struct fuzz_input *in);

/* Remove it. */
void fuzz_ring_fini(struct fuzz_ring *ring);

/* Is it a code that the library may return, or a count? */
bool fuzz_code_ok(int64_t code);

/* Look at a ring in every way there is. */
void fuzz_look(const char *name);

/* Validate a message and touch its payload. */
void fuzz_use_message(const struct hl_batch *batch, const void *message);

/* Walk a batch. */
void fuzz_walk(struct hl_batch *batch);

/* Groups that a ring of fuzz_ring_make() has, by their kinds. */
extern const char *const fuzz_groups[3];

#endif /* TESTS_FUZZ_RING_H */
