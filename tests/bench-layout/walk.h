/* SPDX-License-Identifier: MIT */
/*
 * walk.h - both ends of a rung in one process, which a tool watches
 */
#ifndef BENCH_LAYOUT_WALK_H
#define BENCH_LAYOUT_WALK_H

#include <inttypes.h>
#include <stdio.h>

#include "rung.h"

/* Each take of rung r is between a store to begin and one to end. */
struct walk_mark {
	uint64_t begin, end;
};

/* A rung's addresses, as one process tells them to another. */
struct walk_map {
	unsigned rung;
	uint64_t taken; /* messages */
	uint64_t begin, end;
	uint64_t messages, messages_end, all, all_end;
};

#define WALK_FORMAT                                                            \
	"%u %" SCNu64 " %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64          \
	" %" SCNx64 " %" SCNx64

#endif /* BENCH_LAYOUT_WALK_H */
