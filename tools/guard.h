/* SPDX-License-Identifier: MIT */
/*
 * guard - look at a ring whose file somebody may cut short meanwhile
 *
 * Memory of a file that was truncated raises SIGBUS when it is read. A command
 * that looks at files of others must not end by it, list of rings least of all.
 */
#ifndef HLT_GUARD_H
#define HLT_GUARD_H

#include <stdbool.h>

/*
 * hlt_guard_run - run fn, which only reads a ring
 *
 * Returns false when the ring's memory went away under it: fn was left in the
 * middle, so what it opens has to be closed by who calls this. Not nested.
 */
bool hlt_guard_run(void (*fn)(void *arg), void *arg);

#endif /* HLT_GUARD_H */
