/* SPDX-License-Identifier: MIT */
/*
 * hello_consumer - read what hello_producer sends, until ten have come
 */
#include <hotline/hotline.h>
#include <inttypes.h>
#include <stdio.h>

int main(void)
{
	struct hl_group_attr group = HL_GROUP_ATTR_INIT;
	struct hl_consumer *consumer = NULL;
	struct hl_ring *ring = NULL;
	struct hl_error err = { 0 };
	const struct hl_message *message;
	struct hl_batch batch;
	int64_t last = 0;
	ssize_t ret;

	group.name = "readers";
	group.durable = true; /* goes on, next time, where it stopped */
	ret = hl_ring_open_or_create("hello", NULL, &ring, &err);
	if (ret == 0)
		ret = hl_consumer_join(ring, &group, NULL, &consumer, &err);
	while (ret >= 0 && last < 10) {
		ret = hl_consumer_take(consumer, 10, HL_FOREVER, &batch);
		while (ret > 0 && (message = hl_batch_next(&batch))) {
			last = message->amount;
			printf("%.12s sent %" PRId64 "\n", message->sender,
			       last);
		}
		hl_consumer_done(consumer);
	}
	if (ret < 0)
		fprintf(stderr, "error %zd %s\n", ret, err.text);
	hl_consumer_leave(consumer);
	hl_ring_close(ring);
	return ret < 0;
}
