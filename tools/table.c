/* SPDX-License-Identifier: MIT */
/*
 * table - rows and columns for people
 */
#include "table.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "out.h"
#include "text.h"

enum {
	CELL_BYTES = 512,
	FIRST_ROOM = 64,
};

void hlt_table_init(struct hlt_table *table, const struct hlt_column *columns,
		    size_t ncolumns)
{
	memset(table, 0, sizeof(*table));
	table->columns = columns;
	table->ncolumns = ncolumns;
}

void hlt_table_fini(struct hlt_table *table)
{
	for (size_t i = 0; i < table->ncells; i++)
		free(table->cells[i]);
	free(table->cells);
	table->cells = NULL;
	table->ncells = 0;
}

void hlt_table_cell(struct hlt_table *table, const char *format, ...)
{
	char raw[CELL_BYTES], escaped[CELL_BYTES];
	va_list args;
	char *cell;

	va_start(args, format);
	vsnprintf(raw, sizeof(raw), format, args);
	va_end(args);
	hlt_text_escape(escaped, sizeof(escaped), raw, strlen(raw), 0);
	if (table->ncells == table->room) {
		table->room = table->room ? 2 * table->room : FIRST_ROOM;
		table->cells = hlt_realloc(table->cells,
					   table->room * sizeof(*table->cells));
	}
	cell = hlt_alloc(strlen(escaped) + 1);
	memcpy(cell, escaped, strlen(escaped) + 1);
	table->cells[table->ncells++] = cell;
}

void hlt_table_u64(struct hlt_table *table, uint64_t value)
{
	hlt_table_cell(table, "%" PRIu64, value);
}

static bool is_nothing(const char *cell)
{
	return strcmp(cell, "0") == 0 || strcmp(cell, "-") == 0;
}

/* How wide a column is; 0 when it is left out. */
static size_t column_width(const struct hlt_table *table, size_t column)
{
	size_t width = hlt_text_width(table->columns[column].title);
	bool shown = !(table->columns[column].flags & HLT_RARE);

	for (size_t i = column; i < table->ncells; i += table->ncolumns) {
		const size_t cell = hlt_text_width(table->cells[i]);

		width = cell > width ? cell : width;
		shown = shown || !is_nothing(table->cells[i]);
	}
	return shown ? width : 0;
}

static void put_padding(size_t n)
{
	printf("%*s", (int)n, "");
}

/* One row. Blanks wait for something to follow: lines do not end in them. */
static void print_row(const struct hlt_table *table, const size_t *widths,
		      const char *const *cells)
{
	size_t owed = 0; /* blanks before the next cell */

	for (size_t c = 0; c < table->ncolumns; c++) {
		if (widths[c] == 0)
			continue;

		const size_t pad = widths[c] - hlt_text_width(cells[c]);
		const bool right = table->columns[c].flags & HLT_RIGHT;

		if (cells[c][0] == '\0') {
			owed += widths[c] + 2;
			continue;
		}
		put_padding(owed + (right ? pad : 0));
		fputs(cells[c], stdout);
		owed = 2 + (right ? 0 : pad);
	}
	putchar('\n');
}

void hlt_table_print(const struct hlt_table *table)
{
	const size_t n = table->ncolumns;
	size_t *widths;
	const char **titles;

	if (table->ncells < n)
		return;
	widths = hlt_alloc(n * sizeof(*widths));
	titles = hlt_alloc(n * sizeof(*titles));
	for (size_t c = 0; c < n; c++) {
		widths[c] = column_width(table, c);
		titles[c] = table->columns[c].title;
	}
	print_row(table, widths, titles);
	for (size_t i = 0; i + n <= table->ncells; i += n)
		print_row(table, widths,
			  (const char *const *)(table->cells + i));
	free(titles);
	free(widths);
}

char *hlt_size_text(char *out, uint64_t bytes)
{
	static const char letters[] = "KMGTPE";
	double scaled = (double)bytes;
	int letter = -1;

	if (bytes < 1024) {
		snprintf(out, HLT_SIZE_BYTES, "%" PRIu64, bytes);
		return out;
	}
	while (scaled >= 1023.95 && letters[letter + 1] != '\0') {
		scaled /= 1024;
		letter++;
	}
	snprintf(out, HLT_SIZE_BYTES, scaled < 9.95 ? "%.1f%c" : "%.0f%c",
		 scaled, letters[letter]);
	return out;
}
