/* SPDX-License-Identifier: MIT */
/*
 * test_limits.c - each thing that can run out has an error of its own
 */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>

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

static int send_one(struct hl_producer *producer, int64_t timeout_ns)
{
	struct hl_message m;

	support_fill(&m, sizeof(m), 4711);
	return hl_producer_send(producer, &m, sizeof(m), timeout_ns);
}

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

static void join_and_die(struct helper *self)
{
	struct hl_ring *ring = helper_open(self, self->arg);

	helper_produce(self, ring);
	helper_consume(self, ring, "s", HL_GROUP_SHARED);
	helper_step(self, 1);
	helper_pause();
}

/* known-faults row 6 */
START_TEST(places_of_the_dead_are_taken_again)
{
	struct hl_ring_attr attr = HL_RING_ATTR_INIT;
	char name[64] = { 0 };
	struct hl_ring *ring;

	attr.max_producers = 2;
	attr.max_consumers = 2;
	ring = ring_with(&attr);
	strncpy(name, hl_ring_name(ring), sizeof(name) - 1);
	for (int i = 0; i < 2 + 5; i++) {
		struct helper *member = support_fork(join_and_die, name);

		support_await(member, 1);
		support_kill(member);
	}
	support_produce(ring);
	support_produce(ring);
	support_consume(ring, "s", HL_GROUP_SHARED);
	support_consume(ring, "s", HL_GROUP_SHARED);
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
		message_larger_than_a_slot_never_fits,
		payload_never_fits_in_a_ring_without_arena,
		full_and_no_block_and_never_fits_are_different_errors,
		full_table_of_producers_is_an_error_of_its_own,
		full_table_of_consumers_is_an_error_of_its_own,
		full_table_of_groups_is_an_error_of_its_own,
		places_of_the_dead_are_taken_again,
		ring_that_memory_is_too_small_for_is_not_created,
	};
	TCase *tcase = support_begin("limits");

	support_add(tcase, tests, COUNT_OF(tests));
	return support_end();
}
