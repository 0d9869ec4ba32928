/* SPDX-License-Identifier: MIT */
/*
 * round.c - one round: start workers, kill them, watch the others, end
 *
 * Half of the deaths are planned: a worker is told at which hook to kill
 * itself. The other half, and those who do not come by their hook in time, are
 * killed from here at a random time. Whoever died is replaced at once. The
 * others have to go on: who does nothing for as long as anything may take
 * (DEADLINE_NS) fails the test, and what the ring holds then is printed.
 */
#include "config.h"

#include "tests/crash/campaign.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ANY_TIME_NS (8 * MS_NS)	 /* when a death without a hook comes */
#define PATIENCE_NS (40 * MS_NS) /* for a worker to come by its hook */
#define PASSES_BITS 8
#define BLOCK_BYTES 1024

static uint64_t random_state;

static int64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * SECOND_NS + ts.tv_nsec;
}

static uint64_t random_below(uint64_t n)
{
	return support_random(&random_state) % n;
}

/* What has to be left behind, so that somebody comes by a hook. */
static const char *const before[][2] = {
	{ "orphan_cleared", "group_active" },
	{ "clear_dead", "take_tail" },
	{ "settle_seen", "claim_head" },
	{ "settle_checked", "claim_head" },
	{ "settle_void", "claim_head" },
	{ "adopt_acted", "take_tail" },
	{ "adopt_from", "take_tail" },
};

static int hook_number(const char *name)
{
	int i;

	for (i = 0; i < nhooks && strcmp(hook_names[i], name) != 0; i++)
		;
	return i < nhooks ? i : NO_HOOK;
}

/* A hook that nobody was killed at, or what leads to it. */
static int choose_missing(void)
{
	const int first = (int)random_below((uint64_t)nhooks);
	int i, hook = NO_HOOK;
	size_t k;

	for (i = 0; i < nhooks && hook == NO_HOOK; i++)
		if (!atomic_load(&campaign->kills_at[(first + i) % nhooks]))
			hook = (first + i) % nhooks;
	if (hook == NO_HOOK || random_below(2))
		return hook;
	for (k = 0; k < COUNT_OF(before); k++)
		if (strcmp(before[k][0], hook_names[hook]) == 0)
			return hook_number(before[k][1]);
	return hook;
}

/* Of some hooks at random, the one that was tried and reached the least. */
static int choose_hook(enum role role)
{
	uint64_t best = UINT64_MAX;
	int hook = NO_HOOK, i;

	if (campaign->round.missing_only && random_below(2))
		hook = choose_missing();
	if (hook != NO_HOOK)
		return hook;
	for (i = 0; i < 6; i++) {
		const int h = (int)random_below((uint64_t)nhooks);
		const uint64_t n = atomic_load(&campaign->kills_at[h]) * 2 +
				   atomic_load(&campaign->tries[role][h]);

		if (n < best) {
			best = n;
			hook = h;
		}
	}
	atomic_fetch_add(&campaign->tries[role][hook], 1);
	return hook;
}

static void plan_death(struct place *place)
{
	const int64_t now = now_ns();

	place->died_at = NO_HOOK;
	place->plan_hook = NO_HOOK;
	if (random_below(3) == 0) {
		place->kill_ns = now + (int64_t)random_below(ANY_TIME_NS);
		return;
	}
	place->plan_n =
		1 + (uint32_t)random_below(1u << random_below(PASSES_BITS));
	place->plan_hook = choose_hook(place->role);
	place->kill_ns = now + PATIENCE_NS;
}

/* The place is shared with the child: only we write the pid. */
static void start_process(struct place *place, uint64_t seed)
{
	const pid_t pid = fork();

	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		worker_run(place, seed);
		_exit(EXIT_SUCCESS);
	}
	place->pid = pid;
}

static void start(struct place *place)
{
	const uint64_t seed = support_random(&random_state);

	plan_death(place);
	place->progress_seen = atomic_load(&place->progress);
	place->progress_ns = now_ns();
	start_process(place, seed);
}

/* Wait without waiting: true when its process is gone. It may have been us. */
static bool is_gone(struct place *place)
{
	int status;

	if (place->pid == 0)
		return true;
	if (waitpid(place->pid, &status, WNOHANG) != place->pid)
		return false;
	place->pid = 0;
	place->killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
	if (place->killed) {
		if (place->died_at >= 0)
			atomic_fetch_add(&campaign->kills_at[place->died_at],
					 1);
		else
			atomic_fetch_add(&campaign->kills_any_time, 1);
		campaign->kills++;
	} else if (status) {
		wrong("worker %d ended with status 0x%x",
		      (int)(place - campaign->places), status);
	}
	return true;
}

static void kill_place(struct place *place)
{
	atomic_store(&campaign->killed_ns, now_ns());
	kill(place->pid, SIGKILL);
	place->kill_ns = INT64_MAX;
}

static void watch(struct place *place)
{
	static const char *const words[] = { "produces", "consumes",
					     "changes things" };
	const uint64_t progress = atomic_load(&place->progress);
	const int64_t now = now_ns();

	if (progress != place->progress_seen) {
		place->progress_seen = progress;
		place->progress_ns = now;
	} else if (now - place->progress_ns > DEADLINE_NS) {
		wrong("worker %d, pid %d, which %s, does not get on",
		      (int)(place - campaign->places), (int)place->pid,
		      words[place->role]);
	}
}

static bool going(void)
{
	return !atomic_load(&campaign->failed);
}

static void kill_and_replace(uint32_t kills)
{
	const uint64_t end = campaign->kills + kills;
	uint32_t i;

	while (going() && campaign->kills < end &&
	       !atomic_load(&campaign->stop)) {
		for (i = 0; i < campaign->nplaces; i++) {
			struct place *const place = &campaign->places[i];

			if (is_gone(place))
				start(place);
			else if (now_ns() >= place->kill_ns)
				kill_place(place);
			watch(place);
		}
		(void)support_poll(INT64_MAX);
	}
}

/*
 * All of a role end by themselves. Who was killed shortly before is replaced
 * once more, if so asked.
 */
static void await_end(enum role role, bool replace)
{
	uint32_t i, left;

	do {
		left = 0;
		for (i = 0; i < campaign->nplaces; i++) {
			struct place *const place = &campaign->places[i];

			if (place->role != role)
				continue;
			if (is_gone(place) && replace && place->killed) {
				place->killed = false;
				start(place);
			}
			if (place->pid == 0)
				continue;
			left++;
			watch(place);
		}
	} while (left && going() && support_poll(INT64_MAX));
}

/* Finish the ring; now and then one dies of it first. */
static void finish(struct hl_ring *ring)
{
	struct place *const place = &campaign->places[campaign->nplaces];
	struct hl_error err = { 0 };
	int64_t end;
	const int hook =
		hook_number(random_below(2) ? "finishing" : "finished");
	int ret;

	if (hook != NO_HOOK && random_below(2)) {
		place->died_at = NO_HOOK;
		place->plan_hook = hook;
		place->plan_n = 1;
		place->role = ROLES;
		start_process(place, 0);
		while (!is_gone(place) && support_poll(INT64_MAX))
			;
	}
	/* Who was killed holds the sole producer's seat a little longer. */
	end = support_deadline();
	do
		ret = hl_ring_finish(ring, &err);
	while (ret == -EBUSY && support_poll(end));
	if (ret < 0)
		wrong("finish: %s", err.text);
}

/* Whoever joins looks for the dead, so that nothing is left of them. */
static void look(struct hl_ring *ring)
{
	struct hl_group_attr attr = HL_GROUP_ATTR_INIT;
	struct hl_error err = { 0 };

	attr.name = "last";
	attr.durable = true;
	if (hl_group_create(ring, &attr, &err) < 0 ||
	    hl_group_drop(ring, "last", &err) < 0)
		wrong("%s", err.text);
}

static void clear_ledger(void)
{
	struct ledger *const ledger = &campaign->ledger;

	if (madvise(ledger, sizeof(*ledger), MADV_REMOVE) < 0)
		memset(ledger, 0, sizeof(*ledger));
	ledger->lossy[0].end = campaign->round.start;
}

static void place_workers(void)
{
	const struct round *const round = &campaign->round;
	uint32_t role, i;

	memset(campaign->places, 0, sizeof(campaign->places));
	campaign->nplaces = 0;
	for (role = 0; role < ROLES; role++)
		for (i = 0; i < round->nplaces[role]; i++)
			campaign->places[campaign->nplaces++].role = role;
}

/* With room for exactly those who live, and those who may be evicted. */
static struct hl_ring *create(const struct round *round)
{
	const uint32_t changes = round->nplaces[CHANGES];
	const bool sole = round->producers == HL_PRODUCERS_SOLE;
	struct hl_group_attr group = HL_GROUP_ATTR_INIT;
	struct hl_ring_attr attr = HL_RING_ATTR_INIT;
	struct hl_error err = { 0 };
	struct hl_ring *ring;

	group.name = "main";
	group.kind = round->kind;
	group.durable = true;
	attr.groups = &group;
	attr.ngroups = 1;
	attr.capacity = round->capacity;
	attr.producers = round->producers;
	attr.max_producers = sole ? 1 : round->nplaces[PRODUCES] + changes;
	attr.max_consumers = round->nplaces[CONSUMES] + 2 * changes;
	attr.checksum = HL_CHECKSUM_PAYLOAD;
	attr.message_magic = HL_MESSAGE_MAGIC;
	attr.start_position = round->start;
	if (round->arena) {
		attr.block_bytes = BLOCK_BYTES;
		attr.arena_bytes = 3ul * attr.max_producers *
				   (BLOCK_BYTES + HL_LINE_BYTES);
	}
	ck_assert_msg(hl_ring_create(round->ring, &attr, &ring, &err) == 0,
		      "%s", err.text);
	return ring;
}

static void unlink_ring(const char *name)
{
	if (hl_ring_unlink(name, true, NULL) < 0)
		return; /* there is none */
}

/* Kill what is left, and leave no ring behind. */
static void clean_up(void)
{
	char name[64];
	uint32_t i;

	for (i = 0; i < campaign->nplaces; i++) {
		if (campaign->places[i].pid > 0) {
			kill(campaign->places[i].pid, SIGKILL);
			waitpid(campaign->places[i].pid, NULL, 0);
		}
		snprintf(name, sizeof(name), "%s-%u", campaign->round.ring, i);
		unlink_ring(name);
	}
	unlink_ring(campaign->round.ring);
}

void round_run(const struct round *round, struct totals *totals)
{
	struct hl_ring *ring;

	random_state = round->seed;
	campaign->round = *round;
	clear_ledger();
	place_workers();
	atomic_store(&campaign->stop, 0);
	atomic_store(&campaign->failed, 0);
	atomic_store(&campaign->no_kills, 0);
	ring = create(round);
	kill_and_replace(round->kills);
	atomic_store(&campaign->no_kills, 1);
	atomic_store(&campaign->stop, 1);
	await_end(PRODUCES, false);
	await_end(CHANGES, true);
	if (going())
		finish(ring);
	await_end(CONSUMES, true);
	if (going())
		look(ring);
	if (going())
		account_check(totals);
	totals->rounds++;
	while (atomic_load(&campaign->failed) == 1 && support_poll(INT64_MAX))
		;
	if (!going()) {
		fprintf(stderr, "# %s\n", campaign->failure);
		account_dump(round->ring);
	}
	hl_ring_close(ring);
	clean_up();
	ck_assert_msg(going(), "%s", campaign->failure);
}
