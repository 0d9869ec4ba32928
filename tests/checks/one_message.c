/* SPDX-License-Identifier: MIT */
/*
 * one_message.c - what a user's first program does, in C and in C++
 *
 * Built against the installed library by pkgconfig.sh. Creates a ring, sends
 * one message, takes it, removes the ring.
 */
#include <hotline/hotline.h>
#include <hotline/inspect.h>
#include <hotline/router.h>

#include <stdio.h>
#include <string.h>

static int send_one(struct hl_ring *ring)
{
	struct hl_producer *producer;
	struct hl_message message;
	int ret;

	memset(&message, 0, sizeof(message));
	message.amount = 1250;
	ret = hl_producer_join(ring, NULL, &producer, NULL);
	if (ret)
		return ret;
	ret = hl_producer_send(producer, &message, sizeof(message), HL_NOWAIT);
	hl_producer_leave(producer);
	return ret == 1 ? 0 : -1;
}

static int take_one(struct hl_ring *ring)
{
	struct hl_group_attr group = HL_GROUP_ATTR_INIT;
	const struct hl_message *message;
	struct hl_consumer *consumer;
	struct hl_batch batch;
	int ret;

	group.name = "first";
	ret = hl_consumer_join(ring, &group, NULL, &consumer, NULL);
	if (ret)
		return ret;
	ret = -1;
	if (hl_consumer_take(consumer, 8, HL_NOWAIT, &batch) == 1) {
		message = (const struct hl_message *)hl_batch_next(&batch);
		if (message && message->amount == 1250)
			ret = hl_consumer_done(consumer);
	}
	hl_consumer_leave(consumer);
	return ret;
}

int main(void)
{
	struct hl_ring_attr attr = HL_RING_ATTR_INIT;
	struct hl_error error;
	struct hl_ring *ring;
	int ret;

	attr.capacity = 8;
	ret = hl_ring_create("one-message", &attr, &ring, &error);
	if (ret) {
		fprintf(stderr, "%s\n", error.text);
		return 1;
	}
	ret = send_one(ring);
	if (!ret)
		ret = take_one(ring);
	hl_ring_close(ring);
	if (hl_ring_unlink("one-message", false, NULL))
		ret = -1;
	if (ret)
		fprintf(stderr, "not sent or not taken: %d\n", ret);
	else
		puts(hl_version());
	return ret ? 1 : 0;
}
