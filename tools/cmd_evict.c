/* SPDX-License-Identifier: MIT */
/*
 * cmd_evict - hotline evict: remove a participant that lives, by decision
 *
 * Says what becomes of what it has in hand. Who is dead needs no decision: the
 * ring recovers it by itself.
 */
#include "cmd.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <hotline/admin.h>

#include "opt.h"
#include "out.h"
#include "snapshot.h"
#include "text.h"
#include "words.h"

static const char usage[] =
	"Usage: hotline evict [OPTION]... NAME PARTICIPANT\n"
	"Remove a participant that lives but is of no use. It learns of it by an\n"
	"error from its next call.\n"
	"\n"
	"PARTICIPANT is a number (hotline stat: NO) or a name that only one has.\n"
	"\n"
	"  -f, --force      take what it has in hand away at once: to the other\n"
	"                   members of a shared group; a producer's positions\n"
	"                   become void; the group of an exclusive or lossy\n"
	"                   consumer is dropped\n"
	"      --any-owner  also from a ring of another user\n"
	"  -j, --json       as one JSON object\n"
	"  -h, --help       this text\n"
	"\n"
	"See hotline-evict(1).\n";

enum {
	OPT_ANY_OWNER = 256
};

static const struct option options[] = {
	{ "force", no_argument, NULL, 'f' },
	{ "any-owner", no_argument, NULL, OPT_ANY_OWNER },
	{ "json", no_argument, NULL, 'j' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

struct evict {
	const char *name;
	const char *participant;
	unsigned flags;
	bool force, json;
};

static bool matches(const struct hlt_participant_row *row, const char *word,
		    bool is_number)
{
	char number[16];

	if (!is_number)
		return strcmp(row->status.name, word) == 0;
	snprintf(number, sizeof(number), "%" PRIu32, row->index);
	return strcmp(number, word) == 0;
}

/* The participant that was meant; NULL after a complaint. */
static const struct hlt_participant_row *
find_participant(const struct evict *e, const struct hlt_snapshot *s)
{
	const bool is_number =
		e->participant[strspn(e->participant, "0123456789")] == '\0';
	const struct hlt_participant_row *found = NULL;
	size_t alive = 0, dead = 0;

	for (size_t i = 0; i < s->nparticipants; i++) {
		const struct hlt_participant_row *row = &s->participants[i];

		if (!matches(row, e->participant, is_number))
			continue;
		dead += row->status.liveness == HL_DEAD;
		alive += row->status.liveness != HL_DEAD;
		if (found == NULL || row->status.liveness != HL_DEAD)
			found = row;
	}
	if (alive > 1)
		hlt_complain(e->name,
			     "%zu participants have the name %s; say "
			     "the number (hotline stat)",
			     alive, e->participant);
	else if (alive == 0 && dead > 0)
		hlt_complain(e->name,
			     "participant %s is dead already: whoever "
			     "joins or waits next recovers what it "
			     "had in hand",
			     e->participant);
	else if (alive == 0)
		hlt_complain(e->name, "nobody has the %s %s",
			     is_number ? "number" : "name", e->participant);
	return alive == 1 ? found : NULL;
}

static bool in_shared_group(const struct hlt_snapshot *s,
			    const struct hlt_participant_row *row)
{
	for (size_t i = 0; i < s->ngroups; i++) {
		if (s->groups[i].index == row->status.group)
			return s->groups[i].status.kind == HL_GROUP_SHARED;
	}
	return false;
}

/* What became of what it had in hand; out has HLT_WHO_BYTES. */
static char *outcome(char *out, const struct evict *e,
		     const struct hlt_snapshot *s,
		     const struct hlt_participant_row *row)
{
	const struct hl_participant_status *p = &row->status;
	const bool shared = !p->producer && in_shared_group(s, row);
	char hand[HLT_POSITIONS_BYTES];

	hlt_positions(hand, p->from, p->to);
	if (!e->force)
		snprintf(out, HLT_WHO_BYTES,
			 "what it has in hand (%s) stays its own until its "
			 "next call, or its end",
			 hand);
	else if (p->producer)
		snprintf(out, HLT_WHO_BYTES,
			 "what it had claimed and not published (of %s) is "
			 "void",
			 hand);
	else if (shared)
		snprintf(out, HLT_WHO_BYTES,
			 "what it had in hand (%s) goes to the other members "
			 "of group %s, marked",
			 hand, hlt_snapshot_group(s, p->group));
	else
		snprintf(out, HLT_WHO_BYTES,
			 "its group %s is dropped, with %" PRIu64
			 " positions that it had not finished",
			 hlt_snapshot_group(s, p->group), p->lag);
	return out;
}

static void report(const struct evict *e, const struct hlt_snapshot *s,
		   const struct hlt_participant_row *row)
{
	char who[HLT_WHO_BYTES], what[HLT_WHO_BYTES], line[2 * HLT_WHO_BYTES];
	char escaped[8 * HLT_WHO_BYTES];
	json_t *object;

	snprintf(line, sizeof(line), "%s is evicted: %s", hlt_who(who, row),
		 outcome(what, e, s, row));
	hlt_text_escape(escaped, sizeof(escaped), line, strlen(line), 0);
	if (!e->json) {
		puts(escaped);
		return;
	}
	object = json_object();
	hlt_json_set(object, "name", hlt_json_bytes(e->name, strlen(e->name)));
	hlt_json_set(object, "forced", json_boolean(e->force));
	hlt_json_set(object, "text", json_string(escaped));
	hlt_json_set(object, "participant", hlt_participant_to_json(s, row));
	hlt_json_print(object);
}

static int evict(const struct evict *e, const struct hlt_snapshot *s)
{
	const struct hlt_participant_row *row = find_participant(e, s);
	struct hl_error err = { 0 };
	struct hl_ring *ring;
	int ret;

	if (row == NULL)
		return HLT_FAILED;
	ret = hl_ring_open(e->name, e->flags, &ring, &err);
	if (ret < 0)
		return hlt_fail(e->name, ret, &err);
	ret = hl_participant_evict(ring, row->index, e->force, &err);
	hl_ring_close(ring);
	if (ret < 0) {
		hlt_fail(e->name, ret, &err);
		return ret == -ENOENT ? HLT_FAILED : hlt_exit_of(ret);
	}
	report(e, s, row);
	return HLT_DONE;
}

static int look_and_evict(const struct evict *e)
{
	struct hl_error err = { 0 };
	struct hlt_snapshot snapshot;
	int ret = hlt_snapshot_take(&snapshot, e->name, &err);

	ret = ret < 0 ? hlt_fail(e->name, ret, &err) : evict(e, &snapshot);
	hlt_snapshot_fini(&snapshot);
	return ret;
}

int hlt_cmd_evict(int argc, char **argv)
{
	struct evict e = { 0 };
	int c;

	while ((c = hlt_getopt(argc, argv, ":fjh", options)) != -1) {
		switch (c) {
		case 'f':
			e.force = true;
			break;
		case OPT_ANY_OWNER:
			e.flags = HL_OPEN_ANY_OWNER;
			break;
		case 'j':
			e.json = true;
			hlt_out_json(HLT_JSON_DOCUMENT);
			break;
		case 'h':
			return hlt_help(usage);
		default:
			return HLT_USAGE;
		}
	}
	if (argc - optind < 2)
		return hlt_usage("a ring's name and a participant are needed");
	if (argc - optind > 2)
		return hlt_usage("one argument too many: %s", argv[optind + 2]);
	e.name = argv[optind];
	e.participant = argv[optind + 1];
	return look_and_evict(&e);
}
