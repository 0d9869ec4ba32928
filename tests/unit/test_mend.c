/* SPDX-License-Identifier: MIT */
/*
 * test_mend.c - a ring whose pages are of different ages works again
 */
#include "config.h"

#include "core_ring.h"
#include "lib/mend.h"

#include <errno.h>

#include <hotline/message.h>

#include "tests/support/support.h"

static struct core_ring ring;
static struct hli_claimer producer;
static uint32_t group;

/* Ten messages sent and finished: positions 7 to 10 stand in the slots. */
static void set_up(void)
{
	struct hl_ring_attr attr = core_ring_attr();
	struct hli_taker taker;
	int i;

	attr.arena_bytes = 4 * 1024;
	core_ring_init(&ring, &attr);
	group = core_group(&ring, "g", HL_GROUP_EXCLUSIVE);
	core_producer(&ring, 0, &producer);
	core_consumer(&ring, 0, group, &taker);
	for (i = 0; i < 10; i++) {
		ck_assert_int_eq(core_send(&producer, 1), 1);
		ck_assert_int_eq(core_drain(&taker), 1);
	}
	hli_range_empty(producer.record);
	hli_record_free(&ring.view, 0);
	hli_record_free(&ring.view, taker.record - ring.view.records);
}

static void tear_down(void)
{
	core_ring_fini(&ring);
}

static struct hli_header *header(void)
{
	return ring.view.header;
}

/* A new producer and a new consumer get along. */
static int works_and_delivers(void)
{
	struct hli_taker taker;
	int n;

	core_consumer(&ring, 1, group, &taker);
	core_producer(&ring, 1, &producer);
	n = core_drain(&taker);
	ck_assert_int_eq(core_send(&producer, 4), 4);
	ck_assert_int_eq(core_drain(&taker), 4);
	return n;
}

START_TEST(sound_ring_is_left_as_it_is)
{
	ck_assert_int_eq(hli_mend(&ring.view), 0);
	ck_assert_int_eq(works_and_delivers(), 0);
}
END_TEST

START_TEST(head_of_an_older_page_is_raised_to_the_stamps)
{
	hli_store_rlx(&header()->head, 9);
	hli_store_rlx(&ring.view.groups[group].next, 9);
	ck_assert_int_ge(hli_mend(&ring.view), 1);
	ck_assert_uint_eq(hli_load_rlx(&header()->head), 11);
	ck_assert_int_eq(works_and_delivers(), 2);
}
END_TEST

START_TEST(end_that_an_older_page_does_not_know_is_found)
{
	struct hli_taker taker;

	hli_finish(&ring.view);
	hli_store_rlx(&header()->finishing, 0);
	ck_assert_int_eq(hli_mend(&ring.view), 1);
	core_consumer(&ring, 1, group, &taker);
	ck_assert(hli_drained(&taker));
}
END_TEST

START_TEST(slot_of_an_older_page_becomes_void)
{
	hli_store_rlx(hli_stamp(&ring.view, 9), 5);
	hli_store_rlx(&ring.view.groups[group].next, 8);
	ck_assert_int_eq(hli_mend(&ring.view), 1);
	ck_assert_uint_eq(hli_load_rlx(hli_stamp(&ring.view, 9)),
			  9 | HL_SEQUENCE_VOID);
	ck_assert_int_eq(works_and_delivers(), 3); /* the void one among them */
}
END_TEST

START_TEST(cursor_that_was_overtaken_is_moved_and_the_loss_counted)
{
	hli_store_rlx(&ring.view.groups[group].next, 2);
	hli_store_rlx(&ring.view.groups[group].handed, 2);
	ck_assert_int_ge(hli_mend(&ring.view), 1);
	ck_assert_uint_eq(hli_load_rlx(&ring.view.groups[group].lost), 5);
	ck_assert_int_eq(works_and_delivers(), 4);
}
END_TEST

START_TEST(cursor_beyond_head_is_moved_back)
{
	hli_store_rlx(&ring.view.groups[group].next, 1000);
	ck_assert_int_ge(hli_mend(&ring.view), 1);
	ck_assert_int_eq(works_and_delivers(), 0);
}
END_TEST

START_TEST(block_of_a_position_to_come_can_be_leased_again)
{
	hli_store_rlx(&ring.view.blocks[0].last_position, 5000);
	hli_store_rlx(&ring.view.blocks[1].owner, 2);
	ck_assert_int_eq(hli_mend(&ring.view), 2);
	ck_assert_uint_eq(hli_load_rlx(&ring.view.blocks[0].last_position), 10);
	ck_assert_uint_eq(hli_load_rlx(&ring.view.blocks[1].owner), 0);
}
END_TEST

START_TEST(group_that_holds_nobody_back_does_so_again)
{
	hli_store_rlx(&header()->active, 0);
	ck_assert_int_eq(hli_mend(&ring.view), 1);
	ck_assert_uint_eq(hli_load_rlx(&header()->active), 1);
}
END_TEST

START_TEST(lossy_group_holds_nobody_back_again)
{
	const uint32_t lossy = core_group(&ring, "l", HL_GROUP_LOSSY);

	hli_or_ar(&header()->active, UINT64_C(1) << lossy);
	ck_assert_int_eq(hli_mend(&ring.view), 1);
	ck_assert_uint_eq(hli_load_rlx(&header()->active), 1);
}
END_TEST

START_TEST(range_that_makes_no_sense_is_given_up)
{
	hli_range_set(&ring.view.records[1], 5, 5000);
	hli_record_set(&ring.view.records[1], HLI_DEAD);
	ck_assert_int_eq(hli_mend(&ring.view), 1);
	ck_assert_int_eq(works_and_delivers(), 0);
}
END_TEST

START_TEST(any_garbage_in_the_words_is_mended)
{
	uint64_t seed = support_seed();
	_Atomic uint64_t *const words[] = {
		&header()->head,
		&header()->announced,
		&header()->acted,
		&ring.view.groups[group].next,
		&ring.view.groups[group].handed,
		hli_stamp(&ring.view, 1),
		hli_stamp(&ring.view, 2),
		hli_stamp(&ring.view, 3),
		hli_stamp(&ring.view, 4),
	};
	int i;

	for (i = 0; i < 3; i++)
		hli_store_rlx(words[support_random(&seed) % COUNT_OF(words)],
			      support_random(&seed) >>
				      (support_random(&seed) % 63 + 1));
	hli_and_ar(&header()->head, ~HLI_FINISHED);
	if (hli_load_rlx(&header()->head) > HLI_POSITION_END - 100)
		return;
	hli_mend(&ring.view);
	ck_assert_int_eq(hli_mend(&ring.view), 0);
	ck_assert_int_le(works_and_delivers(), 4);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		sound_ring_is_left_as_it_is,
		head_of_an_older_page_is_raised_to_the_stamps,
		end_that_an_older_page_does_not_know_is_found,
		slot_of_an_older_page_becomes_void,
		cursor_that_was_overtaken_is_moved_and_the_loss_counted,
		cursor_beyond_head_is_moved_back,
		block_of_a_position_to_come_can_be_leased_again,
		group_that_holds_nobody_back_does_so_again,
		lossy_group_holds_nobody_back_again,
		range_that_makes_no_sense_is_given_up,
	};
	TCase *const tcase = support_begin("mend");

	tcase_add_checked_fixture(tcase, set_up, tear_down);
	support_add(tcase, tests, COUNT_OF(tests));
	tcase_add_loop_test(tcase, any_garbage_in_the_words_is_mended, 0, 50);
	return support_end();
}
