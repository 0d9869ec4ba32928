/* SPDX-License-Identifier: MIT */
/*
 * decode_value - the value of one field of a message, in three forms
 */
#include "decode_value.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "out.h"
#include "text.h"

enum {
	SHOWN_BYTES = 256, /* of text or bytes, to people */
	SHOWN_ELEMENTS = 32,
	NUMBER_BYTES = 64,
};

int hlt_value_take(struct hlt_value *value, const struct hl_field *field,
		   const struct hlt_view *view, size_t *budget)
{
	const struct hl_payload *const payload =
		view->payload_status == 0 ? &view->payload : NULL;
	int ret;

	memset(value, 0, sizeof(*value));
	value->field = field;
	ret = hl_field_locate(field, view->slot, payload, &value->data,
			      &value->size);
	if (ret < 0 || field->heat != HL_PAYLOAD)
		return ret;
	if (value->size > *budget)
		return -EBADMSG;
	*budget -= value->size;
	value->copy = hlt_alloc(value->size);
	memcpy(value->copy, value->data, value->size);
	value->data = value->copy;
	return 0;
}

void hlt_value_fini(struct hlt_value *value)
{
	free(value->copy);
	value->copy = NULL;
}

/* Bytes up to the last that is not zero; all of them in a payload. */
static size_t used_bytes(const struct hlt_value *value)
{
	const char *const data = value->data;
	size_t n = value->size;

	while (value->field->heat != HL_PAYLOAD && n > 0 && data[n - 1] == '\0')
		n--;
	return n;
}

static bool is_list(const struct hl_field *field)
{
	return field->count != 1 && field->type < HL_TEXT;
}

/* --- For people ----------------------------------------------------------- */

static void put_text(const struct hlt_value *value)
{
	const char *const data = value->data;
	const size_t len = used_bytes(value);
	size_t shown = len < SHOWN_BYTES ? len : SHOWN_BYTES;

	while (shown < len && shown > 0 &&
	       ((unsigned char)data[shown] & 0xc0) == 0x80)
		shown--;
	putchar('"');
	hlt_text_put(stdout, data, shown, '"');
	putchar('"');
	if (shown < len)
		printf("... (%zu bytes)", len);
}

static void put_bytes(const struct hlt_value *value)
{
	const unsigned char *const data = value->data;
	size_t used = value->size, shown;

	while (used > 0 && data[used - 1] == 0)
		used--;
	shown = used < SHOWN_BYTES ? used : SHOWN_BYTES;
	fputs("0x", stdout);
	hlt_text_put_hex(stdout, data, shown);
	if (shown < value->size)
		printf("%s (%zu bytes)", shown < used ? "..." : "00...",
		       value->size);
}

void hlt_value_put(const struct hlt_value *value)
{
	const struct hl_field *const field = value->field;
	const size_t bytes = hl_type_bytes(field->type);
	size_t size = value->size;
	char *text;
	size_t n;

	if (field->type == HL_TEXT) {
		put_text(value);
		return;
	}
	if (field->type == HL_BYTES) {
		put_bytes(value);
		return;
	}
	if (size > SHOWN_ELEMENTS * bytes)
		size = SHOWN_ELEMENTS * bytes;
	n = hl_field_print(field, value->data, size, NULL, 0);
	text = hlt_alloc(n + 1);
	hl_field_print(field, value->data, size, text, n + 1);
	fputs(text, stdout);
	free(text);
	if (size < value->size)
		printf("... (%zu values)", value->size / bytes);
}

/* --- JSON ----------------------------------------------------------------- */

static json_t *element_json(const struct hl_value *element)
{
	char text[NUMBER_BYTES];

	if (element->name != NULL)
		return json_string(element->name);
	if (element->type == HL_U64)
		return hlt_json_u64(element->u);
	if (element->type == HL_I64)
		return hlt_json_i64(element->i);
	if (isfinite(element->f))
		return json_real(element->f);
	snprintf(text, sizeof(text), "%g", element->f);
	return json_string(text);
}

json_t *hlt_value_json(const struct hlt_value *value)
{
	const struct hl_field *const field = value->field;
	struct hl_value element;
	json_t *array;

	if (field->type == HL_TEXT)
		return hlt_json_bytes(value->data, used_bytes(value));
	if (field->type == HL_BYTES) {
		json_t *object = json_object();

		hlt_json_set(object, "hex",
			     hlt_json_hex(value->data, value->size));
		return object;
	}
	if (!is_list(field)) {
		if (hl_field_value(field, value->data, value->size, 0,
				   &element) < 0)
			return json_null();
		return element_json(&element);
	}
	array = json_array();
	for (size_t i = 0;
	     hl_field_value(field, value->data, value->size, i, &element) == 0;
	     i++)
		hlt_json_append(array, element_json(&element));
	return array;
}

const char *hlt_value_key(char *key, const struct hl_field *field)
{
	static const char *const taken[] = {
		"position", "slot",	   "lost",
		"voids",    "redelivered", "attempt",
		"invalid",  "payload",	   "payload_error",
	};

	for (size_t i = 0; i < sizeof(taken) / sizeof(taken[0]); i++) {
		if (strcmp(field->name, taken[i]) == 0) {
			snprintf(key, HLT_KEY_BYTES, "%s_", field->name);
			return key;
		}
	}
	return field->name;
}

/* --- CSV ------------------------------------------------------------------ */

/* In quotes, which are doubled; what is not text is escaped. */
static void put_quoted(const char *data, size_t len)
{
	size_t at = 0;

	putchar('"');
	while (at < len) {
		const char *const quote = memchr(data + at, '"', len - at);
		const size_t n = quote != NULL ? (size_t)(quote - data) - at :
						 len - at;

		hlt_text_put(stdout, data + at, n, 0);
		at += n;
		if (quote != NULL) {
			fputs("\"\"", stdout);
			at++;
		}
	}
	putchar('"');
}

static void put_element(const struct hl_value *element)
{
	if (element->name != NULL)
		fputs(element->name, stdout);
	else if (element->type == HL_U64)
		printf("%" PRIu64, element->u);
	else if (element->type == HL_I64)
		printf("%" PRId64, element->i);
	else
		printf("%.17g", element->f);
}

void hlt_value_put_csv(const struct hlt_value *value)
{
	struct hl_value element;

	if (value->field->type == HL_TEXT) {
		put_quoted(value->data, used_bytes(value));
		return;
	}
	if (value->field->type == HL_BYTES) {
		hlt_text_put_hex(stdout, value->data, value->size);
		return;
	}
	for (size_t i = 0; hl_field_value(value->field, value->data,
					  value->size, i, &element) == 0;
	     i++) {
		if (i > 0)
			putchar(' ');
		put_element(&element);
	}
}
