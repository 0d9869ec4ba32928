/* SPDX-License-Identifier: MIT */
/*
 * cmd_stat - hotline stat: what a ring is, and who uses it
 *
 * Only observes: the ring is mapped for reading, no lock is taken, nothing is
 * mended. It ends within milliseconds, whatever the participants do.
 */
#include "cmd.h"

#include <stdbool.h>

#include "opt.h"
#include "out.h"
#include "snapshot.h"

static const char usage[] =
	"Usage: hotline stat [OPTION]... NAME\n"
	"Show what a ring is, its groups and its participants.\n"
	"\n"
	"  -b, --blocks  each block of the arena, not only their number\n"
	"  -j, --json    as one JSON object\n"
	"  -h, --help    this text\n"
	"\n"
	"See hotline-stat(1).\n";

static const struct option options[] = {
	{ "blocks", no_argument, NULL, 'b' },
	{ "json", no_argument, NULL, 'j' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

/* Up to this many blocks are in JSON unasked: it must not take long. */
enum {
	BLOCKS_UNASKED = 4096
};

int hlt_cmd_stat(int argc, char **argv)
{
	bool blocks = false, json = false;
	struct hl_error err = { 0 };
	struct hlt_snapshot snapshot;
	const char *name;
	int c, ret;

	while ((c = hlt_getopt(argc, argv, ":bjh", options)) != -1) {
		switch (c) {
		case 'b':
			blocks = true;
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
	if (hlt_one_argument(argc, argv, "the ring's name", &name) != 0)
		return HLT_USAGE;
	ret = hlt_snapshot_take(&snapshot, name, &err);
	if (ret < 0)
		ret = hlt_fail(name, ret, &err);
	else if (json)
		hlt_json_print(hlt_snapshot_to_json(
			&snapshot, blocks || snapshot.ring.info.nblocks <=
						     BLOCKS_UNASKED));
	else
		hlt_snapshot_print(&snapshot, blocks);
	hlt_snapshot_fini(&snapshot);
	return ret;
}
