/* SPDX-License-Identifier: MIT */
/*
 * suggest - another order of a struct's fields, for a fast path
 *
 * Fields are placed one after another as a compiler would. Which comes next is
 * chosen by what it costs: not to straddle a line goes before a hole avoided, and
 * that before the larger alignment, which leaves the small ones to fill up with.
 * What is equal keeps its order, so that the result reads like the source.
 */
#include "suggest.h"

#include <stdlib.h>
#include <string.h>

#include <hotline/message.h>

#include "lines.h"
#include "out.h"

enum {
	FIELDS_MOST = 4096, /* choosing is quadratic */
	OFFSET_BYTES = 4,
	PINS_MOST = 3,
};

/* Fields that are placed together: one, or a run of bit-fields. */
struct unit {
	const struct hlt_field *fields;
	size_t n;
	enum hlt_heat heat;
	bool placed;
};

/* A field that stays where it is. */
struct pin {
	const struct hlt_field *field;
	enum hlt_heat heat;
};

struct work {
	const struct hlt_shape *shape;
	struct unit *units;
	size_t nunits;
	struct pin pins[PINS_MOST];
	size_t npins;
	uint64_t line_bits;
	uint64_t at; /* bits placed */
	struct hlt_suggestion *out;
};

static uint64_t round_up(uint64_t n, uint64_t to)
{
	return to > 1 ? (n + to - 1) / to * to : n;
}

/*
 * What a field is aligned to when it is moved. alignas on the first field of a
 * struct is a way to align the struct; on others it keeps them apart.
 */
static uint64_t align_bits(const struct hlt_field *f)
{
	return 8 * (f->offset_bits == 0 ? f->align_bytes : hlt_field_align(f));
}

/* Where a field comes to lie that is placed at bit at. */
static uint64_t start_of(const struct hlt_field *f, uint64_t at)
{
	const uint64_t storage = f->storage_bytes * 8;

	if (!f->is_bitfield)
		return round_up(round_up(at, 8), align_bits(f));
	if (f->size_bits > 0 && storage > 0 &&
	    at / storage != (at + f->size_bits - 1) / storage)
		return round_up(at, storage);
	return at;
}

/* Where a unit that is placed at bit at begins and ends. */
static uint64_t measure_unit(const struct unit *unit, uint64_t at,
			     uint64_t *start)
{
	*start = start_of(&unit->fields[0], at);
	for (size_t i = 0; i < unit->n; i++)
		at = start_of(&unit->fields[i], at) + unit->fields[i].size_bits;
	return at;
}

static void put_field(struct work *work, const struct hlt_field *field,
		      uint64_t at, enum hlt_heat heat)
{
	struct hlt_shape *shape = &work->out->shape;
	struct hlt_field *f = &shape->fields[shape->nfields];

	*f = *field;
	f->offset_bits = at;
	f->order = (uint32_t)shape->nfields;
	if (field->offset_bits == 0)
		f->wanted_align_bytes = 0; /* see align_bits() */
	work->out->heat[shape->nfields++] = heat;
	if (at + f->size_bits > work->at)
		work->at = at + f->size_bits;
}

static void put_unit(struct work *work, struct unit *unit)
{
	for (size_t i = 0; i < unit->n; i++)
		put_field(work, &unit->fields[i],
			  start_of(&unit->fields[i], work->at), unit->heat);
	unit->placed = true;
}

static bool is_pinned(const struct work *work, const struct hlt_field *field)
{
	for (size_t i = 0; i < work->npins; i++) {
		if (work->pins[i].field == field)
			return true;
	}
	return false;
}

/* The first byte that is kept for a pin, beyond what is placed. */
static const struct pin *next_pin(const struct work *work)
{
	for (size_t i = 0; i < work->npins; i++) {
		if (work->pins[i].field->offset_bits >= work->at)
			return &work->pins[i];
	}
	return NULL;
}

/* Does it lie on more lines than a field of its size must? */
static bool straddles(const struct work *work, uint64_t start, uint64_t end)
{
	return end > start && end - start <= work->line_bits &&
	       start / work->line_bits != (end - 1) / work->line_bits;
}

/* Is a unit at the place better than the best one so far? */
struct cost {
	bool straddles;
	uint64_t hole;
	uint64_t align;
};

static bool is_better(const struct cost *a, const struct cost *b)
{
	if (a->straddles != b->straddles)
		return !a->straddles;
	if (a->hole != b->hole)
		return a->hole < b->hole;
	return a->align > b->align;
}

static struct unit *choose(struct work *work, enum hlt_heat heat,
			   uint64_t limit)
{
	struct unit *best = NULL;
	struct cost least = { 0 };

	for (size_t i = 0; i < work->nunits; i++) {
		struct unit *unit = &work->units[i];
		uint64_t start;

		if (unit->placed || unit->heat != heat)
			continue;

		const uint64_t end = measure_unit(unit, work->at, &start);
		const struct cost cost = { straddles(work, start, end),
					   start - work->at,
					   align_bits(&unit->fields[0]) };

		if (end <= limit &&
		    (best == NULL || is_better(&cost, &least))) {
			best = unit;
			least = cost;
		}
	}
	return best;
}

static bool any_left(const struct work *work, enum hlt_heat heat)
{
	for (size_t i = 0; i < work->nunits; i++) {
		if (!work->units[i].placed && work->units[i].heat == heat)
			return true;
	}
	return false;
}

/* About how many bits are still to be placed. */
static uint64_t bits_left(const struct work *work)
{
	uint64_t bits = 0;

	for (size_t i = 0; i < work->nunits; i++) {
		for (size_t f = 0; f < work->units[i].n; f++)
			bits += work->units[i].placed ?
					0 :
					work->units[i].fields[f].size_bits;
	}
	return bits;
}

/* Leaves a hole before a unit that would straddle, if that costs no line. */
static void skip_to_line(struct work *work, const struct unit *unit)
{
	const uint64_t next = round_up(work->at, work->line_bits);
	const uint64_t left = bits_left(work);
	uint64_t start;
	const uint64_t end = measure_unit(unit, work->at, &start);

	if (work->npins == 0 && straddles(work, start, end) &&
	    round_up(next + left, work->line_bits) ==
		    round_up(work->at + left, work->line_bits))
		work->at = next;
}

/* Places all units of a heat, and the pins that come up among them. */
static void place_heat(struct work *work, enum hlt_heat heat)
{
	while (any_left(work, heat)) {
		const struct pin *pin = next_pin(work);
		struct unit *unit = choose(
			work, heat, pin ? pin->field->offset_bits : UINT64_MAX);

		if (unit != NULL) {
			skip_to_line(work, unit);
			put_unit(work, unit);
		} else if (pin != NULL && heat == HLT_HOT &&
			   (unit = choose(work, HLT_WARM,
					  pin->field->offset_bits)) != NULL) {
			put_unit(work, unit); /* nothing hot fits there */
		} else if (pin != NULL) {
			put_field(work, pin->field, pin->field->offset_bits,
				  pin->heat);
		} else {
			return;
		}
	}
}

static void place_pins(struct work *work)
{
	const struct pin *pin;

	while ((pin = next_pin(work)) != NULL)
		put_field(work, pin->field, pin->field->offset_bits, pin->heat);
}

/* --- What is to be placed ------------------------------------------------- */

static const struct hlt_field *field_at(const struct hlt_shape *shape,
					const char *name, uint64_t offset,
					uint64_t size)
{
	for (size_t i = 0; i < shape->nfields; i++) {
		const struct hlt_field *f = &shape->fields[i];

		if (strcmp(f->name, name) == 0 && !f->is_bitfield &&
		    f->offset_bits == offset * 8 && f->size_bits == size * 8)
			return f;
	}
	return NULL;
}

/* The words of a Hotline message, if the struct is one. */
static void find_pins(struct work *work, const enum hlt_heat *heat)
{
	const struct hlt_shape *shape = work->shape;
	const struct hlt_field *found[PINS_MOST] = {
		field_at(shape, "sequence", HL_SEQUENCE_OFFSET, 8),
		field_at(shape, "checksum", HL_CHECKSUM_OFFSET, 4),
		field_at(shape, "payload_offset", HL_PAYLOAD_OFFSET, 4),
	};

	if (found[0] == NULL || found[2] == NULL)
		return;
	work->out->is_message = true;
	for (size_t i = 0; i < PINS_MOST; i++) {
		if (found[i] == NULL)
			continue;
		work->pins[work->npins++] =
			(struct pin){ found[i],
				      heat[found[i] - shape->fields] };
	}
}

/* Front part of a C++ class: stays as it is. */
static bool is_fixed(const struct hlt_field *f)
{
	return f->role != HLT_MEMBER;
}

static void add_unit(struct work *work, size_t i, enum hlt_heat heat)
{
	const struct hlt_field *f = &work->shape->fields[i];
	struct unit *last = work->nunits > 0 ? &work->units[work->nunits - 1] :
					       NULL;

	if (f->is_bitfield && last != NULL &&
	    last->fields[last->n - 1].is_bitfield &&
	    &last->fields[last->n] == f) {
		last->n++;
		if (heat == HLT_HOT)
			last->heat = HLT_HOT;
		return;
	}
	work->units[work->nunits++] = (struct unit){ f, 1, heat, false };
}

static const struct hlt_field offset_field = {
	.name = "payload_offset",
	.type = "uint32_t",
	.base = "uint32_t",
	.declarator = "payload_offset",
	.offset_bits = 8, /* not the first */
	.size_bits = 8 * OFFSET_BYTES,
	.align_bytes = OFFSET_BYTES,
	.element_bytes = OFFSET_BYTES,
};

static bool has_offset(const struct hlt_shape *shape)
{
	for (size_t i = 0; i < shape->nfields; i++) {
		const struct hlt_field *f = &shape->fields[i];

		if (strcmp(f->name, offset_field.name) == 0 &&
		    f->size_bits >= offset_field.size_bits)
			return true;
	}
	return false;
}

static void sort_out(struct work *work, const enum hlt_heat *heat)
{
	const struct hlt_shape *shape = work->shape;
	struct hlt_suggestion *out = work->out;

	for (size_t i = 0; i < shape->nfields; i++) {
		const struct hlt_field *f = &shape->fields[i];

		if (is_fixed(f))
			put_field(work, f, f->offset_bits, heat[i]);
		else if (heat[i] == HLT_COLD || f->is_flexible)
			out->moved[out->nmoved++] = f;
		else if (!is_pinned(work, f))
			add_unit(work, i, heat[i]);
	}
	if (out->nmoved > 0 && !has_offset(shape))
		work->units[work->nunits++] =
			(struct unit){ &offset_field, 1, HLT_WARM, false };
}

/* --- The whole ------------------------------------------------------------ */

/* A power of two that is no smaller than n, up to the line. */
static uint64_t whole_align(uint64_t n, uint64_t line_bytes)
{
	uint64_t align = 1;

	while (align < n && align < line_bytes)
		align *= 2;
	return align;
}

static void finish(struct work *work, uint64_t line_bytes)
{
	struct hlt_shape *shape = &work->out->shape;
	uint64_t align = work->shape->align_bytes, own_align = 1;

	for (size_t i = 0; i < shape->nfields; i++) {
		const struct hlt_field *f = &shape->fields[i];
		const uint64_t own = f->is_bitfield ? f->storage_bytes :
						      hlt_field_align(f);

		own_align = own > own_align ? own : own_align;
	}
	hlt_shape_finish(shape);

	const uint64_t whole =
		whole_align(hlt_shape_packed_bytes(shape), line_bytes);

	align = whole > align ? whole : align;
	align = own_align > align ? own_align : align;
	shape->is_packed = false;
	shape->wanted_align_bytes = align > own_align ? align : 0;
	shape->align_bytes = align;
	shape->size_bytes = round_up(hlt_shape_packed_bytes(shape), align);
}

static const char *why_not(const struct hlt_shape *shape)
{
	if (shape->is_union)
		return "the fields of a union cannot be reordered";
	if (shape->nunplaced > 0)
		return "virtual bases: only the compiler knows where they lie";
	if (shape->nfields > FIELDS_MOST)
		return "too many fields to be reordered";
	if (shape->nfields == 0)
		return "no fields to be reordered";
	return NULL;
}

int hlt_suggest(const struct hlt_shape *shape, const enum hlt_heat *heat,
		uint64_t line_bytes, struct hlt_suggestion *out,
		const char **why)
{
	struct work work = { .shape = shape,
			     .line_bits = line_bytes * 8,
			     .out = out };
	const size_t room = shape->nfields + 1; /* and the offset */

	memset(out, 0, sizeof(*out));
	*why = why_not(shape);
	if (*why != NULL)
		return -1;
	out->shape = *shape;
	out->shape.nfields = 0;
	out->shape.fields = hlt_alloc(room * sizeof(*out->shape.fields));
	out->heat = hlt_alloc(room * sizeof(*out->heat));
	out->moved = hlt_alloc(room * sizeof(*out->moved));
	work.units = hlt_alloc(room * sizeof(*work.units));
	find_pins(&work, heat);
	sort_out(&work, heat);
	place_heat(&work, HLT_HOT);
	place_heat(&work, HLT_WARM);
	place_pins(&work);
	finish(&work, line_bytes);
	free(work.units);
	return 0;
}

void hlt_suggestion_fini(struct hlt_suggestion *suggestion)
{
	free(suggestion->shape.fields);
	free(suggestion->heat);
	free(suggestion->moved);
	memset(suggestion, 0, sizeof(*suggestion));
}
