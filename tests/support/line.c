/* SPDX-License-Identifier: MIT */
/*
 * line.c - a ring with one producer, one consumer, and one message in hand
 */
#include "config.h"

#include "line.h"

#include <string.h>

void line_init(struct line *line, const struct hl_ring_attr *attr)
{
	memset(line, 0, sizeof(*line));
	line->ring = support_create(attr);
	line->producer = support_produce(line->ring);
	line->consumer = support_consume(line->ring, "g", HL_GROUP_EXCLUSIVE);
	hl_ring_get_info(line->ring, &line->info);
}

void line_send(struct line *line, uint64_t number, const void *bytes, size_t n)
{
	const struct iovec field = { (void *)(uintptr_t)bytes, n };
	const size_t slot_bytes = line->info.slot_bytes;
	struct support_message m;

	support_fill(&m, slot_bytes, number);
	ck_assert_int_eq(hl_producer_sendv(line->producer, &m, slot_bytes,
					   &field, bytes ? 1 : 0, HL_NOWAIT),
			 1);
}

void line_send_offset(struct line *line, uint64_t number,
		      uint32_t payload_offset)
{
	struct hl_claim claim;
	struct hl_message *m;

	ck_assert_int_eq(
		hl_producer_claim(line->producer, 1, HL_NOWAIT, &claim), 1);
	m = (struct hl_message *)hl_claim_slot(&claim, 0);
	support_fill(m, line->info.slot_bytes, number);
	m->payload_offset = payload_offset;
	ck_assert_int_eq(hl_producer_publish(line->producer), 0);
}

const struct hl_message *line_take(struct line *line)
{
	ck_assert_int_eq(hl_consumer_take(line->consumer, 1, HL_NOWAIT,
					  &line->batch),
			 1);
	return (const struct hl_message *)hl_batch_next(&line->batch);
}

void line_done(struct line *line)
{
	ck_assert_int_eq(hl_consumer_done(line->consumer), 0);
}

const unsigned char *line_field(struct line *line, const void *message,
				uint32_t k, size_t *size_bytes)
{
	struct hl_payload payload;
	const void *data;

	ck_assert_int_eq(hl_batch_payload(&line->batch, message, &payload), 0);
	ck_assert_int_eq(hl_payload_field(&payload, k, &data, size_bytes), 0);
	return (const unsigned char *)data;
}

void line_damage(const void *bytes, size_t offset, uint32_t word)
{
	memcpy((unsigned char *)(uintptr_t)bytes + offset, &word, sizeof(word));
}
