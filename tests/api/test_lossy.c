/* SPDX-License-Identifier: MIT */
/*
 * test_lossy.c - readers that hold nobody back: whole messages, exact losses
 *
 * known-faults rows 38, 39 and 77.
 */
#include "config.h"

#include <hotline/inspect.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/rings.h"
#include "tests/support/support.h"

#define MESSAGES 20000
#define MESSAGES_LONG 1000000
#define PAYLOAD_MAX 500

static struct hl_ring *plain_ring(uint64_t capacity)
{
	struct hl_ring_attr attr = HL_RING_ATTR_INIT;

	attr.capacity = capacity;
	attr.slot_bytes = 128;
	attr.arena_bytes = 64 * 1024;
	attr.max_producers = 2;
	return support_create(&attr);
}

static void send_with_payload(struct hl_producer *producer, uint64_t number)
{
	unsigned char bytes[PAYLOAD_MAX];
	const struct iovec field = { bytes, number % PAYLOAD_MAX };
	struct support_message m;

	memset(bytes, (int)(number % 256), sizeof(bytes));
	support_fill(&m, 128, number);
	ck_assert_int_eq(
		hl_producer_sendv(producer, &m, 128, &field, 1, HL_NOWAIT), 1);
}

/* Is it the payload that send_with_payload() wrote? */
static bool payload_whole(const struct hl_payload *payload, uint64_t number)
{
	const unsigned char *bytes;
	const void *data;
	size_t n;

	if (hl_payload_field(payload, 0, &data, &n) < 0 ||
	    n != number % PAYLOAD_MAX)
		return false;
	bytes = (const unsigned char *)data;
	for (size_t i = 0; i < n; i++)
		if (bytes[i] != number % 256)
			return false;
	return true;
}

/* What inspect says of the only consumer. */
static uint64_t lost_by_inspect(struct hl_ring *ring)
{
	struct hl_participant_status status;
	struct hl_inspect *inspect;
	struct hl_ring_info info;

	hl_ring_get_info(ring, &info);
	ck_assert_int_eq(hl_inspect_open(hl_ring_name(ring), 0, &inspect, NULL),
			 0);
	ck_assert_int_eq(hl_inspect_participant(inspect, info.max_producers,
						&status),
			 1);
	hl_inspect_close(inspect);
	return status.lost;
}

START_TEST(lossy_group_is_told_exactly_what_it_missed)
{
	struct hl_ring *ring = plain_ring(16);
	struct hl_consumer *consumer =
		support_consume(ring, "g", HL_GROUP_LOSSY);
	uint64_t received = 0, lost = 0, next = 1;
	struct hl_batch batch;
	const void *m;

	support_send(support_produce(ring), 1, 1000);
	while (hl_consumer_take(consumer, 16, HL_NOWAIT, &batch) > 0) {
		lost += batch.lost;
		next += batch.lost;
		while ((m = hl_batch_next(&batch))) {
			ck_assert_uint_eq(support_number(m), next++);
			received++;
		}
		ck_assert_int_eq(hl_consumer_done(consumer), 0);
	}
	ck_assert_uint_eq(received + lost, 1000);
	ck_assert_uint_le(received, 16);
	ck_assert_uint_gt(received, 0);
	ck_assert_uint_eq(next, 1001);
	ck_assert_uint_eq(lost_by_inspect(ring), lost);
}
END_TEST

START_TEST(lossy_group_never_holds_producers_back)
{
	struct hl_ring *ring = plain_ring(4);
	struct hl_consumer *consumer =
		support_consume(ring, "g", HL_GROUP_LOSSY);
	struct hl_producer *producer = support_produce(ring);
	struct hl_batch batch;

	support_send(producer, 1, 4);
	ck_assert_int_gt(hl_consumer_take(consumer, 4, HL_NOWAIT, &batch), 0);
	support_send(producer, 5, 100);
	ck_assert_int_eq(hl_consumer_done(consumer), 0);
}
END_TEST

/* A batch is a copy: what is sent afterwards does not change it. */
START_TEST(lossy_batch_stays_what_it_was)
{
	struct hl_ring *ring = plain_ring(4);
	struct hl_consumer *consumer =
		support_consume(ring, "g", HL_GROUP_LOSSY);
	struct hl_producer *producer = support_produce(ring);
	uint64_t number = 1;
	struct hl_batch batch;
	const void *m;

	support_send(producer, 1, 4);
	ck_assert_int_eq(hl_consumer_take(consumer, 4, HL_NOWAIT, &batch), 4);
	support_send(producer, 5, 40);
	while ((m = hl_batch_next(&batch))) {
		ck_assert_uint_eq(support_number(m), number++);
		ck_assert(support_whole(m, sizeof(struct hl_message)));
	}
	ck_assert_uint_eq(number, 5);
	ck_assert_int_eq(hl_consumer_done(consumer), 0);
	ck_assert_int_eq(hl_consumer_take(consumer, 4, HL_NOWAIT, &batch), 4);
	ck_assert_uint_eq(batch.lost, 36);
}
END_TEST

START_TEST(payload_overwritten_meanwhile_is_stale)
{
	struct hl_ring *ring = plain_ring(4);
	struct hl_consumer *consumer =
		support_consume(ring, "g", HL_GROUP_LOSSY);
	struct hl_producer *producer = support_produce(ring);
	struct hl_payload payload;
	struct hl_batch batch;
	const void *m;

	send_with_payload(producer, 77);
	ck_assert_int_eq(hl_consumer_take(consumer, 1, HL_NOWAIT, &batch), 1);
	m = hl_batch_next(&batch);
	ck_assert_int_eq(hl_batch_payload(&batch, m, &payload), 0);
	ck_assert(payload_whole(&payload, 77));
	/* More than the arena holds. */
	for (uint64_t i = 0; i < 1000; i++)
		send_with_payload(producer, 499);
	ck_assert_int_eq(hl_batch_payload(&batch, m, &payload), -ESTALE);
}
END_TEST

/* What a reader in another process or thread looks at. */
struct job {
	char name[64];
	uint64_t messages;
};

static void read_all(struct helper *self)
{
	const struct job *job = (const struct job *)self->arg;
	struct hl_ring *ring = helper_open(self, job->name);
	struct hl_consumer *consumer =
		helper_consume(self, ring, "g", HL_GROUP_LOSSY);
	struct hl_batch batch;
	uint64_t next = 1;
	ssize_t n;

	helper_step(self, 1);
	while ((n = hl_consumer_take(consumer, 2, DEADLINE_NS, &batch)) > 0) {
		const void *m;

		next += batch.lost;
		while ((m = hl_batch_next(&batch))) {
			struct hl_payload payload;
			const int ret = hl_batch_payload(&batch, m, &payload);

			EXPECT(self, support_number(m) == next);
			EXPECT(self, support_whole(m, 128));
			EXPECT(self, ret == 0 || ret == -ESTALE);
			EXPECT(self, ret < 0 || payload_whole(&payload, next));
			next++;
		}
		EXPECT(self, hl_consumer_done(consumer) == 0);
	}
	EXPECT(self, n == -EPIPE);
	EXPECT(self, next == job->messages + 1);
	EXPECT(self, hl_consumer_leave(consumer) == 0);
	EXPECT(self, hl_ring_close(ring) == 0);
}

/* The smallest rings: every slot is overwritten while it is read. */
START_TEST(reader_of_a_ring_that_is_overwritten_sees_whole_messages)
{
	struct hl_ring *ring = plain_ring(_i % 2 ? 2 : 4);
	struct hl_producer *producer = support_produce(ring);
	struct helper *reader;
	struct job job;

	job.messages = support_long() ? MESSAGES_LONG : MESSAGES;
	snprintf(job.name, sizeof(job.name), "%s", hl_ring_name(ring));
	reader = support_start(_i / 2, read_all, &job);
	support_await(reader, 1);
	for (uint64_t i = 1; i <= job.messages; i++)
		send_with_payload(producer, i);
	ck_assert_int_eq(hl_producer_finish(producer), 0);
	support_join(reader);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		lossy_group_is_told_exactly_what_it_missed,
		lossy_group_never_holds_producers_back,
		lossy_batch_stays_what_it_was,
		payload_overwritten_meanwhile_is_stale,
	};
	TCase *tcase = support_begin("lossy");

	support_add(tcase, tests, COUNT_OF(tests));
	tcase_add_loop_test(
		tcase, reader_of_a_ring_that_is_overwritten_sees_whole_messages,
		0, 4);
	return support_end();
}
