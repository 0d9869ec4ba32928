/* SPDX-License-Identifier: MIT */
/*
 * salvage.c - read what messages a damaged file still holds
 *
 * Guarantees: reads a private copy of nothing but what lies inside the file,
 * and believes a slot only if its stamp fits its place. Whether a message is
 * whole, its checksum tells, if the ring had one.
 *
 * Head, groups and the kind of checksum are believed where the whole header is:
 * what they say is then one more reason, and never takes a message away that a
 * group has not finished.
 */
#include "config.h"

#include <hotline/admin.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "group.h"
#include "handle.h"
#include "inspect.h"
#include "record.h"
#include "segment.h"
#include "take.h"
#include "util.h"

#define SAMPLE 256 /* slots that are looked at for each page */

struct range {
	uint64_t from, to;
};

/* A file, and what it says of its messages. */
struct wreck {
	struct hli_segment segment;
	struct hli_view view;
	bool known; /* its header is believed; else what follows is empty */
	uint64_t head, announced;
	uint64_t next; /* the lowest that a group is still to be given */
	struct range *in_hand;
	uint32_t nin_hand;
};

/* Slots that begin before the file ends: it may have been cut. */
static uint64_t slots_inside(const struct wreck *wreck)
{
	const struct hli_geometry *const geo = &wreck->view.geo;

	return hli_min(geo->capacity,
		       (wreck->segment.map_bytes - geo->slots_at) /
			       geo->slot_bytes);
}

static bool fits(uint64_t stamp, uint64_t slot, uint64_t capacity)
{
	const uint64_t p = hli_stamp_position(stamp);

	return p > 0 && ((p - 1) & (capacity - 1)) == slot;
}

/* The page where most of a sample of stamps fit their places. */
static void search_slots(const struct hli_segment *segment,
			 struct hli_geometry *geo)
{
	const uint64_t step = hli_max(geo->capacity / SAMPLE, 1);
	uint64_t at, i, n, most = 0;
	uint64_t stamp;

	geo->slots_at = UINT64_MAX; /* unless one fits */
	for (at = HLI_PAGE_BYTES; at < segment->map_bytes;
	     at += HLI_PAGE_BYTES) {
		for (i = n = 0; i < geo->capacity; i += step) {
			const uint64_t byte =
				at + i * geo->slot_bytes + HL_SEQUENCE_OFFSET;

			if (byte + sizeof(stamp) > segment->map_bytes)
				break;
			memcpy(&stamp, (char *)segment->base + byte,
			       sizeof(stamp));
			n += fits(stamp, i, geo->capacity);
		}
		if (n > most) {
			most = n;
			geo->slots_at = at;
		}
	}
}

/* Where the slots are, by the header as far as it can be believed. */
static int find_slots(const struct hli_segment *segment,
		      struct hli_geometry *geo, const struct hli_header *header,
		      const char *name, struct hl_error *err)
{
	uint64_t end;

	geo->slots_at = header->slots_at;
	geo->arena_at = header->arena_at;
	geo->nblocks = header->nblocks;
	geo->block_stride = header->block_stride;
	if (geo->slot_bytes == 0 || geo->slot_bytes % HL_LINE_BYTES ||
	    geo->slot_bytes > HL_SLOT_BYTES_MAX ||
	    !hli_power_of_two(geo->capacity) || geo->capacity > HL_CAPACITY_MAX)
		return hli_fail(err, -EINVAL,
				"%s: the header does not tell where the slots "
				"are: slot size and capacity are needed",
				name);
	if (geo->slots_at < sizeof(*header) || geo->slots_at % HLI_PAGE_BYTES ||
	    geo->slots_at > segment->map_bytes)
		search_slots(segment, geo);
	if (geo->slots_at > segment->map_bytes)
		return hli_fail(err, -EBADMSG, "%s: no slot was found", name);
	/* Payloads only where the arena can be believed, too. */
	if (geo->arena_at > segment->map_bytes || geo->block_stride == 0 ||
	    geo->block_stride % HL_LINE_BYTES ||
	    !hli_mul_u64(geo->nblocks, geo->block_stride, &end) ||
	    end > segment->map_bytes - geo->arena_at)
		geo->nblocks = 0;
	return 0;
}

/* The geometry: the header's if all of it fits, else what can be found. */
static int survey(struct wreck *wreck, uint32_t slot_bytes, uint64_t capacity,
		  const char *name, struct hl_error *err)
{
	const struct hli_segment *const segment = &wreck->segment;
	struct hli_geometry geo;
	struct hli_header header; /* nobody changes it while it is checked */
	int ret = hli_segment_read_header(segment->fd, &header);

	if (ret < 0)
		return hli_fail(err, ret, "%s: cannot read it: %s", name,
				strerror(-ret));
	wreck->known = hli_geometry_from_file(&geo, &header, segment->map_bytes,
					      name, NULL) == 0 &&
		       (slot_bytes == 0 || slot_bytes == geo.slot_bytes) &&
		       (capacity == 0 || capacity == geo.capacity);
	if (!wreck->known) {
		memset(&geo, 0, sizeof(geo));
		geo.slot_bytes = slot_bytes ? slot_bytes : header.slot_bytes;
		geo.capacity = capacity ? capacity : header.capacity;
		ret = find_slots(segment, &geo, &header, name, err);
	}
	if (ret == 0)
		hli_view_init(&wreck->view, segment->base, &geo);
	return ret;
}

/* Head, and what groups are still to be given or have in hand. */
static int read_groups(struct wreck *wreck)
{
	const struct hli_view *const view = &wreck->view;
	const uint32_t most = view->nrecords + view->geo.max_groups;
	struct range r;
	uint32_t i;

	wreck->next = UINT64_MAX;
	if (!wreck->known)
		return 0;
	wreck->in_hand = calloc(most, sizeof(*wreck->in_hand));
	if (!wreck->in_hand)
		return -ENOMEM;
	wreck->head = hli_head(view);
	wreck->announced = hli_load_acq(&view->header->announced);
	for (i = 0; i < view->geo.max_groups; i++) {
		const struct hli_group *const g = &view->groups[i];
		const uint32_t kind = hli_load_rlx(&g->kind); /* used below */

		if (hli_load_acq(&g->state) != HLI_GROUP_USED ||
		    kind >= HL_GROUP_LOSSY)
			continue;
		r.from = hli_load_acq(&g->next);
		r.to = hli_load_acq(&g->handed);
		wreck->next = hli_min(wreck->next, r.from);
		if (kind == HL_GROUP_EXCLUSIVE && r.from < r.to)
			wreck->in_hand[wreck->nin_hand++] = r;
	}
	for (i = view->geo.max_producers; i < view->nrecords; i++) {
		if (hli_range_get(&view->records[i], &r.from, &r.to))
			wreck->in_hand[wreck->nin_hand++] = r;
	}
	return 0;
}

static bool is_in_hand(const struct wreck *wreck, uint64_t p)
{
	uint32_t i;

	for (i = 0; i < wreck->nin_hand; i++) {
		if (wreck->in_hand[i].from <= p && p < wreck->in_hand[i].to)
			return true;
	}
	return false;
}

struct found {
	uint64_t position;
	uint64_t slot;
	enum hl_salvage verdict;
};

static int by_position(const void *a, const void *b)
{
	const struct found *const x = a, *const y = b;

	return (x->position > y->position) - (x->position < y->position);
}

/* The position of a slot that is claimed by now, 0 if that is not known. */
static uint64_t claimed_in(const struct wreck *wreck, uint64_t slot)
{
	const uint64_t start = wreck->view.geo.start_position;
	const uint64_t last = wreck->head - 1;
	const uint64_t back = (last - 1 - slot) & wreck->view.mask;

	if (!wreck->known || wreck->head <= start || last - start < back)
		return 0;
	return last - back;
}

/*
 * What a slot holds by its stamp; false for nothing. A stamp of the lap before
 * only says that the slot is claimed again where no group can want that lap's:
 * a head that is wrong takes no message away.
 */
static bool find_in_slot(const struct wreck *wreck, uint64_t slot,
			 struct found *found)
{
	const uint64_t capacity = wreck->view.geo.capacity;
	const uint64_t stamp = hli_load_acq(hli_stamp(&wreck->view, slot + 1));
	const uint64_t p = hli_stamp_position(stamp);
	const uint64_t claimed = claimed_in(wreck, slot);

	found->slot = slot;
	found->position = p;
	found->verdict = HL_SALVAGE_UNPUBLISHED;
	if (!fits(stamp, slot, capacity) ||
	    (claimed - p == capacity && p < wreck->announced &&
	     p < wreck->next && !is_in_hand(wreck, p))) {
		found->position = claimed;
		return claimed > 0;
	}
	found->verdict = p == stamp ? HL_SALVAGE_UNPROVED : HL_SALVAGE_VOID;
	return p >= wreck->view.geo.start_position;
}

static size_t find_all(const struct wreck *wreck, struct found *found)
{
	const uint64_t slots = slots_inside(wreck);
	size_t n = 0;
	uint64_t i;

	for (i = 0; i < slots; i++)
		n += find_in_slot(wreck, i, &found[n]);
	qsort(found, n, sizeof(*found), by_position);
	return n;
}

static bool sum_is_right(const struct hl_salvaged *m,
			 const struct hl_payload *payload)
{
	uint32_t word;

	memcpy(&word, (const char *)m->message + HL_CHECKSUM_OFFSET,
	       sizeof(word));
	return word ==
	       hli_checksum(m->message, m->slot_bytes, m->position, payload);
}

/* A message whose stamp fits: what do its payload and its checksum say? */
static enum hl_salvage judge(const struct wreck *wreck,
			     const struct hl_salvaged *m, bool payload_lost)
{
	const uint32_t kind = wreck->view.geo.checksum;

	if (payload_lost)
		return HL_SALVAGE_NO_PAYLOAD;
	if (wreck->known && kind == HL_CHECKSUM_NONE)
		return HL_SALVAGE_UNPROVED;
	if (sum_is_right(m, kind == HL_CHECKSUM_HEADER ? NULL : m->payload))
		return HL_SALVAGE_WHOLE;
	if (wreck->known)
		return HL_SALVAGE_BAD_CHECKSUM;
	/* Which kind it has is not known, or whether it has any. */
	return m->payload && sum_is_right(m, NULL) ? HL_SALVAGE_WHOLE :
						     HL_SALVAGE_UNPROVED;
}

static int give(const struct wreck *wreck, const struct found *found,
		hl_salvage_fn fn, void *user)
{
	_Alignas(64) unsigned char copy[HL_SLOT_BYTES_MAX];
	const struct hli_geometry *const geo = &wreck->view.geo;
	struct hl_payload payload;
	struct hl_salvaged m = {
		.message = copy,
		.slot_bytes = geo->slot_bytes,
		.position = found->position,
		.verdict = found->verdict,
	};
	int ret;

	hli_copy_words(copy, hli_slot(&wreck->view, found->slot + 1),
		       geo->slot_bytes);
	if (m.verdict == HL_SALVAGE_UNPROVED) {
		ret = hl_payload_find(wreck->view.base, geo->arena_at,
				      geo->nblocks, geo->block_stride,
				      hl_message_payload_offset(copy),
				      &payload);
		m.payload = ret == 0 ? &payload : NULL;
		/* Without an arena the word is the user's. */
		m.verdict = judge(wreck, &m,
				  ret == -EBADMSG &&
					  (geo->nblocks || !wreck->known));
		m.in_hand = is_in_hand(wreck, m.position);
		m.needed = m.in_hand || m.position >= wreck->next;
	}
	return fn(&m, user);
}

static int64_t give_all(const struct wreck *wreck, struct found *found,
			hl_salvage_fn fn, void *user)
{
	const size_t n = find_all(wreck, found);
	int64_t messages = 0;
	size_t i;
	int ret;

	for (i = 0; i < n; i++) {
		ret = give(wreck, &found[i], fn, user);
		if (ret)
			return ret;
		messages += found[i].verdict == HL_SALVAGE_UNPROVED;
	}
	return messages;
}

int64_t hl_ring_salvage(const char *name, uint32_t slot_bytes,
			uint64_t capacity, hl_salvage_fn fn, void *user,
			struct hl_error *err)
{
	struct wreck wreck = { 0 };
	struct found *found = NULL;
	int64_t ret;

	ret = hli_segment_open_raw(&wreck.segment, name, err);
	if (ret < 0)
		return ret;
	ret = survey(&wreck, slot_bytes, capacity, name, err);
	if (ret < 0)
		goto out;
	found = calloc(wreck.view.geo.capacity, sizeof(*found));
	if (!found || read_groups(&wreck) < 0) {
		ret = hli_fail(err, -ENOMEM, "%s: no memory for a list", name);
		goto out;
	}
	ret = give_all(&wreck, found, fn, user);
out:
	free(found);
	free(wreck.in_hand);
	hli_segment_close(&wreck.segment);
	return ret;
}
