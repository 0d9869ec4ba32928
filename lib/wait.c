/* SPDX-License-Identifier: MIT */
/*
 * wait.c - spin, yield, sleep; and wake who sleeps
 *
 * Guarantees: a message that is published while somebody goes to sleep for it
 * is either seen by the sleeper's fresh look, or its producer sees the
 * sleeper's bit. That is a store before a load on both sides:
 *
 *   sleeper: read count, set bit, BARRIER, look afresh, futex_wait(count)
 *   waker:   store stamp,         (barrier), load bits, clear, count++, wake
 *
 * The waker's half costs nothing when the sleeper's is a membarrier that
 * makes every process of the ring pass one; "wakers fence" rings have a fence
 * on both sides instead. The bit is cleared before the count is raised: the
 * other way round, a sleeper that sets it in between would not be woken.
 *
 * Every sleep is bounded, since a waker may die between publishing and waking.
 * A bound that ran out although a message was there is counted only when the
 * wake never came, so the count is 0 without a death.
 */
#include "config.h"

#include "wait.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "hook.h"
#include "util.h"

#define SPINS_PER_CLOCK 32
#define YIELDS 4 /* before a sleep */
/* While others run in them, and so many times as long as it spins: who yields for
 * longer had better be woken, and who would not spin sleeps. */
#define YIELDS_CROWDED 16
#define YIELDING_SPINS 200
#define OTHERS_RAN_NS 3000 /* a yield to nobody takes less */
#define SHORT_SLEEP_NS HLI_NS_PER_MS
#define LONGEST_SHORT_SLEEP_NS (16 * HLI_NS_PER_MS)
#define BUSY_FIRST_NS HLI_NS_PER_MS /* a busy wait's first look for the dead */
#define BUSY_LOOK_NS (10 * HLI_NS_PER_MS)

int64_t hli_sleep_bound_ns = 100 * HLI_NS_PER_MS;
bool hli_membarrier_off;

static int membarrier(int command)
{
	return syscall(SYS_membarrier, command, 0, 0) < 0 ? -errno : 0;
}

bool hli_membarrier_works(void)
{
	const long known = syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0);

	return !hli_membarrier_off && known > 0 &&
	       (known & MEMBARRIER_CMD_GLOBAL_EXPEDITED) &&
	       (known & MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED);
}

int hli_membarrier_register(void)
{
	return membarrier(MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED);
}

/* Not private: the word is shared between processes. */
static int futex_wait(_Atomic uint32_t *word, uint32_t value, int64_t ns)
{
	const struct timespec ts = {
		.tv_sec = (time_t)(ns / HLI_NS_PER_S),
		.tv_nsec = (long)(ns % HLI_NS_PER_S),
	};

	if (syscall(SYS_futex, word, FUTEX_WAIT, value, &ts, NULL, 0) < 0)
		return -errno;
	return 0;
}

static void futex_wake_all(_Atomic uint32_t *word)
{
	(void)syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

/* Before the wake itself: who goes to sleep now finds another count. */
static void raise_count(const struct hli_view *view, uint64_t bits,
			_Atomic uint32_t *count)
{
	hli_and_ar(&view->header->sleepers, ~bits);
	HLI_HOOK("wake_bit_cleared");
	hli_add_ar(count, 1);
	HLI_HOOK("wake_count_raised");
}

void hli_wake_bits(const struct hli_view *view, uint64_t bits)
{
	const uint64_t producers =
		bits & (HLI_SLEEPERS_PRODUCERS | HLI_SLEEPERS_STAMPS);
	uint64_t groups = bits & ~producers &
			  ((UINT64_C(1) << view->geo.max_groups) - 1);
	uint64_t g;

	/* All counts first: a wake takes its time, and whose sleep runs out
	 * meanwhile sees that it was not forgotten. */
	if (producers)
		raise_count(view, producers, &view->header->wake);
	for (g = groups; g; g &= g - 1)
		raise_count(view, g & -g,
			    &view->groups[__builtin_ctzll(g)].wake);
	if (producers)
		futex_wake_all(&view->header->wake);
	for (g = groups; g; g &= g - 1)
		futex_wake_all(&view->groups[__builtin_ctzll(g)].wake);
}

void hli_note_held(_Atomic uint64_t *position, _Atomic uint64_t *since_ns,
		   uint64_t now_held)
{
	/* Read by people alone. */
	if (hli_load_rlx(position) == now_held)
		return;
	hli_store_rlx(since_ns, (uint64_t)hli_now_ns()); /* the same */
	hli_store_rlx(position, now_held);		 /* the same */
}

static bool take_cancel(struct hli_wait *wait)
{
	return hli_load_rlx(&wait->cancelled) && /* set it once, see it once */
	       hli_swap_ar(&wait->cancelled, 0);
}

void hli_wait_cancel(struct hli_wait *wait)
{
	hli_swap_ar(&wait->cancelled, 1);
	hli_add_ar(wait->count, 1);
	futex_wake_all(wait->count);
}

/* A bound ran out with a message there: was it the waker's fault? */
static void settle_suspicion(struct hli_wait *wait)
{
	if (!wait->suspect)
		return;
	wait->suspect = false;
	if (hli_load_acq(wait->count) == wait->suspect_count)
		hli_add_rlx(&wait->view->header->bounds_found, 1);
}

/* Sleep once, for ns at most. True when there is something. */
static bool sleep_once(struct hli_wait *wait, const struct hli_wait_ops *ops,
		       void *self, int64_t ns)
{
	const uint32_t count = hli_load_acq(wait->count);
	int ret;

	settle_suspicion(wait);
	/* E6: pairs with wait.h:hli_sleepers() */
	hli_or_ar(&wait->view->header->sleepers, wait->bit);
	HLI_HOOK("sleep_bit_set");
	if (hli_wakers_fence(wait->view) ||
	    membarrier(MEMBARRIER_CMD_GLOBAL_EXPEDITED) < 0)
		hli_fence_store_load();
	if (ops->ready(self, true) || hli_load_acq(&wait->cancelled))
		return true;
	HLI_HOOK("sleep_before_futex");
	hli_count(&wait->record->waits, 1);
	ret = futex_wait(wait->count, count, ns);
	HLI_HOOK("sleep_after_futex");
	if (ret == 0)
		hli_count(&wait->record->wakeups, 1);
	if (!ops->ready(self, true))
		return false;
	wait->suspect = ret == -ETIMEDOUT;
	wait->suspect_count = count;
	return true;
}

/* Look often, afresh at first if wanted. True when there is something. */
static bool look_often(const struct hli_wait_ops *ops, void *self, bool fresh)
{
	int i;

	for (i = 0; i < SPINS_PER_CLOCK; i++) {
		if (ops->ready(self, fresh && i == 0))
			return true;
		hli_pause();
	}
	return false;
}

/* Yield. Did others run? Then they share the core, and who spins on it keeps them
 * from what is waited for. *now_ns is from before, and set anew. */
static bool others_ran(int64_t *now_ns)
{
	const int64_t before = *now_ns;

	sched_yield();
	*now_ns = hli_now_ns();
	return *now_ns - before > OTHERS_RAN_NS;
}

/*
 * Spin, then yield; on a crowded core, as the last yield told, yield at once. True
 * when there is something.
 */
static bool spin(struct hli_wait *wait, const struct hli_wait_ops *ops,
		 void *self, int64_t deadline_ns)
{
	int64_t now = hli_now_ns();
	const int64_t end = (int64_t)hli_min(
		(uint64_t)deadline_ns, (uint64_t)now + (uint64_t)wait->spin_ns);
	const int64_t last_yield =
		now + YIELDING_SPINS * (int64_t)hli_min((uint64_t)wait->spin_ns,
							HLI_NS_PER_S);
	int left = wait->crowded ? YIELDS_CROWDED : YIELDS;

	/* Cancelled is only a hint here. */
	while (left && !hli_load_rlx(&wait->cancelled)) {
		if (!wait->crowded && now < end) {
			if (look_often(ops, self, false))
				return true;
			now = hli_now_ns();
			continue;
		}
		if (ops->ready(self, false))
			return true;
		left--;
		if (!others_ran(&now)) {
			left = left < YIELDS ? left : YIELDS;
			wait->crowded = false;
			continue;
		}
		if (!wait->crowded)
			left = YIELDS_CROWDED;
		wait->crowded = true;
		if (now >= last_yield || now >= deadline_ns)
			break;
	}
	return ops->ready(self, true);
}

/* For who has a core of its own: never sleep, but look for the dead. */
static int wait_busy(struct hli_wait *wait, const struct hli_wait_ops *ops,
		     void *self, int64_t deadline_ns)
{
	/* Not at once; but before giving up, however short the wait is. */
	int64_t look_at =
		(int64_t)hli_min((uint64_t)deadline_ns,
				 (uint64_t)hli_deadline_ns(BUSY_FIRST_NS));
	int64_t now;
	int ret;

	for (;;) {
		if (look_often(ops, self, true))
			return 0;
		if (take_cancel(wait))
			return -ECANCELED;
		now = hli_now_ns();
		if (now >= look_at) {
			(void)ops->held_back(self); /* noted for people */
			ret = ops->look(self);
			if (ret)
				return ret < 0 ? ret : 0;
			look_at = hli_deadline_ns(BUSY_LOOK_NS);
		}
		if (now >= deadline_ns)
			return -ETIMEDOUT;
	}
}

int hli_wait_until(struct hli_wait *wait, const struct hli_wait_ops *ops,
		   void *self, int64_t deadline_ns)
{
	int64_t nap = SHORT_SLEEP_NS;
	int64_t now, bound;
	int ret;

	/* Ready is a hint: who finds it wrong again and again ends here. */
	if (take_cancel(wait))
		return -ECANCELED;
	if (hli_now_ns() >= deadline_ns)
		return -ETIMEDOUT;
	if (wait->busy)
		return wait_busy(wait, ops, self, deadline_ns);
	if (spin(wait, ops, self, deadline_ns))
		return 0;
	for (;;) {
		if (take_cancel(wait))
			return -ECANCELED;
		ret = ops->look(self);
		if (ret)
			return ret < 0 ? ret : 0;
		now = hli_now_ns();
		if (now >= deadline_ns)
			return -ETIMEDOUT;
		bound = hli_sleep_bound_ns;
		if (ops->held_back(self)) {
			bound = (int64_t)hli_min((uint64_t)bound,
						 (uint64_t)nap);
			nap = (int64_t)hli_min((uint64_t)nap * 2,
					       LONGEST_SHORT_SLEEP_NS);
		}
		bound = (int64_t)hli_min((uint64_t)bound,
					 (uint64_t)(deadline_ns - now));
		if (sleep_once(wait, ops, self, bound) &&
		    !hli_load_acq(&wait->cancelled))
			return 0;
	}
}
