/* SPDX-License-Identifier: MIT */
/*
 * test_admin.c - what an operator may do to a ring that is in use
 */
#include "config.h"

#include <hotline/admin.h>

#include <errno.h>

#include "tests/support/rings.h"

/* The only consumer of a ring. */
static uint32_t find_consumer(const struct hl_ring *ring,
			      struct hl_participant_status *status)
{
	struct hl_inspect *inspect;
	struct hl_ring_info info;
	uint32_t i, n;

	hl_ring_get_info(ring, &info);
	n = info.max_producers + info.max_consumers;
	ck_assert_int_eq(hl_inspect_open(hl_ring_name(ring), 0, &inspect, NULL),
			 0);
	for (i = info.max_producers; i < n; i++) {
		if (hl_inspect_participant(inspect, i, status) > 0)
			break;
	}
	hl_inspect_close(inspect);
	ck_assert_uint_lt(i, n);
	return i;
}

static void evict_and_expect(struct hl_ring *ring, uint32_t number,
			     uint32_t tenure, int expected)
{
	struct hl_error err = { 0 };

	ck_assert_int_eq(hl_participant_evict(ring, number, tenure, false,
					      &err),
			 expected);
	ck_assert(expected == 0 || err.text[0]);
}

START_TEST(eviction_hits_who_was_seen)
{
	struct hl_ring *ring = support_create(NULL);
	struct hl_consumer *consumer =
		support_consume(ring, "g", HL_GROUP_SHARED);
	struct hl_participant_status seen;
	const uint32_t number = find_consumer(ring, &seen);
	struct hl_batch batch;

	evict_and_expect(ring, number, seen.tenure, 0);
	ck_assert_int_eq(hl_consumer_take(consumer, 1, HL_NOWAIT, &batch),
			 -EIDRM);
}
END_TEST

START_TEST(eviction_hits_no_newcomer_with_the_same_number)
{
	struct hl_ring *ring = support_create(NULL);
	struct hl_consumer *consumer =
		support_consume(ring, "g", HL_GROUP_SHARED);
	struct hl_participant_status before, after;
	const uint32_t number = find_consumer(ring, &before);

	ck_assert_int_eq(hl_consumer_leave(consumer), 0);
	evict_and_expect(ring, number, before.tenure, -ENOENT);
	consumer = support_consume(ring, "g", HL_GROUP_SHARED);
	ck_assert_uint_eq(find_consumer(ring, &after), number);
	ck_assert_uint_ne(before.tenure, after.tenure);
	evict_and_expect(ring, number, before.tenure, -ENOENT);
	support_take_nothing(consumer);
	evict_and_expect(ring, number, HL_ANY_TENURE, 0);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		eviction_hits_who_was_seen,
		eviction_hits_no_newcomer_with_the_same_number,
	};
	TCase *tcase = support_begin("admin");

	support_add(tcase, tests, COUNT_OF(tests));
	return support_end();
}
