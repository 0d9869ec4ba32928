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

#define QUICK_SECONDS 20
#define FULL_SECONDS 400

#define M_PER_S "million messages a second"
#define RATE_METRICS                                                           \
	.metrics = { "M/s", "instructions", "cache misses", "filling M/s" },   \
	.nmetrics = 1, .more_is_better = true
#define LOAD_METRICS                                                           \
	.unit = "ns",                                                          \
	.metrics = { "p50", "p99", "p99.9", "offered M/s", "carried %" },      \
	.nmetrics = OPENS

enum {
	SMALL_SLOTS = 4096,
	LAST_LEVEL_BYTES = 32 << 20, /* where the system does not know */
	SLOTS_MOST = 1 << 23,
	MESSAGE_BYTES = 320, /* of a slot, and its share of an arena */
};

static struct experiment experiments[EXPERIMENTS] = {
	[E_SMALL] = { .name = "fits",
		      .title = "Both at full speed, in the cache",
		      .unit = M_PER_S,
		      .text = "The ring and the routing table fit",
		      RATE_METRICS,
		      .share = 0.08 },
	[E_LARGE] = { .name = "larger",
		      .title = "Both at full speed, larger than the cache",
		      .unit = M_PER_S,
		      .text = "Neither the ring nor the routing table fit in "
			      "the last-level cache",
		      RATE_METRICS,
		      .share = 0.17 },
	[E_DRAIN_SMALL] = { .name = "empty-fits",
			    .title = "Emptying half a ring, in the cache",
			    .unit = M_PER_S,
			    .text = "The sender rests: what the fast path "
				    "itself can do",
			    RATE_METRICS,
			    .share = 0.05 },
	[E_DRAIN_LARGE] = { .name = "empty-larger",
			    .title = "Emptying half a ring, larger than the "
				     "cache",
			    .unit = M_PER_S,
			    .text = "The same, with all lines in memory",
			    RATE_METRICS,
			    .share = 0.12 },
	[E_CAPACITY] = { .name = "capacity",
			 .title = "At full speed, with the clock read",
			 .unit = M_PER_S,
			 .text = "What can be carried when the consumer times "
				 "each message",
			 RATE_METRICS,
			 .share = 0.06 },
	[E_LOAD] = { .name = "load",
		     .title = "Latency at equal load",
		     .text = "From when a message was due to when it was "
			     "counted; arrivals at random; the load is the same "
			     "for all, a share of what rung 1 carried just "
			     "before. Where less than 100 % were carried, times "
			     "are how long the run lasted",
		     LOAD_METRICS,
		     .share = 0.32 },
	[E_IDLE] = { .name = "idle",
		     .title = "What idle cores lose",
		     .unit = "ns",
		     .text = "Both cores read the clock and do nothing else. "
			     "The percentiles are how long a message would "
			     "wait, due at any time, if nothing but the gaps "
			     "were in its way",
		     .metrics = { "p99", "p99.9", "longest gap", "gaps/s",
				  "lost %" },
		     .nmetrics = IDLES,
		     .share = 0.02 },
	[E_LOAD_LARGE] = { .name = "load-larger",
			   .title = "Latency at equal load, larger than the "
				    "cache",
			   .text = "The same with the large ring and the large "
				   "routing table, and what rung 1 carried "
				   "with these",
			   LOAD_METRICS,
			   .share = 0.18 },
};

static const struct {
	uint32_t thousandths;
	const char *heading;
	bool quick, larger;
} loads[] = {
	{ 250, "25 % of what rung 1 carries", false, false },
	{ 500, "50 % of what rung 1 carries", true, false },
	{ 800, "80 % of what rung 1 carries", false, false },
	{ 950, TABLE_GOAL_LOAD, true, true },
	{ 1100, "110 % of what rung 1 carries", false, false },
	{ 1500, "150 % of what rung 1 carries", true, false },
	{ 2000, "200 % of what rung 1 carries", false, false },
	{ 3000, "300 % of what rung 1 carries", true, false },
	{ 4000, "400 % of what rung 1 carries", false, false },
};

/* How large "larger than the cache" is. */
static struct {
	uint64_t cache_bytes;
	uint32_t slots, accounts;
} large;

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

/* Memory that is free, more or less; all of it where nobody tells. */
static uint64_t available_bytes(void)
{
	FILE *const file = fopen("/proc/meminfo", "r");
	unsigned long kib = 0;
	char line[128];

	while (file && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "MemAvailable: %lu", &kib) == 1)
			break;
	}
	if (file)
		fclose(file);
	return kib ? (uint64_t)kib << 10 : UINT64_MAX;
}

/* Lines of slots alone twice the last-level cache, and a routing table four
 * times, of which half the lines are in use: or as much of that as an eighth of
 * the memory holds. */
static void choose_large(void)
{
	const uint64_t most = available_bytes() / 8;
	uint32_t slots = 1 << 17;

	large.cache_bytes = last_level_bytes();
	while ((uint64_t)slots * BENCH_LINE < 2 * large.cache_bytes &&
	       slots < SLOTS_MOST && 2ull * slots * MESSAGE_BYTES <= most)
		slots *= 2;
	large.slots = slots;
	large.accounts = slots;
	while (pay_book_bytes(large.accounts) < 4 * large.cache_bytes &&
	       2 * pay_book_bytes(large.accounts) <= most)
		large.accounts *= 2;
}

/* A case, and who takes part in it. */
struct part {
	const char *heading;
	uint32_t load;	  /* thousandths; 0: at full speed */
	unsigned first;	  /* rung */
	bool large, bare; /* those beside rungs too, all or the limit alone */
};

static void add_rung(struct experiment *e, const struct part *part,
		     const struct rung *rung,
		     int (*run)(struct cell *, struct crew *, double *))
{
	const struct bench_shape shape = {
		.slots = part->large ? large.slots : SMALL_SLOTS,
		.accounts = part->large ? large.accounts : PAY_ACCOUNTS,
		.slot_bytes = rung->contender.mode,
		.burst = rung->batches ? RUNG_BURST : 1,
		.take = rung->batches ? RUNG_TAKE : 1,
		.producers = 1,
		.consumers = 1,
		.wait = BENCH_WAIT_BUSY,
		.variant = part->load,
	};

	experiment_add(e, part->heading, &rung->contender, &shape, run);
}

static void add(struct experiment *e, struct part part,
		int (*run)(struct cell *, struct crew *, double *))
{
	for (unsigned r = part.first; r < RUNGS_ALL; r++) {
		if (r < RUNGS || r == RUNG_LINE || part.bare)
			add_rung(e, &part, rungs[r], run);
	}
}

static void add_loads(const struct bench *bench)
{
	for (size_t i = 0; i < sizeof(loads) / sizeof(*loads); i++) {
		struct part part = { .heading = loads[i].heading,
				     .load = loads[i].thousandths,
				     .first = 1 };

		if (!bench->quick || loads[i].quick)
			add(&experiments[E_LOAD], part, run_load);
		part.large = true;
		if (loads[i].larger)
			add(&experiments[E_LOAD_LARGE], part, run_load);
	}
}

static void add_all(const struct bench *bench)
{
	struct part part = { .heading = "fits", .bare = true };
	const struct bench_shape pair = { .producers = 1, .consumers = 1 };
	struct cell *idle;

	add(&experiments[E_SMALL], part, run_rate);
	add(&experiments[E_DRAIN_SMALL], part, run_drain);
	part.large = true;
	part.heading = "larger than the cache";
	add(&experiments[E_LARGE], part, run_rate);
	add(&experiments[E_DRAIN_LARGE], part, run_drain);
	part = (struct part){ .heading = "fits", .first = 1 };
	add(&experiments[E_CAPACITY], part, run_capacity);
	add_loads(bench);
	idle = experiment_add(&experiments[E_IDLE], "idle", NULL, &pair,
			      run_idle);
	snprintf(idle->label, sizeof(idle->label), "two idle loops");
}

static double mib(uint64_t bytes)
{
	return (double)bytes / (1 << 20);
}

static void print_sizes(void)
{
	const uint64_t lines = (uint64_t)large.slots * BENCH_LINE;

	printf("\nThe last-level cache has %.0f MiB, by what the system says. "
	       "What fits: %u messages and %u accounts. Larger: %u messages, "
	       "%.0f MiB in lines of slots alone, and %u accounts in a table of "
	       "%.0f MiB%s.\n",
	       mib(large.cache_bytes), SMALL_SLOTS, PAY_ACCOUNTS, large.slots,
	       mib(lines), large.accounts, mib(pay_book_bytes(large.accounts)),
	       lines < 2 * large.cache_bytes ?
		       ": **as large as memory allows, not twice the cache**" :
		       "");
}

/* Runs that are neither near nor far. */
static size_t moves(const struct bench *bench, const struct cell *cell)
{
	size_t n = 0;

	for (size_t i = 0; i < cell->nsamples; i++)
		n += sample_place(bench, &cell->samples[i]) == PLACE_MIXED;
	return n;
}

static void print_machine(const struct bench *bench)
{
	const time_t now = time(NULL);
	size_t runs = 0, unquiet = 0, moved = 0, failed = 0;
	double load = 0;
	char date[32];

	strftime(date, sizeof(date), "%Y-%m-%d %H:%M UTC", gmtime(&now));
	getloadavg(&load, 1);
	for (size_t e = 0; e < EXPERIMENTS; e++) {
		for (size_t c = 0; c < experiments[e].ncells; c++) {
			runs += experiments[e].cells[c].nsamples;
			unquiet += experiments[e].cells[c].unquiet;
			failed += experiments[e].cells[c].failed;
			moved += moves(bench, &experiments[e].cells[c]);
		}
	}
	printf("%s, %s; %s; %s; %u cores, load %.1f at the end.\n\n", date,
	       bench->machine.model, bench->machine.kernel,
	       bench->machine.compiler, bench->machine.ncores, load);
	printf("%zu runs; in %zu other processes used the cores%s; in %zu the "
	       "cores moved, which are left out; %zu failed.\n",
	       runs, unquiet,
	       bench->noisy ?
		       "; **these count too: the machine was not quiet**" :
		       ", which are left out",
	       moved, failed);
	if (bench->near_below > 0)
		printf("Near is less than %.0f ns for a line there and "
		       "back.\n",
		       bench->near_below);
	print_sizes();
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
	for (size_t i = 0; i <= E_CAPACITY; i++)
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
	struct table_count counts[RUNGS_ALL];

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
	choose_large();
	if (runs_init(large.accounts) < 0)
		return 1;
	add_all(&bench);
	measure(&bench, options.names);
	print_all(&bench, options.counts);
	ret = options.out ? write_files(&bench, options.out) : 0;
	if (ret < 0)
		fprintf(stderr, "bench-layout: %s: %s\n", options.out,
			strerror(-ret));
	return ret < 0;
}
