/* SPDX-License-Identifier: MIT */
/*
 * support.c - what the C tests share
 */
#include "config.h"

#include "support.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TEST_SECONDS 60
#define LONG_SECONDS 600
#define POLL_NS 200000

static char folder[64];
static Suite *suite;

/* Rings lie in memory; without /dev/shm they do not. */
static void make_folder(void)
{
	snprintf(folder, sizeof(folder), "/dev/shm/hotline-test-XXXXXX");
	if (!mkdtemp(folder)) {
		snprintf(folder, sizeof(folder), "/tmp/hotline-test-XXXXXX");
		if (!mkdtemp(folder))
			abort();
	}
	setenv("HOTLINE_DIR", folder, 1);
}

static void remove_below(int parent, const char *name)
{
	const int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	if (!dir)
		return;
	while ((entry = readdir(dir))) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		if (unlinkat(fd, entry->d_name, 0) < 0)
			remove_below(fd, entry->d_name);
	}
	closedir(dir);
	unlinkat(parent, name, AT_REMOVEDIR);
}

TCase *support_begin(const char *name)
{
	TCase *tcase = tcase_create(name);

	make_folder();
	suite = suite_create(name);
	suite_add_tcase(suite, tcase);
	tcase_set_timeout(tcase, support_long() ? LONG_SECONDS : TEST_SECONDS);
	return tcase;
}

void support_add(TCase *tcase, const TTest *const *tests, size_t n)
{
	for (size_t i = 0; i < n; i++)
		tcase_add_test(tcase, tests[i]);
}

int support_end(void)
{
	SRunner *runner = srunner_create(suite);
	int failed;

	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	remove_below(AT_FDCWD, folder);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

bool support_long(void)
{
	return getenv("HOTLINE_LONG") != NULL;
}

const char *support_folder(void)
{
	return folder;
}

uint64_t support_seed(void)
{
	const char *given = getenv("HOTLINE_SEED");
	struct timespec now;
	uint64_t seed;

	clock_gettime(CLOCK_REALTIME, &now);
	seed = given ? strtoull(given, NULL, 0) :
		       (uint64_t)now.tv_nsec * 1000003u + (uint64_t)now.tv_sec;
	fprintf(stderr, "# HOTLINE_SEED=%llu\n", (unsigned long long)seed);
	return seed;
}

/* Weyl's sequence, mixed: any state will do. */
uint64_t support_random(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

static int64_t clock_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * SECOND_NS + ts.tv_nsec;
}

int64_t support_deadline(void)
{
	return clock_ns(CLOCK_MONOTONIC) + DEADLINE_NS;
}

bool support_poll(int64_t deadline)
{
	const struct timespec pause = { .tv_nsec = POLL_NS };

	nanosleep(&pause, NULL);
	return clock_ns(CLOCK_MONOTONIC) < deadline;
}

int64_t support_cpu_ns(void)
{
	return clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}

/* Shared with a child, so that the test reads what it wrote, to the end. */
static struct helper *new_helper(void (*run)(struct helper *), void *arg)
{
	struct helper *helper = mmap(NULL, sizeof(*helper),
				     PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	ck_assert_ptr_ne(helper, MAP_FAILED);
	helper->run = run;
	helper->arg = arg;
	return helper;
}

struct helper *support_fork(void (*run)(struct helper *), void *arg)
{
	struct helper *helper = new_helper(run, arg);
	const pid_t pid = fork();

	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		/* Check's handler kills all of us, and nobody says why. */
		signal(SIGALRM, SIG_DFL);
		alarm(support_long() ? LONG_SECONDS : TEST_SECONDS);
		run(helper);
		_exit(atomic_load(&helper->failed) ? EXIT_FAILURE :
						     EXIT_SUCCESS);
	}
	helper->pid = pid;
	return helper;
}

static void *run_thread(void *arg)
{
	struct helper *helper = (struct helper *)arg;

	helper->run(helper);
	return NULL;
}

struct helper *support_thread(void (*run)(struct helper *), void *arg)
{
	struct helper *helper = new_helper(run, arg);

	ck_assert_int_eq(
		pthread_create(&helper->thread, NULL, run_thread, helper), 0);
	return helper;
}

struct helper *support_start(bool thread, void (*run)(struct helper *),
			     void *arg)
{
	return thread ? support_thread(run, arg) : support_fork(run, arg);
}

void support_await(struct helper *helper, int step)
{
	const int64_t end = support_deadline();

	while (atomic_load(&helper->step) < step) {
		ck_assert_msg(!atomic_load(&helper->failed), "%s",
			      helper->failure);
		ck_assert_msg(support_poll(end), "step %d does not come", step);
	}
}

void support_go(struct helper *helper, int step)
{
	atomic_store(&helper->go, step);
}

void support_kill(struct helper *helper)
{
	ck_assert_int_eq(kill(helper->pid, SIGKILL), 0);
	ck_assert_int_eq(waitpid(helper->pid, NULL, 0), helper->pid);
}

void support_join(struct helper *helper)
{
	int status = 0;

	if (helper->pid)
		ck_assert_int_eq(waitpid(helper->pid, &status, 0), helper->pid);
	else
		ck_assert_int_eq(pthread_join(helper->thread, NULL), 0);
	ck_assert_msg(!atomic_load(&helper->failed), "%s", helper->failure);
	ck_assert_msg(status == 0, "helper ended with status 0x%x", status);
}

void helper_step(struct helper *self, int step)
{
	atomic_store(&self->step, step);
}

bool helper_await(struct helper *self, int step)
{
	const int64_t end = support_deadline();

	while (atomic_load(&self->go) < step)
		if (!support_poll(end))
			return EXPECT(self, !"told to go on in time");
	return true;
}

void helper_pause(void)
{
	for (;;)
		pause();
}

bool helper_expect(struct helper *self, bool ok, const char *what, int line)
{
	int expected = 0;

	if (!ok && atomic_compare_exchange_strong(&self->failed, &expected, 1))
		snprintf(self->failure, sizeof(self->failure), "line %d: %s",
			 line, what);
	return ok;
}
