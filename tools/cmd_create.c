/* SPDX-License-Identifier: MIT */
/*
 * cmd_create - hotline create: make a ring, and the groups it begins with
 */
#include "cmd.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include <hotline/inspect.h>
#include <hotline/ring.h>

#include "info_json.h"
#include "opt.h"
#include "out.h"
#include "schema_file.h"

static const char usage[] =
	"Usage: hotline create [OPTION]... NAME\n"
	"Create a ring and reserve all its memory.\n"
	"\n"
	"  -c, --capacity N          messages it holds, a power of two [1024]\n"
	"  -s, --slot-size BYTES     of a message, a multiple of 64 [64]\n"
	"  -a, --arena BYTES         memory for payloads [none]\n"
	"  -b, --block-size BYTES    the largest payload [by --arena]\n"
	"  -p, --producers KIND      shared, or sole for one at a time [shared]\n"
	"  -g, --group GROUP         a group to begin with; may be repeated:\n"
	"                            NAME[:exclusive|shared|lossy][:durable]\n"
	"      --max-producers N     at a time [16]\n"
	"      --max-consumers N     at a time [48]\n"
	"      --max-groups N        [16]\n"
	"      --unread keep|refuse  what to do with messages while there is\n"
	"                            no group to read them [keep]\n"
	"      --checksum KIND       none, header or payload [none]\n"
	"      --schema FILE         what its messages are; see hotline-create(1)\n"
	"      --message-magic N     what each message must begin with [any]\n"
	"      --like RING           sizes, kinds and schema of another, where\n"
	"                            no option says otherwise\n"
	"  -m, --mode MODE           of the file, in octal [0600]\n"
	"      --prefault            touch all of the memory now\n"
	"      --huge-pages          ask for huge pages\n"
	"      --start-position N    of the first message, for tests [1]\n"
	"  -j, --json                print what was created, as JSON\n"
	"  -h, --help                this text\n"
	"\n"
	"BYTES may end in K, M or G. See hotline-create(1).\n";

enum {
	OPT_MAX_PRODUCERS = 256,
	OPT_MAX_CONSUMERS,
	OPT_MAX_GROUPS,
	OPT_UNREAD,
	OPT_CHECKSUM,
	OPT_MESSAGE_MAGIC,
	OPT_PREFAULT,
	OPT_HUGE_PAGES,
	OPT_START_POSITION,
	OPT_SCHEMA,
	OPT_LIKE,
	OPTIONS_END,
};

static const struct option options[] = {
	{ "capacity", required_argument, NULL, 'c' },
	{ "slot-size", required_argument, NULL, 's' },
	{ "arena", required_argument, NULL, 'a' },
	{ "block-size", required_argument, NULL, 'b' },
	{ "producers", required_argument, NULL, 'p' },
	{ "group", required_argument, NULL, 'g' },
	{ "max-producers", required_argument, NULL, OPT_MAX_PRODUCERS },
	{ "max-consumers", required_argument, NULL, OPT_MAX_CONSUMERS },
	{ "max-groups", required_argument, NULL, OPT_MAX_GROUPS },
	{ "unread", required_argument, NULL, OPT_UNREAD },
	{ "checksum", required_argument, NULL, OPT_CHECKSUM },
	{ "message-magic", required_argument, NULL, OPT_MESSAGE_MAGIC },
	{ "mode", required_argument, NULL, 'm' },
	{ "schema", required_argument, NULL, OPT_SCHEMA },
	{ "like", required_argument, NULL, OPT_LIKE },
	{ "prefault", no_argument, NULL, OPT_PREFAULT },
	{ "huge-pages", no_argument, NULL, OPT_HUGE_PAGES },
	{ "start-position", required_argument, NULL, OPT_START_POSITION },
	{ "json", no_argument, NULL, 'j' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

struct wanted {
	struct hl_ring_attr attr;
	struct hl_group_attr groups[HL_GROUPS_MAX];
	struct hlt_group names[HL_GROUPS_MAX];
	const char *schema_file;
	const char *like;
	bool given[OPTIONS_END]; /* which options there were */
	bool json;
	bool help;
};

static int add_group(struct wanted *w, const char *value)
{
	const struct hl_group_attr init = HL_GROUP_ATTR_INIT;
	const size_t n = w->attr.ngroups;

	if (n == HL_GROUPS_MAX)
		return hlt_usage("--group: more than %d groups", HL_GROUPS_MAX);
	if (hlt_opt_group("--group", value, &w->names[n]) != 0)
		return HLT_USAGE;
	for (size_t i = 0; i < n; i++) {
		if (strcmp(w->names[i].name, w->names[n].name) == 0)
			return hlt_usage("--group: two of the name %s",
					 w->names[n].name);
	}
	w->groups[n] = init;
	w->groups[n].name = w->names[n].name;
	w->groups[n].durable = w->names[n].durable;
	if (w->names[n].kind >= 0)
		w->groups[n].kind = (enum hl_group_kind)w->names[n].kind;
	w->attr.groups = w->groups;
	w->attr.ngroups++;
	return 0;
}

/* Permissions in octal. 0 would mean the default to the library. */
static int read_mode(const char *value, mode_t *mode)
{
	unsigned bits = 0;

	for (const char *s = value; *s != '\0'; s++) {
		if (*s < '0' || *s > '7' || bits > 0777)
			return hlt_usage("--mode %s: not octal, like 0640",
					 value);
		bits = bits * 8 + (unsigned)(*s - '0');
	}
	if (bits == 0 || bits > 0777)
		return hlt_usage("--mode %s: not from 0001 to 0777", value);
	*mode = bits;
	return 0;
}

static int read_u32(const char *option, const char *value, uint32_t *out)
{
	uint64_t number = 0;
	const int ret = hlt_opt_number(option, value, 1, UINT32_MAX, &number);

	*out = (uint32_t)number;
	return ret;
}

static int read_u32_size(const char *option, const char *value, uint32_t *out)
{
	uint64_t bytes = 0;
	const int ret = hlt_opt_size(option, value, 1, UINT32_MAX, &bytes);

	*out = (uint32_t)bytes;
	return ret;
}

static int read_word(int c, const char *value, struct hl_ring_attr *attr)
{
	int word = 0;
	int ret;

	switch (c) {
	case 'p':
		ret = hlt_opt_word("--producers", value, hlt_producers_words,
				   &word);
		attr->producers = (enum hl_producers)word;
		return ret;
	case OPT_UNREAD:
		ret = hlt_opt_word("--unread", value, hlt_unread_words, &word);
		attr->unread = (enum hl_unread)word;
		return ret;
	default:
		ret = hlt_opt_word("--checksum", value, hlt_checksum_words,
				   &word);
		attr->checksum = (enum hl_checksum)word;
		return ret;
	}
}

static int read_option(int c, const char *value, struct wanted *w)
{
	struct hl_ring_attr *attr = &w->attr;

	switch (c) {
	case 'c':
		return hlt_opt_size("--capacity", value, 1, UINT64_MAX,
				    &attr->capacity);
	case 's':
		return read_u32_size("--slot-size", value, &attr->slot_bytes);
	case 'a':
		return hlt_opt_size("--arena", value, 0, UINT64_MAX,
				    &attr->arena_bytes);
	case 'b':
		return read_u32_size("--block-size", value, &attr->block_bytes);
	case 'g':
		return add_group(w, value);
	case 'm':
		return read_mode(value, &attr->mode);
	case 'j':
		hlt_out_json(HLT_JSON_DOCUMENT);
		w->json = true;
		return 0;
	case OPT_MAX_PRODUCERS:
		return read_u32("--max-producers", value, &attr->max_producers);
	case OPT_MAX_CONSUMERS:
		return read_u32("--max-consumers", value, &attr->max_consumers);
	case OPT_MAX_GROUPS:
		return read_u32("--max-groups", value, &attr->max_groups);
	case OPT_MESSAGE_MAGIC:
		return read_u32("--message-magic", value, &attr->message_magic);
	case OPT_PREFAULT:
		attr->flags |= HL_RING_PREFAULT;
		return 0;
	case OPT_HUGE_PAGES:
		attr->flags |= HL_RING_HUGE_PAGES;
		return 0;
	case OPT_START_POSITION:
		return hlt_opt_number("--start-position", value, 1,
				      HL_POSITION_MAX - 1,
				      &attr->start_position);
	case OPT_SCHEMA:
		w->schema_file = value;
		return 0;
	case OPT_LIKE:
		w->like = value;
		return 0;
	case 'p':
	case OPT_UNREAD:
	case OPT_CHECKSUM:
		return read_word(c, value, attr);
	case 'h':
		w->help = true;
		return 0;
	default:
		return HLT_USAGE;
	}
}

/* What a ring is, for what was not asked for. Groups are not of its kind. */
static void inherit(struct wanted *w, const struct hl_ring_info *info)
{
	struct hl_ring_attr *attr = &w->attr;
	const bool *given = w->given;

	if (!given['c'])
		attr->capacity = info->capacity;
	/* With another schema the slots are as large as that needs. */
	if (!given['s'] && !given[OPT_SCHEMA])
		attr->slot_bytes = info->slot_bytes;
	if (!given['a'])
		attr->arena_bytes = info->arena_bytes;
	/* Blocks of another arena are chosen by its size. */
	if (!given['b'] && !given['a'])
		attr->block_bytes = info->block_bytes;
	if (!given['p'])
		attr->producers = info->producers;
	/* A sole producer and sixteen do not go together. */
	if (!given[OPT_MAX_PRODUCERS] && attr->producers == info->producers)
		attr->max_producers = info->max_producers;
	if (!given[OPT_MAX_CONSUMERS])
		attr->max_consumers = info->max_consumers;
	if (!given[OPT_MAX_GROUPS])
		attr->max_groups = info->max_groups;
	if (!given[OPT_UNREAD])
		attr->unread = info->unread;
	if (!given[OPT_CHECKSUM])
		attr->checksum = info->checksum;
	if (!given[OPT_MESSAGE_MAGIC])
		attr->message_magic = info->message_magic;
}

/* Take what --like says; 0, or a status after a complaint. */
static int follow(struct wanted *w, struct hl_schema **schema)
{
	struct hl_error err = { 0 };
	struct hl_ring_status status;
	struct hl_inspect *other;
	int ret;

	if (w->like == NULL)
		return HLT_DONE;
	ret = hl_inspect_open(w->like, 0, &other, &err);
	if (ret < 0)
		return hlt_fail(w->like, ret, &err);
	hl_inspect_ring(other, &status);
	inherit(w, &status.info);
	if (*schema == NULL)
		ret = hl_inspect_get_schema(other, schema, &err);
	hl_inspect_close(other);
	if (ret < 0 && ret != -ENODATA)
		return hlt_fail(w->like, ret, &err);
	return HLT_DONE;
}

static void print_json(const char *name, const struct hl_ring *ring)
{
	json_t *object = json_object();
	struct hl_ring_info info;

	hl_ring_get_info(ring, &info);
	hlt_json_set(object, "name", hlt_json_bytes(name, strlen(name)));
	hlt_info_to_json(object, &info);
	hlt_json_print(object);
}

/* Not of a ring that is there: of a folder, and of room for groups. */
static int create_failed(const char *name, int ret, const struct hl_error *err)
{
	const int status = hlt_fail(name, ret, err);

	if (ret == -EUSERS)
		return HLT_USAGE;
	return ret == -ENOENT ? HLT_FAILED : status;
}

int hlt_cmd_create(int argc, char **argv)
{
	static struct wanted w = { .attr = HL_RING_ATTR_INIT };
	struct hl_error err = { 0 };
	struct hl_schema *schema = NULL;
	struct hl_ring *ring;
	const char *name;
	int c, ret;

	while ((c = hlt_getopt(argc, argv, ":c:s:a:b:p:g:m:jh", options)) !=
	       -1) {
		if (read_option(c, optarg, &w) != 0)
			return HLT_USAGE;
		w.given[c] = true;
		if (w.help)
			return hlt_help(usage);
	}
	if (hlt_one_argument(argc, argv, "the ring's name", &name) != 0)
		return HLT_USAGE;
	if (hlt_schema_opt(w.schema_file, &schema) != 0)
		return HLT_USAGE;
	ret = follow(&w, &schema);
	if (ret != HLT_DONE) {
		hl_schema_destroy(schema);
		return ret;
	}
	w.attr.schema = schema;
	ret = hl_ring_create(name, &w.attr, &ring, &err);
	hl_schema_destroy(schema);
	if (ret < 0)
		return create_failed(name, ret, &err);
	if (w.json)
		print_json(name, ring);
	hl_ring_close(ring);
	return HLT_DONE;
}
