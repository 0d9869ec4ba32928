/* SPDX-License-Identifier: MIT */
/*
 * doctor - what hl_ring_check() finds in a ring, kept and shown
 */
#include "doctor.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "guard.h"
#include "opt.h"
#include "out.h"
#include "text.h"

static const char *const kind_words[] = { "note", "pending", "damage", NULL };

/* What a kind means, and what helps. */
static const char *const meanings[] = {
	[HL_FINDING_NOTE] = "unusual, and right",
	[HL_FINDING_PENDING] =
		("whoever joins or waits next sees to it; --repair does it now, "
		 "but for what the next member of a group will get"),
	[HL_FINDING_DAMAGE] =
		("somebody wrote what nobody should; --repair mends what can be "
		 "mended, when nobody lives; --salvage FILE saves the messages"),
};

static const char no_ring[] =
	"it cannot be used or mended as a ring; --salvage FILE saves the "
	"messages that it still holds";

struct examine {
	struct hlt_examination *examination;
	const char *name;
	struct hl_inspect *inspect;
	struct hl_error err;
	int ret;
};

static void add_finding(enum hl_finding kind, const char *text, void *user)
{
	struct hlt_examination *e = user;
	struct hlt_finding *finding;

	e->findings =
		hlt_realloc(e->findings, (e->nfindings + 1) * sizeof(*finding));
	finding = &e->findings[e->nfindings++];
	finding->kind = kind;
	snprintf(finding->text, sizeof(finding->text), "%s", text);
	if ((unsigned)kind < HLT_FINDING_KINDS)
		e->count[kind]++;
}

static void check(void *arg)
{
	struct examine *x = arg;

	x->ret = hl_inspect_open(x->name, HL_OPEN_ANY_OWNER, &x->inspect,
				 &x->err);
	if (x->ret < 0)
		return;
	x->examination->opens = true;
	hl_inspect_ring(x->inspect, &x->examination->ring);
	hl_ring_check(x->inspect, add_finding, x->examination);
}

int hlt_examine(struct hlt_examination *examination, const char *name)
{
	struct examine x = { .examination = examination, .name = name };

	memset(examination, 0, sizeof(*examination));
	if (!hlt_guard_run(check, &x))
		add_finding(HL_FINDING_DAMAGE,
			    "its file was cut short while it was read",
			    examination);
	hl_inspect_close(x.inspect);
	if (x.ret == -EBADMSG || x.ret == -EPROTONOSUPPORT)
		add_finding(HL_FINDING_DAMAGE, x.err.text, examination);
	else if (x.ret < 0)
		return hlt_fail(name, x.ret, &x.err);
	return 0;
}

void hlt_examination_fini(struct hlt_examination *examination)
{
	free(examination->findings);
}

int hlt_verdict(const struct hlt_examination *examination)
{
	if (examination->count[HL_FINDING_DAMAGE] > 0)
		return HLT_DAMAGED;
	return examination->count[HL_FINDING_PENDING] > 0 ? HLT_HELD : HLT_DONE;
}

void hlt_examination_print(const struct hlt_examination *e)
{
	for (size_t i = 0; i < e->nfindings; i++) {
		printf("%-8s  ", hlt_word(kind_words, e->findings[i].kind));
		hlt_text_put(stdout, e->findings[i].text,
			     strlen(e->findings[i].text), 0);
		putchar('\n');
	}
	if (e->nfindings == 0) {
		puts("every invariant holds: nothing was found");
		return;
	}
	for (unsigned kind = 0; kind < HLT_FINDING_KINDS; kind++) {
		if (e->count[kind] > 0)
			printf("%zu %s: %s\n", e->count[kind],
			       hlt_word(kind_words, kind),
			       e->opens ? meanings[kind] : no_ring);
	}
}

json_t *hlt_findings_to_json(const struct hlt_examination *e)
{
	json_t *array = json_array();

	for (size_t i = 0; i < e->nfindings; i++) {
		json_t *object = json_object();

		hlt_json_set(
			object, "kind",
			json_string(hlt_word(kind_words, e->findings[i].kind)));
		hlt_json_set(object, "text",
			     hlt_json_bytes(e->findings[i].text,
					    strlen(e->findings[i].text)));
		hlt_json_append(array, object);
	}
	return array;
}
