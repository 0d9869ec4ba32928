/* SPDX-License-Identifier: MIT */
/*
 * schema_compare.c - can two versions of a program work on one ring?
 *
 * What may differ is what the other side cannot misread: bytes that it calls
 * reserved, and so writes as zero and does not read; a name for a number that
 * it has no name for; fields behind the last that it knows of a payload. All
 * else is refused, with the first field that differs, in both versions.
 */
#include "config.h"

#include "schema.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "util.h"

/* A walk over the fields of one part: the message's, or the payload's. */
struct side {
	const struct hl_schema *schema;
	uint32_t at, end;
	uint32_t after; /* the byte behind the last that was passed */
};

static struct side message_of(const struct hl_schema *schema)
{
	struct side side = { .schema = schema };

	while (side.end < schema->nfields &&
	       schema->fields[side.end].heat != HL_PAYLOAD)
		side.end++;
	return side;
}

static struct side payload_of(const struct hl_schema *schema)
{
	struct side side = message_of(schema);

	side.at = side.end;
	side.end = schema->nfields;
	return side;
}

static const struct hl_field *next_of(const struct side *side)
{
	return side->at < side->end ? &side->schema->fields[side->at] : NULL;
}

static void pass(struct side *side)
{
	const struct hl_field *const field = next_of(side);

	side->after = field->offset + hli_field_bytes(field);
	side->at++;
}

static int differ(const struct hl_field *ours, const struct hl_field *theirs,
		  struct hl_error *err)
{
	const struct hl_field *const any = ours ? ours : theirs;
	char a[HLI_FIELD_TEXT], b[HLI_FIELD_TEXT];

	if (any->heat == HL_PAYLOAD)
		return hli_fail(err, -EPROTONOSUPPORT,
				"payload field %u: ours is %.70s, theirs is "
				"%.70s",
				any->offset, hli_field_text(ours, a),
				hli_field_text(theirs, b));
	if (ours && theirs && ours->offset != theirs->offset)
		return hli_fail(err, -EPROTONOSUPPORT,
				"ours has %.70s at byte %u, theirs has %.70s "
				"at byte %u",
				hli_field_text(ours, a), ours->offset,
				hli_field_text(theirs, b), theirs->offset);
	return hli_fail(err, -EPROTONOSUPPORT,
			"byte %u: ours is %.70s, theirs is %.70s", any->offset,
			hli_field_text(ours, a), hli_field_text(theirs, b));
}

/* Names that both have mean the same, and numbers that both have names for. */
static int compare_names(const struct hl_field *ours,
			 const struct hl_field *theirs, struct hl_error *err)
{
	uint32_t i, k;

	for (i = 0; i < ours->nnames; i++) {
		const struct hl_enum_name *const a = &ours->names[i];

		for (k = 0; k < theirs->nnames; k++) {
			const struct hl_enum_name *const b = &theirs->names[k];

			if ((a->value == b->value) ==
			    (strcmp(a->name, b->name) == 0))
				continue;
			return hli_fail(err, -EPROTONOSUPPORT,
					"%s: ours has %s=%" PRId64
					", theirs has %s=%" PRId64,
					ours->name, a->name, a->value, b->name,
					b->value);
		}
	}
	return 0;
}

static int compare_field(const struct hl_field *ours,
			 const struct hl_field *theirs, struct hl_error *err)
{
	if (strcmp(ours->name, theirs->name) != 0 ||
	    ours->type != theirs->type || ours->count != theirs->count ||
	    strcmp(ours->unit, theirs->unit) != 0)
		return differ(ours, theirs, err);
	return compare_names(ours, theirs, err);
}

/*
 * A field that only one has has to lie in what the other calls reserved, and
 * must not have moved there. first: the field is ours.
 */
static int compare_added(const struct hl_field *field, const struct side *other,
			 bool ours, struct hl_error *err)
{
	const struct hl_field *theirs =
		hl_schema_find(other->schema, field->name);

	if (!theirs && field->offset < other->after)
		theirs = &other->schema->fields[other->at - 1];
	if (!theirs && next_of(other) &&
	    field->offset + hli_field_bytes(field) > next_of(other)->offset)
		theirs = next_of(other);
	if (!theirs)
		return 0;
	return ours ? differ(field, theirs, err) : differ(theirs, field, err);
}

static int compare_messages(const struct hl_schema *ours,
			    const struct hl_schema *theirs,
			    struct hl_error *err)
{
	struct side a = message_of(ours), b = message_of(theirs);
	int ret = 0;

	while (ret == 0 && (next_of(&a) || next_of(&b))) {
		const struct hl_field *const f = next_of(&a);
		const struct hl_field *const g = next_of(&b);

		if (f && g && f->offset == g->offset) {
			ret = compare_field(f, g, err);
			pass(&a);
			pass(&b);
		} else if (f && (!g || f->offset < g->offset)) {
			ret = compare_added(f, &b, true, err);
			pass(&a);
		} else {
			ret = compare_added(g, &a, false, err);
			pass(&b);
		}
	}
	return ret;
}

static int compare_payloads(const struct hl_schema *ours,
			    const struct hl_schema *theirs,
			    struct hl_error *err)
{
	struct side a = payload_of(ours), b = payload_of(theirs);
	int ret = 0;

	for (; ret == 0 && next_of(&a) && next_of(&b); a.at++, b.at++)
		ret = compare_field(next_of(&a), next_of(&b), err);
	return ret;
}

int hl_schema_compare(const struct hl_schema *ours,
		      const struct hl_schema *theirs, struct hl_error *err)
{
	int ret = hl_schema_check(ours, err);

	if (ret == 0)
		ret = hl_schema_check(theirs, err);
	if (ret < 0)
		return ret;
	if (strcmp(ours->name, theirs->name) != 0)
		return hli_fail(err, -EPROTONOSUPPORT,
				"ours is a %s, theirs is a %s", ours->name,
				theirs->name);
	ret = compare_messages(ours, theirs, err);
	if (ret == 0 && ours->message_bytes != theirs->message_bytes)
		ret = hli_fail(err, -EPROTONOSUPPORT,
			       "%s: ours has %u bytes, theirs has %u",
			       ours->name, ours->message_bytes,
			       theirs->message_bytes);
	return ret < 0 ? ret : compare_payloads(ours, theirs, err);
}
