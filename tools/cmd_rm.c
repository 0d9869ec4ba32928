/* SPDX-License-Identifier: MIT */
/*
 * cmd_rm - hotline rm: remove rings, or a group of them
 *
 * Tries every name, whatever became of those before it. A ring, or a group,
 * that is in use stays, and the complaint says who uses it.
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
	"Remove rings that nobody uses; with --group, only a group of them.\n"
	"\n"
	"  -f, --force      also those that are in use, or damaged; who has one\n"
	"                   open goes on with it\n"
	"  -g, --group G    drop this group, which has no live member, and what\n"
	"                   it had not finished; the ring stays\n"
	"      --any-owner  a group also of a ring of another user\n"
	"  -j, --json       what was removed and what was not, as one JSON object\n"
	"  -h, --help       this text\n"
	"\n"
	"See hotline-rm(1).\n";

enum {
	OPT_ANY_OWNER = 256
};

static const struct option options[] = {
	{ "force", no_argument, NULL, 'f' },
	{ "group", required_argument, NULL, 'g' },
	{ "any-owner", no_argument, NULL, OPT_ANY_OWNER },
	{ "json", no_argument, NULL, 'j' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

enum {
	WHO_BYTES = 320
};

struct rm {
	const char *group; /* NULL: the ring */
	unsigned flags;
	bool force, json;
};

/* Is the group of that name the one that is meant? */
static bool is_meant(const struct hlt_snapshot *s, const char *group,
		     const struct hl_participant_status *p)
{
	return group == NULL ||
	       (!p->producer &&
		strcmp(hlt_snapshot_group(s, p->group), group) == 0);
}

/* Who lives in the ring, or its group: "producer feed (pid 12), consumer of ...". */
static void who_lives(const struct hlt_snapshot *s, const char *group,
		      char *out, size_t bytes)
{
	size_t at = 0;

	out[0] = '\0';
	for (size_t i = 0; i < s->nparticipants; i++) {
		const struct hl_participant_status *p =
			&s->participants[i].status;
		int n;

		if (p->liveness == HL_DEAD || !is_meant(s, group, p))
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

/* Says why a ring or group was not removed. Returns an exit status. */
static int complain(const struct rm *rm, const char *name, int ret,
		    const struct hl_error *err)
{
	struct hlt_snapshot snapshot;
	struct hl_error ignored;
	char who[WHO_BYTES] = "";

	if (ret != -EBUSY)
		return hlt_fail(name, ret, err);
	if (hlt_snapshot_take(&snapshot, name, &ignored) == 0)
		who_lives(&snapshot, rm->group, who, sizeof(who));
	hlt_snapshot_fini(&snapshot);
	if (rm->group != NULL)
		hlt_complain(name,
			     "group %s has members that live%s%s; end "
			     "or evict them before",
			     rm->group, who[0] ? ": " : "", who);
	else
		hlt_complain(name,
			     "in use%s%s; --force removes it all the same",
			     who[0] ? " by " : "", who);
	return HLT_TAKEN;
}

/* Returns an exit status. */
static int drop_group(const struct rm *rm, const char *name)
{
	struct hl_error err = { 0 };
	struct hl_ring *ring;
	int ret = hl_ring_open(name, rm->flags, &ring, &err);

	if (ret < 0)
		return hlt_fail(name, ret, &err);
	ret = hl_group_drop(ring, rm->group, &err);
	hl_ring_close(ring);
	if (ret == 0)
		return HLT_DONE;
	if (ret != -ENOENT)
		return complain(rm, name, ret, &err);
	hlt_fail(name, ret, &err);
	return HLT_FAILED; /* what is not there is the group, not the ring */
}

/* Returns an exit status. */
static int remove_ring(const struct rm *rm, const char *name)
{
	struct hl_error err = { 0 };
	const int ret = hl_ring_unlink(name, rm->force, &err);

	return ret == 0 ? HLT_DONE : complain(rm, name, ret, &err);
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
static int remove_all(const struct rm *rm, char **names, json_t *removed,
		      json_t *failed)
{
	int status = HLT_DONE;

	for (; *names != NULL; names++) {
		const int why = rm->group != NULL ? drop_group(rm, *names) :
						    remove_ring(rm, *names);

		if (why == HLT_DONE)
			hlt_json_append(removed,
					hlt_json_bytes(*names, strlen(*names)));
		else
			hlt_json_append(failed, failure(*names, why));
		if (status == HLT_DONE)
			status = why;
	}
	return status;
}

static int remove_and_report(const struct rm *rm, char **names)
{
	json_t *const document = json_object();
	json_t *const removed = json_array(), *const failed = json_array();
	const int status = remove_all(rm, names, removed, failed);

	if (rm->group != NULL)
		hlt_json_set(document, "group",
			     hlt_json_bytes(rm->group, strlen(rm->group)));
	hlt_json_set(document, "removed", removed);
	hlt_json_set(document, "failed", failed);
	if (rm->json)
		hlt_json_print(document);
	else
		json_decref(document);
	return status;
}

int hlt_cmd_rm(int argc, char **argv)
{
	struct rm rm = { 0 };
	int c;

	while ((c = hlt_getopt(argc, argv, ":fg:jh", options)) != -1) {
		switch (c) {
		case 'f':
			rm.force = true;
			break;
		case 'g':
			rm.group = optarg;
			break;
		case OPT_ANY_OWNER:
			rm.flags = HL_OPEN_ANY_OWNER;
			break;
		case 'j':
			rm.json = true;
			hlt_out_json(HLT_JSON_DOCUMENT);
			break;
		case 'h':
			return hlt_help(usage);
		default:
			return HLT_USAGE;
		}
	}
	if (rm.group != NULL && rm.force)
		return hlt_usage("--force does not go with --group: a group "
				 "in use stays until its members are gone");
	if (rm.group == NULL && rm.flags != 0)
		return hlt_usage("--any-owner goes with --group");
	if (optind == argc)
		return hlt_usage("the ring's name is missing");
	return remove_and_report(&rm, argv + optind);
}
