/* SPDX-License-Identifier: MIT */
/*
 * blocks.h - payloads of contenders that have no memory for them
 *
 * As many blocks as a ring has slots, and some to spare, used in turn: when a
 * slot is free for the next message, so is its block.
 */
#ifndef BENCH_BLOCKS_H
#define BENCH_BLOCKS_H

#include "fill.h"

struct blocks {
	unsigned char *memory;
	size_t block_bytes;
	uint64_t nblocks;
};

BENCH_INLINE bool blocks_init(struct blocks *blocks,
			      const struct bench_shape *shape, uint64_t spare)
{
	blocks->nblocks = shape->slots + spare;
	blocks->block_bytes = shape->payload_bytes;
	blocks->memory = bench_shared(blocks->nblocks * blocks->block_bytes);
	return blocks->memory != NULL;
}

BENCH_INLINE void blocks_fini(struct blocks *blocks)
{
	bench_unshare(blocks->memory, blocks->nblocks * blocks->block_bytes);
}

BENCH_INLINE void blocks_write(const struct blocks *blocks, uint64_t number,
			       bool copied)
{
	static unsigned char source[65536] __attribute__((aligned(64)));
	unsigned char *const block =
		blocks->memory + number % blocks->nblocks * blocks->block_bytes;

	if (!copied) {
		bench_payload_write(block, blocks->block_bytes, number);
		return;
	}
	bench_payload_write(source, 8, number);
	memcpy(block, source, blocks->block_bytes);
}

/* Nonzero when it is not the payload of that number. */
BENCH_INLINE bool blocks_bad(const struct blocks *blocks, uint64_t number,
			     bool copied)
{
	static unsigned char copy[65536] __attribute__((aligned(64)));
	const unsigned char *const block =
		blocks->memory + number % blocks->nblocks * blocks->block_bytes;
	const size_t bytes = copied ? 8 : blocks->block_bytes;

	if (copied)
		memcpy(copy, block, blocks->block_bytes);
	return !bench_payload_good(bench_payload_read(copied ? copy : block,
						      bytes),
				   bytes, number);
}

#endif /* BENCH_BLOCKS_H */
