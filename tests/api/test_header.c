/* SPDX-License-Identifier: MIT */
/*
 * test_header.c - rings whose file somebody mangled, and creators who race
 *
 * known-faults rows 13 and 54. What the header's words mean is not looked at:
 * each is overwritten in turn, with values that break size computations.
 */
#include "config.h"

#include <hotline/inspect.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/rings.h"
#include "tests/support/support.h"

#define CAPACITY 8
#define FIXED_BYTES 256	   /* of the header: what is set once, at creation */
#define MANGLED_BYTES 8192 /* header, tables, slots and some of the arena */

static char name[64];
static char path[512];
static int file;

static void make_ring(void)
{
	const struct hl_group_attr group = support_group("g", HL_GROUP_SHARED);
	struct hl_ring_attr attr = HL_RING_ATTR_INIT;
	struct hl_ring *ring;

	attr.capacity = CAPACITY;
	attr.arena_bytes = 64 * 1024;
	attr.max_producers = 2;
	attr.max_consumers = 2;
	attr.max_groups = 2;
	attr.groups = &group;
	attr.ngroups = 1;
	ring = support_create(&attr);
	snprintf(name, sizeof(name), "%s", hl_ring_name(ring));
	snprintf(path, sizeof(path), "%s/hotline.%s", support_folder(), name);
	file = open(path, O_RDWR | O_CLOEXEC);
	ck_assert_int_ge(file, 0);
	support_send(support_produce(ring), 1, 5);
}

/* Look at the ring in every way there is; none may crash or hang. */
static void use_inspect(void)
{
	struct hl_tap_message message;
	struct hl_ring_status status;
	struct hl_inspect *inspect;
	struct hl_tap *tap;

	if (hl_inspect_open(name, 0, &inspect, NULL) < 0)
		return;
	hl_inspect_ring(inspect, &status);
	for (uint32_t i = 0; i < 4; i++) {
		struct hl_participant_status participant;
		struct hl_block_status block;
		struct hl_group_status group;
		int ret;

		ret = hl_inspect_group(inspect, i, &group);
		ck_assert_int_le(ret, 1);
		ret = hl_inspect_participant(inspect, i, &participant);
		ck_assert_int_le(ret, 1);
		ret = hl_inspect_block(inspect, i, &block);
		ck_assert_int_le(ret, 1);
	}
	if (hl_tap_open(inspect, HL_START_OLDEST, 0, &tap, NULL) == 0) {
		for (int i = 0; i < 10; i++)
			if (hl_tap_next(tap, HL_NOWAIT, &message) < 1)
				break;
		hl_tap_close(tap);
	}
	hl_inspect_close(inspect);
}

/* Open it and do a little of everything. Returns what opening did. */
static int use_ring(void)
{
	const struct hl_group_attr attr = support_group("g", HL_GROUP_SHARED);
	const struct iovec field = { path, 10 };
	struct hl_producer *producer;
	struct hl_consumer *consumer;
	struct hl_batch batch;
	struct hl_message m;
	struct hl_ring *ring;
	int ret;

	ret = hl_ring_open(name, 0, &ring, NULL);
	if (ret < 0)
		return ret;
	support_fill(&m, sizeof(m), 1);
	if (hl_producer_join(ring, NULL, &producer, NULL) == 0) {
		(void)!hl_producer_sendv(producer, &m, sizeof(m), &field, 1,
					 HL_NOWAIT);
		hl_producer_leave(producer);
	}
	if (hl_consumer_join(ring, &attr, NULL, &consumer, NULL) == 0) {
		if (hl_consumer_take(consumer, CAPACITY, HL_NOWAIT, &batch) >
		    0) {
			struct hl_payload payload;
			const void *taken;

			while ((taken = hl_batch_next(&batch)))
				(void)!hl_batch_payload(&batch, taken,
							&payload);
			hl_consumer_done(consumer);
		}
		hl_consumer_leave(consumer);
	}
	hl_ring_close(ring);
	return 0;
}

static void write_at(off_t at, const void *bytes, size_t n)
{
	ck_assert_int_eq(pwrite(file, bytes, n, at), (ssize_t)n);
}

START_TEST(each_fixed_word_is_checked_at_open)
{
	unsigned char before[FIXED_BYTES];
	unsigned refused = 0;

	make_ring();
	ck_assert_int_eq(pread(file, before, sizeof(before), 0),
			 sizeof(before));
	for (off_t at = 0; at < FIXED_BYTES; at += 4) {
		uint32_t values[] = {
			0, 1, 12345, UINT32_MAX - 1, UINT32_MAX, 0
		};
		uint32_t word;

		memcpy(&word, before + at, sizeof(word));
		values[COUNT_OF(values) - 1] = word + 1;
		for (size_t i = 0; i < COUNT_OF(values); i++) {
			if (values[i] == word)
				continue;
			write_at(at, &values[i], sizeof(values[i]));
			refused += use_ring() < 0;
			use_inspect();
			write_at(at, &word, sizeof(word));
		}
	}
	/* Most words are counts and sizes, which follow from one another. */
	ck_assert_uint_gt(refused, 100);
	ck_assert_int_eq(use_ring(), 0);
}
END_TEST

START_TEST(magic_version_and_byte_order_have_errors_of_their_own)
{
	const uint32_t changed = 0x04030201;
	uint32_t word;

	make_ring();
	ck_assert_int_eq(pread(file, &word, 4, 0), 4);
	write_at(0, &changed, 4);
	ck_assert_int_eq(use_ring(), -EBADMSG);
	write_at(0, &word, 4);
	for (off_t at = 8; at <= 16; at += 4) {
		struct hl_error err = { 0 };
		struct hl_ring *ring;

		ck_assert_int_eq(pread(file, &word, 4, at), 4);
		write_at(at, &changed, 4);
		ck_assert_int_eq(hl_ring_open(name, 0, &ring, &err),
				 -EPROTONOSUPPORT);
		ck_assert_ptr_nonnull(strstr(err.text, name));
		write_at(at, &word, 4);
	}
}
END_TEST

START_TEST(random_damage_never_crashes_or_hangs)
{
	static unsigned char before[MANGLED_BYTES];
	const int rounds = support_long() ? 100000 : 2000;
	uint64_t state = support_seed();

	make_ring();
	ck_assert_int_eq(pread(file, before, sizeof(before), 0),
			 sizeof(before));
	for (int round = 0; round < rounds; round++) {
		const int n = 1 + (int)(support_random(&state) % 8);

		for (int i = 0; i < n; i++) {
			const off_t at = (off_t)(support_random(&state) %
						 sizeof(before));
			const unsigned char byte =
				(unsigned char)support_random(&state);

			write_at(at, &byte, 1);
		}
		use_ring();
		use_inspect();
		write_at(0, before, sizeof(before));
	}
}
END_TEST

/* What all who race for a name have to agree on. */
struct race {
	char name[64];
	_Atomic int go;
	_Atomic int ncreated;
};

static void open_or_create(struct helper *self)
{
	struct race *race = (struct race *)self->arg;
	struct hl_ring *ring;
	struct stat st;

	helper_step(self, 1);
	while (!atomic_load(&race->go))
		;
	if (!EXPECT(self,
		    hl_ring_open_or_create(race->name, NULL, &ring, NULL) == 0))
		return;
	EXPECT(self, fstat(hl_ring_fd(ring), &st) == 0);
	atomic_store(&self->counts[0], st.st_ino);
	EXPECT(self, hl_ring_close(ring) == 0);
}

static void create_only(struct helper *self)
{
	struct race *race = (struct race *)self->arg;
	struct hl_ring *ring;
	int ret;

	helper_step(self, 1);
	while (!atomic_load(&race->go))
		;
	ret = hl_ring_create(race->name, NULL, &ring, NULL);
	EXPECT(self, ret == 0 || ret == -EEXIST);
	if (ret == 0)
		atomic_fetch_add(&race->ncreated, 1);
}

static void run_race(struct race *race, struct helper *helpers[8],
		     void (*run)(struct helper *))
{
	snprintf(race->name, sizeof(race->name), "%s", support_name());
	atomic_store(&race->go, 0);
	for (int i = 0; i < 8; i++) {
		helpers[i] = support_fork(run, race);
		support_await(helpers[i], 1);
	}
	atomic_store(&race->go, 1);
	for (int i = 0; i < 8; i++)
		support_join(helpers[i]);
}

START_TEST(all_who_open_or_create_at_once_get_the_same_ring)
{
	struct race *race = (struct race *)support_shared(sizeof(*race));
	struct helper *helpers[8];

	for (int round = 0; round < 10; round++) {
		run_race(race, helpers, open_or_create);
		for (int i = 1; i < 8; i++)
			ck_assert_uint_eq(helpers[i]->counts[0],
					  helpers[0]->counts[0]);
	}
}
END_TEST

START_TEST(one_of_many_creators_wins)
{
	struct race *race = (struct race *)support_shared(sizeof(*race));
	struct helper *helpers[8];

	for (int round = 1; round <= 10; round++) {
		run_race(race, helpers, create_only);
		ck_assert_int_eq(race->ncreated, round);
	}
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		each_fixed_word_is_checked_at_open,
		magic_version_and_byte_order_have_errors_of_their_own,
		random_damage_never_crashes_or_hangs,
		all_who_open_or_create_at_once_get_the_same_ring,
		one_of_many_creators_wins,
	};
	TCase *tcase = support_begin("header");

	support_add(tcase, tests, COUNT_OF(tests));
	return support_end();
}
