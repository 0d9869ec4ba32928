/* SPDX-License-Identifier: MIT */
/*
 * fuzz_ring.c - a small ring, and damage done to its file
 */
#include "config.h"

#include "fuzz_ring.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/layout.h"

#define TAPPED 40 /* messages that a tap looks at, at the most */
#define GROUPS 4
#define RECORDS 8 /* but for a sole producer's ring, which has fewer */

const char *const fuzz_groups[3] = { "e", "s", "l" };

static void name_it(struct fuzz_ring *ring)
{
	const char *const folder = getenv("HOTLINE_DIR");

	snprintf(ring->name, sizeof(ring->name), "fuzz-%d", (int)getpid());
	snprintf(ring->path, sizeof(ring->path), "%s/hotline.%s",
		 folder && folder[0] ? folder : "/dev/shm", ring->name);
	(void)unlink(ring->path);
}

static struct hl_ring *create(const struct fuzz_ring *ring, uint8_t shape)
{
	struct hl_group_attr groups[3];
	struct hl_ring_attr attr = HL_RING_ATTR_INIT;
	struct hl_ring *made;
	int i;

	for (i = 0; i < 3; i++) {
		groups[i] = (struct hl_group_attr)HL_GROUP_ATTR_INIT;
		groups[i].name = fuzz_groups[i];
		groups[i].kind = (enum hl_group_kind)i;
		groups[i].durable = true;
	}
	attr.capacity = shape & 0x40 ? 16 : 4;
	attr.slot_bytes = shape & 0x10 ? 128 : 64;
	attr.producers = shape & 0x01 ? HL_PRODUCERS_SOLE : HL_PRODUCERS_SHARED;
	attr.max_producers = shape & 0x01 ? 1 : 3;
	attr.max_consumers = 5;
	attr.max_groups = GROUPS;
	attr.arena_bytes = shape & 0x02 ? 8192 : 0;
	attr.block_bytes = shape & 0x02 ? 512 : 0;
	attr.checksum = (enum hl_checksum)((shape >> 2 & 3) % 3);
	attr.unread = shape & 0x20 ? HL_UNREAD_REFUSE : HL_UNREAD_KEEP;
	attr.start_position = shape & 0x80 ? HL_POSITION_MAX - 24 : 0;
	attr.groups = groups;
	attr.ngroups = shape & 0x20 ? 0 : 3;
	FUZZ_EXPECT(hl_ring_create(ring->name, &attr, &made, NULL) == 0);
	return made;
}

static struct hli_header *header_of(const struct fuzz_ring *ring)
{
	return (struct hli_header *)(void *)ring->base;
}

void fuzz_ring_make(struct fuzz_ring *ring, uint8_t shape)
{
	struct hl_ring_info info;
	struct hl_ring *made;

	name_it(ring);
	made = create(ring, shape);
	hl_ring_get_info(made, &info);
	ring->bytes = info.file_bytes;
	ring->base = (unsigned char *)mmap(NULL, ring->bytes,
					   PROT_READ | PROT_WRITE, MAP_SHARED,
					   hl_ring_fd(made), 0);
	FUZZ_EXPECT(ring->base != MAP_FAILED);
	ring->blocks_at = header_of(ring)->blocks_at;
	ring->slots_at = header_of(ring)->slots_at;
	ring->arena_at = header_of(ring)->arena_at;
	ring->slot_bytes = info.slot_bytes;
	FUZZ_EXPECT(hl_ring_close(made) == 0);
}

void fuzz_ring_raw(struct fuzz_ring *ring, struct fuzz_input *in)
{
	const size_t pages = fuzz_u8(in) % 16;
	int fd;

	name_it(ring);
	ring->base = NULL;
	fd = open(ring->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	FUZZ_EXPECT(fd >= 0);
	FUZZ_EXPECT(write(fd, in->at, in->left) == (ssize_t)in->left);
	if (pages)
		FUZZ_EXPECT(ftruncate(fd, (off_t)(pages * 4096)) == 0);
	close(fd);
}

void fuzz_ring_fini(struct fuzz_ring *ring)
{
	if (ring->base)
		munmap(ring->base, ring->bytes);
	(void)unlink(ring->path);
}

/* Where in the file the damage goes: a part of it, then a place in that. */
static size_t place(const struct fuzz_ring *ring, struct fuzz_input *in)
{
	static const uint16_t mutable_words[] = { 1024, 1152, 1280, 1408,
						  1536, 1664, 1672, 1680 };
	const uint8_t part = fuzz_u8(in);
	const uint8_t index = fuzz_u8(in);
	const uint8_t word = fuzz_u8(in);
	const size_t slot = ring->slots_at + ring->slot_bytes * (index % 16u);

	switch (part % 8) {
	case 0:
		return 4 * (size_t)(word % 64);
	case 1:
		return mutable_words[word % 8];
	case 2:
		return sizeof(struct hli_header) +
		       sizeof(struct hli_group) * (index % GROUPS) +
		       4 * (word % 64u);
	case 3:
		return sizeof(struct hli_header) +
		       sizeof(struct hli_group) * GROUPS +
		       sizeof(struct hli_record) * (index % RECORDS) +
		       4 * (word % 32u);
	case 4:
		return slot + 4 * (word % 16u);
	case 5:
		return slot + HL_SEQUENCE_OFFSET;
	case 6:
		return (index & 0x80 ? ring->arena_at : ring->blocks_at) +
		       64 * (size_t)(index % 64) + 4 * (word % 16u);
	default:
		return 4 * ((size_t)index << 8 | word);
	}
}

static uint64_t value(const struct fuzz_ring *ring, struct fuzz_input *in)
{
	const uint8_t how = fuzz_u8(in);
	const uint64_t head = atomic_load(&header_of(ring)->head) &
			      ~HLI_FINISHED;

	switch (how % 8) {
	case 0:
		return fuzz_u8(in);
	case 1:
		return fuzz_u32(in);
	case 2:
		return fuzz_u64(in);
	case 3:
		return head + (uint64_t)(int64_t)(int8_t)fuzz_u8(in);
	case 4:
		return (head + (uint64_t)(int64_t)(int8_t)fuzz_u8(in)) |
		       HL_SEQUENCE_VOID;
	case 5:
		return UINT64_MAX - fuzz_u8(in);
	case 6:
		return UINT64_C(1) << (fuzz_u8(in) % 64);
	default:
		return HLI_POSITION_END - fuzz_u8(in);
	}
}

void fuzz_ring_damage(struct fuzz_ring *ring, struct fuzz_input *in)
{
	const size_t at = place(ring, in) % (ring->bytes - 8) / 4 * 4;
	const uint64_t v = value(ring, in);
	unsigned char *const to = ring->base + at;

	if (at % 8 == 0 && !(fuzz_u8(in) & 1))
		atomic_store((_Atomic uint64_t *)(void *)to, v);
	else
		atomic_store((_Atomic uint32_t *)(void *)to, (uint32_t)v);
}

bool fuzz_code_ok(int64_t code)
{
	static const int codes[] = {
		EAGAIN,	   ETIMEDOUT,	    EINVAL,    EMSGSIZE, ENOSPC,
		EUSERS,	   ENOBUFS,	    EBUSY,     ESTALE,	 EPIPE,
		EBADMSG,   EPROTONOSUPPORT, ENOENT,    EEXIST,	 EIDRM,
		EOVERFLOW, ENOTCONN,	    ECANCELED, ENODATA,	 EPERM,
		EFBIG,	   ENOMEM,
	};
	size_t i;

	for (i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
		if (code == -codes[i])
			return true;
	return code >= 0;
}

static void touch_payload(const struct hl_payload *payload)
{
	uint32_t k;

	fuzz_touch(payload->section, payload->size_bytes);
	for (k = 0; k < payload->nfields; k++) {
		const void *data;
		size_t n;

		if (hl_payload_field(payload, k, &data, &n) == 0)
			fuzz_touch(data, n);
	}
}

static void tap_it(struct hl_inspect *inspect, enum hl_group_start start)
{
	struct hl_tap_message message;
	struct hl_ring_status status;
	struct hl_tap *tap;
	int i, ret;

	ret = hl_tap_open(inspect, start, 3, &tap, NULL);
	FUZZ_EXPECT(fuzz_code_ok(ret));
	if (ret < 0)
		return;
	hl_inspect_ring(inspect, &status);
	for (i = 0; i < TAPPED && ret >= 0; i++) {
		ret = hl_tap_next(tap, HL_NOWAIT, &message);
		FUZZ_EXPECT(fuzz_code_ok(ret));
		if (ret < 1)
			break;
		fuzz_touch(message.message, status.info.slot_bytes);
		if (message.payload_status == 0)
			touch_payload(&message.payload);
	}
	hl_tap_close(tap);
}

void fuzz_look(const char *name)
{
	struct hl_participant_status participant;
	struct hl_group_status group;
	struct hl_block_status block;
	struct hl_ring_status status;
	struct hl_inspect *inspect;
	int ret;
	uint32_t i;

	ret = hl_inspect_open(name, 0, &inspect, NULL);
	FUZZ_EXPECT(fuzz_code_ok(ret));
	if (ret < 0)
		return;
	hl_inspect_ring(inspect, &status);
	FUZZ_EXPECT(memchr(status.boot_id, '\0', sizeof(status.boot_id)));
	for (i = 0; hl_inspect_group(inspect, i, &group) >= 0; i++)
		FUZZ_EXPECT(memchr(group.name, '\0', sizeof(group.name)));
	for (i = 0; hl_inspect_participant(inspect, i, &participant) >= 0; i++)
		FUZZ_EXPECT(memchr(participant.name, '\0',
				   sizeof(participant.name)));
	for (i = 0; hl_inspect_block(inspect, i, &block) >= 0; i++)
		FUZZ_EXPECT(i < status.info.nblocks);
	tap_it(inspect, HL_START_OLDEST);
	tap_it(inspect, HL_START_NEWEST);
	tap_it(inspect, HL_START_POSITION);
	hl_inspect_close(inspect);
}

void fuzz_use_message(const struct hl_batch *batch, const void *message)
{
	struct hl_payload payload;
	int ret;

	fuzz_touch(message, batch->slot_bytes);
	FUZZ_EXPECT(hl_batch_validate(batch, message) <= HL_BAD_PAYLOAD);
	ret = hl_batch_payload(batch, message, &payload);
	FUZZ_EXPECT(fuzz_code_ok(ret));
	if (ret == 0)
		touch_payload(&payload);
}

void fuzz_walk(struct hl_batch *batch)
{
	const void *message;

	while ((message = hl_batch_next(batch)))
		fuzz_use_message(batch, message);
}
