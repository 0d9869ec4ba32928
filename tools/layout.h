/* SPDX-License-Identifier: MIT */
/*
 * layout - a struct on cache lines: which fields are hot, and what they cost
 *
 * cmd_layout.c fills a layout in; layout_text.c and layout_json.c print it.
 */
#ifndef HLT_LAYOUT_H
#define HLT_LAYOUT_H

#include <jansson.h>

#include "lines.h"
#include "shape.h"
#include "suggest.h"

/* A field that the fast path reads. */
struct hlt_hot {
	const char *path; /* as the user wrote it */
	struct hlt_spot spot;
	struct hlt_range range;
	struct hlt_figure figure;
};

struct hlt_layout {
	const char *file;
	const struct hlt_shape *shape;
	uint64_t line_bytes;
	uint64_t stride; /* from one message to the next */
	struct hlt_hot *hot;
	size_t nhot;
	char *names;		 /* that the paths point into */
	struct hlt_figure whole; /* all fields */
	struct hlt_figure fast;	 /* the hot fields together */
};

/* What hlt_layout_check() has to say about a layout. */
struct hlt_findings {
	char **list;
	size_t n;
};

/* What --stride may ask for. */
enum hlt_stride {
	HLT_STRIDE_SIZE = 0,
	HLT_STRIDE_PACKED, /* without tail padding */
	HLT_STRIDE_NUMBER,
};

/*
 * hlt_layout_init - measure a shape
 *
 * hot is a list of fields, "a,b.c"; NULL for none. Returns 0, or HLT_USAGE or
 * HLT_NO_RING after a complaint. hlt_layout_fini() is called in each case.
 */
int hlt_layout_init(struct hlt_layout *layout, const char *file,
		    const struct hlt_shape *shape, const char *hot);
void hlt_layout_fini(struct hlt_layout *layout);

/* Work out the figures for a size of lines and a stride. 0 or HLT_USAGE. */
int hlt_layout_measure(struct hlt_layout *layout, uint64_t line_bytes,
		       enum hlt_stride kind, uint64_t stride);

/* The bytes in which some bits lie. */
struct hlt_range hlt_range_of(uint64_t offset_bits, uint64_t size_bits);

/*
 * hlt_layout_check - what makes a fast path read more lines than it need
 *
 * Hot fields that straddle lines, or lie beyond the first; more lines on average
 * than the limit, in thousandths, unless it is 0. Complains about each.
 */
void hlt_layout_check(const struct hlt_layout *layout, uint64_t limit,
		      struct hlt_findings *findings);
void hlt_findings_fini(struct hlt_findings *findings);

/* How it is printed. */
struct hlt_drawing {
	bool expand; /* structs in the struct */
	bool wide;   /* names and types in full */
};
void hlt_layout_print(const struct hlt_layout *layout,
		      const struct hlt_drawing *drawing);

/* The source of a suggestion, as C or C++. */
void hlt_suggestion_print(FILE *stream,
			  const struct hlt_suggestion *suggestion);

json_t *hlt_layout_to_json(const struct hlt_layout *layout);

#endif /* HLT_LAYOUT_H */
