/* SPDX-License-Identifier: MIT */
/*
 * table.c - the rungs side by side, and what was to be reached
 *
 * Medians of runs with the cores at one distance: the one that has more runs.
 */
#include "table.h"

#include <stdio.h>

static const char *const places[] = { "near", "far" };

void table_counts(const char *path, struct table_count *counts)
{
	FILE *const file = path ? fopen(path, "r") : NULL;
	struct table_count c;
	unsigned rung;

	for (unsigned r = 0; r < RUNGS_ALL; r++)
		counts[r] = (struct table_count){ -1, -1, -1, -1, -1, -1 };
	while (file && fscanf(file, "%u %lf %lf %lf %lf %lf %lf", &rung,
			      &c.instructions, &c.first_misses, &c.last_misses,
			      &c.lines, &c.control_lines, &c.own_lines) == 7) {
		if (rung < RUNGS)
			counts[rung] = c;
	}
	if (file)
		fclose(file);
}

enum place table_place(const struct bench *bench)
{
	size_t n[PLACES + 1] = { 0 };

	for (size_t e = 0; e < bench->nexperiments; e++) {
		const struct experiment *const x = &bench->experiments[e];

		for (size_t c = 0; c < x->ncells; c++)
			for (size_t i = 0; i < x->cells[c].nsamples; i++)
				n[sample_place(bench,
					       &x->cells[c].samples[i])]++;
	}
	return n[PLACE_FAR] > n[PLACE_NEAR] ? PLACE_FAR : PLACE_NEAR;
}

/* Of a rung in an experiment, at a load if it has several; 0: no run. */
static double median(const struct bench *bench, unsigned e, unsigned r,
		     const char *heading, unsigned metric)
{
	const struct experiment *const x = &bench->experiments[e];

	for (size_t i = 0; i < x->ncells; i++) {
		if (x->cells[i].contender == &rungs[r]->contender &&
		    (!heading || strcmp(x->cells[i].heading, heading) == 0))
			return cell_summary(bench, &x->cells[i],
					    table_place(bench), metric)
				.median;
	}
	return 0;
}

static void print_value(double value, int digits)
{
	if (value > 0)
		printf(" %.*f |", digits, value);
	else
		printf(" |");
}

/* A rate as time: it is what the steps of a ladder add up in. */
static void print_ns(double rate)
{
	print_value(rate > 0 ? 1e3 / rate : 0, 1);
}

static bool counted(const struct bench *bench)
{
	return median(bench, E_SMALL, 1, NULL, INSTRUCTIONS) > 0;
}

void table_rungs(const struct bench *bench, const struct table_count *counts)
{
	const bool counters = counted(bench);

	printf("\n### The rungs\n\nCores %s; M/s is million messages a second, "
	       "all else is per message.\n\n| rung | adds |",
	       places[table_place(bench)]);
	printf(" M/s, fits | M/s, larger | ns, fits | ns, larger |"
	       " ns, emptying, fits | ns, emptying, larger |"
	       " ns, filling, fits | ns, filling, larger | instructions |"
	       " lines | lines of cursors | first-level misses, simulated |"
	       " last-level misses, simulated |");
	printf("%s\n|---|---|", counters ? " misses counted, larger |" : "");
	for (int i = 0; i < 13 + counters; i++)
		printf("--:|");
	printf("\n");
	for (unsigned r = 0; r < RUNGS_ALL; r++) {
		const double small = median(bench, E_SMALL, r, NULL, RATE);
		const double large = median(bench, E_LARGE, r, NULL, RATE);

		printf("| %s | %s |", rungs[r]->contender.name, rungs[r]->adds);
		print_value(small, 2);
		print_value(large, 2);
		print_ns(small);
		print_ns(large);
		print_ns(median(bench, E_DRAIN_SMALL, r, NULL, RATE));
		print_ns(median(bench, E_DRAIN_LARGE, r, NULL, RATE));
		print_ns(median(bench, E_DRAIN_SMALL, r, NULL, FILLING));
		print_ns(median(bench, E_DRAIN_LARGE, r, NULL, FILLING));
		print_value(counts[r].instructions, 0);
		print_value(counts[r].lines, 2);
		print_value(counts[r].control_lines, 2);
		print_value(counts[r].first_misses, 2);
		print_value(counts[r].last_misses, 2);
		if (counters)
			print_value(median(bench, E_LARGE, r, NULL, MISSES), 2);
		printf("\n");
	}
}

static void goal(const char *what, double wanted, double first, double sixth,
		 double factor)
{
	printf("| %s | x%.1f |", what, wanted);
	if (first > 0 && sixth > 0)
		printf(" %.2f | %.2f | x%.2f | %s |\n", first, sixth, factor,
		       factor >= wanted ? "yes" : "no");
	else
		printf(" | | | not measured |\n");
}

static void goal_rate(const struct bench *bench, const char *what, unsigned e)
{
	const double first = median(bench, e, 1, NULL, RATE);
	const double sixth = median(bench, e, RUNG_SIXTH, NULL, RATE);

	goal(what, 3.4, first, sixth, sixth / first);
}

static void goal_time(const struct bench *bench, const char *what, unsigned e,
		      unsigned metric)
{
	const double wanted = metric == P50 ? 7.4 : 13.4;
	const double first = median(bench, e, 1, TABLE_GOAL_LOAD, metric);
	const double sixth =
		median(bench, e, RUNG_SIXTH, TABLE_GOAL_LOAD, metric);

	goal(what, wanted, first, sixth, first / sixth);
}

static void goal_less(const char *what, double first, double sixth)
{
	printf("| %s | -78 %% |", what);
	if (first > 0 && sixth >= 0)
		printf(" %.2f | %.2f | -%.0f %% | %s |\n", first, sixth,
		       100 - 100 * sixth / first,
		       sixth <= 0.22 * first ? "yes" : "no");
	else
		printf(" | | | not measured |\n");
}

static double max(double a, double b)
{
	return a > b ? a : b;
}

static void baseline(const struct bench *bench)
{
	static const char *const names[] = { "fits", "larger" };

	for (unsigned e = E_SMALL; e <= E_LARGE; e++) {
		const double plain =
			max(median(bench, e, 0, NULL, RATE),
			    median(bench, e, RUNG_REMEMBER, NULL, RATE));
		const double first = median(bench, e, 1, NULL, RATE);

		printf("| rung 1 against the better plain ring, M/s, %s | x0.8 |",
		       names[e]);
		if (plain > 0 && first > 0)
			printf(" %.2f | %.2f | x%.2f | %s |\n", plain, first,
			       first / plain,
			       first >= 0.8 * plain ? "yes" : "no");
		else
			printf(" | | | not measured |\n");
	}
}

/* No layout does better than these, in the same run. */
static void limits(const struct bench *bench)
{
	const struct experiment *const idle = &bench->experiments[E_IDLE];
	const double rate = median(bench, E_SMALL, RUNG_LINE, NULL, RATE);
	const double large = median(bench, E_LARGE, RUNG_LINE, NULL, RATE);
	const double p50 =
		median(bench, E_LOAD, RUNG_LINE, TABLE_GOAL_LOAD, P50);
	const double p99 =
		median(bench, E_LOAD, RUNG_LINE, TABLE_GOAL_LOAD, P99);
	const double gaps = cell_summary(bench, &idle->cells[0],
					 table_place(bench), FLOOR_P99)
				    .median;

	goal("lines by hand for rung 6: M/s, fits", 3.4,
	     median(bench, E_SMALL, 1, NULL, RATE), rate,
	     rate / median(bench, E_SMALL, 1, NULL, RATE));
	goal("lines by hand for rung 6: M/s, larger", 3.4,
	     median(bench, E_LARGE, 1, NULL, RATE), large,
	     large / median(bench, E_LARGE, 1, NULL, RATE));
	goal("lines by hand for rung 6: P50, ns, fits", 7.4,
	     median(bench, E_LOAD, 1, TABLE_GOAL_LOAD, P50), p50,
	     median(bench, E_LOAD, 1, TABLE_GOAL_LOAD, P50) / p50);
	goal("lines by hand for rung 6: P99, ns, fits", 13.4,
	     median(bench, E_LOAD, 1, TABLE_GOAL_LOAD, P99), p99,
	     median(bench, E_LOAD, 1, TABLE_GOAL_LOAD, P99) / p99);
	goal("nothing but the gaps of idle cores: P99, ns", 13.4,
	     median(bench, E_LOAD, 1, TABLE_GOAL_LOAD, P99), gaps,
	     median(bench, E_LOAD, 1, TABLE_GOAL_LOAD, P99) / gaps);
}

void table_goals(const struct bench *bench, const struct table_count *counts)
{
	const struct table_count *const first = &counts[1];
	const struct table_count *const sixth = &counts[RUNG_SIXTH];

	printf("\n### What was to be reached\n\nRung 6 against rung 1, and "
	       "before that whether rung 1 is a fair start.\n\n"
	       "| what | wanted | from | to | is | reached |\n"
	       "|---|--:|--:|--:|--:|---|\n");
	baseline(bench);
	goal_rate(bench, "messages, M/s, fits", E_SMALL);
	goal_rate(bench, "messages, M/s, larger", E_LARGE);
	goal_rate(bench, "emptying, M/s, fits", E_DRAIN_SMALL);
	goal_rate(bench, "emptying, M/s, larger", E_DRAIN_LARGE);
	goal_time(bench, "P50 at " TABLE_GOAL_LOAD ", ns, fits", E_LOAD, P50);
	goal_time(bench, "P99 at " TABLE_GOAL_LOAD ", ns, fits", E_LOAD, P99);
	goal_time(bench, "P50 there, ns, larger", E_LOAD_LARGE, P50);
	goal_time(bench, "P99 there, ns, larger", E_LOAD_LARGE, P99);
	goal_less("lines read of a message", first->lines, sixth->lines);
	goal_less("first-level misses, simulated", first->first_misses,
		  sixth->first_misses);
	goal_less("last-level misses, simulated", first->last_misses,
		  sixth->last_misses);
	if (counted(bench))
		goal_less("misses, counted, larger",
			  median(bench, E_LARGE, 1, NULL, MISSES),
			  median(bench, E_LARGE, RUNG_SIXTH, NULL, MISSES));
	printf("\nNo layout of one line does better than these:\n\n"
	       "| what | wanted | from | to | is | reached |\n"
	       "|---|--:|--:|--:|--:|---|\n");
	limits(bench);
}
