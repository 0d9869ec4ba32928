/* SPDX-License-Identifier: MIT */
/*
 * dwarf_inner - what the parts of dwarf_struct share
 *
 * All of it runs in the reading process. What cannot be read ends that process
 * with a sentence for its parent: so nothing here returns an error, and nothing
 * needs to be given back.
 */
#ifndef HLT_DWARF_INNER_H
#define HLT_DWARF_INNER_H

#include <elfutils/libdw.h>

#include "shape.h"

enum {
	HLT_DEPTH_MOST = 64, /* of types in types; real ones have a dozen */
	HLT_LAYOUTS_MOST = 16,
	HLT_SENTENCE_BYTES = 2048,
};

/* What the reading process leaves to its parent, at the start of the memory. */
struct hlt_debug {
	size_t used, room; /* of the memory, this struct included */
	int status;	   /* exit status, once done */
	bool done;
	char sentence[HLT_SENTENCE_BYTES]; /* when status is not 0 */
	const struct hlt_shape *shape;
};

struct hlt_reader {
	struct hlt_debug *debug;
	uint64_t align_most; /* of a scalar on the machine that the file is for */
	bool little_endian;
	bool qualify; /* with the namespaces around names: slower */
	/* Of the compilation unit at hand. */
	const char *unit;
	uint64_t address_bytes;
	bool is_cplusplus;
};

/* Memory that stays; a struct too large for it ends the reading. */
void *hlt_dw_alloc(struct hlt_reader *reader, size_t bytes);
__attribute__((format(printf, 2, 3))) const char *
hlt_dw_text(struct hlt_reader *reader, const char *format, ...);

/* End the reading with an exit status and a sentence. */
__attribute__((format(printf, 3, 4), noreturn)) void
hlt_dw_fail(struct hlt_reader *reader, int status, const char *format, ...);

/* The same for what is damaged; where is the entry that shows it. */
__attribute__((format(printf, 3, 4), noreturn)) void
hlt_dw_damaged(struct hlt_reader *reader, Dwarf_Die *where, const char *format,
	       ...);

/* dwarf_type.c: what types are and how large */

/* The type of an entry; false when it has none, which means void. */
bool hlt_dw_type(struct hlt_reader *reader, Dwarf_Die *die, Dwarf_Die *out);

/* The same, without typedefs and qualifiers. */
bool hlt_dw_peel(struct hlt_reader *reader, Dwarf_Die *die, Dwarf_Die *out);

/* A number of an entry; false when it has none, or not as a constant. */
bool hlt_dw_number(Dwarf_Die *die, unsigned attribute, uint64_t *out);
bool hlt_dw_flag(Dwarf_Die *die, unsigned attribute);

/* The name of an entry, "" if it has none. Goes with the reading process. */
const char *hlt_dw_name(Dwarf_Die *die);

/* Is it the tag of a struct, a class or a union? Of const and the like? */
bool hlt_dw_is_aggregate(int tag);
bool hlt_dw_is_qualifier(int tag);
bool hlt_dw_is_pointer(int tag);

/* Adds the dimensions of an array type to those of a field. */
void hlt_dw_dimensions(struct hlt_reader *reader, Dwarf_Die *array,
		       struct hlt_field *field);

/* Bytes that a type takes; false for one that is only declared. */
bool hlt_dw_size(struct hlt_reader *reader, Dwarf_Die *type, uint64_t *out);

/* Fills in what a field of this type is: its size, its dimensions, its inside. */
void hlt_dw_describe(struct hlt_reader *reader, Dwarf_Die *type,
		     struct hlt_field *field, int depth);

/* dwarf_words.c */

/*
 * hlt_dw_declare - a name and its type, in the words of C
 *
 * Fills in the field's base, declarator and type; NULL for type is void.
 */
void hlt_dw_declare(struct hlt_reader *reader, Dwarf_Die *type,
		    struct hlt_field *field);

/* dwarf_shape.c: the struct that an entry defines, with all that is in it */
struct hlt_shape *hlt_dw_shape(struct hlt_reader *reader, Dwarf_Die *die,
			       int depth);

/* The alignment that agrees with all offsets and with the size. */
void hlt_dw_infer_alignment(struct hlt_shape *shape);

/* The definition that a declaration of a struct has elsewhere, in *out. */
bool hlt_dw_definition(Dwarf_Die *die, Dwarf_Die *out);

/* dwarf_find.c: look for a name in all that was opened */
struct hlt_search;
struct hlt_search *hlt_dw_search(struct hlt_reader *reader, const char *name,
				 const char *unit);
void hlt_dw_search_in(struct hlt_search *search, Dwarf *dwarf, bool deep);

/* Something that may be the reason if nothing is found. */
void hlt_dw_search_note(struct hlt_search *search, const char *note);
bool hlt_dw_search_found(const struct hlt_search *search);

/* The one that was found; ends the reading when it is none, or not one. */
struct hlt_shape *hlt_dw_search_end(struct hlt_search *search);

#endif /* HLT_DWARF_INNER_H */
