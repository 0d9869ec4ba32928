/* SPDX-License-Identifier: MIT */
/*
 * test_core.c - claim, take and low, step by step in one thread
 */
#include "config.h"

#include "core_ring.h"

#include <errno.h>

#include <hotline/message.h>

#include "tests/support/support.h"

static struct core_ring ring;

static void set_up(void)
{
	const struct hl_ring_attr attr = core_ring_attr();

	core_ring_init(&ring, &attr);
}

static void tear_down(void)
{
	core_ring_fini(&ring);
}

START_TEST(claim_fails_when_low_is_held_back)
{
	struct hli_claimer claimer;

	core_group(&ring, "g", HL_GROUP_EXCLUSIVE);
	core_producer(&ring, 0, &claimer);
	ck_assert_int_eq(core_send(&claimer, 4), 4);
	ck_assert_int_eq(core_send(&claimer, 1), -EAGAIN);
}
END_TEST

START_TEST(claim_takes_what_is_free_when_less_than_asked)
{
	struct hli_claimer claimer;

	core_group(&ring, "g", HL_GROUP_EXCLUSIVE);
	core_producer(&ring, 0, &claimer);
	ck_assert_int_eq(core_send(&claimer, 3), 3);
	ck_assert_int_eq(core_send(&claimer, 3), 1);
}
END_TEST

START_TEST(claim_goes_on_as_soon_as_the_slowest_group_is_done)
{
	struct hli_claimer claimer;
	struct hli_taker slow, fast;

	core_consumer(&ring, 0, core_group(&ring, "s", HL_GROUP_SHARED), &slow);
	core_consumer(&ring, 1, core_group(&ring, "f", HL_GROUP_EXCLUSIVE),
		      &fast);
	core_producer(&ring, 0, &claimer);
	ck_assert_int_eq(core_send(&claimer, 4), 4);
	ck_assert_int_eq(core_drain(&fast), 4);
	ck_assert_int_eq(core_send(&claimer, 1), -EAGAIN);
	ck_assert_int_eq(core_drain(&slow), 4);
	ck_assert_int_eq(core_send(&claimer, 4), 4);
}
END_TEST

START_TEST(member_with_a_run_in_hand_holds_low_down)
{
	struct hli_claimer claimer;
	struct hli_taker a, b;
	const uint32_t g = core_group(&ring, "g", HL_GROUP_SHARED);

	core_consumer(&ring, 0, g, &a);
	core_consumer(&ring, 1, g, &b);
	core_producer(&ring, 0, &claimer);
	ck_assert_int_eq(core_send(&claimer, 4), 4);
	ck_assert_int_eq(hli_take(&a, 2, NULL), 2);
	ck_assert_int_eq(core_drain(&b), 2);
	ck_assert_uint_eq(hli_low_scan(&ring.view), 1);
	ck_assert_int_eq(core_send(&claimer, 1), -EAGAIN);
	hli_done(&a, 2); /* position 1 */
	ck_assert_int_eq(core_send(&claimer, 4), 1);
}
END_TEST

START_TEST(claim_waits_for_a_slow_producer_of_the_lap_before)
{
	struct hli_claimer slow, fast;
	struct hl_group_attr attr = HL_GROUP_ATTR_INIT;

	/* No group: low is head, and only the stamp tells. */
	core_producer(&ring, 0, &slow);
	core_producer(&ring, 1, &fast);
	ck_assert_int_eq(hli_claim(&slow, 1), 1);
	ck_assert_int_eq(core_send(&fast, 3), 3);
	attr.name = "newest";
	attr.start = HL_START_NEWEST;
	ck_assert_int_ge(hli_group_add(&ring.view, &attr, false, "test", NULL),
			 0);
	ck_assert_int_eq(core_send(&fast, 1), -EAGAIN);
	hli_publish(&slow);
	ck_assert_int_eq(core_send(&fast, 1), 1);
}
END_TEST

/* Its second slot was published alone, read, claimed and stamped again. */
START_TEST(claim_does_not_look_at_slots_that_a_group_has_passed)
{
	struct hli_claimer claimer;
	struct hli_taker taker;
	uint64_t p;

	core_consumer(&ring, 0, core_group(&ring, "g", HL_GROUP_EXCLUSIVE),
		      &taker);
	core_producer(&ring, 0, &claimer);
	ck_assert_int_eq(core_send(&claimer, 4), 4);
	ck_assert_int_eq(core_drain(&taker), 4);
	for (p = 1; p <= 4; p++)
		hli_store_rlx(hli_stamp(&ring.view, p), 0);
	ck_assert_int_eq(core_send(&claimer, 4), 4);
}
END_TEST

START_TEST(claim_looks_at_slots_that_a_group_never_had_before_it)
{
	struct hl_group_attr attr = HL_GROUP_ATTR_INIT;
	struct hli_claimer slow, fast;
	struct hli_taker taker;

	core_producer(&ring, 0, &slow);
	core_producer(&ring, 1, &fast);
	ck_assert_int_eq(hli_claim(&slow, 1), 1);
	attr.name = "late";
	attr.start = HL_START_NEWEST;
	core_consumer(&ring, 0,
		      (uint32_t)hli_group_add(&ring.view, &attr, true, "test",
					      NULL),
		      &taker);
	ck_assert_int_eq(core_send(&fast, 3), 3);
	ck_assert_int_eq(core_drain(&taker), 3);
	ck_assert_int_eq(core_send(&fast, 1), -EAGAIN);
	hli_publish(&slow);
	ck_assert_int_eq(core_send(&fast, 1), 1);
}
END_TEST

START_TEST(lossy_group_does_not_tell_what_is_settled)
{
	const uint32_t group = core_group(&ring, "l", HL_GROUP_LOSSY);

	/* As its bit may stand for a producer that is slow to read on. */
	hli_or_ar(&ring.view.header->active, UINT64_C(1) << group);
	hli_store_rlx(&ring.view.groups[group].next, 9);
	ck_assert_uint_eq(hli_groups_passed(&ring.view, 1, 9).to, 0);
}
END_TEST

START_TEST(slot_settled_alone_is_not_stamped_again)
{
	struct hl_ring_attr attr = core_ring_attr();
	struct hli_claimer a, b;
	struct hli_taker taker;
	struct core_ring tiny;

	attr.capacity = 2;
	core_ring_init(&tiny, &attr);
	core_producer(&tiny, 0, &a);
	core_producer(&tiny, 1, &b);
	core_consumer(&tiny, 0, core_group(&tiny, "g", HL_GROUP_EXCLUSIVE),
		      &taker);
	ck_assert_int_eq(hli_claim(&a, 2), 2);
	ck_assert(hli_settle_one(&a, 1, false));
	ck_assert_int_eq(hli_take(&taker, 2, NULL), 1);
	hli_done(&taker, taker.run.to);
	ck_assert_int_eq(core_send(&b, 1), 1); /* 3, in the slot of 1 */
	hli_publish(&a);
	ck_assert_uint_eq(hli_load_rlx(hli_stamp(&tiny.view, 3)), 3);
	ck_assert_int_eq(core_drain(&taker), 2);
	core_ring_fini(&tiny);
}
END_TEST

START_TEST(failed_claim_leaves_an_empty_range)
{
	struct hli_claimer claimer;
	uint64_t from, to;

	core_group(&ring, "g", HL_GROUP_EXCLUSIVE);
	core_producer(&ring, 0, &claimer);
	ck_assert_int_eq(core_send(&claimer, 4), 4);
	ck_assert(hli_range_get(claimer.record, &from, &to));
	ck_assert_int_eq(hli_claim(&claimer, 1), -EAGAIN);
	ck_assert(!hli_range_get(claimer.record, &from, &to));
}
END_TEST

START_TEST(claimed_positions_are_covered_until_published)
{
	struct hli_claimer claimer;
	uint64_t from, to;

	core_producer(&ring, 0, &claimer);
	ck_assert_int_eq(hli_claim(&claimer, 3), 3);
	ck_assert(hli_range_get(claimer.record, &from, &to));
	ck_assert_uint_eq(from, 1);
	ck_assert_uint_eq(to, 4);
	hli_publish(&claimer);
}
END_TEST

START_TEST(claim_of_a_participant_declared_dead_is_refused)
{
	struct hli_claimer claimer;
	struct hli_taker taker;

	core_consumer(&ring, 0, core_group(&ring, "g", HL_GROUP_SHARED),
		      &taker);
	core_producer(&ring, 0, &claimer);
	core_die(&ring, 0);
	core_die(&ring, 2);
	ck_assert_int_eq(hli_claim(&claimer, 1), -EIDRM);
	ck_assert_int_eq(hli_take(&taker, 1, NULL), -EIDRM);
}
END_TEST

START_TEST(next_tenure_of_a_record_is_not_taken_for_ours)
{
	struct hli_claimer old, new;

	core_producer(&ring, 0, &old);
	core_die(&ring, 0);
	hli_record_free(&ring.view, 0);
	core_producer(&ring, 0, &new);
	ck_assert_int_eq(hli_claim(&old, 1), -EIDRM);
	ck_assert(!hli_record_ours(old.record, old.tenure));
	ck_assert_int_eq(core_send(&new, 1), 1);
}
END_TEST

START_TEST(claim_after_the_finish_is_refused)
{
	struct hli_claimer claimer;

	core_producer(&ring, 0, &claimer);
	hli_finish(&ring.view);
	ck_assert_int_eq(hli_claim(&claimer, 1), -EPIPE);
}
END_TEST

START_TEST(ring_whose_finisher_died_on_the_way_is_not_at_its_end)
{
	struct hli_claimer claimer;
	struct hli_taker taker;

	core_producer(&ring, 0, &claimer);
	core_consumer(&ring, 0, core_group(&ring, "g", HL_GROUP_EXCLUSIVE),
		      &taker);
	hli_store_rlx(&ring.view.header->finishing, 1);
	ck_assert(!hli_drained(&taker));
	ck_assert_int_eq(core_send(&claimer, 1), 1);
	ck_assert_int_eq(core_drain(&taker), 1);
	hli_finish(&ring.view);
	ck_assert(hli_drained(&taker));
}
END_TEST

START_TEST(last_positions_can_be_claimed_and_no_more)
{
	struct hl_ring_attr attr = core_ring_attr();
	struct core_ring late;
	struct hli_claimer claimer;

	attr.start_position = HLI_POSITION_END - 3;
	core_ring_init(&late, &attr);
	core_producer(&late, 0, &claimer);
	ck_assert_int_eq(core_send(&claimer, 4), 3);
	ck_assert_int_eq(core_send(&claimer, 1), -EOVERFLOW);
	core_ring_fini(&late);
}
END_TEST

START_TEST(take_skips_void_positions_and_finishes_them)
{
	struct hli_claimer claimer;
	struct hli_taker taker;

	core_consumer(&ring, 0, core_group(&ring, "g", HL_GROUP_EXCLUSIVE),
		      &taker);
	core_producer(&ring, 0, &claimer);
	ck_assert_int_eq(hli_claim(&claimer, 2), 2);
	hli_abandon(&claimer);
	ck_assert_int_eq(hli_take(&taker, 4, NULL), -EAGAIN);
	ck_assert_uint_eq(taker.cursor, 3);
	ck_assert_uint_eq(hli_load_rlx(&taker.record->voids), 2);
	ck_assert_uint_eq(hli_load_rlx(&taker.record->messages), 0);
}
END_TEST

START_TEST(take_stops_at_the_first_unpublished_position)
{
	struct hli_claimer slow, fast;
	struct hli_taker taker;

	core_consumer(&ring, 0, core_group(&ring, "g", HL_GROUP_SHARED),
		      &taker);
	core_producer(&ring, 0, &slow);
	core_producer(&ring, 1, &fast);
	ck_assert_int_eq(core_send(&fast, 1), 1);
	ck_assert_int_eq(hli_claim(&slow, 1), 1);
	ck_assert_int_eq(core_send(&fast, 1), 1);
	ck_assert_int_eq(hli_take(&taker, 4, NULL), 1);
	hli_done(&taker, taker.run.to);
	ck_assert_int_eq(hli_take(&taker, 4, NULL), -EAGAIN);
	hli_publish(&slow);
	ck_assert_int_eq(hli_take(&taker, 4, NULL), 2);
}
END_TEST

START_TEST(successor_of_an_exclusive_consumer_gets_its_run_marked)
{
	struct hli_claimer claimer;
	struct hli_taker first, second;
	const uint32_t g = core_group(&ring, "g", HL_GROUP_EXCLUSIVE);

	core_producer(&ring, 0, &claimer);
	core_consumer(&ring, 0, g, &first);
	ck_assert_int_eq(core_send(&claimer, 4), 4);
	ck_assert_int_eq(hli_take(&first, 3, NULL), 3);
	hli_done(&first, 2); /* one of the three */
	core_die(&ring, 2);
	core_consumer(&ring, 1, g, &second);
	ck_assert_int_eq(hli_take(&second, 4, NULL), 3);
	ck_assert_uint_eq(second.run.from, 2);
	ck_assert_uint_eq(second.run.redelivered_below, 4);
	ck_assert_uint_eq(second.run.attempt, 1);
}
END_TEST

START_TEST(lossy_reader_counts_exactly_what_it_missed)
{
	_Alignas(64) unsigned char copies[4 * 64];
	struct hli_claimer claimer;
	struct hli_taker taker;
	int i;

	core_consumer(&ring, 0, core_group(&ring, "l", HL_GROUP_LOSSY), &taker);
	core_producer(&ring, 0, &claimer);
	for (i = 0; i < 11; i++)
		ck_assert_int_eq(core_send(&claimer, 1), 1);
	ck_assert_int_eq(hli_take(&taker, 4, copies), 4);
	ck_assert_uint_eq(taker.run.lost, 7);
	ck_assert_uint_eq(taker.run.from, 8);
}
END_TEST

START_TEST(lossy_reader_refuses_a_slot_that_was_claimed_again)
{
	_Alignas(64) unsigned char copy[64];
	struct hli_claimer claimer;

	core_producer(&ring, 0, &claimer);
	ck_assert_int_eq(core_send(&claimer, 4), 4);
	ck_assert_int_eq(hli_read_lossy(&ring.view, 1, copy), 1);
	ck_assert_int_eq(hli_claim(&claimer, 1), 1);
	/* The stamp still says 1, but the body may be going. */
	ck_assert_int_eq(hli_read_lossy(&ring.view, 1, copy), -ESTALE);
	hli_publish(&claimer);
}
END_TEST

START_TEST(group_at_the_oldest_starts_where_nothing_was_overwritten)
{
	struct hli_claimer claimer;
	struct hli_taker taker;
	uint64_t first;
	int i;

	core_producer(&ring, 0, &claimer);
	for (i = 0; i < 9; i++)
		ck_assert_int_eq(core_send(&claimer, 1), 1);
	core_consumer(&ring, 0, core_group(&ring, "g", HL_GROUP_EXCLUSIVE),
		      &taker);
	first = taker.cursor;
	ck_assert_uint_ge(first, 10 - 4);
	ck_assert_uint_lt(first, 10);
	ck_assert_int_eq(core_drain(&taker), (int)(10 - first));
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		claim_fails_when_low_is_held_back,
		claim_takes_what_is_free_when_less_than_asked,
		claim_goes_on_as_soon_as_the_slowest_group_is_done,
		member_with_a_run_in_hand_holds_low_down,
		claim_waits_for_a_slow_producer_of_the_lap_before,
		claim_does_not_look_at_slots_that_a_group_has_passed,
		claim_looks_at_slots_that_a_group_never_had_before_it,
		lossy_group_does_not_tell_what_is_settled,
		slot_settled_alone_is_not_stamped_again,
		failed_claim_leaves_an_empty_range,
		claimed_positions_are_covered_until_published,
		claim_of_a_participant_declared_dead_is_refused,
		next_tenure_of_a_record_is_not_taken_for_ours,
		claim_after_the_finish_is_refused,
		ring_whose_finisher_died_on_the_way_is_not_at_its_end,
		last_positions_can_be_claimed_and_no_more,
		take_skips_void_positions_and_finishes_them,
		take_stops_at_the_first_unpublished_position,
		successor_of_an_exclusive_consumer_gets_its_run_marked,
		lossy_reader_counts_exactly_what_it_missed,
		lossy_reader_refuses_a_slot_that_was_claimed_again,
		group_at_the_oldest_starts_where_nothing_was_overwritten,
	};
	TCase *const tcase = support_begin("core");

	tcase_add_checked_fixture(tcase, set_up, tear_down);
	support_add(tcase, tests, COUNT_OF(tests));
	return support_end();
}
