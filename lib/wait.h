/* SPDX-License-Identifier: MIT */
/*
 * wait.h - spin, yield, sleep; and wake who sleeps
 */
#ifndef HLI_WAIT_H
#define HLI_WAIT_H

#include <stdbool.h>
#include <stdint.h>

#include "layout.h"

/* Longest sleep; a test build sets it to INT64_MAX. */
extern int64_t hli_sleep_bound_ns;

/* A test sets it: as if the kernel had no membarrier. */
extern bool hli_membarrier_off;

/* What a participant needs to wait; its own memory. */
struct hli_wait {
	const struct hli_view *view;
	struct hli_record *record; /* for its counters */
	_Atomic uint32_t *count;   /* the wake count that it sleeps on */
	uint64_t bit;		   /* its bit of the sleepers' word */
	bool busy;
	bool crowded; /* others ran in its last yield: they share its core */
	int64_t spin_ns;
	_Atomic uint32_t cancelled;
	bool suspect; /* a sleep ran out though there was something */
	uint32_t suspect_count;
};

struct hli_wait_ops {
	/* Is it worth to try again? Called in every spin, and then cheap;
	 * fresh: before and after a sleep, of all there is to wait for. */
	bool (*ready)(void *self, bool fresh);
	/* Look for the dead: > 0 when something changed, 0, or an error. */
	int (*look)(void *self);
	/* Does somebody hold back who may be dead? Then sleep shortly. */
	bool (*held_back)(void *self);
};

/*
 * Wait until ready, or until a look changed something. deadline_ns is on the
 * monotonic clock. Returns: 0, -ETIMEDOUT, -ECANCELED, or what look returned.
 */
int hli_wait_until(struct hli_wait *wait, const struct hli_wait_ops *ops,
		   void *self, int64_t deadline_ns);

/* End the wait of one participant; async-signal-safe. */
void hli_wait_cancel(struct hli_wait *wait);

/*
 * For people: note that somebody waits for this position, and since when. A
 * hint that two may write at once.
 */
void hli_note_held(_Atomic uint64_t *position, _Atomic uint64_t *since_ns,
		   uint64_t now_held);

/* Whom a stamp is news to: all groups, and producers who wait for it. */
#define HLI_SLEEPERS_FOR_STAMPS (~HLI_SLEEPERS_PRODUCERS)

/* Who pays for the order of store and load: wakers, or sleepers? */
static inline bool hli_wakers_fence(const struct hli_view *view)
{
	return view->geo.features & HLI_FEATURE_WAKERS_FENCE;
}

/* Who sleeps, read after what was stored before: for hli_wake_bits(). */
static inline uint64_t hli_sleepers(const struct hli_view *view)
{
	/* E6: pairs with wait.c:sleep_once() */
	if (hli_wakers_fence(view))
		hli_fence_store_load();
	else
		hli_fence_compiler();
	return hli_load_rlx(&view->header->sleepers); /* ordered above */
}

void hli_wake_bits(const struct hli_view *view, uint64_t bits);

/* Wake the sleepers among bits, if there are any: after publishing. */
static inline void hli_wake(const struct hli_view *view, uint64_t bits)
{
	bits &= hli_sleepers(view);
	if (bits)
		hli_wake_bits(view, bits);
}

/* Can sleepers pay for the barrier here? */
bool hli_membarrier_works(void);

/* Register this process for that; before going LIVE. 0 or a negative errno. */
int hli_membarrier_register(void);

#endif /* HLI_WAIT_H */
