/* SPDX-License-Identifier: MIT */
/*
 * test_boot.c - a ring in a file that outlived a reboot
 *
 * A reboot is the header's boot id being another one, with nobody alive.
 */
#include "config.h"

#include "lib/handle.h"
#include "lib/join.h"

#include <errno.h>
#include <string.h>

#include "tests/support/rings.h"
#include "tests/support/support.h"

static struct hl_ring *ring;
static struct hl_group_attr group = HL_GROUP_ATTR_INIT;

/* A durable group, and 8 messages that nobody has taken. */
static void set_up(void)
{
	struct hl_ring_attr attr = HL_RING_ATTR_INIT;
	struct hl_producer *producer;
	struct hl_message message = { 0 };
	int i;

	attr.capacity = 8;
	attr.checksum = HL_CHECKSUM_HEADER;
	group.name = "g";
	group.durable = true;
	attr.groups = &group;
	attr.ngroups = 1;
	ck_assert_int_eq(hl_ring_create("boot", &attr, &ring, NULL), 0);
	ck_assert_int_eq(hl_producer_join(ring, NULL, &producer, NULL), 0);
	for (i = 0; i < 8; i++)
		ck_assert_int_eq(hl_producer_send(producer, &message,
						  sizeof(message), HL_NOWAIT),
				 1);
	hl_producer_leave(producer);
}

static void tear_down(void)
{
	ck_assert_int_eq(hl_ring_close(ring), 0);
	ck_assert_int_eq(hl_ring_unlink("boot", false, NULL), 0);
}

static void reboot(void)
{
	memset(ring->view.header->boot_id, 'x', 36);
}

static struct hl_consumer *join(void)
{
	struct hl_consumer *consumer;

	ck_assert_int_eq(hl_consumer_join(ring, &group, NULL, &consumer, NULL),
			 0);
	return consumer;
}

START_TEST(what_was_published_is_there_after_a_reboot)
{
	struct hl_consumer *consumer;
	struct hl_batch batch;

	reboot();
	consumer = join();
	ck_assert_int_eq(hl_consumer_take(consumer, 8, HL_NOWAIT, &batch), 8);
	hl_consumer_leave(consumer);
}
END_TEST

START_TEST(page_that_was_not_written_is_void_and_holds_nobody_up)
{
	struct hl_consumer *consumer;
	struct hl_batch batch;

	hli_store_rlx(hli_stamp(&ring->view, 3), 0);
	reboot();
	consumer = join();
	ck_assert_int_eq(hl_consumer_take(consumer, 8, HL_NOWAIT, &batch), 7);
	ck_assert_uint_eq(hli_load_rlx(&ring->view.header->voided), 1);
	hl_consumer_leave(consumer);
}
END_TEST

START_TEST(half_written_message_is_told_by_its_checksum)
{
	struct hl_consumer *consumer;
	struct hl_batch batch;
	int bad = 0;

	hli_slot(&ring->view, 5)[40] = 'x';
	reboot();
	consumer = join();
	ck_assert_int_eq(hl_consumer_take(consumer, 8, HL_NOWAIT, &batch), 8);
	for (const void *m; (m = hl_batch_next(&batch));)
		bad += hl_batch_validate(&batch, m) == HL_BAD_CHECKSUM;
	ck_assert_int_eq(bad, 1);
	hl_consumer_leave(consumer);
}
END_TEST

START_TEST(first_to_join_notes_the_new_boot)
{
	char id[40];

	reboot();
	hl_consumer_leave(join());
	hli_read_boot_id(id);
	ck_assert_str_eq(ring->view.header->boot_id, id);
}
END_TEST

START_TEST(same_boot_changes_nothing)
{
	struct hl_consumer *consumer;
	struct hl_batch batch;

	hli_store_rlx(hli_stamp(&ring->view, 3), 0);
	consumer = join();
	ck_assert_int_eq(hl_consumer_take(consumer, 8, HL_NOWAIT, &batch), 2);
	hl_consumer_leave(consumer);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		what_was_published_is_there_after_a_reboot,
		page_that_was_not_written_is_void_and_holds_nobody_up,
		half_written_message_is_told_by_its_checksum,
		first_to_join_notes_the_new_boot,
		same_boot_changes_nothing,
	};
	TCase *const tcase = support_begin("boot");

	tcase_add_checked_fixture(tcase, set_up, tear_down);
	support_add(tcase, tests, COUNT_OF(tests));
	return support_end();
}
