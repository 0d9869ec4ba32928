/* SPDX-License-Identifier: MIT */
/*
 * cmd_doctor - hotline doctor: check a ring, mend it, save its messages
 *
 * Reads only, unless --repair asks for more. Messages are saved before anything
 * is mended, and what is left after that is found by a second examination.
 */
#include "cmd.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "doctor.h"
#include "opt.h"
#include "out.h"
#include "salvage.h"
#include "text.h"

static const char usage[] =
	"Usage: hotline doctor [OPTION]... NAME\n"
	"Check every invariant of a ring, and explain what is found.\n"
	"\n"
	"  -r, --repair        do what recovery would do and, when nobody lives,\n"
	"                      mend the rest\n"
	"  -s, --salvage FILE  write the messages that it still holds, as JSON\n"
	"      --slot-size N   bytes of a slot, where the header does not tell\n"
	"      --capacity N    slots, where the header does not tell\n"
	"      --raw           the slots as they are, not JSON\n"
	"  -f, --force         overwrite FILE\n"
	"      --any-owner     repair also a ring of another user\n"
	"  -j, --json          what was found and done, as one JSON object\n"
	"  -h, --help          this text\n"
	"\n"
	"Exit status: 0 all is well, 6 damaged, 7 recovery is pending. See\n"
	"hotline-doctor(1).\n";

enum {
	OPT_SLOT_SIZE = 256,
	OPT_CAPACITY,
	OPT_RAW,
	OPT_ANY_OWNER,
};

static const struct option options[] = {
	{ "repair", no_argument, NULL, 'r' },
	{ "salvage", required_argument, NULL, 's' },
	{ "slot-size", required_argument, NULL, OPT_SLOT_SIZE },
	{ "capacity", required_argument, NULL, OPT_CAPACITY },
	{ "raw", no_argument, NULL, OPT_RAW },
	{ "force", no_argument, NULL, 'f' },
	{ "any-owner", no_argument, NULL, OPT_ANY_OWNER },
	{ "json", no_argument, NULL, 'j' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

struct doctor {
	const char *name;
	struct hlt_salvage salvage;
	unsigned flags;
	bool repair, json, help;
	json_t *document;
};

static int read_option(int c, const char *value, struct doctor *d)
{
	switch (c) {
	case 'r':
		d->repair = true;
		return 0;
	case 's':
		d->salvage.file = value;
		return 0;
	case OPT_SLOT_SIZE:
		return hlt_opt_size("--slot-size", value, HL_LINE_BYTES,
				    HL_SLOT_BYTES_MAX, &d->salvage.slot_bytes);
	case OPT_CAPACITY:
		return hlt_opt_size("--capacity", value, 2, HL_CAPACITY_MAX,
				    &d->salvage.capacity);
	case OPT_RAW:
		d->salvage.raw = true;
		return 0;
	case 'f':
		d->salvage.force = true;
		return 0;
	case OPT_ANY_OWNER:
		d->flags = HL_OPEN_ANY_OWNER;
		return 0;
	case 'j':
		d->json = true;
		hlt_out_json(HLT_JSON_DOCUMENT);
		return 0;
	case 'h':
		d->help = true;
		return 0;
	default:
		return HLT_USAGE;
	}
}

static int check_options(const struct doctor *d)
{
	const struct hlt_salvage *s = &d->salvage;

	if (s->file == NULL &&
	    (s->raw || s->force || s->slot_bytes > 0 || s->capacity > 0))
		return hlt_usage("--raw, --force, --slot-size and --capacity "
				 "go with --salvage");
	if (s->slot_bytes % HL_LINE_BYTES != 0)
		return hlt_usage("--slot-size: not a multiple of 64");
	if ((s->capacity & (s->capacity - 1)) != 0)
		return hlt_usage("--capacity: not a power of two");
	return 0;
}

static int examine(struct doctor *d, struct hlt_examination *e, const char *key)
{
	const int status = hlt_examine(e, d->name);

	if (status != HLT_DONE)
		return status;
	hlt_json_set(d->document, key, hlt_findings_to_json(e));
	if (!d->json)
		hlt_examination_print(e);
	return 0;
}

/* "3 whole, 1 bad checksum", of verdicts from first up to end. */
static void show_verdicts(const struct hlt_salvage *s, const char *title,
			  unsigned first, unsigned end)
{
	const char *before = title;

	for (unsigned v = first; v < end; v++) {
		if (s->count[v] == 0)
			continue;
		printf("%s%" PRIu64 " %s", before, s->count[v],
		       hlt_salvage_word((enum hl_salvage)v));
		before = ", ";
	}
	if (before != title)
		putchar('\n');
}

static void show_salvaged(const struct doctor *d, bool knows_groups)
{
	const struct hlt_salvage *s = &d->salvage;

	printf("salvaged  %" PRIu64 " message%s", s->messages,
	       s->messages == 1 ? "" : "s");
	if (s->messages > 0)
		printf(", positions %" PRIu64 " to %" PRIu64, s->first,
		       s->last);
	if (knows_groups)
		printf(", %" PRIu64 " of them still needed by a group",
		       s->needed);
	if (s->in_hand > 0)
		printf(", %" PRIu64 " in hand", s->in_hand);
	fputs(", into ", stdout);
	hlt_text_put(stdout, s->file, strlen(s->file), 0);
	putchar('\n');
	show_verdicts(s, "          of these: ", 0, HL_SALVAGE_UNPUBLISHED);
	show_verdicts(s, "          left out: ", HL_SALVAGE_UNPUBLISHED,
		      HLT_SALVAGE_VERDICTS);
}

static json_t *salvaged_to_json(const struct hlt_salvage *s, bool knows_groups)
{
	json_t *object = json_object();

	hlt_json_set(object, "file", hlt_json_bytes(s->file, strlen(s->file)));
	hlt_json_set(object, "messages", hlt_json_u64(s->messages));
	if (knows_groups) {
		hlt_json_set(object, "needed", hlt_json_u64(s->needed));
		hlt_json_set(object, "in_hand", hlt_json_u64(s->in_hand));
	}
	hlt_json_set(object, "whole", hlt_json_u64(s->count[HL_SALVAGE_WHOLE]));
	hlt_json_set(object, "unproved",
		     hlt_json_u64(s->count[HL_SALVAGE_UNPROVED]));
	hlt_json_set(object, "bad_checksum",
		     hlt_json_u64(s->count[HL_SALVAGE_BAD_CHECKSUM]));
	hlt_json_set(object, "payloads_lost",
		     hlt_json_u64(s->count[HL_SALVAGE_NO_PAYLOAD]));
	hlt_json_set(object, "unpublished",
		     hlt_json_u64(s->count[HL_SALVAGE_UNPUBLISHED]));
	hlt_json_set(object, "void", hlt_json_u64(s->count[HL_SALVAGE_VOID]));
	return object;
}

static int salvage(struct doctor *d, const struct hlt_examination *e)
{
	struct hlt_salvage *s = &d->salvage;
	int status;

	if (s->file == NULL)
		return HLT_DONE;
	s->name = d->name;
	s->has_checksum = e->opens && e->ring.info.checksum != HL_CHECKSUM_NONE;
	status = hlt_salvage_run(s);
	if (status != HLT_DONE)
		return status;
	hlt_json_set(d->document, "salvaged", salvaged_to_json(s, e->opens));
	if (!d->json)
		show_salvaged(d, e->opens);
	return HLT_DONE;
}

/* Mends, and examines what is left. e is the examination before. */
static int repair(struct doctor *d, struct hlt_examination *e)
{
	struct hl_error err = { 0 };
	struct hl_ring *ring;
	int ret;

	ret = hl_ring_open(d->name, d->flags, &ring, &err);
	if (ret < 0)
		return hlt_fail(d->name, ret, &err);
	ret = hl_ring_repair(ring, &err);
	hl_ring_close(ring);
	if (ret < 0 && ret != -EBUSY)
		return hlt_fail(d->name, ret, &err);
	hlt_json_set(d->document, "repaired", hlt_json_u64(ret > 0 ? ret : 0));
	if (!d->json)
		printf("repaired  %d %s\n", ret > 0 ? ret : 0,
		       ret == 1 ? "thing was changed" : "things were changed");
	hlt_examination_fini(e);
	if (examine(d, e, "findings_after") != 0)
		return HLT_FAILED;
	if (ret == -EBUSY && e->count[HL_FINDING_DAMAGE] > 0)
		return hlt_fail(d->name, ret, &err);
	return hlt_verdict(e);
}

static int treat(struct doctor *d)
{
	struct hlt_examination e;
	int status = examine(d, &e, "findings");

	if (status == HLT_DONE)
		status = salvage(d, &e);
	if (status == HLT_DONE)
		status = d->repair ? repair(d, &e) : hlt_verdict(&e);
	hlt_examination_fini(&e);
	return status;
}

int hlt_cmd_doctor(int argc, char **argv)
{
	struct doctor d = { 0 };
	int c, status;

	while ((c = hlt_getopt(argc, argv, ":rs:fjh", options)) != -1) {
		if (read_option(c, optarg, &d) != 0)
			return HLT_USAGE;
		if (d.help)
			return hlt_help(usage);
	}
	if (check_options(&d) != 0 ||
	    hlt_one_argument(argc, argv, "the ring's name", &d.name) != 0)
		return HLT_USAGE;
	d.document = json_object();
	hlt_json_set(d.document, "name",
		     hlt_json_bytes(d.name, strlen(d.name)));
	status = treat(&d);
	if (d.json && json_object_get(d.document, "findings") != NULL) {
		if (hlt_last_complaint()[0] != '\0')
			hlt_json_set(d.document, "error",
				     json_string(hlt_last_complaint()));
		hlt_json_set(d.document, "exit", json_integer(status));
		hlt_json_print(json_incref(d.document));
	}
	json_decref(d.document);
	return status;
}
