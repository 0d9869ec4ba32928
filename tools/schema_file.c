/* SPDX-License-Identifier: MIT */
/*
 * schema_file - a schema from a text file, and shown to people and programs
 */
#include "schema_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "opt.h"
#include "out.h"
#include "table.h"

static const struct hlt_column columns[] = {
	{ "FIELD", 0 },	       { "AT", HLT_RIGHT }, { "BYTES", HLT_RIGHT },
	{ "TYPE", 0 },	       { "HEAT", 0 },	    { "UNIT", HLT_RARE },
	{ "NAMES", HLT_RARE },
};

enum {
	NAMES_BYTES = 256, /* shown to people */
	TYPE_BYTES = 32,
	FINGERPRINT_BYTES = 24,
};

/* All of a file, up to one byte more than a schema may have. */
static ssize_t read_all(int fd, char *text)
{
	size_t len = 0;

	while (len <= HL_SCHEMA_BYTES_MAX) {
		const ssize_t n =
			read(fd, text + len, HL_SCHEMA_BYTES_MAX + 1 - len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		len += (size_t)n;
	}
	return (ssize_t)len;
}

int hlt_schema_read(const char *path, struct hl_schema **out,
		    struct hl_error *err)
{
	const bool standard = strcmp(path, "-") == 0;
	const int fd = standard ? STDIN_FILENO :
				  open(path, O_RDONLY | O_CLOEXEC);
	char *text;
	ssize_t n;
	int ret;

	*out = NULL;
	if (fd < 0) {
		snprintf(err->text, sizeof(err->text), "cannot open it: %s",
			 strerror(errno));
		return -errno;
	}
	text = hlt_alloc(HL_SCHEMA_BYTES_MAX + 1);
	n = read_all(fd, text);
	if (n < 0) {
		snprintf(err->text, sizeof(err->text), "cannot read it: %s",
			 strerror((int)-n));
		ret = (int)n;
	} else {
		ret = hl_schema_parse(text, (size_t)n, out, err);
	}
	free(text);
	if (!standard)
		close(fd);
	return ret;
}

int hlt_schema_opt(const char *path, struct hl_schema **out)
{
	struct hl_error err = { 0 };

	*out = NULL;
	if (path == NULL || hlt_schema_read(path, out, &err) == 0)
		return 0;
	return hlt_usage("--schema %s: %s", path, err.text);
}

const char *hlt_heat_word(enum hl_heat heat)
{
	switch (heat) {
	case HL_HOT:
		return "hot";
	case HL_WARM:
		return "warm";
	case HL_COLD:
		return "cold";
	case HL_PAYLOAD:
		break;
	}
	return "payload";
}

static const char *type_text(char *out, const struct hl_field *field)
{
	const char *name = hl_type_name(field->type);

	if (field->count == 1 && field->type < HL_TEXT)
		snprintf(out, TYPE_BYTES, "%s", name);
	else if (field->count == 0)
		snprintf(out, TYPE_BYTES, "%s%s", name,
			 field->type < HL_TEXT ? "[]" : "");
	else
		snprintf(out, TYPE_BYTES, "%s[%" PRIu32 "]", name,
			 field->count);
	return out;
}

/* A few names, to be seen at a glance. */
static const char *names_text(char *out, const struct hl_field *field)
{
	size_t at = 0;

	snprintf(out, NAMES_BYTES, "-");
	for (uint32_t i = 0; i < field->nnames && at < NAMES_BYTES; i++) {
		const struct hl_enum_name *const n = &field->names[i];
		const int len = snprintf(out + at, NAMES_BYTES - at,
					 "%s%" PRId64 " %s", i > 0 ? ", " : "",
					 n->value, n->name);

		at += len > 0 ? (size_t)len : 0;
	}
	return out;
}

static const char *fingerprint_text(char *out, const struct hl_schema *schema)
{
	uint64_t fingerprint = 0;

	if (hl_schema_fingerprint(schema, &fingerprint) < 0)
		return "?";
	snprintf(out, FINGERPRINT_BYTES, "%016" PRIx64, fingerprint);
	return out;
}

static uint32_t bytes_of(const struct hl_field *field)
{
	return field->count * hl_type_bytes(field->type);
}

void hlt_schema_show(const struct hl_schema *schema)
{
	char names[NAMES_BYTES], type[TYPE_BYTES], print[FINGERPRINT_BYTES];
	struct hlt_table table;

	printf("schema       %s, %" PRIu32 " bytes, fingerprint %s\n",
	       schema->name, schema->message_bytes,
	       fingerprint_text(print, schema));
	hlt_table_init(&table, columns, sizeof(columns) / sizeof(columns[0]));
	for (uint32_t i = 0; i < schema->nfields; i++) {
		const struct hl_field *const field = &schema->fields[i];

		hlt_table_cell(&table, "%s", field->name);
		hlt_table_u64(&table, field->offset);
		if (field->count != 0)
			hlt_table_u64(&table, bytes_of(field));
		else
			hlt_table_cell(&table, "any");
		hlt_table_cell(&table, "%s", type_text(type, field));
		hlt_table_cell(&table, "%s", hlt_heat_word(field->heat));
		hlt_table_cell(&table, "%s",
			       field->unit[0] != '\0' ? field->unit : "-");
		hlt_table_cell(&table, "%s", names_text(names, field));
	}
	hlt_table_print(&table);
	hlt_table_fini(&table);
}

static json_t *field_to_json(const struct hl_field *field)
{
	json_t *object = json_object(), *names;

	hlt_json_set(object, "name", json_string(field->name));
	hlt_json_set(object, "type", json_string(hl_type_name(field->type)));
	hlt_json_set(object, "count", hlt_json_u64(field->count));
	hlt_json_set(object, "heat", json_string(hlt_heat_word(field->heat)));
	hlt_json_set(object, field->heat == HL_PAYLOAD ? "index" : "offset",
		     hlt_json_u64(field->offset));
	if (field->unit[0] != '\0')
		hlt_json_set(object, "unit", json_string(field->unit));
	if (field->nnames == 0)
		return object;
	names = json_object();
	for (uint32_t i = 0; i < field->nnames; i++)
		hlt_json_set(
			names, field->names[i].name,
			field->type == HL_U64 ?
				hlt_json_u64((uint64_t)field->names[i].value) :
				hlt_json_i64(field->names[i].value));
	hlt_json_set(object, "names", names);
	return object;
}

json_t *hlt_schema_to_json(const struct hl_schema *schema)
{
	json_t *object = json_object(), *fields = json_array();
	char print[FINGERPRINT_BYTES];

	hlt_json_set(object, "name", json_string(schema->name));
	hlt_json_set(object, "message_bytes",
		     hlt_json_u64(schema->message_bytes));
	hlt_json_set(object, "fingerprint",
		     json_string(fingerprint_text(print, schema)));
	for (uint32_t i = 0; i < schema->nfields; i++)
		hlt_json_append(fields, field_to_json(&schema->fields[i]));
	hlt_json_set(object, "fields", fields);
	return object;
}
