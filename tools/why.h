/* SPDX-License-Identifier: MIT */
/*
 * why - why nothing moves in a ring: who holds back whom
 *
 * Compares two looks at a ring. What was the same in both stands still; the
 * reasons are read off the second. A reason is "held" when somebody waits for
 * what does not come by itself, and a note otherwise.
 */
#ifndef HLT_WHY_H
#define HLT_WHY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "snapshot.h"

enum {
	HLT_SENTENCE_BYTES = 1024
};

struct hlt_reason {
	const char *kind; /* one word, for programs */
	bool held;
	char text[HLT_SENTENCE_BYTES]; /* not escaped */
	json_t *object;
};

struct hlt_why {
	const struct hlt_snapshot *before, *after; /* the same for one look */
	int64_t watched_ns;
	bool still;   /* full in both looks, and low has not moved */
	bool moves;   /* something was claimed, handed out or finished */
	bool starved; /* no block of the arena is to be had, in both looks */
	bool held;    /* some reason is */
	struct hlt_reason *reasons;
	size_t nreasons;
};

void hlt_why_find(struct hlt_why *why, const struct hlt_snapshot *before,
		  const struct hlt_snapshot *after, int64_t watched_ns);
void hlt_why_fini(struct hlt_why *why);

void hlt_why_print(const struct hlt_why *why);
json_t *hlt_why_to_json(const struct hlt_why *why);

/* --- For its parts --------------------------------------------------------- */

/* A reason without text; good until the next one is added. */
struct hlt_reason *hlt_why_add(struct hlt_why *why, const char *kind,
			       bool held);

/* More text of it. */
__attribute__((format(printf, 2, 3))) void
hlt_reason_say(struct hlt_reason *reason, const char *format, ...);

/* The participant that it is about. */
void hlt_reason_about(struct hlt_reason *reason, const struct hlt_why *why,
		      const struct hlt_participant_row *row);

/* The same group in the first look, NULL when it was not there. */
const struct hlt_group_row *hlt_why_before(const struct hlt_why *why,
					   const struct hlt_group_row *row);

/* Is it claimed and not published in the second look? */
bool hlt_why_is_claimed(const struct hlt_why *why, uint64_t position);

/* Reasons that concern one group. */
void hlt_why_group(struct hlt_why *why, const struct hlt_group_row *row);

/* Reasons that concern positions that do not get published, and the dead. */
void hlt_why_claims(struct hlt_why *why);
void hlt_why_gone(struct hlt_why *why);

#endif /* HLT_WHY_H */
