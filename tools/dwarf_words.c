/* SPDX-License-Identifier: MIT */
/*
 * dwarf_words - types in debug information: how C writes them
 *
 * C writes a type around a name, from the inside out: an array [4] of pointers is
 * "*name[4]", a pointer to an array of 4 is "(*name)[4]". So a declaration is
 * built around the name while the chain of types is followed, and ends with the
 * word that stands in front.
 */
#include "dwarf_inner.h"

#include <dwarf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	DECLARATOR_BYTES = 512,
	PARAMETERS_DEPTH = 3, /* of functions that take functions */
};

/* A declaration as it grows. Cut at its end: it is for people. */
struct words {
	char declarator[DECLARATOR_BYTES];
	char qualifiers[64]; /* "const " before the base */
	bool wrap;	     /* a pointer: [] and () bind tighter */
};

/* Puts text in front of what there is. */
static void prefix(char *words, size_t room, const char *text)
{
	const size_t len = strlen(text), old = strlen(words);

	if (len + old >= room)
		return;
	memmove(words + len, words, old + 1);
	memcpy(words, text, len);
}

static void append(char *words, size_t room, const char *text)
{
	const size_t old = strlen(words);

	snprintf(words + old, room - old, "%s", text);
}

static void wrap_pointer(struct words *w)
{
	if (!w->wrap)
		return;
	prefix(w->declarator, sizeof(w->declarator), "(");
	append(w->declarator, sizeof(w->declarator), ")");
	w->wrap = false;
}

static void add_array(struct hlt_reader *reader, Dwarf_Die *type,
		      struct words *w)
{
	struct hlt_field dims = { 0 };
	char text[32];

	wrap_pointer(w);
	hlt_dw_dimensions(reader, type, &dims);
	for (uint32_t d = 0; d < dims.ndims; d++) {
		if (d == 0 && dims.is_flexible)
			snprintf(text, sizeof(text), "[]");
		else
			snprintf(text, sizeof(text), "[%" PRIu64 "]",
				 dims.dims[d]);
		append(w->declarator, sizeof(w->declarator), text);
	}
}

static void add_vector(struct hlt_reader *reader, Dwarf_Die *type,
		       struct words *w)
{
	char text[64];
	uint64_t bytes = 0;

	hlt_dw_size(reader, type, &bytes);
	snprintf(text, sizeof(text),
		 " __attribute__((vector_size(%" PRIu64 ")))", bytes);
	append(w->declarator, sizeof(w->declarator), text);
}

static void put_words(struct hlt_reader *reader, Dwarf_Die *type,
		      struct words *w, int depth, const char **base);

static void add_parameters(struct hlt_reader *reader, Dwarf_Die *type,
			   struct words *w, int depth)
{
	const size_t room = sizeof(w->declarator);
	Dwarf_Die child, of;
	Dwarf_Off last = 0;
	int n = 0;

	wrap_pointer(w);
	append(w->declarator, room, "(");
	if (depth < PARAMETERS_DEPTH && dwarf_child(type, &child) == 0) {
		do {
			struct words one = { .declarator = "" };
			const char *base = "void";
			const Dwarf_Off at = dwarf_dieoffset(&child);

			if (at <= last)
				hlt_dw_damaged(reader, type, "it has no end");
			last = at;
			append(w->declarator, room, n++ > 0 ? ", " : "");
			if (dwarf_tag(&child) ==
			    DW_TAG_unspecified_parameters) {
				append(w->declarator, room, "...");
				continue;
			}
			if (hlt_dw_type(reader, &child, &of))
				put_words(reader, &of, &one, depth + 1, &base);
			append(w->declarator, room, base);
			append(w->declarator, room,
			       one.declarator[0] != '\0' ? " " : "");
			append(w->declarator, room, one.declarator);
		} while (dwarf_siblingof(&child, &child) == 0);
	}
	append(w->declarator, room, n == 0 ? "void)" : ")");
}

static const char *qualifier_word(int tag)
{
	switch (tag) {
	case DW_TAG_const_type:
		return "const ";
	case DW_TAG_volatile_type:
		return "volatile ";
	case DW_TAG_restrict_type:
		return "restrict ";
	default:
		return "_Atomic ";
	}
}

/* A qualifier goes to the pointer it is about, else in front of everything. */
static void add_qualifier(struct hlt_reader *reader, Dwarf_Die *type,
			  struct words *w)
{
	const char *word = qualifier_word(dwarf_tag(type));
	Dwarf_Die next = *type;
	int tag = DW_TAG_unspecified_type;

	while (hlt_dw_is_qualifier(dwarf_tag(&next)) &&
	       hlt_dw_type(reader, &next, &next))
		tag = dwarf_tag(&next);
	if (dwarf_tag(&next) == DW_TAG_array_type)
		return; /* its elements have it too */
	if (hlt_dw_is_pointer(tag))
		prefix(w->declarator, sizeof(w->declarator), word);
	else
		append(w->qualifiers, sizeof(w->qualifiers), word);
}

static void add_pointer(Dwarf_Die *type, struct words *w)
{
	const int tag = dwarf_tag(type);
	char text[DECLARATOR_BYTES / 2];
	Dwarf_Die in;
	Dwarf_Attribute attr;

	w->wrap = true;
	if (tag == DW_TAG_ptr_to_member_type) {
		const bool known =
			dwarf_attr(type, DW_AT_containing_type, &attr) &&
			dwarf_formref_die(&attr, &in) != NULL;

		snprintf(text, sizeof(text), "%s::*",
			 known ? hlt_dw_name(&in) : "");
		prefix(w->declarator, sizeof(w->declarator), text);
		return;
	}
	prefix(w->declarator, sizeof(w->declarator),
	       tag == DW_TAG_reference_type	   ? "&" :
	       tag == DW_TAG_rvalue_reference_type ? "&&" :
						     "*");
}

static const char *keyword_of(const struct hlt_reader *reader, int tag)
{
	if (tag == DW_TAG_union_type)
		return reader->is_cplusplus ? "" : "union ";
	if (tag == DW_TAG_enumeration_type)
		return reader->is_cplusplus ? "" : "enum ";
	if (hlt_dw_is_aggregate(tag))
		return reader->is_cplusplus ? "" : "struct ";
	return "";
}

/* Namespaces and classes around a type: "bank::Entry::". */
static const char *scope_of(struct hlt_reader *reader, Dwarf_Die *type)
{
	const char *scope = "";
	Dwarf_Die *scopes = NULL;
	int n;

	if (!reader->is_cplusplus || !reader->qualify)
		return scope;
	n = dwarf_getscopes_die(type, &scopes);
	for (int i = 1; i < n; i++) {
		const int tag = dwarf_tag(&scopes[i]);
		const char *name = hlt_dw_name(&scopes[i]);

		if ((tag == DW_TAG_namespace || hlt_dw_is_aggregate(tag)) &&
		    name[0] != '\0')
			scope = hlt_dw_text(reader, "%s::%s", name, scope);
	}
	free(scopes);
	return scope;
}

/* The word or words in front of a declarator. */
static const char *base_words(struct hlt_reader *reader, Dwarf_Die *type,
			      const char *qualifiers)
{
	const int tag = dwarf_tag(type);
	Dwarf_Die elsewhere; /* the stub of a type unit has no name */

	if (hlt_dw_is_aggregate(tag) && hlt_dw_name(type)[0] == '\0' &&
	    hlt_dw_definition(type, &elsewhere))
		type = &elsewhere;

	const char *name = hlt_dw_name(type);

	if (name[0] != '\0')
		return hlt_dw_text(reader, "%s%s%s%s", qualifiers,
				   keyword_of(reader, tag),
				   scope_of(reader, type), name);
	return hlt_dw_text(reader, "%s%s", qualifiers,
			   tag == DW_TAG_union_type	  ? "union" :
			   tag == DW_TAG_enumeration_type ? "enum" :
			   tag == DW_TAG_class_type	  ? "class" :
							    "struct");
}

static void put_words(struct hlt_reader *reader, Dwarf_Die *type,
		      struct words *w, int depth, const char **base)
{
	Dwarf_Die at = *type;

	for (int i = 0; i < HLT_DEPTH_MOST; i++) {
		const int tag = dwarf_tag(&at);

		if (hlt_dw_is_qualifier(tag)) {
			add_qualifier(reader, &at, w);
		} else if (hlt_dw_is_pointer(tag)) {
			add_pointer(&at, w);
		} else if (tag == DW_TAG_array_type &&
			   !hlt_dw_flag(&at, DW_AT_GNU_vector)) {
			add_array(reader, &at, w);
		} else if (tag == DW_TAG_subroutine_type) {
			add_parameters(reader, &at, w, depth);
		} else if (tag == DW_TAG_array_type) {
			add_vector(reader, &at, w);
		} else {
			*base = base_words(reader, &at, w->qualifiers);
			return;
		}
		if (!hlt_dw_type(reader, &at, &at)) {
			*base = hlt_dw_text(reader, "%svoid", w->qualifiers);
			return;
		}
	}
	hlt_dw_damaged(reader, type, "its type has no end");
}

/* Without the blank that a qualifier leaves behind when no name follows. */
static void trim(char *text)
{
	size_t len = strlen(text);

	while (len > 0 && text[len - 1] == ' ')
		text[--len] = '\0';
}

/* Is the base a struct, a union or an enum that no name leads to? */
static bool is_nameless(struct hlt_reader *reader, Dwarf_Die *type)
{
	Dwarf_Die at = *type;

	for (int i = 0; i < HLT_DEPTH_MOST; i++) {
		const int tag = dwarf_tag(&at);

		if (hlt_dw_is_aggregate(tag) || tag == DW_TAG_enumeration_type)
			return hlt_dw_name(&at)[0] == '\0' &&
			       !dwarf_hasattr(&at, DW_AT_signature);
		if ((tag != DW_TAG_array_type && !hlt_dw_is_qualifier(tag)) ||
		    !hlt_dw_type(reader, &at, &at))
			return false;
	}
	return false;
}

void hlt_dw_declare(struct hlt_reader *reader, Dwarf_Die *type,
		    struct hlt_field *field)
{
	struct words named = { .declarator = "" }, bare = { .declarator = "" };
	const char *base;

	append(named.declarator, sizeof(named.declarator), field->name);
	put_words(reader, type, &named, 0, &field->base);
	put_words(reader, type, &bare, 0, &base);
	field->declarator = hlt_dw_text(reader, "%s", named.declarator);
	trim(bare.declarator);
	field->type = hlt_dw_text(reader, "%s%s%s", base,
				  strchr("[ ", bare.declarator[0]) ? "" : " ",
				  bare.declarator);
	field->is_nameless = is_nameless(reader, type);
}
