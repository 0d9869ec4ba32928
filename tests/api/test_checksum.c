/* SPDX-License-Identifier: MIT */
/*
 * test_checksum.c - what publish fills in, validate finds out, and forward
 * makes anew
 */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "tests/support/line.h"
#include "tests/support/support.h"

static void new_line(struct line *line, enum hl_checksum checksum,
		     uint64_t arena_bytes)
{
	struct hl_ring_attr attr = HL_RING_ATTR_INIT;

	attr.capacity = 8;
	attr.slot_bytes = 128;
	attr.arena_bytes = arena_bytes;
	attr.max_producers = 2;
	attr.checksum = checksum;
	line_init(line, &attr);
}

static void send_text(struct line *line, const char *text)
{
	line_send(line, 7, text[0] ? text : NULL, strlen(text));
}

/* The bytes are in a shared mapping that somebody else writes, too. */
static void flip(const void *bytes, size_t offset)
{
	((unsigned char *)(uintptr_t)bytes)[offset] ^= 1;
}

static const unsigned char *payload_of(struct line *line,
				       const struct hl_message *m)
{
	size_t size;

	return line_field(line, m, 0, &size);
}

START_TEST(undamaged_message_is_valid)
{
	struct line line;

	new_line(&line, (enum hl_checksum)_i, 65536);
	send_text(&line, "hello");
	ck_assert_int_eq(hl_batch_validate(&line.batch, line_take(&line)),
			 HL_VALID);
	ck_assert_int_eq(hl_consumer_done(line.consumer), 0);
	send_text(&line, "");
	ck_assert_int_eq(hl_batch_validate(&line.batch, line_take(&line)),
			 HL_VALID);
}
END_TEST

START_TEST(message_filled_in_place_is_valid)
{
	const size_t bytes = 100;
	struct hl_payload_space space;
	struct hl_claim claim;
	struct hl_message *m;
	struct line line;

	new_line(&line, (enum hl_checksum)_i, 65536);
	ck_assert_int_eq(hl_payload_alloc(line.producer, &bytes, 1, &space), 0);
	memset(hl_payload_space_field(&space, 0, bytes), 'x', bytes);
	ck_assert_int_eq(hl_producer_claim(line.producer, 2, HL_NOWAIT, &claim),
			 2);
	m = (struct hl_message *)hl_claim_slot(&claim, 0);
	support_fill(m, 128, 1);
	m->payload_offset = space.payload_offset;
	ck_assert_int_eq(hl_producer_publish_slot(line.producer, 0), 0);
	support_fill(hl_claim_slot(&claim, 1), 128, 2);
	ck_assert_int_eq(hl_producer_publish(line.producer), 0);
	for (int i = 0; i < 2; i++) {
		ck_assert_int_eq(hl_batch_validate(&line.batch,
						   line_take(&line)),
				 HL_VALID);
		ck_assert_int_eq(hl_consumer_done(line.consumer), 0);
	}
}
END_TEST

/* Each byte of the user's, in both lines. */
START_TEST(damaged_byte_of_a_message_is_found_out)
{
	const struct hl_message *m;
	struct line line;

	new_line(&line, (enum hl_checksum)_i, 65536);
	send_text(&line, "hello");
	m = line_take(&line);
	for (size_t i = 0; i < 128; i++) {
		if (i >= HL_SEQUENCE_OFFSET && i < HL_SEQUENCE_OFFSET + 8)
			continue;
		flip(m, i);
		ck_assert_int_ne(hl_batch_validate(&line.batch, m), HL_VALID);
		flip(m, i);
	}
	ck_assert_int_eq(hl_batch_validate(&line.batch, m), HL_VALID);
}
END_TEST

START_TEST(damaged_payload_is_found_out_when_it_is_covered)
{
	const struct hl_message *m;
	struct line line;

	new_line(&line, HL_CHECKSUM_PAYLOAD, 65536);
	send_text(&line, "hello");
	m = line_take(&line);
	flip(payload_of(&line, m), 4);
	ck_assert_int_eq(hl_batch_validate(&line.batch, m), HL_BAD_CHECKSUM);
}
END_TEST

START_TEST(checksum_of_the_message_does_not_cover_the_payload)
{
	const struct hl_message *m;
	struct line line;

	new_line(&line, HL_CHECKSUM_HEADER, 65536);
	send_text(&line, "hello");
	m = line_take(&line);
	flip(payload_of(&line, m), 4);
	ck_assert_int_eq(hl_batch_validate(&line.batch, m), HL_VALID);
}
END_TEST

START_TEST(ring_without_checksums_leaves_the_field_to_the_user)
{
	struct support_message m;
	struct line line;

	new_line(&line, HL_CHECKSUM_NONE, 0);
	support_fill(&m, 128, 1);
	m.head.checksum = 0xdeadbeef;
	ck_assert_int_eq(hl_producer_send(line.producer, &m, 128, HL_NOWAIT),
			 1);
	ck_assert_uint_eq(line_take(&line)->checksum, 0xdeadbeef);
}
END_TEST

START_TEST(magic_is_checked_when_the_ring_has_one)
{
	struct hl_ring_attr attr = HL_RING_ATTR_INIT;
	struct support_message m;
	struct line line;

	attr.message_magic = HL_MESSAGE_MAGIC;
	line_init(&line, &attr);
	support_fill(&m, 64, 1);
	ck_assert_int_eq(hl_producer_send(line.producer, &m, 64, HL_NOWAIT), 1);
	m.head.magic++;
	ck_assert_int_eq(hl_producer_send(line.producer, &m, 64, HL_NOWAIT), 1);
	ck_assert_int_eq(hl_batch_validate(&line.batch, line_take(&line)),
			 HL_VALID);
	ck_assert_int_eq(hl_consumer_done(line.consumer), 0);
	ck_assert_int_eq(hl_batch_validate(&line.batch, line_take(&line)),
			 HL_BAD_MAGIC);
}
END_TEST

START_TEST(offset_that_cannot_be_read_is_not_published_with_a_checksum)
{
	struct hl_claim claim;
	struct hl_message *m;
	struct line line;

	new_line(&line, HL_CHECKSUM_PAYLOAD, 65536);
	ck_assert_int_eq(hl_producer_claim(line.producer, 1, HL_NOWAIT, &claim),
			 1);
	m = (struct hl_message *)hl_claim_slot(&claim, 0);
	support_fill(m, 128, 1);
	m->payload_offset = UINT32_MAX;
	ck_assert_int_eq(hl_producer_publish(line.producer), -EBADMSG);
	support_take_nothing(line.consumer);
	send_text(&line, "next");
	ck_assert_int_eq(hl_batch_validate(&line.batch, line_take(&line)),
			 HL_VALID);
}
END_TEST

START_TEST(forwarded_message_arrives_with_its_payload)
{
	const struct hl_message *m;
	struct line from, to;

	new_line(&from, HL_CHECKSUM_NONE, 65536);
	new_line(&to, HL_CHECKSUM_PAYLOAD, 65536);
	/* Positions differ, so that a stamp that was copied shows. */
	send_text(&to, "first");
	line_take(&to);
	ck_assert_int_eq(hl_consumer_done(to.consumer), 0);
	send_text(&from, "hello");
	m = line_take(&from);
	ck_assert_int_eq(
		hl_producer_forward(to.producer, &from.batch, m, HL_NOWAIT), 1);
	m = line_take(&to);
	ck_assert(support_whole(m, 128));
	ck_assert_uint_eq(m->sequence, 2);
	ck_assert_int_eq(hl_batch_validate(&to.batch, m), HL_VALID);
	ck_assert_mem_eq(payload_of(&to, m), "hello", 5);
}
END_TEST

START_TEST(message_without_payload_is_forwarded_into_a_ring_without_arena)
{
	struct line from, to;

	new_line(&from, HL_CHECKSUM_NONE, 65536);
	new_line(&to, HL_CHECKSUM_HEADER, 0);
	send_text(&from, "");
	ck_assert_int_eq(hl_producer_forward(to.producer, &from.batch,
					     line_take(&from), HL_NOWAIT),
			 1);
	ck_assert_int_eq(hl_batch_validate(&to.batch, line_take(&to)),
			 HL_VALID);
}
END_TEST

START_TEST(payload_cannot_be_forwarded_into_a_ring_without_arena)
{
	struct line from, to;

	new_line(&from, HL_CHECKSUM_NONE, 65536);
	new_line(&to, HL_CHECKSUM_NONE, 0);
	send_text(&from, "hello");
	ck_assert_int_eq(hl_producer_forward(to.producer, &from.batch,
					     line_take(&from), HL_NOWAIT),
			 -EMSGSIZE);
	support_take_nothing(to.consumer);
}
END_TEST

START_TEST(unreadable_payload_is_not_forwarded)
{
	const struct hl_message *m;
	struct line from, to;

	new_line(&from, HL_CHECKSUM_NONE, 65536);
	new_line(&to, HL_CHECKSUM_NONE, 65536);
	send_text(&from, "hello");
	m = line_take(&from);
	line_damage(m, HL_PAYLOAD_OFFSET, UINT32_MAX);
	ck_assert_int_eq(hl_producer_forward(to.producer, &from.batch, m,
					     HL_NOWAIT),
			 -EBADMSG);
	support_take_nothing(to.consumer);
}
END_TEST

START_TEST(forward_to_a_full_ring_fails_like_a_send)
{
	struct line from, to;

	new_line(&from, HL_CHECKSUM_NONE, 65536);
	new_line(&to, HL_CHECKSUM_NONE, 65536);
	support_fill_ring(to.producer);
	send_text(&from, "hello");
	ck_assert_int_eq(hl_producer_forward(to.producer, &from.batch,
					     line_take(&from), HL_NOWAIT),
			 -EAGAIN);
	ck_assert_int_eq(hl_producer_forward(to.producer, &from.batch,
					     hl_batch_slot(&from.batch, 0),
					     HL_DROP),
			 0);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		damaged_payload_is_found_out_when_it_is_covered,
		checksum_of_the_message_does_not_cover_the_payload,
		ring_without_checksums_leaves_the_field_to_the_user,
		magic_is_checked_when_the_ring_has_one,
		offset_that_cannot_be_read_is_not_published_with_a_checksum,
		forwarded_message_arrives_with_its_payload,
		message_without_payload_is_forwarded_into_a_ring_without_arena,
		payload_cannot_be_forwarded_into_a_ring_without_arena,
		unreadable_payload_is_not_forwarded,
		forward_to_a_full_ring_fails_like_a_send,
	};
	TCase *tcase = support_begin("checksum");

	support_add(tcase, tests, COUNT_OF(tests));
	tcase_add_loop_test(tcase, undamaged_message_is_valid, HL_CHECKSUM_NONE,
			    HL_CHECKSUM_PAYLOAD + 1);
	tcase_add_loop_test(tcase, message_filled_in_place_is_valid,
			    HL_CHECKSUM_NONE, HL_CHECKSUM_PAYLOAD + 1);
	tcase_add_loop_test(tcase, damaged_byte_of_a_message_is_found_out,
			    HL_CHECKSUM_HEADER, HL_CHECKSUM_PAYLOAD + 1);
	return support_end();
}
