/* SPDX-License-Identifier: MIT */
/*
 * schema_value.c - the values of a message's fields, by its description
 *
 * Reads what the description says and no more: where a field is was checked
 * against the message's size by hl_schema_check(); where a payload's field is
 * comes from the payload's own table, checked for each. An element is copied
 * before it is looked at, since a payload may lie in shared memory.
 */
#include "config.h"

#include "schema.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "util.h"

#define NS_PER_SECOND 1000000000u

int hl_field_locate(const struct hl_field *field, const void *message,
		    const struct hl_payload *payload, const void **data,
		    size_t *size_bytes)
{
	const uint32_t bytes = hl_type_bytes(field->type);
	int ret;

	*data = NULL;
	*size_bytes = 0;
	if (field->heat != HL_PAYLOAD) {
		*data = (const char *)message + field->offset;
		*size_bytes = hli_field_bytes(field);
		return 0;
	}
	if (!payload || field->offset >= payload->nfields)
		return -ENODATA;
	ret = hl_payload_field(payload, field->offset, data, size_bytes);
	if (ret < 0)
		return ret;
	if (*size_bytes == 0 && field->count)
		return -ENODATA; /* left out by who sent it */
	if (field->count ? *size_bytes != bytes : *size_bytes % bytes != 0)
		return -EBADMSG;
	return 0;
}

static const char *name_of(const struct hl_field *field, int64_t value)
{
	uint32_t i;

	for (i = 0; i < field->nnames; i++) {
		if (field->names[i].value == value)
			return field->names[i].name;
	}
	return NULL;
}

static uint64_t read_unsigned(const void *data, uint32_t bytes)
{
	uint8_t v8;
	uint16_t v16;
	uint32_t v32;
	uint64_t v64;

	switch (bytes) {
	case 1:
		memcpy(&v8, data, sizeof(v8));
		return v8;
	case 2:
		memcpy(&v16, data, sizeof(v16));
		return v16;
	case 4:
		memcpy(&v32, data, sizeof(v32));
		return v32;
	default:
		memcpy(&v64, data, sizeof(v64));
		return v64;
	}
}

static double read_float(const void *data, uint32_t bytes)
{
	float f32;
	double f64;

	if (bytes == sizeof(f32)) {
		memcpy(&f32, data, sizeof(f32));
		return (double)f32;
	}
	memcpy(&f64, data, sizeof(f64));
	return f64;
}

int hl_field_value(const struct hl_field *field, const void *data,
		   size_t size_bytes, size_t i, struct hl_value *value)
{
	const uint32_t bytes = hl_type_bytes(field->type);
	const void *at;

	memset(value, 0, sizeof(*value));
	if (field->type > HL_F64 || bytes == 0 || i >= size_bytes / bytes)
		return -EINVAL;
	at = (const char *)data + i * bytes;
	if (field->type >= HL_F32) {
		value->type = HL_F64;
		value->f = read_float(at, bytes);
		return 0;
	}
	value->u = read_unsigned(at, bytes);
	value->type = field->type >= HL_I8 ? HL_I64 : HL_U64;
	/* Its sign is the top bit of its own size. */
	value->i = (int64_t)value->u;
	if (value->type == HL_I64 && bytes < sizeof(uint64_t) &&
	    value->u >> (8 * bytes - 1))
		value->i = (int64_t)(value->u - (UINT64_C(1) << (8 * bytes)));
	value->name = name_of(field, value->i);
	return 0;
}

struct out {
	char *text;
	size_t room, len;
};

__attribute__((format(printf, 2, 3))) static void put(struct out *out,
						      const char *format, ...)
{
	const size_t left = out->len < out->room ? out->room - out->len : 0;
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(left ? out->text + out->len : NULL, left, format, args);
	va_end(args);
	out->len += n > 0 ? (size_t)n : 0;
}

static bool put_time(struct out *out, uint64_t ns)
{
	const time_t seconds = (time_t)(ns / NS_PER_SECOND);
	char text[40];
	struct tm tm;

	if (ns > INT64_MAX || !gmtime_r(&seconds, &tm) ||
	    !strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm))
		return false;
	put(out, "%s.%09uZ", text, (unsigned)(ns % NS_PER_SECOND));
	return true;
}

static void put_value(struct out *out, const struct hl_field *field,
		      const struct hl_value *value)
{
	if (value->name)
		put(out, "%s", value->name);
	else if (value->type == HL_F64)
		put(out, "%.*g", field->type == HL_F32 ? 9 : 17, value->f);
	else if (strcmp(field->unit, HL_UNIT_TIME) != 0 ||
		 !put_time(out, value->u)) {
		if (value->type == HL_U64)
			put(out, "%" PRIu64, value->u);
		else
			put(out, "%" PRId64, value->i);
	}
}

static void put_elements(struct out *out, const struct hl_field *field,
			 const void *data, size_t size_bytes)
{
	const bool list = field->count != 1;
	struct hl_value value;
	size_t i;

	if (list)
		put(out, "[");
	for (i = 0; hl_field_value(field, data, size_bytes, i, &value) == 0;
	     i++) {
		put(out, "%s", i ? ", " : "");
		put_value(out, field, &value);
	}
	if (list)
		put(out, "]");
	if (field->unit[0] && strcmp(field->unit, HL_UNIT_TIME) != 0)
		put(out, " %s", field->unit);
}

static void put_text(struct out *out, const char *data, size_t n)
{
	size_t i;

	for (i = 0; i < n && data[i]; i++) {
		const unsigned char c = (unsigned char)data[i];

		put(out, "%c", c < ' ' || c == 0x7f ? '?' : c);
	}
}

size_t hl_field_print(const struct hl_field *field, const void *data,
		      size_t size_bytes, char *text, size_t text_bytes)
{
	struct out out = { text, text_bytes, 0 };
	size_t i;

	if (text_bytes)
		text[0] = '\0';
	if (field->type == HL_TEXT) {
		put_text(&out, (const char *)data, size_bytes);
		return out.len;
	}
	if (field->type != HL_BYTES) {
		put_elements(&out, field, data, size_bytes);
		return out.len;
	}
	for (i = 0; i < size_bytes; i++)
		put(&out, "%02x", ((const unsigned char *)data)[i]);
	return out.len;
}
