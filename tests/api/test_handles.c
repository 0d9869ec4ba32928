/* SPDX-License-Identifier: MIT */
/*
 * test_handles.c - what handles cost, what misuse gets, and how waits use the
 * processor
 *
 * known-faults rows 73, 80, 81, 82 and 84.
 */
#include "config.h"

#include <hotline/inspect.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/support/line.h"
#include "tests/support/support.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED true
#elif defined(__has_feature)
#define SANITIZED                                                              \
	(__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#else
#define SANITIZED false
#endif

static struct line line;

static void set_up(void)
{
	struct hl_ring_attr attr = HL_RING_ATTR_INIT;

	attr.capacity = 16;
	line_init(&line, &attr);
}

/* Open descriptors, without the folder's own; those that pass exec. */
static unsigned descriptors(unsigned *inherited)
{
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *entry;
	unsigned n = 0;

	ck_assert_ptr_nonnull(dir);
	*inherited = 0;
	while ((entry = readdir(dir))) {
		const int fd = (int)strtol(entry->d_name, NULL, 10);

		if (entry->d_name[0] == '.' || fd == dirfd(dir))
			continue;
		n++;
		*inherited += !(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	}
	closedir(dir);
	return n;
}

static unsigned mappings(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned n = 0;
	int c;

	ck_assert_ptr_nonnull(maps);
	while ((c = fgetc(maps)) != EOF)
		n += c == '\n';
	fclose(maps);
	return n;
}

START_TEST(each_ring_participant_and_pollable_has_one_descriptor)
{
	unsigned inherited, none;
	const unsigned before = descriptors(&none);
	struct hl_ring *ring = support_create(NULL);
	struct hl_consumer *consumer;

	ck_assert_uint_eq(descriptors(&inherited), before + 1);
	support_produce(ring);
	ck_assert_uint_eq(descriptors(&inherited), before + 2);
	consumer = support_consume(ring, "g", HL_GROUP_SHARED);
	ck_assert_uint_eq(descriptors(&inherited), before + 3);
	ck_assert_int_ge(hl_consumer_fd(consumer), 0);
	ck_assert_uint_eq(descriptors(&inherited), before + 4);
	ck_assert_uint_eq(inherited, none);
}
END_TEST

/* Everything a handle can have, and away with it. */
static void open_and_close(struct helper *self)
{
	const int rounds = support_long() ? 20000 : 300;

	for (int i = 0; i < rounds; i++) {
		struct hl_ring *ring =
			helper_open(self, hl_ring_name(line.ring));
		struct hl_consumer *consumer =
			helper_consume(self, ring, "s", HL_GROUP_SHARED);
		struct hl_producer *producer = helper_produce(self, ring);

		if (i % 16 == 0)
			EXPECT(self, hl_consumer_fd(consumer) >= 0);
		EXPECT(self, hl_producer_leave(producer) == 0);
		EXPECT(self, hl_consumer_leave(consumer) == 0);
		EXPECT(self, hl_ring_close(ring) == 0);
	}
}

/* known-faults row 80 */
START_TEST(handles_leave_nothing_behind)
{
	struct helper *helpers[4];
	unsigned before, after, none;

	/* What the C library keeps of threads is there after one round. */
	for (int round = 0; round < 2; round++) {
		before = descriptors(&none);
		after = mappings();
		for (size_t i = 0; i < COUNT_OF(helpers); i++)
			helpers[i] = support_thread(open_and_close, NULL);
		for (size_t i = 0; i < COUNT_OF(helpers); i++)
			support_join(helpers[i]);
	}
	ck_assert_uint_eq(descriptors(&none), before);
	/* The helpers' own memory, and a little slack for malloc. */
	ck_assert_uint_le(mappings(), after + 2 * COUNT_OF(helpers) + 8);
}
END_TEST

/* known-faults row 81 */
START_TEST(too_few_descriptors_are_an_error_that_harms_nobody)
{
	struct rlimit before, few;
	struct hl_producer *producer;
	struct hl_ring *ring;
	int fd;

	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &before), 0);
	few = before;
	few.rlim_cur = 20;
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &few), 0);
	do
		fd = dup(0);
	while (fd >= 0);
	ck_assert_int_eq(hl_ring_open(hl_ring_name(line.ring), 0, &ring, NULL),
			 -EMFILE);
	ck_assert_ptr_null(ring);
	ck_assert_int_eq(hl_producer_join(line.ring, NULL, &producer, NULL),
			 -EMFILE);
	ck_assert_ptr_null(producer);
	ck_assert_int_eq(hl_ring_create(support_name(), NULL, &ring, NULL),
			 -EMFILE);
	support_send(line.producer, 1, 10);
	support_take(line.consumer, 1, 10);
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &before), 0);
}
END_TEST

START_TEST(too_little_memory_is_an_error_that_harms_nobody)
{
	const struct rlimit little = { 1 << 20, 1 << 20 };
	struct hl_ring *ring;

	if (SANITIZED) {
		fprintf(stderr, "# skipped: sanitizers need memory\n");
		return;
	}
	ck_assert_int_eq(setrlimit(RLIMIT_AS, &little), 0);
	ck_assert_int_eq(hl_ring_open(hl_ring_name(line.ring), 0, &ring, NULL),
			 -ENOMEM);
	support_send(line.producer, 1, 10);
	support_take(line.consumer, 1, 10);
}
END_TEST

/* Wait until the participant with that number sleeps. */
static void await_sleep(uint32_t participant)
{
	struct hl_participant_status status = { .waits = 0 };
	const int64_t end = support_deadline();
	struct hl_inspect *inspect;

	ck_assert_int_eq(
		hl_inspect_open(hl_ring_name(line.ring), 0, &inspect, NULL), 0);
	while (status.waits == 0) {
		ck_assert(support_poll(end));
		ck_assert_int_eq(hl_inspect_participant(inspect, participant,
							&status),
				 1);
	}
	hl_inspect_close(inspect);
}

static void wait_in_take(struct helper *self)
{
	struct hl_batch batch;

	EXPECT(self, hl_consumer_take(line.consumer, 1, DEADLINE_NS, &batch) ==
			     -ECANCELED);
}

static void wait_in_claim(struct helper *self)
{
	struct hl_claim claim;

	EXPECT(self, hl_producer_claim(line.producer, 1, DEADLINE_NS, &claim) ==
			     -ECANCELED);
}

/* known-faults row 73 */
START_TEST(second_thread_finds_a_waiting_consumer_busy)
{
	struct helper *waiter = support_thread(wait_in_take, NULL);
	struct hl_batch batch;

	await_sleep(line.info.max_producers);
	ck_assert_int_eq(hl_consumer_take(line.consumer, 1, HL_NOWAIT, &batch),
			 -EBUSY);
	ck_assert_int_eq(hl_consumer_done(line.consumer), -EBUSY);
	hl_consumer_cancel(line.consumer);
	support_join(waiter);
	support_send(line.producer, 1, 1);
	support_take(line.consumer, 1, 1);
}
END_TEST

START_TEST(second_thread_finds_a_waiting_producer_busy)
{
	struct helper *waiter;
	struct hl_claim claim;

	support_fill_ring(line.producer);
	waiter = support_thread(wait_in_claim, NULL);
	await_sleep(0);
	ck_assert_int_eq(hl_producer_claim(line.producer, 1, HL_NOWAIT, &claim),
			 -EBUSY);
	ck_assert_int_eq(hl_producer_publish(line.producer), -EBUSY);
	hl_producer_cancel(line.producer);
	support_join(waiter);
}
END_TEST

static void close_everything(struct helper *self)
{
	struct hl_ring *ring = helper_open(self, hl_ring_name(line.ring));
	struct hl_producer *producer = helper_produce(self, ring);
	struct hl_consumer *consumer =
		helper_consume(self, ring, "s", HL_GROUP_SHARED);
	struct hl_batch batch;
	struct hl_claim claim;

	for (int fd = 3; fd < 1000; fd++)
		close(fd);
	helper_step(self, 1);
	if (!helper_await(self, 1))
		return;
	EXPECT(self,
	       hl_producer_claim(producer, 1, HL_NOWAIT, &claim) == -EIDRM);
	EXPECT(self,
	       hl_consumer_take(consumer, 1, HL_NOWAIT, &batch) == -EIDRM);
}

START_TEST(descriptors_closed_by_somebody_else_look_like_a_death)
{
	struct helper *victim = support_fork(close_everything, NULL);

	support_await(victim, 1);
	/* Who joins looks for the dead first. */
	support_produce(line.ring);
	support_consume(line.ring, "another", HL_GROUP_SHARED);
	support_go(victim, 1);
	support_join(victim);
	support_send(line.producer, 1, 3);
	support_take(line.consumer, 1, 3);
}
END_TEST

#define NUMBERS 64

static bool all_open(struct helper *self)
{
	int open = 0;

	for (int fd = 3; fd < NUMBERS; fd++)
		open += fcntl(fd, F_GETFD) >= 0;
	return EXPECT(self, open == NUMBERS - 3);
}

static void close_and_reuse(struct helper *self)
{
	struct hl_ring *ring = helper_open(self, hl_ring_name(line.ring));
	struct hl_producer *producer = helper_produce(self, ring);
	int status = 0;
	pid_t child;

	for (int fd = 3; fd < NUMBERS; fd++) {
		close(fd);
		EXPECT(self, open("/dev/null", O_RDWR | O_CLOEXEC) == fd);
	}
	child = fork();
	if (child == 0)
		_exit(!all_open(self));
	EXPECT(self, waitpid(child, &status, 0) == child && status == 0);
	EXPECT(self, hl_producer_leave(producer) == 0);
	EXPECT(self, hl_ring_finish(ring, NULL) == -EIDRM);
	EXPECT(self, hl_ring_close(ring) == 0);
	all_open(self);
}

START_TEST(descriptors_that_others_have_by_now_are_left_alone)
{
	support_join(support_fork(close_and_reuse, NULL));
	support_send(line.producer, 1, 3);
	support_take(line.consumer, 1, 3);
}
END_TEST

/* known-faults row 84 */
START_TEST(waiting_uses_no_processor)
{
	int64_t before = support_cpu_ns();
	struct hl_batch batch;
	struct hl_claim claim;

	ck_assert_int_eq(hl_consumer_take(line.consumer, 1, 300 * MS_NS,
					  &batch),
			 -ETIMEDOUT);
	ck_assert_int_lt(support_cpu_ns() - before, 30 * MS_NS);
	support_fill_ring(line.producer);
	before = support_cpu_ns();
	ck_assert_int_eq(hl_producer_claim(line.producer, 1, 300 * MS_NS,
					   &claim),
			 -ETIMEDOUT);
	ck_assert_int_lt(support_cpu_ns() - before, 30 * MS_NS);
}
END_TEST

#define SELDOM 100

/* A message every 5 ms: what is measured is the time between them. */
static void send_seldom(struct helper *self)
{
	const struct timespec pause = { .tv_nsec = 5000000 };
	struct hl_ring *ring = helper_open(self, hl_ring_name(line.ring));
	struct hl_producer *producer = helper_produce(self, ring);
	const int64_t before = support_cpu_ns();

	for (int i = 0; i < SELDOM; i++) {
		struct hl_message m;

		nanosleep(&pause, NULL);
		support_fill(&m, sizeof(m), (uint64_t)i);
		EXPECT(self, hl_producer_send(producer, &m, sizeof(m),
					      HL_NOWAIT) == 1);
	}
	EXPECT(self, support_cpu_ns() - before < 50 * MS_NS);
}

/* known-faults row 84 */
START_TEST(seldom_messages_use_little_processor)
{
	struct helper *sender = support_fork(send_seldom, NULL);
	const int64_t before = support_cpu_ns();

	support_take(line.consumer, 0, SELDOM);
	ck_assert_int_lt(support_cpu_ns() - before, 50 * MS_NS);
	support_join(sender);
}
END_TEST

static bool pin_and_prefer(int policy)
{
	const struct sched_param param = { .sched_priority = policy ==
							     SCHED_FIFO };
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET((unsigned)sched_getcpu(), &one);
	if (policy == SCHED_OTHER)
		return sched_setaffinity(0, sizeof(one), &one) == 0;
	return sched_setscheduler(0, policy, &param) == 0;
}

static void take_first(struct helper *self)
{
	struct hl_ring *ring = helper_open(self, hl_ring_name(line.ring));
	struct hl_consumer *consumer =
		helper_consume(self, ring, "s", HL_GROUP_SHARED);
	struct hl_batch batch;

	if (!pin_and_prefer(SCHED_FIFO)) {
		fprintf(stderr, "# skipped: no right to use SCHED_FIFO\n");
		atomic_store(&self->counts[0], 1);
	}
	helper_step(self, 1);
	for (uint64_t got = 0; got < 200;) {
		const ssize_t n =
			hl_consumer_take(consumer, 16, DEADLINE_NS, &batch);

		if (!EXPECT(self, n > 0))
			return;
		got += (uint64_t)n;
		EXPECT(self, hl_consumer_done(consumer) == 0);
	}
	EXPECT(self, hl_consumer_leave(consumer) == 0);
}

/* known-faults row 82: a real-time waiter lets whom it waits for run. */
START_TEST(real_time_consumer_does_not_starve_its_producer)
{
	struct helper *consumer;

	ck_assert(pin_and_prefer(SCHED_OTHER));
	consumer = support_fork(take_first, NULL);
	support_await(consumer, 1);
	for (uint64_t i = 0; i < 200; i++) {
		support_send(line.producer, i, 1);
		support_take(line.consumer, i, 1);
	}
	support_join(consumer);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		each_ring_participant_and_pollable_has_one_descriptor,
		handles_leave_nothing_behind,
		too_few_descriptors_are_an_error_that_harms_nobody,
		too_little_memory_is_an_error_that_harms_nobody,
		second_thread_finds_a_waiting_consumer_busy,
		second_thread_finds_a_waiting_producer_busy,
		descriptors_closed_by_somebody_else_look_like_a_death,
		descriptors_that_others_have_by_now_are_left_alone,
		waiting_uses_no_processor,
		seldom_messages_use_little_processor,
		real_time_consumer_does_not_starve_its_producer,
	};
	TCase *tcase = support_begin("handles");

	tcase_add_checked_fixture(tcase, set_up, NULL);
	support_add(tcase, tests, COUNT_OF(tests));
	return support_end();
}
