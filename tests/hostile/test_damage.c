/* SPDX-License-Identifier: MIT */
/*
 * test_damage.c - words of the ring that a hostile writer set to what they
 * never are, at the worst moment
 *
 * Each is one word or two, written between two steps of the library where need
 * be (the hooked build). What test_garbage.c finds by chance stands here alone.
 */
#include "config.h"

#include <hotline/hotline.h>

#include <errno.h>
#include <string.h>

#include "lib/handle.h"
#include "tests/support/rings.h"

#define CAPACITY 8
#define SHORT_NS (20 * MS_NS)
#define ENOUGH 1000 /* turns that no honest call takes */

static struct hl_ring *ring;
static struct hli_view *view;
static uint64_t turns;

static struct hl_producer *make_ring(enum hl_producers producers)
{
	struct hl_ring_attr attr = HL_RING_ATTR_INIT;

	attr.capacity = CAPACITY;
	attr.producers = producers;
	attr.arena_bytes = 64 * 1024;
	ring = support_create(&attr);
	view = &ring->view;
	return support_produce(ring);
}

static void set_stamp(uint64_t position, uint64_t value)
{
	hli_store_rel(hli_stamp(view, position), value);
}

static void make_lossy(const char *step)
{
	if (strcmp(step, "join_filled") == 0)
		hli_store_rel(&view->groups[0].kind, HL_GROUP_LOSSY);
}

START_TEST(kind_that_changes_during_a_join_is_not_believed)
{
	struct hl_consumer *consumer;
	struct hl_batch batch;

	support_send(make_ring(HL_PRODUCERS_SHARED), 1, 3);
	hli_hook_fn = make_lossy;
	consumer = support_consume(ring, "g", HL_GROUP_EXCLUSIVE);
	hli_hook_fn = NULL;
	ck_assert_int_eq(hl_consumer_take(consumer, 3, HL_NOWAIT, &batch), 3);
	ck_assert_uint_eq(support_number(hl_batch_next(&batch)), 1);
}
END_TEST

static void make_lossy_later(const char *step)
{
	if (strcmp(step, "join_locked") == 0)
		hli_store_rel(&view->groups[0].kind, HL_GROUP_LOSSY);
}

static void leave_range(uint32_t record);

/* All places are a dead member's of the durable group that is joined. */
START_TEST(kind_that_changes_during_a_join_makes_nobody_an_heir)
{
	struct hl_group_attr group = support_group("g", HL_GROUP_SHARED);
	struct hl_ring_attr attr = HL_RING_ATTR_INIT;
	struct hl_consumer *consumer;
	struct hl_batch batch;

	group.durable = true;
	attr.capacity = CAPACITY;
	attr.max_consumers = 1;
	attr.groups = &group;
	attr.ngroups = 1;
	ring = support_create(&attr);
	view = &ring->view;
	support_send(support_produce(ring), 1, 3);
	leave_range(view->geo.max_producers);
	hli_hook_fn = make_lossy_later;
	consumer = support_consume(ring, "g", HL_GROUP_LOSSY);
	hli_hook_fn = NULL;
	ck_assert_uint_eq(consumer->taker.kind, HL_GROUP_LOSSY);
	ck_assert_uint_eq(consumer->member.adopted, HLI_NO_RECORD);
	ck_assert_int_eq(hl_consumer_take(consumer, 3, HL_NOWAIT, &batch), 2);
	ck_assert_uint_eq(support_number(hl_batch_next(&batch)), 2);
}
END_TEST

/* As fast as they are finished, the next position is made void. */
static void void_the_next(const char *step)
{
	if (strcmp(step, "done_released") == 0 && ++turns < ENOUGH) {
		const uint64_t next = hli_load_acq(&view->groups[0].next);

		set_stamp(next, next | HL_SEQUENCE_VOID);
	}
}

static void take_voids(enum hl_group_kind kind)
{
	struct hl_consumer *consumer;
	struct hl_batch batch;

	make_ring(HL_PRODUCERS_SHARED);
	consumer = support_consume(ring, "g", kind);
	turns = 0;
	set_stamp(1, 1 | HL_SEQUENCE_VOID);
	hli_hook_fn = void_the_next;
	ck_assert_int_eq(hl_consumer_take(consumer, 3, HL_NOWAIT, &batch),
			 -EAGAIN);
	hli_hook_fn = NULL;
	ck_assert_uint_lt(turns, ENOUGH);
}

START_TEST(void_positions_without_end_do_not_keep_an_exclusive_take)
{
	take_voids(HL_GROUP_EXCLUSIVE);
}
END_TEST

START_TEST(void_positions_without_end_do_not_keep_a_shared_take)
{
	take_voids(HL_GROUP_SHARED);
}
END_TEST

/* The slot was used again while the group still needed it. */
static void take_overrun(enum hl_group_kind kind, uint64_t stamp)
{
	struct hl_consumer *consumer;
	struct hl_batch batch;
	uint64_t p;

	make_ring(HL_PRODUCERS_SHARED);
	consumer = support_consume(ring, "g", kind);
	for (p = 1; p <= CAPACITY; p++)
		set_stamp(p, stamp);
	ck_assert_int_eq(hl_consumer_take(consumer, 3, HL_NOWAIT, &batch),
			 -EBADMSG);
	ck_assert_int_eq(hl_consumer_take(consumer, 3, SHORT_NS, &batch),
			 -EBADMSG);
}

START_TEST(stamp_beyond_an_exclusive_cursor_is_damage)
{
	take_overrun(HL_GROUP_EXCLUSIVE, 1 + CAPACITY);
}
END_TEST

START_TEST(stamp_beyond_a_shared_tail_is_damage)
{
	take_overrun(HL_GROUP_SHARED, 1 + CAPACITY);
}
END_TEST

START_TEST(stamp_that_was_never_claimed_is_damage_to_lossy_readers)
{
	take_overrun(HL_GROUP_LOSSY, HL_POSITION_MAX);
}
END_TEST

/* The same shows, for a moment, when a range comes from an old tail. */
START_TEST(head_far_beyond_what_groups_need_leaves_no_room)
{
	struct hl_producer *const producer = make_ring(HL_PRODUCERS_SOLE);
	struct hl_claim claim;

	support_consume(ring, "g", HL_GROUP_EXCLUSIVE);
	support_send(producer, 1, 1);
	hli_store_rel(&view->header->head, 5 * CAPACITY);
	ck_assert_int_eq(hl_producer_claim(producer, 1, HL_NOWAIT, &claim),
			 -EAGAIN);
	ck_assert_int_eq(hl_producer_claim(producer, 1, SHORT_NS, &claim),
			 -ETIMEDOUT);
}
END_TEST

static void void_the_first(const char *step)
{
	if (strcmp(step, "adopt_from") == 0)
		set_stamp(1, 1 | HL_SEQUENCE_VOID);
}

static int count_poison(const struct hl_batch *batch, const void *message,
			void *user)
{
	(void)batch;
	(void)user;
	turns += message ? 1 : ENOUGH;
	return 0;
}

/* A dead member of group 0 that has position 1 in hand, for the fourth time. */
static void leave_range(uint32_t record)
{
	struct hli_record *const r = &view->records[record];

	hli_store_rel(&r->group, 0);
	hli_store_rel(&r->from, 1);
	hli_store_rel(&r->to, 2);
	hli_store_rel(&r->attempt_position, 1);
	hli_store_rel(&r->attempts, 4);
	hli_store_rel(&view->groups[0].next, 2);
	hli_store_rel(&r->state, HLI_DEAD);
}

static void leave_poison(void)
{
	leave_range(view->geo.max_producers + 1);
}

START_TEST(poison_that_is_made_void_meanwhile_is_given_to_nobody)
{
	const struct hl_group_attr group = support_group("g", HL_GROUP_SHARED);
	struct hl_consumer_attr attr = HL_CONSUMER_ATTR_INIT;
	struct hl_consumer *consumer;
	struct hl_batch batch;

	support_send(make_ring(HL_PRODUCERS_SHARED), 1, 1);
	attr.max_attempts = 2;
	attr.poison = count_poison;
	ck_assert_int_eq(hl_consumer_join(ring, &group, &attr, &consumer, NULL),
			 0);
	leave_poison();
	turns = 0;
	hli_hook_fn = void_the_first;
	ck_assert_int_eq(hl_consumer_take(consumer, 3, HL_NOWAIT, &batch),
			 -EAGAIN);
	hli_hook_fn = NULL;
	ck_assert_uint_eq(turns, 0);
}
END_TEST

/* Its range begins anew whenever it was worked off. */
static void begin_anew(const char *step)
{
	if (strcmp(step, "done_released") == 0 && ++turns < ENOUGH)
		hli_store_rel(&view->records[view->geo.max_producers + 1].from,
			      1);
}

START_TEST(poison_without_end_does_not_keep_a_take)
{
	const struct hl_group_attr group = support_group("g", HL_GROUP_SHARED);
	struct hl_consumer_attr attr = HL_CONSUMER_ATTR_INIT;
	struct hl_consumer *consumer;
	struct hl_batch batch;

	support_send(make_ring(HL_PRODUCERS_SHARED), 1, 1);
	attr.max_attempts = 2;
	attr.poison = count_poison;
	ck_assert_int_eq(hl_consumer_join(ring, &group, &attr, &consumer, NULL),
			 0);
	leave_poison();
	turns = 0;
	hli_hook_fn = begin_anew;
	ck_assert_int_eq(hl_consumer_take(consumer, 3, HL_NOWAIT, &batch),
			 -EAGAIN);
	hli_hook_fn = NULL;
	ck_assert_uint_lt(turns, ENOUGH);
}
END_TEST

/* A record says that it is of a group whose consumers have no ranges. */
static void adopt_nonsense(enum hl_group_kind kind)
{
	struct hl_consumer *consumer;
	struct hl_batch batch;
	struct hl_producer *const producer = make_ring(HL_PRODUCERS_SHARED);

	support_send(producer, 1, 3);
	consumer = support_consume(ring, "g", kind);
	support_take(consumer, 1, 3);
	leave_poison();
	hli_store_rel(&view->groups[0].next, 4);
	consumer->look_first = true;
	ck_assert_int_eq(hl_consumer_take(consumer, 3, HL_NOWAIT, &batch),
			 -EAGAIN);
	support_send(producer, 4, 1);
	support_take(consumer, 4, 1);
}

START_TEST(exclusive_consumer_adopts_nothing)
{
	adopt_nonsense(HL_GROUP_EXCLUSIVE);
}
END_TEST

START_TEST(lossy_consumer_adopts_nothing)
{
	adopt_nonsense(HL_GROUP_LOSSY);
}
END_TEST

/* The table of a payload that is being built leads to its end. */
START_TEST(field_of_a_payload_being_built_stays_inside_it)
{
	struct hl_producer *const producer = make_ring(HL_PRODUCERS_SHARED);
	const size_t bytes = 256;
	struct hl_payload_space space;
	uint32_t end;

	ck_assert_int_eq(hl_payload_alloc(producer, &bytes, 1, &space), 0);
	end = space.size_bytes;
	memcpy(space.section + HL_PAYLOAD_HEADER_BYTES, &end, sizeof(end));
	memset(space.section + HL_PAYLOAD_HEADER_BYTES + 4, 0, 4);
	ck_assert_ptr_null(hl_payload_space_field(&space, 0, bytes));
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		kind_that_changes_during_a_join_is_not_believed,
		kind_that_changes_during_a_join_makes_nobody_an_heir,
		void_positions_without_end_do_not_keep_an_exclusive_take,
		void_positions_without_end_do_not_keep_a_shared_take,
		stamp_beyond_an_exclusive_cursor_is_damage,
		stamp_beyond_a_shared_tail_is_damage,
		stamp_that_was_never_claimed_is_damage_to_lossy_readers,
		head_far_beyond_what_groups_need_leaves_no_room,
		poison_that_is_made_void_meanwhile_is_given_to_nobody,
		poison_without_end_does_not_keep_a_take,
		exclusive_consumer_adopts_nothing,
		lossy_consumer_adopts_nothing,
		field_of_a_payload_being_built_stays_inside_it,
	};

	support_add(support_begin("damage"), tests, COUNT_OF(tests));
	return support_end();
}
