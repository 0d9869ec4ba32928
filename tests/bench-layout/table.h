/* SPDX-License-Identifier: MIT */
/*
 * table.h - the rungs side by side, and what was to be reached
 */
#ifndef BENCH_LAYOUT_TABLE_H
#define BENCH_LAYOUT_TABLE_H

#include "runs.h"

enum {
	E_SMALL,
	E_LARGE,
	E_DRAIN_SMALL,
	E_DRAIN_LARGE,
	E_CAPACITY,
	E_LOAD,
	E_IDLE,
	E_LOAD_LARGE,
	EXPERIMENTS,
};

#define TABLE_GOAL_LOAD "95 % of what rung 1 carries"

/* What tools have counted of a rung, per message; the same in each run. */
struct table_count {
	double instructions; /* negative: not counted */
	double first_misses; /* simulated */
	double last_misses;
	double lines; /* of messages */
	double control_lines;
	double own_lines;
};

/* Read what counts.sh wrote; a path of NULL, or what is missing: not counted. */
void table_counts(const char *path, struct table_count *counts);

/* The placement that has more runs. */
enum place table_place(const struct bench *bench);

void table_rungs(const struct bench *bench, const struct table_count *counts);
void table_goals(const struct bench *bench, const struct table_count *counts);

#endif /* BENCH_LAYOUT_TABLE_H */
