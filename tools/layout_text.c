/* SPDX-License-Identifier: MIT */
/*
 * layout_text - a struct on cache lines, for people
 *
 * A picture with a character for each byte, a table of fields, and the figures.
 * Both are made of the same rows, so that a letter means the same in both.
 */
#include "layout_rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "out.h"
#include "table.h"
#include "text.h"

enum {
	WIDTH = 80,
	ROW_BYTES = 64, /* of the picture */
	GROUP_BYTES = 8,
	PICTURE_MOST = 64 << 10, /* bytes; a larger struct has only the table */
	CELL_BYTES = 256,
	NAME_LEAST = 12, /* what names and types are not cut below */
};

/* --- The picture ---------------------------------------------------------- */

static void paint(const struct hlt_rows *rows, char *picture, uint64_t size)
{
	memset(picture, '.', size);
	for (size_t i = 0; i < rows->n; i++) {
		const struct hlt_row *row = &rows->list[i];
		const struct hlt_range r =
			hlt_range_of(row->offset_bits, row->size_bits);

		if (row->key == '\0')
			continue;
		for (uint64_t b = r.offset; b < r.offset + r.size; b++) {
			if (b < size && (!row->bits || picture[b] == '.'))
				picture[b] = row->key;
		}
	}
}

static void print_ruler(uint64_t nbytes)
{
	printf("line ");
	for (uint64_t b = 0; b < nbytes; b += GROUP_BYTES)
		printf(" %-*" PRIu64,
		       b + GROUP_BYTES < nbytes ? GROUP_BYTES : 0, b);
	putchar('\n');
}

/* One row of bytes, from at; blank beyond the end of the struct. */
static void print_bytes(const char *picture, uint64_t size, uint64_t at,
			uint64_t nbytes)
{
	for (uint64_t b = 0; b < nbytes && (at + b < size || b == 0); b++) {
		if (b % GROUP_BYTES == 0)
			putchar('|');
		putchar(at + b < size ? picture[at + b] : ' ');
	}
	if (at + nbytes <= size)
		putchar('|');
	else if (size % GROUP_BYTES == 0)
		putchar('|');
	putchar('\n');
}

/* Rows that only repeat the one before are left out, as hexdump does. */
static bool repeats(const char *picture, uint64_t size, uint64_t at,
		    uint64_t nbytes)
{
	return at >= nbytes && at + 2 * nbytes <= size &&
	       memcmp(picture + at, picture + at - nbytes, nbytes) == 0 &&
	       memcmp(picture + at, picture + at + nbytes, nbytes) == 0;
}

static void print_picture(const struct hlt_rows *rows)
{
	const uint64_t size = rows->layout->shape->size_bytes;
	const uint64_t line = rows->layout->line_bytes;
	const uint64_t nbytes = line < ROW_BYTES ? line : ROW_BYTES;
	bool skipping = false;
	char *picture;

	if (size == 0 || size > PICTURE_MOST)
		return;
	picture = hlt_alloc(size);
	paint(rows, picture, size);
	putchar('\n');
	print_ruler(nbytes);
	for (uint64_t at = 0; at < size; at += nbytes) {
		if (repeats(picture, size, at, nbytes)) {
			if (!skipping)
				printf("   *\n");
			skipping = true;
			continue;
		}
		skipping = false;
		if (at % line == 0)
			printf("%4" PRIu64 " ", at / line);
		else
			printf("     ");
		print_bytes(picture, size, at, nbytes);
	}
	free(picture);
}

/* --- The table ------------------------------------------------------------ */

/* Text for a cell, cut with a ~ at its end if it is too long. */
static const char *cut(char *out, const char *text, size_t most)
{
	const size_t len = strlen(text);

	if (most >= CELL_BYTES)
		most = CELL_BYTES - 1;
	if (len <= most)
		snprintf(out, CELL_BYTES, "%s", text);
	else
		snprintf(out, CELL_BYTES, "%.*s~", (int)most - 1, text);
	return out;
}

static void notes_of(const struct hlt_row *row, char *out, size_t room)
{
	snprintf(out, room, "%s%s%s%s%s", row->hot ? "hot" : "",
		 row->hot && row->straddles ? ", " : "",
		 row->straddles ? "straddles" : "",
		 (row->hot || row->straddles) && row->guessed ? ", " : "",
		 row->guessed ? "size?" : "");
}

/* How wide names and types may be, so that a row has 80 columns. */
static void share_width(const struct hlt_rows *rows, size_t *name, size_t *type)
{
	size_t longest = 0, notes = 0, taken, room;
	char text[CELL_BYTES], number[24];
	uint64_t end = 0;

	for (size_t i = 0; i < rows->n; i++) {
		const struct hlt_row *row = &rows->list[i];
		const size_t len = strlen(row->name) + 2 * row->depth;

		notes_of(row, text, sizeof(text));
		notes = strlen(text) > notes ? strlen(text) : notes;
		longest = len > longest ? len : longest;
		if (row->offset_bits + row->size_bits > end)
			end = row->offset_bits + row->size_bits;
	}
	taken = (size_t)snprintf(number, sizeof(number), "%" PRIu64, end / 8);
	/* KEY, OFFSET and SIZE with bits, LINE, and two blanks between. */
	taken = 3 + 2 + (taken + 2 > 6 ? taken + 2 : 6) + 2 +
		(taken > 7 ? taken : 7) + 2 + 5 + 2 + 2;
	taken += notes > 0 ? notes + 2 : 0;
	room = taken + 2 * NAME_LEAST < WIDTH ? WIDTH - taken : 2 * NAME_LEAST;
	*name = longest < room - NAME_LEAST ? longest : room - NAME_LEAST;
	*type = room - *name;
	if (rows->drawing->wide)
		*name = *type = CELL_BYTES;
}

static void put_place(struct hlt_table *table, const struct hlt_row *row,
		      uint64_t line)
{
	const struct hlt_range r =
		hlt_range_of(row->offset_bits, row->size_bits);
	const uint64_t first = r.offset / line;
	const uint64_t last = r.size > 0 ? (r.offset + r.size - 1) / line :
					   first;

	if (row->bits)
		hlt_table_cell(table, "%" PRIu64 ":%" PRIu64, r.offset,
			       row->offset_bits % 8);
	else
		hlt_table_u64(table, r.offset);
	if (row->bits)
		hlt_table_cell(table, "%" PRIu64 " bit%s", row->size_bits,
			       row->size_bits == 1 ? "" : "s");
	else
		hlt_table_u64(table, r.size);
	if (last > first)
		hlt_table_cell(table, "%" PRIu64 "-%" PRIu64, first, last);
	else
		hlt_table_u64(table, first);
}

static void print_table(const struct hlt_rows *rows)
{
	static const struct hlt_column columns[] = {
		{ "KEY", 0 },
		{ "OFFSET", HLT_RIGHT },
		{ "SIZE", HLT_RIGHT },
		{ "LINE", HLT_RIGHT },
		{ "FIELD", 0 },
		{ "TYPE", 0 },
		{ "", 0 },
	};
	const size_t ncolumns = sizeof(columns) / sizeof(columns[0]);
	char text[CELL_BYTES], notes[64];
	size_t name, type;
	struct hlt_table table;

	share_width(rows, &name, &type);
	hlt_table_init(&table, columns, ncolumns);
	for (size_t i = 0; i < rows->n; i++) {
		const struct hlt_row *row = &rows->list[i];
		const int indent = 2 * (int)row->depth;

		hlt_table_cell(&table, "%c",
			       row->is_gap ? '.' :
			       row->key	   ? row->key :
					     ' ');
		put_place(&table, row, rows->layout->line_bytes);
		hlt_table_cell(&table, "%*s%s", indent < 40 ? indent : 40, "",
			       cut(text, row->name,
				   name > (size_t)indent + 4 ? name - indent :
							       4));
		hlt_table_cell(&table, "%s", cut(text, row->type, type));
		notes_of(row, notes, sizeof(notes));
		hlt_table_cell(&table, "%s", notes);
	}
	putchar('\n');
	hlt_table_print(&table);
	hlt_table_fini(&table);
}

/* --- Head and figures ----------------------------------------------------- */

static void put_bits(uint64_t bits)
{
	if (bits % 8 == 0)
		printf("%" PRIu64 " byte%s", bits / 8, bits == 8 ? "" : "s");
	else
		printf("%" PRIu64 " bit%s", bits, bits == 1 ? "" : "s");
}

static void print_head(const struct hlt_layout *layout)
{
	const struct hlt_shape *shape = layout->shape;
	const uint64_t tail = hlt_shape_gap(shape, shape->nfields).bits;
	const uint64_t lines = (shape->size_bytes + layout->line_bytes - 1) /
			       layout->line_bytes;
	uint64_t holes, inner;
	const size_t nholes = hlt_shape_holes(shape, &holes);

	printf("%s ", shape->keyword);
	hlt_text_put(stdout, shape->name, strlen(shape->name), 0);
	printf(": %" PRIu64 " byte%s on %" PRIu64 " line%s of %" PRIu64 "%s\n",
	       shape->size_bytes, shape->size_bytes == 1 ? "" : "s", lines,
	       lines == 1 ? "" : "s", layout->line_bytes,
	       shape->is_packed ? ", packed" : "");
	if (nholes == 0)
		printf("no holes");
	else
		printf("%zu hole%s, ", nholes, nholes == 1 ? "" : "s");
	if (nholes > 0)
		put_bits(holes);
	printf(tail > 0 ? "; padding at the end, " : "; no padding");
	if (tail > 0)
		put_bits(tail);
	if (hlt_shape_inner_holes(shape, &inner) > 0) {
		printf("; in its structs, ");
		put_bits(inner);
	}
	putchar('\n');
	if (shape->nunplaced > 0)
		printf("not shown: %" PRIu32 " virtual base%s, placed at run "
		       "time in what looks empty here\n",
		       shape->nunplaced, shape->nunplaced == 1 ? "" : "s");
}

static void add_figure(struct hlt_table *table, const char *name,
		       const struct hlt_figure *f)
{
	char text[HLT_DECIMAL_BYTES];

	hlt_table_cell(table, "%.*s", WIDTH / 3, name);
	hlt_table_cell(table, "%s", hlt_decimal(text, f->lines, f->positions));
	hlt_table_cell(table, "%" PRIu64 "/%" PRIu64, f->lines, f->positions);
	if (f->least == f->most)
		hlt_table_u64(table, f->most);
	else
		hlt_table_cell(table, "%" PRIu64 "-%" PRIu64, f->least,
			       f->most);
}

static void print_figures(const struct hlt_layout *layout)
{
	static const struct hlt_column columns[] = {
		{ "LINES PER MESSAGE", 0 },
		{ "AVERAGE", HLT_RIGHT },
		{ "EXACTLY", HLT_RIGHT },
		{ "RANGE", HLT_RIGHT },
	};
	struct hlt_table table;

	printf("\nIn an array with stride %" PRIu64
	       " a message begins at %" PRIu64 " place%s in a line.\n",
	       layout->stride, layout->whole.positions,
	       layout->whole.positions == 1 ? "" : "s");
	hlt_table_init(&table, columns, sizeof(columns) / sizeof(columns[0]));
	add_figure(&table, "all fields", &layout->whole);
	if (layout->nhot > 0)
		add_figure(&table, "hot fields", &layout->fast);
	for (size_t i = 0; i < layout->nhot && layout->nhot > 1; i++) {
		char name[WIDTH];

		snprintf(name, sizeof(name), "  %s", layout->hot[i].path);
		add_figure(&table, name, &layout->hot[i].figure);
	}
	hlt_table_print(&table);
	hlt_table_fini(&table);
}

void hlt_layout_print(const struct hlt_layout *layout,
		      const struct hlt_drawing *drawing)
{
	struct hlt_rows rows = { .layout = layout, .drawing = drawing };

	hlt_rows_add(&rows, layout->shape);
	print_head(layout);
	print_picture(&rows);
	print_table(&rows);
	print_figures(layout);
	free(rows.list);
}
