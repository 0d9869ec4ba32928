/* SPDX-License-Identifier: MIT */
/*
 * layout.c - compute, write and check where everything in a ring's file is
 *
 * Guarantees: a geometry that came through here describes tables that lie one
 * behind the other inside file_bytes, so that every index below its count and
 * every position, masked, leads into the mapping.
 *
 * The places follow from the counts alone. A file's header is checked by
 * computing them again and comparing: there is no second set of rules.
 */
#include "config.h"

#include "layout.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <hotline/ring.h>

#include "util.h"

#include <hotline/message.h>

#define DEFAULT_CAPACITY 1024u
#define DEFAULT_PRODUCERS 16u
#define DEFAULT_CONSUMERS 48u
#define DEFAULT_GROUPS 16u
#define MAX_PARTICIPANTS 1024u
#define MAX_BLOCK_BYTES (1u << 30)
#define MIN_BLOCK_STRIDE 1024u
#define BLOCKS_PER_PRODUCER 4u
/* payload_offset counts lines in 32 bits */
#define MAX_FILE_BYTES ((uint64_t)UINT32_MAX * HL_LINE_BYTES)

/* Where the tables are, from the counts. False when it does not fit. */
static bool compute_places(struct hli_geometry *geo)
{
	uint64_t slots, arena, at;

	geo->groups_at = sizeof(struct hli_header);
	geo->records_at =
		geo->groups_at + geo->max_groups * sizeof(struct hli_group);
	geo->blocks_at = geo->records_at +
			 ((uint64_t)geo->max_producers + geo->max_consumers) *
				 sizeof(struct hli_record);
	at = geo->blocks_at + geo->nblocks * sizeof(struct hli_block);
	geo->schema_at = 0;
	if (geo->schema_bytes) {
		geo->schema_at = hli_round_up(at, HL_LINE_BYTES);
		at = geo->schema_at + geo->schema_bytes;
	}
	geo->slots_at = hli_round_up(at, HLI_PAGE_BYTES);
	slots = geo->capacity * geo->slot_bytes;
	geo->arena_at = hli_round_up(geo->slots_at + slots, HLI_PAGE_BYTES);
	if (!hli_mul_u64(geo->nblocks, geo->block_stride, &arena) ||
	    !hli_add_u64(geo->arena_at, arena, &at))
		return false;
	geo->file_bytes = hli_round_up(at, HLI_PAGE_BYTES);
	return geo->file_bytes <= MAX_FILE_BYTES;
}

/* Limits that hold for an attr and for a file alike; NULL if all is well. */
static const char *limits_broken(const struct hli_geometry *geo)
{
	if (!hli_power_of_two(geo->capacity) || geo->capacity < 2 ||
	    geo->capacity > HL_CAPACITY_MAX)
		return "the capacity is not a power of two from 2 to 2^26";
	if (geo->slot_bytes == 0 || geo->slot_bytes % HL_LINE_BYTES ||
	    geo->slot_bytes > HL_SLOT_BYTES_MAX)
		return "the slot size is not a multiple of 64 up to 1024";
	if (geo->max_producers == 0 || geo->max_producers > MAX_PARTICIPANTS ||
	    geo->max_consumers == 0 || geo->max_consumers > MAX_PARTICIPANTS)
		return "room for producers and consumers has to be 1 to 1024";
	if (geo->max_groups == 0 || geo->max_groups > HL_GROUPS_MAX)
		return "room for groups has to be 1 to 62";
	if (geo->producers > HL_PRODUCERS_SOLE ||
	    geo->unread > HL_UNREAD_REFUSE ||
	    geo->checksum > HL_CHECKSUM_PAYLOAD)
		return "an option has a value that is not defined";
	if (geo->producers == HL_PRODUCERS_SOLE && geo->max_producers != 1)
		return "a ring with a sole producer has room for one";
	if (geo->start_position == 0 || geo->start_position >= HLI_POSITION_END)
		return "the start position is not from 1 to 2^63 - 2";
	if (geo->schema_bytes > HLI_SCHEMA_BYTES_MAX ||
	    !geo->schema_bytes != !(geo->features & HLI_FEATURE_SCHEMA))
		return "the schema's size is not 1 to 65536";
	if (geo->nblocks == 0)
		return geo->block_bytes || geo->block_stride ?
			       "there is a block size but no arena" :
			       NULL;
	if (geo->block_bytes == 0 || geo->block_bytes % HL_LINE_BYTES ||
	    geo->block_bytes > MAX_BLOCK_BYTES)
		return "the block size is not a multiple of 64 up to 1 GiB";
	if (geo->block_stride != geo->block_bytes + HL_LINE_BYTES)
		return "the block stride does not follow from the block size";
	if (geo->nblocks < 2 * geo->max_producers)
		return "an arena needs two blocks for each producer";
	return NULL;
}

/* How the arena is divided: block_bytes is the largest payload, one line of
 * each block is left for its section's header and table. */
static int divide_arena(struct hli_geometry *geo, uint64_t arena_bytes,
			uint64_t block_bytes, const char *name,
			struct hl_error *err)
{
	uint64_t stride, need;

	if (arena_bytes == 0)
		return block_bytes == 0 ? 0 :
					  hli_fail(err, -EINVAL,
						   "%s: there is a block size "
						   "but no arena",
						   name);
	if (block_bytes) {
		stride = block_bytes + HL_LINE_BYTES;
	} else {
		stride = arena_bytes /
			 (BLOCKS_PER_PRODUCER * (uint64_t)geo->max_producers);
		stride = hli_max(stride / HL_LINE_BYTES * HL_LINE_BYTES,
				 MIN_BLOCK_STRIDE);
		stride = hli_min(stride, MAX_BLOCK_BYTES + HL_LINE_BYTES);
	}
	need = 2 * geo->max_producers * stride;
	if (arena_bytes < need || arena_bytes / stride > UINT32_MAX)
		return hli_fail(err, -EINVAL,
				"%s: an arena of %ju bytes has not two blocks "
				"of %ju bytes for each of %u producers: make "
				"it %ju or more",
				name, (uintmax_t)arena_bytes, (uintmax_t)stride,
				geo->max_producers, (uintmax_t)need);
	geo->block_stride = (uint32_t)stride;
	geo->block_bytes = geo->block_stride - HL_LINE_BYTES;
	geo->nblocks = (uint32_t)(arena_bytes / stride);
	return 0;
}

int hli_geometry_from_attr(struct hli_geometry *geo,
			   const struct hl_ring_attr *attr, const char *name,
			   struct hl_error *err)
{
	const bool sole = attr->producers == HL_PRODUCERS_SOLE;
	const char *broken;
	int ret;

	memset(geo, 0, sizeof(*geo));
	geo->capacity = attr->capacity ? attr->capacity : DEFAULT_CAPACITY;
	geo->slot_bytes = attr->slot_bytes ? attr->slot_bytes : HL_LINE_BYTES;
	geo->max_producers = attr->max_producers ? attr->max_producers :
			     sole		 ? 1 :
						   DEFAULT_PRODUCERS;
	geo->max_consumers = attr->max_consumers ? attr->max_consumers :
						   DEFAULT_CONSUMERS;
	geo->max_groups = attr->max_groups ? attr->max_groups : DEFAULT_GROUPS;
	geo->start_position = attr->start_position ? attr->start_position : 1;
	geo->producers = attr->producers;
	geo->unread = attr->unread;
	geo->checksum = attr->checksum;
	geo->message_magic = attr->message_magic;
	if (attr->block_bytes > MAX_BLOCK_BYTES ||
	    attr->block_bytes % HL_LINE_BYTES)
		return hli_fail(err, -EINVAL,
				"%s: the block size is not a multiple of 64 up "
				"to 1 GiB",
				name);
	if (geo->max_producers > MAX_PARTICIPANTS)
		return hli_fail(err, -EINVAL, "%s: more than %u producers",
				name, MAX_PARTICIPANTS);
	ret = divide_arena(geo, attr->arena_bytes, attr->block_bytes, name,
			   err);
	if (ret < 0)
		return ret;
	broken = limits_broken(geo);
	if (broken)
		return hli_fail(err, -EINVAL, "%s: %s", name, broken);
	if (!compute_places(geo))
		return hli_fail(err, -EINVAL,
				"%s: larger than %ju bytes, the most that "
				"payload offsets reach",
				name, (uintmax_t)MAX_FILE_BYTES);
	return 0;
}

int hli_geometry_add_schema(struct hli_geometry *geo, uint32_t schema_bytes,
			    uint64_t fingerprint, const char *name,
			    struct hl_error *err)
{
	geo->features |= HLI_FEATURE_SCHEMA;
	geo->schema_bytes = schema_bytes;
	geo->schema_fingerprint = fingerprint;
	if (limits_broken(geo))
		return hli_fail(err, -EINVAL, "%s: %s", name,
				limits_broken(geo));
	return compute_places(geo) ?
		       0 :
		       hli_fail(err, -EINVAL,
				"%s: with its schema it is larger than payload "
				"offsets reach",
				name);
}

/* Is it ours, and for us? Every mismatch names both values. */
static int check_identity(const struct hli_header *header, uint64_t magic,
			  const char *name, struct hl_error *err)
{
	const uint32_t order = header->byte_order;
	const uint32_t version = header->format_version;
	const uint64_t features = header->features;

	if (magic == __builtin_bswap64(HLI_MAGIC) ||
	    (magic == HLI_MAGIC && order == __builtin_bswap32(HLI_BYTE_ORDER)))
		return hli_fail(err, -EPROTONOSUPPORT,
				"%s: the byte order is %08x, ours is %08x: "
				"written by a machine of the other kind",
				name, order, HLI_BYTE_ORDER);
	if (magic != HLI_MAGIC)
		return hli_fail(err, -EBADMSG,
				"%s: not a ring: it begins with %016jx instead "
				"of %016jx",
				name, (uintmax_t)magic, (uintmax_t)HLI_MAGIC);
	if (version != HLI_FORMAT_VERSION)
		return hli_fail(err, -EPROTONOSUPPORT,
				"%s: format version %u, this library has %u",
				name, version, HLI_FORMAT_VERSION);
	if (order != HLI_BYTE_ORDER)
		return hli_fail(err, -EBADMSG,
				"%s: byte order %08x instead of %08x", name,
				order, HLI_BYTE_ORDER);
	if (features & ~HLI_FEATURES_KNOWN)
		return hli_fail(err, -EPROTONOSUPPORT,
				"%s: it has features %jx, this library knows "
				"%jx",
				name, (uintmax_t)features,
				(uintmax_t)HLI_FEATURES_KNOWN);
	return 0;
}

/* Do the places in the header follow from its counts? */
static int check_places(const struct hli_geometry *geo,
			const struct hli_header *header, const char *name,
			struct hl_error *err)
{
	const struct {
		const char *what;
		uint64_t found, right;
	} rows[] = {
		{ "header size", header->header_bytes,
		  sizeof(struct hli_header) },
		{ "group size", header->group_bytes, sizeof(struct hli_group) },
		{ "record size", header->record_bytes,
		  sizeof(struct hli_record) },
		{ "groups' place", header->groups_at, geo->groups_at },
		{ "records' place", header->records_at, geo->records_at },
		{ "blocks' place", header->blocks_at, geo->blocks_at },
		{ "schema's place",
		  geo->schema_bytes ? header->schema_at : geo->schema_at,
		  geo->schema_at },
		{ "slots' place", header->slots_at, geo->slots_at },
		{ "arena's place", header->arena_at, geo->arena_at },
		{ "size", header->file_bytes, geo->file_bytes },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (rows[i].found != rows[i].right)
			return hli_fail(err, -EBADMSG,
					"%s: damaged header: the %s is %ju and "
					"should be %ju",
					name, rows[i].what,
					(uintmax_t)rows[i].found,
					(uintmax_t)rows[i].right);
	}
	return 0;
}

int hli_geometry_from_file(struct hli_geometry *geo,
			   const struct hli_header *header, uint64_t file_bytes,
			   const char *name, struct hl_error *err)
{
	const char *broken;
	uint64_t magic;
	int ret;

	if (file_bytes < sizeof(*header))
		return hli_fail(err, -EBADMSG,
				"%s: not a ring: %ju bytes are too few for a "
				"header of %zu",
				name, (uintmax_t)file_bytes, sizeof(*header));
	magic = hli_load_rlx(&header->magic); /* of a private copy */
	ret = check_identity(header, magic, name, err);
	if (ret < 0)
		return ret;
	memset(geo, 0, sizeof(*geo));
	geo->features = header->features;
	geo->capacity = header->capacity;
	geo->start_position = header->start_position;
	geo->slot_bytes = header->slot_bytes;
	geo->block_bytes = header->block_bytes;
	geo->block_stride = header->block_stride;
	geo->nblocks = header->nblocks;
	geo->max_producers = header->max_producers;
	geo->max_consumers = header->max_consumers;
	geo->max_groups = header->max_groups;
	geo->producers = header->producers;
	geo->unread = header->unread;
	geo->checksum = header->checksum;
	geo->message_magic = header->message_magic;
	if (geo->features & HLI_FEATURE_SCHEMA) {
		geo->schema_bytes = header->schema_bytes;
		geo->schema_fingerprint = header->schema_fingerprint;
	}
	broken = limits_broken(geo);
	if (broken)
		return hli_fail(err, -EBADMSG, "%s: damaged header: %s", name,
				broken);
	if (!compute_places(geo))
		return hli_fail(err, -EBADMSG,
				"%s: damaged header: larger than any ring",
				name);
	ret = check_places(geo, header, name, err);
	if (ret < 0)
		return ret;
	if (file_bytes < geo->file_bytes)
		return hli_fail(err, -EBADMSG,
				"%s: the file has %ju bytes, the ring needs "
				"%ju: it was cut",
				name, (uintmax_t)file_bytes,
				(uintmax_t)geo->file_bytes);
	return 0;
}

void hli_view_init(struct hli_view *view, void *base,
		   const struct hli_geometry *geo)
{
	unsigned char *const at = base;

	view->geo = *geo;
	view->base = at;
	view->header = base;
	view->groups = (struct hli_group *)(void *)(at + geo->groups_at);
	view->records = (struct hli_record *)(void *)(at + geo->records_at);
	view->blocks = (struct hli_block *)(void *)(at + geo->blocks_at);
	view->slots = at + geo->slots_at;
	view->mask = geo->capacity - 1;
	view->nrecords = geo->max_producers + geo->max_consumers;
}

static void init_header(struct hli_header *header,
			const struct hli_geometry *geo)
{
	header->format_version = HLI_FORMAT_VERSION;
	header->byte_order = HLI_BYTE_ORDER;
	header->features = geo->features;
	header->file_bytes = geo->file_bytes;
	header->capacity = geo->capacity;
	header->start_position = geo->start_position;
	header->groups_at = geo->groups_at;
	header->records_at = geo->records_at;
	header->blocks_at = geo->blocks_at;
	header->slots_at = geo->slots_at;
	header->arena_at = geo->arena_at;
	header->header_bytes = sizeof(struct hli_header);
	header->slot_bytes = geo->slot_bytes;
	header->block_bytes = geo->block_bytes;
	header->block_stride = geo->block_stride;
	header->nblocks = geo->nblocks;
	header->max_producers = geo->max_producers;
	header->max_consumers = geo->max_consumers;
	header->max_groups = geo->max_groups;
	header->group_bytes = sizeof(struct hli_group);
	header->record_bytes = sizeof(struct hli_record);
	header->producers = geo->producers;
	header->unread = geo->unread;
	header->checksum = geo->checksum;
	header->message_magic = geo->message_magic;
	header->schema_at = geo->schema_at;
	header->schema_fingerprint = geo->schema_fingerprint;
	header->schema_bytes = geo->schema_bytes;
}

void hli_layout_init(struct hli_view *view, void *base,
		     const struct hli_geometry *geo)
{
	const uint64_t start = geo->start_position;
	uint64_t p;
	uint32_t i;

	hli_view_init(view, base, geo);
	init_header(view->header, geo);
	hli_store_rlx(&view->header->head, start);
	hli_store_rlx(&view->header->announced, start);
	hli_store_rlx(&view->header->acted, start);
	for (i = 0; i < view->nrecords; i++) {
		hli_store_rlx(&view->records[i].from, start);
		hli_store_rlx(&view->records[i].to, start);
	}
	/* Each slot is settled for its last position below the start. */
	for (p = start > geo->capacity ? start - geo->capacity : 1; p < start;
	     p++)
		hli_store_rlx(hli_stamp(view, p), p | HL_SEQUENCE_VOID);
}

void hli_layout_publish(struct hli_view *view)
{
	/* E5: pairs with segment.c:map_whole() */
	hli_store_rel(&view->header->magic, HLI_MAGIC);
}

uint64_t hli_lines_stamped(const unsigned char *slot, uint64_t p, uint64_t end)
{
	uint64_t k;

	for (; end - p >= 8; p += 8, slot += 8 * HL_LINE_BYTES) {
		HLI_UNROLL_8
		for (k = 0; k < 8; k++) {
			/* E1: pairs with claim.c:hli_publish() */
			if (hli_load_acq(hli_stamp_in(
				    slot + k * HL_LINE_BYTES)) != p + k)
				return p + k;
		}
	}
	for (; p != end; p++, slot += HL_LINE_BYTES) {
		/* E1: pairs with claim.c:hli_publish() */
		if (hli_load_acq(hli_stamp_in(slot)) != p)
			break;
	}
	return p;
}
