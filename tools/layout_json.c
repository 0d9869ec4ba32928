/* SPDX-License-Identifier: MIT */
/*
 * layout_json - a struct on cache lines, as JSON
 *
 * Offsets and sizes are bytes. A bit-field has those of the bytes it has a part
 * in, and its own bits beside them.
 */
#include "layout.h"

#include <string.h>

#include "out.h"

static void set_u64(json_t *object, const char *key, uint64_t value)
{
	hlt_json_set(object, key, hlt_json_u64(value));
}

static void set_text(json_t *object, const char *key, const char *text)
{
	hlt_json_set(object, key, hlt_json_bytes(text, strlen(text)));
}

static json_t *figure_to_json(const struct hlt_figure *figure)
{
	json_t *object = json_object();

	hlt_json_set(
		object, "average",
		json_real((double)figure->lines / (double)figure->positions));
	set_u64(object, "lines", figure->lines);
	set_u64(object, "positions", figure->positions);
	set_u64(object, "least", figure->least);
	set_u64(object, "most", figure->most);
	return object;
}

static json_t *gap_to_json(const struct hlt_gap *gap)
{
	json_t *object = json_object();

	set_u64(object, "offset", gap->from_bits / 8);
	set_u64(object, "bits", gap->bits);
	return object;
}

static json_t *gaps_to_json(const struct hlt_shape *shape)
{
	json_t *array = json_array();

	for (size_t i = 0; i < shape->nfields; i++) {
		const struct hlt_gap gap = hlt_shape_gap(shape, i);

		if (gap.bits > 0)
			hlt_json_append(array, gap_to_json(&gap));
	}
	return array;
}

static json_t *fields_to_json(const struct hlt_layout *layout,
			      const struct hlt_shape *shape,
			      uint64_t base_bits);

static const char *role_word(const struct hlt_field *field)
{
	switch (field->role) {
	case HLT_BASE:
		return "base";
	case HLT_VTABLE:
		return "vtable";
	default:
		return "member";
	}
}

static json_t *field_to_json(const struct hlt_layout *layout,
			     const struct hlt_field *f, uint64_t base_bits)
{
	const uint64_t at = base_bits + f->offset_bits;
	const struct hlt_range range = hlt_range_of(at, f->size_bits);
	json_t *object = json_object();

	set_text(object, "name", f->name);
	set_text(object, "type", f->type);
	set_text(object, "role", role_word(f));
	set_u64(object, "offset", range.offset);
	set_u64(object, "size", range.size);
	if (f->is_bitfield) {
		set_u64(object, "bit_offset", at);
		set_u64(object, "bit_size", f->size_bits);
	}
	set_u64(object, "line", range.offset / layout->line_bytes);
	hlt_json_set(
		object, "straddles",
		json_boolean(hlt_straddles(&range, 0, layout->line_bytes)));
	if (f->is_guessed)
		hlt_json_set(object, "declared_only", json_true());
	if (f->inside != NULL)
		hlt_json_set(object, "fields",
			     fields_to_json(layout, f->inside, at));
	return object;
}

/* Fields of an array's element are those of the first. */
static json_t *fields_to_json(const struct hlt_layout *layout,
			      const struct hlt_shape *shape, uint64_t base_bits)
{
	json_t *array = json_array();

	for (size_t i = 0; i < shape->nfields; i++)
		hlt_json_append(array, field_to_json(layout, &shape->fields[i],
						     base_bits));
	return array;
}

static json_t *hot_to_json(const struct hlt_layout *layout)
{
	json_t *array = json_array();

	for (size_t i = 0; i < layout->nhot; i++) {
		const struct hlt_hot *hot = &layout->hot[i];
		json_t *object = json_object();

		set_text(object, "name", hot->path);
		set_u64(object, "offset", hot->range.offset);
		set_u64(object, "size", hot->range.size);
		hlt_json_set(object, "straddles",
			     json_boolean(hlt_straddles(&hot->range, 0,
							layout->line_bytes)));
		set_u64(object, "straddling_positions", hot->figure.split);
		hlt_json_set(object, "lines_per_message",
			     figure_to_json(&hot->figure));
		hlt_json_append(array, object);
	}
	return array;
}

json_t *hlt_layout_to_json(const struct hlt_layout *layout)
{
	const struct hlt_shape *shape = layout->shape;
	json_t *object = json_object();
	json_t *figures = json_object();
	uint64_t bits;

	set_text(object, "file", layout->file);
	set_text(object, "unit", shape->unit);
	set_text(object, "kind", shape->keyword);
	set_text(object, "name", shape->name);
	set_u64(object, "size", shape->size_bytes);
	set_u64(object, "alignment", shape->align_bytes);
	hlt_json_set(object, "packed", json_boolean(shape->is_packed));
	set_u64(object, "line_bytes", layout->line_bytes);
	set_u64(object, "stride", layout->stride);
	hlt_json_set(object, "holes", gaps_to_json(shape));
	set_u64(object, "padding_bits",
		hlt_shape_gap(shape, shape->nfields).bits);
	hlt_shape_inner_holes(shape, &bits);
	set_u64(object, "inner_hole_bits", bits);
	set_u64(object, "virtual_bases", shape->nunplaced);
	hlt_json_set(object, "fields", fields_to_json(layout, shape, 0));
	hlt_json_set(figures, "whole", figure_to_json(&layout->whole));
	if (layout->nhot > 0) {
		hlt_json_set(object, "hot", hot_to_json(layout));
		hlt_json_set(figures, "hot", figure_to_json(&layout->fast));
	}
	hlt_json_set(object, "lines_per_message", figures);
	return object;
}
