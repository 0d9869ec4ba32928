/* SPDX-License-Identifier: MIT */
/*
 * shape - a struct as a plain description: what lies where
 *
 * Made from debug information by dwarf_struct.h; drawn, measured and reordered by
 * others. Nothing here is changed after hlt_shape_finish(). Offsets and sizes are
 * in bits where bit-fields can be meant, and then say so in their names.
 */
#ifndef HLT_SHAPE_H
#define HLT_SHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum hlt_role {
	HLT_MEMBER = 0,
	HLT_BASE,   /* what a C++ class inherits; name is that of the class */
	HLT_VTABLE, /* the pointer to its virtual functions */
};

enum {
	HLT_DIMS_MOST = 8,
	HLT_PATH_BYTES = 256, /* of a field's name with all that is around it */
};

struct hlt_field {
	const char *name; /* "" for an anonymous struct or union */
	const char *type; /* as C writes it: "char[12]" */
	/* The same in the two parts of a declaration: "char" "name[12]". */
	const char *base, *declarator;
	enum hlt_role role;
	uint64_t offset_bits; /* in the struct around it */
	uint64_t size_bits;   /* 0 for a flexible array and an empty base */
	uint64_t before_bits; /* where what lies before it ends */
	uint64_t align_bytes; /* what a compiler aligns its type to */
	uint64_t wanted_align_bytes; /* said by alignas; 0: nothing was */
	uint64_t storage_bytes;	     /* of the type of a bit-field */
	uint64_t element_bytes;	     /* of an array: one innermost element */
	uint64_t dims[HLT_DIMS_MOST];
	uint32_t ndims;
	uint32_t order; /* as declared */
	bool is_bitfield;
	bool is_nameless;   /* of a struct or enum that has no name at all */
	bool is_flexible;   /* an array without a length of its own */
	bool is_characters; /* an array of bytes */
	bool is_pointer;
	bool is_guessed; /* its type is only declared: the size is all it can have */
	/* What it, or an element of it, consists of; NULL for a scalar. */
	const struct hlt_shape *inside;
};

struct hlt_shape {
	const char *keyword; /* struct, class or union */
	const char *name;    /* "" when anonymous */
	const char *unit;    /* the source file that was compiled */
	uint64_t size_bytes;
	uint64_t align_bytes;
	uint64_t wanted_align_bytes;
	uint64_t end_bits; /* where the last field ends: tail padding follows */
	uint32_t nunplaced; /* virtual bases: only known at run time */
	bool is_union;
	bool is_packed; /* a field stands where it would not be aligned */
	bool is_cplusplus;
	struct hlt_field *fields; /* by offset */
	size_t nfields;
};

/* Bits of a struct in which nothing lies. */
struct hlt_gap {
	uint64_t from_bits;
	uint64_t bits;
};

/* What a compiler aligns a field to, unless the struct is packed. */
uint64_t hlt_field_align(const struct hlt_field *field);

/* Sort the fields, and work out what follows from them. */
void hlt_shape_finish(struct hlt_shape *shape);

/* The hole before field i, or the tail padding if i is nfields. */
struct hlt_gap hlt_shape_gap(const struct hlt_shape *shape, size_t i);

/* Number of holes and the bits in them, without tail padding. */
size_t hlt_shape_holes(const struct hlt_shape *shape, uint64_t *bits);

/*
 * The same inside of its structs, at any depth, tail padding included. Unions are
 * left out: what is a hole there depends on which of their fields is in use.
 */
size_t hlt_shape_inner_holes(const struct hlt_shape *shape, uint64_t *bits);

/* Bytes up to the end of the last field. */
uint64_t hlt_shape_packed_bytes(const struct hlt_shape *shape);

/* A field that was looked up, and where it lies in the whole struct. */
struct hlt_spot {
	const struct hlt_field *field;
	const struct hlt_field *top; /* the outermost field it is part of */
	uint64_t offset_bits;
	uint64_t size_bits;
	uint32_t nindexed; /* dimensions that an index was given for */
};

/*
 * hlt_shape_find - look up a field by name: "amount", "head.type", "leg[2].size"
 *
 * Anonymous structs and unions and base classes are seen through. Returns 0, or
 * -1 with a sentence in why.
 */
int hlt_shape_find(const struct hlt_shape *shape, const char *path,
		   struct hlt_spot *spot, char *why, size_t why_bytes);

/* Do two shapes differ? Says in why what is the first difference. */
bool hlt_shapes_differ(const struct hlt_shape *a, const struct hlt_shape *b,
		       char *why, size_t why_bytes);

#endif /* HLT_SHAPE_H */
