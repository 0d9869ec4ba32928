/* SPDX-License-Identifier: MIT */
/*
 * where - which messages to show: an expression over a schema's fields
 *
 * Read once, by recursive descent, into nodes that name each other by number;
 * each byte of the text makes at most one, so their room is known beforehand.
 * All that can be wrong with an expression is found then: a message is only
 * looked up and compared.
 */
#include "where.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "where_side.h"

enum {
	DEPTH_MAX = 64, /* of brackets and ! */
};

enum kind {
	EITHER, /* a || b */
	BOTH,	/* a && b */
	NOT,	/* a */
	COMPARE
};

struct node {
	enum kind kind;
	size_t a, b;
	enum hlt_op op;
	struct hlt_side left, right;
};

struct hlt_where {
	char *text; /* with the text of its sides */
	size_t nnodes, root;
	struct node nodes[];
};

struct reader {
	struct hlt_words words;
	struct hlt_where *where;
	unsigned depth;
};

static struct node *add(struct reader *r, enum kind kind, size_t a, size_t b,
			size_t *out)
{
	struct node *const node = &r->where->nodes[r->where->nnodes];

	memset(node, 0, sizeof(*node));
	node->kind = kind;
	node->a = a;
	node->b = b;
	*out = r->where->nnodes++;
	return node;
}

static int read_any(struct reader *r, size_t *out);

static int read_comparison(struct reader *r, size_t *out)
{
	struct node *const node = add(r, COMPARE, 0, 0, out);
	size_t column;

	if (hlt_side_read(&r->words, &node->left) < 0)
		return -EINVAL;
	column = hlt_words_column(&r->words);
	if (!hlt_words_op(&r->words, &node->op))
		return hlt_words_refuse(&r->words, column,
					"expected == != < <= > or >=");
	if (hlt_side_read(&r->words, &node->right) < 0)
		return -EINVAL;
	return hlt_sides_match(&r->words, column, &node->left, &node->right);
}

static int read_brackets(struct reader *r, size_t *out)
{
	const size_t column = hlt_words_column(&r->words);

	(void)hlt_words_take(&r->words, "(");
	if (read_any(r, out) < 0)
		return -EINVAL;
	if (!hlt_words_take(&r->words, ")"))
		return hlt_words_refuse(&r->words, hlt_words_column(&r->words),
					"expected && || or the ) for the ( in "
					"column %zu",
					column);
	return 0;
}

static int read_not(struct reader *r, size_t *out)
{
	const size_t column = hlt_words_column(&r->words);
	size_t inner;
	int ret;

	if (++r->depth > DEPTH_MAX)
		return hlt_words_refuse(&r->words, column,
					"more than %d brackets or ! deep",
					DEPTH_MAX);
	if (hlt_words_take(&r->words, "!")) {
		ret = read_not(r, &inner);
		if (ret == 0)
			add(r, NOT, inner, 0, out);
	} else if (hlt_words_at(&r->words, "(")) {
		ret = read_brackets(r, out);
	} else {
		ret = read_comparison(r, out);
	}
	r->depth--;
	return ret;
}

static int read_all(struct reader *r, size_t *out)
{
	size_t right;

	if (read_not(r, out) < 0)
		return -EINVAL;
	while (hlt_words_take(&r->words, "&&")) {
		if (read_not(r, &right) < 0)
			return -EINVAL;
		add(r, BOTH, *out, right, out);
	}
	return 0;
}

static int read_any(struct reader *r, size_t *out)
{
	size_t right;

	if (read_all(r, out) < 0)
		return -EINVAL;
	while (hlt_words_take(&r->words, "||")) {
		if (read_all(r, &right) < 0)
			return -EINVAL;
		add(r, EITHER, *out, right, out);
	}
	return 0;
}

static int read_expression(struct reader *r)
{
	if (read_any(r, &r->where->root) < 0)
		return -EINVAL;
	if (!hlt_words_ended(&r->words))
		return hlt_words_refuse(&r->words, hlt_words_column(&r->words),
					"expected && or || or the end");
	return 0;
}

int hlt_where_compile(const char *text, const struct hl_schema *schema,
		      struct hlt_where **out, struct hlt_where_error *err)
{
	const size_t len = strlen(text);
	struct reader r = { .words = { .schema = schema, .err = err } };
	int ret;

	*out = NULL;
	memset(err, 0, sizeof(*err));
	if (len > HLT_WHERE_BYTES)
		return hlt_words_refuse(&r.words, HLT_WHERE_BYTES,
					"longer than %d bytes",
					HLT_WHERE_BYTES);
	/* A comparison may be read before its text is known to be wrong. */
	r.where = calloc(1, sizeof(*r.where) +
				    (len + 1) * sizeof(r.where->nodes[0]));
	if (r.where != NULL)
		r.where->text = strdup(text);
	if (r.where == NULL || r.where->text == NULL) {
		hlt_where_free(r.where);
		return -ENOMEM;
	}
	r.words.text = r.where->text;
	r.words.at = r.where->text;
	ret = read_expression(&r);
	if (ret < 0) {
		hlt_where_free(r.where);
		return ret;
	}
	*out = r.where;
	return 0;
}

void hlt_where_free(struct hlt_where *where)
{
	if (where == NULL)
		return;
	free(where->text);
	free(where);
}

/* As deep as the text: "a && b && c" leans to the left. */
static bool holds(const struct hlt_where *where, size_t at, const void *message,
		  const struct hl_payload *payload)
{
	const struct node *const node = &where->nodes[at];

	switch (node->kind) {
	case EITHER:
		return holds(where, node->a, message, payload) ||
		       holds(where, node->b, message, payload);
	case BOTH:
		return holds(where, node->a, message, payload) &&
		       holds(where, node->b, message, payload);
	case NOT:
		return !holds(where, node->a, message, payload);
	case COMPARE:
		break;
	}
	return hlt_sides_compare(node->op, &node->left, &node->right, message,
				 payload);
}

bool hlt_where_holds(const struct hlt_where *where, const void *message,
		     const struct hl_payload *payload)
{
	return holds(where, where->root, message, payload);
}
