/* SPDX-License-Identifier: MIT */
/*
 * schema_text.c - a description as text, and back
 *
 *     message order 64
 *     @0 hot u32 magic
 *     @4 hot u32 type buy=1 sell=2
 *     @8 hot u64 timestamp "ns since 1970"
 *     @32 warm text[12] account
 *     payload text memo
 *
 * What is printed is the one canonical form, which stands in a ring and from
 * which the fingerprint comes. What is read may be anybody's: each line is
 * taken apart in a private copy, every number is checked where it is read, and
 * the result by hl_schema_check(). People may leave out places (then a field
 * follows the one before) and the size, and add blanks and comments (#).
 */
#include "config.h"

#include "schema.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util.h"

static const char *const heats[] = {
	[HL_HOT] = "hot",
	[HL_WARM] = "warm",
	[HL_COLD] = "cold",
	[HL_PAYLOAD] = "payload",
};

/* --- Printing ------------------------------------------------------------- */

/* Text that is cut where there is no room, and counted all the same. */
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

static void put_field(struct out *out, const struct hl_field *field)
{
	const bool one = field->count == 1 && field->type <= HL_F64;
	const bool any = field->count == 0;

	put(out, "%s", hl_type_name(field->type));
	if (any && field->type <= HL_F64)
		put(out, "[]");
	else if (!any && !one)
		put(out, "[%u]", field->count);
	put(out, " %s", field->name);
	if (field->unit[0])
		put(out, " \"%s\"", field->unit);
}

static void put_names(struct out *out, const struct hl_field *field)
{
	uint32_t i;

	for (i = 0; i < field->nnames; i++) {
		const struct hl_enum_name *const n = &field->names[i];

		if (field->type == HL_U64)
			put(out, " %s=%" PRIu64, n->name, (uint64_t)n->value);
		else
			put(out, " %s=%" PRId64, n->name, n->value);
	}
}

char *hli_field_text(const struct hl_field *field, char text[HLI_FIELD_TEXT])
{
	struct out out = { text, HLI_FIELD_TEXT, 0 };

	if (field)
		put_field(&out, field);
	else
		put(&out, "reserved");
	return text;
}

ssize_t hl_schema_print(const struct hl_schema *schema, char *text,
			size_t text_bytes)
{
	struct out out = { text, text_bytes, 0 };
	uint32_t i;

	if (hl_schema_check(schema, NULL) < 0)
		return -EINVAL;
	put(&out, "message %s %u\n", schema->name, schema->message_bytes);
	for (i = 0; i < schema->nfields; i++) {
		const struct hl_field *const field = &schema->fields[i];

		if (field->heat != HL_PAYLOAD)
			put(&out, "@%u ", field->offset);
		put(&out, "%s ", heats[field->heat]);
		put_field(&out, field);
		put_names(&out, field);
		put(&out, "\n");
	}
	return out.len <= HL_SCHEMA_BYTES_MAX ? (ssize_t)out.len : -EINVAL;
}

int hli_schema_text(const struct hl_schema *schema, char **text, uint32_t *n)
{
	const ssize_t len = hl_schema_print(schema, NULL, 0);

	if (len < 0)
		return (int)len;
	*text = malloc((size_t)len + 1);
	if (!*text)
		return -ENOMEM;
	*n = (uint32_t)len;
	if (hl_schema_print(schema, *text, (size_t)len + 1) == len)
		return 0;
	free(*text);
	return -EINVAL;
}

/* --- Reading -------------------------------------------------------------- */

struct parser {
	char *at; /* what is left of the text, terminated */
	char *line;
	unsigned number; /* of the line */
	struct hl_schema *schema;
	struct hl_field *fields;
	struct hl_enum_name *names;
	uint32_t after; /* where a field without a place is */
	uint32_t index; /* of the next in the payload */
	struct hl_error *err;
};

__attribute__((format(printf, 2, 3))) static int refuse(const struct parser *p,
							const char *format, ...)
{
	char why[200];
	va_list args;

	va_start(args, format);
	vsnprintf(why, sizeof(why), format, args);
	va_end(args);
	return hli_fail(p->err, -EINVAL, "line %u of the schema: %s", p->number,
			why);
}

static bool next_line(struct parser *p)
{
	char *end;

	if (!*p->at)
		return false;
	p->line = p->at;
	end = strchr(p->at, '\n');
	p->at = end ? end + 1 : p->at + strlen(p->at);
	if (end)
		*end = '\0';
	p->number++;
	return true;
}

/* The next word of the line, NULL behind the last. */
static char *next_word(struct parser *p)
{
	char *const word = p->line + strspn(p->line, " \t\r");
	const size_t len = strcspn(word, " \t\r");

	if (*word == '\0' || *word == '#')
		return NULL;
	p->line = word + len;
	if (*p->line)
		*p->line++ = '\0';
	return word;
}

/* Digits up to a limit, all of a word. */
static bool read_number(const char *word, uint64_t most, uint64_t *out)
{
	uint64_t value = 0;

	if (!*word)
		return false;
	for (; *word; word++) {
		if (*word < '0' || *word > '9' ||
		    !hli_mul_u64(value, 10, &value) ||
		    !hli_add_u64(value, (uint64_t)(*word - '0'), &value) ||
		    value > most)
			return false;
	}
	*out = value;
	return true;
}

static bool read_u32(const char *word, uint32_t most, uint32_t *out)
{
	uint64_t value = 0;

	if (!read_number(word, most, &value))
		return false;
	*out = (uint32_t)value;
	return true;
}

/* "u32", "u32[4]", "text" or, in a payload, "u32[]". */
static bool read_type(char *word, struct hl_field *field)
{
	char *const bracket = strchr(word, '[');
	size_t len;
	int type;

	if (bracket) {
		len = strlen(bracket);
		if (bracket[len - 1] != ']')
			return false;
		bracket[len - 1] = '\0';
		*bracket = '\0';
	}
	for (type = HL_U8; type <= HL_BYTES; type++) {
		if (strcmp(word, hl_type_name((enum hl_type)type)) == 0)
			break;
	}
	if (type > HL_BYTES)
		return false;
	field->type = (enum hl_type)type;
	field->count = type <= HL_F64 && !bracket;
	if (!bracket || bracket[1] == '\0')
		return true;
	return read_u32(bracket + 1, HL_SLOT_BYTES_MAX, &field->count);
}

static bool read_heat(const char *word, struct hl_field *field)
{
	int heat;

	for (heat = HL_HOT; word && heat <= HL_PAYLOAD; heat++) {
		if (strcmp(word, heats[heat]) == 0) {
			field->heat = (enum hl_heat)heat;
			return true;
		}
	}
	return false;
}

/* A unit in quotes, where there is one. */
static int read_unit(struct parser *p, struct hl_field *field)
{
	char *const begin = p->line + strspn(p->line, " \t\r");
	char *end;

	field->unit = "";
	if (*begin != '"')
		return 0;
	end = strchr(begin + 1, '"');
	if (!end)
		return refuse(p, "the unit has no second \"");
	*end = '\0';
	field->unit = begin + 1;
	p->line = end + 1;
	return 0;
}

/* NAME=VALUE, to the end of the line. */
static int read_names(struct parser *p, struct hl_field *field)
{
	char *word;

	field->names = p->names;
	while ((word = next_word(p))) {
		char *const equals = strchr(word, '=');
		struct hl_enum_name *const name = p->names;
		const bool below = equals && equals[1] == '-';
		uint64_t most = field->type == HL_U64 ? UINT64_MAX : INT64_MAX;
		uint64_t value = 0;

		if (!equals || field->nnames == HL_SCHEMA_NAMES_MAX)
			return refuse(p,
				      "\"%.40s\" is not a name=value, or one "
				      "too many",
				      word);
		*equals = '\0';
		most += below && field->type != HL_U64;
		if (!read_number(equals + 1 + below, most, &value))
			return refuse(p, "%.40s has no value that fits", word);
		name->name = word;
		name->value = (int64_t)(below ? 0 - value : value);
		p->names++;
		field->nnames++;
	}
	if (field->nnames == 0)
		field->names = NULL;
	return 0;
}

static int read_field(struct parser *p, char *word)
{
	struct hl_field *const field = &p->fields[p->schema->nfields];
	const bool placed = word[0] == '@';

	if (p->schema->nfields == HL_SCHEMA_FIELDS_MAX)
		return refuse(p, "more than %u fields", HL_SCHEMA_FIELDS_MAX);
	memset(field, 0, sizeof(*field));
	field->offset = p->after;
	if (placed && !read_u32(word + 1, HL_SLOT_BYTES_MAX, &field->offset))
		return refuse(p, "%.40s is no place from 0 to 1024", word);
	if (placed)
		word = next_word(p);
	if (!read_heat(word, field))
		return refuse(p, "\"%.40s\" is not hot, warm, cold or payload",
			      word ? word : "");
	word = next_word(p);
	if (!word || !read_type(word, field))
		return refuse(p, "\"%.40s\" is no type", word ? word : "");
	if (field->heat == HL_PAYLOAD)
		field->offset = p->index++;
	field->name = next_word(p);
	if (!field->name)
		return refuse(p, "the field has no name");
	p->schema->nfields++;
	p->after = field->offset + hli_field_bytes(field);
	if (read_unit(p, field) < 0)
		return -EINVAL;
	return read_names(p, field);
}

static int read_head(struct parser *p, const char *word)
{
	const char *size;

	if (strcmp(word, "message") != 0)
		return refuse(p, "it has to begin with: message NAME");
	p->schema->name = next_word(p);
	if (!p->schema->name)
		return refuse(p, "the message has no name");
	size = next_word(p);
	if (size &&
	    (!read_u32(size, HL_SLOT_BYTES_MAX, &p->schema->message_bytes) ||
	     next_word(p)))
		return refuse(p, "\"%.40s\" is not one size up to 1024", size);
	return 0;
}

static int read_lines(struct parser *p)
{
	uint32_t end = 0, i;
	int ret = 0;

	while (ret == 0 && next_line(p)) {
		char *const word = next_word(p);

		if (word)
			ret = p->schema->name ? read_field(p, word) :
						read_head(p, word);
	}
	if (ret < 0)
		return ret;
	if (!p->schema->name)
		return hli_fail(p->err, -EINVAL, "the schema is empty");
	for (i = 0; i < p->schema->nfields; i++) {
		const struct hl_field *const f = &p->fields[i];

		if (f->heat != HL_PAYLOAD)
			end = f->offset + hli_field_bytes(f);
	}
	if (p->schema->message_bytes == 0)
		p->schema->message_bytes =
			(uint32_t)hli_round_up(end, HL_LINE_BYTES);
	return hl_schema_check(p->schema, p->err);
}

static size_t count(const char *text, size_t n, char c)
{
	size_t found = 0, i;

	for (i = 0; i < n; i++)
		found += text[i] == c;
	return found;
}

int hl_schema_parse(const char *text, size_t text_bytes, struct hl_schema **out,
		    struct hl_error *err)
{
	struct parser p = { .err = err };
	size_t nfields, nnames;
	int ret;

	*out = NULL;
	if (text_bytes > HL_SCHEMA_BYTES_MAX || memchr(text, '\0', text_bytes))
		return hli_fail(err, -EINVAL,
				"a schema is text of at most %u bytes",
				HL_SCHEMA_BYTES_MAX);
	/* At most a field a line and a name a '='; names and all in one. */
	nfields = hli_min(count(text, text_bytes, '\n') + 1,
			  HL_SCHEMA_FIELDS_MAX);
	nnames = count(text, text_bytes, '=');
	p.schema =
		calloc(1, sizeof(*p.schema) + nfields * sizeof(*p.fields) +
				  nnames * sizeof(*p.names) + text_bytes + 1);
	if (!p.schema)
		return hli_fail(err, -ENOMEM, "no memory for a schema");
	p.names = (struct hl_enum_name *)(void *)(p.schema + 1);
	p.fields = (struct hl_field *)(void *)(p.names + nnames);
	p.at = (char *)(p.fields + nfields);
	memcpy(p.at, text, text_bytes);
	p.schema->fields = p.fields;
	ret = read_lines(&p);
	if (ret < 0) {
		hl_schema_destroy(p.schema);
		return ret;
	}
	*out = p.schema;
	return 0;
}
