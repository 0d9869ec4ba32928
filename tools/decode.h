/* SPDX-License-Identifier: MIT */
/*
 * decode - show messages by the schema of their ring
 *
 * What --where, --fields and --csv ask for is kept, and bound to a schema once
 * the ring is open. A ring without one is shown as view.h does.
 */
#ifndef HLT_DECODE_H
#define HLT_DECODE_H

#include <stdbool.h>
#include <stddef.h>

#include <hotline/schema.h>

#include "view.h"
#include "where.h"

/* Options that commands share; their values are above all letters. */
enum {
	HLT_OPT_WHERE = 1024,
	HLT_OPT_FIELDS,
	HLT_OPT_CSV,
};
#define HLT_DECODE_OPTIONS                                                     \
	{ "where", required_argument, NULL, HLT_OPT_WHERE },                   \
		{ "fields", required_argument, NULL, HLT_OPT_FIELDS },         \
	{                                                                      \
		"csv", no_argument, NULL, HLT_OPT_CSV                          \
	}
#define HLT_DECODE_USAGE                                                       \
	"      --where EXPR    only messages for which it holds, like\n"       \
	"                      'type == sell && amount > 100000'\n"            \
	"      --fields LIST   these fields, in this order: a,b,c\n"           \
	"      --csv           values with commas between, names first\n"

struct hlt_decode {
	const char *where_text, *fields_text; /* as asked for, or NULL */
	bool csv;

	struct hl_schema *schema; /* NULL: the ring has none */
	struct hlt_where *where;
	const struct hl_field **fields; /* to show, in this order */
	size_t nfields;
	bool headed; /* the line of names is written */
};

/* Keep what an option asks for: false if it is none of these. */
bool hlt_decode_option(struct hlt_decode *decode, int c, const char *value);

/* hlt_form_pick(), and no other form beside --csv. */
int hlt_decode_pick(const struct hlt_decode *decode, bool json, bool hex,
		    bool raw, enum hlt_form *form);

/*
 * hlt_decode_begin - bind the options to a ring
 *
 * code, schema and err are what hl_ring_get_schema() came to; the schema is
 * ours from here. Returns HLT_DONE, or another exit status after a complaint.
 */
int hlt_decode_begin(struct hlt_decode *decode, const char *name, int code,
		     struct hl_schema *schema, const struct hl_error *err,
		     bool has_checksum);
void hlt_decode_fini(struct hlt_decode *decode);

/* Is this a message to show? */
bool hlt_decode_wanted(const struct hlt_decode *decode,
		       const struct hlt_view *view);

/* Print it, by the schema if there is one. */
void hlt_decode_print(struct hlt_decode *decode, const struct hlt_view *view,
		      enum hlt_form form);

#endif /* HLT_DECODE_H */
