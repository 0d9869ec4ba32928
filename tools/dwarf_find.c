/* SPDX-License-Identifier: MIT */
/*
 * dwarf_find - look for a struct by name in debug information
 *
 * A name may have many definitions: one in each file that was compiled. Those
 * that agree are one; those that do not are kept apart, to be chosen from. The
 * entries of functions are searched only if nothing is found without them: few
 * structs are defined in functions, and most entries are.
 */
#include "dwarf_inner.h"

#include <ctype.h>
#include <dwarf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"

enum {
	NAME_BYTES = 1024,
	HINTS_MOST = 6,
	LISTED_MOST = 6, /* definitions in a complaint */
};

/* Definitions that agree. */
struct layout {
	Dwarf_Die die; /* the first of them */
	const char *unit;
	const char *name; /* with its namespaces */
	bool is_cplusplus;
	uint64_t address_bytes;
	const struct hlt_shape *shape;
	size_t nunits;
	char why[256]; /* it is not the first layout */
};

struct hlt_search {
	struct hlt_reader *reader;
	char wanted[NAME_BYTES]; /* without blanks and keyword */
	size_t wanted_len;
	int keyword;	/* a tag, 0 for any */
	bool rooted;	/* began with :: */
	char like[128]; /* of the wanted name: what hints have in them */
	const char *unit;
	bool deep;
	size_t skipped;	 /* definitions in units that were not asked for */
	size_t declared; /* declarations without a definition */
	size_t units;
	char missing[NAME_BYTES]; /* a split unit that is not there */
	char damage[256];
	const char *note;
	char scope[NAME_BYTES];
	struct layout layouts[HLT_LAYOUTS_MOST];
	size_t nlayouts;
	bool overflowed;
	char hints[HINTS_MOST][128];
	size_t nhints;
};

/* Is the blank between two characters needed, as in "unsigned int"? */
static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Copies a name without blanks that mean nothing. */
static size_t squeeze(char *out, size_t room, const char *name)
{
	size_t n = 0;

	for (const char *s = name; *s != '\0' && n + 1 < room; s++) {
		if (*s != ' ') {
			out[n++] = *s;
			continue;
		}
		while (s[1] == ' ')
			s++;
		if (n > 0 && is_word(out[n - 1]) && is_word(s[1]))
			out[n++] = ' ';
	}
	out[n] = '\0';
	return n;
}

static int take_keyword(const char **name)
{
	static const struct {
		const char *word;
		int tag;
	} words[] = {
		{ "struct ", DW_TAG_structure_type },
		{ "class ", DW_TAG_structure_type },
		{ "union ", DW_TAG_union_type },
	};

	*name += strspn(*name, " ");
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		const size_t len = strlen(words[i].word);

		if (strncmp(*name, words[i].word, len) == 0) {
			*name += len;
			return words[i].tag;
		}
	}
	return 0;
}

/* "Entry" of "bank::Entry<int>". */
static void set_likeness(struct hlt_search *search)
{
	const size_t len = strcspn(search->wanted, "<");
	size_t from = len;

	while (from > 0 && search->wanted[from - 1] != ':')
		from--;
	snprintf(search->like, sizeof(search->like), "%.*s", (int)(len - from),
		 search->wanted + from);
}

struct hlt_search *hlt_dw_search(struct hlt_reader *reader, const char *name,
				 const char *unit)
{
	struct hlt_search *search = hlt_dw_alloc(reader, sizeof(*search));

	search->reader = reader;
	search->unit = unit;
	search->keyword = take_keyword(&name);
	if (strncmp(name, "::", 2) == 0) {
		search->rooted = true;
		name += 2;
	}
	search->wanted_len =
		squeeze(search->wanted, sizeof(search->wanted), name);
	set_likeness(search);
	return search;
}

void hlt_dw_search_note(struct hlt_search *search, const char *note)
{
	search->note = note;
}

bool hlt_dw_search_found(const struct hlt_search *search)
{
	return search->nlayouts > 0 || search->skipped > 0;
}

/* --- Names ---------------------------------------------------------------- */

/* "bank::Entry" is meant by "Entry" too, unless that was rooted. */
static bool name_fits(const struct hlt_search *search, const char *qualified)
{
	const size_t len = strlen(qualified);
	const size_t wanted = search->wanted_len;

	if (len < wanted ||
	    strcmp(qualified + len - wanted, search->wanted) != 0)
		return false;
	if (len == wanted)
		return true;
	return !search->rooted && len >= wanted + 2 &&
	       strncmp(qualified + len - wanted - 2, "::", 2) == 0;
}

/* Remembers a name that the user may have meant. */
static void note_hint(struct hlt_search *search, const char *qualified)
{
	const size_t len = strlen(qualified);

	if (search->nhints == HINTS_MOST || len >= sizeof(search->hints[0]) ||
	    strcasestr(qualified, search->like) == NULL)
		return;
	for (size_t i = 0; i < search->nhints; i++) {
		if (strcmp(search->hints[i], qualified) == 0)
			return;
	}
	memcpy(search->hints[search->nhints++], qualified, len + 1);
}

/* "src/a.c" is meant by "a.c" and by "src/a.c". */
static bool unit_fits(const char *unit, const char *wanted)
{
	const size_t len = strlen(unit), tail = strlen(wanted);

	if (wanted[strspn(wanted, "0123456789")] == '\0')
		return true; /* a number: chosen at the end */
	return len >= tail && strcmp(unit + len - tail, wanted) == 0 &&
	       (len == tail || unit[len - tail - 1] == '/');
}

/* --- Definitions ---------------------------------------------------------- */

/* Puts a definition with those that agree with it. */
static void keep(struct hlt_search *search, Dwarf_Die *die,
		 const char *qualified)
{
	struct hlt_reader *reader = search->reader;
	const size_t mark = reader->debug->used;
	const struct hlt_shape *shape = hlt_dw_shape(reader, die, 0);
	struct layout *layout;
	char why[sizeof(layout->why)] = "";

	for (size_t i = 0; i < search->nlayouts; i++) {
		layout = &search->layouts[i];
		if (!hlt_shapes_differ(shape, layout->shape, why,
				       sizeof(why))) {
			layout->nunits += layout->unit != reader->unit;
			reader->debug->used = mark;
			return;
		}
	}
	if (search->nlayouts == HLT_LAYOUTS_MOST) {
		search->overflowed = true;
		reader->debug->used = mark;
		return;
	}
	layout = &search->layouts[search->nlayouts++];
	*layout = (struct layout){
		.die = *die,
		.unit = reader->unit,
		.name = hlt_dw_text(reader, "%s", qualified),
		.is_cplusplus = reader->is_cplusplus,
		.address_bytes = reader->address_bytes,
		.shape = shape,
		.nunits = 1,
	};
	memcpy(layout->why, why, sizeof(why));
}

/* A struct of the right name, or a typedef of one. */
static void consider_definition(struct hlt_search *search, Dwarf_Die *die,
				const char *qualified)
{
	Dwarf_Die target = *die;

	if (search->unit != NULL &&
	    !unit_fits(search->reader->unit, search->unit)) {
		search->skipped++;
		return;
	}
	if (dwarf_tag(die) == DW_TAG_typedef &&
	    (!hlt_dw_peel(search->reader, die, &target) ||
	     !hlt_dw_is_aggregate(dwarf_tag(&target))))
		return;
	if (!hlt_dw_definition(&target, &target)) {
		search->declared++;
		return;
	}
	keep(search, &target, qualified);
}

static bool tag_fits(const struct hlt_search *search, int tag)
{
	if (tag == DW_TAG_typedef)
		return search->keyword == 0;
	if (!hlt_dw_is_aggregate(tag))
		return false;
	return search->keyword == 0 || (search->keyword == DW_TAG_union_type) ==
					       (tag == DW_TAG_union_type);
}

static void consider(struct hlt_search *search, Dwarf_Die *die)
{
	char name[NAME_BYTES], qualified[2 * NAME_BYTES];

	if (!tag_fits(search, dwarf_tag(die)) ||
	    squeeze(name, sizeof(name), hlt_dw_name(die)) == 0)
		return;
	snprintf(qualified, sizeof(qualified), "%s%s", search->scope, name);
	if (name_fits(search, qualified))
		consider_definition(search, die, qualified);
	else if (dwarf_tag(die) != DW_TAG_typedef)
		note_hint(search, qualified);
}

/* --- Walking -------------------------------------------------------------- */

static void walk(struct hlt_search *search, Dwarf_Die *die, int depth);

/* Looks into what has a scope of its own. */
static void descend(struct hlt_search *search, Dwarf_Die *die, int depth)
{
	const int tag = dwarf_tag(die);
	const size_t len = strlen(search->scope);
	const bool named =
		tag == DW_TAG_namespace ||
		(hlt_dw_is_aggregate(tag) && search->reader->is_cplusplus);

	if (!named && !search->deep)
		return;
	if (!dwarf_haschildren(die))
		return;
	if (named && hlt_dw_name(die)[0] != '\0') {
		squeeze(search->scope + len, sizeof(search->scope) - len,
			hlt_dw_name(die));
		strncat(search->scope, "::",
			sizeof(search->scope) - strlen(search->scope) - 1);
	}
	walk(search, die, depth + 1);
	search->scope[len] = '\0';
}

static void walk(struct hlt_search *search, Dwarf_Die *die, int depth)
{
	Dwarf_Off last = 0;
	Dwarf_Die child;
	int ret = depth > HLT_DEPTH_MOST ? 1 : dwarf_child(die, &child);

	for (; ret == 0; ret = dwarf_siblingof(&child, &child)) {
		const Dwarf_Off at = dwarf_dieoffset(&child);

		if (at <= last) {
			ret = -1;
			break;
		}
		last = at;
		consider(search, &child);
		descend(search, &child, depth);
	}
	if (ret < 0)
		snprintf(search->damage, sizeof(search->damage),
			 "%s: entries cannot be read", search->reader->unit);
}

static bool is_cplusplus(Dwarf_Die *unit)
{
	switch (dwarf_srclang(unit)) {
	case DW_LANG_C_plus_plus:
	case DW_LANG_C_plus_plus_03:
	case DW_LANG_C_plus_plus_11:
	case DW_LANG_C_plus_plus_14:
	case DW_LANG_ObjC_plus_plus:
	case 0x2b: /* C++17 and C++20: DWARF 6 numbers them, */
	case 0x2c: /* compilers use the numbers already */
		return true;
	default:
		return false;
	}
}

/* The part of a split unit that is in a file of its own. */
static void search_split(struct hlt_search *search, Dwarf_Die *unit,
			 Dwarf_Die *split, bool deep)
{
	const char *name = NULL;
	Dwarf_Attribute attr;

	if (split->cu != NULL && dwarf_tag(split) != DW_TAG_invalid) {
		hlt_dw_search_in(search, dwarf_cu_getdwarf(split->cu), deep);
		return;
	}
	if (dwarf_attr(unit, DW_AT_dwo_name, &attr) != NULL ||
	    dwarf_attr(unit, DW_AT_GNU_dwo_name, &attr) != NULL)
		name = dwarf_formstring(&attr);
	snprintf(search->missing, sizeof(search->missing), "%s",
		 name != NULL ? name : "a file without a name");
}

static void search_unit(struct hlt_search *search, Dwarf_Die *unit)
{
	struct hlt_reader *reader = search->reader;
	uint8_t address_bytes = 0, offset_bytes;
	Dwarf_Die again;

	if (dwarf_diecu(unit, &again, &address_bytes, &offset_bytes) == NULL ||
	    (address_bytes != 4 && address_bytes != 8)) {
		snprintf(search->damage, sizeof(search->damage),
			 "addresses of %u bytes", address_bytes);
		return;
	}
	reader->address_bytes = address_bytes;
	reader->unit = hlt_dw_text(reader, "%s", hlt_dw_name(unit));
	reader->is_cplusplus = is_cplusplus(unit);
	search->units++;
	search->scope[0] = '\0';
	walk(search, unit, 0);
}

void hlt_dw_search_in(struct hlt_search *search, Dwarf *dwarf, bool deep)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die unit, sub;
	uint8_t type;
	int ret;

	search->deep = deep;
	while ((ret = dwarf_get_units(dwarf, cu, &cu, NULL, &type, &unit,
				      &sub)) == 0) {
		if (type == DW_UT_skeleton)
			search_split(search, &unit, &sub, deep);
		else
			search_unit(search, &unit);
	}
	if (ret < 0)
		snprintf(search->damage, sizeof(search->damage), "%s",
			 dwarf_errmsg(-1));
	if (dwarf_getalt(dwarf) != NULL && dwarf_getalt(dwarf) != dwarf)
		hlt_dw_search_in(search, dwarf_getalt(dwarf), deep);
}

/* --- What came of it ------------------------------------------------------ */

static void fail_unfound(struct hlt_search *search)
{
	struct hlt_reader *reader = search->reader;
	char hints[HINTS_MOST * 130] = "";

	for (size_t i = 0; i < search->nhints; i++)
		snprintf(hints + strlen(hints), sizeof(hints) - strlen(hints),
			 "%s%s", i > 0 ? ", " : "", search->hints[i]);
	if (search->missing[0] != '\0')
		hlt_dw_fail(reader, HLT_NO_RING,
			    "no %s found; part of the debug information is in "
			    "%s (split DWARF), which is not there or not of "
			    "this build",
			    search->wanted, search->missing);
	if (search->damage[0] != '\0')
		hlt_dw_fail(reader, HLT_DAMAGED,
			    "the debug information is damaged: %s",
			    search->damage);
	if (search->skipped > 0)
		hlt_dw_fail(reader, HLT_NO_RING,
			    "%s is not defined in %s, but in others",
			    search->wanted, search->unit);
	if (search->declared > 0)
		hlt_dw_fail(reader, HLT_NO_RING,
			    "%s is declared but not defined here: look at the "
			    "object of a source that has its definition",
			    search->wanted);
	if (search->units == 0)
		hlt_dw_fail(reader, HLT_NO_RING,
			    "no debug information: compile with -g");
	if (hints[0] != '\0')
		hlt_dw_fail(reader, HLT_NO_RING,
			    "no struct, class or union %s; there is %s",
			    search->wanted, hints);
	hlt_dw_fail(reader, HLT_NO_RING,
		    "no struct, class or union %s in it; %s", search->wanted,
		    search->note != NULL ? search->note :
					   "compilers leave out those that "
					   "nothing uses");
}

/* One line for each definition, to choose from. */
static void fail_ambiguous(struct hlt_search *search)
{
	char list[HLT_SENTENCE_BYTES] = "";

	for (size_t i = 0; i < search->nlayouts && i < LISTED_MOST; i++) {
		const struct layout *l = &search->layouts[i];
		const size_t at = strlen(list);

		snprintf(list + at, sizeof(list) - at,
			 "; %zu: %s, %" PRIu64 " bytes, in %s", i + 1, l->name,
			 l->shape->size_bytes, l->unit);
		if (l->nunits > 1)
			snprintf(list + strlen(list),
				 sizeof(list) - strlen(list), " and %zu more",
				 l->nunits - 1);
		if (l->why[0] != '\0')
			snprintf(list + strlen(list),
				 sizeof(list) - strlen(list), " (%s)", l->why);
	}
	hlt_dw_fail(search->reader, HLT_FAILED,
		    "choose with --cu, %s%zu definitions differ%s%s",
		    search->overflowed ? "more than " : "", search->nlayouts,
		    list, search->nlayouts > LISTED_MOST ? "; ..." : "");
}

/* Which of the layouts was asked for. */
static struct layout *choose(struct hlt_search *search)
{
	const char *unit = search->unit;
	size_t number;

	if (unit == NULL || unit[strspn(unit, "0123456789")] != '\0') {
		if (search->nlayouts > 1)
			fail_ambiguous(search);
		return &search->layouts[0];
	}
	number = strtoul(unit, NULL, 10);
	if (number < 1 || number > search->nlayouts)
		hlt_dw_fail(search->reader, HLT_NO_RING,
			    "--cu %s: there are definitions from 1 to %zu",
			    unit, search->nlayouts);
	return &search->layouts[number - 1];
}

struct hlt_shape *hlt_dw_search_end(struct hlt_search *search)
{
	struct hlt_reader *reader = search->reader;
	struct hlt_shape *shape;
	struct layout *layout;

	if (search->nlayouts == 0)
		fail_unfound(search);
	layout = choose(search);
	reader->unit = layout->unit;
	reader->is_cplusplus = layout->is_cplusplus;
	reader->address_bytes = layout->address_bytes;
	reader->qualify = true;
	shape = hlt_dw_shape(reader, &layout->die, 0);
	shape->name = layout->name;
	return shape;
}
