/* SPDX-License-Identifier: MIT */
/*
 * checksum.c - 32 bits of XXH3 over a message, and over its payload
 *
 * Leaves out the sequence and the checksum itself. The position is the seed:
 * a message that stands in the wrong slot, or a slot of an old lap, is wrong.
 * The message's hash is the payload's seed.
 */
#include "config.h"

#include "handle.h"

#include <string.h>

#include <xxhash.h>

#include "util.h"

/*
 * The first line word by word, as it is hashed: a load has to wait for stores that
 * are narrower, and, where one of its bytes was not stored, for the line, which
 * may still be on its way.
 */
static HLI_INLINE void copy_line(uint64_t copy[HL_LINE_WORDS],
				 const unsigned char *message)
{
	uint64_t last = 0; /* without the checksum, its first half */
	size_t i;

	memcpy((unsigned char *)&last + sizeof(uint32_t),
	       message + HL_PAYLOAD_OFFSET, sizeof(uint32_t));
	for (i = 0; i < HL_LINE_WORDS; i++) {
		uint64_t word = 0;

		if (i == HL_CHECKSUM_OFFSET / 8)
			word = last;
		else if (i != HL_SEQUENCE_OFFSET / 8)
			memcpy(&word, message + i * 8, sizeof(word));
		copy[i] = word;
	}
}

uint32_t hli_checksum(const unsigned char *message, uint32_t slot_bytes,
		      uint64_t position, const struct hl_payload *payload)
{
	uint64_t copy[HL_SLOT_BYTES_MAX / 8];
	uint64_t sum;

	copy_line(copy, message);
	if (slot_bytes > HL_LINE_BYTES)
		memcpy(copy + HL_LINE_WORDS, message + HL_LINE_BYTES,
		       slot_bytes - HL_LINE_BYTES);
	sum = XXH3_64bits_withSeed(copy, slot_bytes, position);
	if (payload)
		sum = XXH3_64bits_withSeed(payload->section,
					   payload->size_bytes, sum);
	return (uint32_t)sum;
}
