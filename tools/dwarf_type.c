/* SPDX-License-Identifier: MIT */
/*
 * dwarf_type - types in debug information: what they are and how large
 *
 * A chain of types may be damaged so that it leads back to itself: each walk has
 * a limit. Sizes have one too, so that sums of them do not overflow.
 */
#include "dwarf_inner.h"

#include <dwarf.h>
#include <string.h>

#include "cmd.h"
#include "lines.h"

bool hlt_dw_type(struct hlt_reader *reader, Dwarf_Die *die, Dwarf_Die *out)
{
	Dwarf_Attribute attr;

	if (dwarf_attr(die, DW_AT_type, &attr) == NULL)
		return false;
	if (dwarf_formref_die(&attr, out) == NULL)
		hlt_dw_damaged(reader, die, "its type leads nowhere");
	return true;
}

bool hlt_dw_is_qualifier(int tag)
{
	return tag == DW_TAG_const_type || tag == DW_TAG_volatile_type ||
	       tag == DW_TAG_restrict_type || tag == DW_TAG_atomic_type;
}

bool hlt_dw_peel(struct hlt_reader *reader, Dwarf_Die *die, Dwarf_Die *out)
{
	*out = *die;
	for (int i = 0; i < HLT_DEPTH_MOST; i++) {
		const int tag = dwarf_tag(out);

		if (tag != DW_TAG_typedef && !hlt_dw_is_qualifier(tag) &&
		    tag != DW_TAG_template_alias)
			return true;
		if (!hlt_dw_type(reader, out, out))
			return false;
	}
	hlt_dw_damaged(reader, die, "its type has no end");
}

bool hlt_dw_number(Dwarf_Die *die, unsigned attribute, uint64_t *out)
{
	Dwarf_Attribute attr;
	Dwarf_Word word;

	if (dwarf_attr(die, attribute, &attr) == NULL ||
	    dwarf_formudata(&attr, &word) != 0)
		return false;
	*out = word;
	return true;
}

bool hlt_dw_flag(Dwarf_Die *die, unsigned attribute)
{
	Dwarf_Attribute attr;
	bool flag;

	return dwarf_attr(die, attribute, &attr) != NULL &&
	       dwarf_formflag(&attr, &flag) == 0 && flag;
}

const char *hlt_dw_name(Dwarf_Die *die)
{
	const char *name = dwarf_diename(die);

	return name != NULL ? name : "";
}

bool hlt_dw_is_aggregate(int tag)
{
	return tag == DW_TAG_structure_type || tag == DW_TAG_class_type ||
	       tag == DW_TAG_union_type;
}

/* The length of a dimension; false for one that has none. */
static bool dimension(Dwarf_Die *range, uint64_t *out)
{
	uint64_t lower = 0, upper;

	if (hlt_dw_number(range, DW_AT_count, out))
		return *out <= HLT_BYTES_MOST;
	if (!hlt_dw_number(range, DW_AT_upper_bound, &upper))
		return false;
	hlt_dw_number(range, DW_AT_lower_bound, &lower);
	*out = upper - lower + 1; /* [0] may have an upper bound of -1 */
	return *out <= HLT_BYTES_MOST;
}

void hlt_dw_dimensions(struct hlt_reader *reader, Dwarf_Die *array,
		       struct hlt_field *field)
{
	Dwarf_Die child;
	Dwarf_Off last = 0;

	if (dwarf_child(array, &child) != 0)
		return;
	do {
		const Dwarf_Off at = dwarf_dieoffset(&child);
		uint64_t n;

		if (at <= last)
			hlt_dw_damaged(reader, array, "it has no end");
		last = at;
		if (dwarf_tag(&child) != DW_TAG_subrange_type)
			continue;
		if (field->ndims == HLT_DIMS_MOST)
			hlt_dw_fail(reader, HLT_FAILED,
				    "an array has more than %d "
				    "dimensions",
				    HLT_DIMS_MOST);
		if (!dimension(&child, &n)) {
			field->is_flexible = true;
			n = 0;
		}
		field->dims[field->ndims++] = n;
	} while (dwarf_siblingof(&child, &child) == 0);
}

static uint64_t pointer_bytes(struct hlt_reader *reader, Dwarf_Die *type)
{
	Dwarf_Die to;

	/* Itanium C++ ABI: a pointer to a member function has two words. */
	if (dwarf_tag(type) == DW_TAG_ptr_to_member_type &&
	    hlt_dw_type(reader, type, &to) &&
	    dwarf_tag(&to) == DW_TAG_subroutine_type)
		return 2 * reader->address_bytes;
	return reader->address_bytes;
}

bool hlt_dw_is_pointer(int tag)
{
	return tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type ||
	       tag == DW_TAG_rvalue_reference_type ||
	       tag == DW_TAG_ptr_to_member_type;
}

/* Of a type that is neither an array nor a typedef. */
static bool plain_size(struct hlt_reader *reader, Dwarf_Die *type,
		       uint64_t *out)
{
	Dwarf_Die definition, under;

	if (hlt_dw_is_aggregate(dwarf_tag(type))) {
		if (!hlt_dw_definition(type, &definition))
			return false;
		return hlt_dw_number(&definition, DW_AT_byte_size, out) &&
		       *out <= HLT_BYTES_MOST;
	}
	if (hlt_dw_number(type, DW_AT_byte_size, out))
		return *out <= HLT_BYTES_MOST;
	if (hlt_dw_is_pointer(dwarf_tag(type)) ||
	    dwarf_tag(type) == DW_TAG_unspecified_type) {
		*out = pointer_bytes(reader, type);
		return true;
	}
	if (dwarf_tag(type) == DW_TAG_enumeration_type &&
	    hlt_dw_type(reader, type, &under) &&
	    hlt_dw_peel(reader, &under, &under))
		return hlt_dw_number(&under, DW_AT_byte_size, out);
	return false;
}

/* From a type to the element of its arrays, with their dimensions. */
static bool innermost(struct hlt_reader *reader, Dwarf_Die *type,
		      struct hlt_field *field, Dwarf_Die *out)
{
	*out = *type;
	for (int i = 0; i < HLT_DEPTH_MOST; i++) {
		if (!hlt_dw_peel(reader, out, out))
			return false;
		if (dwarf_tag(out) != DW_TAG_array_type)
			return true;
		/* A vector is a scalar of its own size and alignment. */
		if (hlt_dw_flag(out, DW_AT_GNU_vector))
			return true;
		hlt_dw_dimensions(reader, out, field);
		if (!hlt_dw_type(reader, out, out))
			return false;
	}
	hlt_dw_damaged(reader, type, "its type has no end");
}

static bool vector_size(struct hlt_reader *reader, Dwarf_Die *type,
			uint64_t *out)
{
	struct hlt_field lanes = { 0 };
	Dwarf_Die lane;

	if (hlt_dw_number(type, DW_AT_byte_size, out))
		return true;
	hlt_dw_dimensions(reader, type, &lanes);
	if (!hlt_dw_type(reader, type, &lane) ||
	    !hlt_dw_peel(reader, &lane, &lane) || lanes.ndims != 1 ||
	    !plain_size(reader, &lane, out))
		return false;
	return !__builtin_mul_overflow(*out, lanes.dims[0], out);
}

/* Of an array all of whose elements are of one size. */
static bool array_bytes(const struct hlt_field *field, uint64_t element,
			uint64_t *out)
{
	*out = element;
	for (uint32_t d = 0; d < field->ndims; d++) {
		if (__builtin_mul_overflow(*out, field->dims[d], out))
			return false;
	}
	return *out <= HLT_BYTES_MOST;
}

bool hlt_dw_size(struct hlt_reader *reader, Dwarf_Die *type, uint64_t *out)
{
	struct hlt_field dims = { 0 };
	Dwarf_Die element;
	uint64_t bytes;
	bool known;

	if (!innermost(reader, type, &dims, &element))
		return false;
	known = dwarf_tag(&element) == DW_TAG_array_type ?
			vector_size(reader, &element, &bytes) :
			plain_size(reader, &element, &bytes);
	return known && array_bytes(&dims, bytes, out);
}

static uint64_t lowest_bit(uint64_t n)
{
	return n & -n;
}

/* What a compiler aligns a type to that is no struct. */
static uint64_t scalar_align(const struct hlt_reader *reader, Dwarf_Die *type,
			     uint64_t bytes)
{
	uint64_t encoding, align = lowest_bit(bytes);

	if (dwarf_tag(type) == DW_TAG_array_type)
		return align; /* a vector */
	if (dwarf_tag(type) == DW_TAG_ptr_to_member_type)
		return reader->address_bytes;
	if (hlt_dw_number(type, DW_AT_encoding, &encoding) &&
	    encoding == DW_ATE_complex_float)
		align = lowest_bit(bytes / 2);
	if (align > reader->align_most)
		align = reader->align_most;
	return align > 0 ? align : 1;
}

/* alignas on a typedef on the way, or on the type: the last one counts. */
static uint64_t wanted_align(struct hlt_reader *reader, Dwarf_Die *type)
{
	Dwarf_Die at = *type;
	uint64_t align;

	for (int i = 0; i < HLT_DEPTH_MOST; i++) {
		const int tag = dwarf_tag(&at);

		if (hlt_dw_number(&at, DW_AT_alignment, &align))
			return align;
		if (tag != DW_TAG_typedef && !hlt_dw_is_qualifier(tag) &&
		    tag != DW_TAG_array_type)
			return 0;
		if (!hlt_dw_type(reader, &at, &at))
			return 0;
	}
	return 0;
}

void hlt_dw_describe(struct hlt_reader *reader, Dwarf_Die *type,
		     struct hlt_field *field, int depth)
{
	Dwarf_Die element, definition;
	uint64_t encoding, bytes = 0;

	if (!innermost(reader, type, field, &element))
		hlt_dw_damaged(reader, type, "a field is of type void");
	field->is_guessed = !hlt_dw_size(reader, &element, &bytes);
	field->is_pointer = hlt_dw_is_pointer(dwarf_tag(&element));
	field->element_bytes = bytes;
	field->is_characters =
		field->ndims == 1 && bytes == 1 &&
		hlt_dw_number(&element, DW_AT_encoding, &encoding) &&
		encoding != DW_ATE_boolean;
	field->align_bytes = scalar_align(reader, &element, bytes);
	if (!array_bytes(field, bytes, &bytes))
		hlt_dw_damaged(reader, type, "an array has no sensible size");
	field->size_bits = bytes * 8;
	if (hlt_dw_is_aggregate(dwarf_tag(&element)) &&
	    hlt_dw_definition(&element, &definition)) {
		field->inside = hlt_dw_shape(reader, &definition, depth + 1);
		field->align_bytes = field->inside->align_bytes;
	}

	const uint64_t wanted = wanted_align(reader, type);

	if (wanted > 0)
		field->align_bytes = wanted;
}
