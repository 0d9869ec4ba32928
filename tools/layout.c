/* SPDX-License-Identifier: MIT */
/*
 * layout - a struct on cache lines: which fields are hot, and what they cost
 */
#include "layout.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "opt.h"
#include "out.h"

enum {
	HOT_MOST = 1024,
};

struct hlt_range hlt_range_of(uint64_t offset_bits, uint64_t size_bits)
{
	const uint64_t first = offset_bits / 8;

	if (size_bits == 0)
		return (struct hlt_range){ first, 0 };
	return (struct hlt_range){ first, (offset_bits + size_bits - 1) / 8 -
						  first + 1 };
}

/* One name of the list of hot fields. */
static int add_hot(struct hlt_layout *layout, const char *path)
{
	struct hlt_hot *hot = &layout->hot[layout->nhot];
	char why[HLT_PATH_BYTES];

	if (path[0] == '\0')
		return hlt_usage("--hot: a name is missing between commas");
	if (hlt_shape_find(layout->shape, path, &hot->spot, why, sizeof(why)) !=
	    0) {
		hlt_complain(layout->file, "--hot %s: %s in %s %s", path, why,
			     layout->shape->keyword, layout->shape->name);
		return HLT_NO_RING;
	}
	if (hot->spot.size_bits == 0) {
		hlt_complain(layout->file,
			     "--hot %s: it has no size of its own; name an "
			     "element, as in %s[0]",
			     path, path);
		return HLT_USAGE;
	}
	hot->path = path;
	hot->range = hlt_range_of(hot->spot.offset_bits, hot->spot.size_bits);
	layout->nhot++;
	return 0;
}

int hlt_layout_init(struct hlt_layout *layout, const char *file,
		    const struct hlt_shape *shape, const char *hot)
{
	size_t n = 1;
	char *next;

	memset(layout, 0, sizeof(*layout));
	layout->file = file;
	layout->shape = shape;
	if (hot == NULL)
		return 0;
	for (const char *s = hot; *s != '\0'; s++)
		n += *s == ',';
	if (n > HOT_MOST)
		return hlt_usage("--hot: more than %d names", HOT_MOST);
	layout->hot = hlt_alloc(n * sizeof(*layout->hot));
	layout->names = hlt_alloc(strlen(hot) + 1);
	next = memcpy(layout->names, hot, strlen(hot) + 1);
	while (next != NULL) {
		const int ret = add_hot(layout, strsep(&next, ","));

		if (ret != 0)
			return ret;
	}
	return 0;
}

void hlt_layout_fini(struct hlt_layout *layout)
{
	free(layout->hot);
	free(layout->names);
	memset(layout, 0, sizeof(*layout));
}

/* The stride in bytes, 0 after a complaint. */
static uint64_t stride_of(const struct hlt_layout *layout, enum hlt_stride kind,
			  uint64_t number)
{
	const uint64_t packed = hlt_shape_packed_bytes(layout->shape);

	if (kind == HLT_STRIDE_SIZE)
		number = layout->shape->size_bytes;
	else if (kind == HLT_STRIDE_PACKED)
		number = packed;
	if (number == 0)
		number = 1; /* an empty struct */
	if (number >= packed)
		return number;
	hlt_usage("--stride %" PRIu64 ": messages would overlap, they have "
		  "%" PRIu64 " bytes",
		  number, packed);
	return 0;
}

/* Lines under all hot fields together. */
static void measure_hot(struct hlt_layout *layout)
{
	struct hlt_range *ranges = hlt_alloc(layout->nhot * sizeof(*ranges));

	for (size_t i = 0; i < layout->nhot; i++) {
		struct hlt_hot *hot = &layout->hot[i];

		ranges[i] = hot->range;
		hlt_lines_figure(&hot->range, 1, layout->stride,
				 layout->line_bytes, &hot->figure);
	}
	hlt_ranges_sort(ranges, layout->nhot);
	hlt_lines_figure(ranges, layout->nhot, layout->stride,
			 layout->line_bytes, &layout->fast);
	free(ranges);
}

int hlt_layout_measure(struct hlt_layout *layout, uint64_t line_bytes,
		       enum hlt_stride kind, uint64_t stride)
{
	const struct hlt_range all = { 0,
				       hlt_shape_packed_bytes(layout->shape) };

	layout->line_bytes = line_bytes;
	layout->stride = stride_of(layout, kind, stride);
	if (layout->stride == 0)
		return HLT_USAGE;
	hlt_lines_figure(&all, 1, layout->stride, line_bytes, &layout->whole);
	measure_hot(layout);
	return 0;
}

/* --- Checks --------------------------------------------------------------- */

__attribute__((format(printf, 3, 4))) static void
find(const struct hlt_layout *layout, struct hlt_findings *findings,
     const char *format, ...)
{
	char sentence[HLT_PATH_BYTES * 2];
	va_list args;
	char *copy;

	va_start(args, format);
	vsnprintf(sentence, sizeof(sentence), format, args);
	va_end(args);
	hlt_complain(layout->file, "%s %s: %s", layout->shape->keyword,
		     layout->shape->name, sentence);
	copy = hlt_alloc(strlen(sentence) + 1);
	memcpy(copy, sentence, strlen(sentence) + 1);
	findings->list =
		hlt_realloc(findings->list, (findings->n + 1) * sizeof(char *));
	findings->list[findings->n++] = copy;
}

static void check_field(const struct hlt_layout *layout,
			const struct hlt_hot *hot,
			struct hlt_findings *findings)
{
	const struct hlt_range *r = &hot->range;

	if (hlt_straddles(r, 0, layout->line_bytes))
		find(layout, findings,
		     "hot field %s straddles lines: bytes %" PRIu64
		     " to %" PRIu64,
		     hot->path, r->offset, r->offset + r->size - 1);
	else if (r->offset >= layout->line_bytes)
		find(layout, findings,
		     "hot field %s lies beyond the first line: byte %" PRIu64,
		     hot->path, r->offset);
	else if (hot->figure.split > 0)
		find(layout, findings,
		     "hot field %s straddles lines in %" PRIu64 " of %" PRIu64
		     " positions at stride %" PRIu64,
		     hot->path, hot->figure.split, hot->figure.positions,
		     layout->stride);
}

void hlt_layout_check(const struct hlt_layout *layout, uint64_t limit,
		      struct hlt_findings *findings)
{
	char average[HLT_DECIMAL_BYTES], most[HLT_DECIMAL_BYTES];

	*findings = (struct hlt_findings){ NULL, 0 };
	for (size_t i = 0; i < layout->nhot; i++)
		check_field(layout, &layout->hot[i], findings);
	if (limit > 0 && hlt_figure_above(&layout->fast, limit))
		find(layout, findings,
		     "the hot fields touch %s lines per message, the limit "
		     "is %s",
		     hlt_decimal(average, layout->fast.lines,
				 layout->fast.positions),
		     hlt_decimal(most, limit, 1000));
}

void hlt_findings_fini(struct hlt_findings *findings)
{
	for (size_t i = 0; i < findings->n; i++)
		free(findings->list[i]);
	free(findings->list);
	*findings = (struct hlt_findings){ NULL, 0 };
}
