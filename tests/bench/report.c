/* SPDX-License-Identifier: MIT */
/*
 * report.c - one table per experiment, in Markdown that reads as plain text
 *
 * A row is a contender in a case. Near and far runs stand side by side. Of the
 * limit is the median against the best limit of the same case and placement.
 */
#include "experiment.h"

#include <stdio.h>
#include <string.h>

/*
 * The best median of a limit in a case, 0 for none; of all limits, or of one
 * that is there with several settings.
 */
static double best_limit(const struct bench *bench, const struct experiment *e,
			 const char *heading,
			 const struct bench_contender *which, enum place place,
			 const struct cell **who)
{
	double best = 0;

	for (size_t i = 0; i < e->ncells; i++) {
		const struct cell *const cell = &e->cells[i];
		const struct summary s = cell_summary(bench, cell, place, 0);

		if (cell->role != BENCH_LIMIT || s.n == 0 ||
		    strcmp(cell->heading, heading) != 0 ||
		    (which && cell->contender != which))
			continue;
		if (best == 0 ||
		    (e->more_is_better ? s.median > best : s.median < best)) {
			best = s.median;
			if (who)
				*who = cell;
		}
	}
	return best;
}

static int digits(double value)
{
	return value >= 100 ? 0 : value >= 10 ? 1 : 2;
}

static void print_value(double value)
{
	printf("%.*f", digits(value), value);
}

static void print_place(const struct bench *bench, const struct cell *cell,
			enum place place, double limit)
{
	const struct experiment *const e = cell->experiment;
	const struct summary s = cell_summary(bench, cell, place, 0);

	if (s.n == 0) {
		for (unsigned i = 0; i < e->nmetrics + 3; i++)
			printf(" |");
		return;
	}
	printf(" **");
	print_value(s.median);
	printf("** | ");
	print_value(s.min);
	printf("..");
	print_value(s.max);
	printf(" | %zu |", s.n);
	for (unsigned m = 1; m < e->nmetrics; m++) {
		printf(" ");
		print_value(cell_summary(bench, cell, place, m).median);
		printf(" |");
	}
	if (limit > 0)
		printf(" %.2f |", s.median / limit);
	else
		printf(" |");
}

/* Of limits with many settings, one row: the best. */
static bool shown(const struct bench *bench, const struct cell *cell)
{
	const struct cell *best[PLACES] = { NULL };

	if (cell->role != BENCH_LIMIT)
		return true;
	for (unsigned p = 0; p < PLACES; p++) {
		best_limit(bench, cell->experiment, cell->heading,
			   cell->contender, (enum place)p, &best[p]);
		if (best[p] == cell)
			return true;
	}
	return false;
}

/* Two columns of places, or one when the cores never moved. */
static unsigned places(const struct bench *bench)
{
	return bench->near_below > 0 ? PLACES : 1;
}

static void print_row(const struct bench *bench, const struct cell *cell)
{
	const struct experiment *const e = cell->experiment;

	printf("| %s |", cell->label);
	for (unsigned p = 0; p < places(bench); p++) {
		const double limit = best_limit(bench, e, cell->heading, NULL,
						(enum place)p, NULL);

		print_place(bench, cell, (enum place)p, limit);
	}
	printf(" %u", cell->unquiet);
	if (cell->failed)
		printf(", %u failed", cell->failed);
	printf(" | %s |\n", cell->api[0]    ? cell->api :
			    cell->contender ? cell->contender->api :
					      "");
}

static void print_head(const struct bench *bench, const struct experiment *e,
		       const char *heading)
{
	static const char *const names[] = { "near: ", "far: " };
	unsigned columns = 0;

	printf("\n%s:\n\n| |", heading);
	for (unsigned p = 0; p < places(bench); p++) {
		printf(" %s%s | min..max | n |",
		       places(bench) > 1 ? names[p] : "", e->metrics[0]);
		for (unsigned m = 1; m < e->nmetrics; m++)
			printf(" %s |", e->metrics[m]);
		printf(" of limit |");
		columns += e->nmetrics + 3;
	}
	printf(" not quiet | how |\n|---|");
	for (unsigned i = 0; i < columns; i++)
		printf("--:|");
	printf("--:|---|\n");
}

void report_table(const struct bench *bench, const struct experiment *e)
{
	const char *heading = "";

	printf("\n### %s\n\n%s. %s\n", e->title, e->unit, e->text);
	for (size_t i = 0; i < e->ncells; i++) {
		const struct cell *const cell = &e->cells[i];

		if (strcmp(cell->heading, heading) != 0)
			print_head(bench, e, heading = cell->heading);
		if (shown(bench, cell))
			print_row(bench, cell);
	}
	fflush(stdout);
}
