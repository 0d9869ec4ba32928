/* SPDX-License-Identifier: MIT */
/*
 * atomic.h - the atomic operations of the library, with their order in the name
 *
 * The only file that says memory_order: _rlx relaxed, _acq acquire, _rel
 * release, _ar acquire and release. Sizes are 4 and 8 bytes; both have to be
 * lock-free, since a helper's lock does not work between processes.
 */
#ifndef HLI_ATOMIC_H
#define HLI_ATOMIC_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

_Static_assert(ATOMIC_LLONG_LOCK_FREE == 2,
	       "64-bit atomics are not lock-free on this machine");
_Static_assert(ATOMIC_INT_LOCK_FREE == 2,
	       "32-bit atomics are not lock-free on this machine");
_Static_assert(sizeof(_Atomic uint64_t) == 8 && sizeof(_Atomic uint32_t) == 4,
	       "an atomic word has the size of a plain one");

/* Is this built for the thread sanitizer, by either compiler? */
#if defined(__SANITIZE_THREAD__)
#define HLI_THREAD_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define HLI_THREAD_SANITIZER 1
#endif
#endif
#ifndef HLI_THREAD_SANITIZER
#define HLI_THREAD_SANITIZER 0
#endif

#define hli_load_rlx(p) atomic_load_explicit((p), memory_order_relaxed)
#define hli_load_acq(p) atomic_load_explicit((p), memory_order_acquire)
#define hli_store_rlx(p, v)                                                    \
	atomic_store_explicit((p), (v), memory_order_relaxed)
#define hli_store_rel(p, v)                                                    \
	atomic_store_explicit((p), (v), memory_order_release)
#define hli_add_rlx(p, v)                                                      \
	atomic_fetch_add_explicit((p), (v), memory_order_relaxed)
#define hli_add_ar(p, v)                                                       \
	atomic_fetch_add_explicit((p), (v), memory_order_acq_rel)
#define hli_or_ar(p, v) atomic_fetch_or_explicit((p), (v), memory_order_acq_rel)
#define hli_and_ar(p, v)                                                       \
	atomic_fetch_and_explicit((p), (v), memory_order_acq_rel)
#define hli_swap_ar(p, v)                                                      \
	atomic_exchange_explicit((p), (v), memory_order_acq_rel)

/* Compare and swap: true when *p was old and is new now. */
static inline bool hli_cas_ar(_Atomic uint64_t *p, uint64_t old, uint64_t new)
{
	return atomic_compare_exchange_strong_explicit(
		p, &old, new, memory_order_acq_rel, memory_order_acquire);
}

static inline bool hli_cas32_ar(_Atomic uint32_t *p, uint32_t old, uint32_t new)
{
	return atomic_compare_exchange_strong_explicit(
		p, &old, new, memory_order_acq_rel, memory_order_acquire);
}

/*
 * Add to a counter that only its owner writes: no locked instruction. Of a load, an
 * add and a store compilers make three, where x86 has one that reads and writes
 * the aligned word whole.
 */
static inline void hli_count(_Atomic uint64_t *counter, uint64_t n)
{
#if defined(__x86_64__) && !HLI_THREAD_SANITIZER
	__asm__("addq %1, %0" : "+m"(*counter) : "er"(n) : "cc");
#else
	hli_store_rlx(counter, hli_load_rlx(counter) + n);
#endif
}

static inline void hli_fence_acq(void)
{
	atomic_thread_fence(memory_order_acquire);
}

static inline void hli_fence_rel(void)
{
	atomic_thread_fence(memory_order_release);
}

/* Orders a store before a load: nothing weaker does. */
static inline void hli_fence_store_load(void)
{
	atomic_thread_fence(memory_order_seq_cst);
}

/* Keeps the compiler alone from moving accesses. */
static inline void hli_fence_compiler(void)
{
	atomic_signal_fence(memory_order_seq_cst);
}

/*
 * For reading what its writer, by design, may be changing: the words are
 * atomic here and plain there, and a check afterwards decides what they are
 * worth. The thread sanitizer cannot know.
 */
#if HLI_THREAD_SANITIZER
#define HLI_RACES_BY_DESIGN __attribute__((no_sanitize("thread")))
#else
#define HLI_RACES_BY_DESIGN
#endif

/* Write out a loop of so many turns: where each message costs a turn. */
#define HLI_UNROLL_8 _Pragma("GCC unroll 8")

/* Tell the processor that this is a spin. */
static inline void hli_pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__) || defined(__arm__)
	__asm__ volatile("yield" ::: "memory");
#endif
}

#endif /* HLI_ATOMIC_H */
