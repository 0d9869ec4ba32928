/* SPDX-License-Identifier: MIT */
/*
 * line.c - the settings of the line stream, as numbers and as words
 */
#include "line.h"

#include <stdio.h>

struct line_variant line_variant(uint32_t number)
{
	static const uint32_t aheads[] = { 0, 4, 8, 16, 32 };
	static const uint32_t backoffs[] = { 0, 32, 256, LINE_STAY };
	static const uint32_t fetches[] = { 0, 8, 24 };
	struct line_variant variant;

	variant.store = number % LINE_STORES;
	number /= LINE_STORES;
	variant.first_last = number % 2;
	number /= 2;
	variant.ahead = aheads[number % 5];
	number /= 5;
	variant.backoff = backoffs[number % 4];
	number /= 4;
	variant.fetch = fetches[number];
	return variant;
}

int line_variant_works(uint32_t number)
{
	switch (line_variant(number).store) {
	case LINE_SCALAR:
		return 1;
#if defined(__SSE2__)
	case LINE_16:
		return 1;
#endif
#if defined(__AVX2__)
	case LINE_32:
		return 1;
#endif
	default:
		return 0;
	}
}

void line_variant_name(uint32_t number, char *out, unsigned bytes)
{
	static const char *const stores[] = { "8-byte stores",
					      "stores of 32 or 16",
					      "two 32-byte stores" };
	const struct line_variant variant = line_variant(number);
	char backoff[32] = "stays away";

	if (variant.backoff != LINE_STAY)
		snprintf(backoff, sizeof(backoff), "backoff %u",
			 variant.backoff);
	snprintf(out, bytes, "%s, %s, prefetchw %u, %s, fetch %u",
		 stores[variant.store],
		 variant.first_last ? "first last" : "in order", variant.ahead,
		 backoff, variant.fetch);
}
