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

uint32_t hli_checksum(const unsigned char *message, uint32_t slot_bytes,
		      uint64_t position, const struct hl_payload *payload)
{
	unsigned char copy[HL_SLOT_BYTES_MAX];
	uint64_t sum;

	memcpy(copy, message, slot_bytes);
	memset(copy + HL_SEQUENCE_OFFSET, 0, sizeof(uint64_t));
	memset(copy + HL_CHECKSUM_OFFSET, 0, sizeof(uint32_t));
	sum = XXH3_64bits_withSeed(copy, slot_bytes, position);
	if (payload)
		sum = XXH3_64bits_withSeed(payload->section,
					   payload->size_bytes, sum);
	return (uint32_t)sum;
}
