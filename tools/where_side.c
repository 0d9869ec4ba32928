/* SPDX-License-Identifier: MIT */
/*
 * where_side - the words of an expression, and the two sides of a comparison
 *
 * The payload of a message may change while it is looked at: where it is was
 * checked, so a wrong answer is the worst of it.
 */
#include "where_side.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	NAME_BYTES = 64,
	NUMBER_BYTES = 64
};

static const char blanks[] = " \t\r\n";
static const char digits[] = "0123456789";
static const char letters[] = "abcdefghijklmnopqrstuvwxyz"
			      "ABCDEFGHIJKLMNOPQRSTUVWXYZ_";
static const char more[] = "abcdefghijklmnopqrstuvwxyz"
			   "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789.-";

int hlt_words_refuse(const struct hlt_words *words, size_t column,
		     const char *format, ...)
{
	va_list args;

	words->err->column = column;
	va_start(args, format);
	vsnprintf(words->err->text, sizeof(words->err->text), format, args);
	va_end(args);
	return -EINVAL;
}

size_t hlt_words_column(struct hlt_words *words)
{
	words->at += strspn(words->at, blanks);
	return (size_t)(words->at - words->text) + 1;
}

bool hlt_words_at(struct hlt_words *words, const char *sign)
{
	(void)hlt_words_column(words);
	return strncmp(words->at, sign, strlen(sign)) == 0;
}

bool hlt_words_take(struct hlt_words *words, const char *sign)
{
	if (!hlt_words_at(words, sign))
		return false;
	words->at += strlen(sign);
	return true;
}

bool hlt_words_ended(struct hlt_words *words)
{
	(void)hlt_words_column(words);
	return *words->at == '\0';
}

bool hlt_words_op(struct hlt_words *words, enum hlt_op *op)
{
	/* Longer signs come first. */
	static const struct {
		const char *sign;
		enum hlt_op op;
	} ops[] = {
		{ "==", HLT_EQUAL }, { "!=", HLT_UNEQUAL }, { "<=", HLT_UP_TO },
		{ ">=", HLT_FROM },  { "<", HLT_BELOW },    { ">", HLT_ABOVE },
	};

	for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
		if (hlt_words_take(words, ops[i].sign)) {
			*op = ops[i].op;
			return true;
		}
	}
	return false;
}

static int read_quoted(struct hlt_words *words, struct hlt_side *side)
{
	const char *const end = strchr(words->at + 1, *words->at);

	if (end == NULL)
		return hlt_words_refuse(words, side->column,
					"the text has no second %c",
					*words->at);
	side->kind = HLT_SIDE_TEXT;
	side->text = words->at + 1;
	side->len = (size_t)(end - side->text);
	words->at = end + 1;
	return 0;
}

static bool read_whole(const char *word, struct hlt_number *number)
{
	const int base = word[0] == '0' && (word[1] | 0x20) == 'x' ? 16 : 10;
	char *end;

	errno = 0;
	number->whole = true;
	number->magnitude = strtoull(word, &end, base);
	return errno == 0 && *end == '\0';
}

static int read_number(struct hlt_words *words, struct hlt_side *side)
{
	const bool negative = *words->at == '-';
	const char *const begin = words->at + negative;
	const size_t len = strspn(begin, more);
	char word[NUMBER_BYTES], *end;

	side->kind = HLT_SIDE_NUMBER;
	side->number.negative = negative;
	if (len < sizeof(word)) {
		memcpy(word, begin, len);
		word[len] = '\0';
		words->at = begin + len;
		if (word[0] != '\0' && strchr(digits, word[0]) != NULL) {
			if (read_whole(word, &side->number))
				return 0;
			side->number.whole = false;
			side->number.f = strtold(word, &end);
			if (negative)
				side->number.f = -side->number.f;
			if (*end == '\0' && strpbrk(word, "xX") == NULL)
				return 0;
		}
	}
	return hlt_words_refuse(words, side->column, "not a number");
}

/* [N] behind a field, in *element. */
static int read_element(struct hlt_words *words, struct hlt_side *side)
{
	const struct hl_field *const field = side->field;
	struct hlt_side index = { 0 };

	if (!hlt_words_take(words, "[")) {
		if (field->count == 1 || field->type >= HL_TEXT)
			return 0;
		return hlt_words_refuse(words, side->column,
					"%s has many values: say which, "
					"%s[0]",
					field->name, field->name);
	}
	index.column = hlt_words_column(words);
	if (field->type >= HL_TEXT || read_number(words, &index) < 0 ||
	    !index.number.whole || index.number.negative ||
	    (field->count != 0 && index.number.magnitude >= field->count) ||
	    index.number.magnitude > UINT32_MAX || !hlt_words_take(words, "]"))
		return hlt_words_refuse(words, index.column,
					"%s has no such value", field->name);
	side->element = (size_t)index.number.magnitude;
	return 0;
}

static int read_name(struct hlt_words *words, struct hlt_side *side)
{
	char name[NAME_BYTES];

	side->kind = HLT_SIDE_NAME;
	side->text = words->at;
	side->len = strspn(words->at, more);
	words->at += side->len;
	if (side->len >= sizeof(name))
		return hlt_words_refuse(words, side->column,
					"no field has a name so long");
	memcpy(name, side->text, side->len);
	name[side->len] = '\0';
	side->field = hl_schema_find(words->schema, name);
	if (side->field == NULL)
		return 0;
	side->kind = HLT_SIDE_FIELD;
	if (side->field->type == HL_BYTES)
		return hlt_words_refuse(words, side->column,
					"%s is bytes, which do not compare",
					name);
	return read_element(words, side);
}

int hlt_side_read(struct hlt_words *words, struct hlt_side *side)
{
	memset(side, 0, sizeof(*side));
	side->column = hlt_words_column(words);
	switch (*words->at) {
	case '\'':
	case '"':
		return read_quoted(words, side);
	case '\0':
		return hlt_words_refuse(words, side->column,
					"expected a field, a number or a text, "
					"and it ends");
	default:
		break;
	}
	if (*words->at == '-' || strchr(digits, *words->at) != NULL)
		return read_number(words, side);
	if (strchr(letters, *words->at) != NULL)
		return read_name(words, side);
	return hlt_words_refuse(words, side->column,
				"expected a field, a number or a text");
}

/* --- What can be compared ------------------------------------------------- */

static bool is_number(const struct hlt_side *side)
{
	return side->kind == HLT_SIDE_NUMBER ||
	       (side->kind == HLT_SIDE_FIELD && side->field->type <= HL_F64);
}

/* A name, or a text, that is one of a field's values becomes that value. */
static bool look_up(struct hlt_side *side, const struct hl_field *field)
{
	for (uint32_t i = 0; i < field->nnames; i++) {
		const struct hl_enum_name *const name = &field->names[i];
		const bool negative = name->value < 0 && field->type != HL_U64;

		if (strlen(name->name) != side->len ||
		    memcmp(name->name, side->text, side->len) != 0)
			continue;
		side->kind = HLT_SIDE_NUMBER;
		side->number.whole = true;
		side->number.negative = negative;
		side->number.magnitude = negative ? 0 - (uint64_t)name->value :
						    (uint64_t)name->value;
		return true;
	}
	return false;
}

static int resolve(const struct hlt_words *words, struct hlt_side *side,
		   const struct hlt_side *other)
{
	const bool field = other->kind == HLT_SIDE_FIELD;
	const bool named = field && other->field->nnames > 0;

	if (side->kind == HLT_SIDE_FIELD || side->kind == HLT_SIDE_NUMBER ||
	    (named && look_up(side, other->field)))
		return 0;
	if (side->kind == HLT_SIDE_TEXT && !named)
		return 0;
	if (named)
		return hlt_words_refuse(words, side->column,
					"%.*s is no field, and no value of %s",
					(int)(side->len < 60 ? side->len : 60),
					side->text, other->field->name);
	return hlt_words_refuse(
		words, side->column, "%.*s is no field; write a text as '%.*s'",
		(int)(side->len < 40 ? side->len : 40), side->text,
		(int)(side->len < 40 ? side->len : 40), side->text);
}

int hlt_sides_match(const struct hlt_words *words, size_t column,
		    struct hlt_side *left, struct hlt_side *right)
{
	if (resolve(words, left, right) < 0 || resolve(words, right, left) < 0)
		return -EINVAL;
	if (is_number(left) != is_number(right))
		return hlt_words_refuse(words, column,
					"a number and a text do not compare");
	return 0;
}

/* --- Comparing ------------------------------------------------------------ */

/* Where a side's bytes are: false when the message has no such field. */
static bool locate(const struct hlt_side *side, const void *message,
		   const struct hl_payload *payload, const void **data,
		   size_t *size)
{
	if (side->kind == HLT_SIDE_TEXT) {
		*data = side->text;
		*size = side->len;
		return true;
	}
	return hl_field_locate(side->field, message, payload, data, size) == 0;
}

static bool number_of(const struct hlt_side *side, const void *message,
		      const struct hl_payload *payload,
		      struct hlt_number *number)
{
	struct hl_value value;
	const void *data;
	size_t size;

	if (side->kind == HLT_SIDE_NUMBER) {
		*number = side->number;
		return true;
	}
	if (!locate(side, message, payload, &data, &size) ||
	    hl_field_value(side->field, data, size, side->element, &value) < 0)
		return false;
	number->whole = value.type != HL_F64;
	number->f = (long double)value.f;
	number->negative = value.type == HL_I64 && value.i < 0;
	number->magnitude = number->negative ? 0 - value.u : value.u;
	if (value.type == HL_I64)
		number->magnitude = number->negative ? 0 - (uint64_t)value.i :
						       (uint64_t)value.i;
	return true;
}

static bool apply(enum hlt_op op, int order)
{
	switch (op) {
	case HLT_EQUAL:
		return order == 0;
	case HLT_UNEQUAL:
		return order != 0;
	case HLT_BELOW:
		return order < 0;
	case HLT_UP_TO:
		return order <= 0;
	case HLT_ABOVE:
		return order > 0;
	case HLT_FROM:
		break;
	}
	return order >= 0;
}

static int order_of(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int compare_whole(const struct hlt_number *a, const struct hlt_number *b)
{
	const bool below_a = a->negative && a->magnitude != 0;
	const bool below_b = b->negative && b->magnitude != 0;

	if (below_a != below_b)
		return below_a ? -1 : 1;
	return below_a ? order_of(b->magnitude, a->magnitude) :
			 order_of(a->magnitude, b->magnitude);
}

static long double float_of(const struct hlt_number *n)
{
	if (!n->whole)
		return n->f;
	return n->negative ? -(long double)n->magnitude :
			     (long double)n->magnitude;
}

static bool compare_numbers(enum hlt_op op, const struct hlt_number *a,
			    const struct hlt_number *b)
{
	const long double f = float_of(a), g = float_of(b);

	if (a->whole && b->whole)
		return apply(op, compare_whole(a, b));
	if (f != f || g != g) /* not a number: unequal to everything */
		return op == HLT_UNEQUAL;
	return apply(op, f < g ? -1 : f > g);
}

/* Up to the zero bytes behind it. */
static size_t used(const unsigned char *data, size_t size)
{
	while (size > 0 && data[size - 1] == '\0')
		size--;
	return size;
}

static int compare_texts(const unsigned char *a, size_t na,
			 const unsigned char *b, size_t nb)
{
	const size_t used_a = used(a, na), used_b = used(b, nb);
	const size_t n = used_a < used_b ? used_a : used_b;
	const int order = n ? memcmp(a, b, n) : 0;

	return order ? order : order_of(used_a, used_b);
}

bool hlt_sides_compare(enum hlt_op op, const struct hlt_side *left,
		       const struct hlt_side *right, const void *message,
		       const struct hl_payload *payload)
{
	struct hlt_number a, b;
	const void *x, *y;
	size_t nx, ny;

	if (is_number(left))
		return number_of(left, message, payload, &a) &&
		       number_of(right, message, payload, &b) &&
		       compare_numbers(op, &a, &b);
	return locate(left, message, payload, &x, &nx) &&
	       locate(right, message, payload, &y, &ny) &&
	       apply(op, compare_texts(x, nx, y, ny));
}
