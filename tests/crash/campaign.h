/* SPDX-License-Identifier: MIT */
/*
 * campaign.h - processes that are killed while they use a ring, and the account
 *
 * A round has one ring and some places. In each place a worker process
 * produces, consumes, or changes things; when it is killed, another one takes
 * its place. What they do goes into memory that all share and that has nothing
 * to do with the ring: the account is made out of that.
 *
 *     test_kill.c   the tests: which rounds, how many kills
 *     round.c       one round: start, kill, watch, end
 *     worker.c      what all workers share: hooks, lives, messages
 *     produce.c     workers that produce
 *     consume.c     workers that consume
 *     change.c      workers that come and go, and make and drop groups
 *     account.c     is all there, once, and in order? And what a ring holds
 */
#ifndef TESTS_CAMPAIGN_H
#define TESTS_CAMPAIGN_H

#include <hotline/hotline.h>
#include <hotline/inspect.h>

#include "tests/support/support.h"

#define PLACES_MAX 12
#define LIVES_MAX 16384
#define POSITIONS_MAX (1u << 21)
#define PAUSES_MAX (1u << 20)
#define HOOKS_MAX 128
#define GAPS_MAX 65536
#define NO_HOOK (-1)

enum role {
	PRODUCES = 0,
	CONSUMES = 1,
	CHANGES = 2,
	ROLES = 3, /* and one who only finishes the ring */
};

/* Who keeps whom waiting. */
enum load {
	LOAD_BUSY = 0,	/* nobody dawdles */
	LOAD_FULL = 1,	/* consumers do */
	LOAD_EMPTY = 2, /* producers do */
};

/* What became of a position, as its producer knows. */
enum fate {
	FATE_OPEN = 0,
	FATE_PUBLISHED = 1, /* the call has returned */
	FATE_GIVEN_UP = 2,  /* by its producer, who says so before it does */
};

struct round {
	char ring[48];
	enum hl_producers producers;
	enum hl_group_kind kind;
	enum load load;
	bool arena;
	uint32_t capacity;
	uint32_t nplaces[ROLES];
	uint64_t start;
	uint32_t kills;	   /* to be made */
	bool missing_only; /* at hooks that have none, as far as possible */
	uint64_t seed;
};

/* A producer from its join to its end. Number 0 is nobody. */
struct life {
	_Atomic uint64_t from,
		to; /* positions it claimed last, or was about to */
	_Atomic uint64_t started;  /* messages that it numbered */
	_Atomic uint64_t returned; /* of those, published: the call returned */
	_Atomic uint32_t left;	   /* in good order */
};

struct place {
	enum role role;
	pid_t pid;
	int64_t started_ns;
	int64_t kill_ns;	   /* when to kill it; 0: not decided */
	_Atomic int plan_hook;	   /* kill itself at this hook ... */
	_Atomic uint32_t plan_n;   /* ... when it passes it for the nth time */
	_Atomic int died_at;	   /* the hook at which it did */
	bool killed;		   /* the last one ended by SIGKILL */
	_Atomic uint64_t progress; /* things done */
	uint64_t progress_seen;
	int64_t progress_ns;
};

/* Positions from "from" to below "to" that a consumer of its own did not see. */
struct gap {
	uint64_t from, to;
};

/* How far a lossy group came, and what it did not see on its way. */
struct lossy_account {
	uint64_t end, lost, voids, died_in_hand;
};

struct ledger {
	_Atomic uint64_t sent[POSITIONS_MAX]; /* what its producer put there */
	_Atomic uint64_t seen[POSITIONS_MAX]; /* what consumers found there */
	_Atomic uint8_t fate[POSITIONS_MAX];
	_Atomic uint8_t fresh[POSITIONS_MAX];  /* times handed out, unmarked */
	_Atomic uint8_t marked[POSITIONS_MAX]; /* and marked */
	struct life lives[LIVES_MAX];
	struct gap gaps[GAPS_MAX];
	_Atomic uint32_t nlives, ngaps;
	/* Two, so that one of them is whole, whenever its writer dies. */
	struct lossy_account lossy[2];
	_Atomic uint32_t lossy_now;
};

struct totals {
	uint64_t rounds, kills, positions, delivered, voids, lost, redelivered;
};

struct campaign {
	struct round round;
	struct place places[PLACES_MAX];
	uint32_t nplaces;
	_Atomic int stop;	   /* producers and changers end */
	_Atomic int no_kills;	   /* plans are off */
	_Atomic int64_t killed_ns; /* the last kill */
	_Atomic uint32_t npauses;
	uint32_t pauses_us[PAUSES_MAX];
	_Atomic uint64_t kills_at[HOOKS_MAX]; /* by hook */
	_Atomic uint64_t kills_any_time;
	_Atomic uint32_t tries[ROLES][HOOKS_MAX];
	uint64_t kills;
	_Atomic int failed;
	char failure[512];
	_Alignas(4096) struct ledger ledger;
};

/* Shared by all processes of the program, from before the first fork. */
extern struct campaign *campaign;
extern const char *const hook_names[];
extern const int nhooks;

/* Note the first thing that is wrong. */
void wrong(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * worker.c
 */
struct worker {
	struct place *place;
	struct hl_ring *ring;
	uint64_t random;
	uint64_t pause_seen; /* the kill after which it went on last */
	struct life *life;   /* as producer */
	uint32_t life_number;
	const struct hl_producer *producer;
};

/* What a worker process does, to its end. */
void worker_run(struct place *place, uint64_t seed);

bool worker_told_to_stop(void);
void worker_progress(struct worker *w);
uint64_t worker_random(struct worker *w, uint64_t n); /* 0 to n - 1 */
void worker_dawdle(struct worker *w);
struct hl_producer *worker_join_producer(struct worker *w);
void worker_leave_producer(struct worker *w, struct hl_producer *producer);
struct hl_consumer *worker_join(struct worker *w, const char *group,
				enum hl_group_kind kind, bool durable,
				enum hl_group_start start);

/* The place of a position in the ledger; false when it is beyond. */
bool ledger_index(uint64_t position, uint32_t *index);
/* Positions are about to be used up. */
bool ledger_full(uint64_t position);

/* What a message says of itself: life and number. */
uint64_t worker_tag(uint32_t life, uint64_t number);
void worker_fill(struct hl_message *m, uint64_t tag);
bool worker_whole(const struct hl_message *m, uint64_t *tag);
void worker_fill_payload(unsigned char *bytes, size_t n, uint64_t tag);
bool worker_payload_whole(const unsigned char *bytes, size_t n, uint64_t tag);

void produce_run(struct worker *w);
/* Some bursts, and leave. */
void produce_some(struct worker *w, struct hl_producer *producer);

/*
 * consume.c
 */
struct reader {
	struct worker *w;
	struct hl_consumer *consumer;
	enum hl_group_kind kind;
	bool account;	  /* of the group that is accounted for */
	uint64_t next;	  /* exclusive, lossy: the position that comes next */
	uint64_t fresh;	  /* the last one that was not marked */
	uint64_t voids;	  /* lossy: counted so far */
	uint32_t singles; /* so many more by hl_consumer_next() */
};

bool reader_join(struct reader *r, struct worker *w, const char *group,
		 enum hl_group_kind kind, bool account);
/* Take and check a batch: messages, or what hl_consumer_take() returned. */
ssize_t reader_take(struct reader *r, struct hl_batch *batch);
/* Finish it in one of the ways. */
void reader_done(struct reader *r, const struct hl_batch *batch);
void reader_leave(struct reader *r);
void consume_run(struct worker *w);

void change_run(struct worker *w);

/*
 * round.c, account.c
 */
void round_run(const struct round *round, struct totals *totals);
void account_check(struct totals *totals);
void account_dump(const char *ring);

#endif /* TESTS_CAMPAIGN_H */
