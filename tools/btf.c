/* SPDX-License-Identifier: MIT */
/*
 * btf - a struct from BTF, the kernel's compact debug information
 *
 * libbpf has checked the whole file before it hands out types: what is left to
 * check are chains without end, and fields beyond their struct. BTF says as little
 * of alignment as DWARF does, and it cannot tell an array [0] from [].
 */
#include "config.h"

#include "btf.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "lines.h"

bool hlt_btf_begins(const char *path)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	uint16_t magic = 0;
	const ssize_t n = fd < 0 ? 0 : read(fd, &magic, sizeof(magic));

	if (fd >= 0)
		close(fd);
	return n == sizeof(magic) && magic == 0xeb9f;
}

#ifndef HAVE_LIBBPF

const struct hlt_shape *hlt_btf_shape(struct hlt_reader *reader,
				      const char *path, const char *name,
				      const char *unit)
{
	(void)name;
	(void)unit;
	if (hlt_btf_begins(path))
		hlt_dw_fail(reader, HLT_FAILED,
			    "it is BTF, and this hotline was built without "
			    "libbpf, which reads that");
	return NULL;
}

#else

#include <bpf/btf.h>
#include <bpf/libbpf.h>

enum {
	WORDS_BYTES = 1024,
};

struct source {
	struct hlt_reader *reader;
	const struct btf *btf;
	struct btf_dump *dump;
	char words[WORDS_BYTES]; /* what the dump writes */
};

/* --- Types ---------------------------------------------------------------- */

static const struct btf_type *type_at(const struct source *source, uint32_t id)
{
	const struct btf_type *const type = btf__type_by_id(source->btf, id);

	if (type == NULL)
		hlt_dw_fail(source->reader, HLT_DAMAGED,
			    "its BTF is damaged: there is no type %u", id);
	return type;
}

/* Without typedefs and qualifiers: the id. */
static uint32_t peel(const struct source *source, uint32_t id)
{
	for (int i = 0; i < HLT_DEPTH_MOST; i++) {
		const struct btf_type *const type = type_at(source, id);

		if (!btf_is_mod(type) && !btf_is_typedef(type) &&
		    !btf_is_type_tag(type))
			return id;
		id = type->type;
	}
	hlt_dw_fail(source->reader, HLT_DAMAGED,
		    "its BTF is damaged: a type has no end");
}

static const char *name_of(const struct source *source, uint32_t name_off)
{
	const char *const name = btf__name_by_offset(source->btf, name_off);

	return name != NULL ? name : "";
}

/* From a type to the element of its arrays, with their dimensions. */
static uint32_t innermost(const struct source *source, uint32_t id,
			  struct hlt_field *field)
{
	for (id = peel(source, id); btf_is_array(type_at(source, id));) {
		const struct btf_array *const array =
			btf_array(type_at(source, id));

		if (field->ndims == HLT_DIMS_MOST)
			hlt_dw_fail(source->reader, HLT_FAILED,
				    "an array has more than %d dimensions",
				    HLT_DIMS_MOST);
		if (array->nelems == 0)
			field->is_flexible = true;
		field->dims[field->ndims++] = array->nelems;
		id = peel(source, array->type);
	}
	return id;
}

static const struct hlt_shape *read_shape(struct source *source, uint32_t id,
					  int depth);

/* What a field of this type is: its size, its dimensions, its inside. */
static void describe(struct source *source, uint32_t id,
		     struct hlt_field *field, int depth)
{
	const uint32_t element = innermost(source, id, field);
	const struct btf_type *const type = type_at(source, element);
	const int64_t size = btf__resolve_size(source->btf, element);
	uint64_t bytes = size > 0 ? (uint64_t)size : 0;

	field->element_bytes = bytes;
	field->is_pointer = btf_is_ptr(type);
	field->is_nameless =
		(btf_is_composite(type) || btf_is_any_enum(type)) &&
		type->name_off == 0;
	field->is_characters = field->ndims == 1 && bytes == 1 &&
			       btf_is_int(type) &&
			       !(btf_int_encoding(type) & BTF_INT_BOOL);
	field->align_bytes = bytes & -bytes;
	if (field->align_bytes > source->reader->align_most)
		field->align_bytes = source->reader->align_most;
	if (btf_is_composite(type)) {
		field->inside = read_shape(source, element, depth + 1);
		field->align_bytes = field->inside->align_bytes;
	}
	for (uint32_t d = 0; d < field->ndims; d++) {
		if (__builtin_mul_overflow(bytes, field->dims[d], &bytes) ||
		    bytes > HLT_BYTES_MOST)
			hlt_dw_fail(source->reader, HLT_DAMAGED,
				    "its BTF is damaged: an array has no "
				    "sensible size");
	}
	field->size_bits = bytes * 8;
}

/* --- Words ---------------------------------------------------------------- */

__attribute__((format(printf, 2, 0))) static void
collect(void *context, const char *format, va_list args)
{
	struct source *const source = context;
	const size_t used = strlen(source->words);

	vsnprintf(source->words + used, sizeof(source->words) - used, format,
		  args);
}

/* A struct without a name is written in full: leave what is in it out. */
static void leave_out_bodies(char *words)
{
	char *const begin = strchr(words, '{');
	char *const end = strrchr(words, '}');

	if (begin == NULL || end == NULL || end < begin)
		return;
	memmove(begin, end + 1, strlen(end + 1) + 1);
	for (char *at = begin;
	     *at != '\0' && at > words && at[-1] == ' ' && *at == ' ';)
		memmove(at, at + 1, strlen(at + 1) + 1);
}

/* A type around a name, as C writes it, in source->words. */
static void write_words(struct source *source, uint32_t id, const char *name)
{
	LIBBPF_OPTS(btf_dump_emit_type_decl_opts, options, .field_name = name);

	source->words[0] = '\0';
	if (btf_dump__emit_type_decl(source->dump, id, &options) != 0)
		snprintf(source->words, sizeof(source->words), "? %s", name);
	leave_out_bodies(source->words);
}

/* Where the declarator begins: "char |*name[4]", "void |(*call)(int)". */
static size_t base_len(const char *words)
{
	size_t len = strcspn(words, "*([");

	while (words[len] != '*' && words[len] != '(' && len > 0 &&
	       words[len - 1] != ' ')
		len--;
	return len;
}

static void declare(struct source *source, uint32_t id, struct hlt_field *field)
{
	struct hlt_reader *const reader = source->reader;
	size_t len;

	write_words(source, id, field->name);
	len = base_len(source->words);
	field->declarator = hlt_dw_text(reader, "%s", source->words + len);
	while (len > 0 && source->words[len - 1] == ' ')
		len--;
	field->base = hlt_dw_text(reader, "%.*s", (int)len, source->words);
	write_words(source, id, "");
	for (len = strlen(source->words);
	     len > 0 && source->words[len - 1] == ' ';)
		len--;
	field->type = hlt_dw_text(reader, "%.*s", (int)len, source->words);
}

/* --- Structs -------------------------------------------------------------- */

static void read_member(struct source *source, const struct btf_type *type,
			uint32_t i, struct hlt_field *field, int depth)
{
	const struct btf_member *const member = &btf_members(type)[i];
	const uint32_t bits = btf_member_bitfield_size(type, i);

	field->name = hlt_dw_text(source->reader, "%s",
				  name_of(source, member->name_off));
	field->order = i + 1;
	describe(source, member->type, field, depth);
	field->offset_bits = btf_member_bit_offset(type, i);
	if (bits) {
		field->is_bitfield = true;
		field->storage_bytes = field->size_bits / 8;
		field->size_bits = bits;
	}
	declare(source, member->type, field);
}

static const struct hlt_shape *read_shape(struct source *source, uint32_t id,
					  int depth)
{
	const struct btf_type *const type = type_at(source, id);
	struct hlt_shape *const shape =
		hlt_dw_alloc(source->reader, sizeof(*shape));

	if (depth > HLT_DEPTH_MOST)
		hlt_dw_fail(source->reader, HLT_DAMAGED,
			    "its BTF is damaged: structs in structs without "
			    "end");
	shape->is_union = btf_is_union(type);
	shape->keyword = shape->is_union ? "union" : "struct";
	shape->name = hlt_dw_text(source->reader, "%s",
				  name_of(source, type->name_off));
	shape->unit = "BTF";
	shape->size_bytes = type->size;
	shape->nfields = btf_vlen(type);
	shape->fields = hlt_dw_alloc(source->reader,
				     shape->nfields * sizeof(*shape->fields));
	for (uint32_t i = 0; i < shape->nfields; i++) {
		struct hlt_field *const field = &shape->fields[i];

		read_member(source, type, i, field, depth);
		if (field->offset_bits + field->size_bits >
		    shape->size_bytes * 8)
			hlt_dw_fail(source->reader, HLT_DAMAGED,
				    "its BTF is damaged: field %s of %s ends "
				    "behind it",
				    field->name, shape->name);
	}
	hlt_shape_finish(shape);
	hlt_dw_infer_alignment(shape);
	return shape;
}

/* The struct that a type is if it is called so, or 0. */
static uint32_t match(const struct source *source, uint32_t id,
		      const char *name)
{
	const struct btf_type *const type = type_at(source, id);
	const char *const own = name_of(source, type->name_off);
	const bool is_union = strncmp(name, "union ", 6) == 0;
	const bool is_struct = strncmp(name, "struct ", 7) == 0;

	if (btf_is_composite(type))
		return (is_union && strcmp(name + 6, own) == 0 &&
			btf_is_union(type)) ||
				       (is_struct &&
					strcmp(name + 7, own) == 0 &&
					btf_is_struct(type)) ||
				       strcmp(name, own) == 0 ?
			       id :
			       0;
	if (!btf_is_typedef(type) || strcmp(name, own) != 0)
		return 0;
	id = peel(source, id);
	return btf_is_composite(type_at(source, id)) ? id : 0;
}

/* The one that is meant. */
static uint32_t find(const struct source *source, const char *name,
		     const char *unit)
{
	const unsigned long wanted = unit ? strtoul(unit, NULL, 10) : 0;
	const uint32_t end = btf__type_cnt(source->btf);
	uint32_t found = 0;
	unsigned long n = 0;

	for (uint32_t id = 1; id < end; id++) {
		const uint32_t is = match(source, id, name);

		if (is == 0 || is == found)
			continue;
		if (++n == wanted)
			return is;
		found = is;
	}
	if (n == 0)
		hlt_dw_fail(source->reader, HLT_NO_RING,
			    "no struct, union or typedef %s in its BTF", name);
	if (n > 1 || wanted > 0)
		hlt_dw_fail(source->reader, HLT_FAILED,
			    "%lu definitions of %s in its BTF: say which by "
			    "--cu 1 to %lu",
			    n, name, n);
	return found;
}

static int say_nothing(enum libbpf_print_level level, const char *format,
		       va_list args)
{
	(void)level;
	(void)format;
	(void)args;
	return 0;
}

const struct hlt_shape *hlt_btf_shape(struct hlt_reader *reader,
				      const char *path, const char *name,
				      const char *unit)
{
	struct source source = { .reader = reader };

	libbpf_set_print(say_nothing);
	source.btf = btf__parse(path, NULL);
	if (source.btf == NULL && hlt_btf_begins(path))
		hlt_dw_fail(reader, HLT_DAMAGED,
			    "it is BTF that cannot be read: damaged, or of a "
			    "kernel module, which needs the kernel's");
	if (source.btf == NULL)
		return NULL;
	source.dump = btf_dump__new(source.btf, collect, &source, NULL);
	if (source.dump == NULL)
		hlt_dw_fail(reader, HLT_FAILED, "no memory for its BTF");
	reader->align_most = 16;
	reader->address_bytes = btf__pointer_size(source.btf);
	return read_shape(&source, find(&source, name, unit), 0);
}

#endif /* HAVE_LIBBPF */
