/* SPDX-License-Identifier: MIT */
/*
 * main.c - run the rungs, print their tables, write their samples
 *
 *	bench-layout [--quick] [--noisy] [--seconds N] [--cores LIST]
 *		     [--counts FILE] [--out FOLDER] [EXPERIMENT...]
 *
 * FILE is what counts.sh wrote. --noisy also counts runs that other processes
 * disturbed.
 */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

#include "table.h"

#define QUICK_SECONDS 50
#define FULL_SECONDS 300

#define M_PER_S "million messages a second"
#define RATE_METRICS                                                           \
	.metrics = { "M/s", "instructions", "cache misses", "filling M/s" },   \
	.nmetrics = 1, .more_is_better = true

enum {
	SMALL_SLOTS = 4096,
	LAST_LEVEL_BYTES = 32 << 20, /* where the system does not know */
};

static struct experiment experiments[EXPERIMENTS] = {
	[E_SMALL] = { .name = "fits",
		      .title = "Both at full speed, in the cache",
		      .unit = M_PER_S,
		      .text = "4,096 messages fit in the ring",
		      RATE_METRICS,
		      .share = 0.1 },
	[E_LARGE] = { .name = "larger",
		      .title = "Both at full speed, larger than the cache",
		      .unit = M_PER_S,
		      .text = "Slots of one line alone are twice the last-level "
			      "cache",
		      RATE_METRICS,
		      .share = 0.15 },
	[E_DRAIN_SMALL] = { .name = "empty-fits",
			    .title = "Emptying half a ring, in the cache",
			    .unit = M_PER_S,
			    .text = "The sender rests: what the fast path "
				    "itself can do",
			    RATE_METRICS,
			    .share = 0.1 },
	[E_DRAIN_LARGE] = { .name = "empty-larger",
			    .title = "Emptying half a ring, larger than the "
				     "cache",
			    .unit = M_PER_S,
			    .text = "The same, with all lines in memory",
			    RATE_METRICS,
			    .share = 0.15 },
	[E_CAPACITY] = { .name = "capacity",
			 .title = "At full speed, with the clock read",
			 .unit = M_PER_S,
			 .text = "What can be carried when the consumer times "
				 "each message",
			 RATE_METRICS,
			 .share = 0.1 },
	[E_LOAD] = { .name = "load",
		     .title = "Latency at equal load",
		     .unit = "ns",
		     .text = "From when a message was due to when it was "
			     "counted; arrivals at random; the load is the same "
			     "for all, a share of what rung 1 carried just "
			     "before. Where less than 100 % were carried, times "
			     "are how long the run lasted",
		     .metrics = { "p50", "p99", "p99.9", "offered M/s",
				  "carried %" },
		     .nmetrics = OPENS,
		     .share = 0.4 },
};

static const struct {
	uint32_t thousandths;
	const char *heading;
	bool quick;
} loads[] = {
	{ 250, "25 % of what rung 1 carries", false },
	{ 500, "50 % of what rung 1 carries", true },
	{ 800, "80 % of what rung 1 carries", false },
	{ 950, TABLE_GOAL_LOAD, true },
	{ 1100, "110 % of what rung 1 carries", false },
	{ 1500, "150 % of what rung 1 carries", true },
	{ 2000, "200 % of what rung 1 carries", false },
	{ 3000, "300 % of what rung 1 carries", true },
	{ 4000, "400 % of what rung 1 carries", false },
};

/* Of one core's last level: what sysconf() says may be of all together. */
static uint64_t last_level_bytes(void)
{
	FILE *const file =
		fopen("/sys/devices/system/cpu/cpu0/cache/index3/size", "r");
	unsigned long kib = 0;

	if (!file)
		return LAST_LEVEL_BYTES;
	if (fscanf(file, "%luK", &kib) != 1)
		kib = 0;
	fclose(file);
	return kib ? (uint64_t)kib << 10 : LAST_LEVEL_BYTES;
}

/* So many slots that their lines are twice the last-level cache. */
static uint32_t large_slots(void)
{
	const uint64_t cache = last_level_bytes();
	uint32_t slots = 1 << 17;

	while ((uint64_t)slots * BENCH_LINE < 2 * cache && slots < 1u << 23)
		slots *= 2;
	return slots;
}

static void add(struct experiment *e, const char *heading, unsigned first,
		uint32_t slots, uint32_t load,
		int (*run)(struct cell *, struct crew *, double *))
{
	for (unsigned r = first; r < RUNGS; r++) {
		const struct bench_shape shape = {
			.slots = slots,
			.slot_bytes = rungs[r]->contender.mode,
			.burst = rungs[r]->batches ? RUNG_BURST : 1,
			.take = rungs[r]->batches ? RUNG_TAKE : 1,
			.producers = 1,
			.consumers = 1,
			.wait = BENCH_WAIT_BUSY,
			.variant = load,
		};

		experiment_add(e, heading, &rungs[r]->contender, &shape, run);
	}
}

static void add_all(const struct bench *bench)
{
	const uint32_t large = large_slots();

	add(&experiments[E_SMALL], "4,096 messages", 0, SMALL_SLOTS, 0,
	    run_rate);
	add(&experiments[E_LARGE], "larger than the cache", 0, large, 0,
	    run_rate);
	add(&experiments[E_DRAIN_SMALL], "4,096 messages", 0, SMALL_SLOTS, 0,
	    run_drain);
	add(&experiments[E_DRAIN_LARGE], "larger than the cache", 0, large, 0,
	    run_drain);
	add(&experiments[E_CAPACITY], "4,096 messages", 1, SMALL_SLOTS, 0,
	    run_capacity);
	for (size_t i = 0; i < sizeof(loads) / sizeof(*loads); i++) {
		if (!bench->quick || loads[i].quick)
			add(&experiments[E_LOAD], loads[i].heading, 1,
			    SMALL_SLOTS, loads[i].thousandths, run_load);
	}
}

static void print_machine(const struct bench *bench)
{
	const time_t now = time(NULL);
	size_t runs = 0, unquiet = 0, failed = 0;
	double load = 0;
	char date[32];

	strftime(date, sizeof(date), "%Y-%m-%d %H:%M UTC", gmtime(&now));
	getloadavg(&load, 1);
	for (size_t e = 0; e < EXPERIMENTS; e++) {
		for (size_t c = 0; c < experiments[e].ncells; c++) {
			runs += experiments[e].cells[c].nsamples;
			unquiet += experiments[e].cells[c].unquiet;
			failed += experiments[e].cells[c].failed;
		}
	}
	printf("%s, %s; %s; %s; %u cores, load %.1f at the end.\n\n", date,
	       bench->machine.model, bench->machine.kernel,
	       bench->machine.compiler, bench->machine.ncores, load);
	printf("%zu runs; in %zu other processes used the cores%s; %zu "
	       "failed.\n",
	       runs, unquiet,
	       bench->noisy ?
		       "; **these count too: the machine was not quiet**" :
		       ", which are left out",
	       failed);
	if (bench->near_below > 0)
		printf("Near is less than %.0f ns for a line there and "
		       "back.\n",
		       bench->near_below);
}

static bool measured(const struct experiment *e)
{
	for (size_t c = 0; c < e->ncells; c++) {
		if (e->cells[c].nsamples)
			return true;
	}
	return false;
}

/* P99 has a plot of its own: a copy of the experiment whose first value it is. */
static int plot_p99(const struct bench *bench, const char *out)
{
	struct experiment p99 = experiments[E_LOAD];

	p99.name = "load-p99";
	p99.metrics[0] = p99.metrics[P99];
	for (size_t c = 0; c < p99.ncells; c++) {
		for (size_t i = 0; i < p99.cells[c].nsamples; i++) {
			double *const v = p99.cells[c].samples[i].values;

			v[P50] = v[P99];
		}
	}
	/* Samples are shared: this is done last. */
	return plot_write(bench, &p99, out);
}

static int write_files(const struct bench *bench, const char *out)
{
	char path[4096];
	int ret;

	if (mkdir(out, 0777) < 0 && errno != EEXIST)
		return -errno;
	snprintf(path, sizeof(path), "%s/bench.json", out);
	/* Here all that was measured, also what no table shows. */
	for (size_t i = 0; i < E_LOAD; i++)
		experiments[i].nmetrics = RATES;
	ret = json_write(bench, path);
	for (size_t i = 0; i < EXPERIMENTS && ret == 0; i++) {
		if (measured(&experiments[i]))
			ret = plot_write(bench, &experiments[i], out);
	}
	if (ret == 0 && measured(&experiments[E_LOAD]))
		ret = plot_p99(bench, out);
	return ret;
}

struct options {
	const char *out, *cores, *counts;
	char *const *names; /* of experiments; none is all */
};

static int parse(struct bench *bench, int argc, char **argv,
		 struct options *options)
{
	static const struct option known[] = {
		{ "quick", no_argument, NULL, 'q' },
		{ "noisy", no_argument, NULL, 'n' },
		{ "seconds", required_argument, NULL, 's' },
		{ "cores", required_argument, NULL, 'c' },
		{ "counts", required_argument, NULL, 't' },
		{ "out", required_argument, NULL, 'o' },
		{ NULL, 0, NULL, 0 },
	};
	int c;

	while ((c = getopt_long(argc, argv, "", known, NULL)) != -1) {
		if (c == 'q')
			bench->quick = true;
		else if (c == 'n')
			bench->noisy = true;
		else if (c == 's')
			bench->seconds = strtod(optarg, NULL);
		else if (c == 'c')
			options->cores = optarg;
		else if (c == 't')
			options->counts = optarg;
		else if (c == 'o')
			options->out = optarg;
		else
			return -EINVAL;
	}
	if (bench->seconds <= 0)
		bench->seconds = bench->quick ? QUICK_SECONDS : FULL_SECONDS;
	options->names = argv + optind;
	return 0;
}

static bool chosen(const char *name, char *const *names)
{
	if (!*names)
		return true;
	for (; *names; names++) {
		if (strcmp(name, *names) == 0)
			return true;
	}
	return false;
}

static void measure(struct bench *bench, char *const *names)
{
	add_all(bench);
	for (size_t i = 0; i < EXPERIMENTS; i++) {
		struct experiment *const e = &experiments[i];

		if (!chosen(e->name, names))
			continue;
		fprintf(stderr, "bench-layout: %s\n", e->title);
		experiment_run(bench, e, bench->seconds * e->share);
	}
	bench_classify(bench);
}

static void print_all(const struct bench *bench, const char *path)
{
	struct table_count counts[RUNGS];

	table_counts(path, counts);
	print_machine(bench);
	table_rungs(bench, counts);
	table_goals(bench, counts);
	for (size_t i = 0; i < EXPERIMENTS; i++) {
		if (measured(&experiments[i]))
			report_table(bench, &experiments[i]);
	}
}

int main(int argc, char **argv)
{
	struct bench bench = {
		.experiments = experiments,
		.nexperiments = EXPERIMENTS,
		.seed = 1,
	};
	struct options options = { 0 };
	sigset_t set;
	int ret = parse(&bench, argc, argv, &options);

	if (ret == 0)
		ret = machine_init(&bench.machine, options.cores);
	if (ret < 0 || bench.machine.ncores < 2) {
		fprintf(stderr,
			"usage: bench-layout [--quick] [--noisy] "
			"[--seconds N] [--cores LIST] [--counts FILE] "
			"[--out FOLDER] [EXPERIMENT...]\nIt takes two cores.\n");
		return 2;
	}
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	bench.board = bench_shared(sizeof(*bench.board));
	if (!bench.board)
		return 1;
	measure(&bench, options.names);
	print_all(&bench, options.counts);
	ret = options.out ? write_files(&bench, options.out) : 0;
	if (ret < 0)
		fprintf(stderr, "bench-layout: %s: %s\n", options.out,
			strerror(-ret));
	return ret < 0;
}
