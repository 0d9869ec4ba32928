/* SPDX-License-Identifier: MIT */
/*
 * test_fork.c - what a forked child may do, and that its parent does not mind
 *
 * known-faults rows 19 and 20.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "tests/support/line.h"
#include "tests/support/support.h"

static struct line line;

static void set_up(void)
{
	struct hl_ring_attr attr = HL_RING_ATTR_INIT;

	attr.capacity = 16;
	attr.arena_bytes = 64 * 1024;
	attr.max_producers = 2;
	line_init(&line, &attr);
}

static int send_number(struct hl_producer *producer, uint64_t number)
{
	struct hl_message m;

	support_fill(&m, sizeof(m), number);
	return hl_producer_send(producer, &m, sizeof(m), DEADLINE_NS);
}

static void use_parents_handles(struct helper *self)
{
	struct hl_payload_space space;
	const size_t bytes = 1;
	struct hl_batch batch;
	struct hl_claim claim;

	EXPECT(self, send_number(line.producer, 1) == -EBADF);
	EXPECT(self, hl_producer_claim(line.producer, 1, HL_NOWAIT, &claim) ==
			     -EBADF);
	EXPECT(self, hl_producer_publish(line.producer) == -EBADF);
	EXPECT(self, hl_producer_abandon(line.producer) == -EBADF);
	EXPECT(self, hl_producer_finish(line.producer) == -EBADF);
	EXPECT(self,
	       hl_payload_alloc(line.producer, &bytes, 1, &space) == -EBADF);
	EXPECT(self,
	       hl_consumer_take(line.consumer, 1, HL_NOWAIT, &batch) == -EBADF);
	EXPECT(self, hl_consumer_done(line.consumer) == -EBADF);
	EXPECT(self, hl_consumer_fd(line.consumer) == -EBADF);
	EXPECT(self, hl_producer_leave(line.producer) == -EBADF);
	EXPECT(self, hl_consumer_leave(line.consumer) == -EBADF);
}

START_TEST(child_cannot_use_its_parents_handles)
{
	support_join(support_fork(use_parents_handles, NULL));
}
END_TEST

START_TEST(parent_is_not_affected_by_its_child)
{
	struct hl_batch batch;

	line_send(&line, 1, NULL, 0);
	line_send(&line, 2, NULL, 0);
	ck_assert_int_eq(hl_consumer_take(line.consumer, 2, HL_NOWAIT, &batch),
			 2);
	support_join(support_fork(use_parents_handles, NULL));
	/* The child closed and left: our places and our batch are ours. */
	ck_assert_int_eq(hl_ring_unlink(hl_ring_name(line.ring), false, NULL),
			 -EBUSY);
	ck_assert_uint_eq(support_number(hl_batch_next(&batch)), 1);
	ck_assert_int_eq(hl_consumer_done(line.consumer), 0);
	support_send(line.producer, 3, 5);
	support_take(line.consumer, 3, 5);
}
END_TEST

static void try_place(struct helper *self)
{
	const struct hl_group_attr attr =
		support_group("g", HL_GROUP_EXCLUSIVE);
	struct hl_ring *ring = helper_open(self, hl_ring_name(line.ring));
	struct hl_consumer *consumer;

	EXPECT(self,
	       hl_consumer_join(ring, &attr, NULL, &consumer, NULL) == -EBUSY);
}

START_TEST(exclusive_place_stays_the_parents)
{
	support_join(support_fork(use_parents_handles, NULL));
	support_join(support_fork(try_place, NULL));
}
END_TEST

static void send_by_own_handle(struct helper *self)
{
	struct hl_ring *ring = helper_open(self, hl_ring_name(line.ring));
	struct hl_producer *producer = helper_produce(self, ring);

	EXPECT(self, send_number(producer, 4711) == 1);
	EXPECT(self, hl_producer_leave(producer) == 0);
	EXPECT(self, hl_ring_close(ring) == 0);
}

START_TEST(child_may_open_the_ring_anew)
{
	support_join(support_fork(send_by_own_handle, NULL));
	support_take(line.consumer, 4711, 1);
}
END_TEST

static void send_until_told(struct helper *self)
{
	uint64_t n = 0;

	while (atomic_load(&self->go) == 0) {
		EXPECT(self, send_number(line.producer, ++n) == 1);
		helper_step(self, 1);
	}
	atomic_store(&self->counts[0], n);
}

static void take_until_told(struct helper *self)
{
	struct hl_batch batch;
	uint64_t got = 0;
	ssize_t n;

	do {
		n = hl_consumer_take(line.consumer, 16, MS_NS, &batch);
		if (n > 0) {
			got += (uint64_t)n;
			EXPECT(self, hl_consumer_done(line.consumer) == 0);
		}
	} while (n > 0 || atomic_load(&self->go) == 0);
	EXPECT(self, n == -ETIMEDOUT);
	atomic_store(&self->counts[0], got);
}

START_TEST(forks_while_threads_send_and_take_do_no_harm)
{
	struct helper *sender = support_thread(send_until_told, NULL);
	struct helper *taker = support_thread(take_until_told, NULL);
	const uint64_t children = 20;

	support_await(sender, 1);
	for (uint64_t i = 0; i < children; i++)
		support_join(support_fork(send_by_own_handle, NULL));
	support_go(sender, 1);
	support_join(sender);
	support_go(taker, 1);
	support_join(taker);
	ck_assert_uint_eq(taker->counts[0], sender->counts[0] + children);
}
END_TEST

/* The process that opened is gone; its child goes on, as daemons do. */
static void send_as_daemon(struct helper *self)
{
	const pid_t pid = fork();

	if (pid != 0)
		return;
	send_by_own_handle(self);
	helper_step(self, 1);
	_exit(0);
}

START_TEST(grandchild_is_a_producer_of_its_own)
{
	struct helper *parent = support_fork(send_as_daemon, NULL);

	support_join(parent);
	support_await(parent, 1);
	support_take(line.consumer, 4711, 1);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		child_cannot_use_its_parents_handles,
		parent_is_not_affected_by_its_child,
		exclusive_place_stays_the_parents,
		child_may_open_the_ring_anew,
		forks_while_threads_send_and_take_do_no_harm,
		grandchild_is_a_producer_of_its_own,
	};
	TCase *tcase = support_begin("fork");

	tcase_add_checked_fixture(tcase, set_up, NULL);
	support_add(tcase, tests, COUNT_OF(tests));
	return support_end();
}
