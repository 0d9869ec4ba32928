/* SPDX-License-Identifier: MIT */
/*
 * test_create.c - creators that die or dawdle, and many at one instant
 *
 * known-faults rows 11 to 14 and 25. The library is built with hooks, and
 * unlink() is one of this file's own: it parks who has decided to remove a
 * ring.
 */
#include "config.h"

#include <hotline/hotline.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/hook.h"
#include "tests/support/rings.h"

#define CROWD 64
#define CROWD_ROUNDS 3
#define LONG_CROWD_ROUNDS 100
#define CLEANERS 16
#define CLEAN_ROUNDS 10
#define LONG_CLEAN_ROUNDS 500
#define LOOPERS 8
#define LOOPS 150
#define LONG_LOOPS 20000
#define DELAY_NS (200 * MS_NS)

static const char *const steps[] = { "create_mapped", "group_start_stored",
				     "group_used", "create_published",
				     "create_before_name" };
static const char *die_at;
static const char *wait_at;
static struct helper *waiter;
static _Atomic int *parked; /* shared: one of a round is parked in unlink() */
static char name[64];

static void die_or_wait(const char *step)
{
	if (die_at && strcmp(step, die_at) == 0)
		raise(SIGKILL);
	if (wait_at && strcmp(step, wait_at) == 0 && waiter) {
		helper_step(waiter, 1);
		helper_await(waiter, 1);
	}
}

static void delay(void)
{
	const struct timespec time = { .tv_nsec = DELAY_NS };

	nanosleep(&time, NULL);
}

int unlink(const char *path)
{
	if (parked && atomic_exchange(parked, 1) == 0)
		delay();
	return unlinkat(AT_FDCWD, path, 0); /* not every machine has unlink */
}

static int create(struct hl_ring **ring)
{
	const struct hl_group_attr group = support_group("g", HL_GROUP_SHARED);
	struct hl_ring_attr attr = HL_RING_ATTR_INIT;

	attr.capacity = 64;
	attr.arena_bytes = 256 * 1024;
	attr.max_producers = CROWD;
	attr.groups = &group;
	attr.ngroups = 1;
	return hl_ring_open_or_create(name, &attr, ring, NULL);
}

static unsigned files_there(void)
{
	DIR *const dir = opendir(support_folder());
	struct dirent *entry;
	unsigned n = 0;

	ck_assert_ptr_nonnull(dir);
	while ((entry = readdir(dir)))
		n += entry->d_name[0] != '.';
	closedir(dir);
	return n;
}

static void new_name(void)
{
	snprintf(name, sizeof(name), "%s", support_name());
}

static void create_it(struct helper *self)
{
	struct hl_ring *ring;

	hli_hook_fn = die_or_wait;
	waiter = self;
	EXPECT(self, create(&ring) == 0);
}

static void expect_killed(const struct helper *helper)
{
	int status;

	ck_assert_int_eq(waitpid(helper->pid, &status, 0), helper->pid);
	ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

/* Row 12 */
START_TEST(creator_that_dies_at_any_step_leaves_nothing_behind)
{
	struct hl_ring *ring;
	size_t i;

	for (i = 0; i < COUNT_OF(steps); i++) {
		new_name();
		die_at = steps[i];
		expect_killed(support_fork(create_it, NULL));
		ck_assert_uint_eq(files_there(), 0); /* the test's folder */
		ck_assert_int_eq(hl_ring_open(name, 0, &ring, NULL), -ENOENT);
		ck_assert_int_eq(create(&ring), 0);
		support_send(support_produce(ring), 1, 3);
		support_take(support_consume(ring, "g", HL_GROUP_SHARED), 1, 3);
		ck_assert_int_eq(hl_ring_unlink(name, true, NULL), 0);
	}
}
END_TEST

/* Row 14 */
START_TEST(who_opens_beside_a_slow_creator_finds_no_ring_or_a_whole_one)
{
	struct helper *creator;
	struct hl_ring *ring;

	new_name();
	wait_at = "create_before_name";
	creator = support_fork(create_it, NULL);
	support_await(creator, 1);
	ck_assert_int_eq(hl_ring_open(name, 0, &ring, NULL), -ENOENT);
	support_go(creator, 1);
	support_join(creator);
	ck_assert_int_eq(hl_ring_open(name, 0, &ring, NULL), 0);
	support_send(support_produce(ring), 1, 1);

	new_name();
	creator = support_fork(create_it, NULL);
	support_await(creator, 1);
	support_kill(creator);
	ck_assert_int_eq(hl_ring_open(name, 0, &ring, NULL), -ENOENT);
}
END_TEST

static uint64_t inode_of(const struct hl_ring *ring)
{
	struct stat st;

	return fstat(hl_ring_fd(ring), &st) == 0 ? st.st_ino : 0;
}

static void dawdle_or_die(const char *step)
{
	if (strcmp(step, "create_before_name") != 0)
		return;
	delay();
	if (die_at)
		raise(SIGKILL);
}

/* counts[0]: the ring it got */
static void open_or_create(struct helper *self)
{
	struct hl_ring *ring;

	helper_step(self, 1);
	helper_await(self, 1);
	if (self->arg)
		hli_hook_fn = dawdle_or_die;
	if (!EXPECT(self, create(&ring) == 0))
		return;
	atomic_store(&self->counts[0], inode_of(ring));
	helper_produce(self, ring);
}

static void meet(bool first_dies)
{
	const unsigned files = files_there();
	struct helper *crowd[CROWD];
	struct hl_ring *ring;
	int i;

	new_name();
	die_at = first_dies ? "create_before_name" : NULL;
	for (i = 0; i < CROWD; i++)
		crowd[i] = support_fork(open_or_create,
					i == 0 ? (void *)name : NULL);
	for (i = 0; i < CROWD; i++)
		support_await(crowd[i], 1);
	for (i = 0; i < CROWD; i++)
		support_go(crowd[i], 1);
	for (i = first_dies; i < CROWD; i++)
		support_join(crowd[i]);
	if (first_dies)
		waitpid(crowd[0]->pid, NULL, 0);
	ck_assert_int_eq(hl_ring_open(name, 0, &ring, NULL), 0);
	for (i = first_dies; i < CROWD; i++)
		ck_assert_uint_eq(atomic_load(&crowd[i]->counts[0]),
				  inode_of(ring));
	ck_assert_int_eq(hl_ring_close(ring), 0);
	ck_assert_int_eq(hl_ring_unlink(name, false, NULL), 0);
	ck_assert_uint_eq(files_there(), files);
}

/* Row 13 */
START_TEST(crowd_that_opens_or_creates_at_one_instant_meets_in_one_ring)
{
	int i, rounds = support_long() ? LONG_CROWD_ROUNDS : CROWD_ROUNDS;

	for (i = 0; i < rounds; i++)
		meet(i % 2);
}
END_TEST

/* Open, or make, and join; a ring that is removed in between is no failure. */
static struct hl_producer *come(struct helper *self, struct hl_ring **ring)
{
	struct hl_producer *producer = NULL;
	int ret;

	do {
		if (!EXPECT(self, create(ring) == 0))
			return NULL;
		ret = hl_producer_join(*ring, NULL, &producer, NULL);
		if (ret < 0)
			EXPECT(self, hl_ring_close(*ring) == 0);
	} while (ret == -EIDRM);
	EXPECT(self, ret == 0);
	return producer;
}

static void clean_up(struct helper *self)
{
	struct hl_error err = { 0 };
	const int ret = hl_ring_unlink(name, false, &err);

	helper_expect(self, ret == 0 || ret == -EBUSY || ret == -ENOENT,
		      err.text, ret);
}

/* counts[0]: the ring it is in, while it lives in it */
static void clean_up_and_come(struct helper *self)
{
	struct hl_producer *producer;
	struct hl_ring *ring;

	helper_step(self, 1);
	helper_await(self, 1);
	clean_up(self);
	producer = come(self, &ring);
	if (!producer)
		return;
	EXPECT(self, hl_ring_name_state(ring) == HL_NAME_CURRENT);
	atomic_store(&self->counts[0], inode_of(ring));
	helper_step(self, 2);
	helper_await(self, 2);
	EXPECT(self, hl_ring_name_state(ring) == HL_NAME_CURRENT);
	hl_producer_leave(producer);
}

static void make_dead_ring(void)
{
	struct helper *const creator = support_fork(create_it, NULL);

	support_join(creator);
}

static void clean_at_once(void)
{
	const unsigned files = files_there();
	struct helper *crowd[CLEANERS];
	int i;

	new_name();
	make_dead_ring();
	atomic_store(parked, 0);
	for (i = 0; i < CLEANERS; i++)
		crowd[i] = support_fork(clean_up_and_come, NULL);
	for (i = 0; i < CLEANERS; i++)
		support_await(crowd[i], 1);
	for (i = 0; i < CLEANERS; i++)
		support_go(crowd[i], 1);
	for (i = 0; i < CLEANERS; i++)
		support_await(crowd[i], 2);
	for (i = 1; i < CLEANERS; i++)
		ck_assert_uint_eq(atomic_load(&crowd[i]->counts[0]),
				  atomic_load(&crowd[0]->counts[0]));
	for (i = 0; i < CLEANERS; i++) {
		support_go(crowd[i], 2);
		support_join(crowd[i]);
	}
	ck_assert_uint_eq(files_there(), files + 1);
	ck_assert_int_eq(hl_ring_unlink(name, false, NULL), 0);
}

/* Row 25 */
START_TEST(many_who_clean_up_and_create_at_once_meet_in_one_ring)
{
	int rounds = support_long() ? LONG_CLEAN_ROUNDS : CLEAN_ROUNDS;

	parked = support_shared(sizeof(*parked));
	while (rounds--)
		clean_at_once();
}
END_TEST

static void come_and_go(struct helper *self)
{
	int loops = support_long() ? LONG_LOOPS : LOOPS;
	struct hl_producer *producer;
	struct hl_ring *ring;
	struct hl_message m;
	int i;

	while (loops-- && !atomic_load(&self->failed)) {
		producer = come(self, &ring);
		for (i = 0; producer && i < 10; i++) {
			support_fill(&m, sizeof(m), (uint64_t)i);
			EXPECT(self, hl_producer_send(producer, &m, sizeof(m),
						      HL_DROP) >= 0);
		}
		hl_producer_leave(producer);
		EXPECT(self, hl_ring_close(ring) == 0);
	}
}

static void clean_up_always(struct helper *self)
{
	while (!atomic_load(&self->go) && !atomic_load(&self->failed))
		clean_up(self);
}

/* Row 11 */
START_TEST(rings_that_come_and_go_under_cleaners_fail_nobody)
{
	const unsigned files = files_there();
	struct helper *loopers[LOOPERS], *cleaners[2];
	int i;

	new_name();
	for (i = 0; i < LOOPERS; i++)
		loopers[i] = support_fork(come_and_go, NULL);
	for (i = 0; i < 2; i++)
		cleaners[i] = support_fork(clean_up_always, NULL);
	support_kill(loopers[0]);
	for (i = 1; i < LOOPERS; i++)
		support_join(loopers[i]);
	for (i = 0; i < 2; i++) {
		support_go(cleaners[i], 1);
		support_join(cleaners[i]);
	}
	ck_assert_uint_le(files_there(), files + 1);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		creator_that_dies_at_any_step_leaves_nothing_behind,
		who_opens_beside_a_slow_creator_finds_no_ring_or_a_whole_one,
		crowd_that_opens_or_creates_at_one_instant_meets_in_one_ring,
		many_who_clean_up_and_create_at_once_meet_in_one_ring,
		rings_that_come_and_go_under_cleaners_fail_nobody,
	};

	support_add(support_begin("create"), tests, COUNT_OF(tests));
	return support_end();
}
