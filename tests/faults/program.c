/* SPDX-License-Identifier: MIT */
/*
 * program.c - a user's program, in C and C++: send or take one message
 *
 *	program send RING NUMBER
 *	program take RING
 *
 * Built by builds.sh with compilers and options that the library was not.
 */
#include <hotline/hotline.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int send_one(struct hl_ring *ring, const char *number)
{
	struct hl_producer_attr attr = HL_PRODUCER_ATTR_INIT;
	struct hl_producer *producer;
	struct hl_message message;
	struct hl_error err;
	struct iovec field;
	char text[32];
	int ret;

	snprintf(text, sizeof(text), "%s", number);
	field.iov_base = text;
	field.iov_len = strlen(text) + 1;
	memset(&message, 0, sizeof(message));
	message.amount = strtol(number, NULL, 10);
	ret = hl_producer_join(ring, &attr, &producer, &err);
	if (ret < 0) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	ret = hl_producer_sendv(producer, &message, sizeof(message), &field, 1,
				HL_NOWAIT);
	hl_producer_leave(producer);
	return ret == 1 ? 0 : 1;
}

static int take_one(struct hl_ring *ring)
{
	struct hl_group_attr group = HL_GROUP_ATTR_INIT;
	const struct hl_message *message;
	struct hl_consumer *consumer;
	struct hl_payload payload;
	struct hl_batch batch;
	const void *text = "";
	size_t bytes = 0;

	group.name = "g";
	group.kind = HL_GROUP_SHARED;
	if (hl_consumer_join(ring, &group, NULL, &consumer, NULL) < 0 ||
	    hl_consumer_take(consumer, 1, HL_NOWAIT, &batch) != 1)
		return 1;
	message = (const struct hl_message *)hl_batch_next(&batch);
	if (!message || hl_batch_payload(&batch, message, &payload) < 0 ||
	    hl_payload_field(&payload, 0, &text, &bytes) < 0 ||
	    message->amount != strtol((const char *)text, NULL, 10))
		return 1;
	printf("%s\n", (const char *)text);
	hl_consumer_done(consumer);
	return hl_consumer_leave(consumer) < 0;
}

int main(int argc, char **argv)
{
	struct hl_ring_attr attr = HL_RING_ATTR_INIT;
	struct hl_error err;
	struct hl_ring *ring;
	int ret;

	if (argc < 3)
		return 2;
	if (hl_ring_open_or_create(argv[2], &attr, &ring, &err) < 0) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	ret = argc > 3 ? send_one(ring, argv[3]) : take_one(ring);
	hl_ring_close(ring);
	return ret;
}
