/* SPDX-License-Identifier: MIT */
/*
 * runs.c - what is measured of a rung, one run at a time
 *
 * The consumer takes the times, and compares what it counted with what was
 * sent: a run that lost, doubled or changed a payment does not count.
 *
 * Runs are short: a machine that is busy now and then leaves some alone.
 *
 * How fast two cores are depends on where the host has put them, so the load of
 * an open loop is a share of what rung 1 could carry just before, by the median
 * of the last few times.
 */
#include "runs.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "counters.h"

enum {
	STEP_READY,
	STEP_FULL,
	STEP_EMPTY,

	SMALL_SLOTS = 65536, /* of a ring that is run through many times */
	STREAM_MESSAGES = 60000,
	CAPACITY_MESSAGES = 60000,
	LOAD_NS = 6000000,
	CALIBRATIONS = 5,
	TRIALS = 10, /* of one calibration */
};

/* Arrivals of the next run; workers inherit them. */
static struct rung_arrivals arrivals;

static const struct rung *rung_of(const struct crew *crew)
{
	/* The contender is a rung's first member. */
	return (const struct rung *)crew->contender;
}

/* Empty at the start of each process, and a consumer's own. */
static struct rung_desk desk;

/* Books with nothing in them; their places are shared by all processes. */
static struct pay_book small_book, large_book;

int runs_init(uint32_t naccounts_large)
{
	struct pay_book *const books[] = { &small_book, &large_book };
	const uint32_t naccounts[] = { PAY_ACCOUNTS, naccounts_large };

	for (int i = 0; i < 2; i++) {
		void *const places = bench_shared(pay_book_bytes(naccounts[i]));

		if (!places)
			return -ENOMEM;
		pay_book_init(books[i], places, naccounts[i]);
	}
	return 0;
}

/* An empty book, all of which is in this process's page table. */
static void take_book(const struct crew_worker *worker)
{
	desk.book = worker->crew->shape.accounts > PAY_ACCOUNTS ? large_book :
								  small_book;
	pay_book_clear(&desk.book);
}

static void judge_book(struct crew_worker *worker, uint64_t n, bool numbered)
{
	const struct rung *const rung = rung_of(worker->crew);

	/* The plainest rings look at nothing. */
	if (rung == &rung_plain || rung == &rung_remember)
		worker->result->tally.bad = desk.book.by_type[0] != n;
	else
		worker->result->tally.bad =
			!pay_book_good(&desk.book, n, numbered);
}

/* Pass n messages or a few more, timed and counted: how many. */
static uint64_t timed(struct crew_worker *worker, uint64_t n)
{
	struct crew_result *const result = worker->result;
	struct counters counters;
	uint64_t counts[COUNTS], done;
	int64_t begin;

	counters_open(&counters);
	begin = machine_now_ns();
	counters_start(&counters);
	done = rung_of(worker->crew)->consume(&worker->side, n, &desk);
	counters_stop(&counters, counts);
	result->extra += (double)(machine_now_ns() - begin);
	result->sent += counts[COUNT_INSTRUCTIONS];
	result->sent_sum += counts[COUNT_MISSES];
	result->tally.count += done;
	counters_close(&counters);
	return done;
}

static int rates(const struct crew *crew, double *values)
{
	const struct crew_result *const r = &crew->board->results[1];
	const double n = (double)r->tally.count;

	if (r->tally.bad || r->extra <= 0)
		return -EBADMSG;
	values[RATE] = n * 1e3 / r->extra;
	values[INSTRUCTIONS] = (double)r->sent / n;
	values[MISSES] = (double)r->sent_sum / n;
	return 0;
}

static void stream(struct crew_worker *worker)
{
	const struct rung *const rung = rung_of(worker->crew);
	const uint64_t warm = worker->crew->shape.slots;
	const uint64_t n = warm + worker->crew->n;
	uint64_t done;

	if (worker->side.producer) {
		crew_meet(worker, STEP_READY, 1);
		rung->produce(&worker->side, n);
		return;
	}
	take_book(worker);
	crew_meet(worker, STEP_READY, 1);
	done = rung->consume(&worker->side, warm, &desk);
	timed(worker, n - done);
	judge_book(worker, n, true);
}

int run_rate(struct cell *cell, struct crew *crew, double *values)
{
	const uint64_t slots = crew->shape.slots;
	int ret;

	(void)cell;
	crew->work = stream;
	crew->n = slots > SMALL_SLOTS ? slots : STREAM_MESSAGES;
	ret = crew_run(crew);
	return ret < 0 ? ret : rates(crew, values);
}

/* Of a large ring once, of a small one many times. */
static uint32_t drains(const struct crew *crew)
{
	return crew->shape.slots > SMALL_SLOTS ?
		       2 :
		       STREAM_MESSAGES / crew->shape.slots;
}

static void fill(struct crew_worker *worker, uint64_t n)
{
	const int64_t begin = machine_now_ns();

	rung_of(worker->crew)->produce(&worker->side, n);
	worker->result->extra += (double)(machine_now_ns() - begin);
	worker->result->tally.count += n;
}

static void drain(struct crew_worker *worker)
{
	const uint64_t n = worker->crew->shape.slots / 2;
	const uint32_t rounds = drains(worker->crew);

	if (!worker->side.producer)
		take_book(worker);
	for (uint32_t round = 1; round <= rounds; round++) {
		if (worker->side.producer)
			fill(worker, n);
		crew_meet(worker, STEP_FULL, round);
		if (!worker->side.producer)
			timed(worker, n);
		crew_meet(worker, STEP_EMPTY, round);
	}
	if (!worker->side.producer)
		judge_book(worker, n * rounds, false);
}

int run_drain(struct cell *cell, struct crew *crew, double *values)
{
	const struct crew_result *const sender = &crew->board->results[0];
	int ret;

	(void)cell;
	crew->work = drain;
	ret = crew_run(crew);
	if (ret == 0)
		ret = rates(crew, values);
	if (ret == 0 && sender->extra > 0)
		values[FILLING] =
			(double)sender->tally.count * 1e3 / sender->extra;
	return ret;
}

/* --- Open loop ------------------------------------------------------------- */

static void open_loop(struct crew_worker *worker)
{
	const struct rung *const rung = rung_of(worker->crew);
	const uint64_t n = worker->crew->n;
	uint64_t done;

	if (worker->side.producer) {
		crew_meet(worker, STEP_READY, 1);
		/* Time for the consumer to be there. */
		arrivals.start =
			machine_ticks() +
			(uint64_t)(20e3 * worker->crew->machine->ticks_per_ns);
		rung->open(&worker->side, n, &arrivals);
		return;
	}
	take_book(worker);
	crew_meet(worker, STEP_READY, 1);
	desk.hist = &worker->board->hist;
	/* What comes first finds everything cold. */
	done = rung->consume(&worker->side, n / 10, &desk);
	memset(desk.hist, 0, sizeof(*desk.hist));
	timed(worker, n - done);
	judge_book(worker, n, false);
}

/* Exponential gaps: what many senders who know nothing of each other make. */
static void make_arrivals(double mean_ticks)
{
	unsigned seed = 7;

	for (size_t i = 0; i < RUNG_GAPS; i++) {
		const double u = ((double)rand_r(&seed) + 1) / (RAND_MAX + 2.0);

		arrivals.gaps[i] = (uint64_t)(-log(u) * mean_ticks + 0.5);
	}
}

static double mean_gap(void)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < RUNG_GAPS; i++)
		sum += arrivals.gaps[i];
	return (double)sum / RUNG_GAPS;
}

int run_capacity(struct cell *cell, struct crew *crew, double *values)
{
	int ret;

	(void)cell;
	crew->work = open_loop;
	crew->n = CAPACITY_MESSAGES;
	make_arrivals(0);
	ret = crew_run(crew);
	return ret < 0 ? ret : rates(crew, values);
}

static int ascending(const void *left, const void *right)
{
	const double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

/* What rung 1 carried the last few times. */
struct recent {
	double rates[CALIBRATIONS];
	unsigned n;
};

static double middle(const struct recent *recent)
{
	const unsigned n = recent->n < CALIBRATIONS ? recent->n : CALIBRATIONS;
	double sorted[CALIBRATIONS];

	memcpy(sorted, recent->rates, sizeof(sorted));
	qsort(sorted, n, sizeof(*sorted), ascending);
	return n ? sorted[n / 2] : 0;
}

/* What rung 1 carries these days, in million messages a second; 0: unknown. */
static double calibrate(const struct crew *crew)
{
	static struct recent small, large;
	struct recent *const recent =
		crew->shape.accounts > PAY_ACCOUNTS ? &large : &small;
	struct crew trial = *crew;
	double values[METRICS_MAX] = { 0 };
	bool good = false;

	trial.contender = &rung_packed.contender;
	trial.shape.variant = 0;
	/* One that others disturbed says nothing, unless there is no better. */
	for (int i = 0; i < TRIALS && !good; i++)
		good = run_capacity(NULL, &trial, values) == 0 && trial.quiet;
	if (values[RATE] > 0 && (good || recent->n == 0))
		recent->rates[recent->n++ % CALIBRATIONS] = values[RATE];
	return middle(recent);
}

int run_load(struct cell *cell, struct crew *crew, double *values)
{
	const double ticks_per_ns = crew->machine->ticks_per_ns;
	const struct hist *const hist = &crew->board->hist;
	static const double shares[] = { 0.5, 0.99, 0.999 };
	double offered = calibrate(crew) * cell->shape.variant / 1000;
	double got[METRICS_MAX] = { 0 };
	int ret;

	if (offered <= 0)
		return -EAGAIN;
	crew->work = open_loop;
	crew->n = (uint64_t)(offered * LOAD_NS / 1e3);
	make_arrivals(ticks_per_ns * 1e3 / offered);
	offered = ticks_per_ns * 1e3 / mean_gap();
	ret = crew_run(crew);
	if (ret == 0)
		ret = rates(crew, got);
	if (ret < 0)
		return ret;
	for (int i = 0; i < 3; i++)
		values[i] =
			(double)hist_percentile(hist, shares[i]) / ticks_per_ns;
	values[OFFERED] = offered;
	values[CARRIED] = 100 * got[RATE] / offered;
	return 0;
}
