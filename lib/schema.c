/* SPDX-License-Identifier: MIT */
/*
 * schema.c - the rules of a description, and of change
 *
 * Guarantees: a schema that passed hl_schema_check() has its fields in order,
 * each within the message and within one line, so that whoever has the
 * message's bytes may read any of them. Schemas that compare as equal put no
 * two meanings on one byte.
 */
#include "config.h"

#include "schema.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "util.h"

static const struct {
	const char *name;
	uint32_t bytes;
} types[] = {
	[HL_U8] = { "u8", 1 },	   [HL_U16] = { "u16", 2 },
	[HL_U32] = { "u32", 4 },   [HL_U64] = { "u64", 8 },
	[HL_I8] = { "i8", 1 },	   [HL_I16] = { "i16", 2 },
	[HL_I32] = { "i32", 4 },   [HL_I64] = { "i64", 8 },
	[HL_F32] = { "f32", 4 },   [HL_F64] = { "f64", 8 },
	[HL_TEXT] = { "text", 1 }, [HL_BYTES] = { "bytes", 1 },
};

uint32_t hl_type_bytes(enum hl_type type)
{
	return type >= HL_U8 && type <= HL_BYTES ? types[type].bytes : 0;
}

const char *hl_type_name(enum hl_type type)
{
	return type >= HL_U8 && type <= HL_BYTES ? types[type].name : "?";
}

uint32_t hli_field_bytes(const struct hl_field *field)
{
	return field->heat == HL_PAYLOAD ?
		       0 :
		       field->count * hl_type_bytes(field->type);
}

static uint32_t end_of(const struct hl_field *field)
{
	return field->offset + hli_field_bytes(field);
}

bool hli_type_holds(enum hl_type type, int64_t value)
{
	const unsigned bits = 8 * hl_type_bytes(type);

	if (type > HL_I64)
		return false;
	if (bits == 64)
		return true;
	if (type < HL_I8)
		return value >= 0 && value >> bits == 0;
	return value >= -(INT64_C(1) << (bits - 1)) &&
	       value < INT64_C(1) << (bits - 1);
}

/* A letter or _, then also digits and what more has; 1 to max of them. */
static bool is_name(const char *name, size_t max, const char *more)
{
	size_t i;

	for (i = 0; name && name[i]; i++) {
		const char c = name[i];
		const bool letter = (c >= 'a' && c <= 'z') ||
				    (c >= 'A' && c <= 'Z') || c == '_';
		const bool later = (c >= '0' && c <= '9') || strchr(more, c);

		if (i == max || !(letter || (i > 0 && later)))
			return false;
	}
	return i > 0;
}

static bool is_unit(const char *unit)
{
	size_t i;

	if (!unit)
		return false;
	for (i = 0; unit[i]; i++) {
		if (i == HL_UNIT_MAX || unit[i] < ' ' || unit[i] > '~' ||
		    strchr("\"\\", unit[i]))
			return false;
	}
	return true;
}

static const char *bad_names(const struct hl_field *field)
{
	uint32_t i, k;

	if (field->nnames == 0)
		return NULL;
	if (!field->names || field->nnames > HL_SCHEMA_NAMES_MAX)
		return "has too many names for its values";
	if (field->type > HL_I64)
		return "has names for its values and is no whole number";
	for (i = 0; i < field->nnames; i++) {
		const struct hl_enum_name *const n = &field->names[i];

		if (!is_name(n->name, HLI_ENUM_NAME_MAX, "-"))
			return "has a value's name that is not 1 to 31 "
			       "letters, digits, _ and -";
		if (!hli_type_holds(field->type, n->value))
			return "has a name for a value that it cannot hold";
		for (k = 0; k < i; k++) {
			if (field->names[k].value == n->value ||
			    strcmp(field->names[k].name, n->name) == 0)
				return "has two names for a value, or two "
				       "values for a name";
		}
	}
	return NULL;
}

/* What holds wherever the field is. NULL if all is well. */
static const char *bad_field(const struct hl_field *field)
{
	if (!is_name(field->name, HL_FIELD_NAME_MAX, "."))
		return "has a name that is not 1 to 63 letters, digits, _ and "
		       ".";
	if (hl_type_bytes(field->type) == 0)
		return "has a type that is not known";
	if (field->heat < HL_HOT || field->heat > HL_PAYLOAD)
		return "is not hot, warm, cold or in the payload";
	if (!is_unit(field->unit))
		return "has a unit that is not up to 47 printable characters "
		       "without \" and \\";
	return bad_names(field);
}

static bool straddles(const struct hl_field *field)
{
	const uint32_t bytes = hli_field_bytes(field);
	const uint32_t in_line = field->offset % HL_LINE_BYTES;

	return bytes > HL_LINE_BYTES ? in_line != 0 :
				       in_line + bytes > HL_LINE_BYTES;
}

/* The ring's words, by their names. */
static const char *bad_word(const struct hl_field *field)
{
	static const struct {
		const char *name, *broken;
		enum hl_type type;
		uint32_t offset;
	} words[] = {
		{ "sequence", "is not a u64 at byte 24", HL_U64,
		  HL_SEQUENCE_OFFSET },
		{ "checksum", "is not a u32 at byte 56", HL_U32,
		  HL_CHECKSUM_OFFSET },
		{ "payload_offset", "is not a u32 at byte 60", HL_U32,
		  HL_PAYLOAD_OFFSET },
	};
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strcmp(field->name, words[i].name) == 0 &&
		    (field->type != words[i].type || field->count != 1 ||
		     field->offset != words[i].offset))
			return words[i].broken;
	}
	return NULL;
}

/* What holds for a field of the message that follows the byte "after". */
static const char *bad_place(const struct hl_schema *schema,
			     const struct hl_field *field, uint32_t after)
{
	if (field->count == 0 || field->count > HL_SLOT_BYTES_MAX ||
	    field->offset > HL_SLOT_BYTES_MAX)
		return "has no size, or is beyond byte 1024";
	if (field->offset % hl_type_bytes(field->type))
		return "is not aligned to the size of its type";
	if (end_of(field) > schema->message_bytes)
		return "reaches beyond the message";
	if (field->heat == HL_HOT && end_of(field) > HL_LINE_BYTES / 2)
		return "is hot, but not in the first 32 bytes";
	if (field->heat == HL_WARM && end_of(field) > HL_LINE_BYTES)
		return "is warm, but not in the first 64 bytes";
	if (straddles(field))
		return "straddles a cache line";
	if (field->offset < after)
		return "overlaps the field before it, or is not in order";
	return bad_word(field);
}

static const char *bad_in_payload(const struct hl_field *field, uint32_t index)
{
	if (field->offset != index)
		return "is not in order in the payload";
	return field->count > 1 || (field->count && field->type > HL_F64) ?
		       "has a number of elements that a payload's field "
		       "cannot have" :
		       NULL;
}

static bool has(const struct hl_schema *schema, const char *name)
{
	const struct hl_field *const field = hl_schema_find(schema, name);

	return field && field->heat != HL_PAYLOAD;
}

static int check_fields(const struct hl_schema *schema, struct hl_error *err)
{
	uint32_t i, after = 0, index = 0;

	for (i = 0; i < schema->nfields; i++) {
		const struct hl_field *const field = &schema->fields[i];
		const char *broken = bad_field(field);

		if (!broken && field->heat == HL_PAYLOAD)
			broken = bad_in_payload(field, index++);
		else if (!broken && index > 0)
			broken = "is behind fields of the payload";
		else if (!broken)
			broken = bad_place(schema, field, after);
		if (!broken && hl_schema_find(schema, field->name) != field)
			broken = "is there twice";
		if (broken)
			return hli_fail(err, -EINVAL, "%s: field %.63s %s",
					schema->name,
					field->name ? field->name : "(null)",
					broken);
		after = end_of(field);
	}
	return 0;
}

int hl_schema_check(const struct hl_schema *schema, struct hl_error *err)
{
	int ret;

	if (!schema || !is_name(schema->name, HL_FIELD_NAME_MAX, "."))
		return hli_fail(err, -EINVAL,
				"a message needs a name of 1 to %d letters, "
				"digits, _ and .",
				HL_FIELD_NAME_MAX);
	if (schema->message_bytes == 0 ||
	    schema->message_bytes % HL_LINE_BYTES ||
	    schema->message_bytes > HL_SLOT_BYTES_MAX)
		return hli_fail(err, -EINVAL,
				"%s: %u bytes are not a multiple of 64 up to "
				"1024",
				schema->name, schema->message_bytes);
	if (schema->nfields > HL_SCHEMA_FIELDS_MAX ||
	    (schema->nfields && !schema->fields))
		return hli_fail(err, -EINVAL, "%s: more than %u fields",
				schema->name, HL_SCHEMA_FIELDS_MAX);
	ret = check_fields(schema, err);
	if (ret == 0 &&
	    (!has(schema, "sequence") || !has(schema, "payload_offset")))
		return hli_fail(err, -EINVAL,
				"%s: it lacks sequence (u64 at byte 24) or "
				"payload_offset (u32 at byte 60)",
				schema->name);
	return ret;
}

const struct hl_field *hl_schema_find(const struct hl_schema *schema,
				      const char *name)
{
	uint32_t i;

	for (i = 0; i < schema->nfields; i++) {
		if (strcmp(schema->fields[i].name, name) == 0)
			return &schema->fields[i];
	}
	return NULL;
}

void hl_schema_destroy(struct hl_schema *schema)
{
	free(schema); /* hl_schema_parse() makes it in one piece */
}

int hl_schema_fingerprint(const struct hl_schema *schema, uint64_t *fingerprint)
{
	uint32_t n;
	char *text;
	const int ret = hli_schema_text(schema, &text, &n);

	*fingerprint = 0;
	if (ret < 0)
		return ret;
	*fingerprint = XXH3_64bits(text, n);
	free(text);
	return 0;
}
