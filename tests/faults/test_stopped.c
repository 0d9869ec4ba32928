/* SPDX-License-Identifier: MIT */
/*
 * test_stopped.c - who is stopped is alive: nothing of it is given to others
 *
 * known-faults rows 8, 9 and 22.
 */
#include "config.h"

#include <hotline/admin.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "tests/support/rings.h"

#define CAPACITY 16
#define LOOKS 40
#define LONG_LOOKS 3000
#define STOPPED_NS (400 * MS_NS) /* longer than any wait inside the library */
#define CREW 4			 /* two producers and two members */
#define EACH 4000
#define ROUNDS 3
#define LONG_ROUNDS 50

static char name[64];
static struct hl_ring *ring;

static void make_ring(void)
{
	struct hl_ring_attr attr = HL_RING_ATTR_INIT;
	struct hl_group_attr group = support_group("s", HL_GROUP_SHARED);

	group.durable = true;
	attr.capacity = CAPACITY;
	attr.arena_bytes = 64 * 1024;
	attr.max_producers = 4;
	attr.max_consumers = 6;
	attr.groups = &group;
	attr.ngroups = 1;
	ring = support_create(&attr);
	snprintf(name, sizeof(name), "%s", hl_ring_name(ring));
}

/* Stop a process, and see that it did. */
static void stop(const struct helper *helper)
{
	int status;

	ck_assert_int_eq(kill(helper->pid, SIGSTOP), 0);
	ck_assert_int_eq(waitpid(helper->pid, &status, WUNTRACED), helper->pid);
	ck_assert(WIFSTOPPED(status));
}

static void go_on(const struct helper *helper)
{
	ck_assert_int_eq(kill(helper->pid, SIGCONT), 0);
}

/* Have a message and a claim in hand, and finish both when told to. */
static void hold(struct helper *self)
{
	struct hl_ring *const mine = helper_open(self, name);
	struct hl_producer *const producer = helper_produce(self, mine);
	struct hl_consumer *const consumer =
		helper_consume(self, mine, "s", HL_GROUP_SHARED);
	struct hl_batch batch;
	struct hl_claim claim;

	EXPECT(self, hl_consumer_take(consumer, 1, DEADLINE_NS, &batch) == 1);
	EXPECT(self, hl_producer_claim(producer, 1, DEADLINE_NS, &claim) == 1);
	helper_step(self, 1);
	helper_await(self, 2);
	EXPECT(self, support_number(hl_batch_next(&batch)) == 1);
	support_fill(hl_claim_slot(&claim, 0), sizeof(struct hl_message), 4);
	EXPECT(self, hl_producer_publish(producer) == 0);
	EXPECT(self, hl_consumer_done(consumer) == 0);
}

/* All that looks for the dead: waits, joins, an operator. */
static void look_for_dead(void)
{
	struct hl_consumer *const consumer =
		support_consume(ring, "s", HL_GROUP_SHARED);
	struct hl_batch batch;

	ck_assert_int_eq(hl_consumer_take(consumer, 1, MS_NS, &batch),
			 -ETIMEDOUT);
	ck_assert_int_eq(hl_ring_repair(ring, NULL), -EBUSY);
	ck_assert_int_eq(hl_consumer_leave(consumer), 0);
}

static void expect_alive(uint32_t wanted)
{
	struct hl_ring_status status;
	struct hl_inspect *inspect;

	ck_assert_int_eq(hl_inspect_open(name, 0, &inspect, NULL), 0);
	hl_inspect_ring(inspect, &status);
	ck_assert_uint_eq(status.alive, wanted);
	ck_assert_uint_eq(status.dead, 0);
	ck_assert_uint_eq(status.reaped, 0);
	ck_assert_uint_eq(status.voided, 0);
	hl_inspect_close(inspect);
}

/* Row 9 */
START_TEST(stopped_process_is_never_found_dead)
{
	const int looks = support_long() ? LONG_LOOKS : LOOKS;
	struct hl_producer *producer;
	struct hl_consumer *consumer;
	struct helper *holder;
	struct hl_batch batch;
	int i;

	make_ring();
	producer = support_produce(ring);
	support_send(producer, 1, 1);
	holder = support_fork(hold, NULL);
	support_await(holder, 1);
	stop(holder);
	support_send(producer, 2, 2);
	for (i = 0; i < looks; i++) {
		look_for_dead();
		expect_alive(3);
	}
	go_on(holder);
	support_go(holder, 2);
	support_join(holder);
	consumer = support_consume(ring, "s", HL_GROUP_SHARED);
	ck_assert_int_eq(hl_consumer_take(consumer, 4, DEADLINE_NS, &batch), 3);
	ck_assert_uint_eq(support_number(hl_batch_next(&batch)), 4);
	ck_assert(!hl_batch_redelivered(&batch));
}
END_TEST

static void read_lossy(struct helper *self)
{
	struct hl_ring *const mine = helper_open(self, name);
	struct hl_consumer *const consumer =
		helper_consume(self, mine, "l", HL_GROUP_LOSSY);
	struct hl_batch batch;
	uint64_t next;
	int i;

	helper_step(self, 1);
	/* One by one: the second may not be there yet. */
	for (i = 0; i < 2; i++) {
		EXPECT(self,
		       hl_consumer_take(consumer, 1, DEADLINE_NS, &batch) == 1);
		EXPECT(self, batch.lost == 0);
		EXPECT(self, hl_consumer_done(consumer) == 0);
	}
	helper_step(self, 2);
	helper_await(self, 1);
	EXPECT(self, hl_consumer_take(consumer, 64, DEADLINE_NS, &batch) > 0);
	/* Exactly what lies between the last one seen and this one. */
	next = support_number(hl_batch_next(&batch));
	EXPECT(self, batch.lost == next - 3);
	EXPECT(self, next > CAPACITY);
	EXPECT(self, hl_consumer_done(consumer) == 0);
}

/* Row 8 */
START_TEST(stopped_lossy_reader_learns_exactly_what_it_missed)
{
	struct hl_producer *producer;
	struct helper *reader;

	make_ring();
	ck_assert_int_eq(hl_group_drop(ring, "s", NULL), 0);
	producer = support_produce(ring);
	reader = support_fork(read_lossy, NULL);
	support_await(reader, 1);
	support_send(producer, 1, 2);
	support_await(reader, 2);
	stop(reader);
	support_send(producer, 3, 3 * CAPACITY);
	go_on(reader);
	support_go(reader, 1);
	support_join(reader);
}
END_TEST

static void read_and_be_evicted(struct helper *self)
{
	struct hl_ring *const mine = helper_open(self, name);
	struct hl_consumer *consumer =
		helper_consume(self, mine, "s", HL_GROUP_SHARED);
	struct hl_batch batch;

	EXPECT(self, hl_consumer_take(consumer, 1, DEADLINE_NS, &batch) == 1);
	helper_step(self, 1);
	helper_await(self, 1);
	EXPECT(self, hl_consumer_done(consumer) == -EIDRM);
	EXPECT(self, hl_consumer_take(consumer, 1, HL_NOWAIT, &batch) < 0);
	EXPECT(self, hl_consumer_leave(consumer) == 0);
	consumer = helper_consume(self, mine, "s", HL_GROUP_SHARED);
	EXPECT(self, hl_consumer_take(consumer, 1, DEADLINE_NS, &batch) == 1);
	EXPECT(self, support_number(hl_batch_next(&batch)) == 2);
	EXPECT(self, hl_consumer_done(consumer) == 0);
}

/* Row 8, for a group that holds producers back: by decision only. */
START_TEST(stopped_member_that_was_evicted_is_told_and_may_join_again)
{
	struct hl_consumer *other;
	struct hl_producer *producer;
	struct helper *reader;
	struct hl_batch batch;

	make_ring();
	producer = support_produce(ring);
	support_send(producer, 1, 1);
	reader = support_fork(read_and_be_evicted, NULL);
	support_await(reader, 1);
	stop(reader);
	/* The consumers' first record is the only one taken. */
	ck_assert_int_eq(
		hl_participant_evict(ring, 4, HL_ANY_TENURE, true, NULL), 0);
	other = support_consume(ring, "s", HL_GROUP_SHARED);
	ck_assert_int_eq(hl_consumer_take(other, 1, DEADLINE_NS, &batch), 1);
	ck_assert_uint_eq(support_number(hl_batch_next(&batch)), 1);
	ck_assert(hl_batch_redelivered(&batch));
	ck_assert_int_eq(hl_consumer_done(other), 0);
	ck_assert_int_eq(hl_consumer_leave(other), 0);
	support_send(producer, 2, 1);
	go_on(reader);
	support_go(reader, 1);
	support_join(reader);
}
END_TEST

static _Atomic unsigned char (*seen)[EACH]; /* by producer and number */

static void crew_send(struct helper *self)
{
	const uint64_t first = (uint64_t)(uintptr_t)self->arg * EACH;
	struct hl_ring *const mine = helper_open(self, name);
	struct hl_producer *const producer = helper_produce(self, mine);
	struct hl_message m;
	uint64_t i;

	helper_step(self, 1);
	for (i = first; i < first + EACH; i++) {
		support_fill(&m, sizeof(m), i);
		if (!EXPECT(self, hl_producer_send(producer, &m, sizeof(m),
						   HL_FOREVER) == 1))
			return;
		atomic_store(&self->counts[0], i - first);
	}
	helper_await(self, 1); /* who has ended cannot be stopped */
	hl_producer_leave(producer);
}

static void crew_take(struct helper *self)
{
	struct hl_ring *const mine = helper_open(self, name);
	struct hl_consumer *const consumer =
		helper_consume(self, mine, "s", HL_GROUP_SHARED);
	struct hl_batch batch;
	const void *m;

	helper_step(self, 1);
	while (hl_consumer_take(consumer, 5, HL_FOREVER, &batch) > 0) {
		while ((m = hl_batch_next(&batch))) {
			const uint64_t n = support_number(m);

			EXPECT(self, support_whole(m, HL_LINE_BYTES));
			EXPECT(self, !hl_batch_redelivered(&batch));
			EXPECT(self, atomic_fetch_add(&seen[n / EACH][n % EACH],
						      1) == 0);
		}
		EXPECT(self, hl_consumer_done(consumer) == 0);
	}
	hl_consumer_leave(consumer);
}

static void stop_all_and_go_on(struct helper *const crew[CREW],
			       uint64_t *random)
{
	const struct timespec time = { .tv_nsec = STOPPED_NS };
	int order[CREW] = { 0, 1, 2, 3 }, i;

	for (i = 0; i < CREW; i++)
		stop(crew[i]);
	nanosleep(&time, NULL); /* how long they are stopped */
	for (i = CREW; i > 0; i--) {
		const int k = (int)(support_random(random) % (uint64_t)i);
		const int next = order[k];

		order[k] = order[i - 1];
		go_on(crew[next]);
	}
}

/* Row 22 */
START_TEST(ring_of_which_all_were_stopped_goes_on_and_loses_nothing)
{
	uint64_t random = support_seed();
	struct helper *crew[CREW];
	int i, rounds = support_long() ? LONG_ROUNDS : ROUNDS;

	make_ring();
	seen = support_shared(2 * sizeof(*seen));
	for (i = 0; i < CREW; i++)
		crew[i] = support_fork(i < 2 ? crew_send : crew_take,
				       (void *)(uintptr_t)i);
	for (i = 0; i < CREW; i++)
		support_await(crew[i], 1);
	/* As long as both send: who has ended waits to be told to go on. */
	while (rounds-- && atomic_load(&crew[0]->counts[0]) < EACH - 1 &&
	       atomic_load(&crew[1]->counts[0]) < EACH - 1)
		stop_all_and_go_on(crew, &random);
	support_go(crew[0], 1);
	support_go(crew[1], 1);
	support_join(crew[0]);
	support_join(crew[1]);
	ck_assert_int_eq(hl_ring_finish(ring, NULL), 0);
	support_join(crew[2]);
	support_join(crew[3]);
	for (i = 0; i < 2 * EACH; i++)
		ck_assert_uint_eq(atomic_load(&seen[i / EACH][i % EACH]), 1);
	expect_alive(0);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		stopped_process_is_never_found_dead,
		stopped_lossy_reader_learns_exactly_what_it_missed,
		stopped_member_that_was_evicted_is_told_and_may_join_again,
		ring_of_which_all_were_stopped_goes_on_and_loses_nothing,
	};

	support_add(support_begin("stopped"), tests, COUNT_OF(tests));
	return support_end();
}
