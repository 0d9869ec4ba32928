/* SPDX-License-Identifier: MIT */
/*
 * fill.h - write a message from registers, and check one that came
 *
 * Every contender uses these, so that what is compared is how messages travel.
 * The widest stores that the compiler was allowed are used. bench_fill() leaves
 * the eight bytes of the stamp alone, bench_fill_whole() writes them as well,
 * for channels that keep no stamp in a message.
 */
#ifndef BENCH_FILL_H
#define BENCH_FILL_H

#include <string.h>

#include "bench.h"

#ifdef __SSE2__
#include <immintrin.h>
#endif

#define BENCH_MAGIC UINT32_C(0x474d4c48)
#define BENCH_MORE_1 UINT64_C(0x6f6e6520616e6420)
#define BENCH_MORE_2 UINT64_C(0x74776f2e2e2e2e2e)

BENCH_INLINE uint64_t bench_head_word(uint32_t type)
{
	return (uint64_t)type << 32 | BENCH_MAGIC;
}

BENCH_INLINE void bench_store(unsigned char *at, uint64_t word)
{
	memcpy(at, &word, sizeof(word));
}

/* Bytes 32 to 63. */
BENCH_INLINE void bench_fill_warm(unsigned char *slot, uint64_t number)
{
#if defined(__AVX2__)
	_mm256_store_si256((__m256i *)(void *)(slot + 32),
			   _mm256_set_epi64x(0, (long long)BENCH_MORE_2,
					     (long long)BENCH_MORE_1,
					     (long long)number));
#elif defined(__SSE2__)
	_mm_store_si128((__m128i *)(void *)(slot + 32),
			_mm_set_epi64x((long long)BENCH_MORE_1,
				       (long long)number));
	_mm_store_si128((__m128i *)(void *)(slot + 48),
			_mm_set_epi64x(0, (long long)BENCH_MORE_2));
#else
	bench_store(slot + 32, number);
	bench_store(slot + 40, BENCH_MORE_1);
	bench_store(slot + 48, BENCH_MORE_2);
	bench_store(slot + 56, 0);
#endif
}

/* Bytes 0 to 15. */
BENCH_INLINE void bench_fill_hot(unsigned char *slot, uint32_t type,
				 uint64_t number)
{
#ifdef __SSE2__
	_mm_store_si128((__m128i *)(void *)slot,
			_mm_set_epi64x((long long)number,
				       (long long)bench_head_word(type)));
#else
	bench_store(slot, bench_head_word(type));
	bench_store(slot + 8, number);
#endif
}

BENCH_INLINE void bench_fill(void *slot, uint32_t type, uint64_t number)
{
	unsigned char *const at = (unsigned char *)slot;

	bench_fill_warm(at, number);
	bench_fill_hot(at, type, number);
	bench_store(at + 16, ~number);
}

BENCH_INLINE void bench_fill_whole(void *slot, uint32_t type, uint64_t number)
{
	unsigned char *const at = (unsigned char *)slot;

#ifdef __AVX2__
	_mm256_store_si256((__m256i *)(void *)at,
			   _mm256_set_epi64x(0, (long long)~number,
					     (long long)number,
					     (long long)bench_head_word(type)));
#else
	bench_fill_hot(at, type, number);
	bench_store(at + 16, ~number);
	bench_store(at + 24, 0);
#endif
	bench_fill_warm(at, number);
}

/* The second line of a message of two. */
BENCH_INLINE void bench_fill_wide(void *slot, uint64_t number)
{
	unsigned char *const at = (unsigned char *)slot + BENCH_LINE;

#ifdef __AVX2__
	_mm256_store_si256((__m256i *)(void *)at,
			   _mm256_set_epi64x((long long)BENCH_MORE_1,
					     (long long)BENCH_MORE_2, 0,
					     (long long)number));
#else
	bench_store(at, number);
	bench_store(at + 8, 0);
	bench_store(at + 16, BENCH_MORE_2);
	bench_store(at + 24, BENCH_MORE_1);
#endif
	bench_fill_warm(at, number);
}

/* A message of a stream with one producer. */
BENCH_INLINE void bench_tally_next(struct bench_tally *tally,
				   const struct bench_message *m)
{
	const uint64_t number = m->number;

	tally->bad |= (number ^ ++tally->count) | (m->check ^ ~number) |
		      (m->more[0] ^ number);
	tally->sum += number;
}

/* The second line of a message of two. */
BENCH_INLINE void bench_tally_wide(struct bench_tally *tally,
				   const struct bench_message *m)
{
	uint64_t number;

	memcpy(&number, (const char *)m + BENCH_LINE, sizeof(number));
	tally->bad |= number ^ m->number;
}

/* A message of a stream with any number of producers, or an end. */
BENCH_INLINE void bench_tally_any(struct bench_tally *tally,
				  const struct bench_message *m)
{
	const uint64_t number = m->number;
	uint64_t *const last = &tally->last[m->type % BENCH_MEMBERS_MAX];

	if (m->type == BENCH_END_TYPE) {
		tally->ends++;
		return;
	}
	tally->bad |= (m->check ^ ~number) | (number <= *last);
	*last = number;
	tally->count++;
	tally->sum += number;
}

/* Whichever fits the shape. */
BENCH_INLINE void bench_tally_add(struct bench_tally *tally,
				  const struct bench_message *m, bool many)
{
	if (many)
		bench_tally_any(tally, m);
	else
		bench_tally_next(tally, m);
}

BENCH_INLINE bool bench_more(const struct bench_tally *tally, uint64_t n)
{
	return tally->count < n && !tally->ends;
}

/* Payloads: built in place, read in place. */
void bench_payload_write(void *payload, size_t bytes, uint64_t number);
uint64_t bench_payload_read(const void *payload, size_t bytes);
bool bench_payload_good(uint64_t sum, size_t bytes, uint64_t number);

#endif /* BENCH_FILL_H */
