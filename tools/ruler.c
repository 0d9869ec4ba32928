/* SPDX-License-Identifier: MIT */
/*
 * ruler - the bytes of a message in hex, with the names of its fields below
 *
 * A byte takes three columns, so a field's name has as many columns below it as
 * its bytes in that row take, and is cut to those.
 */
#include "ruler.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "decode_value.h"
#include "text.h"

enum {
	ROW_BYTES = 16,
	COLUMNS = 3, /* of a byte */
};

/* Write a mark and as much of a name as fits over the blanks of a ruler. */
static void mark(char *ruler, size_t from, size_t bytes, const char *name)
{
	const size_t room = bytes * COLUMNS - 1;
	const size_t len = strlen(name);

	ruler[from * COLUMNS] = '|';
	memcpy(ruler + from * COLUMNS + 1, name, len < room ? len : room);
}

/* The fields, and what is between them, that lie in a row. */
static void fill_ruler(char *ruler, const struct hl_schema *schema, size_t row,
		       size_t row_end)
{
	size_t after = row;

	for (uint32_t i = 0; i < schema->nfields; i++) {
		const struct hl_field *const f = &schema->fields[i];
		const size_t end =
			f->offset + (size_t)f->count * hl_type_bytes(f->type);
		const size_t from = f->offset > row ? f->offset : row;
		const size_t to = end < row_end ? end : row_end;

		if (f->heat == HL_PAYLOAD || from >= to)
			continue;
		if (from > after)
			mark(ruler, after - row, from - after, ".");
		mark(ruler, from - row, to - from,
		     f->offset < row ? "..." : f->name);
		after = to;
	}
	if (after < row_end)
		mark(ruler, after - row, row_end - after, ".");
}

static void print_row(const struct hl_schema *schema,
		      const struct hlt_view *view, size_t row)
{
	const unsigned char *const slot = view->slot;
	char ruler[ROW_BYTES * COLUMNS + 1];
	const size_t end = row + ROW_BYTES;
	size_t len;

	printf("%6zu  ", row);
	for (size_t i = row; i < end; i++)
		printf("%02x%s", slot[i], i + 1 < end ? " " : "\n");
	memset(ruler, ' ', sizeof(ruler));
	fill_ruler(ruler, schema, row, end);
	for (len = sizeof(ruler); len > 0 && ruler[len - 1] == ' '; len--)
		;
	printf("%8s%.*s\n", "", (int)len, ruler);
}

static void print_payload(const struct hl_schema *schema,
			  const struct hlt_view *view)
{
	size_t budget = view->payload.size_bytes;

	for (uint32_t i = 0; i < schema->nfields; i++) {
		const struct hl_field *const f = &schema->fields[i];
		struct hlt_value value;
		int ret;

		if (f->heat != HL_PAYLOAD)
			continue;
		ret = hlt_value_take(&value, f, view, &budget);
		if (ret == 0) {
			printf("%6" PRIu32 "  %s: ", f->offset, f->name);
			hlt_text_put_hex(stdout, value.data, value.size);
			putchar('\n');
		}
		hlt_value_fini(&value);
	}
}

void hlt_ruler_print(const struct hl_schema *schema,
		     const struct hlt_view *view)
{
	printf("%" PRIu64, view->position);
	hlt_view_put_marks(view);
	putchar('\n');
	for (size_t row = 0; row < view->slot_bytes; row += ROW_BYTES)
		print_row(schema, view, row);
	print_payload(schema, view);
}
