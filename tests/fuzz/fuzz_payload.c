/* SPDX-License-Identifier: MIT */
/*
 * fuzz_payload.c - find payloads and their fields in an arena of any bytes
 *
 * These are the public inline functions, as they are compiled into programs of
 * others. The arena lies in memory of exactly its size.
 *
 *   byte 0      blocks, 1 to 4
 *   byte 1      lines of a block, 2 to 9
 *   bytes 2-3   where the first block begins, in lines
 *   bytes 4-7   payload_offset
 *   then        the arena, zeroes behind the end of the input
 */
#include "config.h"

#include "fuzz.h"

#include <hotline/hotline.h>

const char *const fuzz_target = "payload";

#define LINES_BEFORE 16u

static void check_fields(const struct hl_payload *payload)
{
	const unsigned char *const end = payload->section + payload->size_bytes;
	uint32_t k;

	for (k = 0; k < payload->nfields; k++) {
		const void *data = NULL;
		size_t n = 0;

		if (hl_payload_field(payload, k, &data, &n) < 0)
			continue;
		FUZZ_EXPECT((const unsigned char *)data >= payload->section);
		FUZZ_EXPECT(n <= (size_t)(end - (const unsigned char *)data));
		FUZZ_EXPECT((uintptr_t)data % 8 == 0);
		fuzz_touch(data, n);
	}
	{
		const void *data;
		size_t n;

		FUZZ_EXPECT(hl_payload_field(payload, payload->nfields, &data,
					     &n) == -EINVAL);
	}
}

/* Where a producer would write, had somebody damaged its table meanwhile. */
static void check_space(const struct hl_payload *payload)
{
	const struct hl_payload_space space = {
		.section = (unsigned char *)(uintptr_t)payload->section,
		.size_bytes = payload->size_bytes,
		.nfields = payload->nfields,
	};
	uint32_t k;

	for (k = 0; k <= payload->nfields; k++) {
		const unsigned char *const at =
			(const unsigned char *)hl_payload_space_field(&space, k,
								      8);

		FUZZ_EXPECT(!at ||
			    (at >= payload->section &&
			     at + 8 <= payload->section + payload->size_bytes));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input in = { data, size };
	const uint32_t nblocks = 1 + fuzz_u8(&in) % 4;
	const uint32_t stride = HL_LINE_BYTES * (2 + fuzz_u8(&in) % 8);
	const uint64_t arena_at =
		(uint64_t)HL_LINE_BYTES * (1 + fuzz_u16(&in) % LINES_BEFORE);
	const uint32_t line = fuzz_u32(&in);
	const size_t bytes = arena_at + (size_t)nblocks * stride;
	unsigned char *const file =
		(unsigned char *)aligned_alloc(HL_LINE_BYTES, bytes);
	HL_ALIGN_LINE unsigned char message[HL_LINE_BYTES] = { 0 };
	struct hl_batch batch = {
		.file = file,
		.arena_at = arena_at,
		.nblocks = nblocks,
		.block_stride = stride,
	};
	struct hl_payload payload;

	FUZZ_EXPECT(file);
	memset(file, 0xa5, arena_at);
	fuzz_bytes(&in, file + arena_at, bytes - arena_at);
	memcpy(message + HL_PAYLOAD_OFFSET, &line, sizeof(line));
	if (hl_batch_payload(&batch, message, &payload) == 0) {
		FUZZ_EXPECT(payload.section >= file + arena_at);
		FUZZ_EXPECT(payload.size_bytes <=
			    (size_t)(file + bytes - payload.section));
		fuzz_touch(payload.section, payload.size_bytes);
		check_fields(&payload);
		check_space(&payload);
	}
	free(file);
	return 0;
}
