/* SPDX-License-Identifier: MIT */
/*
 * hello_producer - send ten messages, and create the ring if nobody has
 */
#include <hotline/hotline.h>
#include <stdio.h>

int main(void)
{
	struct hl_message message = { .magic = HL_MESSAGE_MAGIC, .type = 1 };
	struct hl_producer *producer = NULL;
	struct hl_ring *ring = NULL;
	struct hl_error err = { 0 };
	int ret;

	ret = hl_ring_open_or_create("hello", NULL, &ring, &err);
	if (ret == 0)
		ret = hl_producer_join(ring, NULL, &producer, &err);
	for (int i = 1; i <= 10 && ret >= 0; i++) {
		message.amount = i;
		hl_message_text(message.sender, sizeof(message.sender), "me");
		ret = hl_producer_send(producer, &message, sizeof(message),
				       HL_FOREVER);
	}
	if (ret < 0)
		fprintf(stderr, "error %d %s\n", ret, err.text);
	hl_producer_leave(producer);
	hl_ring_close(ring);
	return ret < 0;
}
