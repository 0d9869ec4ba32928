/* SPDX-License-Identifier: MIT */
/*
 * test_pace.c - when a consumer stays away, and when it learns better
 */
#include "config.h"

#include "lib/pace.h"

#include "core_ring.h"
#include "tests/support/support.h"

#define STREAM 64 /* messages in a row without a long wait */

static struct core_ring ring;
static struct hli_claimer producer;
static struct hli_taker consumer;
static struct hli_pace pace;

static void begin(uint32_t capacity, enum hl_group_kind kind)
{
	struct hl_ring_attr attr = core_ring_attr();

	attr.capacity = capacity;
	core_ring_init(&ring, &attr);
	core_producer(&ring, 0, &producer);
	core_consumer(&ring, 0, core_group(&ring, "g", kind), &consumer);
	pace = (struct hli_pace){ 0 };
	hli_pace_broken(&pace, &consumer);
}

static void pass(uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		ck_assert_int_eq(core_send(&producer, 1), 1);
		ck_assert_int_eq(core_drain(&consumer), 1);
	}
}

START_TEST(lone_messages_are_looked_for_at_once)
{
	begin(256, HL_GROUP_EXCLUSIVE);
	for (int i = 0; i < 10; i++) {
		pass(STREAM - 1);
		ck_assert(!hli_keep_distance(&pace, &consumer));
		hli_pace_broken(&pace, &consumer);
	}
	core_ring_fini(&ring);
}
END_TEST

START_TEST(stream_runs_ahead_each_time)
{
	const enum hl_group_kind kinds[] = { HL_GROUP_EXCLUSIVE,
					     HL_GROUP_SHARED };

	for (size_t i = 0; i < COUNT_OF(kinds); i++) {
		begin(256, kinds[i]);
		pass(STREAM);
		for (int k = 0; k < 5; k++) {
			ck_assert_int_eq(core_send(&producer, 32), 32);
			ck_assert(hli_keep_distance(&pace, &consumer));
			ck_assert_int_eq(core_drain(&consumer), 32);
		}
		core_ring_fini(&ring);
	}
}
END_TEST

/* Four times as many messages are wanted after each try that was for nothing. */
START_TEST(who_stayed_away_for_nothing_does_it_more_rarely)
{
	uint64_t want = STREAM;

	begin(256, HL_GROUP_EXCLUSIVE);
	for (int i = 0; i < 5; i++, want *= 4) {
		pass(want - 1);
		ck_assert(!hli_keep_distance(&pace, &consumer));
		pass(1);
		ck_assert_int_eq(core_send(&producer, 31), 31);
		ck_assert(hli_keep_distance(&pace, &consumer));
		ck_assert_uint_eq(pace.from, hli_take_position(&consumer));
		ck_assert_int_eq(core_drain(&consumer), 31);
		hli_pace_broken(&pace, &consumer);
	}
	core_ring_fini(&ring);
}
END_TEST

START_TEST(nobody_stays_away_in_small_rings_or_without_holding_them)
{
	begin(128, HL_GROUP_EXCLUSIVE);
	pass(4 * STREAM);
	ck_assert(!hli_keep_distance(&pace, &consumer));
	core_ring_fini(&ring);

	begin(256, HL_GROUP_LOSSY);
	ck_assert_int_eq(core_send(&producer, 2 * STREAM), 2 * STREAM);
	consumer.cursor += 2 * STREAM;
	ck_assert(!hli_keep_distance(&pace, &consumer));
	core_ring_fini(&ring);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		lone_messages_are_looked_for_at_once,
		stream_runs_ahead_each_time,
		who_stayed_away_for_nothing_does_it_more_rarely,
		nobody_stays_away_in_small_rings_or_without_holding_them,
	};
	TCase *const tcase = support_begin("pace");

	support_add(tcase, tests, COUNT_OF(tests));
	return support_end();
}
