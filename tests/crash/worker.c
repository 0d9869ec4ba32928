/* SPDX-License-Identifier: MIT */
/*
 * worker.c - what all workers share: hooks, lives, messages
 *
 * A worker kills itself at a hook by SIGKILL: no handler runs and nothing is
 * tidied up, as if it had been killed from outside at this very instruction.
 */
#include "config.h"

#include "tests/crash/campaign.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "lib/handle.h"
#include "lib/hook.h"

#define CACHE 256 /* of names by their addresses */
#define DAWDLE_NS 100000
#define NUMBER_BITS 40

const char *const hook_names[] = {
#include "tests/crash/hooks.inc"
};
const int nhooks = COUNT_OF(hook_names);

static struct worker *self; /* of this process */

void wrong(const char *format, ...)
{
	int expected = 0;
	va_list args;

	if (!atomic_compare_exchange_strong(&campaign->failed, &expected, 1))
		return;
	va_start(args, format);
	vsnprintf(campaign->failure, sizeof(campaign->failure), format, args);
	va_end(args);
	atomic_store(&campaign->failed, 2);
}

static int64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * SECOND_NS + ts.tv_nsec;
}

/* The number of a hook; its name is mostly at an address that we know. */
static int hook_number(const char *step)
{
	static struct {
		const char *step;
		int number;
	} cache[CACHE];
	const size_t at = ((uintptr_t)step >> 2) % CACHE;
	int i;

	if (cache[at].step == step)
		return cache[at].number;
	for (i = 0; i < nhooks && strcmp(hook_names[i], step) != 0; i++)
		;
	if (i == nhooks) {
		wrong("hook %s is not in the list", step);
		return NO_HOOK;
	}
	cache[at].step = step;
	cache[at].number = i;
	return i;
}

/* What the producer of this process is about to claim goes into its life. */
static void note_range(void)
{
	const struct hli_record *record;

	if (!self->producer || !self->life)
		return;
	record = self->producer->member.record;
	atomic_store(&self->life->from, hli_load_rlx(&record->from));
	atomic_store(&self->life->to, hli_load_rlx(&record->to));
}

static void at_hook(const char *step)
{
	const int number = hook_number(step);
	struct place *const place = self->place;

	if (strcmp(step, "range_to") == 0)
		note_range();
	if (number != atomic_load(&place->plan_hook) || number == NO_HOOK)
		return;
	if (atomic_load(&campaign->no_kills) && place->role < ROLES)
		return;
	if (atomic_fetch_sub(&place->plan_n, 1) != 1)
		return;
	atomic_store(&place->died_at, number);
	atomic_store(&campaign->killed_ns, now_ns());
	kill(getpid(), SIGKILL);
}

bool worker_told_to_stop(void)
{
	return atomic_load(&campaign->stop) || atomic_load(&campaign->failed);
}

/* The first thing done after a kill ends the pause that it made. */
void worker_progress(struct worker *w)
{
	const int64_t killed = atomic_load(&campaign->killed_ns);

	atomic_fetch_add(&w->place->progress, 1);
	if (killed && (uint64_t)killed != w->pause_seen) {
		const uint32_t i = atomic_fetch_add(&campaign->npauses, 1);
		const int64_t pause = now_ns() - killed;

		if (i < PAUSES_MAX)
			campaign->pauses_us[i] = (uint32_t)(pause / 1000);
		w->pause_seen = (uint64_t)killed;
	}
}

uint64_t worker_random(struct worker *w, uint64_t n)
{
	return support_random(&w->random) % n;
}

/* Let the others run out of work, or of room. Not a wait for anything. */
void worker_dawdle(struct worker *w)
{
	const enum load load = campaign->round.load;
	const struct timespec pause = { .tv_nsec = DAWDLE_NS };

	if ((load == LOAD_FULL && w->place->role == CONSUMES) ||
	    (load == LOAD_EMPTY && w->place->role == PRODUCES) ||
	    worker_random(w, 256) == 0)
		nanosleep(&pause, NULL);
}

static bool join_again(int ret)
{
	/* Who was killed just now still has its place. */
	return ret == -EUSERS || ret == -EBUSY;
}

struct hl_producer *worker_join_producer(struct worker *w)
{
	const int64_t end = support_deadline();
	struct hl_error err = { 0 };
	struct hl_producer *producer;
	int ret;

	do
		ret = hl_producer_join(w->ring, NULL, &producer, &err);
	while (join_again(ret) && !worker_told_to_stop() && support_poll(end));
	if (ret < 0) {
		if (!worker_told_to_stop())
			wrong("a producer cannot join: %d %s", ret, err.text);
		return NULL;
	}
	w->life_number = atomic_fetch_add(&campaign->ledger.nlives, 1) + 1;
	if (w->life_number >= LIVES_MAX) {
		wrong("more than %d lives", LIVES_MAX);
		return NULL;
	}
	w->life = &campaign->ledger.lives[w->life_number];
	w->producer = producer;
	return producer;
}

void worker_leave_producer(struct worker *w, struct hl_producer *producer)
{
	hl_producer_leave(producer);
	atomic_store(&w->life->left, 1);
	w->life = NULL;
	w->producer = NULL;
}

struct hl_consumer *worker_join(struct worker *w, const char *group,
				enum hl_group_kind kind, bool durable,
				enum hl_group_start start)
{
	struct hl_group_attr attr = HL_GROUP_ATTR_INIT;
	const int64_t end = support_deadline();
	struct hl_error err = { 0 };
	struct hl_consumer *consumer;
	int ret;

	attr.name = group;
	attr.kind = kind;
	attr.durable = durable;
	attr.start = start;
	do
		ret = hl_consumer_join(w->ring, &attr, NULL, &consumer, &err);
	while (join_again(ret) && !atomic_load(&campaign->failed) &&
	       support_poll(end));
	if (ret < 0)
		wrong("a consumer cannot join %s: %d %s", group, ret, err.text);
	return ret < 0 ? NULL : consumer;
}

bool ledger_index(uint64_t position, uint32_t *index)
{
	const uint64_t i = position - campaign->round.start;

	*index = (uint32_t)i;
	if (i < POSITIONS_MAX)
		return true;
	wrong("position %ju is outside of the round", (uintmax_t)position);
	return false;
}

bool ledger_full(uint64_t position)
{
	return position - campaign->round.start > POSITIONS_MAX / 8 * 7;
}

uint64_t worker_tag(uint32_t life, uint64_t number)
{
	return (uint64_t)life << NUMBER_BITS | number;
}

void worker_fill(struct hl_message *m, uint64_t tag)
{
	m->magic = HL_MESSAGE_MAGIC;
	m->type = (uint32_t)tag;
	m->timestamp = tag;
	m->amount = (int64_t)~tag;
	memset(m->sender, (int)(tag % 251), sizeof(m->sender));
	memset(m->recipient, (int)(tag % 241), sizeof(m->recipient));
}

bool worker_whole(const struct hl_message *m, uint64_t *tag)
{
	struct hl_message want;

	*tag = m->timestamp;
	worker_fill(&want, *tag);
	return m->magic == want.magic && m->type == want.type &&
	       m->amount == want.amount &&
	       memcmp(m->sender, want.sender, sizeof(want.sender)) == 0 &&
	       memcmp(m->recipient, want.recipient, sizeof(want.recipient)) ==
		       0;
}

void worker_fill_payload(unsigned char *bytes, size_t n, uint64_t tag)
{
	memset(bytes, (int)(tag % 239), n);
}

bool worker_payload_whole(const unsigned char *bytes, size_t n, uint64_t tag)
{
	for (size_t i = 0; i < n; i++)
		if (bytes[i] != tag % 239)
			return false;
	return true;
}

/* For who dies of it: it need not succeed. */
static void finish(struct worker *w)
{
	if (hl_ring_finish(w->ring, NULL) < 0)
		worker_progress(w);
}

void worker_run(struct place *place, uint64_t seed)
{
	static void (*const run[ROLES])(
		struct worker *) = { produce_run, consume_run, change_run };
	struct worker w = { .place = place, .random = seed };
	struct hl_error err = { 0 };

	/* Workers do not outlive the test, whatever ends it. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	self = &w;
	w.pause_seen = (uint64_t)atomic_load(&campaign->killed_ns);
	hli_hook_fn = at_hook;
	if (hl_ring_open(campaign->round.ring, 0, &w.ring, &err) < 0) {
		wrong("a worker cannot open the ring: %s", err.text);
		return;
	}
	if (place->role < ROLES)
		run[place->role](&w);
	else
		finish(&w);
	hl_ring_close(w.ring);
}
