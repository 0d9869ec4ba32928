/* SPDX-License-Identifier: MIT */
/*
 * table - rows and columns for people
 *
 * Cells are kept until all are known, so that columns are as wide as what is in
 * them. What is not text in a cell is escaped (text.h).
 */
#ifndef HLT_TABLE_H
#define HLT_TABLE_H

#include <stddef.h>
#include <stdint.h>

/* What a column is, in its flags. */
#define HLT_RIGHT 1u /* numbers: flush right */
#define HLT_RARE 2u  /* left out while every cell is 0 or - */

struct hlt_column {
	const char *title;
	unsigned flags;
};

struct hlt_table {
	const struct hlt_column *columns;
	size_t ncolumns;
	char **cells; /* row by row */
	size_t ncells;
	size_t room;
};

void hlt_table_init(struct hlt_table *table, const struct hlt_column *columns,
		    size_t ncolumns);
void hlt_table_fini(struct hlt_table *table);

/* The next cell of the row; a full row is followed by the next. */
__attribute__((format(printf, 2, 3))) void
hlt_table_cell(struct hlt_table *table, const char *format, ...);
void hlt_table_u64(struct hlt_table *table, uint64_t value);

/* Titles and rows to standard output; nothing when there are no rows. */
void hlt_table_print(const struct hlt_table *table);

/* A size as people read it, "64K"; out has HLT_SIZE_BYTES. Returns out. */
enum {
	HLT_SIZE_BYTES = 16
};
char *hlt_size_text(char *out, uint64_t bytes);

#endif /* HLT_TABLE_H */
