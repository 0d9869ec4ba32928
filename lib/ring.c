/* SPDX-License-Identifier: MIT */
/*
 * ring.c - open, create, share, finish and remove rings; their groups
 */
#include "config.h"

#include <hotline/hotline.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clock.h"
#include "group.h"
#include "handle.h"
#include "join.h"
#include "liveness.h"
#include "reap.h"
#include "schema.h"
#include "util.h"

#define OPEN_OR_CREATE_TRIES 1000

const char *hl_version(void)
{
	return HL_VERSION;
}

static int new_ring(const char *name, struct hl_ring **out,
		    struct hl_error *err)
{
	struct hl_ring *const ring = calloc(1, sizeof(*ring));

	*out = ring;
	if (!ring)
		return hli_fail(err, -ENOMEM, "%s: no memory for a handle",
				name);
	hli_copy_text(ring->name, sizeof(ring->name), name);
	return 0;
}

static int check_attr(const struct hl_ring_attr *attr, const char *name,
		      struct hl_error *err)
{
	const uint32_t flags = HL_RING_PREFAULT | HL_RING_HUGE_PAGES;
	size_t i;

	if (attr->size != sizeof(*attr))
		return hli_fail(err, -EINVAL,
				"%s: the attributes were not initialised by "
				"HL_RING_ATTR_INIT",
				name);
	if ((attr->flags & ~(flags | HL_OPEN_ANY_OWNER)) ||
	    (attr->mode & ~0777u) || attr->backing > HL_BACKING_MEMFD)
		return hli_fail(err, -EINVAL,
				"%s: flags, mode or backing has a value that "
				"is not defined",
				name);
	if (attr->ngroups && !attr->groups)
		return hli_fail(err, -EINVAL, "%s: %zu groups, but no list",
				name, attr->ngroups);
	for (i = 0; i < attr->ngroups; i++) {
		if (attr->groups[i].start == HL_START_POSITION)
			return hli_fail(
				err, -EINVAL,
				"%s: a group cannot start at a position "
				"before the ring exists",
				name);
	}
	return 0;
}

int hli_check_group_attr(const struct hl_group_attr *attr, const char *ring,
			 struct hl_error *err)
{
	if (!attr || attr->size != sizeof(*attr))
		return hli_fail(err, -EINVAL,
				"%s: the group's attributes were not "
				"initialised by HL_GROUP_ATTR_INIT",
				ring);
	if (!hli_name_ok(attr->name, HL_GROUP_NAME_BYTES - 1))
		return hli_fail(err, -EINVAL,
				"%s: \"%.60s\" is no name for a group: 1 to %d "
				"letters, digits and ._-+@:,= beginning with a "
				"letter or digit",
				ring, attr->name ? attr->name : "",
				HL_GROUP_NAME_BYTES - 1);
	if (strchr(attr->name, ':'))
		return hli_fail(err, -EINVAL,
				"%s: \"%.60s\" is no name for a group: a colon "
				"parts name and kind on the command line",
				ring, attr->name);
	if (attr->kind > HL_GROUP_LOSSY || attr->start > HL_START_POSITION)
		return hli_fail(err, -EINVAL,
				"%s: group %s has a kind or start that is not "
				"defined",
				ring, attr->name);
	return 0;
}

static int add_group(const struct hl_ring *ring,
		     const struct hl_group_attr *attr, struct hl_error *err)
{
	int ret = hli_check_group_attr(attr, ring->name, err);

	if (ret < 0)
		return ret;
	if (hli_group_find(&ring->view, attr->name) >= 0)
		return hli_fail(err, -EEXIST, "%s: there is a group %s already",
				ring->name, attr->name);
	ret = hli_group_add(&ring->view, attr, false, ring->name, err);
	return ret < 0 ? ret : 0;
}

/* The ring's contents, before anybody else can see it. */
static int fill_ring(struct hl_ring *ring, const struct hl_ring_attr *attr,
		     const struct hli_geometry *geo, const char *schema,
		     struct hl_error *err)
{
	struct hli_view *const view = &ring->view;
	int ret = 0;
	size_t i;

	hli_layout_init(view, ring->segment.base, geo);
	view->header->created_ns = (uint64_t)hli_clock_ns(CLOCK_REALTIME);
	view->header->creator_pid = (uint32_t)getpid();
	hli_read_boot_id(view->header->boot_id);
	if (schema)
		memcpy(view->base + geo->schema_at, schema, geo->schema_bytes);
	for (i = 0; i < attr->ngroups && ret == 0; i++)
		ret = add_group(ring, &attr->groups[i], err);
	if (ret == 0)
		hli_layout_publish(view);
	HLI_HOOK("create_published");
	return ret;
}

int hl_ring_create(const char *name, const struct hl_ring_attr *attr,
		   struct hl_ring **out, struct hl_error *err)
{
	struct hl_ring_attr wanted = HL_RING_ATTR_INIT;
	struct hli_geometry geo;
	struct hl_ring *ring;
	char *schema = NULL;
	int ret;

	*out = NULL;
	if (!name)
		return hli_fail(err, -EINVAL, "a ring needs a name");
	ret = attr ? check_attr(attr, name, err) : 0;
	if (ret < 0)
		return ret;
	if (attr)
		wanted = *attr;
	ret = hli_schema_attr(&wanted, name, err);
	if (ret == 0)
		ret = hli_geometry_from_attr(&geo, &wanted, name, err);
	if (ret == 0)
		ret = hli_schema_add(&geo, wanted.schema, &schema, name, err);
	if (ret == 0)
		ret = new_ring(name, &ring, err);
	if (ret < 0)
		goto err_text;
	if (!hli_membarrier_works())
		geo.features |= HLI_FEATURE_WAKERS_FENCE;
	ret = hli_segment_create(&ring->segment, name, &wanted, &geo, err);
	if (ret < 0)
		goto err_free;
	ret = fill_ring(ring, &wanted, &geo, schema, err);
	if (ret == 0)
		ret = hli_segment_publish(&ring->segment, name, err);
	if (ret < 0)
		goto err_close;
	*out = ring;
	free(schema);
	return 0;

err_close:
	hli_segment_close(&ring->segment);
err_free:
	free(ring);
err_text:
	free(schema);
	return ret;
}

static int check_open_flags(unsigned flags, const char *name,
			    struct hl_error *err)
{
	if (flags &
	    ~(HL_RING_PREFAULT | HL_RING_HUGE_PAGES | HL_OPEN_ANY_OWNER))
		return hli_fail(err, -EINVAL, "%s: flags %x are not defined",
				name, flags);
	return 0;
}

int hl_ring_open(const char *name, unsigned flags, struct hl_ring **out,
		 struct hl_error *err)
{
	struct hli_geometry geo;
	struct hl_ring *ring;
	int ret;

	*out = NULL;
	if (!name)
		return hli_fail(err, -EINVAL, "a ring needs a name");
	ret = check_open_flags(flags, name, err);
	if (ret == 0)
		ret = new_ring(name, &ring, err);
	if (ret < 0)
		return ret;
	ret = hli_segment_open(&ring->segment, &geo, name, flags, false, err);
	if (ret < 0) {
		free(ring);
		return ret;
	}
	hli_view_init(&ring->view, ring->segment.base, &geo);
	*out = ring;
	return 0;
}

int hl_ring_open_or_create(const char *name, const struct hl_ring_attr *attr,
			   struct hl_ring **out, struct hl_error *err)
{
	const unsigned flags = attr ? attr->flags : 0;
	int ret, i;

	/* Again when it came between our open and our create, or went. */
	for (i = 0; i < OPEN_OR_CREATE_TRIES; i++) {
		ret = hl_ring_open(name, flags, out, err);
		if (ret != -ENOENT)
			return ret;
		ret = hl_ring_create(name, attr, out, err);
		if (ret != -EEXIST)
			return ret;
	}
	return ret;
}

int hl_ring_open_fd(int fd, unsigned flags, struct hl_ring **out,
		    struct hl_error *err)
{
	struct hli_geometry geo;
	struct hl_ring *ring;
	int ret;

	*out = NULL;
	ret = check_open_flags(flags, "descriptor", err);
	if (ret == 0)
		ret = new_ring("(descriptor)", &ring, err);
	if (ret < 0)
		return ret;
	ret = hli_segment_open_fd(&ring->segment, &geo, fd, flags, err);
	if (ret < 0) {
		free(ring);
		return ret;
	}
	hli_view_init(&ring->view, ring->segment.base, &geo);
	*out = ring;
	return 0;
}

int hl_ring_close(struct hl_ring *ring)
{
	if (!ring)
		return 0;
	if (hli_load_acq(&ring->members))
		return -EBUSY;
	hli_segment_close(&ring->segment);
	free(ring);
	return 0;
}

const char *hl_ring_name(const struct hl_ring *ring)
{
	return ring->name;
}

int hl_ring_fd(const struct hl_ring *ring)
{
	return ring->segment.fd;
}

void hli_info_from_view(const struct hli_view *view, uint64_t page_bytes,
			struct hl_ring_info *info)
{
	const struct hli_geometry *const geo = &view->geo;

	*info = (struct hl_ring_info){
		.file_bytes = geo->file_bytes,
		.capacity = geo->capacity,
		.start_position = geo->start_position,
		.arena_bytes = (uint64_t)geo->nblocks * geo->block_stride,
		.slot_bytes = geo->slot_bytes,
		.nblocks = geo->nblocks,
		.block_bytes = geo->block_bytes,
		.max_producers = geo->max_producers,
		.max_consumers = geo->max_consumers,
		.max_groups = geo->max_groups,
		.message_magic = geo->message_magic,
		.producers = (enum hl_producers)geo->producers,
		.unread = (enum hl_unread)geo->unread,
		.checksum = (enum hl_checksum)geo->checksum,
		.wakers_fence = geo->features & HLI_FEATURE_WAKERS_FENCE,
		.page_bytes = page_bytes,
	};
	info->overhead_bytes = info->file_bytes - info->arena_bytes -
			       info->capacity * info->slot_bytes;
}

void hl_ring_get_info(const struct hl_ring *ring, struct hl_ring_info *info)
{
	hli_info_from_view(&ring->view, ring->segment.page_bytes, info);
}

enum hl_name_state hl_ring_name_state(const struct hl_ring *ring)
{
	return hli_segment_name_state(&ring->segment);
}

int hl_ring_path(const char *name, char *path, size_t path_bytes,
		 struct hl_error *err)
{
	char full[HLI_PATH_MAX];
	const int ret = hli_segment_path(name, full, err);

	if (ret < 0)
		return ret;
	if (strlen(full) >= path_bytes)
		return hli_fail(err, -EINVAL, "%s: no room for its path", name);
	memcpy(path, full, strlen(full) + 1);
	return 0;
}

int hl_ring_finish(struct hl_ring *ring, struct hl_error *err)
{
	const bool sole = ring->view.geo.producers == HL_PRODUCERS_SOLE;
	int fd, ret = 0;

	fd = hli_lock_open(ring->segment.fd);
	if (fd < 0)
		return hli_fail(err, fd, "%s: cannot open it again: %s",
				ring->name, strerror(-fd));
	if (!hli_segment_is(&ring->segment, fd))
		ret = hli_fail(err, -EIDRM,
			       "%s: its descriptor was closed by somebody else",
			       ring->name);
	/* Whoever wakes must have registered, where sleepers pay. */
	if (ret == 0)
		ret = hli_register_barrier(ring, err);
	if (ret == 0 && sole)
		ret = hli_lock_wait(fd, HLI_LOCK_PRODUCER_SEAT, HLI_DYING_NS);
	if (ret == 0) {
		hli_finish(&ring->view);
		hli_wake(&ring->view, UINT64_MAX);
	}
	hli_lock_drop(fd, HLI_LOCK_PRODUCER_SEAT);
	close(fd);
	if (ret == -ETIMEDOUT)
		return hli_fail(err, -EBUSY,
				"%s: its sole producer lives: it has to finish "
				"the ring",
				ring->name);
	return ret;
}

int hl_group_create(struct hl_ring *ring, const struct hl_group_attr *attr,
		    struct hl_error *err)
{
	struct hli_member member = { 0 };
	int ret = hli_join_begin(&member, ring, err);

	if (ret == 0)
		ret = add_group(ring, attr, err);
	hli_join_cancel(&member);
	/* Also when it failed: it held them back for a moment. */
	hli_wake(&ring->view, HLI_SLEEPERS_PRODUCERS);
	return ret;
}

int hl_group_drop(struct hl_ring *ring, const char *name, struct hl_error *err)
{
	struct hli_member member = { 0 };
	int ret, group;

	ret = hli_join_begin(&member, ring, err);
	if (ret < 0)
		goto out;
	group = name ? hli_group_find(&ring->view, name) : -ENOENT;
	if (group < 0) {
		ret = hli_fail(err, -ENOENT, "%s: there is no group %s",
			       ring->name, name ? name : "(null)");
		goto out;
	}
	if (!hli_group_drop_dead(&member, (uint32_t)group))
		ret = hli_fail(err, -EBUSY,
			       "%s: group %s has a member that lives",
			       ring->name, name);
out:
	hli_join_cancel(&member);
	return ret;
}

/* Does anybody live? Under the control byte; our description has no other. */
static int refuse_living(struct hl_ring *ring, struct hli_member *member,
			 struct hl_error *err)
{
	uint32_t i;

	for (i = 0; i < ring->view.nrecords; i++) {
		const struct hli_record *const r = &ring->view.records[i];

		if (hli_lock_probe(member->lock_fd, HLI_LOCK_RECORD(i)) == 1)
			return hli_fail(err, -EBUSY,
					"%s: in use by %.15s, pid %u",
					ring->name, r->name,
					hli_load_rlx(&r->pid));
	}
	return 0;
}

static int unlink_path(const char *name, struct hl_error *err)
{
	char path[HLI_PATH_MAX];
	int ret = hli_segment_path(name, path, err);

	if (ret == 0 && unlink(path) < 0)
		ret = hli_fail(err, -errno, "%s: cannot remove %s: %s", name,
			       path, strerror(errno));
	return ret;
}

int hl_ring_unlink(const char *name, bool force, struct hl_error *err)
{
	struct hli_member member = { 0 };
	struct hl_ring *ring;
	int ret;

	ret = hl_ring_open(name, HL_OPEN_ANY_OWNER, &ring, err);
	if (ret < 0)
		return force && ret != -ENOENT && ret != -EINVAL ?
			       unlink_path(name, err) :
			       ret;
	ret = hli_join_begin(&member, ring, err);
	if (ret == 0)
		ret = refuse_living(ring, &member, err);
	/* Removed meanwhile: as if it had not been found. */
	if (ret == 0 || ret == -EIDRM || force) {
		/* The control byte of this very file has to be ours. */
		ret = hli_segment_named(&ring->segment);
		if (ret == 1)
			ret = unlink_path(name, err);
		else
			ret = hli_fail(
				err, -ENOENT,
				"%s: removed or replaced by another just "
				"now",
				name);
	}
	hli_join_cancel(&member);
	(void)hl_ring_close(ring);
	return ret;
}
