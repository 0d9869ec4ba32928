/* SPDX-License-Identifier: MIT */
/*
 * suggest_text - a suggested order, as source that a compiler takes
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "layout.h"
#include "text.h"

enum {
	COMMENT_COLUMN = 48, /* where the offsets stand */
	TAB = 8,
};

/* Words, how many columns they took. */
static size_t put(FILE *stream, const char *text)
{
	hlt_text_put(stream, text, strlen(text), 0);
	return strlen(text);
}

static size_t put_tabs(FILE *stream, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		putc('\t', stream);
	return (size_t)n * TAB;
}

static void put_offset(FILE *stream, size_t column, uint64_t bits,
		       bool is_bitfield)
{
	do {
		putc('\t', stream);
		column = (column / TAB + 1) * TAB;
	} while (column < COMMENT_COLUMN);
	if (is_bitfield)
		fprintf(stream, "/* %3" PRIu64 ":%" PRIu64 " */\n", bits / 8,
			bits % 8);
	else
		fprintf(stream, "/* %3" PRIu64 " */\n", bits / 8);
}

static void put_fields(FILE *stream, const struct hlt_shape *shape,
		       unsigned depth, uint64_t base_bits);

/* The words in front of a declaration, with the fields of a nameless struct. */
static size_t put_base(FILE *stream, const struct hlt_field *f, unsigned depth,
		       uint64_t at)
{
	size_t column;

	/* Its enumerators are not known, and stand elsewhere. */
	if (f->is_nameless && f->inside == NULL)
		return put(stream, f->element_bytes == 1 ? "uint8_t" :
				   f->element_bytes == 2 ? "uint16_t" :
							   "uint32_t");
	column = put(stream, f->base);
	if (!f->is_nameless)
		return column;
	fputs(" {\n", stream);
	put_fields(stream, f->inside, depth + 1, at);
	column = put_tabs(stream, depth) + put(stream, "}");
	if (f->inside->is_packed)
		column += put(stream, " __attribute__((packed))");
	return column;
}

static void put_field(FILE *stream, const struct hlt_field *f, unsigned depth,
		      uint64_t at, const char *alignment)
{
	size_t column = put_tabs(stream, depth) + put(stream, alignment);
	char bits[32];

	column += put_base(stream, f, depth, at);
	if (f->declarator[0] != '\0')
		column += put(stream, " ") + put(stream, f->declarator);
	if (f->is_bitfield) {
		snprintf(bits, sizeof(bits), " : %" PRIu64, f->size_bits);
		column += put(stream, bits);
	}
	column += put(stream, ";");
	put_offset(stream, column, at, f->is_bitfield);
}

static void put_fields(FILE *stream, const struct hlt_shape *shape,
		       unsigned depth, uint64_t base_bits)
{
	for (size_t i = 0; i < shape->nfields; i++)
		put_field(stream, &shape->fields[i], depth,
			  base_bits + shape->fields[i].offset_bits, "");
}

/* alignas for a field: the struct's stands at the first. */
static void alignment_of(const struct hlt_shape *shape,
			 const struct hlt_field *f, bool first, char *out,
			 size_t room)
{
	uint64_t align = f->wanted_align_bytes;

	/* A class is aligned as a whole: its first field may not be the first. */
	if (first && !shape->is_cplusplus && shape->wanted_align_bytes > align)
		align = shape->wanted_align_bytes;
	out[0] = '\0';
	if (align > 1)
		snprintf(out, room, "%s(%" PRIu64 ") ",
			 shape->is_cplusplus ? "alignas" : "_Alignas", align);
}

static void put_heading(FILE *stream, enum hlt_heat heat)
{
	fputs(heat == HLT_HOT ? "\t/* hot */\n" : "\t/* warm */\n", stream);
}

static void put_moved(FILE *stream, const struct hlt_suggestion *suggestion)
{
	if (suggestion->nmoved == 0)
		return;
	fputs("\t/*\n\t * cold, behind payload_offset:\n", stream);
	for (size_t i = 0; i < suggestion->nmoved; i++) {
		const struct hlt_field *f = suggestion->moved[i];

		fputs("\t *\t", stream);
		put(stream, f->base);
		putc(' ', stream);
		put(stream, f->declarator);
		fputs(";\n", stream);
	}
	fputs("\t */\n", stream);
}

static void put_head(FILE *stream, const struct hlt_shape *shape)
{
	const char *separator = " : ";

	/* "bank::Entry" is written inside of namespace bank. */
	const char *name = strrchr(shape->name, ':');

	if (name == NULL || strchr(shape->name, '<') != NULL)
		name = shape->name;
	else
		name++;
	put(stream, shape->keyword);
	if (shape->is_cplusplus && shape->wanted_align_bytes > 1)
		fprintf(stream, " alignas(%" PRIu64 ")",
			shape->wanted_align_bytes);
	putc(' ', stream);
	put(stream, name);
	for (size_t i = 0; i < shape->nfields; i++) {
		if (shape->fields[i].role != HLT_BASE)
			continue;
		put(stream, separator);
		put(stream, shape->fields[i].name);
		separator = ", ";
	}
	fputs(" {\n", stream);
}

void hlt_suggestion_print(FILE *stream, const struct hlt_suggestion *suggestion)
{
	const struct hlt_shape *shape = &suggestion->shape;
	enum hlt_heat heat = HLT_COLD; /* of the field before */
	bool first = true;
	char alignment[48];

	put_head(stream, shape);
	for (size_t i = 0; i < shape->nfields; i++) {
		const struct hlt_field *f = &shape->fields[i];

		if (f->role != HLT_MEMBER)
			continue; /* not written by hand */
		if (suggestion->heat[i] != heat)
			put_heading(stream, suggestion->heat[i]);
		heat = suggestion->heat[i];
		alignment_of(shape, f, first, alignment, sizeof(alignment));
		put_field(stream, f, 1, f->offset_bits, alignment);
		first = false;
	}
	put_moved(stream, suggestion);
	fputs("};\n", stream);
}
