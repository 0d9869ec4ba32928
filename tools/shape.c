/* SPDX-License-Identifier: MIT */
/*
 * shape - a struct as a plain description: what lies where
 *
 * Shapes are trees of bounded depth: who makes them sees to that, so that
 * recursion is safe here.
 */
#include "shape.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int by_offset(const void *a, const void *b)
{
	const struct hlt_field *x = a, *y = b;

	if (x->offset_bits != y->offset_bits)
		return x->offset_bits < y->offset_bits ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

uint64_t hlt_field_align(const struct hlt_field *field)
{
	return field->wanted_align_bytes > field->align_bytes ?
		       field->wanted_align_bytes :
		       field->align_bytes;
}

void hlt_shape_finish(struct hlt_shape *shape)
{
	uint64_t end = 0;

	if (shape->nfields > 1)
		qsort(shape->fields, shape->nfields, sizeof(*shape->fields),
		      by_offset);
	for (size_t i = 0; i < shape->nfields; i++) {
		struct hlt_field *f = &shape->fields[i];
		const uint64_t last = f->offset_bits + f->size_bits;

		f->before_bits = end;
		end = last > end ? last : end;
	}
	shape->end_bits = end;
}

struct hlt_gap hlt_shape_gap(const struct hlt_shape *shape, size_t i)
{
	const bool tail = i == shape->nfields;
	const uint64_t from = tail ? shape->end_bits :
				     shape->fields[i].before_bits;
	const uint64_t to = tail ? shape->size_bytes * 8 :
				   shape->fields[i].offset_bits;

	return (struct hlt_gap){ from, to > from ? to - from : 0 };
}

size_t hlt_shape_holes(const struct hlt_shape *shape, uint64_t *bits)
{
	size_t n = 0;

	*bits = 0;
	for (size_t i = 0; i < shape->nfields; i++) {
		const struct hlt_gap gap = hlt_shape_gap(shape, i);

		n += gap.bits > 0;
		*bits += gap.bits;
	}
	return n;
}

static uint64_t nelements(const struct hlt_field *field)
{
	uint64_t n = 1;

	for (uint32_t d = 0; d < field->ndims; d++)
		n *= field->dims[d];
	return n;
}

size_t hlt_shape_inner_holes(const struct hlt_shape *shape, uint64_t *bits)
{
	size_t n = 0;

	*bits = 0;
	if (shape->is_union)
		return 0;
	for (size_t i = 0; i < shape->nfields; i++) {
		const struct hlt_field *f = &shape->fields[i];
		uint64_t own, deeper;

		if (f->inside == NULL || f->inside->is_union)
			continue;

		const uint64_t tail =
			hlt_shape_gap(f->inside, f->inside->nfields).bits;
		const size_t found = hlt_shape_holes(f->inside, &own) +
				     (tail > 0) +
				     hlt_shape_inner_holes(f->inside, &deeper);

		n += found * nelements(f);
		*bits += (own + tail + deeper) * nelements(f);
	}
	return n;
}

uint64_t hlt_shape_packed_bytes(const struct hlt_shape *shape)
{
	return (shape->end_bits + 7) / 8;
}

/* A field by its name alone. Adds where it lies to *offset_bits. */
static const struct hlt_field *field_named(const struct hlt_shape *shape,
					   const char *name, size_t len,
					   uint64_t *offset_bits)
{
	for (size_t i = 0; i < shape->nfields; i++) {
		const struct hlt_field *f = &shape->fields[i];

		if (strlen(f->name) == len && memcmp(f->name, name, len) == 0 &&
		    len > 0) {
			*offset_bits += f->offset_bits;
			return f;
		}
	}
	for (size_t i = 0; i < shape->nfields; i++) {
		const struct hlt_field *f = &shape->fields[i];
		const bool open = f->role == HLT_BASE ||
				  (f->name[0] == '\0' && f->ndims == 0);
		uint64_t inner = 0;
		const struct hlt_field *found =
			open && f->inside ?
				field_named(f->inside, name, len, &inner) :
				NULL;

		if (found != NULL) {
			*offset_bits += f->offset_bits + inner;
			return found;
		}
	}
	return NULL;
}

/* The outermost field around a field that was found. */
static const struct hlt_field *top_of(const struct hlt_shape *shape,
				      const struct hlt_field *field,
				      uint64_t offset_bits)
{
	for (size_t i = 0; i < shape->nfields; i++) {
		const struct hlt_field *f = &shape->fields[i];

		if (f == field)
			return f;
		if (f->inside != NULL && offset_bits >= f->offset_bits &&
		    offset_bits < f->offset_bits + f->size_bits &&
		    (f->name[0] == '\0' || f->role == HLT_BASE) &&
		    top_of(f->inside, field, offset_bits - f->offset_bits))
			return f;
	}
	return NULL;
}

/* "[2][1]" after a name. Returns what follows; NULL with a sentence in why. */
static const char *read_indices(const char *at, struct hlt_spot *spot,
				char *why, size_t why_bytes)
{
	const struct hlt_field *f = spot->field;

	while (*at == '[') {
		char *end;
		const uint64_t index = strtoull(at + 1, &end, 10);
		const uint32_t d = spot->nindexed;
		uint64_t step = f->element_bytes * 8;

		if (at[1] < '0' || at[1] > '9' || *end != ']') {
			snprintf(why, why_bytes, "'%s' is no index", at);
			return NULL;
		}
		if (d == f->ndims) {
			snprintf(why, why_bytes, "%s has no %s dimension",
				 f->name, d > 0 ? "further" : "array");
			return NULL;
		}
		if (index >=
		    (f->is_flexible && d == 0 ? UINT32_MAX : f->dims[d])) {
			snprintf(why, why_bytes,
				 "%s has %" PRIu64 " elements, from 0", f->name,
				 f->dims[d]);
			return NULL;
		}
		for (uint32_t i = d + 1; i < f->ndims; i++)
			step *= f->dims[i];
		spot->offset_bits += index * step;
		spot->size_bits = step;
		spot->nindexed++;
		at = end + 1;
	}
	return at;
}

/* May a name follow this field? NULL, or why not. */
static const char *why_closed(const struct hlt_spot *spot)
{
	if (spot->nindexed < spot->field->ndims)
		return "is an array: say which element, as in list[0].size";
	if (spot->field->is_pointer)
		return "is a pointer: what it leads to lies elsewhere";
	if (spot->field->inside == NULL)
		return "has no fields";
	return NULL;
}

int hlt_shape_find(const struct hlt_shape *shape, const char *path,
		   struct hlt_spot *spot, char *why, size_t why_bytes)
{
	const struct hlt_shape *at = shape;

	memset(spot, 0, sizeof(*spot));
	for (;;) {
		const size_t len = strcspn(path, ".[");
		uint64_t offset = 0;

		spot->field = field_named(at, path, len, &offset);
		if (spot->field == NULL) {
			snprintf(why, why_bytes, "no field '%.*s'", (int)len,
				 path);
			return -1;
		}
		if (at == shape)
			spot->top = top_of(shape, spot->field, offset);
		spot->offset_bits += offset;
		spot->size_bits = spot->field->size_bits;
		spot->nindexed = 0;
		path = read_indices(path + len, spot, why, why_bytes);
		if (path == NULL)
			return -1;
		if (*path == '\0')
			return 0;

		const char *closed = *path == '.' ? why_closed(spot) :
						    "ends before the name does";

		if (closed != NULL) {
			snprintf(why, why_bytes, "%s %s", spot->field->name,
				 closed);
			return -1;
		}
		at = spot->field->inside;
		path++;
	}
}

static const char *name_or(const struct hlt_field *field)
{
	return field->name[0] != '\0' ? field->name : field->type;
}

static bool fields_differ(const struct hlt_field *a, const struct hlt_field *b,
			  char *why, size_t why_bytes)
{
	if (strcmp(a->name, b->name) != 0)
		snprintf(why, why_bytes, "%s where the other has %s",
			 name_or(a), name_or(b));
	else if (a->offset_bits != b->offset_bits)
		snprintf(why, why_bytes,
			 "%s at byte %" PRIu64 ", in the other at %" PRIu64,
			 name_or(a), a->offset_bits / 8, b->offset_bits / 8);
	else if (a->size_bits != b->size_bits)
		snprintf(why, why_bytes,
			 "%s of %" PRIu64 " bits, in the other of %" PRIu64,
			 name_or(a), a->size_bits, b->size_bits);
	else if (strcmp(a->type, b->type) != 0)
		snprintf(why, why_bytes, "%s is %s, in the other %s",
			 name_or(a), a->type, b->type);
	else if ((a->inside == NULL) != (b->inside == NULL))
		snprintf(why, why_bytes, "%s is only declared in one",
			 name_or(a));
	else
		return a->inside != NULL &&
		       hlt_shapes_differ(a->inside, b->inside, why, why_bytes);
	return true;
}

bool hlt_shapes_differ(const struct hlt_shape *a, const struct hlt_shape *b,
		       char *why, size_t why_bytes)
{
	const size_t n = a->nfields < b->nfields ? a->nfields : b->nfields;

	for (size_t i = 0; i < n; i++) {
		if (fields_differ(&a->fields[i], &b->fields[i], why, why_bytes))
			return true;
	}
	if (a->nfields != b->nfields) {
		const struct hlt_field *extra = a->nfields > n ? &a->fields[n] :
								 &b->fields[n];

		snprintf(why, why_bytes, "only one has %s", name_or(extra));
		return true;
	}
	if (a->size_bytes != b->size_bytes) {
		snprintf(why, why_bytes,
			 "%" PRIu64 " bytes, the other %" PRIu64, a->size_bytes,
			 b->size_bytes);
		return true;
	}
	return false;
}
