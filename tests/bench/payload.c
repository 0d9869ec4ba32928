/* SPDX-License-Identifier: MIT */
/*
 * payload.c - build and read a payload in place, as fast as loops can be
 *
 * Every byte is written and every byte is read. The words are all the number
 * of the message, so that a stale or torn payload does not add up.
 */
#include "fill.h"

void bench_payload_write(void *payload, size_t bytes, uint64_t number)
{
	uint64_t *const words = __builtin_assume_aligned(payload, 8);

	for (size_t i = 0; i < bytes / sizeof(*words); i++)
		words[i] = number;
}

uint64_t bench_payload_read(const void *payload, size_t bytes)
{
	const uint64_t *const words = __builtin_assume_aligned(payload, 8);
	uint64_t sum = 0;

	for (size_t i = 0; i < bytes / sizeof(*words); i++)
		sum += words[i];
	return sum;
}

bool bench_payload_good(uint64_t sum, size_t bytes, uint64_t number)
{
	return sum == bytes / sizeof(uint64_t) * number;
}
