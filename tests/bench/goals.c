/* SPDX-License-Identifier: MIT */
/*
 * goals.c - what is to be reached, and how near this run came
 *
 * A goal is a quotient of two medians of one run, taken where the cores were in
 * the same place; the right side may be the best of several.
 */
#include <stdio.h>
#include <string.h>

#include "experiment.h"

/* A set of cells: label begins with it; "limit" and "peer" are roles. */
struct side {
	const char *experiment, *heading, *who;
	unsigned metric;
};

struct goal {
	const char *text;
	struct side ours, other;
	double wanted;
	bool at_least;
};

static const struct goal goals[] = {
	{ "1x1, bursts of 32, of the best stream",
	  { "burst", "bursts of 32", "hotline", 0 },
	  { "burst", "bursts of 32", "limit", 0 },
	  0.90,
	  true },
	{ "1x1, bursts of 32, of the best peer",
	  { "burst", "bursts of 32", "hotline", 0 },
	  { "burst", "bursts of 32", "peer", 0 },
	  1.2,
	  true },
	{ "1x1, bursts of 32, of rte_ring",
	  { "burst", "bursts of 32", "hotline", 0 },
	  { "burst", "bursts of 32", "rte_ring SP", 0 },
	  1.5,
	  true },
	{ "1x1, single, of the stream in bursts of 32",
	  { "burst", "single", "hotline", 0 },
	  { "burst", "bursts of 32", "limit", 0 },
	  0.70,
	  true },
	{ "1x1, single, of rte_ring",
	  { "burst", "single", "hotline", 0 },
	  { "burst", "single", "rte_ring SP", 0 },
	  5,
	  true },
	{ "1x1, single, of a bare ring",
	  { "burst", "single", "hotline", 0 },
	  { "burst", "single", "limit: bare ring", 0 },
	  0.90,
	  true },
	{ "65,536 slots, bursts of 32, of the best stream",
	  { "rings", "65,536 slots", "hotline", 0 },
	  { "rings", "65,536 slots", "limit", 0 },
	  0.85,
	  true },
	{ "round trip, busy, of two lines",
	  { "round", "round trip", "hotline, busy", 0 },
	  { "round", "round trip", "limit", 0 },
	  1.3,
	  false },
	{ "round trip, busy, of a bare ring",
	  { "round", "round trip", "hotline, busy", 0 },
	  { "round", "round trip", "limit: bare ring", 0 },
	  1.10,
	  false },
	{ "round trip, busy, of rte_ring",
	  { "round", "round trip", "hotline, busy", 0 },
	  { "round", "round trip", "rte_ring", 0 },
	  0.55,
	  false },
	{ "round trip, busy, p99.9 of the limit's",
	  { "round", "round trip", "hotline, busy", 3 },
	  { "round", "round trip", "limit", 3 },
	  1.5,
	  false },
	{ "4x4 of rte_ring MP/MC",
	  { "many", "4 to 4", "hotline", 0 },
	  { "many", "4 to 4", "rte_ring MP", 0 },
	  4,
	  true },
	{ "8x8 of 2x2",
	  { "many", "8 to 8", "hotline", 0 },
	  { "many", "2 to 2", "hotline", 0 },
	  0.80,
	  true },
	{ "2x2 of the best peer",
	  { "many", "2 to 2", "hotline", 0 },
	  { "many", "2 to 2", "peer", 0 },
	  1.5,
	  true },
	{ "payload of 4 KiB in place, of memory",
	  { "payload", "4 KiB in place", "hotline", 0 },
	  { "payload", "4 KiB in place", "limit", 0 },
	  0.90,
	  true },
	{ "bursts of 32 with a tap, of those without",
	  { "cost", "bursts of 32", "a tap watches", 0 },
	  { "cost", "bursts of 32", "hotline", 0 },
	  0,
	  true },
	{ "waking a sleeper, of a bare futex",
	  { "wake", "asleep for 0.2 ms", "hotline", 0 },
	  { "wake", "asleep for 0.2 ms", "limit", 0 },
	  1.1,
	  false },
	{ "start of a ring of 1 MiB, of the bare calls",
	  { "start", "1 MiB", "hotline", 0 },
	  { "start", "1 MiB", "limit", 0 },
	  3,
	  false },
};

static bool belongs(const struct cell *cell, const struct side *side)
{
	if (strcmp(cell->heading, side->heading) != 0)
		return false;
	if (strcmp(side->who, "limit") == 0)
		return cell->role == BENCH_LIMIT;
	if (strcmp(side->who, "peer") == 0)
		return cell->role == BENCH_PEER;
	if (strcmp(side->who, "hotline") == 0)
		return strcmp(cell->label, "hotline") == 0;
	return strncmp(cell->label, side->who, strlen(side->who)) == 0;
}

/* The best median of a side, and its least; 0: none. */
static double best(const struct bench *bench, const struct side *side,
		   enum place place, double *least)
{
	double found = 0;

	for (size_t i = 0; i < bench->nexperiments; i++) {
		const struct experiment *const e = &bench->experiments[i];

		if (strcmp(e->name, side->experiment) != 0)
			continue;
		for (size_t j = 0; j < e->ncells; j++) {
			const struct summary s = cell_summary(
				bench, &e->cells[j], place, side->metric);

			if (!s.n || !belongs(&e->cells[j], side))
				continue;
			if (found != 0 &&
			    (s.median > found) != e->more_is_better)
				continue;
			found = s.median;
			*least = s.min;
		}
	}
	return found;
}

static void print_place(const struct bench *bench, const struct goal *goal,
			enum place place)
{
	double least = 0, unused;
	const double ours = best(bench, &goal->ours, place, &least);
	const double other = best(bench, &goal->other, place, &unused);

	if (ours <= 0 || other <= 0) {
		printf(" |");
		return;
	}
	printf(" %.2f%s |", ours / other,
	       (ours / other >= goal->wanted) == goal->at_least ? "" :
								  " (missed)");
}

static void print_worst(const struct bench *bench, enum place place)
{
	const struct side ours = { "many", "4 to 4", "hotline", 0 };
	double least = 0;
	const double median = best(bench, &ours, place, &least);

	if (median <= 0)
		printf(" |");
	else
		printf(" %.2f%s |", least / median,
		       least / median >= 0.5 ? "" : " (missed)");
}

void goals_table(const struct bench *bench)
{
	printf("\n### Goals\n\nQuotients of medians, each of the same run.\n\n"
	       "| | goal | %s |\n|---|--:|--:|--:|\n",
	       bench->near_below > 0 ? "near | far" : "reached |");
	for (size_t i = 0; i < sizeof(goals) / sizeof(goals[0]); i++) {
		const struct goal *const goal = &goals[i];

		printf("| %s | %s %.2f |", goal->text,
		       goal->at_least ? ">=" : "<=", goal->wanted);
		print_place(bench, goal, PLACE_NEAR);
		print_place(bench, goal, PLACE_FAR);
		printf("\n");
	}
	printf("| 4x4, worst run of its median | >= 0.50 |");
	print_worst(bench, PLACE_NEAR);
	print_worst(bench, PLACE_FAR);
	printf("\n");
}
