/* SPDX-License-Identifier: MIT */
/*
 * util.h - small things that every part uses
 */
#ifndef HLI_UTIL_H
#define HLI_UTIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hl_error;

/*
 * How a function is compiled, where every message counts instructions:
 * HLI_INLINE   part of its callers, though it is long or has several
 * HLI_APART    no part of them: they would save registers that it alone needs
 * HLI_RARELY   the same, and seldom called
 */
#define HLI_INLINE inline __attribute__((always_inline))
#define HLI_APART __attribute__((noinline))
#define HLI_RARELY __attribute__((noinline, cold))

/* Sizes of shared memory are summed with these: false means it wrapped. */
static inline bool hli_add_u64(uint64_t a, uint64_t b, uint64_t *sum)
{
	return !__builtin_add_overflow(a, b, sum);
}

static inline bool hli_mul_u64(uint64_t a, uint64_t b, uint64_t *product)
{
	return !__builtin_mul_overflow(a, b, product);
}

static inline uint64_t hli_round_up(uint64_t v, uint64_t step)
{
	return (v + step - 1) / step * step;
}

static inline uint64_t hli_min(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static inline uint64_t hli_max(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static inline bool hli_power_of_two(uint64_t v)
{
	return v && !(v & (v - 1));
}

/* Fill err (NULL is allowed) with code and a sentence; returns code. */
int hli_fail(struct hl_error *err, int code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Text that others had a hand in: no control byte gets to a terminal. */
void hli_printable(char *text);

/* Copy text into a field of n bytes, cut and terminated. */
void hli_copy_text(char *field, size_t n, const char *text);

/* Is this a name by the rule in ring.h, of at most max characters? */
bool hli_name_ok(const char *name, size_t max);

#endif /* HLI_UTIL_H */
