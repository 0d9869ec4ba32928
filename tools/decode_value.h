/* SPDX-License-Identifier: MIT */
/*
 * decode_value - the value of one field of a message, in three forms
 */
#ifndef HLT_DECODE_VALUE_H
#define HLT_DECODE_VALUE_H

#include <stddef.h>

#include <jansson.h>

#include <hotline/schema.h>

#include "view.h"

enum {
	HLT_KEY_BYTES = 80
};

struct hlt_value {
	const struct hl_field *field;
	const void *data; /* nobody else writes it */
	size_t size;
	void *copy;
};

/*
 * hlt_value_take - the bytes of a field
 *
 * *budget is what may still be copied of the payload. Returns: 0, -ENODATA when
 * the message has no such field, -EBADMSG. hlt_value_fini() in any case.
 */
int hlt_value_take(struct hlt_value *value, const struct hl_field *field,
		   const struct hlt_view *view, size_t *budget);
void hlt_value_fini(struct hlt_value *value);

/* For people: text in quotes, names, units, times; long ones are cut. */
void hlt_value_put(const struct hlt_value *value);

/* A number, a name, a string, {"hex": digits}, or an array of them. */
json_t *hlt_value_json(const struct hlt_value *value);

/* The same between commas: text in quotes, bytes in hex. */
void hlt_value_put_csv(const struct hlt_value *value);

/*
 * The field's name as a member: with a _ behind it where the name says
 * something else of a message (position, lost, payload ...). key has
 * HLT_KEY_BYTES; returns it, or the name itself.
 */
const char *hlt_value_key(char *key, const struct hl_field *field);

#endif /* HLT_DECODE_VALUE_H */
