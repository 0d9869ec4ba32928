/* SPDX-License-Identifier: MIT */
/*
 * test_full.c - what happens when there is no room, of any kind
 */
#include "config.h"

#include <hotline/inspect.h>

#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "tests/support/rings.h"
#include "tests/support/support.h"

#define CAPACITY 8

static struct hl_ring *ring_with(const struct hl_ring_attr *wanted)
{
	const struct hl_group_attr group =
		support_group("g", HL_GROUP_EXCLUSIVE);
	struct hl_ring_attr attr = *wanted;

	attr.capacity = CAPACITY;
	attr.groups = &group;
	attr.ngroups = 1;
	return support_create(&attr);
}

/* A ring with a group that nobody reads, and as many messages as fit. */
static struct hl_ring *full_ring(struct hl_producer **producer)
{
	const struct hl_ring_attr attr = HL_RING_ATTR_INIT;
	struct hl_ring *ring = ring_with(&attr);

	*producer = support_produce(ring);
	support_send(*producer, 1, CAPACITY);
	return ring;
}

static int send_one(struct hl_producer *producer, int64_t timeout_ns)
{
	struct hl_message m;

	support_fill(&m, sizeof(m), 4711);
	return hl_producer_send(producer, &m, sizeof(m), timeout_ns);
}

/* What inspect says of the only producer. */
static struct hl_participant_status producer_status(const char *name)
{
	struct hl_participant_status status;
	struct hl_inspect *inspect;

	ck_assert_int_eq(hl_inspect_open(name, 0, &inspect, NULL), 0);
	ck_assert_int_eq(hl_inspect_participant(inspect, 0, &status), 1);
	ck_assert(status.producer);
	hl_inspect_close(inspect);
	return status;
}

START_TEST(send_fails_at_once_when_the_ring_is_full)
{
	struct hl_producer *producer;
	struct hl_ring *ring = full_ring(&producer);
	struct hl_claim claim;

	ck_assert_int_eq(send_one(producer, HL_NOWAIT), -EAGAIN);
	ck_assert_int_eq(hl_producer_claim(producer, 1, HL_NOWAIT, &claim),
			 -EAGAIN);
	ck_assert_uint_ge(producer_status(hl_ring_name(ring)).full, 1);
}
END_TEST

START_TEST(send_waits_no_longer_than_its_timeout)
{
	struct hl_producer *producer;
	struct hl_claim claim;

	full_ring(&producer);
	ck_assert_int_eq(send_one(producer, 20 * MS_NS), -ETIMEDOUT);
	ck_assert_int_eq(hl_producer_claim(producer, 1, 20 * MS_NS, &claim),
			 -ETIMEDOUT);
}
END_TEST

START_TEST(timeout_is_not_negative)
{
	struct hl_producer *producer;
	struct hl_claim claim;

	full_ring(&producer);
	ck_assert_int_eq(hl_producer_claim(producer, 1, -1, &claim), -EINVAL);
}
END_TEST

/* known-faults row 77 */
START_TEST(dropped_messages_are_counted_exactly)
{
	struct hl_producer *producer;
	struct hl_ring *ring = full_ring(&producer);
	struct hl_consumer *consumer;
	struct hl_claim claim;

	for (int i = 0; i < 900; i++)
		ck_assert_int_eq(send_one(producer, HL_DROP), 0);
	for (int i = 0; i < 20; i++)
		ck_assert_int_eq(
			hl_producer_claim(producer, 5, HL_DROP, &claim), 0);
	ck_assert_uint_eq(producer_status(hl_ring_name(ring)).dropped, 1000);
	consumer = support_consume(ring, "g", HL_GROUP_EXCLUSIVE);
	support_take(consumer, 1, CAPACITY);
	support_take_nothing(consumer);
	ck_assert_int_eq(send_one(producer, HL_DROP), 1);
}
END_TEST

static void send_when_there_is_room(struct helper *self)
{
	struct hl_ring *ring = helper_open(self, self->arg);
	struct hl_producer *producer = helper_produce(self, ring);

	helper_step(self, 1);
	EXPECT(self, send_one(producer, DEADLINE_NS) == 1);
}

START_TEST(waiting_producer_goes_on_when_a_consumer_makes_room)
{
	struct hl_producer *producer;
	struct hl_ring *ring = full_ring(&producer);
	char name[64] = { 0 };
	struct helper *waiter;

	strncpy(name, hl_ring_name(ring), sizeof(name) - 1);
	waiter = support_fork(send_when_there_is_room, name);
	support_await(waiter, 1);
	support_take(support_consume(ring, "g", HL_GROUP_EXCLUSIVE), 1, 1);
	support_join(waiter);
}
END_TEST

START_TEST(claim_takes_what_is_free_when_less_than_asked_for_is)
{
	const struct hl_ring_attr attr = HL_RING_ATTR_INIT;
	struct hl_producer *producer = support_produce(ring_with(&attr));
	struct hl_claim claim;

	support_send(producer, 1, CAPACITY - 3);
	ck_assert_int_eq(
		hl_producer_claim(producer, CAPACITY, HL_NOWAIT, &claim), 3);
	ck_assert_uint_eq(claim.count, 3);
	ck_assert_uint_eq(claim.position, CAPACITY - 2);
}
END_TEST

START_TEST(claim_of_none_or_more_than_the_capacity_is_refused)
{
	const struct hl_ring_attr attr = HL_RING_ATTR_INIT;
	struct hl_producer *producer = support_produce(ring_with(&attr));
	struct hl_claim claim;

	ck_assert_int_eq(hl_producer_claim(producer, 0, HL_NOWAIT, &claim),
			 -EINVAL);
	ck_assert_int_eq(hl_producer_claim(producer, CAPACITY + 1, HL_NOWAIT,
					   &claim),
			 -EINVAL);
	ck_assert_int_eq(hl_producer_claim(producer, SIZE_MAX, HL_NOWAIT,
					   &claim),
			 -EINVAL);
}
END_TEST

/* known-faults row 76: 7/8 of the capacity stay, at the least. */
START_TEST(unread_messages_are_kept_for_a_later_group)
{
	struct hl_ring_attr attr = HL_RING_ATTR_INIT;
	struct hl_consumer *consumer;
	struct hl_batch batch;
	struct hl_ring *ring;
	uint64_t first;

	attr.capacity = 64;
	ring = support_create(&attr);
	support_send(support_produce(ring), 1, 1000);
	consumer = support_consume(ring, "g", HL_GROUP_EXCLUSIVE);
	ck_assert_int_gt(hl_consumer_take(consumer, 1, HL_NOWAIT, &batch), 0);
	first = support_number(hl_batch_next(&batch));
	ck_assert_uint_ge(first, 1000 - 64 + 1);
	ck_assert_uint_le(first, 1000 - 56 + 1);
	ck_assert_int_eq(hl_consumer_done(consumer), 0);
	support_take(consumer, first + 1, 1000 - first);
	support_take_nothing(consumer);
}
END_TEST

START_TEST(unread_messages_are_refused_when_the_ring_says_so)
{
	struct hl_ring_attr attr = HL_RING_ATTR_INIT;
	struct hl_producer *producer;
	struct hl_consumer *consumer;
	struct hl_ring *ring;

	attr.unread = HL_UNREAD_REFUSE;
	ring = support_create(&attr);
	producer = support_produce(ring);
	ck_assert_int_eq(send_one(producer, HL_NOWAIT), -ENOTCONN);
	consumer = support_consume(ring, "lossy", HL_GROUP_LOSSY);
	ck_assert_int_eq(send_one(producer, HL_NOWAIT), -ENOTCONN);
	ck_assert_int_eq(hl_consumer_leave(consumer), 0);
	consumer = support_consume(ring, "g", HL_GROUP_EXCLUSIVE);
	ck_assert_int_eq(send_one(producer, HL_NOWAIT), 1);
	ck_assert_int_eq(hl_consumer_leave(consumer), 0);
	ck_assert_int_eq(send_one(producer, HL_NOWAIT), -ENOTCONN);
}
END_TEST

START_TEST(refused_producer_may_wait_for_a_group)
{
	struct hl_ring_attr attr = HL_RING_ATTR_INIT;
	char name[64] = { 0 };
	struct helper *waiter;
	struct hl_ring *ring;
	struct hl_batch batch;

	attr.unread = HL_UNREAD_REFUSE;
	ring = support_create(&attr);
	strncpy(name, hl_ring_name(ring), sizeof(name) - 1);
	waiter = support_fork(send_when_there_is_room, name);
	support_await(waiter, 1);
	ck_assert_int_eq(
		hl_consumer_take(support_consume(ring, "g", HL_GROUP_SHARED), 1,
				 DEADLINE_NS, &batch),
		1);
	support_join(waiter);
}
END_TEST

START_TEST(message_larger_than_a_slot_never_fits)
{
	const struct hl_ring_attr attr = HL_RING_ATTR_INIT;
	struct hl_producer *producer = support_produce(ring_with(&attr));
	struct support_message m = { 0 };

	ck_assert_int_eq(hl_producer_send(producer, &m, 128, HL_NOWAIT),
			 -EMSGSIZE);
	ck_assert_int_eq(hl_producer_send(producer, &m, SIZE_MAX / 64 * 64,
					  HL_NOWAIT),
			 -EMSGSIZE);
	ck_assert_int_eq(hl_producer_send(producer, &m, 0, HL_NOWAIT), -EINVAL);
	ck_assert_int_eq(hl_producer_send(producer, &m, 63, HL_NOWAIT),
			 -EINVAL);
}
END_TEST

START_TEST(payload_never_fits_in_a_ring_without_arena)
{
	const struct hl_ring_attr attr = HL_RING_ATTR_INIT;
	struct hl_producer *producer = support_produce(ring_with(&attr));
	struct hl_payload_space space;
	const size_t bytes = 1;

	ck_assert_int_eq(hl_payload_alloc(producer, &bytes, 1, &space),
			 -EMSGSIZE);
}
END_TEST

/* The errors of one producer, one after the other. */
START_TEST(full_and_no_block_and_never_fits_are_different_errors)
{
	struct hl_ring_attr attr = HL_RING_ATTR_INIT;
	struct hl_payload_space space;
	struct hl_producer *producer;
	struct hl_ring_info info;
	struct hl_ring *ring;
	struct hl_claim claim;
	uint32_t sent = 0;
	size_t bytes;
	int ret;

	attr.arena_bytes = 16 * 1024;
	attr.max_producers = 1;
	attr.block_bytes = 4096;
	ring = ring_with(&attr);
	producer = support_produce(ring);
	hl_ring_get_info(ring, &info);
	bytes = info.block_bytes;
	while ((ret = hl_payload_alloc(producer, &bytes, 1, &space)) == 0) {
		struct hl_message *m;

		ck_assert_int_eq(
			hl_producer_claim(producer, 1, HL_NOWAIT, &claim), 1);
		m = (struct hl_message *)hl_claim_slot(&claim, 0);
		support_fill(m, sizeof(*m), ++sent);
		m->payload_offset = space.payload_offset;
		ck_assert_int_eq(hl_producer_publish(producer), 0);
	}
	ck_assert_int_eq(ret, -ENOBUFS);
	ck_assert_uint_le(sent, info.nblocks);
	bytes = info.block_bytes + 64;
	ck_assert_int_eq(hl_payload_alloc(producer, &bytes, 1, &space),
			 -EMSGSIZE);
	support_send(producer, sent + 1, CAPACITY - sent);
	ck_assert_int_eq(send_one(producer, HL_NOWAIT), -EAGAIN);
	support_take(support_consume(ring, "g", HL_GROUP_EXCLUSIVE), 1,
		     CAPACITY);
	bytes = info.block_bytes;
	ck_assert_int_eq(hl_payload_alloc(producer, &bytes, 1, &space), 0);
}
END_TEST

START_TEST(full_table_of_producers_is_an_error_of_its_own)
{
	struct hl_ring_attr attr = HL_RING_ATTR_INIT;
	struct hl_producer *producers[3];
	struct hl_error err = { 0 };
	struct hl_ring *ring;

	attr.max_producers = 2;
	ring = ring_with(&attr);
	producers[0] = support_produce(ring);
	producers[1] = support_produce(ring);
	ck_assert_int_eq(hl_producer_join(ring, NULL, &producers[2], &err),
			 -EUSERS);
	ck_assert_ptr_nonnull(strstr(err.text, hl_ring_name(ring)));
	ck_assert_int_eq(hl_producer_leave(producers[0]), 0);
	producers[0] = support_produce(ring);
	support_send(producers[0], 1, 1);
	support_send(producers[1], 2, 1);
}
END_TEST

START_TEST(full_table_of_consumers_is_an_error_of_its_own)
{
	struct hl_group_attr shared = support_group("s", HL_GROUP_SHARED);
	struct hl_ring_attr attr = HL_RING_ATTR_INIT;
	struct hl_consumer *consumers[3];
	struct hl_ring *ring;

	attr.max_consumers = 2;
	ring = ring_with(&attr);
	consumers[0] = support_consume(ring, "s", HL_GROUP_SHARED);
	consumers[1] = support_consume(ring, "s", HL_GROUP_SHARED);
	ck_assert_int_eq(hl_consumer_join(ring, &shared, NULL, &consumers[2],
					  NULL),
			 -EUSERS);
	ck_assert_int_eq(hl_consumer_leave(consumers[0]), 0);
	consumers[0] = support_consume(ring, "s", HL_GROUP_SHARED);
}
END_TEST

START_TEST(full_table_of_groups_is_an_error_of_its_own)
{
	struct hl_group_attr another = support_group("h", HL_GROUP_SHARED);
	struct hl_ring_attr attr = HL_RING_ATTR_INIT;
	struct hl_consumer *consumer;
	struct hl_ring *ring;

	attr.max_groups = 1;
	ring = ring_with(&attr);
	ck_assert_int_eq(hl_group_create(ring, &another, NULL), -EUSERS);
	ck_assert_int_eq(hl_consumer_join(ring, &another, NULL, &consumer,
					  NULL),
			 -EUSERS);
	ck_assert_int_eq(hl_group_drop(ring, "g", NULL), 0);
	ck_assert_int_eq(hl_group_create(ring, &another, NULL), 0);
}
END_TEST

static unsigned files_in(const char *folder)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	unsigned n = 0;

	ck_assert_ptr_nonnull(dir);
	while ((entry = readdir(dir)))
		n += entry->d_name[0] != '.';
	closedir(dir);
	return n;
}

/* A file system of one MiB over the folder of the rings, if we may. */
static bool mount_small_folder(void)
{
	return unshare(CLONE_NEWNS) == 0 &&
	       mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
	       mount("none", support_folder(), "tmpfs", 0, "size=1m") == 0;
}

/* known-faults row 58 */
START_TEST(ring_that_memory_is_too_small_for_is_not_created)
{
	struct hl_ring_attr attr = HL_RING_ATTR_INIT;
	struct hl_error err = { 0 };
	struct hl_producer *producer;
	struct hl_ring *ring;

	if (!mount_small_folder()) {
		fprintf(stderr, "# skipped: no right to mount a tmpfs\n");
		return;
	}
	attr.capacity = 32768; /* 2 MiB of slots */
	ck_assert_int_eq(hl_ring_create(support_name(), &attr, &ring, &err),
			 -ENOSPC);
	ck_assert_ptr_null(ring);
	ck_assert_int_eq(err.code, -ENOSPC);
	ck_assert_ptr_nonnull(strpbrk(err.text, "0123456789"));
	ck_assert_uint_eq(files_in(support_folder()), 0);
	/* What was created has its memory: every slot can be written. */
	attr.capacity = 8192;
	ring = support_create(&attr);
	producer = support_produce(ring);
	support_send(producer, 1, 3 * 8192);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		send_fails_at_once_when_the_ring_is_full,
		send_waits_no_longer_than_its_timeout,
		timeout_is_not_negative,
		dropped_messages_are_counted_exactly,
		waiting_producer_goes_on_when_a_consumer_makes_room,
		claim_takes_what_is_free_when_less_than_asked_for_is,
		claim_of_none_or_more_than_the_capacity_is_refused,
		unread_messages_are_kept_for_a_later_group,
		unread_messages_are_refused_when_the_ring_says_so,
		refused_producer_may_wait_for_a_group,
		message_larger_than_a_slot_never_fits,
		payload_never_fits_in_a_ring_without_arena,
		full_and_no_block_and_never_fits_are_different_errors,
		full_table_of_producers_is_an_error_of_its_own,
		full_table_of_consumers_is_an_error_of_its_own,
		full_table_of_groups_is_an_error_of_its_own,
		ring_that_memory_is_too_small_for_is_not_created,
	};
	TCase *tcase = support_begin("full");

	support_add(tcase, tests, COUNT_OF(tests));
	return support_end();
}
