/* SPDX-License-Identifier: MIT */
/*
 * dwarf_shape - from the entry of a struct to its plain description
 *
 * Static members, functions and types inside of a class take no room in it and
 * are passed over. What the compiler puts there unasked is not: base classes and
 * the pointer to the table of virtual functions.
 *
 * Debug information does not say what a type is aligned to, unless the source
 * did. It is worked out from its fields: the largest alignment among them at
 * which all of them, and the size, still are aligned. One that would not be is
 * the sign of a packed struct.
 */
#include "dwarf_inner.h"

#include <dwarf.h>
#include <inttypes.h>
#include <string.h>

#include "lines.h"

/* Fields of one struct, as they come. */
struct fields {
	struct hlt_field *list;
	size_t n, room;
};

bool hlt_dw_definition(Dwarf_Die *die, Dwarf_Die *out)
{
	Dwarf_Attribute attr;

	*out = *die;
	/* In a type unit of its own. */
	if (dwarf_attr(die, DW_AT_signature, &attr) != NULL)
		return dwarf_formref_die(&attr, out) != NULL &&
		       hlt_dw_is_aggregate(dwarf_tag(out)) &&
		       !hlt_dw_flag(out, DW_AT_declaration);
	return !hlt_dw_flag(die, DW_AT_declaration);
}

static struct hlt_field *add_field(struct hlt_reader *reader,
				   struct fields *fields)
{
	struct hlt_field *field;

	if (fields->n == fields->room) {
		struct hlt_field *more;

		fields->room = fields->room ? 2 * fields->room : 8;
		more = hlt_dw_alloc(reader, fields->room * sizeof(*more));
		if (fields->n > 0)
			memcpy(more, fields->list, fields->n * sizeof(*more));
		fields->list = more;
	}
	field = &fields->list[fields->n++];
	memset(field, 0, sizeof(*field));
	field->order = (uint32_t)fields->n;
	return field;
}

/* Where a member begins, in bytes; false when only a run can tell. */
static bool member_location(struct hlt_reader *reader, Dwarf_Die *die,
			    uint64_t *out)
{
	Dwarf_Attribute attr;
	Dwarf_Word word;
	Dwarf_Op *ops;
	size_t nops;

	*out = 0;
	if (dwarf_attr(die, DW_AT_data_member_location, &attr) == NULL)
		return true; /* of a union, or the first */
	if (dwarf_formudata(&attr, &word) == 0) {
		if (word > HLT_BYTES_MOST)
			hlt_dw_damaged(reader, die, "its offset is senseless");
		*out = word;
		return true;
	}
	if (dwarf_getlocation(&attr, &ops, &nops) != 0 || nops != 1 ||
	    ops[0].atom != DW_OP_plus_uconst || ops[0].number > HLT_BYTES_MOST)
		return false;
	*out = ops[0].number;
	return true;
}

/* DWARF 4 counts from the struct's start; before, from the storage's top. */
static void place_bits(struct hlt_reader *reader, Dwarf_Die *die,
		       uint64_t location, struct hlt_field *field)
{
	uint64_t bits, at, bytes = field->size_bits / 8;

	field->storage_bytes = bytes;
	if (!hlt_dw_number(die, DW_AT_bit_size, &bits) || bits > bytes * 8)
		hlt_dw_damaged(reader, die, "a bit-field wider than its type");
	field->is_bitfield = true;
	field->size_bits = bits;
	if (hlt_dw_number(die, DW_AT_data_bit_offset, &at)) {
		if (at > HLT_BYTES_MOST * 8)
			hlt_dw_damaged(reader, die, "its offset is senseless");
		field->offset_bits = at;
		return;
	}
	field->offset_bits = location * 8;
	if (!hlt_dw_number(die, DW_AT_bit_offset, &at))
		return;
	hlt_dw_number(die, DW_AT_byte_size, &bytes);
	if (bytes > HLT_BYTES_MOST || at > bytes * 8 || bits > bytes * 8 - at)
		hlt_dw_damaged(reader, die, "a bit-field beyond its type");
	field->offset_bits += reader->little_endian ? bytes * 8 - at - bits :
						      at;
}

/* "_vptr.Circle" of gcc, "_vptr$Circle" of clang. */
static bool is_vtable(Dwarf_Die *die)
{
	return hlt_dw_flag(die, DW_AT_artificial) &&
	       strncmp(hlt_dw_name(die), "_vptr", 5) == 0;
}

static void read_member(struct hlt_reader *reader, Dwarf_Die *die, int depth,
			struct fields *fields)
{
	struct hlt_field *field;
	uint64_t location, align;
	Dwarf_Die type;

	if (hlt_dw_flag(die, DW_AT_external) ||
	    hlt_dw_flag(die, DW_AT_declaration))
		return; /* a static member */
	if (!hlt_dw_type(reader, die, &type))
		hlt_dw_damaged(reader, die, "a member without a type");
	if (!member_location(reader, die, &location))
		hlt_dw_damaged(reader, die, "an offset that is no number");
	field = add_field(reader, fields);
	field->name = hlt_dw_text(reader, "%s", hlt_dw_name(die));
	hlt_dw_describe(reader, &type, field, depth);
	field->offset_bits = location * 8;
	if (dwarf_hasattr(die, DW_AT_bit_size))
		place_bits(reader, die, location, field);
	if (hlt_dw_number(die, DW_AT_alignment, &align) &&
	    align <= HLT_BYTES_MOST)
		field->wanted_align_bytes = align;
	if (is_vtable(die)) {
		field->name = "_vptr";
		field->role = HLT_VTABLE;
	}
	hlt_dw_declare(reader, &type, field);
	if (field->role == HLT_VTABLE)
		field->type = "(virtual functions)";
}

/* Returns false for a virtual base, which may lie anywhere. */
static bool read_base(struct hlt_reader *reader, Dwarf_Die *die, int depth,
		      struct fields *fields)
{
	struct hlt_field *field;
	uint64_t location, virtuality = 0;
	Dwarf_Die type;

	hlt_dw_number(die, DW_AT_virtuality, &virtuality);
	if (virtuality != 0 || !member_location(reader, die, &location))
		return false;
	if (!hlt_dw_type(reader, die, &type))
		hlt_dw_damaged(reader, die, "a base class without a type");
	field = add_field(reader, fields);
	field->name = "";
	field->role = HLT_BASE;
	hlt_dw_describe(reader, &type, field, depth);
	field->offset_bits = location * 8;
	hlt_dw_declare(reader, &type, field);
	field->name = field->base;
	if (field->inside != NULL && field->inside->end_bits == 0 &&
	    field->inside->nunplaced == 0)
		field->size_bits = 0; /* an empty base takes no room */
	return true;
}

static void read_children(struct hlt_reader *reader, Dwarf_Die *die, int depth,
			  struct hlt_shape *shape, struct fields *fields)
{
	Dwarf_Off last = 0;
	Dwarf_Die child;
	int ret = dwarf_child(die, &child);

	for (; ret == 0; ret = dwarf_siblingof(&child, &child)) {
		const Dwarf_Off at = dwarf_dieoffset(&child);

		if (at <= last)
			hlt_dw_damaged(reader, die, "its fields have no end");
		last = at;
		if (dwarf_tag(&child) == DW_TAG_member)
			read_member(reader, &child, depth, fields);
		else if (dwarf_tag(&child) == DW_TAG_inheritance)
			shape->nunplaced +=
				!read_base(reader, &child, depth, fields);
	}
	if (ret < 0)
		hlt_dw_damaged(reader, die, "%s", dwarf_errmsg(-1));
}

/* A type that is only declared takes at most the room up to the next field. */
static void guess_sizes(struct hlt_shape *shape)
{
	uint64_t next = shape->size_bytes * 8;

	for (size_t i = shape->nfields; i-- > 0;) {
		struct hlt_field *f = &shape->fields[i];

		if (f->is_guessed && f->size_bits == 0 && f->offset_bits < next)
			f->size_bits = shape->is_union ? shape->size_bytes * 8 :
							 next - f->offset_bits;
		if (f->offset_bits < next && !shape->is_union)
			next = f->offset_bits;
	}
	hlt_shape_finish(shape);
}

void hlt_dw_infer_alignment(struct hlt_shape *shape)
{
	uint64_t most = 1;

	for (size_t i = 0; i < shape->nfields; i++) {
		const struct hlt_field *f = &shape->fields[i];
		const uint64_t asked = f->is_bitfield ? f->storage_bytes :
							f->align_bytes;
		uint64_t align = asked;

		if (align == 0 || (align & (align - 1)) != 0)
			continue;
		while (align > 1 &&
		       ((!f->is_bitfield && f->offset_bits / 8 % align != 0) ||
			shape->size_bytes % align != 0))
			align /= 2;
		if (align < asked && !f->is_guessed)
			shape->is_packed = true;
		most = align > most ? align : most;
	}
	shape->align_bytes = most;
}

static void check_bounds(struct hlt_reader *reader, Dwarf_Die *die,
			 const struct hlt_shape *shape)
{
	for (size_t i = 0; i < shape->nfields; i++) {
		const struct hlt_field *f = &shape->fields[i];

		if (f->size_bits > 0 &&
		    f->offset_bits + f->size_bits > shape->size_bytes * 8)
			hlt_dw_damaged(reader, die,
				       "its field %s ends at byte %" PRIu64
				       ", but it has %" PRIu64,
				       f->name,
				       (f->offset_bits + f->size_bits) / 8,
				       shape->size_bytes);
	}
}

struct hlt_shape *hlt_dw_shape(struct hlt_reader *reader, Dwarf_Die *die,
			       int depth)
{
	struct hlt_shape *shape = hlt_dw_alloc(reader, sizeof(*shape));
	struct fields fields = { 0 };
	const int tag = dwarf_tag(die);

	if (depth > HLT_DEPTH_MOST)
		hlt_dw_damaged(reader, die, "structs in structs without end");
	shape->keyword = tag == DW_TAG_union_type ? "union" :
			 tag == DW_TAG_class_type ? "class" :
						    "struct";
	shape->name = hlt_dw_text(reader, "%s", hlt_dw_name(die));
	shape->unit = reader->unit;
	shape->is_union = tag == DW_TAG_union_type;
	shape->is_cplusplus = reader->is_cplusplus;
	if (!hlt_dw_number(die, DW_AT_byte_size, &shape->size_bytes) ||
	    shape->size_bytes > HLT_BYTES_MOST)
		hlt_dw_damaged(reader, die,
			       "it has no size, or no sensible one");
	read_children(reader, die, depth, shape, &fields);
	shape->fields = fields.list;
	shape->nfields = fields.n;
	hlt_shape_finish(shape);
	guess_sizes(shape);
	check_bounds(reader, die, shape);
	hlt_dw_infer_alignment(shape);
	if (hlt_dw_number(die, DW_AT_alignment, &shape->wanted_align_bytes) &&
	    shape->wanted_align_bytes <= HLT_BYTES_MOST)
		shape->align_bytes = shape->wanted_align_bytes;
	return shape;
}
