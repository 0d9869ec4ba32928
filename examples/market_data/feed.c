/* SPDX-License-Identifier: MIT */
/*
 * feed - put the messages of an ITCH file into a ring
 *
 *     feed --ring NAME FILE
 *
 * Fills the slots in place: reads some messages, claims as many slots, writes
 * them, publishes all at once. Nothing is read while slots are claimed: a file
 * that comes slowly through a pipe holds nobody up. At the end the ring is
 * finished.
 *
 * Exit status: 0 all sent, 1 failed, 2 wrong usage, 3 the file breaks off or
 * has an unknown message: what precedes it was sent, and the ring is finished.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "itch.h"
#include "tick.h"

#define BURST 32
#define FILE_BROKEN 3 /* exit status */

/* Every field but the ring's: the slot still holds what an older lap left. */
static void fill(struct tick *tick, const struct itch_message *message)
{
	tick->type = message->type;
	tick->side = message->side;
	tick->locate = message->locate;
	tick->price = message->price;
	tick->timestamp_ns = message->timestamp_ns;
	tick->order = message->order;
	tick->new_order = message->new_order;
	tick->shares = message->shares;
	hl_message_text(tick->stock, sizeof(tick->stock), message->stock);
	tick->unused = 0;
	tick->payload_offset = 0;
}

static int send_burst(struct hl_producer *producer,
		      const struct itch_message *messages, size_t count)
{
	size_t sent = 0;

	while (sent < count) {
		struct hl_claim claim;
		const ssize_t n = hl_producer_claim(producer, count - sent,
						    HL_FOREVER, &claim);
		int ret;

		if (n < 0)
			return (int)n;
		for (size_t i = 0; i < (size_t)n; i++)
			fill(hl_claim_slot(&claim, i), &messages[sent + i]);
		ret = hl_producer_publish(producer);
		if (ret < 0)
			return ret;
		sent += (size_t)n;
	}
	return 0;
}

/* Says what is wrong, if something is; returns the exit status. */
static int send_file(struct hl_producer *producer, FILE *file)
{
	struct itch_message messages[BURST];
	struct itch_reader reader;
	int status = 1;
	int ret = 0;

	itch_reader_init(&reader, file);
	while (status == 1 && ret == 0) {
		size_t count = 0;

		while (count < BURST && status == 1) {
			status = itch_reader_next(&reader, &messages[count]);
			count += status == 1;
		}
		ret = send_burst(producer, messages, count);
	}
	printf("feed: messages %" PRIu64 ", bytes %" PRIu64 "\n", reader.count,
	       reader.offset);
	if (ret < 0)
		fprintf(stderr, "feed: the ring: %s\n", strerror(-ret));
	else if (status == -EBADMSG)
		fprintf(stderr, "feed: %s\n", reader.reason);
	else if (status < 0)
		fprintf(stderr, "feed: %s\n", strerror(-status));
	if (status == -EBADMSG && ret == 0)
		return FILE_BROKEN;
	return ret < 0 || status < 0;
}

static int run(const char *name, FILE *file)
{
	struct hl_producer *producer = NULL;
	struct hl_ring *ring = NULL;
	struct hl_error err;
	int ret, status;

	ret = hl_ring_open(name, 0, &ring, &err);
	if (ret == 0)
		ret = hl_producer_join(ring, NULL, &producer, &err);
	if (ret < 0) {
		fprintf(stderr, "feed: %s\n", err.text);
		hl_ring_close(ring);
		return 1;
	}
	status = send_file(producer, file);
	/* Also after a failure: who reads the ring is to end. */
	if (hl_producer_finish(producer) < 0 && status == 0)
		status = 1;
	hl_producer_leave(producer);
	hl_ring_close(ring);
	return status;
}

int main(int argc, char **argv)
{
	static const struct option known[] = {
		{ "ring", required_argument, NULL, 'r' },
		{ NULL, 0, NULL, 0 },
	};
	const char *name = NULL;
	FILE *file = stdin;
	int c, status;

	while ((c = getopt_long(argc, argv, "", known, NULL)) != -1)
		name = c == 'r' ? optarg : "";
	if (!name || !*name || optind != argc - 1) {
		fprintf(stderr, "usage: feed --ring NAME FILE\n");
		return 2;
	}
	if (strcmp(argv[optind], "-") != 0)
		file = fopen(argv[optind], "re");
	if (!file) {
		fprintf(stderr, "feed: %s: %s\n", argv[optind],
			strerror(errno));
		return 1;
	}
	status = run(name, file);
	if (file != stdin)
		fclose(file);
	return status;
}
