/* SPDX-License-Identifier: MIT */
/*
 * why_show - what hotline why has found, for people and for programs
 */
#include "why.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "info_json.h"
#include "out.h"
#include "text.h"
#include "words.h"

enum {
	MARGIN = 13,
	COLUMNS = 80,
};

static uint64_t moved(uint64_t from, uint64_t to)
{
	return to > from ? to - from : 0;
}

static void put_text(const char *text)
{
	hlt_text_put(stdout, text, strlen(text), 0);
}

static void print_movement(const struct hlt_why *why)
{
	char span[HLT_TIME_BYTES];

	if (why->watched_ns == 0) {
		puts("looked once");
		return;
	}
	printf("in %s      ", hlt_span(span, (uint64_t)why->watched_ns));
	if (!why->moves) {
		puts("nothing moved");
		return;
	}
	printf("%" PRIu64 " claimed",
	       moved(why->before->ring.head, why->after->ring.head));
	for (size_t i = 0; i < why->after->ngroups; i++) {
		const struct hlt_group_row *row = &why->after->groups[i];
		const struct hlt_group_row *old = hlt_why_before(why, row);

		if (old == NULL)
			continue;
		fputs("; group ", stdout);
		put_text(row->status.name);
		printf(": %" PRIu64 " handed out, %" PRIu64 " finished",
		       moved(old->status.cursor, row->status.cursor),
		       moved(old->status.low, row->status.low));
	}
	putchar('\n');
}

/* A sentence, its lines broken between words, behind a margin. */
static void put_wrapped(const char *text)
{
	char escaped[4 * HLT_SENTENCE_BYTES];
	size_t column = MARGIN;
	const char *word = hlt_text_escape(escaped, sizeof(escaped), text,
					   strlen(text), 0);

	while (*word != '\0') {
		const size_t len = strcspn(word, " ");

		if (column > MARGIN && column + 1 + len > COLUMNS) {
			printf("\n%*s", MARGIN, "");
			column = MARGIN;
		} else if (column > MARGIN) {
			putchar(' ');
			column++;
		}
		fwrite(word, 1, len, stdout);
		column += len;
		word += len + strspn(word + len, " ");
	}
	putchar('\n');
}

static void print_reasons(const struct hlt_why *why, bool held)
{
	for (size_t i = 0; i < why->nreasons; i++) {
		if (why->reasons[i].held != held)
			continue;
		fputs(held ? "held back    " : "note         ", stdout);
		put_wrapped(why->reasons[i].text);
	}
}

void hlt_why_print(const struct hlt_why *why)
{
	const struct hl_ring_status *ring = &why->after->ring;

	fputs("ring         ", stdout);
	put_text(why->after->name);
	printf(": head %" PRIu64 ", low %" PRIu64 ", %" PRIu64 " of %" PRIu64
	       " positions needed; %" PRIu32 " alive, %" PRIu32 " dead\n",
	       ring->head, ring->low, hlt_depth(ring), ring->info.capacity,
	       ring->alive, ring->dead);
	print_movement(why);
	print_reasons(why, true);
	print_reasons(why, false);
}

static json_t *movement_to_json(const struct hlt_why *why)
{
	json_t *groups = json_array();

	for (size_t i = 0; i < why->after->ngroups; i++) {
		const struct hlt_group_row *row = &why->after->groups[i];
		const struct hlt_group_row *old = hlt_why_before(why, row);
		json_t *object;

		if (old == NULL)
			continue;
		object = json_object();
		hlt_json_set(object, "name",
			     hlt_json_bytes(row->status.name,
					    strlen(row->status.name)));
		hlt_json_set(object, "handed_out",
			     hlt_json_u64(moved(old->status.cursor,
						row->status.cursor)));
		hlt_json_set(
			object, "finished",
			hlt_json_u64(moved(old->status.low, row->status.low)));
		hlt_json_append(groups, object);
	}
	return groups;
}

/* A sentence is made of names from the ring: escaped it is text. */
static json_t *sentence_to_json(const char *text)
{
	char escaped[4 * HLT_SENTENCE_BYTES];

	hlt_text_escape(escaped, sizeof(escaped), text, strlen(text), 0);
	return json_string(escaped);
}

json_t *hlt_why_to_json(const struct hlt_why *why)
{
	const struct hl_ring_status *ring = &why->after->ring;
	const char *name = why->after->name;
	json_t *object = json_object(), *reasons = json_array();

	hlt_json_set(object, "name", hlt_json_bytes(name, strlen(name)));
	hlt_json_set(object, "watched_ns", hlt_json_i64(why->watched_ns));
	hlt_json_set(object, "moves", json_boolean(why->moves));
	hlt_json_set(object, "held", json_boolean(why->held));
	hlt_json_set(object, "head", hlt_json_u64(ring->head));
	hlt_json_set(object, "low", hlt_json_u64(ring->low));
	hlt_json_set(object, "depth", hlt_json_u64(hlt_depth(ring)));
	hlt_json_set(object, "capacity", hlt_json_u64(ring->info.capacity));
	hlt_json_set(object, "claimed",
		     hlt_json_u64(moved(why->before->ring.head, ring->head)));
	hlt_json_set(object, "groups", movement_to_json(why));
	for (size_t i = 0; i < why->nreasons; i++) {
		hlt_json_set(why->reasons[i].object, "text",
			     sentence_to_json(why->reasons[i].text));
		hlt_json_append(reasons, json_incref(why->reasons[i].object));
	}
	hlt_json_set(object, "reasons", reasons);
	return object;
}
