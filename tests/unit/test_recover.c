/* SPDX-License-Identifier: MIT */
/*
 * test_recover.c - what is done for the dead, and blocks of the arena
 */
#include "config.h"

#include "core_ring.h"

#include <errno.h>

#include <hotline/message.h>

#include "tests/support/support.h"

static struct core_ring ring;
static struct hli_claimer a, b;
static uint32_t voids;

static void set_up(void)
{
	struct hl_ring_attr attr = core_ring_attr();

	attr.arena_bytes = 4 * 1024;
	core_ring_init(&ring, &attr);
	core_producer(&ring, 0, &a);
	core_producer(&ring, 1, &b);
}

static void tear_down(void)
{
	core_ring_fini(&ring);
}

static uint64_t stamp_of(uint64_t position)
{
	return hli_load_rlx(hli_stamp(&ring.view, position));
}

static void kill_producer(uint32_t record)
{
	core_die(&ring, record);
}

START_TEST(dead_producers_positions_become_void)
{
	ck_assert_int_eq(hli_claim(&a, 3), 3);
	hli_settle_one(&a, 2, false);
	kill_producer(0);
	ck_assert_int_eq(hli_settle(&ring.view, 0, &voids), 1);
	ck_assert_uint_eq(stamp_of(1), 1 | HL_SEQUENCE_VOID);
	ck_assert_uint_eq(stamp_of(2), 2);
	ck_assert_uint_eq(stamp_of(3), 3 | HL_SEQUENCE_VOID);
	ck_assert_uint_eq(hli_load_rlx(&ring.view.header->voided), 2);
}
END_TEST

START_TEST(position_that_a_live_producer_covers_is_left_alone)
{
	/* The dead one's range is of a claim that it lost to b. */
	hli_range_set(a.record, 1, 3);
	ck_assert_int_eq(hli_claim(&b, 2), 2);
	kill_producer(0);
	ck_assert_int_eq(hli_settle(&ring.view, 0, &voids), 0);
	ck_assert_uint_eq(stamp_of(1), 0);
	hli_publish(&b);
	ck_assert_int_eq(hli_settle(&ring.view, 0, &voids), 1);
	ck_assert_uint_eq(stamp_of(1), 1);
}
END_TEST

START_TEST(newer_stamp_is_never_made_void)
{
	ck_assert_int_eq(core_send(&a, 4), 4);
	ck_assert_int_eq(core_send(&b, 2), 2); /* 5, 6 in the slots of 1, 2 */
	hli_range_set(a.record, 1, 3);
	kill_producer(0);
	ck_assert_int_eq(hli_settle(&ring.view, 0, &voids), 1);
	ck_assert_uint_eq(stamp_of(5), 5);
	ck_assert_uint_eq(stamp_of(6), 6);
}
END_TEST

START_TEST(position_not_yet_claimed_is_not_settled)
{
	hli_range_set(a.record, 1, 3); /* died before the head */
	kill_producer(0);
	ck_assert_int_eq(hli_settle(&ring.view, 0, &voids), 1);
	ck_assert_uint_eq(stamp_of(1), 0);
	ck_assert_int_eq(core_send(&b, 1), 1);
	ck_assert_uint_eq(stamp_of(1), 1);
}
END_TEST

START_TEST(range_wider_than_the_ring_is_damage)
{
	hli_range_set(a.record, 1, 100);
	kill_producer(0);
	ck_assert_int_eq(hli_settle(&ring.view, 0, &voids), -EBADMSG);
}
END_TEST

/* Two members of a shared group; the first takes n and dies. */
static void die_with(struct hli_taker *dead, struct hli_taker *heir, uint64_t n)
{
	const uint32_t g = core_group(&ring, "g", HL_GROUP_SHARED);

	core_consumer(&ring, 0, g, dead);
	core_consumer(&ring, 1, g, heir);
	ck_assert_int_eq(core_send(&a, 4), 4);
	ck_assert_int_eq(hli_take(dead, n, NULL), (int)n);
	core_die(&ring, 2);
	heir->adopted = 2;
}

START_TEST(adopter_gets_what_was_not_finished_marked)
{
	struct hli_taker dead, heir;
	uint64_t from, to;

	die_with(&dead, &heir, 3);
	hli_done(&dead, 2); /* as if just before its death */
	ck_assert_int_eq(hli_adopt(&heir, 4), 2);
	ck_assert_uint_eq(heir.run.from, 2);
	ck_assert_uint_eq(heir.run.redelivered_below, 4);
	ck_assert_uint_eq(heir.run.attempt, 1);
	hli_done(&heir, 4);
	ck_assert_int_eq(hli_adopt(&heir, 4), 0);
	ck_assert(!hli_range_get(&ring.view.records[2], &from, &to));
}
END_TEST

START_TEST(adopted_range_holds_low_until_it_is_worked_off)
{
	struct hli_taker dead, heir;

	die_with(&dead, &heir, 2);
	ck_assert_uint_eq(hli_low_scan(&ring.view), 1);
	ck_assert_int_eq(hli_adopt(&heir, 1), 1);
	ck_assert_uint_eq(hli_low_scan(&ring.view), 1);
	hli_done(&heir, 2);
	ck_assert_uint_eq(hli_low_scan(&ring.view), 2);
}
END_TEST

START_TEST(attempts_count_deaths_at_the_same_position)
{
	struct hli_taker dead, heir;

	die_with(&dead, &heir, 2);
	ck_assert_int_eq(hli_adopt(&heir, 2), 2);
	ck_assert_uint_eq(heir.run.attempt, 1);
	ck_assert_int_eq(hli_adopt(&heir, 2), 1); /* the next heir */
	ck_assert_uint_eq(heir.run.attempt, 2);
	hli_done(&heir, 2);
	ck_assert_int_eq(hli_adopt(&heir, 2), 1);
	ck_assert_uint_eq(heir.run.attempt, 1);
}
END_TEST

START_TEST(range_from_an_old_tail_is_not_handed_out_below_acted)
{
	struct hli_taker dead, heir;

	die_with(&dead, &heir, 2);
	hli_done(&dead, dead.run.to);
	ck_assert_int_eq(hli_take(&heir, 4, NULL), 2);
	hli_done(&heir, heir.run.to);
	hli_low_raise(&ring.view, UINT64_MAX); /* acts on 5 */
	hli_range_set(&ring.view.records[2], 1, 3);
	ck_assert_int_eq(hli_adopt(&heir, 4), 0);
}
END_TEST

/* Lines of the file that producer x gets for n payloads of 1000 bytes. */
static uint32_t payload(struct hli_claimer *x)
{
	return hli_lease_alloc(&ring.view, x->index, &x->lease, &x->low, 1000);
}

START_TEST(block_is_sealed_only_after_the_publish)
{
	const uint32_t first = payload(&a);
	const uint32_t second = payload(&a);

	ck_assert_uint_ne(first, 0);
	ck_assert_uint_ne(second, first);
	ck_assert_uint_eq(hli_load_rlx(&ring.view.blocks[0].owner), 1);
	ck_assert_int_eq(hli_claim(&a, 2), 2);
	hli_publish(&a);
	ck_assert(hli_lease_published(&ring.view, &a.lease, 2));
	ck_assert_uint_eq(hli_load_rlx(&ring.view.blocks[0].owner), 0);
	ck_assert_uint_eq(hli_load_rlx(&ring.view.blocks[0].last_position), 2);
}
END_TEST

START_TEST(block_is_not_leased_while_a_group_needs_it)
{
	struct hli_taker taker;
	int i;

	core_consumer(&ring, 0, core_group(&ring, "g", HL_GROUP_EXCLUSIVE),
		      &taker);
	for (i = 0; i < 4; i++) {
		ck_assert_uint_ne(payload(&a), 0);
		ck_assert_int_eq(core_send(&a, 1), 1);
		hli_lease_published(&ring.view, &a.lease, a.first);
	}
	ck_assert_uint_eq(payload(&a), 0);
	ck_assert_int_eq(hli_take(&taker, 1, NULL), 1);
	hli_done(&taker, taker.run.to);
	ck_assert_uint_ne(payload(&a), 0);
}
END_TEST

START_TEST(dead_producers_blocks_are_free_again)
{
	struct hli_taker taker;

	core_consumer(&ring, 0, core_group(&ring, "g", HL_GROUP_EXCLUSIVE),
		      &taker);
	ck_assert_uint_ne(payload(&a), 0);
	ck_assert_uint_ne(payload(&a), 0);
	ck_assert_int_eq(hli_claim(&a, 1), 1);
	kill_producer(0);
	ck_assert_int_eq(hli_settle(&ring.view, 0, &voids), 1);
	ck_assert_uint_eq(hli_load_rlx(&ring.view.blocks[0].owner), 0);
	ck_assert_uint_eq(hli_load_rlx(&ring.view.blocks[1].owner), 0);
	ck_assert_uint_eq(hli_load_rlx(&ring.view.blocks[1].last_position), 1);
	ck_assert_int_eq(core_drain(&taker), 0); /* one void, skipped */
	ck_assert_uint_ne(payload(&b), 0);
}
END_TEST

START_TEST(payload_larger_than_a_block_never_fits)
{
	ck_assert_uint_eq(hli_lease_alloc(&ring.view, 0, &a.lease, &a.low,
					  ring.view.geo.block_stride + 1),
			  UINT32_MAX);
}
END_TEST

START_TEST(cancelled_payload_gives_its_room_back)
{
	const uint32_t first =
		hli_lease_alloc(&ring.view, 0, &a.lease, &a.low, 64);
	const uint32_t second =
		hli_lease_alloc(&ring.view, 0, &a.lease, &a.low, 64);

	hli_lease_cancel(&ring.view, &a.lease, second);
	ck_assert_uint_eq(hli_lease_alloc(&ring.view, 0, &a.lease, &a.low, 64),
			  second);
	ck_assert_uint_eq(second, first + 1);
}
END_TEST

START_TEST(only_the_last_payload_is_given_back)
{
	const uint32_t first =
		hli_lease_alloc(&ring.view, 0, &a.lease, &a.low, 64);
	const uint32_t second =
		hli_lease_alloc(&ring.view, 0, &a.lease, &a.low, 64);

	hli_lease_cancel(&ring.view, &a.lease, first);
	ck_assert_uint_eq(hli_lease_alloc(&ring.view, 0, &a.lease, &a.low, 64),
			  second + 1);
}
END_TEST

START_TEST(published_payload_is_not_given_back)
{
	const uint32_t line =
		hli_lease_alloc(&ring.view, 0, &a.lease, &a.low, 64);

	ck_assert_int_eq(core_send(&a, 1), 1);
	hli_lease_published(&ring.view, &a.lease, 1);
	hli_lease_cancel(&ring.view, &a.lease, line);
	ck_assert_uint_eq(hli_lease_alloc(&ring.view, 0, &a.lease, &a.low, 64),
			  line + 1);
}
END_TEST

START_TEST(nothing_is_open_after_the_only_payload_was_given_back)
{
	const uint32_t line =
		hli_lease_alloc(&ring.view, 0, &a.lease, &a.low, 64);

	ck_assert(hli_lease_open(&a.lease));
	hli_lease_cancel(&ring.view, &a.lease, line);
	ck_assert(!hli_lease_open(&a.lease));
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		dead_producers_positions_become_void,
		position_that_a_live_producer_covers_is_left_alone,
		newer_stamp_is_never_made_void,
		position_not_yet_claimed_is_not_settled,
		range_wider_than_the_ring_is_damage,
		adopter_gets_what_was_not_finished_marked,
		adopted_range_holds_low_until_it_is_worked_off,
		attempts_count_deaths_at_the_same_position,
		range_from_an_old_tail_is_not_handed_out_below_acted,
		block_is_sealed_only_after_the_publish,
		block_is_not_leased_while_a_group_needs_it,
		dead_producers_blocks_are_free_again,
		payload_larger_than_a_block_never_fits,
		cancelled_payload_gives_its_room_back,
		only_the_last_payload_is_given_back,
		published_payload_is_not_given_back,
		nothing_is_open_after_the_only_payload_was_given_back,
	};
	TCase *const tcase = support_begin("recover");

	tcase_add_checked_fixture(tcase, set_up, tear_down);
	support_add(tcase, tests, COUNT_OF(tests));
	return support_end();
}
