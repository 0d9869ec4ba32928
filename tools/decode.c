/* SPDX-License-Identifier: MIT */
/*
 * decode - show messages by the schema of their ring
 *
 * What is shown of a message is a list of fields, chosen once. A field of a
 * payload is copied before it is shown, since its writer may go on writing; how
 * much is copied is bounded by the payload's size, as in view.c.
 */
#include "decode.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "cmd.h"
#include "decode_value.h"
#include "opt.h"
#include "out.h"
#include "ruler.h"
#include "text.h"

bool hlt_decode_option(struct hlt_decode *decode, int c, const char *value)
{
	switch (c) {
	case HLT_OPT_WHERE:
		decode->where_text = value;
		return true;
	case HLT_OPT_FIELDS:
		decode->fields_text = value;
		return true;
	case HLT_OPT_CSV:
		decode->csv = true;
		return true;
	default:
		return false;
	}
}

int hlt_decode_pick(const struct hlt_decode *decode, bool json, bool hex,
		    bool raw, enum hlt_form *form)
{
	if (decode->csv && (json || hex || raw))
		return hlt_usage("more than one of --csv, --json, --hex and "
				 "--raw");
	return hlt_form_pick(json, hex, raw, form);
}

/* --- Binding -------------------------------------------------------------- */

/* Point at the column where an expression is wrong. */
static int complain_where(const char *text, const struct hlt_where_error *err)
{
	char shown[512], before[512];

	hlt_usage("--where: column %zu: %s", err->column, err->text);
	if (strlen(text) >= sizeof(shown) / 4)
		return HLT_USAGE;
	hlt_text_escape(shown, sizeof(shown), text, strlen(text), 0);
	hlt_text_escape(before, sizeof(before), text, err->column - 1, 0);
	fprintf(stderr, "  %s\n  %*s^\n", shown, (int)hlt_text_width(before),
		"");
	return HLT_USAGE;
}

static int bind_where(struct hlt_decode *decode)
{
	struct hlt_where_error err;
	int ret;

	if (decode->where_text == NULL)
		return HLT_DONE;
	ret = hlt_where_compile(decode->where_text, decode->schema,
				&decode->where, &err);
	if (ret == -ENOMEM)
		return hlt_fail(NULL, ret, NULL);
	return ret < 0 ? complain_where(decode->where_text, &err) : HLT_DONE;
}

/* All that are the user's. */
static void pick_all(struct hlt_decode *decode, bool has_checksum)
{
	for (uint32_t i = 0; i < decode->schema->nfields; i++) {
		const struct hl_field *const f = &decode->schema->fields[i];

		if (strcmp(f->name, "sequence") == 0 ||
		    strcmp(f->name, "payload_offset") == 0 ||
		    (strcmp(f->name, "checksum") == 0 && !has_checksum))
			continue;
		decode->fields[decode->nfields++] = f;
	}
}

static int pick_listed(struct hlt_decode *decode)
{
	char *const list = strdup(decode->fields_text);
	char *rest = list, *word;
	int status = HLT_DONE;

	if (list == NULL)
		return hlt_fail(NULL, -ENOMEM, NULL);
	while (status == HLT_DONE && (word = strsep(&rest, ",")) != NULL) {
		const struct hl_field *const f =
			hl_schema_find(decode->schema, word);

		if (f == NULL)
			status = hlt_usage("--fields: %s has no field '%s'",
					   decode->schema->name, word);
		else if (decode->nfields == HL_SCHEMA_FIELDS_MAX)
			status = hlt_usage("--fields: more than %u",
					   HL_SCHEMA_FIELDS_MAX);
		else
			decode->fields[decode->nfields++] = f;
	}
	free(list);
	return status;
}

static int bind_fields(struct hlt_decode *decode, bool has_checksum)
{
	decode->fields =
		hlt_alloc(HL_SCHEMA_FIELDS_MAX * sizeof(*decode->fields));
	if (decode->fields_text != NULL)
		return pick_listed(decode);
	pick_all(decode, has_checksum);
	return HLT_DONE;
}

int hlt_decode_begin(struct hlt_decode *decode, const char *name, int code,
		     struct hl_schema *schema, const struct hl_error *err,
		     bool has_checksum)
{
	int status;

	decode->schema = schema;
	if (code < 0 && code != -ENODATA)
		return hlt_fail(name, code, err);
	if (code == -ENODATA) {
		if (decode->where_text == NULL && decode->fields_text == NULL &&
		    !decode->csv)
			return HLT_DONE;
		return hlt_usage("%s carries no schema: --where, --fields and "
				 "--csv need one",
				 name);
	}
	status = bind_fields(decode, has_checksum);
	return status == HLT_DONE ? bind_where(decode) : status;
}

void hlt_decode_fini(struct hlt_decode *decode)
{
	hlt_where_free(decode->where);
	decode->where = NULL;
	free(decode->fields);
	decode->fields = NULL;
	hl_schema_destroy(decode->schema);
	decode->schema = NULL;
}

bool hlt_decode_wanted(const struct hlt_decode *decode,
		       const struct hlt_view *view)
{
	return decode->where == NULL ||
	       hlt_where_holds(decode->where, view->slot,
			       view->payload_status == 0 ? &view->payload :
							   NULL);
}

/* --- Showing -------------------------------------------------------------- */

/* What says nothing, unless it was asked for: what every message begins with,
 * and fields of the payload without a byte. */
static bool is_left_out(const struct hlt_decode *decode,
			const struct hl_field *field,
			const struct hlt_value *value)
{
	const uint32_t magic = HL_MESSAGE_MAGIC;

	if (decode->fields_text != NULL)
		return false;
	if (field->heat == HL_PAYLOAD)
		return value->size == 0;
	return field->type == HL_U32 && field->offset == 0 &&
	       strcmp(field->name, "magic") == 0 &&
	       memcmp(value->data, &magic, sizeof(magic)) == 0;
}

static void print_text(const struct hlt_decode *decode,
		       const struct hlt_view *view)
{
	struct hlt_value value;
	size_t budget = view->payload.size_bytes;
	bool damaged = false;

	printf("%" PRIu64, view->position);
	for (size_t i = 0; i < decode->nfields; i++) {
		const struct hl_field *const f = decode->fields[i];
		const int ret = hlt_value_take(&value, f, view, &budget);

		damaged = damaged || ret == -EBADMSG;
		if (ret == 0 && !is_left_out(decode, f, &value)) {
			printf("  %s ", f->name);
			hlt_value_put(&value);
		}
		hlt_value_fini(&value);
	}
	if (damaged)
		fputs("  [payload damaged]", stdout);
	hlt_view_put_marks(view);
	putchar('\n');
}

static void print_json(const struct hlt_decode *decode,
		       const struct hlt_view *view)
{
	json_t *object = json_object(), *payload = json_object();
	size_t budget = view->payload.size_bytes;
	char key[HLT_KEY_BYTES];
	bool damaged = false;

	hlt_json_set(object, "position", hlt_json_u64(view->position));
	for (size_t i = 0; i < decode->nfields; i++) {
		const struct hl_field *const f = decode->fields[i];
		struct hlt_value value;
		const int ret = hlt_value_take(&value, f, view, &budget);

		damaged = damaged || ret == -EBADMSG;
		if (ret == 0 && f->heat == HL_PAYLOAD)
			hlt_json_set(payload, f->name, hlt_value_json(&value));
		else if (ret == 0)
			hlt_json_set(object, hlt_value_key(key, f),
				     hlt_value_json(&value));
		hlt_value_fini(&value);
	}
	damaged = damaged || (view->payload_status != 0 &&
			      view->payload_status != -ENODATA);
	if (json_object_size(payload) > 0)
		hlt_json_set(object, "payload", json_incref(payload));
	if (damaged)
		hlt_json_set(object, "payload_error", json_string("damaged"));
	json_decref(payload);
	hlt_view_set_marks(object, view);
	hlt_json_print_line(object);
}

static void print_csv(struct hlt_decode *decode, const struct hlt_view *view)
{
	size_t budget = view->payload.size_bytes;
	struct hlt_value value;

	if (!decode->headed) {
		fputs("position", stdout);
		for (size_t i = 0; i < decode->nfields; i++)
			printf(",%s", decode->fields[i]->name);
		putchar('\n');
		decode->headed = true;
	}
	printf("%" PRIu64, view->position);
	for (size_t i = 0; i < decode->nfields; i++) {
		putchar(',');
		if (hlt_value_take(&value, decode->fields[i], view, &budget) ==
		    0)
			hlt_value_put_csv(&value);
		hlt_value_fini(&value);
	}
	putchar('\n');
}

void hlt_decode_print(struct hlt_decode *decode, const struct hlt_view *view,
		      enum hlt_form form)
{
	if (decode->schema == NULL || form == HLT_FORM_RAW)
		hlt_view_print(view, form);
	else if (decode->csv)
		print_csv(decode, view);
	else if (form == HLT_FORM_JSON)
		print_json(decode, view);
	else if (form == HLT_FORM_HEX)
		hlt_ruler_print(decode->schema, view);
	else
		print_text(decode, view);
}
