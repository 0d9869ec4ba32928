/* SPDX-License-Identifier: MIT */
/*
 * test_garbage.c - a hostile process writes garbage over a ring at full speed
 * while others use it: they get error codes, and nothing worse
 *
 * Seeds are fixed; $HOTLINE_SEED has another, $HOTLINE_LONG many.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "garbage.h"
#include "tests/support/rings.h"
#include "users.h"

#define CAPACITY 16
#define USERS_MAX 16
#define RUN_NS (500 * MS_NS)
#define LONG_RUN_NS (20 * SECOND_NS)
#define FIRST_SEED 20261130

static char path[256], name[64], clean[64];

static void make_rings(void)
{
	struct hl_ring_attr attr = HL_RING_ATTR_INIT;
	struct hl_group_attr groups[3];
	int i;

	for (i = 0; i < 3; i++) {
		groups[i] =
			support_group(users_groups[i], (enum hl_group_kind)i);
		groups[i].durable = true;
	}
	attr.capacity = CAPACITY;
	attr.slot_bytes = 128;
	attr.arena_bytes = 16 * 1024;
	attr.block_bytes = 960;
	attr.max_producers = 4;
	attr.max_consumers = 8;
	attr.max_groups = 5;
	attr.checksum = HL_CHECKSUM_PAYLOAD;
	attr.groups = groups;
	attr.ngroups = 3;
	snprintf(name, sizeof(name), "%s", hl_ring_name(support_create(&attr)));
	attr.ngroups = 0;
	snprintf(clean, sizeof(clean), "%s",
		 hl_ring_name(support_create(&attr)));
	snprintf(path, sizeof(path), "%s/hotline.%s", support_folder(), name);
}

static uint64_t seed_of(enum garbage_part part)
{
	const char *const given = getenv("HOTLINE_SEED");
	const uint64_t seed = given ? strtoull(given, NULL, 0) :
				      FIRST_SEED + (uint64_t)part;

	fprintf(stderr, "# HOTLINE_SEED=%ju\n", (uintmax_t)seed);
	return seed;
}

/* This is how long it lasts, not a wait for something. */
static void let_them(int64_t ns)
{
	const struct timespec time = { .tv_sec = ns / SECOND_NS,
				       .tv_nsec = ns % SECOND_NS };

	nanosleep(&time, NULL);
}

static void run(enum garbage_part part)
{
	struct helper *users[USERS_MAX], *writer;
	struct garbage garbage = { path, part, seed_of(part) };
	struct users told = { name, clean };
	uint64_t calls = 0, refused = 0;
	size_t i;

	make_rings();
	for (i = 0; i < users_count; i++)
		users[i] = support_fork(users_run[i], &told);
	for (i = 0; i < users_count; i++)
		support_await(users[i], 1);
	writer = support_fork(garbage_write, &garbage);
	let_them(support_long() ? LONG_RUN_NS : RUN_NS);
	for (i = 0; i < users_count; i++)
		support_go(users[i], 1);
	for (i = 0; i < users_count; i++) {
		support_join(users[i]);
		calls += atomic_load(&users[i]->counts[USERS_CALLS]);
		refused += atomic_load(&users[i]->counts[USERS_REFUSED]);
	}
	support_go(writer, 1);
	support_join(writer);
	fprintf(stderr, "# %ju calls, %ju refused; %ju words of garbage\n",
		(uintmax_t)calls, (uintmax_t)refused,
		(uintmax_t)atomic_load(&writer->counts[0]));
	ck_assert_uint_gt(refused, 0);
}

START_TEST(garbage_everywhere_crashes_nobody)
{
	run(GARBAGE_ALL);
}
END_TEST

START_TEST(garbage_in_the_header_crashes_nobody)
{
	run(GARBAGE_HEADER);
}
END_TEST

START_TEST(garbage_in_groups_crashes_nobody)
{
	run(GARBAGE_GROUPS);
}
END_TEST

START_TEST(garbage_in_records_crashes_nobody)
{
	run(GARBAGE_RECORDS);
}
END_TEST

START_TEST(garbage_in_stamps_crashes_nobody)
{
	run(GARBAGE_STAMPS);
}
END_TEST

START_TEST(garbage_in_the_arena_crashes_nobody)
{
	run(GARBAGE_ARENA);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		garbage_everywhere_crashes_nobody,
		garbage_in_the_header_crashes_nobody,
		garbage_in_groups_crashes_nobody,
		garbage_in_records_crashes_nobody,
		garbage_in_stamps_crashes_nobody,
		garbage_in_the_arena_crashes_nobody,
	};

	support_add(support_begin("garbage"), tests, COUNT_OF(tests));
	return support_end();
}
