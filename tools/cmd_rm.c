/* SPDX-License-Identifier: MIT */
/*
 * cmd_rm - hotline rm: remove rings
 *
 * Tries every name, whatever became of those before it. A ring that is in use
 * stays, and the complaint says who uses it.
 */
#include "cmd.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <hotline/ring.h>

#include "opt.h"
#include "out.h"
#include "snapshot.h"

static const char usage[] =
	"Usage: hotline rm [OPTION]... NAME...\n"
	"Remove rings that nobody uses.\n"
	"\n"
	"  -f, --force  also those that are in use, or damaged; who has one open\n"
	"               goes on with it\n"
	"  -j, --json   what was removed and what was not, as one JSON object\n"
	"  -h, --help   this text\n"
	"\n"
	"See hotline-rm(1).\n";

static const struct option options[] = {
	{ "force", no_argument, NULL, 'f' },
	{ "json", no_argument, NULL, 'j' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

enum {
	WHO_BYTES = 320
};

/* Who lives in the ring: "producer feed (pid 12), consumer of ...". */
static void who_lives(const struct hlt_snapshot *s, char *out, size_t bytes)
{
	size_t at = 0;

	out[0] = '\0';
	for (size_t i = 0; i < s->nparticipants; i++) {
		const struct hl_participant_status *p =
			&s->participants[i].status;
		int n;

		if (p->liveness == HL_DEAD)
			continue;
		n = snprintf(
			out + at, bytes - at, "%s%s %s (pid %" PRIu32 "%s%s)",
			at > 0 ? ", " : "",
			p->producer ? "producer" : "consumer", p->name, p->pid,
			p->producer ? "" : ", group ",
			p->producer ? "" : hlt_snapshot_group(s, p->group));
		if (n < 0 || (size_t)n >= bytes - at) {
			snprintf(out + at, bytes - at, " ...");
			return;
		}
		at += (size_t)n;
	}
}

/* Says why a ring was not removed, in *why for JSON too. */
static int complain(const char *name, int ret, const struct hl_error *err)
{
	struct hlt_snapshot snapshot;
	struct hl_error ignored;
	char who[WHO_BYTES] = "";

	if (ret != -EBUSY)
		return hlt_fail(name, ret, err);
	if (hlt_snapshot_take(&snapshot, name, &ignored) == 0)
		who_lives(&snapshot, who, sizeof(who));
	hlt_snapshot_fini(&snapshot);
	hlt_complain(name, "in use%s%s; --force removes it all the same",
		     who[0] ? " by " : "", who);
	return HLT_TAKEN;
}

static json_t *failure(const char *name, int status)
{
	json_t *object = json_object();

	hlt_json_set(object, "name", hlt_json_bytes(name, strlen(name)));
	hlt_json_set(object, "error", json_string(hlt_last_complaint()));
	hlt_json_set(object, "exit", json_integer(status));
	return object;
}

/* Removes all; the status is that of the first that could not be removed. */
static int remove_rings(char **names, bool force, json_t *removed,
			json_t *failed)
{
	int status = HLT_DONE;

	for (; *names != NULL; names++) {
		struct hl_error err = { 0 };
		const int ret = hl_ring_unlink(*names, force, &err);
		int why;

		if (ret == 0) {
			hlt_json_append(removed,
					hlt_json_bytes(*names, strlen(*names)));
			continue;
		}
		why = complain(*names, ret, &err);
		hlt_json_append(failed, failure(*names, why));
		if (status == HLT_DONE)
			status = why;
	}
	return status;
}

int hlt_cmd_rm(int argc, char **argv)
{
	bool force = false, json = false;
	json_t *document, *removed, *failed;
	int c, status;

	while ((c = hlt_getopt(argc, argv, ":fjh", options)) != -1) {
		switch (c) {
		case 'f':
			force = true;
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
	if (optind == argc)
		return hlt_usage("the ring's name is missing");
	document = json_object();
	removed = json_array();
	failed = json_array();
	status = remove_rings(argv + optind, force, removed, failed);
	hlt_json_set(document, "removed", removed);
	hlt_json_set(document, "failed", failed);
	if (json)
		hlt_json_print(document);
	else
		json_decref(document);
	return status;
}
