/* SPDX-License-Identifier: MIT */
/*
 * cmd_why - hotline why: why does nothing move?
 *
 * Only observes. Looks twice, some time apart: what stands still in between and
 * should not is explained.
 */
#include "cmd.h"

#include <stdbool.h>
#include <time.h>

#include "opt.h"
#include "out.h"
#include "snapshot.h"
#include "why.h"

static const char usage[] =
	"Usage: hotline why [OPTION]... NAME\n"
	"Say why nothing moves in a ring: who holds back whom.\n"
	"\n"
	"  -f, --for TIME  watch for so long [200ms]; 0 looks once\n"
	"  -j, --json      as one JSON object\n"
	"  -h, --help      this text\n"
	"\n"
	"Exit status: 0 it moves, or waits for nothing wrong; 7 something is\n"
	"held back. See hotline-why(1).\n";

static const struct option options[] = {
	{ "for", required_argument, NULL, 'f' },
	{ "json", no_argument, NULL, 'j' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static const int64_t default_ns = 200 * INT64_C(1000000);
static const int64_t most_ns = 3600 * INT64_C(1000000000);

static void sleep_for(int64_t ns)
{
	const struct timespec span = {
		.tv_sec = (time_t)(ns / 1000000000),
		.tv_nsec = (long)(ns % 1000000000),
	};

	clock_nanosleep(CLOCK_MONOTONIC, 0, &span, NULL);
}

/* The second look, and what it says. */
static int explain(const struct hlt_snapshot *before,
		   const struct hlt_snapshot *after, int64_t watched_ns,
		   bool json)
{
	struct hlt_why why;
	int status;

	if (before->ring.created_ns != after->ring.created_ns) {
		hlt_complain(after->name, "the name became another ring's "
					  "while it was watched");
		return HLT_FAILED;
	}
	hlt_why_find(&why, before, after, watched_ns);
	if (json)
		hlt_json_print(hlt_why_to_json(&why));
	else
		hlt_why_print(&why);
	status = why.held ? HLT_HELD : HLT_DONE;
	hlt_why_fini(&why);
	return status;
}

static int watch(const char *name, int64_t watched_ns, bool json)
{
	struct hlt_snapshot before, after = { 0 };
	struct hl_error err = { 0 };
	int ret;

	ret = hlt_snapshot_take(&before, name, &err);
	if (ret == 0 && watched_ns > 0) {
		sleep_for(watched_ns);
		ret = hlt_snapshot_take(&after, name, &err);
	}
	if (ret < 0)
		ret = hlt_fail(name, ret, &err);
	else
		ret = explain(&before, watched_ns > 0 ? &after : &before,
			      watched_ns, json);
	hlt_snapshot_fini(&before);
	hlt_snapshot_fini(&after);
	return ret;
}

int hlt_cmd_why(int argc, char **argv)
{
	int64_t watched_ns = default_ns;
	bool json = false;
	const char *name;
	int c;

	while ((c = hlt_getopt(argc, argv, ":f:jh", options)) != -1) {
		switch (c) {
		case 'f':
			if (hlt_opt_duration("--for", optarg, &watched_ns) != 0)
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
	if (watched_ns > most_ns)
		return hlt_usage("--for: more than an hour");
	if (hlt_one_argument(argc, argv, "the ring's name", &name) != 0)
		return HLT_USAGE;
	return watch(name, watched_ns, json);
}
