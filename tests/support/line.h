/* SPDX-License-Identifier: MIT */
/*
 * line.h - a ring with one producer, one consumer, and one message in hand
 */
#ifndef TESTS_LINE_H
#define TESTS_LINE_H

#include "rings.h"

struct line {
	struct hl_ring *ring;
	struct hl_producer *producer;
	struct hl_consumer *consumer; /* of the exclusive group "g" */
	struct hl_ring_info info;
	struct hl_batch batch; /* of line_take() */
};

/* All assert. */
void line_init(struct line *line, const struct hl_ring_attr *attr);

/* Send a message of a whole slot; NULL for no payload, else one field. */
void line_send(struct line *line, uint64_t number, const void *bytes, size_t n);

/* Send a message with this payload_offset, written in place. */
void line_send_offset(struct line *line, uint64_t number,
		      uint32_t payload_offset);

/* Take the next message, which has to be there, and finish it. */
const struct hl_message *line_take(struct line *line);
void line_done(struct line *line);

/* Field k of a message that was taken. */
const unsigned char *line_field(struct line *line, const void *message,
				uint32_t k, size_t *size_bytes);

/* Write into what was only lent: anybody who has the ring mapped can. */
void line_damage(const void *bytes, size_t offset, uint32_t word);

#endif /* TESTS_LINE_H */
