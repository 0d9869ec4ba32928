/* SPDX-License-Identifier: MIT */
/*
 * schema_ring.c - the description that stands in a ring
 *
 * Written once, before the ring can be seen. Whoever reads it takes a private
 * copy first, compares its fingerprint with the one in the header, and parses
 * the copy: the text is input from others like all of the file.
 */
#include "config.h"

#include "schema.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "inspect.h"
#include "util.h"

_Static_assert(HLI_SCHEMA_BYTES_MAX == HL_SCHEMA_BYTES_MAX, "one limit");

/* Does anything but the ring's word use the bytes of the checksum? */
static const struct hl_field *over_checksum(const struct hl_schema *schema)
{
	const uint32_t begin = HL_CHECKSUM_OFFSET;
	uint32_t i;

	for (i = 0; i < schema->nfields; i++) {
		const struct hl_field *const f = &schema->fields[i];

		if (f->heat != HL_PAYLOAD && strcmp(f->name, "checksum") != 0 &&
		    f->offset < begin + sizeof(uint32_t) &&
		    f->offset + hli_field_bytes(f) > begin)
			return f;
	}
	return NULL;
}

int hli_schema_attr(struct hl_ring_attr *attr, const char *name,
		    struct hl_error *err)
{
	const struct hl_schema *const schema = attr->schema;
	struct hl_error why = { 0 };
	const struct hl_field *field;

	if (!schema)
		return 0;
	if (hl_schema_check(schema, &why) < 0)
		return hli_fail(err, -EINVAL, "%.60s: its schema: %s", name,
				why.text);
	if (attr->slot_bytes == 0)
		attr->slot_bytes = schema->message_bytes;
	if (attr->slot_bytes < schema->message_bytes)
		return hli_fail(err, -EINVAL,
				"%.60s: a slot of %u bytes is too small for a "
				"%s of %u",
				name, attr->slot_bytes, schema->name,
				schema->message_bytes);
	field = over_checksum(schema);
	if (attr->checksum != HL_CHECKSUM_NONE && field)
		return hli_fail(
			err, -EINVAL,
			"%.60s: bytes 56 to 59 are the ring's checksum, "
			"and %s lies there",
			name, field->name);
	return 0;
}

int hli_schema_add(struct hli_geometry *geo, const struct hl_schema *schema,
		   char **text, const char *name, struct hl_error *err)
{
	uint32_t n;
	int ret;

	*text = NULL;
	if (!schema)
		return 0;
	ret = hli_schema_text(schema, text, &n);
	if (ret == -EINVAL)
		return hli_fail(err, ret,
				"%s: the schema takes more than %u bytes", name,
				HL_SCHEMA_BYTES_MAX);
	if (ret < 0)
		return hli_fail(err, ret, "%s: no memory for its schema", name);
	return hli_geometry_add_schema(geo, n, XXH3_64bits(*text, n), name,
				       err);
}

static int parse_copy(const struct hli_geometry *geo, const char *copy,
		      const char *name, struct hl_schema **out,
		      struct hl_error *err)
{
	struct hl_error why = { 0 };
	int ret;

	if (XXH3_64bits(copy, geo->schema_bytes) != geo->schema_fingerprint)
		return hli_fail(err, -EBADMSG,
				"%s: its schema is damaged: the fingerprint "
				"does not fit",
				name);
	ret = hl_schema_parse(copy, geo->schema_bytes, out, &why);
	if (ret == -ENOMEM)
		return hli_fail(err, ret, "%s: no memory for its schema", name);
	if (ret < 0)
		return hli_fail(err, -EBADMSG,
				"%.60s: its schema is damaged: %s", name,
				why.text);
	if ((*out)->message_bytes <= geo->slot_bytes)
		return 0;
	ret = hli_fail(err, -EBADMSG,
		       "%s: its schema is damaged: messages of %u bytes in "
		       "slots of %u",
		       name, (*out)->message_bytes, geo->slot_bytes);
	hl_schema_destroy(*out);
	*out = NULL;
	return ret;
}

static int get_schema(const struct hli_view *view, const char *name,
		      struct hl_schema **out, struct hl_error *err)
{
	const struct hli_geometry *const geo = &view->geo;
	char *copy;
	int ret;

	*out = NULL;
	if (geo->schema_bytes == 0)
		return hli_fail(err, -ENODATA, "%s: it carries no schema",
				name);
	copy = malloc(geo->schema_bytes);
	if (!copy)
		return hli_fail(err, -ENOMEM, "%s: no memory for its schema",
				name);
	memcpy(copy, view->base + geo->schema_at, geo->schema_bytes);
	ret = parse_copy(geo, copy, name, out, err);
	free(copy);
	return ret;
}

int hli_schema_examine(const struct hli_view *view, struct hl_error *err)
{
	const struct hl_field *field;
	struct hl_schema *schema;
	int ret = get_schema(view, "the ring", &schema, err);

	if (ret < 0)
		return ret == -ENODATA ? 0 : ret;
	field = over_checksum(schema);
	if (view->geo.checksum != HL_CHECKSUM_NONE && field)
		ret = hli_fail(err, -EBADMSG,
			       "the ring: its schema is damaged: %.31s lies "
			       "over the checksum",
			       field->name);
	hl_schema_destroy(schema);
	return ret;
}

int hl_ring_get_schema(const struct hl_ring *ring, struct hl_schema **out,
		       struct hl_error *err)
{
	return get_schema(&ring->view, ring->name, out, err);
}

int hl_inspect_get_schema(const struct hl_inspect *inspect,
			  struct hl_schema **out, struct hl_error *err)
{
	return get_schema(&inspect->view, inspect->name, out, err);
}

int hli_schema_join(const struct hl_ring *ring, const struct hl_schema *schema,
		    struct hl_error *err)
{
	struct hl_error why = { 0 };
	struct hl_schema *theirs;
	int ret;

	if (!schema)
		return 0;
	ret = hl_ring_get_schema(ring, &theirs, err);
	if (ret == -ENODATA)
		return hli_fail(err, -EPROTONOSUPPORT,
				"%s: it carries no schema, ours is %s",
				ring->name, schema->name);
	if (ret < 0)
		return ret;
	ret = hl_schema_compare(schema, theirs, &why);
	hl_schema_destroy(theirs);
	return ret < 0 ? hli_fail(err, ret, "%.40s: %s", ring->name, why.text) :
			 0;
}
