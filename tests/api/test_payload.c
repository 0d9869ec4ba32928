/* SPDX-License-Identifier: MIT */
/*
 * test_payload.c - payloads: written, read, passed on, and checked
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
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

static unsigned char *pattern(size_t n)
{
	unsigned char *bytes = (unsigned char *)malloc(n + 1);

	ck_assert_ptr_nonnull(bytes);
	for (size_t i = 0; i < n; i++)
		bytes[i] = (unsigned char)(i * 7 + n);
	return bytes;
}

/* known-faults row 44 */
START_TEST(payload_of_every_size_arrives_aligned)
{
	struct line line;

	new_line(&line);
	for (size_t n = 0; n <= 300; n++) {
		unsigned char *bytes = pattern(n);
		const struct hl_message *m;
		struct hl_payload payload;
		const void *data;
		size_t size;

		line_send(&line, n, bytes, n);
		m = line_take(&line);
		ck_assert_uint_eq((uintptr_t)m % 64, 0);
		ck_assert_int_eq(hl_batch_payload(&line.batch, m, &payload), 0);
		ck_assert_uint_eq((uintptr_t)payload.section % 64, 0);
		ck_assert_uint_eq(payload.nfields, 1);
		ck_assert_int_eq(hl_payload_field(&payload, 0, &data, &size),
				 0);
		ck_assert_uint_eq((uintptr_t)data % 8, 0);
		ck_assert_uint_eq(size, n);
		ck_assert(n == 0 || memcmp(data, bytes, n) == 0);
		ck_assert_int_eq(hl_payload_field(&payload, 1, &data, &size),
				 -EINVAL);
		line_done(&line);
		free(bytes);
	}
}
END_TEST

/* known-faults rows 74 and 75 */
START_TEST(payload_of_a_block_fits_and_a_larger_one_never_does)
{
	struct hl_payload_space space;
	struct line line;
	size_t bytes;

	new_line(&line);
	ck_assert_uint_ge(line.info.block_bytes, BLOCK);
	for (int i = 0; i < 1000; i++) {
		bytes = line.info.block_bytes - (size_t)i % 2;
		ck_assert_int_eq(
			hl_payload_alloc(line.producer, &bytes, 1, &space), 0);
		line_send_offset(&line, 1, space.payload_offset);
		line_take(&line);
		line_done(&line);
	}
	/* Fewer than seven fields leave room of their own. */
	bytes = line.info.block_bytes + 64;
	ck_assert_int_eq(hl_payload_alloc(line.producer, &bytes, 1, &space),
			 -EMSGSIZE);
	bytes = SIZE_MAX;
	ck_assert_int_eq(hl_payload_alloc(line.producer, &bytes, 1, &space),
			 -EMSGSIZE);
	bytes = SIZE_MAX - 7;
	ck_assert_int_eq(hl_payload_alloc(line.producer, &bytes, 1, &space),
			 -EMSGSIZE);
}
END_TEST

START_TEST(sizes_of_fields_cannot_overflow_together)
{
	const size_t fields[] = { SIZE_MAX / 2 + 1, SIZE_MAX / 2 + 1, 64 };
	struct hl_payload_space space;
	struct line line;

	new_line(&line);
	ck_assert_int_eq(hl_payload_alloc(line.producer, fields, 3, &space),
			 -EMSGSIZE);
	ck_assert_int_eq(hl_payload_alloc(line.producer, fields, SIZE_MAX,
					  &space),
			 -EMSGSIZE);
}
END_TEST

START_TEST(seven_fields_share_what_a_block_promises)
{
	struct hl_payload_space space;
	size_t fields[8] = { 0 };
	struct line line;

	new_line(&line);
	fields[3] = line.info.block_bytes;
	ck_assert_int_eq(hl_payload_alloc(line.producer, fields, 7, &space), 0);
	hl_payload_cancel(line.producer, &space);
	fields[3]++;
	ck_assert_int_eq(hl_payload_alloc(line.producer, fields, 7, &space),
			 -EMSGSIZE);
	fields[3] = line.info.block_bytes - 8;
	ck_assert_int_eq(hl_payload_alloc(line.producer, fields, 8, &space), 0);
	hl_payload_cancel(line.producer, &space);
	fields[3]++;
	ck_assert_int_eq(hl_payload_alloc(line.producer, fields, 8, &space),
			 -EMSGSIZE);
}
END_TEST

START_TEST(fields_are_found_by_number)
{
	struct iovec fields[5];
	struct hl_payload payload;
	const struct hl_message *m;
	struct hl_message message;
	struct line line;

	new_line(&line);
	for (size_t i = 0; i < COUNT_OF(fields); i++) {
		fields[i].iov_len = i * 11;
		fields[i].iov_base = pattern(i * 11);
	}
	support_fill(&message, sizeof(message), 1);
	ck_assert_int_eq(hl_producer_sendv(line.producer, &message,
					   sizeof(message), fields,
					   COUNT_OF(fields), HL_NOWAIT),
			 1);
	m = line_take(&line);
	ck_assert_int_eq(hl_batch_payload(&line.batch, m, &payload), 0);
	ck_assert_uint_eq(payload.nfields, COUNT_OF(fields));
	for (uint32_t i = COUNT_OF(fields); i-- > 0;) {
		const void *data;
		size_t size;

		ck_assert_int_eq(hl_payload_field(&payload, i, &data, &size),
				 0);
		ck_assert_uint_eq(size, fields[i].iov_len);
		ck_assert_uint_eq((uintptr_t)data % 8, 0);
		ck_assert_mem_eq(data, fields[i].iov_base, size);
		free(fields[i].iov_base);
	}
}
END_TEST

START_TEST(message_without_payload_has_none)
{
	struct hl_payload payload;
	const struct hl_message *m;
	struct hl_message message;
	struct line line;

	new_line(&line);
	support_fill(&message, sizeof(message), 1);
	message.payload_offset = 12345;
	message.sequence = 1;
	ck_assert_int_eq(hl_producer_send(line.producer, &message,
					  sizeof(message), HL_NOWAIT),
			 1);
	m = line_take(&line);
	ck_assert_uint_eq(m->payload_offset, 0);
	ck_assert_int_eq(hl_batch_payload(&line.batch, m, &payload), -ENODATA);
	line_done(&line);
	ck_assert_int_eq(hl_producer_sendv(line.producer, &message,
					   sizeof(message), NULL, 0, HL_NOWAIT),
			 1);
	m = line_take(&line);
	ck_assert_int_eq(hl_batch_payload(&line.batch, m, &payload), -ENODATA);
}
END_TEST

START_TEST(claimed_slot_has_no_payload_of_the_lap_before)
{
	struct hl_claim claim;
	struct line line;

	new_line(&line);
	for (int i = 0; i < CAPACITY; i++) {
		line_send(&line, 1, "x", 1);
		line_take(&line);
		line_done(&line);
	}
	ck_assert_int_eq(hl_producer_claim(line.producer, CAPACITY, HL_NOWAIT,
					   &claim),
			 CAPACITY);
	for (size_t i = 0; i < CAPACITY; i++) {
		const struct hl_message *m =
			(const struct hl_message *)hl_claim_slot(&claim, i);

		ck_assert_uint_eq(m->payload_offset, 0);
	}
}
END_TEST

START_TEST(put_copies_each_element_as_a_field)
{
	char one[] = "one", three[] = "three";
	const struct iovec fields[] = { { one, 3 }, { three, 5 } };
	struct hl_payload_space space;
	const struct hl_message *m;
	struct hl_payload payload;
	struct line line;
	const void *data;
	size_t size;

	new_line(&line);
	ck_assert_int_eq(hl_payload_put(line.producer, fields, 2, &space), 0);
	line_send_offset(&line, 1, space.payload_offset);
	m = line_take(&line);
	ck_assert_int_eq(hl_batch_payload(&line.batch, m, &payload), 0);
	ck_assert_int_eq(hl_payload_field(&payload, 1, &data, &size), 0);
	ck_assert_uint_eq(size, 5);
	ck_assert_mem_eq(data, "three", 5);
}
END_TEST

START_TEST(space_has_a_place_for_each_field_and_no_more)
{
	const size_t fields[] = { 10, 20 };
	struct hl_payload_space space;
	struct line line;

	new_line(&line);
	ck_assert_int_eq(hl_payload_alloc(line.producer, fields, 2, &space), 0);
	ck_assert_ptr_nonnull(hl_payload_space_field(&space, 0, 10));
	ck_assert_ptr_nonnull(hl_payload_space_field(&space, 1, 20));
	ck_assert_ptr_null(hl_payload_space_field(&space, 1, 21));
	ck_assert_ptr_null(hl_payload_space_field(&space, 2, 0));
	ck_assert_uint_ne(space.payload_offset, 0);
}
END_TEST

/* Offsets that lead to no block at all, or to no payload in one. */
START_TEST(damaged_offset_is_found_out)
{
	struct hl_payload payload;
	uint32_t offsets[5];
	struct line line;

	new_line(&line);
	offsets[0] = 1;
	offsets[1] = UINT32_MAX;
	offsets[2] = UINT32_MAX / 2;
	offsets[3] = (uint32_t)(line.info.file_bytes / 64);
	offsets[4] = (uint32_t)(line.info.file_bytes / 64) + 1;
	for (size_t i = 0; i < COUNT_OF(offsets); i++) {
		const struct hl_message *m;

		line_send_offset(&line, 1, offsets[i]);
		m = line_take(&line);
		ck_assert_int_eq(hl_batch_payload(&line.batch, m, &payload),
				 -EBADMSG);
		ck_assert_int_eq(hl_batch_validate(&line.batch, m),
				 HL_BAD_PAYLOAD);
		line_done(&line);
	}
}
END_TEST

START_TEST(damaged_length_is_found_out)
{
	static const struct {
		size_t offset;
		uint32_t word;
	} damages[] = {
		{ 0, 0 },	{ 0, 7 },      { 0, UINT32_MAX },
		{ 0, 1 << 20 }, { 4, 0xffff },
	};
	struct line line;

	new_line(&line);
	for (size_t i = 0; i < COUNT_OF(damages); i++) {
		const struct hl_message *m;
		struct hl_payload payload;

		line_send(&line, 1, "hello", 5);
		m = line_take(&line);
		ck_assert_int_eq(hl_batch_payload(&line.batch, m, &payload), 0);
		line_damage(payload.section, damages[i].offset,
			    damages[i].word);
		ck_assert_int_eq(hl_batch_payload(&line.batch, m, &payload),
				 -EBADMSG);
		line_done(&line);
	}
}
END_TEST

START_TEST(damaged_field_is_found_out)
{
	static const struct {
		size_t offset;
		uint32_t word;
	} damages[] = {
		{ 8, 0 },	   { 8, 15 },	  { 8, UINT32_MAX },
		{ 8, 1 << 16 },	   { 12, 65536 }, { 12, UINT32_MAX },
		{ 12, INT32_MAX },
	};
	struct line line;

	new_line(&line);
	for (size_t i = 0; i < COUNT_OF(damages); i++) {
		const struct hl_message *m;
		struct hl_payload payload;
		const void *data;
		size_t size;

		line_send(&line, 1, "hello", 5);
		m = line_take(&line);
		ck_assert_int_eq(hl_batch_payload(&line.batch, m, &payload), 0);
		line_damage(payload.section, damages[i].offset,
			    damages[i].word);
		ck_assert_int_eq(hl_payload_field(&payload, 0, &data, &size),
				 -EBADMSG);
		line_done(&line);
	}
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		payload_of_every_size_arrives_aligned,
		payload_of_a_block_fits_and_a_larger_one_never_does,
		sizes_of_fields_cannot_overflow_together,
		seven_fields_share_what_a_block_promises,
		fields_are_found_by_number,
		message_without_payload_has_none,
		claimed_slot_has_no_payload_of_the_lap_before,
		put_copies_each_element_as_a_field,
		space_has_a_place_for_each_field_and_no_more,
		damaged_offset_is_found_out,
		damaged_length_is_found_out,
		damaged_field_is_found_out,
	};
	TCase *tcase = support_begin("payload");

	support_add(tcase, tests, COUNT_OF(tests));
	return support_end();
}
