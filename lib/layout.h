/* SPDX-License-Identifier: MIT */
/*
 * layout.h - every byte in shared memory
 *
 *   +---------+--------+---------+--------+--------+-------+-------+
 *   | header  | groups | records | blocks | schema | slots | arena |
 *   +---------+--------+---------+--------+--------+-------+-------+
 *   0         2048                        64       page    page
 *
 * Two processes may run two versions of the library: a change here needs a new
 * HLI_FORMAT_VERSION or a feature bit, and hotline-format(5). Words that change
 * while the ring lives are atomic; hot words of different writers are 128 bytes
 * apart, since processors fetch lines in pairs.
 *
 * All of it is input from others. struct hli_geometry is a process's own,
 * checked copy of what is fixed; nothing fixed is read from the file again.
 */
#ifndef HLI_LAYOUT_H
#define HLI_LAYOUT_H

#include <hotline/message.h>

#include "atomic.h"

#include <stddef.h>
#include <stdint.h>

#define HLI_MAGIC UINT64_C(0x0a454e494c544f48) /* "HOTLINE\n" in memory */
#define HLI_FORMAT_VERSION 1u
#define HLI_BYTE_ORDER 0x01020304u
#define HLI_PAGE_BYTES 4096u

/* Features: who does not know a bit that is set does not use the ring. */
#define HLI_FEATURE_WAKERS_FENCE (UINT64_C(1) << 0)
#define HLI_FEATURE_SCHEMA (UINT64_C(1) << 1)
#define HLI_FEATURES_KNOWN (HLI_FEATURE_WAKERS_FENCE | HLI_FEATURE_SCHEMA)

#define HLI_SCHEMA_BYTES_MAX 65536u /* HL_SCHEMA_BYTES_MAX */

/* Top bit of head: finished. Of a stamp: void (HL_SEQUENCE_VOID). */
#define HLI_FINISHED (UINT64_C(1) << 63)
#define HLI_POSITION_END ((UINT64_C(1) << 63) - 1) /* head's last value */

/*
 * Lock bytes: places in the file that are locked, never read or written for
 * it. A record's is its participant's sign of life.
 */
#define HLI_LOCK_CONTROL 0
#define HLI_LOCK_PRODUCER_SEAT 1
#define HLI_LOCK_GROUP_SEAT(group) (64 + (group))
#define HLI_LOCK_RECORD(record) (4096 + (record))

struct hli_header {
	_Atomic uint64_t magic; /* stored last */
	uint32_t format_version;
	uint32_t byte_order;
	uint64_t features;
	uint64_t file_bytes;
	uint64_t capacity;
	uint64_t start_position;
	uint64_t groups_at; /* bytes from the file's start, like all _at */
	uint64_t records_at;
	uint64_t blocks_at;
	uint64_t slots_at;
	uint64_t arena_at;
	uint32_t header_bytes;
	uint32_t slot_bytes;
	uint32_t block_bytes;
	uint32_t block_stride;
	uint32_t nblocks;
	uint32_t max_producers;
	uint32_t max_consumers;
	uint32_t max_groups;
	uint32_t group_bytes;  /* of struct hli_group */
	uint32_t record_bytes; /* of struct hli_record */
	uint32_t producers;    /* enum hl_producers */
	uint32_t unread;       /* enum hl_unread */
	uint32_t checksum;     /* enum hl_checksum */
	uint32_t message_magic;
	uint64_t created_ns; /* CLOCK_REALTIME */
	uint32_t creator_pid;
	uint32_t reserved0;
	char boot_id[40];
	uint64_t schema_at; /* these with HLI_FEATURE_SCHEMA only */
	uint64_t schema_fingerprint;
	uint32_t schema_bytes; /* text, not terminated */
	uint32_t reserved3;
	uint8_t reserved1[1024 - 224];

	_Alignas(128) _Atomic uint64_t head;
	_Alignas(128) _Atomic uint64_t announced; /* for who joins */
	_Atomic uint64_t acted;			  /* for who adopts */
	_Alignas(128) _Atomic uint64_t sleepers;  /* a bit a group; producers */
	_Alignas(128) _Atomic uint64_t active;	  /* a bit a reliable group */
	_Atomic uint64_t finishing;	     /* set before head's top bit */
	_Alignas(128) _Atomic uint32_t wake; /* producers' wake count */
	_Alignas(128) _Atomic uint64_t bounds_found;
	_Atomic uint64_t reaped;
	_Atomic uint64_t voided;
	/* For people: what somebody waits for, and since when (monotonic). */
	_Alignas(128) _Atomic uint64_t held_position; /* not published */
	_Atomic uint64_t held_since_ns;
	_Atomic uint64_t full_position; /* low, with the ring full */
	_Atomic uint64_t full_since_ns;
	uint8_t reserved2[2048 - 1792 - 32];
};

#define HLI_SLEEPERS_PRODUCERS (UINT64_C(1) << 63) /* for room */
#define HLI_SLEEPERS_STAMPS (UINT64_C(1) << 62)	   /* producers, for a stamp */

enum hli_group_state {
	HLI_GROUP_FREE = 0,
	HLI_GROUP_USED = 1
};

struct hli_group {
	_Alignas(128) _Atomic uint32_t state;
	_Atomic uint32_t kind; /* enum hl_group_kind */
	_Atomic uint32_t durable;
	_Atomic uint32_t generation; /* groups that have stood here */
	_Atomic uint64_t start;
	_Atomic uint32_t joined; /* it has had a member */
	uint32_t reserved0;
	char name[32];
	_Atomic uint32_t wake; /* wake count of its sleepers */
	_Atomic uint32_t attempts;
	/* totals of members that are gone */
	_Atomic uint64_t messages;
	_Atomic uint64_t batches;
	_Atomic uint64_t redelivered;
	_Atomic uint64_t lost;
	_Atomic uint64_t voids;
	_Atomic uint64_t waits;
	_Atomic uint64_t wakeups;

	_Alignas(128) _Atomic uint64_t next; /* tail (shared), cursor (others) */
	_Atomic uint64_t handed;	     /* exclusive */
	_Atomic uint64_t attempt_position; /* exclusive: what attempts counts */
	uint8_t reserved1[64 - 24];
	_Atomic uint64_t dead_letters; /* given up after too many attempts */
	uint8_t reserved2[64 - 8];
};

/*
 * A record's state word: the low byte is one of these, the rest is the tenure,
 * one more with each participant. Who lost its record behind its back does not
 * take the next one's for its own.
 */
enum hli_state {
	HLI_FREE = 0,
	HLI_LIVE = 1,
	HLI_DEAD = 2,
	HLI_EVICTED = 3,
};

/* The first line changes with each batch, the second with each participant. */
struct hli_record {
	_Alignas(128) _Atomic uint32_t state; /* and tenure */
	_Atomic uint16_t group;		      /* of a consumer */
	_Atomic uint16_t attempts; /* of a consumer: redeliveries begun at
				      attempt_position */
	_Atomic uint64_t from;
	_Atomic uint64_t to;
	_Atomic uint64_t messages;
	_Atomic uint64_t batches;
	_Atomic uint64_t waits;
	_Atomic uint64_t wakeups;
	_Atomic uint64_t full; /* producers; consumers: lost */

	_Atomic uint64_t pid_start;
	_Atomic uint32_t pid;
	_Atomic uint32_t uid;
	_Atomic uint64_t joined_ns;
	_Atomic uint64_t dropped; /* producers; consumers: redelivered */
	_Atomic uint64_t voids;
	char name[16]; /* HL_MEMBER_NAME_BYTES */
	_Atomic uint64_t attempt_position;
};

/* A block of the arena: owner is 0 or the record's index plus 1. */
struct hli_block {
	_Alignas(64) _Atomic uint32_t owner;
	uint32_t reserved0;
	_Atomic uint64_t lease_position;
	_Atomic uint64_t last_position;
	uint8_t reserved1[64 - 24];
};

/* A field that shrinks before padding moves nothing: so its size, too. */
#define HLI_AT(type, field, offset, bytes)                                     \
	_Static_assert(offsetof(struct type, field) == (offset) &&             \
			       sizeof(((struct type *)0)->field) == (bytes),   \
		       #type "." #field " has moved: a new format version")
HLI_AT(hli_header, magic, 0, 8);
HLI_AT(hli_header, format_version, 8, 4);
HLI_AT(hli_header, byte_order, 12, 4);
HLI_AT(hli_header, features, 16, 8);
HLI_AT(hli_header, file_bytes, 24, 8);
HLI_AT(hli_header, capacity, 32, 8);
HLI_AT(hli_header, start_position, 40, 8);
HLI_AT(hli_header, groups_at, 48, 8);
HLI_AT(hli_header, records_at, 56, 8);
HLI_AT(hli_header, blocks_at, 64, 8);
HLI_AT(hli_header, slots_at, 72, 8);
HLI_AT(hli_header, arena_at, 80, 8);
HLI_AT(hli_header, header_bytes, 88, 4);
HLI_AT(hli_header, slot_bytes, 92, 4);
HLI_AT(hli_header, block_bytes, 96, 4);
HLI_AT(hli_header, block_stride, 100, 4);
HLI_AT(hli_header, nblocks, 104, 4);
HLI_AT(hli_header, max_producers, 108, 4);
HLI_AT(hli_header, max_consumers, 112, 4);
HLI_AT(hli_header, max_groups, 116, 4);
HLI_AT(hli_header, group_bytes, 120, 4);
HLI_AT(hli_header, record_bytes, 124, 4);
HLI_AT(hli_header, producers, 128, 4);
HLI_AT(hli_header, unread, 132, 4);
HLI_AT(hli_header, checksum, 136, 4);
HLI_AT(hli_header, message_magic, 140, 4);
HLI_AT(hli_header, created_ns, 144, 8);
HLI_AT(hli_header, creator_pid, 152, 4);
HLI_AT(hli_header, boot_id, 160, 40);
HLI_AT(hli_header, schema_at, 200, 8);
HLI_AT(hli_header, schema_fingerprint, 208, 8);
HLI_AT(hli_header, schema_bytes, 216, 4);
HLI_AT(hli_header, head, 1024, 8);
HLI_AT(hli_header, announced, 1152, 8);
HLI_AT(hli_header, acted, 1160, 8);
HLI_AT(hli_header, sleepers, 1280, 8);
HLI_AT(hli_header, active, 1408, 8);
HLI_AT(hli_header, finishing, 1416, 8);
HLI_AT(hli_header, wake, 1536, 4);
HLI_AT(hli_header, bounds_found, 1664, 8);
HLI_AT(hli_header, reaped, 1672, 8);
HLI_AT(hli_header, voided, 1680, 8);
HLI_AT(hli_header, held_position, 1792, 8);
HLI_AT(hli_header, held_since_ns, 1800, 8);
HLI_AT(hli_header, full_position, 1808, 8);
HLI_AT(hli_header, full_since_ns, 1816, 8);
HLI_AT(hli_group, state, 0, 4);
HLI_AT(hli_group, kind, 4, 4);
HLI_AT(hli_group, durable, 8, 4);
HLI_AT(hli_group, generation, 12, 4);
HLI_AT(hli_group, start, 16, 8);
HLI_AT(hli_group, joined, 24, 4);
HLI_AT(hli_group, name, 32, 32);
HLI_AT(hli_group, wake, 64, 4);
HLI_AT(hli_group, attempts, 68, 4);
HLI_AT(hli_group, messages, 72, 8);
HLI_AT(hli_group, batches, 80, 8);
HLI_AT(hli_group, redelivered, 88, 8);
HLI_AT(hli_group, lost, 96, 8);
HLI_AT(hli_group, voids, 104, 8);
HLI_AT(hli_group, waits, 112, 8);
HLI_AT(hli_group, wakeups, 120, 8);
HLI_AT(hli_group, next, 128, 8);
HLI_AT(hli_group, handed, 136, 8);
HLI_AT(hli_group, attempt_position, 144, 8);
HLI_AT(hli_group, dead_letters, 192, 8);
HLI_AT(hli_record, state, 0, 4);
HLI_AT(hli_record, group, 4, 2);
HLI_AT(hli_record, attempts, 6, 2);
HLI_AT(hli_record, from, 8, 8);
HLI_AT(hli_record, to, 16, 8);
HLI_AT(hli_record, messages, 24, 8);
HLI_AT(hli_record, batches, 32, 8);
HLI_AT(hli_record, waits, 40, 8);
HLI_AT(hli_record, wakeups, 48, 8);
HLI_AT(hli_record, full, 56, 8);
HLI_AT(hli_record, pid_start, 64, 8);
HLI_AT(hli_record, pid, 72, 4);
HLI_AT(hli_record, uid, 76, 4);
HLI_AT(hli_record, joined_ns, 80, 8);
HLI_AT(hli_record, dropped, 88, 8);
HLI_AT(hli_record, voids, 96, 8);
HLI_AT(hli_record, name, 104, 16);
HLI_AT(hli_record, attempt_position, 120, 8);
HLI_AT(hli_block, owner, 0, 4);
HLI_AT(hli_block, lease_position, 8, 8);
HLI_AT(hli_block, last_position, 16, 8);
_Static_assert(sizeof(struct hli_header) == 2048, "a new format version");
_Static_assert(sizeof(struct hli_group) == 256, "a new format version");
_Static_assert(sizeof(struct hli_record) == 128, "a new format version");
_Static_assert(sizeof(struct hli_block) == 64, "a new format version");

/* What is fixed at creation, as numbers; hl_ring_attr after its defaults. */
struct hli_geometry {
	uint64_t features;
	uint64_t file_bytes;
	uint64_t capacity;
	uint64_t start_position;
	uint64_t groups_at, records_at, blocks_at, slots_at;
	uint64_t arena_at;
	uint64_t schema_at, schema_fingerprint; /* 0 without a schema */
	uint32_t schema_bytes;
	uint32_t slot_bytes;
	uint32_t block_bytes, block_stride, nblocks;
	uint32_t max_producers, max_consumers, max_groups;
	uint32_t producers, unread, checksum, message_magic;
};

/* A process's view of a ring: what every part of the core works on. */
struct hli_view {
	struct hli_geometry geo;
	unsigned char *base;
	struct hli_header *header;
	struct hli_group *groups;
	struct hli_record *records; /* producers' first, then consumers' */
	struct hli_block *blocks;
	unsigned char *slots;
	uint64_t mask; /* capacity - 1 */
	uint32_t nrecords;
};

struct hl_ring_attr;
struct hl_error;

/* Apply defaults and limits, and compute all places. 0 or -EINVAL. */
int hli_geometry_from_attr(struct hli_geometry *geo,
			   const struct hl_ring_attr *attr, const char *name,
			   struct hl_error *err);

/* Make room for a schema of so many bytes. 0 or -EINVAL. */
int hli_geometry_add_schema(struct hli_geometry *geo, uint32_t schema_bytes,
			    uint64_t fingerprint, const char *name,
			    struct hl_error *err);

/*
 * Check a header, of which the caller has a private copy, against the size of
 * its file. 0, -EBADMSG or -EPROTONOSUPPORT.
 */
int hli_geometry_from_file(struct hli_geometry *geo,
			   const struct hli_header *header, uint64_t file_bytes,
			   const char *name, struct hl_error *err);

/* Write the header and all tables into zeroed memory, all but the magic. */
void hli_layout_init(struct hli_view *view, void *base,
		     const struct hli_geometry *geo);

/* The last store of a creation. */
void hli_layout_publish(struct hli_view *view);

/* Point view into a mapping. */
void hli_view_init(struct hli_view *view, void *base,
		   const struct hli_geometry *geo);

/* The slot of a position, and its stamp. */
static inline unsigned char *hli_slot(const struct hli_view *view,
				      uint64_t position)
{
	return view->slots +
	       ((position - 1) & view->mask) * view->geo.slot_bytes;
}

static inline _Atomic uint64_t *hli_stamp_in(const unsigned char *slot)
{
	return (_Atomic uint64_t *)(uintptr_t)(slot + 24);
}

static inline _Atomic uint64_t *hli_stamp(const struct hli_view *view,
					  uint64_t position)
{
	return hli_stamp_in(hli_slot(view, position));
}

/* How many of n slots from position p on lie in a row, before the ring wraps. */
static inline uint64_t hli_slots_in_row(const struct hli_view *view, uint64_t p,
					uint64_t n)
{
	const uint64_t to_wrap = view->mask + 1 - ((p - 1) & view->mask);

	return n < to_wrap ? n : to_wrap;
}

/*
 * Slots of one line each, in a row, from that of position p on: the first
 * position before end that its slot's stamp does not name, or end. No slot
 * is looked at beyond that one: its producer is about to write it.
 */
uint64_t hli_lines_stamped(const unsigned char *slot, uint64_t p, uint64_t end);

/* The position that a stamp names, void or not. */
static inline uint64_t hli_stamp_position(uint64_t stamp)
{
	return stamp & ~(UINT64_C(1) << 63);
}

/* Head as a position, its finished bit off. */
static inline uint64_t hli_head_position(uint64_t head)
{
	return head & ~HLI_FINISHED;
}

/* The next position to be claimed, as it is now. */
static inline uint64_t hli_head(const struct hli_view *view)
{
	return hli_head_position(hli_load_acq(&view->header->head));
}

/* The oldest position that a slot can still hold. */
static inline uint64_t hli_oldest(const struct hli_view *view)
{
	const uint64_t head = hli_head(view);
	const uint64_t start = view->geo.start_position;

	return head > start + view->geo.capacity ? head - view->geo.capacity :
						   start;
}

#endif /* HLI_LAYOUT_H */
