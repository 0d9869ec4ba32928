/* SPDX-License-Identifier: MIT */
/*
 * support.h - what all C tests share; rings.h has what those with rings do
 *
 * A test program has one folder for its rings, which goes with it, whatever
 * becomes of its tests. Tests assert in their own process and thread only; what
 * runs beside them is a helper, in a process or in a thread, that notes what it
 * finds wrong: the test asserts that, when it joins the helper.
 */
#ifndef TESTS_SUPPORT_H
#define TESTS_SUPPORT_H

#include <check.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define SECOND_NS INT64_C(1000000000)
#define MS_NS INT64_C(1000000)

/* What is awaited in a test comes within this time, or never. */
#define DEADLINE_NS (20 * SECOND_NS)

/*
 * Programs
 *
 *     int main(void)
 *     {
 *             const TTest *const tests[] = { batch_may_wrap, ... };
 *             TCase *tcase = support_begin("batch");
 *
 *             support_add(tcase, tests, COUNT_OF(tests));
 *             return support_end();
 *     }
 */
TCase *support_begin(const char *name);
void support_add(TCase *tcase, const TTest *const *tests, size_t n);
int support_end(void);

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* Was the long version of the tests asked for? */
bool support_long(void);

/* The folder of this program's rings: $HOTLINE_DIR. */
const char *support_folder(void);

/* A seed for this run, printed: $HOTLINE_SEED, or another one each time. */
uint64_t support_seed(void);

/* The next of a sequence of numbers that *state determines. */
uint64_t support_random(uint64_t *state);

/*
 * Helpers
 */
#define HELPER_COUNTS 8

struct helper {
	void (*run)(struct helper *self);
	void *arg;
	_Atomic int step; /* how far it is: raised by the helper */
	_Atomic int go;	  /* how far it may go: raised by the test */
	_Atomic uint64_t counts[HELPER_COUNTS]; /* what it has to report */
	_Atomic int failed;
	char failure[256];
	pid_t pid; /* 0: a thread */
	pthread_t thread;
};

/* Start one. A process is killed by an alarm when it takes far too long. */
struct helper *support_fork(void (*run)(struct helper *), void *arg);
struct helper *support_thread(void (*run)(struct helper *), void *arg);

struct helper *support_start(bool thread, void (*run)(struct helper *),
			     void *arg);

/* For the test. All assert. What it counted can be read afterwards. */
void support_await(struct helper *helper, int step);
void support_go(struct helper *helper, int step);
void support_kill(struct helper *helper); /* SIGKILL, and wait for it */
void support_join(struct helper *helper); /* it has to end well */

/* For the helper. */
void helper_step(struct helper *self, int step);
bool helper_await(struct helper *self, int step);
void helper_pause(void); /* until it is killed */

/* Note the first thing that is wrong: false when ok is false. */
bool helper_expect(struct helper *self, bool ok, const char *what, int line);
#define EXPECT(self, ok) helper_expect(self, ok, #ok, __LINE__)

/*
 * Waiting
 *
 *     for (int64_t end = support_deadline(); !ready && support_poll(end);)
 *             ;
 */
int64_t support_deadline(void);
bool support_poll(int64_t deadline); /* false when it has passed */

/* Of the processor, used by this process. */
int64_t support_cpu_ns(void);

#endif /* TESTS_SUPPORT_H */
