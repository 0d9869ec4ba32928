/* SPDX-License-Identifier: MIT */
/*
 * race.h - the real code, step by step, in every order
 *
 * Two or three actors run the library's own code, each on a stack of its own
 * in one thread. At each hook the scheduler decides who goes on, and who dies
 * there. Nothing else happens by chance: the lock bytes, the clock and the
 * memory of handles are simulated, so the same decisions give the same run.
 *
 *     sim.c       lock bytes, clock, memory: what the system does otherwise
 *     sched.c     actors and one run of them
 *     explore.c   all runs with few preemptions, and random ones
 *     account.c   what has to hold at each step, and at the end
 *     actors.c    what actors do
 *     test_race.c the scenarios, by scenario.h; more of them in ends.c
 *
 * Everything is sequentially consistent here: a missing barrier is not seen.
 */
#ifndef TESTS_RACE_H
#define TESTS_RACE_H

#include <hotline/hotline.h>

#include <stdbool.h>
#include <stdint.h>

#include "lib/handle.h"
#include "tests/support/support.h"

#define ACTORS_MAX 3
#define NOBODY (-1)
#define POSITIONS 64 /* a run has fewer */
#define NUMBERS 250
#define GROUPS 2
#define PAYLOAD_BYTES 64 /* with its table, more than half a block */
#define BLOCK_BYTES 64
#define ARENA_BYTES(producers) (2 * (producers)*2 * BLOCK_BYTES)
#define RETRIES 2 /* of who finds nothing to do */

/*
 * sim.c
 */
void sim_attach(const struct hl_ring *ring); /* from here on it simulates */
void sim_detach(void);
void sim_reset(void);	   /* all handles and locks are gone */
void sim_die(int actor);   /* its lock bytes are free */
bool sim_locked(int byte); /* by anybody */
void sim_own(int actor);   /* what is opened now is this actor's */

/*
 * sched.c
 */
struct scenario;

/* An actor's code. What it is told stands in the scenario. */
struct actor {
	void (*run)(int self, const struct actor *what);
	bool mortal; /* it may be killed */
	bool early;  /* it runs before the others, to its end or death */
	int n;	     /* messages to send; takes to try */
	int burst;
	int group;     /* a consumer's: index in the scenario */
	bool abandon;  /* gives up the last message of each burst */
	bool single;   /* by the calls for one message */
	bool puts;     /* publishes each but the first as it is written */
	bool payload;  /* sends with one */
	bool leaves;   /* at the end; else it stays until all are done */
	bool joins;    /* itself; else it has joined before */
	bool finishes; /* the ring, when it has sent all */
	bool force;    /* an operator's eviction */
	int victim;    /* of an operator: whom it evicts */
};

struct scenario {
	const char *name;
	struct hl_ring_attr ring;
	struct hl_group_attr groups[GROUPS];
	int ngroups;			 /* of these, there from the start */
	struct actor actors[ACTORS_MAX]; /* those with run */
	int nsent;			 /* before it begins */
	int npreemptions, nkills;	 /* of early ones, any */
};

enum outcome {
	RUNNING,
	ENDED,
	DIED,
};

/* One run, decided by the functions below. */
void run_once(const struct scenario *s, struct hl_ring *ring);
/* A step of the actor that runs; each hook is one. */
void race_step(const char *name);
/* Nothing to do: the others first. */
void race_idle(void);
/* Until the byte is free: false when nobody can free it any more. */
bool race_await_byte(int byte);
/* Who runs: an actor, or NOBODY when it is the test itself. */
int race_self(void);
enum outcome race_outcome(int actor);
uint32_t race_deaths(void);
/* An operator takes somebody for dead: what that had may be marked as well. */
void race_evicts(void);
uint32_t race_evictions(void);
/* Something is wrong: the run ends here. */
void race_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
extern char race_failure[1024];
/* Print who did what in the last run. */
void race_print_run(void);
extern uint64_t race_nsteps; /* of the last run */

/*
 * explore.c
 */
#define DIES(actor) (-1 - (actor))
/* Which of the options? An actor goes on, or dies there. */
int decide(const int *options, int n);
/* Run a scenario in all its ways; asserts. */
void explore(const struct scenario *s);

/*
 * account.c
 */
void account_reset(const struct scenario *s, const struct hl_ring *ring);
void account_step(void);
void account_start(uint64_t number); /* about to be sent */
void account_returned(uint64_t number);
void account_joined(int consumer, int group);
void account_taken(int consumer, struct hl_batch *batch);
void account_use(int consumer); /* what is in hand is still whole */
void account_done(int consumer, uint64_t end);
void account_idle(void);	     /* nobody alive has a claim */
void account_forced(int consumer);   /* what it has in hand is not its own */
void account_finished(int consumer); /* it was told that this was all */
void account_end(void);
void account_fill(void *message, uint64_t number);

/*
 * actors.c
 */
void actors_begin(const struct scenario *s, struct hl_ring *ring);
void actors_end(void); /* the living leave, an heir looks after the rest */
void actor_send(int self, const struct actor *what);
void actor_take(int self, const struct actor *what);
void actor_evict(int self, const struct actor *what);

#endif /* TESTS_RACE_H */
