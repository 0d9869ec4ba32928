/* SPDX-License-Identifier: MIT */
/*
 * plot.c - a gnuplot script per experiment, with its data in it
 *
 * Cases are side by side on the x axis, a line of points a contender; medians
 * with their least and most, of the placement with more runs.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "experiment.h"

static enum place busier(const struct bench *bench, const struct experiment *e)
{
	size_t n[PLACES + 1] = { 0 };

	for (size_t i = 0; i < e->ncells; i++)
		for (size_t j = 0; j < e->cells[i].nsamples; j++)
			n[sample_place(bench, &e->cells[i].samples[j])]++;
	return n[PLACE_FAR] > n[PLACE_NEAR] ? PLACE_FAR : PLACE_NEAR;
}

/* The number of a case, by its first cell. */
static unsigned case_number(const struct experiment *e, const char *heading)
{
	unsigned number = 0;

	for (size_t i = 0; i < e->ncells; i++) {
		if (strcmp(e->cells[i].heading, heading) == 0)
			break;
		if (i == 0 ||
		    strcmp(e->cells[i].heading, e->cells[i - 1].heading) != 0)
			number++;
	}
	for (size_t i = 1; i < e->ncells; i++) {
		if (strcmp(e->cells[i].heading, heading) == 0 &&
		    strcmp(e->cells[i - 1].heading, heading) != 0)
			return number;
	}
	return 0;
}

/* Is it the first of its label, and is there anything to draw? */
static bool drawn(const struct bench *bench, const struct experiment *e,
		  size_t i, enum place place)
{
	bool any = false;

	for (size_t j = 0; j < e->ncells; j++) {
		if (strcmp(e->cells[j].label, e->cells[i].label) != 0)
			continue;
		if (j < i)
			return false;
		any |= cell_summary(bench, &e->cells[j], place, 0).n > 0;
	}
	return any;
}

/* A block of data: the points of all cells with the label of the i-th. */
static void write_points(const struct bench *bench, const struct experiment *e,
			 size_t i, enum place place, FILE *out)
{
	fprintf(out, "$d%zu << END\n", i);
	for (size_t j = i; j < e->ncells; j++) {
		const struct cell *const cell = &e->cells[j];
		const struct summary s = cell_summary(bench, cell, place, 0);

		if (strcmp(cell->label, e->cells[i].label) == 0 && s.n)
			fprintf(out, "%u %g %g %g\n",
				case_number(e, cell->heading), s.median, s.min,
				s.max);
	}
	fprintf(out, "END\n");
}

static void write_tics(const struct experiment *e, FILE *out)
{
	const char *heading = "";
	unsigned last = 0;

	fprintf(out, "set xtics noenhanced (");
	for (size_t i = 0; i < e->ncells; i++) {
		if (strcmp(e->cells[i].heading, heading) == 0)
			continue;
		fprintf(out, "%s\"%s\" %u", *heading ? ", " : "",
			e->cells[i].heading,
			case_number(e, e->cells[i].heading));
		heading = e->cells[i].heading;
		last = case_number(e, heading);
	}
	fprintf(out, ")\nset xrange [-0.5:%u.5]\n", last);
}

static void write_plot(const struct bench *bench, const struct experiment *e,
		       enum place place, FILE *out)
{
	bool first = true;

	for (size_t i = 0; i < e->ncells; i++) {
		if (!drawn(bench, e, i, place))
			continue;
		fprintf(out,
			"%s$d%zu using 1:2:3:4 with yerrorlines title \"%s\"",
			first ? "plot " : ", \\\n  ", i, e->cells[i].label);
		first = false;
	}
	fprintf(out, "\n");
}

int plot_write(const struct bench *bench, const struct experiment *e,
	       const char *folder)
{
	static const char *const places[] = { "near", "far" };
	const enum place place = busier(bench, e);
	char path[4096];
	FILE *out;

	snprintf(path, sizeof(path), "%s/%s.gp", folder, e->name);
	out = fopen(path, "w");
	if (!out)
		return -errno;
	fprintf(out,
		"set terminal svg size 900,600 background '#ffffff'\n"
		"set output '%s.svg'\n"
		"set title \"%s, cores %s\" noenhanced\n"
		"set ylabel \"%s\" noenhanced\n"
		"set logscale y\nset grid ytics\n"
		"set key outside noenhanced\n",
		e->name, e->title, places[place], e->metrics[0]);
	write_tics(e, out);
	for (size_t i = 0; i < e->ncells; i++) {
		if (drawn(bench, e, i, place))
			write_points(bench, e, i, place, out);
	}
	write_plot(bench, e, place, out);
	return fclose(out) == 0 ? 0 : -EIO;
}
