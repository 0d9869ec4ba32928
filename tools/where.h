/* SPDX-License-Identifier: MIT */
/*
 * where - which messages to show: an expression over a schema's fields
 *
 *     type == entry && (amount > 100000 || !(account == 'ABC'))
 *
 *     any    = all { "||" all }
 *     all    = not { "&&" not }
 *     not    = "!" not | "(" any ")" | side OP side
 *     side   = field | field "[" number "]" | number | 'text' | name
 *     OP     = == != < <= > >=
 *
 * A name is one of the values of the field that it is compared with. Whole
 * numbers compare exactly, whatever their sign and size. A comparison with a
 * field that the message does not have is false.
 */
#ifndef HLT_WHERE_H
#define HLT_WHERE_H

#include <stdbool.h>
#include <stddef.h>

#include <hotline/schema.h>

struct hlt_where;

struct hlt_where_error {
	size_t column; /* from 1 */
	char text[160];
};

enum {
	HLT_WHERE_BYTES = 4096
}; /* the longest expression */

/*
 * hlt_where_compile - read an expression; schema has to outlive *out
 *
 * Returns: 0, -EINVAL with what is wrong and where, -ENOMEM.
 */
int hlt_where_compile(const char *text, const struct hl_schema *schema,
		      struct hlt_where **out, struct hlt_where_error *err);
void hlt_where_free(struct hlt_where *where);

/* Does it hold for a message? payload is NULL for none. */
bool hlt_where_holds(const struct hlt_where *where, const void *message,
		     const struct hl_payload *payload);

#endif /* HLT_WHERE_H */
