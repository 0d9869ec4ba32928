/* SPDX-License-Identifier: MIT */
/*
 * main.c - run the experiments, print their tables, write their samples
 *
 *	bench [--quick] [--noisy] [--seconds N] [--cores LIST] [--out FOLDER]
 *	      [EXPERIMENT...]
 *
 * Runs during which other processes used the cores are counted, and left out of
 * the tables; --noisy keeps them, for trying things out on a busy machine.
 */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "experiment.h"

#define QUICK_SECONDS 35
#define FULL_SECONDS 420

#define M_PER_S "million messages a second"

static struct experiment experiments[] = {
	{ .name = "burst",
	  .title = "1x1 by burst",
	  .unit = M_PER_S,
	  .text = "Rings of 1,024 slots; both sides hand over as many at a "
		  "time as the heading says, the consumer at the producer's "
		  "heels",
	  .metrics = { "M/s" },
	  .nmetrics = 1,
	  .more_is_better = true,
	  .share = 0.22 },
	{ .name = "rings",
	  .title = "1x1 by size of ring",
	  .unit = M_PER_S,
	  .text = "Bursts of 32",
	  .metrics = { "M/s" },
	  .nmetrics = 1,
	  .more_is_better = true,
	  .share = 0.14 },
	{ .name = "backlog",
	  .title = "1x1 behind a backlog",
	  .unit = M_PER_S,
	  .text = "Three quarters of the ring are filled, then emptied: the "
		  "rate of emptying",
	  .metrics = { "M/s" },
	  .nmetrics = 1,
	  .more_is_better = true,
	  .share = 0.07 },
	{ .name = "round",
	  .title = "Round trip",
	  .unit = "ns",
	  .text = "Through two channels, one message at a time; medians of the "
		  "runs' percentiles",
	  .metrics = { "p50", "p90", "p99", "p99.9", "max" },
	  .nmetrics = 5,
	  .share = 0.10 },
	{ .name = "open",
	  .title = "One way at a fixed load",
	  .unit = "ns",
	  .text = "From when a message was due to when it was read",
	  .metrics = { "p50", "p90", "p99", "p99.9", "max" },
	  .nmetrics = 5,
	  .share = 0.08 },
	{ .name = "many",
	  .title = "Many to many",
	  .unit = M_PER_S,
	  .text = "Bursts of 32; with more runners than cores they share them. "
		  "Even: what the least busy did, in per cent of the busiest",
	  .metrics = { "M/s", "producers even", "consumers even" },
	  .nmetrics = 3,
	  .more_is_better = true,
	  .share = 0.16 },
	{ .name = "broadcast",
	  .title = "One to all",
	  .unit = M_PER_S,
	  .text = "Bursts of 32; the rate at which the slowest got them",
	  .metrics = { "M/s" },
	  .nmetrics = 1,
	  .more_is_better = true,
	  .share = 0.05 },
	{ .name = "payload",
	  .title = "Payloads",
	  .unit = "GB/s",
	  .text = "One message a payload, one payload a claim",
	  .metrics = { "GB/s", "M/s" },
	  .nmetrics = 2,
	  .more_is_better = true,
	  .share = 0.08 },
	{ .name = "cost",
	  .title = "What options cost",
	  .unit = M_PER_S,
	  .text = "Statistics and recovery's bookkeeping cannot be switched "
		  "off: their instructions are counted below. The tap runs on "
		  "the consumer's core where there are two",
	  .metrics = { "M/s" },
	  .nmetrics = 1,
	  .more_is_better = true,
	  .share = 0.05 },
	{ .name = "wake",
	  .title = "Waking a sleeper",
	  .unit = "microseconds",
	  .text = "From before the send to when the sleeper has it; kept: "
		  "the mean time of a send",
	  .metrics = { "p50", "p90", "p99", "sender kept" },
	  .nmetrics = 4,
	  .share = 0.04 },
	{ .name = "start",
	  .title = "Create, join, first message",
	  .unit = "microseconds",
	  .text = "A ring of 1 MiB",
	  .metrics = { "p50", "p90" },
	  .nmetrics = 2,
	  .share = 0.01 },
};

enum {
	NEXPERIMENTS = sizeof(experiments) / sizeof(experiments[0])
};

static void (*const makers[])(struct bench *, struct experiment *) = {
	burst_cells, rings_cells, backlog_cells,   round_cells,
	open_cells,  many_cells,  broadcast_cells, payload_cells,
	cost_cells,  wake_cells,  start_cells,
};

static bool chosen(const char *name, int argc, char **argv)
{
	if (argc == 0)
		return true;
	for (int i = 0; i < argc; i++) {
		if (strcmp(argv[i], name) == 0)
			return true;
	}
	return false;
}

static void print_machine(const struct bench *bench)
{
	const time_t now = time(NULL);
	char date[32];

	strftime(date, sizeof(date), "%Y-%m-%d %H:%M UTC", gmtime(&now));
	printf("%s, %s; %s; %s; %u cores", date, bench->machine.model,
	       bench->machine.kernel, bench->machine.compiler,
	       bench->machine.ncores);
	if (bench->load >= 0)
		printf("; load average %.1f before it began", bench->load);
	if (bench->noisy)
		printf("; **other processes were running: figures of runs that "
		       "they disturbed are included**");
	printf(".\n");
}

static void print_quiet(const struct bench *bench)
{
	size_t runs = 0, unquiet = 0, mixed = 0, far = 0, failed = 0;

	for (size_t e = 0; e < bench->nexperiments; e++) {
		for (size_t c = 0; c < bench->experiments[e].ncells; c++) {
			const struct cell *const cell =
				&bench->experiments[e].cells[c];

			runs += cell->nsamples;
			unquiet += cell->unquiet;
			failed += cell->failed;
			for (size_t i = 0; i < cell->nsamples; i++) {
				const enum place place =
					sample_place(bench, &cell->samples[i]);

				mixed += place == PLACE_MIXED;
				far += place == PLACE_FAR;
			}
		}
	}
	printf("\n%zu runs; in %zu other processes used the cores%s; in %zu the "
	       "cores moved, which are left out; %zu failed.\n",
	       runs, unquiet,
	       bench->noisy ? ", which count" : ", which are left out", mixed,
	       failed);
	if (bench->near_below > 0)
		printf("Near: a line there and back in less than %.0f ns, %.0f "
		       "by the median; far: %.0f, in %zu runs.\n",
		       bench->near_below, bench_distance(bench, PLACE_NEAR),
		       bench_distance(bench, PLACE_FAR), far);
	else
		printf("A line there and back took %.0f ns by the median, "
		       "with one distance all the time.\n",
		       bench_distance(bench, PLACE_NEAR));
}

static void measure(struct bench *bench, int argc, char **argv)
{
	double share = 0;

	for (size_t i = 0; i < NEXPERIMENTS; i++) {
		if (chosen(experiments[i].name, argc, argv))
			share += experiments[i].share;
	}
	for (size_t i = 0; i < NEXPERIMENTS; i++) {
		struct experiment *const e = &experiments[i];
		const int64_t begin = machine_now_ns();
		double seconds = bench->seconds * e->share / share;

		if (!chosen(e->name, argc, argv))
			continue;
		fprintf(stderr, "bench: %s\n", e->title);
		makers[i](bench, e);
		/* Tuning the limits is part of its time. */
		seconds -= (double)(machine_now_ns() - begin) / 1e9;
		experiment_run(bench, e, seconds);
		fprintf(stderr, "bench: %s took %.1f s of %.1f\n", e->name,
			(double)(machine_now_ns() - begin) / 1e9,
			bench->seconds * e->share / share);
	}
}

static int parse(struct bench *bench, int argc, char **argv, const char **out,
		 const char **cores)
{
	static const struct option options[] = {
		{ "quick", no_argument, NULL, 'q' },
		{ "noisy", no_argument, NULL, 'n' },
		{ "seconds", required_argument, NULL, 's' },
		{ "cores", required_argument, NULL, 'c' },
		{ "out", required_argument, NULL, 'o' },
		{ NULL, 0, NULL, 0 },
	};
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (c) {
		case 'q':
			bench->quick = true;
			break;
		case 'n':
			bench->noisy = true;
			break;
		case 's':
			bench->seconds = strtod(optarg, NULL);
			break;
		case 'c':
			*cores = optarg;
			break;
		case 'o':
			*out = optarg;
			break;
		default:
			return -EINVAL;
		}
	}
	if (bench->seconds <= 0)
		bench->seconds = bench->quick ? QUICK_SECONDS : FULL_SECONDS;
	return 0;
}

static int write_files(const struct bench *bench, const char *out)
{
	char path[4096];
	int ret;

	if (mkdir(out, 0777) < 0 && errno != EEXIST)
		return -errno;
	snprintf(path, sizeof(path), "%s/bench.json", out);
	ret = json_write(bench, path);
	for (size_t i = 0; i < NEXPERIMENTS && ret == 0; i++) {
		if (experiments[i].ncells)
			ret = plot_write(bench, &experiments[i], out);
	}
	return ret;
}

int main(int argc, char **argv)
{
	struct bench bench = {
		.experiments = experiments,
		.nexperiments = NEXPERIMENTS,
		.seed = 1,
	};
	const char *out = NULL, *cores = NULL;
	char name[64];
	sigset_t set;
	int ret = parse(&bench, argc, argv, &out, &cores);

	if (ret == 0)
		ret = machine_init(&bench.machine, cores);
	if (ret < 0) {
		fprintf(stderr, "usage: bench [--quick] [--noisy] "
				"[--seconds N] [--cores LIST] [--out FOLDER] "
				"[EXPERIMENT...]\n");
		return 2;
	}
	if (getloadavg(&bench.load, 1) != 1)
		bench.load = -1;
	bench_name(name, sizeof(name));
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	bench.board = bench_shared(sizeof(*bench.board));
	if (!bench.board)
		return 1;
	measure(&bench, argc - optind, argv + optind);
	bench_classify(&bench);
	print_machine(&bench);
	print_quiet(&bench);
	for (size_t i = 0; i < NEXPERIMENTS; i++) {
		if (experiments[i].ncells)
			report_table(&bench, &experiments[i]);
	}
	goals_table(&bench);
	ret = out ? write_files(&bench, out) : 0;
	if (ret < 0)
		fprintf(stderr, "bench: %s: %s\n", out, strerror(-ret));
	return ret < 0;
}
