/* SPDX-License-Identifier: MIT */
/*
 * where_side - the words of an expression, and the two sides of a comparison
 */
#ifndef HLT_WHERE_SIDE_H
#define HLT_WHERE_SIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hotline/schema.h>

#include "where.h"

enum hlt_op {
	HLT_EQUAL,
	HLT_UNEQUAL,
	HLT_BELOW,
	HLT_UP_TO,
	HLT_ABOVE,
	HLT_FROM
};

enum hlt_side_kind {
	HLT_SIDE_FIELD,
	HLT_SIDE_NUMBER,
	HLT_SIDE_TEXT,
	HLT_SIDE_NAME /* of a value, until it is known of which field */
};

/* A whole number has a sign and a size, any other is f. */
struct hlt_number {
	bool whole;
	bool negative;
	uint64_t magnitude;
	long double f;
};

struct hlt_side {
	enum hlt_side_kind kind;
	size_t column;
	const struct hl_field *field;
	size_t element;
	struct hlt_number number;
	const char *text; /* in the expression, not terminated */
	size_t len;
};

struct hlt_words {
	const char *text; /* the expression */
	const char *at;
	const struct hl_schema *schema;
	struct hlt_where_error *err;
};

/* Say what is wrong in a column. Returns -EINVAL. */
__attribute__((format(printf, 3, 4))) int
hlt_words_refuse(const struct hlt_words *words, size_t column,
		 const char *format, ...);

/* Where the next word is; is it this sign; take it if it is; is it none? */
size_t hlt_words_column(struct hlt_words *words);
bool hlt_words_at(struct hlt_words *words, const char *sign);
bool hlt_words_take(struct hlt_words *words, const char *sign);
bool hlt_words_ended(struct hlt_words *words);
bool hlt_words_op(struct hlt_words *words, enum hlt_op *op);

/* Read a field, a number, a text or a name. 0 or -EINVAL. */
int hlt_side_read(struct hlt_words *words, struct hlt_side *side);

/* Can the two be compared? Looks names up. 0, or -EINVAL at the column. */
int hlt_sides_match(const struct hlt_words *words, size_t column,
		    struct hlt_side *left, struct hlt_side *right);

/* Compare them for a message. */
bool hlt_sides_compare(enum hlt_op op, const struct hlt_side *left,
		       const struct hlt_side *right, const void *message,
		       const struct hl_payload *payload);

#endif /* HLT_WHERE_SIDE_H */
