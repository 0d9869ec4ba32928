/* SPDX-License-Identifier: MIT */
/*
 * salvage - write what messages a damaged ring still holds into a file
 *
 * The ring is only read. A file that exists is left alone unless it may be
 * overwritten, and never when it is the ring itself. The new file is the
 * caller's alone, as the ring may have been.
 */
#include "salvage.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <jansson.h>

#include <hotline/admin.h>

#include "cmd.h"
#include "guard.h"
#include "out.h"
#include "place.h"
#include "view.h"

struct run {
	struct hlt_salvage *salvage;
	FILE *file;
	struct hl_error err;
	int64_t ret;
};

static bool is_the_ring(const struct hlt_salvage *s, const struct stat *file)
{
	char path[4096];
	struct stat ring;

	hlt_ring_path(path, sizeof(path), s->name);
	return stat(path, &ring) == 0 && ring.st_dev == file->st_dev &&
	       ring.st_ino == file->st_ino;
}

/* A file that exists, to be overwritten: a descriptor, or -1 and errno. */
static int open_over(const struct hlt_salvage *s)
{
	const int fd = open(s->file, O_WRONLY | O_CLOEXEC);
	struct stat file;

	if (fd < 0 || fstat(fd, &file) < 0)
		return fd;
	if (is_the_ring(s, &file)) {
		close(fd);
		errno = ETXTBSY;
		return -1;
	}
	if (S_ISREG(file.st_mode) && ftruncate(fd, 0) < 0) {
		close(fd);
		return -1;
	}
	return fd;
}

static FILE *open_file(const struct hlt_salvage *s)
{
	int fd = open(s->file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	FILE *file;

	if (fd < 0 && errno == EEXIST && s->force)
		fd = open_over(s);
	if (fd < 0) {
		hlt_complain(s->file, "%s",
			     errno == ETXTBSY ? "this is the ring itself" :
			     errno == EEXIST  ? "exists already; --force "
						"overwrites it" :
						strerror(errno));
		return NULL;
	}
	file = fdopen(fd, "w");
	if (file == NULL) {
		hlt_complain(s->file, "%s", strerror(errno));
		close(fd);
	}
	return file;
}

/* The words of enum hl_salvage. */
static const char *const verdicts[] = {
	"whole",      "unproved",    "bad checksum",
	"no payload", "unpublished", "void",
};

const char *hlt_salvage_word(enum hl_salvage verdict)
{
	return (unsigned)verdict < HLT_SALVAGE_VERDICTS ? verdicts[verdict] :
							  "?";
}

/* How it was found, beside what it is. */
static json_t *verdict_to_json(const struct hl_salvaged *m)
{
	json_t *object = json_object();

	hlt_json_set(object, "verdict",
		     json_string(hlt_salvage_word(m->verdict)));
	hlt_json_set(object, "needed", json_boolean(m->needed));
	hlt_json_set(object, "in_hand", json_boolean(m->in_hand));
	return object;
}

static bool write_json(FILE *file, const struct hl_salvaged *m,
		       const struct hlt_view *view)
{
	json_t *object = hlt_view_to_json(view);
	bool ok;

	hlt_json_set(object, "salvage", verdict_to_json(m));
	ok = json_dumpf(object, file, JSON_ENCODE_ANY | JSON_COMPACT) == 0 &&
	     putc('\n', file) != EOF;
	json_decref(object);
	return ok;
}

static bool write_message(const struct run *run, const struct hl_salvaged *m)
{
	const struct hlt_salvage *s = run->salvage;
	struct hlt_view view = {
		.slot = m->message,
		.slot_bytes = m->slot_bytes,
		.position = m->position,
		.has_checksum = s->has_checksum,
		.payload_status = m->payload ? 0 : -ENODATA,
	};

	if (s->raw)
		return fwrite(m->message, 1, m->slot_bytes, run->file) ==
		       m->slot_bytes;
	if (m->payload)
		view.payload = *m->payload;
	if (m->verdict == HL_SALVAGE_NO_PAYLOAD)
		view.payload_status = -EBADMSG;
	return write_json(run->file, m, &view);
}

/* One slot of hl_ring_salvage(). What is no message is counted only. */
static int add_slot(const struct hl_salvaged *m, void *user)
{
	struct run *run = user;
	struct hlt_salvage *s = run->salvage;

	if ((unsigned)m->verdict < HLT_SALVAGE_VERDICTS)
		s->count[m->verdict]++;
	if (m->verdict >= HL_SALVAGE_UNPUBLISHED)
		return 0;
	if (!write_message(run, m))
		return errno > 0 ? -errno : -EIO;
	if (s->messages++ == 0)
		s->first = m->position;
	s->last = m->position;
	s->needed += m->needed;
	s->in_hand += m->in_hand;
	return 0;
}

static void salvage(void *arg)
{
	struct run *run = arg;

	run->ret = hl_ring_salvage(run->salvage->name,
				   (uint32_t)run->salvage->slot_bytes,
				   run->salvage->capacity, add_slot, run,
				   &run->err);
}

int hlt_salvage_run(struct hlt_salvage *s)
{
	struct run run = { .salvage = s, .file = open_file(s) };
	bool whole, written;

	if (run.file == NULL)
		return HLT_FAILED;
	errno = 0;
	whole = hlt_guard_run(salvage, &run);
	written = !ferror(run.file);
	written = fclose(run.file) == 0 && written;
	if (!whole) {
		hlt_complain(s->name, "its file was cut short while it was "
				      "read; what was found before is saved");
		return HLT_DAMAGED;
	}
	if (!written) {
		hlt_complain(s->file, "cannot write: %s", strerror(errno));
		return HLT_FAILED;
	}
	if (run.ret >= 0)
		return HLT_DONE;
	if (s->messages == 0)
		unlink(s->file);
	return hlt_fail(s->name, (int)run.ret, &run.err);
}
