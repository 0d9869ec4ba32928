/* SPDX-License-Identifier: MIT */
/*
 * experiment.c - run cells in turn, and sum up their samples
 */
#include "experiment.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of a run; long against starting it, short against the host's moves. */
#define RUN_NS 10e6

struct cell *experiment_add(struct experiment *experiment, const char *heading,
			    const struct bench_contender *contender,
			    const struct bench_shape *shape,
			    int (*run)(struct cell *, struct crew *, double *))
{
	struct cell *cell;

	if (experiment->ncells == experiment->room) {
		experiment->room = experiment->room * 2 + 16;
		experiment->cells =
			realloc(experiment->cells,
				experiment->room * sizeof(*experiment->cells));
		if (!experiment->cells)
			bench_give_up("realloc", -12);
	}
	cell = &experiment->cells[experiment->ncells++];
	*cell = (struct cell){
		.experiment = experiment,
		.heading = heading,
		.contender = contender,
		.role = contender ? contender->role : BENCH_LIMIT,
		.run = run,
	};
	if (contender)
		snprintf(cell->label, sizeof(cell->label), "%s",
			 contender->name);
	if (shape)
		cell->shape = *shape;
	return cell;
}

static void keep(struct cell *cell, const struct sample *sample)
{
	if (cell->nsamples == cell->room) {
		cell->room = cell->room * 2 + 16;
		cell->samples = realloc(cell->samples,
					cell->room * sizeof(*cell->samples));
		if (!cell->samples)
			bench_give_up("realloc", -12);
	}
	cell->samples[cell->nsamples++] = *sample;
}

/* The run's length is chosen by how fast the last one was. */
static void choose_length(struct cell *cell)
{
	const double n = cell->per_second * RUN_NS / 1e9;

	if (cell->per_second <= 0)
		return;
	cell->n = n < 500 ? 500 : n > 16e6 ? 16000000 : (uint64_t)n;
	/* Long against a ring that may be full or empty at the ends. */
	if (cell->per_second > 10e6 &&
	    cell->n < 24 * (uint64_t)cell->shape.slots)
		cell->n = 24 * (uint64_t)cell->shape.slots;
}

void cell_run(struct bench *bench, struct cell *cell)
{
	const bool first = cell->n == 0;
	struct crew crew = {
		.machine = &bench->machine,
		.board = bench->board,
		.contender = cell->contender,
		.shape = cell->shape,
		.nworkers = cell->shape.producers + cell->shape.consumers,
		.nchannels = cell->contender ? 1 : 0,
		.interval_ns = cell->interval_ns,
	};
	struct sample sample = { 0 };
	int ret;

	if (first)
		cell->n = 4000;
	crew.n = cell->n;
	ret = cell->run(cell, &crew, sample.values);
	if (ret < 0) {
		fprintf(stderr, "bench: %s, %s: %s%s%s\n", cell->label,
			cell->heading, cell->api, cell->api[0] ? ": " : "",
			ret == -EBADMSG ? "messages were lost or wrong" :
					  strerror(-ret));
		cell->failed += ret == -ETIMEDOUT ? 2 : 1;
		return;
	}
	choose_length(cell);
	memcpy(sample.probe, bench->board->probe, sizeof(sample.probe));
	sample.quiet = crew.quiet || bench->noisy;
	cell->unquiet += !crew.quiet;
	if (!first)
		keep(cell, &sample);
}

static void shuffle(size_t *order, size_t n, unsigned *seed)
{
	for (size_t i = n; i > 1; i--) {
		const size_t j = (size_t)rand_r(seed) % i;
		const size_t t = order[i - 1];

		order[i - 1] = order[j];
		order[j] = t;
	}
}

void experiment_run(struct bench *bench, struct experiment *experiment,
		    double seconds)
{
	const int64_t end = machine_now_ns() + (int64_t)(seconds * 1e9);
	const unsigned least = bench->quick ? 2 : 3; /* the first finds n */
	const size_t n = experiment->ncells;
	size_t *const order = calloc(n + 1, sizeof(*order));

	if (!order)
		bench_give_up("calloc", -12);
	for (size_t i = 0; i < n; i++)
		order[i] = i;
	for (unsigned round = 0; round < least || machine_now_ns() < end;
	     round++) {
		shuffle(order, n, &bench->seed);
		for (size_t i = 0; i < n; i++) {
			struct cell *const cell = &experiment->cells[order[i]];

			/* What never works is not tried for ever. */
			if (cell->failed > 3 && cell->nsamples == 0)
				continue;
			if (round < least || machine_now_ns() < end)
				cell_run(bench, cell);
		}
	}
	free(order);
}

static enum place place_of(const struct bench *bench, double probe)
{
	return bench->near_below == 0 || probe < bench->near_below ?
		       PLACE_NEAR :
		       PLACE_FAR;
}

enum place sample_place(const struct bench *bench, const struct sample *sample)
{
	const enum place before = place_of(bench, sample->probe[0]);
	const enum place after = place_of(bench, sample->probe[1]);

	return before == after ? before : PLACE_MIXED;
}

static int ascending(const void *left, const void *right)
{
	const double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

struct summary cell_summary(const struct bench *bench, const struct cell *cell,
			    enum place place, unsigned metric)
{
	struct summary summary = { 0 };
	double *const values = calloc(cell->nsamples + 1, sizeof(*values));

	if (!values)
		bench_give_up("calloc", -12);
	for (size_t i = 0; i < cell->nsamples; i++) {
		const struct sample *const s = &cell->samples[i];

		if (s->quiet && sample_place(bench, s) == place)
			values[summary.n++] = s->values[metric];
	}
	if (summary.n) {
		qsort(values, summary.n, sizeof(*values), ascending);
		summary.median =
			(values[(summary.n - 1) / 2] + values[summary.n / 2]) /
			2;
		summary.min = values[0];
		summary.max = values[summary.n - 1];
	}
	free(values);
	return summary;
}

/* All probes there are, sorted. */
static size_t all_probes(const struct bench *bench, double **out)
{
	size_t n = 0, room = 0;

	for (size_t e = 0; e < bench->nexperiments; e++)
		for (size_t c = 0; c < bench->experiments[e].ncells; c++)
			room += 2 * bench->experiments[e].cells[c].nsamples;
	*out = calloc(room + 1, sizeof(**out));
	if (!*out)
		bench_give_up("calloc", -12);
	for (size_t e = 0; e < bench->nexperiments; e++) {
		for (size_t c = 0; c < bench->experiments[e].ncells; c++) {
			const struct cell *const cell =
				&bench->experiments[e].cells[c];

			for (size_t i = 0; i < 2 * cell->nsamples; i++) {
				const double p =
					cell->samples[i / 2].probe[i % 2];

				if (p > 0)
					(*out)[n++] = p;
			}
		}
	}
	qsort(*out, n, sizeof(**out), ascending);
	return n;
}

/*
 * The cut that makes both sides as even in themselves as can be (least squares
 * of logarithms), if the medians of the sides are then apart by more than 1.8.
 * A side has to have some share of all: what was disturbed is no place.
 */
void bench_classify(struct bench *bench)
{
	double *probes, best = -1, sum = 0, left = 0;
	const size_t n = all_probes(bench, &probes);
	size_t cut = 0;

	for (size_t i = 0; i < n; i++)
		sum += log(probes[i]);
	for (size_t i = 1; i < n; i++) {
		double apart;

		left += log(probes[i - 1]);
		apart = left / (double)i - (sum - left) / (double)(n - i);
		apart *= apart * (double)i * (double)(n - i);
		if (i > n / 32 && n - i > n / 32 && apart > best) {
			best = apart;
			cut = i;
		}
	}
	bench->near_below = 0;
	if (cut && probes[(cut + n) / 2] > 1.8 * probes[cut / 2])
		bench->near_below = sqrt(probes[cut - 1] * probes[cut]);
	free(probes);
}

double bench_distance(const struct bench *bench, enum place place)
{
	double *probes, median;
	const size_t n = all_probes(bench, &probes);
	size_t first = 0, end = n;

	while (first < n && place_of(bench, probes[first]) != place)
		first++;
	while (end > first && place_of(bench, probes[end - 1]) != place)
		end--;
	median = end > first ? probes[(first + end) / 2] : 0;
	free(probes);
	return median;
}
