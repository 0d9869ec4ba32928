/* SPDX-License-Identifier: MIT */
/*
 * cmd_evict - hotline evict: remove a participant that lives, by decision
 *
 * Says what becomes of what it has in hand. Who is dead needs no decision: the
 * ring recovers it by itself. Who was seen is told to the library by its tenure,
 * so that a newcomer with its number is not hit.
 */
#include "cmd.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
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
	"PARTICIPANT is a number (hotline stat: NO), a number and a process, as\n"
	"NO@PID, so that it hits nobody else, or a name that only one has.\n"
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

/* Who is meant, by what was written. */
struct meant {
	const char *word;
	bool by_number;
	uint64_t number;
	uint64_t pid; /* 0: whichever */
};

/* "3" or "3@4711"; what is no number is a name. */
static void read_participant(struct meant *meant, const char *word)
{
	char *end;

	*meant = (struct meant){ .word = word };
	if (word[0] < '0' || word[0] > '9')
		return;
	meant->number = strtoull(word, &end, 10); /* too large: nobody's */
	if (end[0] == '@' && end[1] >= '0' && end[1] <= '9')
		meant->pid = strtoull(end + 1, &end, 10);
	meant->by_number = *end == '\0';
}

static bool matches(const struct hlt_participant_row *row,
		    const struct meant *meant)
{
	return meant->by_number ? row->index == meant->number :
				  strcmp(row->status.name, meant->word) == 0;
}

/* Has somebody else the number? */
static bool is_another(const struct meant *meant,
		       const struct hlt_participant_row *row)
{
	return meant->by_number && meant->pid > 0 &&
	       meant->pid != row->status.pid;
}

struct hits {
	const struct hlt_participant_row *row; /* one that lives, if any does */
	size_t alive, dead;
};

static void find_all(const struct hlt_snapshot *s, const struct meant *meant,
		     struct hits *hits)
{
	*hits = (struct hits){ 0 };
	for (size_t i = 0; i < s->nparticipants; i++) {
		const struct hlt_participant_row *row = &s->participants[i];

		if (!matches(row, meant))
			continue;
		hits->dead += row->status.liveness == HL_DEAD;
		hits->alive += row->status.liveness != HL_DEAD;
		if (hits->row == NULL || row->status.liveness != HL_DEAD)
			hits->row = row;
	}
}

/* The participant that was meant; NULL after a complaint. */
static const struct hlt_participant_row *
find_participant(const struct evict *e, const struct hlt_snapshot *s)
{
	char who[HLT_WHO_BYTES];
	struct meant meant;
	struct hits hits;

	read_participant(&meant, e->participant);
	find_all(s, &meant, &hits);
	if (hits.alive > 1)
		hlt_complain(e->name,
			     "%zu participants have the name %s; say "
			     "the number (hotline stat)",
			     hits.alive, e->participant);
	else if (hits.row == NULL)
		hlt_complain(e->name, "nobody has the %s %s",
			     meant.by_number ? "number" : "name",
			     e->participant);
	else if (is_another(&meant, hits.row))
		hlt_complain(e->name,
			     "number %" PRIu64 " is not process %" PRIu64
			     "'s, it is that of %s",
			     meant.number, meant.pid, hlt_who(who, hits.row));
	else if (hits.alive == 0)
		hlt_complain(e->name,
			     "participant %s is dead already: whoever "
			     "joins or waits next recovers what it "
			     "had in hand",
			     e->participant);
	else
		return hits.row;
	return NULL;
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
	ret = hl_participant_evict(ring, row->index, row->status.tenure,
				   e->force, &err);
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
