/* SPDX-License-Identifier: MIT */
/*
 * salvage.c - read what messages a damaged file still holds
 *
 * Guarantees: reads a private copy of nothing but what lies inside the file,
 * and believes a slot only if its stamp fits its place. Whether a message is
 * whole, its checksum tells, if the ring had one.
 */
#include "config.h"

#include <hotline/admin.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "inspect.h"
#include "segment.h"
#include "take.h"
#include "util.h"

#define SAMPLE 256 /* slots that are looked at for each page */

/* Slots that begin before the file ends: it may have been cut. */
static uint64_t slots_inside(const struct hli_segment *segment,
			     const struct hli_geometry *geo)
{
	return hli_min(geo->capacity,
		       (segment->map_bytes - geo->slots_at) / geo->slot_bytes);
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
		      struct hli_geometry *geo, uint32_t slot_bytes,
		      uint64_t capacity, const char *name, struct hl_error *err)
{
	struct hli_header copy; /* nobody changes it while it is checked */
	const struct hli_header *const header = &copy;
	uint64_t end;
	const int ret = hli_segment_read_header(segment->fd, &copy);

	if (ret < 0)
		return hli_fail(err, ret, "%s: cannot read it: %s", name,
				strerror(-ret));

	memset(geo, 0, sizeof(*geo));
	geo->slot_bytes = slot_bytes ? slot_bytes : header->slot_bytes;
	geo->capacity = capacity ? capacity : header->capacity;
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

struct found {
	uint64_t position;
	uint64_t slot;
};

static int by_position(const void *a, const void *b)
{
	const struct found *const x = a, *const y = b;

	return (x->position > y->position) - (x->position < y->position);
}

/* All slots whose stamp is of their place: how many. */
static size_t find_messages(const struct hli_view *view, uint64_t slots,
			    struct found *found)
{
	const uint64_t capacity = view->geo.capacity;
	size_t n = 0;
	uint64_t i;

	for (i = 0; i < slots; i++) {
		const uint64_t s = hli_load_acq(hli_stamp(view, i + 1));

		if (s == 0 || (s & HL_SEQUENCE_VOID) ||
		    ((s - 1) & (capacity - 1)) != i)
			continue;
		found[n++] = (struct found){ .position = s, .slot = i };
	}
	qsort(found, n, sizeof(*found), by_position);
	return n;
}

static int64_t give_all(const struct hli_view *view, const struct found *found,
			size_t n, hl_salvage_fn fn, void *user)
{
	_Alignas(64) unsigned char copy[HL_SLOT_BYTES_MAX];
	struct hl_payload payload;
	size_t i;
	int ret;

	for (i = 0; i < n; i++) {
		hli_copy_words(copy, hli_slot(view, found[i].slot + 1),
			       view->geo.slot_bytes);
		ret = hl_payload_find(view->base, view->geo.arena_at,
				      view->geo.nblocks, view->geo.block_stride,
				      hl_message_payload_offset(copy),
				      &payload);
		ret = fn(copy, view->geo.slot_bytes, found[i].position,
			 ret == 0 ? &payload : NULL, user);
		if (ret)
			return ret;
	}
	return (int64_t)n;
}

int64_t hl_ring_salvage(const char *name, uint32_t slot_bytes,
			uint64_t capacity, hl_salvage_fn fn, void *user,
			struct hl_error *err)
{
	struct hli_segment segment;
	struct hli_geometry geo;
	struct hli_view view;
	struct found *found;
	int64_t ret;

	ret = hli_segment_open_raw(&segment, name, err);
	if (ret < 0)
		return ret;
	ret = find_slots(&segment, &geo, slot_bytes, capacity, name, err);
	if (ret < 0)
		goto out;
	hli_view_init(&view, segment.base, &geo);
	found = calloc(geo.capacity, sizeof(*found));
	if (!found) {
		ret = hli_fail(err, -ENOMEM, "%s: no memory for a list", name);
		goto out;
	}
	ret = give_all(&view, found,
		       find_messages(&view, slots_inside(&segment, &geo),
				     found),
		       fn, user);
	free(found);
out:
	hli_segment_close(&segment);
	return ret;
}
