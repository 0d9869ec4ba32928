/* SPDX-License-Identifier: MIT */
/*
 * sched.c - actors, each on a stack of its own, and one run of them
 *
 * An actor goes on until it is told otherwise at a step, or has nothing to do,
 * waits for a lock byte, ends or dies. Only then is there a switch of stacks,
 * through the main one. A dead actor's stack is never returned to.
 */
#include "config.h"

#include "tests/race/race.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include "lib/hook.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#define unpoison(p, n) __asan_unpoison_memory_region(p, n)
#else
#define unpoison(p, n) ((void)(p), (void)(n))
#endif

#define STACK_BYTES (128 << 10)
#define TRACE 8192
#define STEPS_MAX 6000 /* more is an endless loop */

struct state {
	ucontext_t context;
	enum outcome outcome;
	bool exists;
	bool idle;
	int awaits; /* a lock byte; NOBODY: none */
	bool awaits_in_vain;
	int idles; /* in a row */
};

struct trace {
	int actor;
	const char *step;
};

static struct state actors[ACTORS_MAX];
static _Alignas(64) unsigned char stacks[ACTORS_MAX][STACK_BYTES];
static ucontext_t main_context;
static const struct scenario *scenario;
static int self = NOBODY;
static int preemptions_left, kills_left;
static bool early; /* only the early one runs */
static uint32_t ndeaths, nevictions;
static struct trace trace[TRACE];
static uint64_t ntrace;

char race_failure[1024];
uint64_t race_nsteps;

int race_self(void)
{
	return self;
}

enum outcome race_outcome(int actor)
{
	return actors[actor].outcome;
}

uint32_t race_deaths(void)
{
	return ndeaths;
}

void race_evicts(void)
{
	nevictions++;
}

uint32_t race_evictions(void)
{
	return nevictions;
}

void race_fail(const char *format, ...)
{
	va_list args;

	if (race_failure[0])
		return;
	va_start(args, format);
	vsnprintf(race_failure, sizeof(race_failure), format, args);
	va_end(args);
}

static void note(int actor, const char *step)
{
	if (ntrace < TRACE)
		trace[ntrace++] = (struct trace){ actor, step };
}

void race_print_run(void)
{
	int last = NOBODY;

	for (uint64_t i = 0; i < ntrace; i++) {
		if (trace[i].actor != last)
			fprintf(stderr, "\n# %c:", 'A' + trace[i].actor);
		last = trace[i].actor;
		fprintf(stderr, " %s", trace[i].step);
	}
	fprintf(stderr, "\n");
}

/* Back to the main stack, which decides who is next. */
static void switch_away(void)
{
	const int me = self;

	swapcontext(&actors[me].context, &main_context);
}

static bool can_run(int i)
{
	struct state *const a = &actors[i];

	if (!a->exists || a->outcome != RUNNING || a->idle ||
	    (early && !scenario->actors[i].early))
		return false;
	return a->awaits == NOBODY || !sim_locked(a->awaits);
}

static int last_actor;
static int next_actor; /* chosen at a preemption; NOBODY: choose */

/* Who is killed has no more steps; the switch is for ever. */
static void die(void)
{
	note(self, "DIES");
	actors[self].outcome = DIED;
	ndeaths++;
	sim_die(self);
	next_actor = NOBODY;
	switch_away();
}

static void wake_idle(int but)
{
	for (int i = 0; i < ACTORS_MAX; i++)
		if (i != but)
			actors[i].idle = false;
}

void race_step(const char *name)
{
	int options[2 * ACTORS_MAX], n = 0, chosen;
	const struct actor *what;

	if (self == NOBODY)
		return;
	note(self, name);
	account_step();
	if (++race_nsteps > STEPS_MAX)
		race_fail("more than %d steps", STEPS_MAX);
	if (race_failure[0]) {
		switch_away();
		return;
	}
	wake_idle(self);
	what = &scenario->actors[self];
	options[n++] = self;
	for (int i = 0; i < ACTORS_MAX && preemptions_left && !early; i++)
		if (i != self && can_run(i))
			options[n++] = i;
	if (what->mortal && (early || kills_left))
		options[n++] = DIES(self);
	chosen = decide(options, n);
	if (chosen == self)
		return;
	if (chosen < 0) {
		kills_left -= !early;
		die();
		return;
	}
	preemptions_left--;
	next_actor = chosen;
	switch_away();
}

void race_idle(void)
{
	if (self == NOBODY)
		return;
	note(self, "(idle)");
	actors[self].idle = true;
	next_actor = NOBODY;
	switch_away();
}

bool race_await_byte(int byte)
{
	struct state *const a = &actors[self];

	if (self == NOBODY)
		return false;
	note(self, "(waits)");
	a->awaits = byte;
	a->awaits_in_vain = false;
	next_actor = NOBODY;
	switch_away();
	actors[self].awaits = NOBODY;
	return !actors[self].awaits_in_vain;
}

static void body(int i)
{
	scenario->actors[i].run(i, &scenario->actors[i]);
	note(i, "(ends)");
	actors[i].outcome = ENDED;
	wake_idle(i);
}

static void start(int i)
{
	struct state *const a = &actors[i];

	*a = (struct state){ .awaits = NOBODY };
	if (!scenario->actors[i].run) {
		a->outcome = ENDED;
		return;
	}
	a->exists = true;
	unpoison(stacks[i], STACK_BYTES);
	getcontext(&a->context);
	a->context.uc_stack.ss_sp = stacks[i];
	a->context.uc_stack.ss_size = STACK_BYTES;
	a->context.uc_link = &main_context;
	makecontext(&a->context, (void (*)(void))body, 1, i);
}

/* Who goes on when nobody does of himself: the idle, those who wait in vain. */
static bool stir(void)
{
	for (int i = 0; i < ACTORS_MAX; i++) {
		struct state *const a = &actors[i];

		if (!a->exists || a->outcome != RUNNING ||
		    (early && !scenario->actors[i].early))
			continue;
		if (a->idle) {
			a->idle = false;
			return true;
		}
	}
	for (int i = 0; i < ACTORS_MAX; i++) {
		struct state *const a = &actors[i];

		if (a->exists && a->outcome == RUNNING && a->awaits != NOBODY &&
		    (!early || scenario->actors[i].early)) {
			a->awaits_in_vain = true;
			next_actor = i;
			return true;
		}
	}
	return false;
}

/* True when somebody is to go on: self. */
static bool choose(void)
{
	int options[ACTORS_MAX], n = 0;

	for (int i = 1; i <= ACTORS_MAX && next_actor == NOBODY; i++) {
		const int who = (last_actor + i) % ACTORS_MAX;

		/* In turn; to leave one out is a preemption. */
		if (can_run(who) && (n == 0 || preemptions_left))
			options[n++] = who;
	}
	if (n) {
		next_actor = decide(options, n);
		preemptions_left -= next_actor != options[0];
	}
	self = next_actor;
	next_actor = NOBODY;
	if (self != NOBODY)
		last_actor = self;
	return self != NOBODY;
}

static void run_actors(void)
{
	while (!race_failure[0]) {
		if (!choose() && !(stir() && choose()))
			return;
		/* A copy: a local of the swap could be the other stack's. */
		swapcontext(&main_context, &actors[self].context);
		self = NOBODY;
	}
}

void run_once(const struct scenario *s, struct hl_ring *ring)
{
	scenario = s;
	race_failure[0] = '\0';
	race_nsteps = ntrace = 0;
	ndeaths = nevictions = 0;
	self = next_actor = NOBODY;
	last_actor = ACTORS_MAX - 1;
	preemptions_left = s->npreemptions;
	kills_left = s->nkills;
	hli_hook_fn = race_step;
	sim_attach(ring);
	account_reset(s, ring);
	actors_begin(s, ring);
	for (int i = 0; i < ACTORS_MAX; i++)
		start(i);
	early = true;
	run_actors();
	early = false;
	run_actors();
	if (!race_failure[0])
		actors_end();
	if (!race_failure[0])
		account_end();
	sim_detach();
}
