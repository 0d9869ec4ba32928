/* SPDX-License-Identifier: MIT */
/*
 * exp_latency.c - experiment 2: round trips, and one way at a fixed load
 *
 * A round trip goes through two channels; the time from one return to the next
 * counts, so that the clock is read once each. One way, messages are due at
 * fixed times whatever happened to those before them, and are timed from when
 * they were due: a stall counts for all that it delayed.
 */
#include <errno.h>
#include <string.h>

#include "experiment.h"

#define WARM 500

static void note(const struct crew_worker *worker, uint64_t ticks)
{
	/* In tenths of a ns. */
	hist_add(&worker->board->hist,
		 (uint64_t)((double)ticks * 10 /
			    worker->crew->machine->ticks_per_ns));
}

static void round_trips(struct crew_worker *worker)
{
	const struct bench_contender *const contender = worker->crew->contender;
	const uint64_t n = worker->crew->n + WARM;
	struct bench_message m = { 0 };
	uint64_t last = 0;

	for (uint64_t i = 1; i <= n; i++) {
		if (crew_is_producer(worker)) {
			m.number = i;
			m.check = ~i;
			contender->send(&worker->side, &m);
			contender->recv(&worker->other, &m);
			const uint64_t now = machine_ticks();

			if (i > WARM)
				note(worker, now - last);
			last = now;
		} else {
			contender->recv(&worker->side, &m);
			contender->send(&worker->other, &m);
		}
		worker->result->tally.bad |= m.number ^ i;
	}
}

static void read_histogram(const struct hist *hist, double *values)
{
	static const double shares[] = { 0.5, 0.9, 0.99, 0.999 };

	for (size_t i = 0; i < 4; i++)
		values[i] = (double)hist_percentile(hist, shares[i]) / 10;
	values[4] = (double)hist->max / 10;
}

static int run_round(struct cell *cell, struct crew *crew, double *values)
{
	const struct crew_result *const r = crew->board->results;
	int ret;

	crew->work = round_trips;
	crew->nchannels = 2;
	ret = crew_run(crew);
	if (ret < 0)
		return ret;
	if (r[0].tally.bad | r[1].tally.bad)
		return -EBADMSG;
	read_histogram(&crew->board->hist, values);
	/* 20 ms, but enough for a p99.9. */
	cell->n = (uint64_t)(20e6 / values[0]);
	cell->n = cell->n < 4000 ? 4000 : cell->n > 50000 ? 50000 : cell->n;
	return 0;
}

static void open_loop(struct crew_worker *worker)
{
	const struct crew *const crew = worker->crew;
	const uint64_t interval = (uint64_t)((double)crew->interval_ns *
					     crew->machine->ticks_per_ns);
	const uint64_t n = crew->n + WARM / 10;
	struct bench_message m = { 0 };
	uint64_t due = machine_ticks() + 20 * interval;

	for (uint64_t i = 1; i <= n; i++, due += interval) {
		if (crew_is_producer(worker)) {
			while (machine_ticks() < due)
				bench_pause();
			m.number = i;
			m.check = due;
			crew->contender->send(&worker->side, &m);
		} else {
			crew->contender->recv(&worker->side, &m);
			const uint64_t now = machine_ticks();

			worker->result->tally.bad |= m.number ^ i;
			if (i > WARM / 10)
				note(worker, now > m.check ? now - m.check : 0);
		}
	}
}

static int run_open(struct cell *cell, struct crew *crew, double *values)
{
	int ret;

	crew->work = open_loop;
	crew->n = (uint64_t)(40000000 / cell->interval_ns);
	ret = crew_run(crew);
	if (ret < 0)
		return ret;
	if (crew->board->results[1].tally.bad)
		return -EBADMSG;
	read_histogram(&crew->board->hist, values);
	return 0;
}

static const char *const wait_names[] = { "", ", busy", ", sleeping" };

static void add_waiting(struct experiment *experiment, const char *heading,
			const struct bench_contender *contender,
			enum bench_wait wait, int64_t interval_ns,
			int (*run)(struct cell *, struct crew *, double *))
{
	struct bench_shape shape = one_to_one(1024, 1, 1);
	struct cell *cell;

	shape.wait = wait;
	cell = experiment_add(experiment, heading, contender, &shape, run);
	strncat(cell->label, wait_names[wait],
		sizeof(cell->label) - strlen(cell->label) - 1);
	cell->interval_ns = interval_ns;
}

void round_cells(struct bench *bench, struct experiment *experiment)
{
	(void)bench;
	for (size_t i = 0; bench_contenders[i]; i++) {
		const struct bench_contender *const c = bench_contenders[i];

		if (c->can & BENCH_CAN_ROUND)
			add_waiting(experiment, "round trip", c,
				    BENCH_WAIT_DEFAULT, 0, run_round);
	}
	add_waiting(experiment, "round trip", &bench_hotline, BENCH_WAIT_BUSY,
		    0, run_round);
	add_waiting(experiment, "round trip", &bench_hotline, BENCH_WAIT_SLEEP,
		    0, run_round);
}

static void open_case(struct experiment *experiment, const char *heading,
		      int64_t interval_ns, bool sleepers, bool pollers)
{
	for (size_t i = 0; bench_contenders[i]; i++) {
		const struct bench_contender *const c = bench_contenders[i];
		const bool sleeps = (c->can & BENCH_SLEEPS) &&
				    c->role == BENCH_PEER;

		if (c->role == BENCH_PEER && (c->can & BENCH_CAN_ROUND) &&
		    (sleeps ? sleepers : pollers))
			add_waiting(experiment, heading, c, BENCH_WAIT_DEFAULT,
				    interval_ns, run_open);
	}
	if (pollers)
		add_waiting(experiment, heading, &bench_hotline,
			    BENCH_WAIT_BUSY, interval_ns, run_open);
	add_waiting(experiment, heading, &bench_hotline, BENCH_WAIT_DEFAULT,
		    interval_ns, run_open);
	if (sleepers)
		add_waiting(experiment, heading, &bench_hotline,
			    BENCH_WAIT_SLEEP, interval_ns, run_open);
}

void open_cells(struct bench *bench, struct experiment *experiment)
{
	if (!bench->quick)
		open_case(experiment, "1,000,000 a second", 1000, false, true);
	open_case(experiment, "100,000 a second", 10000, false, true);
	open_case(experiment, "5,000 a second", 200000, true, false);
}
