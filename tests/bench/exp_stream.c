/* SPDX-License-Identifier: MIT */
/*
 * exp_stream.c - experiment 1: one producer, one consumer, messages per second
 *
 * The consumer takes the time: from the moment it has a warm-up behind it,
 * which is two rings at least, to the last message. The limit's settings are
 * chosen first, in each case by itself: many are tried a few times, and the
 * three that did best take part, so that chance has no favourite.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "experiment.h"
#include "line.h"

enum {
	BACKLOGS = 8,
	STEP_FULL = 0,
	STEP_EMPTY = 1,
	TUNED = 3,
};

struct bench_shape one_to_one(uint32_t slots, uint32_t burst, uint32_t take)
{
	return (struct bench_shape){
		.slots = slots,
		.slot_bytes = BENCH_LINE,
		.burst = burst,
		.take = take,
		.producers = 1,
		.consumers = 1,
	};
}

bool tally_good(const struct bench_tally *tally, uint64_t n)
{
	return tally->count == n && tally->bad == 0 &&
	       tally->sum == n * (n + 1) / 2;
}

static void stream(struct crew_worker *worker)
{
	const struct bench_contender *const contender = worker->crew->contender;
	struct crew_result *const result = worker->result;
	const uint64_t n = worker->crew->n;
	const uint64_t warm =
		bench_min(2 * (uint64_t)worker->crew->shape.slots, n);

	if (worker->side.producer) {
		contender->produce(&worker->side, 1, warm + n);
		return;
	}
	contender->consume(&worker->side, warm, &result->tally);
	/* A take of more than one may have gone beyond. */
	result->sent = result->tally.count;
	result->begin_ns = machine_now_ns();
	contender->consume(&worker->side, warm + n, &result->tally);
	result->end_ns = machine_now_ns();
	worker->board->stop = 1; /* to who watches */
}

int run_stream(struct cell *cell, struct crew *crew, double *values)
{
	const struct crew_result *const r =
		&crew->board->results[crew->shape.producers];
	const uint64_t warm =
		bench_min(2 * (uint64_t)crew->shape.slots, crew->n);
	int ret;

	crew->work = stream;
	ret = crew_run(crew);
	if (ret < 0)
		return ret;
	if (!tally_good(&r->tally, warm + crew->n))
		return -EBADMSG;
	values[0] = (double)(r->tally.count - r->sent) * 1e3 /
		    (double)(r->end_ns - r->begin_ns);
	cell->per_second = values[0] * 1e6;
	return 0;
}

/* Fill the ring, then empty it: the time of emptying counts. */
static void backlog(struct crew_worker *worker)
{
	const struct bench_contender *const contender = worker->crew->contender;
	struct crew_result *const result = worker->result;
	const uint64_t n = worker->crew->shape.slots / 4 * 3;
	double ns = 0;

	for (uint32_t i = 0; i < BACKLOGS; i++) {
		if (worker->side.producer)
			contender->produce(&worker->side, 1 + i * n, n);
		crew_meet(worker, STEP_FULL, i + 1);
		if (!worker->side.producer) {
			const int64_t begin = machine_now_ns();

			contender->consume(&worker->side, (i + 1) * n,
					   &result->tally);
			if (i) /* the first maps the pages */
				ns += (double)(machine_now_ns() - begin);
		}
		crew_meet(worker, STEP_EMPTY, i + 1);
	}
	result->extra = ns;
}

static int run_backlog(struct cell *cell, struct crew *crew, double *values)
{
	const struct crew_result *const r = &crew->board->results[1];
	const uint64_t n = crew->shape.slots / 4 * 3;
	int ret;

	(void)cell;
	crew->work = backlog;
	ret = crew_run(crew);
	if (ret < 0)
		return ret;
	if (!tally_good(&r->tally, n * BACKLOGS))
		return -EBADMSG;
	values[0] = (double)(n * (BACKLOGS - 1)) * 1e3 / r->extra;
	return 0;
}

/* How well a cell did, wherever the cores were: best of its runs. */
static double best_of(const struct cell *cell)
{
	double best = 0;

	for (size_t i = 0; i < cell->nsamples; i++) {
		if (cell->samples[i].values[0] > best)
			best = cell->samples[i].values[0];
	}
	return best;
}

static int by_best(const void *left, const void *right)
{
	const double a = best_of(left), b = best_of(right);

	return (a < b) - (a > b);
}

void add_line_limits(struct bench *bench, struct experiment *experiment,
		     const char *heading, const struct bench_shape *shape,
		     int (*run)(struct cell *, struct crew *, double *))
{
	struct experiment trial = { .more_is_better = true };
	const unsigned tried = bench->quick ? 12 : 36;
	unsigned n = 0;

	while (n < tried) {
		const uint32_t v =
			(uint32_t)rand_r(&bench->seed) % LINE_VARIANTS;
		struct cell *cell;

		if (!line_variant_works(v))
			continue;
		cell = experiment_add(&trial, heading, &bench_line, shape, run);
		cell->shape.variant = v;
		line_variant_name(v, cell->api, sizeof(cell->api));
		n++;
	}
	experiment_run(bench, &trial, 0);
	qsort(trial.cells, trial.ncells, sizeof(*trial.cells), by_best);
	for (unsigned i = 0; i < TUNED; i++) {
		struct cell *const cell = experiment_add(
			experiment, heading, &bench_line, shape, run);

		cell->shape.variant = trial.cells[i].shape.variant;
		line_variant_name(cell->shape.variant, cell->api,
				  sizeof(cell->api));
	}
	for (size_t i = 0; i < trial.ncells; i++)
		free(trial.cells[i].samples);
	free(trial.cells);
}

static void add_all(struct bench *bench, struct experiment *experiment,
		    const char *heading, const struct bench_shape *shape,
		    uint32_t can,
		    int (*run)(struct cell *, struct crew *, double *))
{
	add_line_limits(bench, experiment, heading, shape, run);
	for (size_t i = 0; bench_contenders[i]; i++) {
		const struct bench_contender *const c = bench_contenders[i];

		/* What the kernel buffers does not hold a large ring. */
		if (run == run_backlog && c->role == BENCH_PEER &&
		    (c->can & BENCH_SLEEPS))
			continue;
		if (c->role != BENCH_LIMIT && (c->can & can) == can)
			experiment_add(experiment, heading, c, shape, run);
	}
}

void burst_cells(struct bench *bench, struct experiment *experiment)
{
	const struct bench_shape single = one_to_one(1024, 1, 1);
	const struct bench_shape b8 = one_to_one(1024, 8, 32);
	const struct bench_shape b32 = one_to_one(1024, 32, 32);
	const struct bench_shape b256 = one_to_one(1024, 256, 256);
	struct bench_shape wide = b32;

	experiment_add(experiment, "single", &bench_ring, &single, run_stream);
	add_all(bench, experiment, "single", &single, BENCH_CAN_ONE,
		run_stream);
	if (!bench->quick)
		add_all(bench, experiment, "bursts of 8", &b8, BENCH_CAN_ONE,
			run_stream);
	add_all(bench, experiment, "bursts of 32", &b32, BENCH_CAN_ONE,
		run_stream);
	if (bench->quick)
		return;
	add_all(bench, experiment, "bursts of 256", &b256, BENCH_CAN_ONE,
		run_stream);
	wide.slot_bytes = 2 * BENCH_LINE;
	add_all(bench, experiment, "bursts of 32, slots of 128 bytes", &wide,
		BENCH_CAN_ONE | BENCH_CAN_WIDE, run_stream);
}

void rings_cells(struct bench *bench, struct experiment *experiment)
{
	static const struct {
		uint32_t slots;
		const char *heading;
	} sizes[] = {
		{ 512, "512 slots" },
		{ 4096, "4,096 slots" },
		{ 16384, "16,384 slots" },
		{ 65536, "65,536 slots" },
	};

	for (size_t i = bench->quick ? 3 : 0; i < 4; i++) {
		const struct bench_shape shape =
			one_to_one(sizes[i].slots, 32, 32);

		add_line_limits(bench, experiment, sizes[i].heading, &shape,
				run_stream);
		for (size_t j = 0; bench_contenders[j]; j++) {
			const struct bench_contender *const c =
				bench_contenders[j];

			if (c->role != BENCH_LIMIT &&
			    (c->can & BENCH_CAN_ONE) &&
			    !(c->can & BENCH_SLEEPS && c->role == BENCH_PEER))
				experiment_add(experiment, sizes[i].heading, c,
					       &shape, run_stream);
		}
	}
}

void backlog_cells(struct bench *bench, struct experiment *experiment)
{
	const struct bench_shape small = one_to_one(1024, 32, 32);
	const struct bench_shape large = one_to_one(65536, 32, 32);

	if (!bench->quick)
		add_all(bench, experiment, "1,024 slots", &small, BENCH_CAN_ONE,
			run_backlog);
	add_all(bench, experiment, "65,536 slots", &large, BENCH_CAN_ONE,
		run_backlog);
}
