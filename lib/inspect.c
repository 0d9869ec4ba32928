/* SPDX-License-Identifier: MIT */
/*
 * inspect.c - look into a ring without being part of it
 *
 * Guarantees: nothing is written, no byte is locked, and a damaged ring gives
 * wrong figures at worst: every shared word is read once, and what is used as
 * an index is checked.
 */
#include "config.h"

#include "inspect.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "clock.h"
#include "group.h"
#include "handle.h"
#include "join.h"
#include "liveness.h"
#include "record.h"
#include "util.h"

int hl_inspect_open(const char *name, unsigned flags, struct hl_inspect **out,
		    struct hl_error *err)
{
	struct hli_geometry geo;
	struct hl_inspect *inspect;
	int ret;

	*out = NULL;
	inspect = calloc(1, sizeof(*inspect));
	if (!inspect)
		return hli_fail(err, -ENOMEM, "no memory for a handle");
	ret = hli_segment_open(&inspect->segment, &geo, name, flags, true, err);
	if (ret < 0) {
		free(inspect);
		return ret;
	}
	hli_view_init(&inspect->view, inspect->segment.base, &geo);
	hli_copy_text(inspect->name, sizeof(inspect->name), name);
	*out = inspect;
	return 0;
}

void hl_inspect_close(struct hl_inspect *inspect)
{
	if (!inspect)
		return;
	hli_segment_close(&inspect->segment);
	free(inspect);
}

void hli_shared_text(char *to, size_t n, const char *from)
{
	size_t i;

	for (i = 0; i + 1 < n; i++) {
		to[i] = *(const volatile char *)&from[i];
		if (to[i] == '\0')
			break;
	}
	memset(to + i, 0, n - i);
}

static enum hl_liveness liveness(const struct hl_inspect *inspect, uint32_t i)
{
	const enum hli_state state =
		hli_record_state(&inspect->view.records[i]);
	const int held =
		hli_lock_probe(inspect->segment.fd, HLI_LOCK_RECORD(i));

	if (held == 0 || state == HLI_DEAD)
		return HL_DEAD;
	return state == HLI_EVICTED ? HL_EVICTED : HL_ALIVE;
}

/* a - b, or 0 when the ring moved on between the two. */
static uint64_t behind(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

static void count_participants(const struct hl_inspect *inspect,
			       struct hl_ring_status *status)
{
	const struct hli_view *const view = &inspect->view;
	uint32_t i;

	for (i = 0; i < view->nrecords; i++) {
		if (hli_record_state(&view->records[i]) == HLI_FREE)
			continue;
		if (liveness(inspect, i) == HL_DEAD)
			status->dead++;
		else
			status->alive++;
	}
}

enum hl_name_state hl_inspect_name_state(const struct hl_inspect *inspect)
{
	return hli_segment_name_state(&inspect->segment);
}

static uint64_t age(uint64_t since_ns)
{
	const uint64_t now = (uint64_t)hli_now_ns();

	return now > since_ns ? now - since_ns : 0;
}

/* Hints, each word by itself. */
static void waited_for(struct hl_ring_status *status,
		       const struct hli_header *header)
{
	status->held_position = hli_load_rlx(&header->held_position);
	status->full_position = hli_load_rlx(&header->full_position);
	if (status->held_position)
		status->held_for_ns = age(hli_load_rlx(&header->held_since_ns));
	if (status->full_position)
		status->full_for_ns = age(hli_load_rlx(&header->full_since_ns));
}

void hl_inspect_ring(const struct hl_inspect *inspect,
		     struct hl_ring_status *status)
{
	const struct hli_view *const view = &inspect->view;
	const struct hli_header *const header = view->header;
	char boot[sizeof(status->boot_id)];
	struct stat st;
	uint64_t head;
	uint32_t i;

	memset(status, 0, sizeof(*status));
	hli_info_from_view(view, inspect->segment.page_bytes, &status->info);
	status->low = hli_low_scan(view);
	status->announced = hli_load_acq(&header->announced);
	head = hli_load_acq(&header->head);
	status->head = hli_head_position(head);
	status->finished = head & HLI_FINISHED;
	status->created_ns = header->created_ns;
	status->creator_pid = header->creator_pid;
	hli_shared_text(status->boot_id, sizeof(status->boot_id),
			header->boot_id);
	hli_read_boot_id(boot);
	status->this_boot = memcmp(boot, status->boot_id, sizeof(boot)) == 0;
	waited_for(status, header);
	status->bounds_found = hli_load_rlx(&header->bounds_found); /* figure */
	status->reaped = hli_load_rlx(&header->reaped);		    /* figure */
	status->voided = hli_load_rlx(&header->voided);		    /* figure */
	for (i = 0; i < view->geo.max_groups; i++)
		status->groups += hli_load_acq(&view->groups[i].state) ==
				  HLI_GROUP_USED;
	count_participants(inspect, status);
	if (fstat(inspect->segment.fd, &st) == 0) {
		status->owner_uid = st.st_uid;
		status->mode = st.st_mode & 07777u;
	}
}

/* All figures below are read one by one, while the ring moves on. */
static void add_member(struct hl_group_status *status,
		       const struct hli_record *r)
{
	status->messages += hli_load_rlx(&r->messages);
	status->batches += hli_load_rlx(&r->batches);
	status->redelivered += hli_load_rlx(&r->dropped);
	status->lost += hli_load_rlx(&r->full);
	status->voids += hli_load_rlx(&r->voids);
	status->waits += hli_load_rlx(&r->waits);
	status->wakeups += hli_load_rlx(&r->wakeups);
}

int hl_inspect_group(const struct hl_inspect *inspect, uint32_t index,
		     struct hl_group_status *status)
{
	const struct hli_view *const view = &inspect->view;
	const struct hli_group *g;
	uint32_t i;

	if (index >= view->geo.max_groups)
		return -EINVAL;
	g = &view->groups[index];
	memset(status, 0, sizeof(*status));
	if (hli_load_acq(&g->state) != HLI_GROUP_USED)
		return 0;
	hli_shared_text(status->name, sizeof(status->name), g->name);
	status->kind = (enum hl_group_kind)hli_load_rlx(&g->kind);
	status->durable = hli_load_rlx(&g->durable);
	status->cursor = hli_load_acq(&g->next);
	status->low = hli_group_low(view, index);
	status->depth = behind(hli_head(&inspect->view), status->low);
	status->messages = hli_load_rlx(&g->messages);
	status->batches = hli_load_rlx(&g->batches);
	status->redelivered = hli_load_rlx(&g->redelivered);
	status->lost = hli_load_rlx(&g->lost);
	status->voids = hli_load_rlx(&g->voids);
	status->waits = hli_load_rlx(&g->waits);
	status->wakeups = hli_load_rlx(&g->wakeups);
	status->dead_letters = hli_load_rlx(&g->dead_letters);
	for (i = view->geo.max_producers; i < view->nrecords; i++) {
		if (!hli_group_has(view, index, i))
			continue;
		add_member(status, &view->records[i]);
		if (liveness(inspect, i) == HL_DEAD)
			status->dead++;
		else
			status->alive++;
	}
	return 1;
}

static void consumer_figures(const struct hl_inspect *inspect,
			     const struct hli_record *r,
			     struct hl_participant_status *status)
{
	const struct hli_view *const view = &inspect->view;
	const uint64_t head = hli_head(&inspect->view);
	uint64_t first;

	status->lost = hli_load_rlx(&r->full);
	status->redelivered = hli_load_rlx(&r->dropped);
	status->attempts = hli_load_rlx(&r->attempts);
	status->group = hli_load_rlx(&r->group);
	if (status->group >= view->geo.max_groups)
		return;
	status->cursor = hli_load_acq(&view->groups[status->group].next);
	/* An exclusive consumer's range is in its group. */
	if (hli_load_rlx(&view->groups[status->group].kind) ==
	    HL_GROUP_EXCLUSIVE) {
		status->from = status->cursor;
		status->to = hli_load_acq(&view->groups[status->group].handed);
	}
	first = status->from < status->to ? status->from : status->cursor;
	status->lag = behind(head, first);
}

int hl_inspect_participant(const struct hl_inspect *inspect, uint32_t index,
			   struct hl_participant_status *status)
{
	const struct hli_view *const view = &inspect->view;
	const struct hli_record *r;
	uint32_t word;

	if (index >= view->nrecords)
		return -EINVAL;
	r = &view->records[index];
	memset(status, 0, sizeof(*status));
	/* Before the rest: what it belongs to is then of this tenure or later,
	 * and who acts on an older one is refused. */
	word = hli_load_acq(&r->state);
	if ((word & HLI_STATE_MASK) == HLI_FREE)
		return 0;
	status->tenure = word / HLI_TENURE_STEP;
	hli_shared_text(status->name, sizeof(status->name), r->name);
	status->producer = index < view->geo.max_producers;
	status->liveness = liveness(inspect, index);
	status->pid = hli_load_rlx(&r->pid);
	status->uid = hli_load_rlx(&r->uid);
	status->pid_start = hli_load_rlx(&r->pid_start);
	status->joined_ns = hli_load_rlx(&r->joined_ns);
	status->from = hli_load_acq(&r->from);
	status->to = hli_load_acq(&r->to);
	status->messages = hli_load_rlx(&r->messages);
	status->batches = hli_load_rlx(&r->batches);
	status->waits = hli_load_rlx(&r->waits);
	status->wakeups = hli_load_rlx(&r->wakeups);
	if (!status->producer) {
		consumer_figures(inspect, r, status);
		return 1;
	}
	status->cursor = hli_head(&inspect->view);
	status->full = hli_load_rlx(&r->full);
	status->dropped = hli_load_rlx(&r->dropped);
	return 1;
}

int hl_inspect_block(const struct hl_inspect *inspect, uint32_t index,
		     struct hl_block_status *status)
{
	const struct hli_view *const view = &inspect->view;
	const struct hli_block *b;
	uint32_t owner;

	if (index >= view->geo.nblocks)
		return -EINVAL;
	b = &view->blocks[index];
	owner = hli_load_acq(&b->owner);
	status->leased = owner != 0;
	status->owner = owner ? owner - 1 : 0;
	status->lease_position = hli_load_rlx(&b->lease_position);
	status->last_position = hli_load_rlx(&b->last_position);
	status->reusable = !owner && status->last_position < hli_low_scan(view);
	return 1;
}

/* Head first: a position below it is claimed, whatever its stamp says then. */
static enum hl_position_state position_state(const struct hli_view *view,
					     uint64_t p)
{
	const uint64_t capacity = view->geo.capacity;
	const uint64_t head = hli_head(view);
	const uint64_t stamp = hli_load_acq(hli_stamp(view, p));
	const uint64_t named = hli_stamp_position(stamp);

	if (named && ((named ^ p) & view->mask))
		return HL_POSITION_DAMAGED;
	if (named > p || p < view->geo.start_position ||
	    (p < head && head - p > capacity))
		return HL_POSITION_OVERWRITTEN;
	if (named == p)
		return stamp == p ? HL_POSITION_PUBLISHED : HL_POSITION_VOID;
	if (p >= head)
		return HL_POSITION_UNCLAIMED;
	return named == (p > capacity ? p - capacity : 0) ?
		       HL_POSITION_UNPUBLISHED :
		       HL_POSITION_DAMAGED;
}

static bool has_in_hand(const struct hli_view *view, uint32_t record,
			uint64_t p)
{
	const struct hli_record *const r = &view->records[record];
	const uint32_t group = hli_load_rlx(&r->group); /* checked below */
	uint64_t from, to;

	if (hli_record_state(r) == HLI_FREE)
		return false;
	if (record >= view->geo.max_producers && group < view->geo.max_groups &&
	    /* A hint: the group may be dropped meanwhile. */
	    hli_load_rlx(&view->groups[group].kind) == HL_GROUP_EXCLUSIVE)
		return p >= hli_load_acq(&view->groups[group].next) &&
		       p < hli_load_acq(&view->groups[group].handed);
	return hli_range_get(r, &from, &to) && from <= p && p < to;
}

static uint32_t owner_of(const struct hli_view *view, uint64_t p,
			 enum hl_position_state state)
{
	const bool claimed = state == HL_POSITION_UNPUBLISHED;
	const uint32_t end = claimed ? view->geo.max_producers : view->nrecords;
	uint32_t i = claimed ? 0 : view->geo.max_producers;

	if (!claimed && state != HL_POSITION_PUBLISHED)
		return HL_NOBODY;
	while (i < end && !has_in_hand(view, i, p))
		i++;
	return i < end ? i : HL_NOBODY;
}

int hl_inspect_position(const struct hl_inspect *inspect, uint64_t position,
			struct hl_position_status *status)
{
	if (position == 0 || position >= HL_POSITION_MAX)
		return -EINVAL;
	status->state = position_state(&inspect->view, position);
	status->owner = owner_of(&inspect->view, position, status->state);
	return 1;
}

static int is_ring_file(const struct dirent *entry)
{
	const size_t prefix = strlen(HLI_FILE_PREFIX);

	return strncmp(entry->d_name, HLI_FILE_PREFIX, prefix) == 0 &&
	       hli_name_ok(entry->d_name + prefix, HL_NAME_MAX);
}

int hl_ring_list(int (*fn)(const char *name, void *user), void *user,
		 struct hl_error *err)
{
	struct dirent **entries;
	int n, i, ret = 0;

	n = scandir(hli_folder(), &entries, is_ring_file, alphasort);
	if (n < 0)
		return hli_fail(err, -errno, "%s: cannot list it: %s",
				hli_folder(), strerror(errno));
	for (i = 0; i < n; i++) {
		if (ret == 0)
			ret = fn(entries[i]->d_name + strlen(HLI_FILE_PREFIX),
				 user);
		free(entries[i]);
	}
	free(entries);
	return ret;
}
