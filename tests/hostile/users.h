/* SPDX-License-Identifier: MIT */
/*
 * users.h - processes that use a ring, whatever stands in it
 *
 * Each notes as its failure what the library may never return, and is killed
 * by an alarm when a call takes too long. Sanitizers and the kernel see to the
 * rest: memory beyond both ends of the ring's mapping is not to be touched.
 */
#ifndef TESTS_USERS_H
#define TESTS_USERS_H

#include "tests/support/support.h"

/* What a user is told, as its helper's arg. */
struct users {
	const char *name;  /* of the ring */
	const char *clean; /* of another one, which nobody damages */
};

/* The groups that the ring has to have, by enum hl_group_kind. */
extern const char *const users_groups[3];

/* Bodies of helpers: step 1 when they joined; they stop when told to go on. */
extern void (*const users_run[])(struct helper *self);
extern const size_t users_count;

/* What they counted. */
enum {
	USERS_CALLS = 0,
	USERS_GOOD = 1,
	USERS_REFUSED = 2
};

#endif /* TESTS_USERS_H */
