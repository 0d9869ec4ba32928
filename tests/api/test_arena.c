/* SPDX-License-Identifier: MIT */
/*
 * test_arena.c - blocks of the arena: lent, kept while needed, and back again
 */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "tests/support/line.h"
#include "tests/support/support.h"

#define CAPACITY 16
#define BLOCK 4096

static void new_line(struct line *line)
{
	struct hl_ring_attr attr = HL_RING_ATTR_INIT;

	attr.capacity = CAPACITY;
	attr.block_bytes = BLOCK;
	attr.arena_bytes = 16 * 2 * BLOCK;
	attr.max_producers = 2;
	line_init(line, &attr);
}

START_TEST(cancelled_payload_is_given_back)
{
	struct hl_payload_space space, again;
	struct line line;
	size_t bytes;

	new_line(&line);
	bytes = line.info.block_bytes;
	for (int i = 0; i < 1000; i++) {
		ck_assert_int_eq(
			hl_payload_alloc(line.producer, &bytes, 1, &space), 0);
		hl_payload_cancel(line.producer, &space);
	}
	ck_assert_int_eq(hl_payload_alloc(line.producer, &bytes, 1, &again), 0);
}
END_TEST

START_TEST(payloads_of_a_burst_are_all_kept)
{
	struct hl_payload_space spaces[CAPACITY];
	struct hl_claim claim;
	struct line line;

	new_line(&line);
	for (size_t i = 0; i < CAPACITY; i++) {
		const size_t bytes = 1000;

		ck_assert_int_eq(hl_payload_alloc(line.producer, &bytes, 1,
						  &spaces[i]),
				 0);
		memset(hl_payload_space_field(&spaces[i], 0, bytes), (int)i,
		       bytes);
	}
	ck_assert_int_eq(hl_producer_claim(line.producer, CAPACITY, HL_NOWAIT,
					   &claim),
			 CAPACITY);
	for (size_t i = 0; i < CAPACITY; i++) {
		struct hl_message *m =
			(struct hl_message *)hl_claim_slot(&claim, i);

		support_fill(m, sizeof(*m), i);
		m->payload_offset = spaces[i].payload_offset;
	}
	ck_assert_int_eq(hl_producer_publish(line.producer), 0);
	for (size_t i = 0; i < CAPACITY; i++) {
		const struct hl_message *m = line_take(&line);
		struct hl_payload payload;
		const void *data;
		size_t size;

		ck_assert_int_eq(hl_batch_payload(&line.batch, m, &payload), 0);
		ck_assert_int_eq(hl_payload_field(&payload, 0, &data, &size),
				 0);
		ck_assert_uint_eq(size, 1000);
		ck_assert_uint_eq(((const unsigned char *)data)[999], i);
		line_done(&line);
	}
}
END_TEST

START_TEST(wait_for_a_block_is_refused_with_messages_in_hand)
{
	struct hl_payload_space space;
	struct hl_claim claim;
	const size_t bytes = 1;
	struct line line;

	new_line(&line);
	ck_assert_int_eq(hl_payload_alloc(line.producer, &bytes, 1, &space), 0);
	ck_assert_int_eq(hl_payload_wait(line.producer, HL_NOWAIT), -EBUSY);
	line_send_offset(&line, 1, space.payload_offset);
	ck_assert_int_eq(hl_producer_claim(line.producer, 1, HL_NOWAIT, &claim),
			 1);
	ck_assert_int_eq(hl_payload_wait(line.producer, HL_NOWAIT), -EBUSY);
}
END_TEST

/* Use up all blocks; returns the messages that took. */
static uint32_t use_up_blocks(struct line *line)
{
	const size_t bytes = line->info.block_bytes;
	struct hl_payload_space space;
	uint32_t sent = 0;
	int ret;

	while ((ret = hl_payload_alloc(line->producer, &bytes, 1, &space)) ==
	       0) {
		line_send_offset(line, 1, space.payload_offset);
		sent++;
	}
	ck_assert_int_eq(ret, -ENOBUFS);
	return sent;
}

static void small_arena(struct line *line)
{
	struct hl_ring_attr attr = HL_RING_ATTR_INIT;

	attr.capacity = 64;
	attr.block_bytes = BLOCK;
	attr.arena_bytes = 4 * BLOCK;
	attr.max_producers = 1;
	line_init(line, &attr);
}

START_TEST(blocks_come_back_when_their_messages_are_done)
{
	struct line line;
	uint32_t sent;

	small_arena(&line);
	for (int round = 0; round < 100; round++) {
		sent = use_up_blocks(&line);
		ck_assert_uint_gt(sent, 0);
		ck_assert_int_eq(hl_payload_wait(line.producer, 5 * MS_NS),
				 -ETIMEDOUT);
		while (sent--) {
			line_take(&line);
			line_done(&line);
		}
		ck_assert_int_eq(hl_payload_wait(line.producer, DEADLINE_NS),
				 0);
	}
}
END_TEST

static void wait_for_block(struct helper *self)
{
	struct line *line = (struct line *)self->arg;

	helper_step(self, 1);
	EXPECT(self, hl_payload_wait(line->producer, DEADLINE_NS) == 0);
}

START_TEST(producer_that_waits_for_a_block_is_woken)
{
	struct helper *waiter;
	struct line line;
	uint32_t sent;

	small_arena(&line);
	sent = use_up_blocks(&line);
	waiter = support_thread(wait_for_block, &line);
	support_await(waiter, 1);
	while (sent--) {
		line_take(&line);
		line_done(&line);
	}
	support_join(waiter);
}
END_TEST

START_TEST(payload_can_be_borrowed_until_done)
{
	struct hl_payload payload;
	const struct hl_message *m;
	struct line line;
	const void *data;
	size_t size;

	new_line(&line);
	line_send(&line, 1, "keep me", 7);
	m = line_take(&line);
	ck_assert_int_eq(hl_batch_payload(&line.batch, m, &payload), 0);
	for (int i = 0; i < 2 * CAPACITY; i++) {
		unsigned char other[300] = { 0 };
		const struct iovec field = { other, sizeof(other) };
		struct hl_message message;

		support_fill(&message, sizeof(message), 2);
		(void)!hl_producer_sendv(line.producer, &message,
					 sizeof(message), &field, 1, HL_NOWAIT);
	}
	ck_assert_int_eq(hl_payload_field(&payload, 0, &data, &size), 0);
	ck_assert_mem_eq(data, "keep me", 7);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		cancelled_payload_is_given_back,
		payloads_of_a_burst_are_all_kept,
		wait_for_a_block_is_refused_with_messages_in_hand,
		blocks_come_back_when_their_messages_are_done,
		producer_that_waits_for_a_block_is_woken,
		payload_can_be_borrowed_until_done,
	};
	TCase *tcase = support_begin("arena");

	support_add(tcase, tests, COUNT_OF(tests));
	return support_end();
}
