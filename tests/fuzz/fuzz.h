/* SPDX-License-Identifier: MIT */
/*
 * fuzz.h - what the fuzz targets share: their entry, and how they read input
 *
 * A target is one function that takes any bytes. It is linked with libFuzzer
 * (run.sh) to find new inputs, or with replay.c to run known ones.
 */
#ifndef TESTS_FUZZ_H
#define TESTS_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Which folder of corpus/ it is for. */
extern const char *const fuzz_target;

/* What must hold whatever the input is: for a fuzz engine, a crash. */
#define FUZZ_EXPECT(ok)                                                        \
	do {                                                                   \
		if (!(ok))                                                     \
			abort();                                               \
	} while (0)

/* Input that is read from the front; behind its end there are zeroes. */
struct fuzz_input {
	const uint8_t *at;
	size_t left;
};

static inline void fuzz_bytes(struct fuzz_input *in, void *to, size_t n)
{
	const size_t got = in->left < n ? in->left : n;

	memset(to, 0, n);
	if (got)
		memcpy(to, in->at, got);
	in->at += got;
	in->left -= got;
}

static inline uint8_t fuzz_u8(struct fuzz_input *in)
{
	uint8_t v;

	fuzz_bytes(in, &v, sizeof(v));
	return v;
}

static inline uint16_t fuzz_u16(struct fuzz_input *in)
{
	uint16_t v;

	fuzz_bytes(in, &v, sizeof(v));
	return v;
}

static inline uint32_t fuzz_u32(struct fuzz_input *in)
{
	uint32_t v;

	fuzz_bytes(in, &v, sizeof(v));
	return v;
}

static inline uint64_t fuzz_u64(struct fuzz_input *in)
{
	uint64_t v;

	fuzz_bytes(in, &v, sizeof(v));
	return v;
}

/* Read every byte, so that the address sanitizer looks at each. */
static inline unsigned fuzz_touch(const void *data, size_t n)
{
	const volatile unsigned char *const at =
		(const volatile unsigned char *)data;
	unsigned sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += at[i];
	return sum;
}

#endif /* TESTS_FUZZ_H */
