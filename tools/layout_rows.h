/* SPDX-License-Identifier: MIT */
/*
 * layout_rows - the lines of the table that a struct is shown as
 */
#ifndef HLT_LAYOUT_ROWS_H
#define HLT_LAYOUT_ROWS_H

#include "layout.h"

/* A line of the table. */
struct hlt_row {
	char key; /* 0: it has none */
	unsigned depth;
	uint64_t offset_bits, size_bits;
	const char *name; /* of a gap: "(hole)" */
	const char *type;
	bool bits; /* shown with its bits */
	bool is_gap;
	bool hot, straddles, guessed;
};

struct hlt_rows {
	const struct hlt_layout *layout;
	const struct hlt_drawing *drawing;
	struct hlt_row *list;
	size_t n, room;
	unsigned nkeys;
};

/* Add the rows of a struct's fields and holes; list is freed by the caller. */
void hlt_rows_add(struct hlt_rows *rows, const struct hlt_shape *shape);

#endif /* HLT_LAYOUT_ROWS_H */
