/* SPDX-License-Identifier: MIT */
/*
 * cmd_bench - hotline bench: a quick look at how fast rings are here
 *
 * Some seconds between two cores, with what the machine does by hand beside it:
 * a figure without the line's own round trip of the same moment means little.
 * For more, and beside other libraries: make bench in the sources.
 */
#include "cmd.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "gauge.h"
#include "opt.h"
#include "out.h"
#include "stop.h"

static const char usage[] =
	"Usage: hotline bench [OPTION]...\n"
	"Measure rings between two cores of this machine, for some seconds.\n"
	"\n"
	"  -c, --cores=A,B  the two cores; the first two that may be used\n"
	"  -t, --time=TIME  go on for so long; 4s\n"
	"  -j, --json       as one JSON object\n"
	"  -h, --help       this text\n"
	"\n"
	"See hotline-bench(1).\n";

static const struct option options[] = {
	{ "cores", required_argument, NULL, 'c' },
	{ "time", required_argument, NULL, 't' },
	{ "json", no_argument, NULL, 'j' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

enum {
	CORE_MAX = 1023,
	RUNS_LEAST = 3,
};
#define TIME_NS INT64_C(4000000000)
#define TIME_MAX_NS INT64_C(60000000000)

static int parse_cores(const char *value, int *cores)
{
	const char *const comma = strchr(value, ',');
	char first[16];
	uint64_t a, b;

	if (comma == NULL || comma == value ||
	    (size_t)(comma - value) >= sizeof(first))
		return hlt_usage("--cores: '%s' is not two numbers with a "
				 "comma in between",
				 value);
	snprintf(first, sizeof(first), "%.*s", (int)(comma - value), value);
	if (hlt_opt_number("--cores", first, 0, CORE_MAX, &a) != 0 ||
	    hlt_opt_number("--cores", comma + 1, 0, CORE_MAX, &b) != 0)
		return HLT_USAGE;
	if (a == b)
		return hlt_usage("--cores: two different ones are needed");
	cores[0] = (int)a;
	cores[1] = (int)b;
	return 0;
}

static json_t *figure_json(const struct hlt_gauge *gauge,
			   enum hlt_gauge_kind kind)
{
	const struct hlt_gauge_figure figure = hlt_gauge_figure(gauge, kind);
	json_t *const object = json_object();

	hlt_json_set(object, "median", json_real(figure.median));
	hlt_json_set(object, "min", json_real(figure.min));
	hlt_json_set(object, "max", json_real(figure.max));
	return object;
}

static void print_json(const struct hlt_gauge *gauge)
{
	json_t *const object = json_object();
	json_t *const cores = json_array();

	hlt_json_append(cores, json_integer(gauge->cores[0]));
	hlt_json_append(cores, json_integer(gauge->cores[1]));
	hlt_json_set(object, "cores", cores);
	hlt_json_set(object, "runs", json_integer(gauge->nruns));
	hlt_json_set(object, "line_round_trip_ns",
		     figure_json(gauge, HLT_GAUGE_LINE));
	hlt_json_set(object, "round_trip_ns",
		     figure_json(gauge, HLT_GAUGE_ROUND));
	hlt_json_set(object, "round_trip_p99_ns",
		     figure_json(gauge, HLT_GAUGE_ROUND_P99));
	hlt_json_set(object, "single_per_s",
		     figure_json(gauge, HLT_GAUGE_SINGLE));
	hlt_json_set(object, "burst_32_per_s",
		     figure_json(gauge, HLT_GAUGE_BURST));
	hlt_json_set(object, "wake_ns", figure_json(gauge, HLT_GAUGE_WAKE));
	hlt_json_print(object);
}

static void print_row(const struct hlt_gauge *gauge, const char *what,
		      enum hlt_gauge_kind kind, double unit, const char *name)
{
	const struct hlt_gauge_figure figure = hlt_gauge_figure(gauge, kind);

	printf("%-32s %9.1f %9.1f %9.1f  %s\n", what, figure.median / unit,
	       figure.min / unit, figure.max / unit, name);
}

static void print_text(const struct hlt_gauge *gauge)
{
	printf("Between cores %d and %d, %u runs\n\n"
	       "%-32s %9s %9s %9s\n",
	       gauge->cores[0], gauge->cores[1], gauge->nruns, "", "MEDIAN",
	       "LEAST", "MOST");
	print_row(gauge, "a line there and back, by hand", HLT_GAUGE_LINE, 1,
		  "ns");
	print_row(gauge, "a message there and back, busy", HLT_GAUGE_ROUND, 1,
		  "ns");
	print_row(gauge, "  99 of 100 within", HLT_GAUGE_ROUND_P99, 1, "ns");
	print_row(gauge, "one way, one at a time", HLT_GAUGE_SINGLE, 1e6,
		  "million/s");
	print_row(gauge, "one way, 32 at a time", HLT_GAUGE_BURST, 1e6,
		  "million/s");
	print_row(gauge, "waking a sleeper", HLT_GAUGE_WAKE, 1e3, "us");
}

static int measure(struct hlt_gauge *gauge, int64_t time_ns)
{
	struct timespec begin, now;
	int64_t spent;
	int ret;

	hlt_stop_begin(NULL);
	clock_gettime(CLOCK_MONOTONIC, &begin);
	do {
		ret = hlt_gauge_run(gauge);
		clock_gettime(CLOCK_MONOTONIC, &now);
		spent = (now.tv_sec - begin.tv_sec) * INT64_C(1000000000) +
			(now.tv_nsec - begin.tv_nsec);
	} while (ret == 0 && gauge->nruns < HLT_GAUGE_RUNS_MAX &&
		 (spent < time_ns || gauge->nruns < RUNS_LEAST));
	return ret;
}

int hlt_cmd_bench(int argc, char **argv)
{
	int64_t time_ns = TIME_NS;
	struct hlt_gauge gauge;
	int cores[2] = { -1, -1 };
	bool json = false;
	int c, ret;

	while ((c = hlt_getopt(argc, argv, ":c:t:jh", options)) != -1) {
		switch (c) {
		case 'c':
			if (parse_cores(optarg, cores) != 0)
				return HLT_USAGE;
			break;
		case 't':
			if (hlt_opt_duration("--time", optarg, &time_ns) != 0)
				return HLT_USAGE;
			break;
		case 'j':
			json = true;
			hlt_out_json(HLT_JSON_DOCUMENT);
			break;
		case 'h':
			return hlt_help(usage);
		default:
			return HLT_USAGE;
		}
	}
	if (optind < argc)
		return hlt_usage("'%s' is one argument too many", argv[optind]);
	if (time_ns > TIME_MAX_NS)
		return hlt_usage("--time: a minute at the most");
	ret = hlt_gauge_cores(&gauge);
	if (ret < 0) {
		hlt_complain(NULL, "this needs two cores");
		return HLT_FAILED;
	}
	if (cores[0] >= 0)
		memcpy(gauge.cores, cores, sizeof(cores));
	ret = measure(&gauge, time_ns);
	if (ret == -EINVAL) {
		return hlt_usage("--cores: %d and %d may not be used here",
				 gauge.cores[0], gauge.cores[1]);
	}
	if (ret < 0 && ret != -ECANCELED)
		return hlt_fail("bench", ret, NULL);
	if (ret == 0 && json)
		print_json(&gauge);
	else if (ret == 0)
		print_text(&gauge);
	return ret == 0 ? HLT_DONE : HLT_FAILED;
}
