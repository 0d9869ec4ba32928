/* SPDX-License-Identifier: MIT */
/*
 * waitfd.c - the thread behind hl_consumer_fd()
 *
 * Guarantees: after a take that found nothing, the descriptor becomes readable
 * as soon as there is something to take, or somebody dead to recover; it is
 * written once and then left alone until the next take that finds nothing. So
 * level, edge and one-shot polling all see every change.
 *
 *   ARMED: the thread waits in the ring  -- something --> IDLE, eventfd += 1
 *     ^                                                        |
 *     '----- take finds nothing: read the eventfd, arm --------'
 *
 * Leaving makes it STOPPED, in the word that the idle thread sleeps on: a flag
 * beside it could be set, and its wake be lost, between look and sleep.
 *
 * The thread reads shared words alone, never the consumer's own memory, and
 * takes no lock byte: it only tells.
 */
#include "config.h"

#include "handle.h"

#include <errno.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "clock.h"
#include "group.h"
#include "liveness.h"
#include "record.h"
#include "util.h"

#define LOOK_EVERY_NS (10 * HLI_NS_PER_MS)

enum waitfd_state {
	IDLE,
	ARMED,
	STOPPED /* for good */
};

struct hli_waitfd {
	int event;
	pthread_t thread;
	_Atomic uint32_t state; /* enum waitfd_state; private futex */
	const struct hli_member *member;
	struct hli_group *group;
	struct hli_wait wait;
	struct hli_record counters; /* the consumer's are not ours to write */
	int64_t looked_ns;
};

static bool stopped(const struct hli_waitfd *waitfd)
{
	return hli_load_acq(&waitfd->state) == STOPPED;
}

static uint64_t next_position(const struct hli_waitfd *waitfd)
{
	return hli_load_acq(&waitfd->group->next);
}

/* As hli_drained(): other members may have the last ones in hand. */
static bool at_the_end(const struct hli_waitfd *waitfd)
{
	const struct hli_view *const view = waitfd->wait.view;
	const uint64_t head = hli_load_acq(&view->header->head);

	return (head & HLI_FINISHED) &&
	       hli_group_low(view, waitfd->member->group) >=
		       hli_head_position(head);
}

static bool ready(void *self, bool fresh)
{
	const struct hli_waitfd *const waitfd = self;
	const uint64_t p = next_position(waitfd);
	const uint64_t s = hli_load_acq(hli_stamp(waitfd->wait.view, p));

	return stopped(waitfd) || hli_stamp_position(s) >= p ||
	       !hli_member_live(waitfd->member) ||
	       (fresh && at_the_end(waitfd));
}

static bool held_back(void *self)
{
	const struct hli_waitfd *const waitfd = self;
	const uint64_t head = hli_load_acq(&waitfd->wait.view->header->head);

	return hli_head_position(head) > next_position(waitfd) ||
	       (head & HLI_FINISHED);
}

/* Is this record's death news for our consumer? */
static bool is_news(const struct hli_waitfd *waitfd, uint32_t i)
{
	const struct hli_view *const view = waitfd->wait.view;
	const struct hli_record *const r = &view->records[i];
	const enum hli_state state = hli_record_state(r);
	uint64_t from, to;

	if (state == HLI_FREE)
		return false;
	/* A dead one that was found already matters if its range is ours. */
	if (state == HLI_DEAD &&
	    (i < view->geo.max_producers ||
	     hli_load_rlx(&r->group) != waitfd->member->group || /* a hint */
	     !hli_range_get(r, &from, &to)))
		return false;
	return hli_lock_probe(waitfd->member->lock_fd, HLI_LOCK_RECORD(i)) == 0;
}

static int look(void *self)
{
	struct hli_waitfd *const waitfd = self;
	const int64_t now = hli_now_ns();
	uint32_t i;

	if (now - waitfd->looked_ns < LOOK_EVERY_NS)
		return 0;
	waitfd->looked_ns = now;
	for (i = 0; i < waitfd->wait.view->nrecords; i++) {
		if (i != waitfd->member->index && is_news(waitfd, i))
			return 1;
	}
	return 0;
}

static const struct hli_wait_ops ops = { ready, look, held_back };

static void wait_while_idle(struct hli_waitfd *waitfd)
{
	while (hli_load_acq(&waitfd->state) == IDLE)
		(void)syscall(SYS_futex, &waitfd->state, FUTEX_WAIT_PRIVATE,
			      IDLE, NULL, NULL, 0);
}

static void wake_idle(struct hli_waitfd *waitfd)
{
	(void)syscall(SYS_futex, &waitfd->state, FUTEX_WAKE_PRIVATE, 1, NULL,
		      NULL, 0);
}

static void *run(void *arg)
{
	struct hli_waitfd *const waitfd = arg;
	const uint64_t one = 1;

	for (;;) {
		wait_while_idle(waitfd);
		(void)hli_wait_until(&waitfd->wait, &ops, waitfd, INT64_MAX);
		if (!hli_cas32_ar(&waitfd->state, ARMED, IDLE))
			return NULL;
		if (write(waitfd->event, &one, sizeof(one)) < 0)
			continue; /* full: readable all the same */
	}
}

static void init_wait(struct hli_waitfd *waitfd, const struct hli_member *m)
{
	const struct hli_view *const view = &m->ring->view;

	waitfd->member = m;
	waitfd->group = &view->groups[m->group];
	waitfd->wait.view = view;
	waitfd->wait.record = &waitfd->counters;
	waitfd->wait.count = &waitfd->group->wake;
	waitfd->wait.bit = UINT64_C(1) << m->group;
}

/* With all signals blocked: they are the application's. */
static int start_thread(struct hli_waitfd *waitfd)
{
	sigset_t all, before;
	int ret;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	ret = pthread_create(&waitfd->thread, NULL, run, waitfd);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return -ret;
}

int hli_waitfd_start(struct hl_consumer *consumer)
{
	struct hli_waitfd *const waitfd =
		aligned_alloc(128, hli_round_up(sizeof(*waitfd), 128));
	int ret;

	if (!waitfd)
		return -ENOMEM;
	memset(waitfd, 0, sizeof(*waitfd));
	init_wait(waitfd, &consumer->member);
	hli_store_rel(&waitfd->state, ARMED);
	waitfd->event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	ret = waitfd->event < 0 ? -errno : start_thread(waitfd);
	if (ret < 0) {
		if (waitfd->event >= 0)
			close(waitfd->event);
		free(waitfd);
		return ret;
	}
	consumer->waitfd = waitfd;
	return 0;
}

int hli_waitfd_descriptor(const struct hli_waitfd *waitfd)
{
	return waitfd->event;
}

void hli_waitfd_rearm(struct hli_waitfd *waitfd)
{
	uint64_t count;

	/* Also when it is armed: the thread may have written since. */
	if (read(waitfd->event, &count, sizeof(count)) < 0)
		count = 0; /* nothing to clear */
	if (hli_cas32_ar(&waitfd->state, IDLE, ARMED))
		wake_idle(waitfd);
}

void hli_waitfd_stop(struct hli_waitfd *waitfd)
{
	if (!waitfd)
		return;
	hli_swap_ar(&waitfd->state, STOPPED);
	wake_idle(waitfd);
	hli_wait_cancel(&waitfd->wait);
	pthread_join(waitfd->thread, NULL);
	close(waitfd->event);
	free(waitfd);
}
