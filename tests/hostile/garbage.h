/* SPDX-License-Identifier: MIT */
/*
 * garbage.h - a process that writes garbage over a ring at full speed
 */
#ifndef TESTS_GARBAGE_H
#define TESTS_GARBAGE_H

#include "tests/support/support.h"

/* Where it writes. */
enum garbage_part {
	GARBAGE_ALL,
	GARBAGE_HEADER, /* the words that change while the ring lives */
	GARBAGE_GROUPS,
	GARBAGE_RECORDS,
	GARBAGE_STAMPS,
	GARBAGE_ARENA, /* blocks, payloads, and what leads to them */
};

struct garbage {
	const char *path; /* of the ring's file */
	enum garbage_part part;
	uint64_t seed;
};

/*
 * Map the file, and write until told to go to step 1. Between bursts of garbage
 * it puts the tables back as it found them, since a ring that is broken for
 * good lets nobody get far. counts[0] is the number of words written.
 */
void garbage_write(struct helper *self);

#endif /* TESTS_GARBAGE_H */
