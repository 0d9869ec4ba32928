/* SPDX-License-Identifier: MIT */
/*
 * cmd_ls - hotline ls: the rings there are, and the room they take
 *
 * Whatever lies in the folder under the name of a ring is listed: what cannot
 * be opened with the reason. Only looks, so rings of other users are opened
 * too. Each is opened, looked at and closed before the next.
 */
#include "cmd.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include <hotline/inspect.h>

#include "guard.h"
#include "info_json.h"
#include "opt.h"
#include "out.h"
#include "place.h"
#include "table.h"
#include "text.h"

static const char usage[] =
	"Usage: hotline ls [OPTION]...\n"
	"List the rings in /dev/shm, or in $HOTLINE_DIR if that is set.\n"
	"\n"
	"  -j, --json  as one JSON object\n"
	"  -h, --help  this text\n"
	"\n"
	"See hotline-ls(1).\n";

static const struct option options[] = {
	{ "json", no_argument, NULL, 'j' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static const struct hlt_column columns[] = {
	{ "NAME", 0 },
	{ "SIZE", HLT_RIGHT },
	{ "OWNER", 0 },
	{ "MODE", 0 },
	{ "MESSAGES", HLT_RIGHT },
	{ "DEPTH", HLT_RIGHT },
	{ "ALIVE", HLT_RIGHT },
	{ "DEAD", HLT_RIGHT },
	{ "NOTE", 0 },
};

struct list {
	bool json;
	struct hlt_table table;
	json_t *rings;
	uint64_t count;
	uint64_t used_bytes;
};

/* One file in the folder. */
struct entry {
	const char *name;
	struct stat file;
	bool has_file; /* stat worked */
	int code;      /* of opening it as a ring */
	struct hl_inspect *inspect;
	struct hl_error err;
	struct hl_ring_status status;
};

static void look_inside(void *arg)
{
	struct entry *entry = arg;

	entry->code = hl_inspect_open(entry->name, HL_OPEN_ANY_OWNER,
				      &entry->inspect, &entry->err);
	if (entry->code == 0)
		hl_inspect_ring(entry->inspect, &entry->status);
}

static void look_at(struct entry *entry, const char *name)
{
	char path[PATH_MAX];

	entry->name = name;
	hlt_ring_path(path, sizeof(path), name);
	entry->has_file = lstat(path, &entry->file) == 0;
	if (!hlt_guard_run(look_inside, entry)) {
		entry->code = -EBADMSG;
		snprintf(entry->err.text, sizeof(entry->err.text), "%s",
			 "cut short while it was read");
	}
	hl_inspect_close(entry->inspect);
}

/* Why it could not be opened, without the name that the row begins with. */
static const char *reason(const struct entry *entry)
{
	const char *text = entry->err.text;
	const size_t len = strlen(entry->name);

	if (text[0] == '\0')
		return strerror(-entry->code);
	if (strncmp(text, entry->name, len) == 0 && text[len] == ':')
		return text + len + 1 + strspn(text + len + 1, " ");
	return text;
}

static uint64_t used_bytes(const struct entry *entry)
{
	return entry->has_file ? (uint64_t)entry->file.st_blocks * 512 : 0;
}

static void add_row(struct hlt_table *t, const struct entry *entry)
{
	const struct hl_ring_status *s = &entry->status;
	char size[HLT_SIZE_BYTES], owner[HLT_USER_BYTES];

	hlt_table_cell(t, "%s", entry->name);
	if (entry->has_file) {
		hlt_table_cell(t, "%s", hlt_size_text(size, used_bytes(entry)));
		hlt_table_cell(t, "%s",
			       hlt_user_name(owner, entry->file.st_uid));
		hlt_table_cell(t, "%04o",
			       (unsigned)entry->file.st_mode & 07777);
	} else {
		for (int i = 0; i < 3; i++)
			hlt_table_cell(t, "-");
	}
	if (entry->code < 0) {
		for (int i = 0; i < 4; i++)
			hlt_table_cell(t, "-");
		hlt_table_cell(t, "%s", reason(entry));
		return;
	}
	hlt_table_u64(t, hlt_claimed(s));
	hlt_table_u64(t, hlt_depth(s));
	hlt_table_u64(t, s->alive);
	hlt_table_u64(t, s->dead);
	hlt_table_cell(t, "%s", s->finished ? "finished" : "");
}

static void set_status(json_t *object, const struct hl_ring_status *s)
{
	hlt_json_set(object, "capacity", hlt_json_u64(s->info.capacity));
	hlt_json_set(object, "slot_bytes", hlt_json_u64(s->info.slot_bytes));
	hlt_json_set(object, "arena_bytes", hlt_json_u64(s->info.arena_bytes));
	hlt_json_set(object, "messages", hlt_json_u64(hlt_claimed(s)));
	hlt_json_set(object, "depth", hlt_json_u64(hlt_depth(s)));
	hlt_json_set(object, "alive", hlt_json_u64(s->alive));
	hlt_json_set(object, "dead", hlt_json_u64(s->dead));
	hlt_json_set(object, "groups", hlt_json_u64(s->groups));
	hlt_json_set(object, "finished", json_boolean(s->finished));
}

static void add_json(json_t *rings, const struct entry *entry)
{
	json_t *object = json_object();
	char owner[HLT_USER_BYTES], mode[8];

	hlt_json_set(object, "name",
		     hlt_json_bytes(entry->name, strlen(entry->name)));
	if (entry->has_file) {
		snprintf(mode, sizeof(mode), "%04o",
			 (unsigned)entry->file.st_mode & 07777);
		hlt_user_name(owner, entry->file.st_uid);
		hlt_json_set(object, "file_bytes",
			     hlt_json_u64((uint64_t)entry->file.st_size));
		hlt_json_set(object, "used_bytes",
			     hlt_json_u64(used_bytes(entry)));
		hlt_json_set(object, "owner",
			     hlt_json_bytes(owner, strlen(owner)));
		hlt_json_set(object, "owner_uid",
			     hlt_json_u64(entry->file.st_uid));
		hlt_json_set(object, "mode", json_string(mode));
	}
	if (entry->code == 0)
		set_status(object, &entry->status);
	else
		hlt_json_set(object, "error",
			     hlt_json_bytes(reason(entry),
					    strlen(reason(entry))));
	hlt_json_append(rings, object);
}

static int add_ring(const char *name, void *user)
{
	struct list *list = user;
	struct entry entry = { 0 };

	look_at(&entry, name);
	if (entry.code == -ENOENT)
		return 0; /* removed since it was listed */
	list->count++;
	list->used_bytes += used_bytes(&entry);
	if (list->json)
		add_json(list->rings, &entry);
	else
		add_row(&list->table, &entry);
	return 0;
}

static void print_totals(const struct list *list, const struct statvfs *fs)
{
	char used[HLT_SIZE_BYTES], free_text[HLT_SIZE_BYTES],
		all[HLT_SIZE_BYTES];

	printf("%" PRIu64 " %s, %s used; %s free of %s in ", list->count,
	       list->count == 1 ? "ring" : "rings",
	       hlt_size_text(used, list->used_bytes),
	       hlt_size_text(free_text, fs->f_frsize * fs->f_bavail),
	       hlt_size_text(all, fs->f_frsize * fs->f_blocks));
	hlt_text_put(stdout, hlt_folder(), strlen(hlt_folder()), 0);
	putchar('\n');
}

static void print_json(struct list *list, const struct statvfs *fs)
{
	json_t *object = json_object();

	hlt_json_set(object, "folder",
		     hlt_json_bytes(hlt_folder(), strlen(hlt_folder())));
	hlt_json_set(object, "free_bytes",
		     hlt_json_u64(fs->f_frsize * fs->f_bavail));
	hlt_json_set(object, "size_bytes",
		     hlt_json_u64(fs->f_frsize * fs->f_blocks));
	hlt_json_set(object, "used_bytes", hlt_json_u64(list->used_bytes));
	hlt_json_set(object, "rings", list->rings);
	hlt_json_print(object);
}

static int list_rings(struct list *list)
{
	struct hl_error err = { 0 };
	struct statvfs fs;
	int ret = hl_ring_list(add_ring, list, &err);

	if (ret == 0 && statvfs(hlt_folder(), &fs) < 0)
		ret = -errno;
	if (ret < 0) {
		hlt_fail(hlt_folder(), ret, &err);
		return HLT_FAILED;
	}
	if (list->json) {
		print_json(list, &fs);
	} else {
		hlt_table_print(&list->table);
		print_totals(list, &fs);
	}
	return HLT_DONE;
}

int hlt_cmd_ls(int argc, char **argv)
{
	struct list list = { 0 };
	int c, ret;

	while ((c = hlt_getopt(argc, argv, ":jh", options)) != -1) {
		if (c == 'h')
			return hlt_help(usage);
		if (c != 'j')
			return HLT_USAGE;
		list.json = true;
		hlt_out_json(HLT_JSON_DOCUMENT);
	}
	if (optind < argc)
		return hlt_usage("one argument too many: %s", argv[optind]);
	list.rings = list.json ? json_array() : NULL;
	hlt_table_init(&list.table, columns,
		       sizeof(columns) / sizeof(columns[0]));
	ret = list_rings(&list);
	hlt_table_fini(&list.table);
	return ret;
}
