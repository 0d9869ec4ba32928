/* SPDX-License-Identifier: MIT */
/*
 * test_positions.c - rings whose positions begin where arithmetic goes wrong
 *
 * known-faults row 40: around 2^31, 2^32 and just below 2^63.
 */
#include "config.h"

#include <hotline/admin.h>
#include <hotline/inspect.h>

#include <errno.h>

#include "tests/support/rings.h"
#include "tests/support/support.h"

#define CAPACITY 64
#define MESSAGES 1000

static const uint64_t starts[] = {
	1,
	CAPACITY - 1,
	(UINT64_C(1) << 31) - 5,
	(UINT64_C(1) << 32) - 5,
	(UINT64_C(1) << 32) + 3,
	(UINT64_C(1) << 62) - 5,
	(uint64_t)HL_POSITION_MAX - MESSAGES - 1,
};

#define KINDS 3

static struct hl_ring *ring_from(uint64_t start, enum hl_producers producers,
				 enum hl_group_kind kind)
{
	const struct hl_group_attr group = support_group("g", kind);
	struct hl_ring_attr attr = HL_RING_ATTR_INIT;

	attr.capacity = CAPACITY;
	attr.producers = producers;
	attr.start_position = start;
	attr.arena_bytes = 64 * 1024;
	attr.max_producers = producers == HL_PRODUCERS_SOLE ? 1 : 2;
	attr.groups = &group;
	attr.ngroups = 1;
	return support_create(&attr);
}

/* Expect n messages, numbered like their positions from first on. */
static void take_positions(struct hl_consumer *consumer, uint64_t first,
			   uint64_t n)
{
	const uint64_t end = first + n;

	while (first < end) {
		struct hl_batch batch;
		const void *m;

		ck_assert_int_gt(
			hl_consumer_take(consumer, 10, HL_NOWAIT, &batch), 0);
		ck_assert_uint_eq(batch.position, first);
		while ((m = hl_batch_next(&batch))) {
			struct hl_payload payload;

			ck_assert_uint_eq(support_number(m), first);
			ck_assert_uint_eq(hl_batch_position(&batch), first);
			ck_assert_int_eq(hl_batch_payload(&batch, m, &payload),
					 0);
			first++;
		}
		ck_assert_int_eq(hl_consumer_done(consumer), 0);
	}
}

static void send_positions(struct hl_producer *producer, uint64_t first,
			   uint64_t n)
{
	for (uint64_t i = first; i < first + n; i++) {
		const struct iovec field = { &i, sizeof(i) };
		struct hl_message m;

		support_fill(&m, sizeof(m), i);
		ck_assert_int_eq(hl_producer_sendv(producer, &m, sizeof(m),
						   &field, 1, HL_NOWAIT),
				 1);
	}
}

/* What inspect says of depth and lag with n messages that wait. */
static void check_depth(const struct hl_ring *ring, uint64_t head, uint64_t n)
{
	struct hl_participant_status consumer;
	struct hl_ring_status status;
	struct hl_group_status group;
	struct hl_inspect *inspect;

	ck_assert_int_eq(hl_inspect_open(hl_ring_name(ring), 0, &inspect, NULL),
			 0);
	hl_inspect_ring(inspect, &status);
	ck_assert_uint_eq(status.head, head);
	ck_assert_int_eq(hl_inspect_group(inspect, 0, &group), 1);
	ck_assert_uint_eq(group.depth, n);
	ck_assert_uint_eq(group.cursor, head - n);
	ck_assert_int_eq(hl_inspect_participant(
				 inspect, status.info.max_producers, &consumer),
			 1);
	ck_assert(!consumer.producer);
	ck_assert_uint_eq(consumer.lag, n);
	if (group.kind != HL_GROUP_LOSSY)
		ck_assert_uint_eq(status.low, head - n);
	hl_inspect_close(inspect);
}

START_TEST(positions_pass_the_boundary_in_order)
{
	const uint64_t start = starts[_i / KINDS];
	const enum hl_group_kind kind = (enum hl_group_kind)(_i % KINDS);
	const enum hl_producers producers = _i % 2 ? HL_PRODUCERS_SOLE :
						     HL_PRODUCERS_SHARED;
	struct hl_ring *ring = ring_from(start, producers, kind);
	struct hl_consumer *consumer = support_consume(ring, "g", kind);
	struct hl_producer *producer = support_produce(ring);
	uint64_t sent = 0;

	check_depth(ring, start, 0);
	while (sent + CAPACITY / 2 <= MESSAGES) {
		const uint64_t n = 1 + sent % (CAPACITY / 2);

		send_positions(producer, start + sent, n);
		check_depth(ring, start + sent + n, n);
		take_positions(consumer, start + sent, n);
		check_depth(ring, start + sent + n, 0);
		sent += n;
	}
	support_take_nothing(consumer);
}
END_TEST

START_TEST(ring_is_full_at_its_capacity_across_the_boundary)
{
	struct hl_ring *ring =
		ring_from(starts[_i], HL_PRODUCERS_SHARED, HL_GROUP_SHARED);
	struct hl_producer *producer = support_produce(ring);
	struct hl_claim claim;

	ck_assert_int_eq(hl_producer_claim(producer, CAPACITY, HL_NOWAIT,
					   &claim),
			 CAPACITY);
	ck_assert_uint_eq(claim.position, starts[_i]);
	ck_assert_int_eq(hl_producer_publish(producer), 0);
	ck_assert_int_eq(hl_producer_claim(producer, 1, HL_NOWAIT, &claim),
			 -EAGAIN);
}
END_TEST

START_TEST(group_starts_at_a_position_beyond_the_boundary)
{
	const uint64_t start = starts[_i];
	struct hl_group_attr attr = support_group("h", HL_GROUP_EXCLUSIVE);
	struct hl_ring *ring =
		ring_from(start, HL_PRODUCERS_SHARED, HL_GROUP_SHARED);
	struct hl_consumer *consumer;

	send_positions(support_produce(ring), start, 20);
	attr.start = HL_START_POSITION;
	attr.position = start + 9;
	ck_assert_int_eq(hl_consumer_join(ring, &attr, NULL, &consumer, NULL),
			 0);
	take_positions(consumer, start + 9, 11);
}
END_TEST

START_TEST(lossy_group_counts_what_it_missed_across_the_boundary)
{
	const uint64_t start = starts[_i];
	struct hl_ring *ring =
		ring_from(start, HL_PRODUCERS_SHARED, HL_GROUP_LOSSY);
	struct hl_consumer *consumer =
		support_consume(ring, "g", HL_GROUP_LOSSY);
	struct hl_producer *producer = support_produce(ring);
	uint64_t received = 0, lost = 0;
	struct hl_batch batch;
	ssize_t n;

	support_send(producer, start, MESSAGES);
	while ((n = hl_consumer_take(consumer, 8, HL_NOWAIT, &batch)) > 0) {
		lost += batch.lost;
		received += (uint64_t)n;
		ck_assert_uint_eq(support_number(hl_batch_next(&batch)),
				  start + lost + received - (uint64_t)n);
		ck_assert_int_eq(hl_consumer_done(consumer), 0);
	}
	ck_assert_uint_eq(received + lost, MESSAGES);
}
END_TEST

/* A lossy consumer and a tap that ask for a position before the first one. */
START_TEST(nothing_is_missed_that_was_before_the_first_position)
{
	const uint64_t start = starts[_i];
	struct hl_group_attr attr = support_group("h", HL_GROUP_LOSSY);
	struct hl_ring *ring =
		ring_from(start, HL_PRODUCERS_SHARED, HL_GROUP_SHARED);
	struct hl_tap_message message;
	struct hl_consumer *consumer;
	struct hl_inspect *inspect;
	struct hl_batch batch;
	struct hl_tap *tap;

	send_positions(support_produce(ring), start, 1);
	attr.start = HL_START_POSITION;
	attr.position = 1;
	ck_assert_int_eq(hl_consumer_join(ring, &attr, NULL, &consumer, NULL),
			 0);
	ck_assert_int_eq(hl_consumer_take(consumer, 1, HL_NOWAIT, &batch), 1);
	ck_assert_uint_eq(batch.lost, 0);
	ck_assert_int_eq(hl_inspect_open(hl_ring_name(ring), 0, &inspect, NULL),
			 0);
	ck_assert_int_eq(hl_ring_check(inspect, NULL, NULL), 0);
	ck_assert_int_eq(hl_tap_open(inspect, HL_START_POSITION, 1, &tap, NULL),
			 0);
	ck_assert_int_eq(hl_tap_next(tap, HL_NOWAIT, &message), 1);
	ck_assert_uint_eq(message.lost, 0);
	ck_assert_uint_eq(message.voids, 0);
	hl_tap_close(tap);
	hl_inspect_close(inspect);
}
END_TEST

START_TEST(positions_come_to_an_end)
{
	const uint64_t start = (uint64_t)HL_POSITION_MAX - 5;
	struct hl_ring *ring =
		ring_from(start, (enum hl_producers)_i, HL_GROUP_EXCLUSIVE);
	struct hl_consumer *consumer =
		support_consume(ring, "g", HL_GROUP_EXCLUSIVE);
	struct hl_producer *producer = support_produce(ring);
	struct hl_claim claim;

	send_positions(producer, start, 3);
	take_positions(consumer, start, 3);
	/* When fewer are left, claims those. */
	ck_assert_int_eq(hl_producer_claim(producer, 8, HL_NOWAIT, &claim), 2);
	for (size_t i = 0; i < 2; i++)
		support_fill(hl_claim_slot(&claim, i), 64, start + 3 + i);
	ck_assert_int_eq(hl_producer_publish(producer), 0);
	ck_assert_int_eq(hl_producer_claim(producer, 1, HL_NOWAIT, &claim),
			 -EOVERFLOW);
	ck_assert_int_eq(hl_producer_claim(producer, 1, HL_FOREVER, &claim),
			 -EOVERFLOW);
	support_take(consumer, start + 3, 2);
	support_take_nothing(consumer);
}
END_TEST

START_TEST(start_beyond_the_end_is_refused)
{
	struct hl_ring_attr attr = HL_RING_ATTR_INIT;
	struct hl_ring *ring;

	attr.start_position = HL_POSITION_MAX;
	ck_assert_int_eq(hl_ring_create(support_name(), &attr, &ring, NULL),
			 -EINVAL);
	attr.start_position = UINT64_MAX;
	ck_assert_int_eq(hl_ring_create(support_name(), &attr, &ring, NULL),
			 -EINVAL);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = { start_beyond_the_end_is_refused };
	TCase *tcase = support_begin("positions");
	const int n = COUNT_OF(starts);

	support_add(tcase, tests, COUNT_OF(tests));
	tcase_add_loop_test(tcase, positions_pass_the_boundary_in_order, 0,
			    n * KINDS);
	tcase_add_loop_test(
		tcase, ring_is_full_at_its_capacity_across_the_boundary, 0, n);
	tcase_add_loop_test(
		tcase, group_starts_at_a_position_beyond_the_boundary, 0, n);
	tcase_add_loop_test(
		tcase, lossy_group_counts_what_it_missed_across_the_boundary, 0,
		n);
	tcase_add_loop_test(
		tcase, nothing_is_missed_that_was_before_the_first_position, 0,
		n);
	tcase_add_loop_test(tcase, positions_come_to_an_end,
			    HL_PRODUCERS_SHARED, HL_PRODUCERS_SOLE + 1);
	return support_end();
}
