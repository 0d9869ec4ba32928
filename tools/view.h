/* SPDX-License-Identifier: MIT */
/*
 * view - show a message that was received or seen
 *
 * As a line for people, as a line of JSON (msg_json.h has the form), as hex, or
 * as it is. All of it was written by others: lengths are checked, and nothing
 * but text reaches a terminal, except in the raw form, which is not for one.
 */
#ifndef HLT_VIEW_H
#define HLT_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include <hotline/consume.h>

enum hlt_form {
	HLT_FORM_TEXT = 0,
	HLT_FORM_JSON,
	HLT_FORM_HEX, /* position and all bytes of the slot, in hex */
	HLT_FORM_RAW, /* the bytes of the slot */
};

/* A message, and how it came. */
struct hlt_view {
	const void *slot; /* a copy that nobody else writes */
	size_t slot_bytes;
	uint64_t position;
	uint64_t lost;	    /* missed before it */
	uint64_t voids;	    /* passed before it */
	int payload_status; /* as hl_batch_payload() returns */
	struct hl_payload payload;
	bool has_checksum;
	bool redelivered;
	uint32_t attempt;
	enum hl_verdict verdict;
};

/* How it came, and what is wrong with it: members, or words in brackets. */
void hlt_view_set_marks(json_t *object, const struct hlt_view *view);
void hlt_view_put_marks(const struct hlt_view *view);

/* The object that the JSON form has of it. */
json_t *hlt_view_to_json(const struct hlt_view *view);

/* Print the message to standard output. */
void hlt_view_print(const struct hlt_view *view, enum hlt_form form);

/*
 * hlt_form_pick - the form that options ask for, in *form
 *
 * Sets JSON errors up, and refuses two forms at a time, and the raw form when
 * standard output is a terminal. Returns 0 or HLT_USAGE.
 */
int hlt_form_pick(bool json, bool hex, bool raw, enum hlt_form *form);

#endif /* HLT_VIEW_H */
