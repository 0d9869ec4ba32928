/* SPDX-License-Identifier: MIT */
/*
 * exp_many.c - experiment 3: many producers, many consumers, many groups
 *
 * Producers send for a fixed time; the last one to stop sends what ends the
 * consumers, as many as they may take before they look. The rate is of what all consumers got, from the start to when the
 * last of them ended. Fair is how much the one who did least did of what the
 * one who did most did, among producers and among consumers: the worse of both.
 * More runners than cores share the cores, and yield while they spin.
 */
#include <errno.h>
#include <stdatomic.h>

#include "experiment.h"

static void produce_for_a_while(struct crew_worker *worker)
{
	const struct crew *const crew = worker->crew;
	const struct bench_shape *const shape = &crew->shape;
	const int64_t end = machine_now_ns() + crew->interval_ns;
	const uint64_t n = 4 * (uint64_t)shape->burst;
	uint64_t sent = 0;

	while (machine_now_ns() < end) {
		crew->contender->produce(&worker->side, sent + 1, n);
		sent += n;
	}
	worker->result->sent = sent;
	worker->result->sent_sum = sent * (sent + 1) / 2;
	if (atomic_fetch_sub(&worker->board->producers_left, 1) == 1)
		crew->contender->end(&worker->side,
				     crew->contender->one_by_one ?
					     shape->consumers :
					     (uint64_t)shape->consumers *
						     shape->take);
}

static void many(struct crew_worker *worker)
{
	if (worker->side.producer)
		produce_for_a_while(worker);
	else
		worker->crew->contender->consume(&worker->side, UINT64_MAX,
						 &worker->result->tally);
}

/* The least of the most. */
static double fairness(const struct crew_result *results, uint32_t n,
		       bool producers)
{
	double least = 0, most = 0;

	for (uint32_t i = 0; i < n; i++) {
		const double did = (double)(producers ? results[i].sent :
							results[i].tally.count);

		if (i == 0 || did < least)
			least = did;
		if (did > most)
			most = did;
	}
	return most > 0 ? least / most : 0;
}

static int run_many(struct cell *cell, struct crew *crew, double *values)
{
	const struct crew_result *const r = crew->board->results;
	const uint32_t producers = crew->shape.producers;
	uint64_t sent = 0, got = 0, sum = 0, bad = 0;
	int64_t begin = 0, end = 0;
	int ret;

	(void)cell;
	crew->work = many;
	ret = crew_run(crew);
	if (ret < 0)
		return ret;
	for (uint32_t i = 0; i < crew->nworkers; i++) {
		if (i == 0 || r[i].begin_ns < begin)
			begin = r[i].begin_ns;
		if (r[i].end_ns > end)
			end = r[i].end_ns;
		sent += r[i].sent;
		got += r[i].tally.count;
		sum += r[i].sent_sum - r[i].tally.sum;
		bad |= r[i].tally.bad;
	}
	if (sent != got || sum != 0 || bad)
		return -EBADMSG;
	values[0] = (double)got * 1e3 / (double)(end - begin);
	values[1] = 100 * fairness(r, producers, true);
	values[2] = 100 * fairness(r + producers, crew->shape.consumers, false);
	return 0;
}

void many_cells(struct bench *bench, struct experiment *experiment)
{
	static const struct {
		uint32_t producers, consumers;
		const char *heading;
	} cases[] = {
		{ 2, 1, "2 to 1" }, { 1, 2, "1 to 2" }, { 2, 2, "2 to 2" },
		{ 4, 4, "4 to 4" }, { 8, 8, "8 to 8" },
	};

	for (size_t i = bench->quick ? 2 : 0; i < (bench->quick ? 4 : 5); i++) {
		struct bench_shape shape = one_to_one(1024, 32, 32);

		shape.producers = cases[i].producers;
		shape.consumers = cases[i].consumers;
		for (size_t j = 0; bench_contenders[j]; j++) {
			const struct bench_contender *const c =
				bench_contenders[j];

			if (c->can & BENCH_CAN_MANY)
				experiment_add(experiment, cases[i].heading, c,
					       &shape, run_many)
					->interval_ns = 40000000;
		}
	}
}

/* All consumers see all: the slowest one's rate. */
static void broadcast(struct crew_worker *worker)
{
	const struct bench_contender *const contender = worker->crew->contender;

	if (worker->side.producer)
		contender->produce(&worker->side, 1, worker->crew->n);
	else
		contender->consume(&worker->side, worker->crew->n,
				   &worker->result->tally);
}

static int run_broadcast(struct cell *cell, struct crew *crew, double *values)
{
	const struct crew_result *const r = crew->board->results;
	int64_t end = 0;
	int ret;

	crew->work = broadcast;
	ret = crew_run(crew);
	if (ret < 0)
		return ret;
	for (uint32_t i = 1; i < crew->nworkers; i++) {
		if (!tally_good(&r[i].tally, crew->n))
			return -EBADMSG;
		if (r[i].end_ns > end)
			end = r[i].end_ns;
	}
	values[0] = (double)crew->n * 1e3 / (double)(end - r[0].begin_ns);
	cell->per_second = values[0] * 1e6;
	return 0;
}

void broadcast_cells(struct bench *bench, struct experiment *experiment)
{
	static const char *const headings[] = { "1 group", "2 groups", NULL,
						"4 groups" };

	for (uint32_t groups = 1; groups <= 4; groups *= 2) {
		struct bench_shape shape = one_to_one(1024, 32, 32);
		const char *const heading = headings[groups - 1];

		if (bench->quick && groups != 2)
			continue;
		shape.consumers = groups;
		shape.broadcast = true;
		add_line_limits(bench, experiment, heading, &shape,
				run_broadcast);
		experiment_add(experiment, heading, &bench_hotline, &shape,
			       run_broadcast);
		experiment_add(experiment, heading, &bench_hotline_sole, &shape,
			       run_broadcast);
	}
}
