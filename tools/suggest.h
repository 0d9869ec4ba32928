/* SPDX-License-Identifier: MIT */
/*
 * suggest - another order of a struct's fields, for a fast path
 *
 * Hot fields come first, then the others; within each, an order without holes if
 * there is one. Cold fields leave the struct: what is variable or long moves
 * behind an offset, payload_offset, which the struct gets if it has none. The
 * struct is aligned so that no message of an array lies on more lines than it
 * must.
 *
 * Bit-fields that follow one another stay together. Base classes and the pointer
 * to virtual functions stay in front, where the compiler puts them. The words of
 * a Hotline message that are the ring's stay where the ring wants them.
 */
#ifndef HLT_SUGGEST_H
#define HLT_SUGGEST_H

#include <stdio.h>

#include "shape.h"

enum hlt_heat {
	HLT_WARM = 0,
	HLT_HOT,
	HLT_COLD,
};

struct hlt_suggestion {
	struct hlt_shape shape; /* its fields are this suggestion's own */
	enum hlt_heat *heat;	/* of each of its fields */
	const struct hlt_field **moved;
	size_t nmoved;
	bool is_message; /* the ring's words were kept in place */
};

/*
 * hlt_suggest - suggest an order
 *
 * heat has one value for each field of the shape. Returns 0, or -1 with a
 * sentence in why for a struct that cannot be reordered. In both cases
 * hlt_suggestion_fini() is called.
 */
int hlt_suggest(const struct hlt_shape *shape, const enum hlt_heat *heat,
		uint64_t line_bytes, struct hlt_suggestion *out,
		const char **why);
void hlt_suggestion_fini(struct hlt_suggestion *suggestion);

#endif /* HLT_SUGGEST_H */
