/* SPDX-License-Identifier: MIT */
/*
 * layout_rows - the lines of the table that a struct is shown as
 *
 * Anonymous structs and unions are always opened, named ones when asked for. What
 * is opened and is no union has no letter of its own in the picture: its fields
 * have. A union has one letter, since its fields lie on one another.
 */
#include "layout_rows.h"

#include <string.h>

#include "out.h"

static struct hlt_row *add_row(struct hlt_rows *rows, unsigned depth,
			       uint64_t offset_bits, uint64_t size_bits)
{
	struct hlt_row *row;

	if (rows->n == rows->room) {
		rows->room = rows->room ? 2 * rows->room : 64;
		rows->list = hlt_realloc(rows->list,
					 rows->room * sizeof(*rows->list));
	}
	row = &rows->list[rows->n++];
	memset(row, 0, sizeof(*row));
	row->depth = depth;
	row->offset_bits = offset_bits;
	row->size_bits = size_bits;
	row->type = "";
	return row;
}

static char next_key(struct hlt_rows *rows)
{
	static const char keys[] = "abcdefghijklmnopqrstuvwxyz"
				   "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

	return keys[rows->nkeys++ % (sizeof(keys) - 1)];
}

static void add_gap(struct hlt_rows *rows, const struct hlt_gap *gap,
		    uint64_t base_bits, unsigned depth, const char *name)
{
	struct hlt_row *row;

	if (gap->bits == 0)
		return;
	row = add_row(rows, depth, base_bits + gap->from_bits, gap->bits);
	row->name = name;
	row->is_gap = true;
	row->bits = gap->from_bits % 8 != 0 || gap->bits % 8 != 0;
}

/* A part of a field that is hot is shown, even if its struct is not expanded. */
static void add_hot_parts(struct hlt_rows *rows, const struct hlt_field *top,
			  unsigned depth)
{
	const struct hlt_layout *layout = rows->layout;

	for (size_t i = 0; i < layout->nhot; i++) {
		const struct hlt_hot *hot = &layout->hot[i];
		struct hlt_row *row;

		if (hot->spot.top != top ||
		    (hot->spot.field == top && hot->spot.nindexed == 0))
			continue;
		row = add_row(rows, depth, hot->spot.offset_bits,
			      hot->spot.size_bits);
		row->name = hot->path;
		row->type = hot->spot.nindexed > 0 ? hot->spot.field->base :
						     hot->spot.field->type;
		row->bits = hot->spot.field->is_bitfield;
		row->hot = true;
		row->straddles =
			hlt_straddles(&hot->range, 0, layout->line_bytes);
	}
}

static bool is_hot(const struct hlt_layout *layout, const struct hlt_field *f,
		   uint64_t at)
{
	for (size_t i = 0; i < layout->nhot; i++) {
		if (layout->hot[i].spot.field == f &&
		    layout->hot[i].spot.nindexed == 0 &&
		    layout->hot[i].spot.offset_bits == at)
			return true;
	}
	return false;
}

struct place {
	uint64_t base_bits;
	unsigned depth;
	bool keyless; /* in a union: all of it has one letter */
};

static void add_shape(struct hlt_rows *rows, const struct hlt_shape *shape,
		      struct place place);

static const char *shown_name(const struct hlt_field *f)
{
	if (f->name[0] != '\0')
		return f->name;
	return f->inside != NULL && f->inside->is_union ? "(union)" :
							  "(struct)";
}

static void add_field(struct hlt_rows *rows, const struct hlt_field *f,
		      struct place place)
{
	const uint64_t at = place.base_bits + f->offset_bits;
	const struct hlt_range range = hlt_range_of(at, f->size_bits);
	const bool open = f->inside != NULL && f->size_bits > 0 &&
			  (f->name[0] == '\0' || rows->drawing->expand);
	const bool split = open && !f->inside->is_union && f->ndims == 0;
	struct hlt_row *row = add_row(rows, place.depth, at, f->size_bits);

	row->name = shown_name(f);
	row->type = f->role == HLT_BASE ? "(base class)" :
		    f->name[0] == '\0'	? "" :
					  f->type;
	row->bits = f->is_bitfield;
	row->guessed = f->is_guessed;
	row->hot = is_hot(rows->layout, f, at);
	row->straddles = !split &&
			 hlt_straddles(&range, 0, rows->layout->line_bytes);
	if (!place.keyless && !split && f->size_bits > 0)
		row->key = next_key(rows);
	place.keyless = place.keyless || !split;
	place.base_bits = at;
	place.depth++;
	if (open)
		add_shape(rows, f->inside, place);
	else if (place.depth == 1)
		add_hot_parts(rows, f, place.depth);
}

static void add_shape(struct hlt_rows *rows, const struct hlt_shape *shape,
		      struct place place)
{
	for (size_t i = 0; i < shape->nfields; i++) {
		const struct hlt_gap gap = hlt_shape_gap(shape, i);

		if (!shape->is_union)
			add_gap(rows, &gap, place.base_bits, place.depth,
				"(hole)");
		add_field(rows, &shape->fields[i], place);
	}
	if (!shape->is_union || place.depth == 0) {
		const struct hlt_gap tail =
			hlt_shape_gap(shape, shape->nfields);

		add_gap(rows, &tail, place.base_bits, place.depth, "(padding)");
	}
}

void hlt_rows_add(struct hlt_rows *rows, const struct hlt_shape *shape)
{
	add_shape(rows, shape, (struct place){ 0, 0, false });
}
