/* SPDX-License-Identifier: MIT */
/*
 * explore.c - all runs with few preemptions and deaths, and random ones
 *
 * A run is a list of decisions: at each step the actor goes on (the first
 * option), another one does, or it dies there. All lists are tried, in the
 * order of the last decision that can still be another one; each run begins
 * anew from a copy of the ring. First those without preemptions and deaths,
 * then with more, as long as the budget of runs lasts.
 *
 * Random runs follow: actors have priorities, the highest goes on, and at some
 * steps, drawn beforehand, it becomes the lowest, or dies.
 *
 *     HOTLINE_SEED=n   the same random runs again
 *     HOTLINE_RUNS=n   the budget for each scenario
 *     HOTLINE_SCENARIO=text   only those with that in their name
 */
#include "config.h"

#include "tests/race/race.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/rings.h"

#define DECISIONS 8192
#define RUNS 25000
#define LONG_RUNS 1500000
#define RANDOM_SHARE 4 /* of the budget, one in so many */
#define CHANGES_MAX 4
#define KILL_ONE_IN 3

struct decision {
	short chosen, of;
};

static struct decision decisions[DECISIONS];
static int ndecisions, nreplayed;
static bool random_run;
static uint64_t random_state;
static int priorities[ACTORS_MAX], lowest;
static uint64_t changes[CHANGES_MAX], kill_step, longest_run;

struct tally {
	uint64_t runs, random_runs, runs_with_deaths;
	int preemptions, deaths; /* all runs with so many were made */
	bool cut;
};

static int decide_in_order(const int *options, int n)
{
	if (n == 1)
		return options[0];
	if (ndecisions == DECISIONS)
		abort();
	if (ndecisions >= nreplayed)
		decisions[ndecisions] = (struct decision){ 0, (short)n };
	return options[decisions[ndecisions++].chosen];
}

static int decide_by_chance(const int *options, int n)
{
	int best = NOBODY;

	for (int i = 0; i < CHANGES_MAX; i++)
		if (changes[i] == race_nsteps && options[0] == race_self())
			priorities[options[0]] = --lowest;
	for (int i = 0; i < n; i++) {
		const int o = options[i];

		if (o < 0 && race_nsteps == kill_step)
			return o;
		if (o >= 0 &&
		    (best == NOBODY || priorities[o] > priorities[best]))
			best = o;
	}
	return best;
}

int decide(const int *options, int n)
{
	return random_run ? decide_by_chance(options, n) :
			    decide_in_order(options, n);
}

/* The next list of decisions: false when there is none. */
static bool next_list(void)
{
	while (ndecisions > 0) {
		struct decision *const d = &decisions[ndecisions - 1];

		if (d->chosen + 1 < d->of) {
			d->chosen++;
			nreplayed = ndecisions;
			return true;
		}
		ndecisions--;
	}
	nreplayed = 0;
	return false;
}

static void draw(void)
{
	const uint64_t steps = longest_run + 1;

	lowest = 0;
	for (int i = 0; i < ACTORS_MAX; i++)
		priorities[i] = 1 + (int)(support_random(&random_state) % 1000);
	for (int i = 0; i < CHANGES_MAX; i++)
		changes[i] = support_random(&random_state) % steps;
	kill_step = support_random(&random_state) % (steps * KILL_ONE_IN);
}

struct start {
	const struct scenario *scenario;
	struct hl_ring *ring;
	void *bytes; /* the ring, as it is at the start of each run */
};

static void run(const struct start *start, const struct scenario *s,
		struct tally *tally)
{
	memcpy(start->ring->segment.base, start->bytes,
	       start->ring->view.geo.file_bytes);
	hli_store_rlx(&start->ring->members, 0); /* of who died in a leave */
	ndecisions = 0;
	run_once(s, start->ring);
	tally->runs++;
	tally->random_runs += random_run;
	tally->runs_with_deaths += race_deaths() > 0;
	if (race_nsteps > longest_run)
		longest_run = race_nsteps;
	if (!race_failure[0])
		return;
	fprintf(stderr, "# %s, run %ju%s: %s", s->name, (uintmax_t)tally->runs,
		random_run ? " (random)" : "", race_failure);
	race_print_run();
	ck_abort_msg("%s: %s", s->name, race_failure);
}

static void run_all(const struct start *start, const struct scenario *s,
		    uint64_t budget, struct tally *tally)
{
	random_run = false;
	ndecisions = nreplayed = 0;
	do {
		if (tally->runs >= budget) {
			tally->cut = true;
			return;
		}
		run(start, s, tally);
	} while (next_list());
	tally->preemptions = s->npreemptions;
	tally->deaths = s->nkills;
}

static void run_at_random(const struct start *start, const struct scenario *s,
			  uint64_t n, struct tally *tally)
{
	struct scenario any = *s;

	any.npreemptions = 1000000;
	random_run = true;
	while (n--) {
		draw();
		run(start, &any, tally);
	}
}

static uint64_t budget(void)
{
	const char *const given = getenv("HOTLINE_RUNS");

	if (given)
		return strtoull(given, NULL, 0);
	return support_long() ? LONG_RUNS : RUNS;
}

static void begin(struct start *start, const struct scenario *s)
{
	struct hl_ring_attr attr = s->ring;

	attr.size = sizeof(attr);
	if (!attr.capacity)
		attr.capacity = 2;
	if (!attr.max_producers)
		attr.max_producers = 3;
	if (!attr.max_consumers)
		attr.max_consumers = 4;
	attr.backing = HL_BACKING_MEMFD;
	attr.groups = s->groups;
	attr.ngroups = (size_t)s->ngroups;
	attr.max_groups = GROUPS + 1;
	start->ring = support_create(&attr);
	start->bytes = malloc(start->ring->view.geo.file_bytes);
	ck_assert_ptr_nonnull(start->bytes);
	memcpy(start->bytes, start->ring->segment.base,
	       start->ring->view.geo.file_bytes);
}

void explore(const struct scenario *s)
{
	struct tally tally = { .preemptions = NOBODY };
	const char *const only = getenv("HOTLINE_SCENARIO");
	struct scenario less = *s;
	struct start start;
	int sum;

	if (only && !strstr(s->name, only))
		return;

	random_state = support_seed();
	longest_run = 0;
	hli_membarrier_off = true; /* nobody sleeps: no barrier is needed */
	begin(&start, s);
	/* Few before many. */
	for (sum = 0; sum <= s->npreemptions + s->nkills && !tally.cut; sum++)
		for (int kills = 0; kills <= s->nkills && !tally.cut; kills++) {
			less.nkills = kills;
			less.npreemptions = sum - kills;
			if (sum >= kills &&
			    less.npreemptions <= s->npreemptions)
				run_all(&start, &less, budget(), &tally);
		}
	run_at_random(&start, s, budget() / RANDOM_SHARE, &tally);
	fprintf(stderr,
		"# %s: %ju schedules of up to %ju steps (%ju random); in %ju "
		"somebody died; all with %d preemptions and %d deaths%s\n",
		s->name, (uintmax_t)tally.runs, (uintmax_t)longest_run,
		(uintmax_t)tally.random_runs, (uintmax_t)tally.runs_with_deaths,
		tally.preemptions, tally.deaths,
		tally.cut ? ", cut by the budget" : "");
	free(start.bytes);
	hli_store_rlx(&start.ring->members, 0);
	ck_assert_int_eq(hl_ring_close(start.ring), 0);
}
