/* SPDX-License-Identifier: MIT */
/*
 * encode - JSON as messages, by the schema of their ring
 *
 * Each member of the object is looked up in the schema and written at its
 * place. The ring's own words are passed over, like what says how a message
 * came; everything that is unknown is refused, so that a misspelt name is
 * noticed.
 */
#include "encode.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "decode_value.h"

/* --- Numbers -------------------------------------------------------------- */

static bool fits(enum hl_type type, uint64_t magnitude, bool negative)
{
	const unsigned bits = 8 * hl_type_bytes(type);
	const uint64_t top = UINT64_C(1) << (bits - 1);

	if (type < HL_I8) /* top + (top - 1) is the largest */
		return !negative ? magnitude <= top + (top - 1) :
				   magnitude == 0;
	return magnitude < top || (negative && magnitude == top);
}

/* The number of a value's name. */
static bool number_of(const struct hl_field *field, const char *name,
		      uint64_t *value)
{
	for (uint32_t i = 0; i < field->nnames; i++) {
		if (strcmp(field->names[i].name, name) == 0) {
			*value = (uint64_t)field->names[i].value;
			return true;
		}
	}
	return false;
}

static void store(unsigned char *to, enum hl_type type, uint64_t value)
{
	const uint8_t v8 = (uint8_t)value;
	const uint16_t v16 = (uint16_t)value;
	const uint32_t v32 = (uint32_t)value;

	switch (hl_type_bytes(type)) {
	case sizeof(v8):
		memcpy(to, &v8, sizeof(v8));
		break;
	case sizeof(v16):
		memcpy(to, &v16, sizeof(v16));
		break;
	case sizeof(v32):
		memcpy(to, &v32, sizeof(v32));
		break;
	default:
		memcpy(to, &value, sizeof(value));
	}
}

static int read_float(const struct hl_field *field, const json_t *value,
		      unsigned char *to, const struct hlt_why *why)
{
	const char *text = json_string_value(value);
	double f = json_number_value(value);
	char *end = NULL;
	float f32;

	if (text != NULL) /* inf and nan, which JSON has no numbers for */
		f = strtod(text, &end);
	if (!json_is_number(value) &&
	    (text == NULL || end == text || *end != '\0'))
		return hlt_refuse(why, "%s: not a number", field->name);
	f32 = (float)f;
	if (field->type == HL_F32)
		memcpy(to, &f32, sizeof(f32));
	else
		memcpy(to, &f, sizeof(f));
	return 0;
}

static int read_element(const struct hl_field *field, const json_t *value,
			unsigned char *to, const struct hlt_why *why)
{
	uint64_t number;
	bool negative;

	if (field->type >= HL_F32)
		return read_float(field, value, to, why);
	if (json_is_string(value) &&
	    number_of(field, json_string_value(value), &number)) {
		store(to, field->type, number);
		return 0;
	}
	if (!hlt_read_whole(value, &number, &negative))
		return hlt_refuse(why,
				  field->nnames > 0 ?
					  "%s: not a whole number, and not one "
					  "of its names" :
					  "%s: not a whole number",
				  field->name);
	if (!fits(field->type, number, negative))
		return hlt_refuse(why, "%s: too large for its type, %s",
				  field->name, hl_type_name(field->type));
	store(to, field->type, negative ? 0 - number : number);
	return 0;
}

/* --- Fields --------------------------------------------------------------- */

/* How many bytes a value takes, of at most those that its field has. */
static int value_size(const struct hl_field *field, const json_t *value,
		      size_t *size, const struct hlt_why *why)
{
	const size_t bytes = hl_type_bytes(field->type);
	const size_t most = field->count * bytes;

	if (field->type >= HL_TEXT) {
		if (hlt_bytes_size(field->name, value, size, why) < 0)
			return -EINVAL;
	} else if (field->count == 1) {
		*size = bytes;
	} else if (json_is_array(value)) {
		*size = json_array_size(value) * bytes;
	} else {
		return hlt_refuse(why, "%s: not an array", field->name);
	}
	if (most > 0 && *size > most)
		return hlt_refuse(why, "%s: %zu bytes, more than %zu",
				  field->name, *size, most);
	return 0;
}

/* Write as many bytes as value_size() said. */
static int read_value(const struct hl_field *field, const json_t *value,
		      unsigned char *to, const struct hlt_why *why)
{
	const size_t bytes = hl_type_bytes(field->type);
	const size_t n = json_array_size(value);

	if (field->type >= HL_TEXT)
		return hlt_read_bytes(field->name, value, to, why);
	if (field->count == 1)
		return read_element(field, value, to, why);
	for (size_t i = 0; i < n; i++) {
		if (read_element(field, json_array_get(value, i),
				 to + i * bytes, why) < 0)
			return -EINVAL;
	}
	return 0;
}

/* --- Payloads ------------------------------------------------------------- */

/* The payload's field k of an object or array, NULL when it is left out. */
static const json_t *payload_value(const json_t *payload,
				   const struct hl_field *field)
{
	return json_is_array(payload) ? json_array_get(payload, field->offset) :
					json_object_get(payload, field->name);
}

static int check_payload(const struct hl_schema *schema, json_t *payload,
			 size_t nfields, const struct hlt_why *why)
{
	const char *key;
	json_t *value;

	if (json_is_array(payload))
		return json_array_size(payload) <= nfields ?
			       0 :
			       hlt_refuse(why, "payload: more than %zu fields",
					  nfields);
	if (!json_is_object(payload))
		return hlt_refuse(why, "payload: not an object of fields");
	json_object_foreach(payload, key, value)
	{
		const struct hl_field *const f = hl_schema_find(schema, key);

		if (f == NULL || f->heat != HL_PAYLOAD)
			return hlt_refuse(
				why, "payload: '%.40s' is no field of it", key);
	}
	return 0;
}

/* Sizes first, into the table, then the bytes behind one another. */
static int fill_payload(const struct hl_field *fields, size_t nfields,
			const json_t *payload, struct hlt_message *out,
			const struct hlt_why *why)
{
	size_t total = 0, at = 0;

	for (size_t k = 0; k < nfields; k++) {
		const json_t *value = payload_value(payload, &fields[k]);

		if (value == NULL)
			continue;
		if (value_size(&fields[k], value, &out->fields[k].iov_len,
			       why) < 0)
			return -EINVAL;
		out->nfields = k + 1;
		total += out->fields[k].iov_len;
	}
	out->bytes = malloc(total > 0 ? total : 1);
	if (out->bytes == NULL)
		return -ENOMEM;
	for (size_t k = 0; k < out->nfields; k++) {
		const json_t *value = payload_value(payload, &fields[k]);

		out->fields[k].iov_base = out->bytes + at;
		if (value != NULL &&
		    read_value(&fields[k], value, out->bytes + at, why) < 0)
			return -EINVAL;
		at += out->fields[k].iov_len;
	}
	return 0;
}

static int read_payload(const struct hl_schema *schema, json_t *payload,
			struct hlt_message *out, const struct hlt_why *why)
{
	const struct hl_field *fields = schema->fields;
	size_t nfields = schema->nfields;

	for (; nfields > 0 && fields->heat != HL_PAYLOAD; nfields--)
		fields++;
	if (check_payload(schema, payload, nfields, why) < 0)
		return -EINVAL;
	out->fields = calloc(nfields > 0 ? nfields : 1, sizeof(*out->fields));
	if (out->fields == NULL)
		return -ENOMEM;
	return fill_payload(fields, nfields, payload, out, why);
}

/* --- Messages ------------------------------------------------------------- */

/* The ring's, or about how the message came: not ours to write. */
static bool is_passed_over(const char *key)
{
	static const char *const words[] = {
		"position", "lost",	"voids",    "redelivered",    "attempt",
		"invalid",  "sequence", "checksum", "payload_offset", "salvage",
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strcmp(key, words[i]) == 0)
			return true;
	}
	return false;
}

/* The field that a member is for; names that are taken have a _ behind. */
static const struct hl_field *field_of(const struct hl_schema *schema,
				       const char *key)
{
	char taken[HLT_KEY_BYTES];

	for (uint32_t i = 0; i < schema->nfields; i++) {
		const struct hl_field *const f = &schema->fields[i];

		if (f->heat != HL_PAYLOAD &&
		    strcmp(hlt_value_key(taken, f), key) == 0)
			return f;
	}
	return NULL;
}

static int read_member(const struct hlt_encode *encode, const char *key,
		       json_t *value, struct hlt_message *out)
{
	const struct hlt_why *const why = &encode->why;
	const struct hl_field *field;
	size_t size;

	if (strcmp(key, "payload") == 0)
		return read_payload(encode->schema, value, out, why);
	if (strcmp(key, "payload_error") == 0)
		return hlt_refuse(why,
				  "its payload was not read (payload_error)");
	if (is_passed_over(key))
		return 0;
	field = field_of(encode->schema, key);
	if (field == NULL)
		return hlt_refuse(why, "'%.40s' is no field of %s", key,
				  encode->schema->name);
	if (value_size(field, value, &size, why) < 0)
		return -EINVAL;
	return read_value(field, value, out->slot + field->offset, why);
}

/* What the line leaves open. */
static void fill_in(const struct hlt_encode *encode, const json_t *object,
		    struct hlt_message *out)
{
	const struct hl_field *const magic =
		hl_schema_find(encode->schema, "magic");
	const struct hl_field *const time =
		hl_schema_find(encode->schema, "timestamp");
	struct timespec now;

	if (magic != NULL && magic->offset == 0 && magic->type == HL_U32 &&
	    json_object_get(object, "magic") == NULL)
		store(out->slot, HL_U32,
		      encode->magic ? encode->magic : HL_MESSAGE_MAGIC);
	if (time != NULL && time->heat != HL_PAYLOAD && time->count == 1 &&
	    hl_type_bytes(time->type) == sizeof(uint64_t) &&
	    strcmp(time->unit, HL_UNIT_TIME) == 0 &&
	    json_object_get(object, "timestamp") == NULL) {
		clock_gettime(CLOCK_REALTIME, &now);
		store(out->slot + time->offset, HL_U64,
		      (uint64_t)now.tv_sec * 1000000000u +
			      (uint64_t)now.tv_nsec);
	}
}

static int read_object(const struct hlt_encode *encode, json_t *object,
		       struct hlt_message *out)
{
	const char *key;
	json_t *value;
	int ret = 0;

	if (!json_is_object(object))
		return hlt_refuse(&encode->why, "not a JSON object");
	memset(out->slot, 0, sizeof(out->slot));
	out->size_bytes = encode->schema->message_bytes;
	json_object_foreach(object, key, value)
	{
		ret = read_member(encode, key, value, out);
		if (ret < 0)
			break;
	}
	if (ret == -ENOMEM)
		(void)hlt_refuse(&encode->why, "out of memory");
	if (ret == 0)
		fill_in(encode, object, out);
	return ret;
}

int hlt_message_by_schema(const struct hlt_encode *encode, const char *line,
			  size_t len, struct hlt_message *out)
{
	json_error_t error;
	json_t *object = json_loadb(line, len,
				    JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL |
					    JSON_DECODE_ANY,
				    &error);
	int ret;

	out->fields = NULL;
	out->nfields = 0;
	out->bytes = NULL;
	if (object == NULL || json_object_get(object, "slot") != NULL) {
		/* It says what is wrong with a line that is no JSON. */
		json_decref(object);
		return hlt_message_from_json(line, len, out, encode->why.text,
					     encode->why.bytes);
	}
	ret = read_object(encode, object, out);
	json_decref(object);
	if (ret < 0)
		hlt_message_fini(out);
	return ret;
}
