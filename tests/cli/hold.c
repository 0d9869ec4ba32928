/* SPDX-License-Identifier: MIT */
/*
 * hold - a participant that stops itself with something in hand
 *
 *	hold claim NAME N	claim N positions, stop, publish them
 *	hold abandon NAME N	claim and abandon N positions, stop
 *	hold blocks NAME N	lease N blocks of the arena, stop
 *	hold take NAME GROUP N	take up to N messages, stop, finish them
 *
 * It stops by SIGSTOP, so that whoever started it finds it in the state T. When
 * it is continued it finishes, and exits with 0, or with 1 and the error.
 */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hotline/hotline.h>

static int fail(const char *what, long code, const struct hl_error *err)
{
	fprintf(stderr, "hold: %s: %ld %s\n", what, code, err->text);
	return 1;
}

static int produce(struct hl_producer *producer, const char *how, size_t n)
{
	const struct hl_error none = { 0 };
	struct hl_claim claim;
	ssize_t ret = hl_producer_claim(producer, n, HL_NOWAIT, &claim);

	if (ret < 0)
		return fail("claim", ret, &none);
	for (ssize_t i = 0; i < ret; i++)
		memset(hl_claim_slot(&claim, (size_t)i), 0, HL_SEQUENCE_OFFSET);
	if (strcmp(how, "abandon") == 0) {
		ret = hl_producer_abandon(producer);
		raise(SIGSTOP);
	} else {
		raise(SIGSTOP);
		ret = hl_producer_publish(producer);
	}
	return ret < 0 ? fail("publish", ret, &none) : 0;
}

/* Payloads of a whole block each. */
static int lease(struct hl_producer *producer, uint32_t block_bytes, size_t n)
{
	const struct hl_error none = { 0 };
	const size_t field_bytes = block_bytes;
	struct hl_payload_space space;

	for (size_t i = 0; i < n; i++) {
		const int ret =
			hl_payload_alloc(producer, &field_bytes, 1, &space);

		if (ret < 0)
			return fail("payload", ret, &none);
	}
	raise(SIGSTOP);
	return 0;
}

static int run_producer(struct hl_ring *ring, const char *how, size_t n)
{
	struct hl_error err = { 0 };
	struct hl_ring_info info;
	struct hl_producer *producer;
	int ret = hl_producer_join(ring, NULL, &producer, &err);

	if (ret < 0)
		return fail("join", ret, &err);
	hl_ring_get_info(ring, &info);
	ret = strcmp(how, "blocks") == 0 ?
		      lease(producer, info.block_bytes, n) :
		      produce(producer, how, n);
	hl_producer_leave(producer);
	return ret;
}

static int run_consumer(struct hl_ring *ring, const char *name, size_t n)
{
	struct hl_group_attr group = HL_GROUP_ATTR_INIT;
	struct hl_error err = { 0 };
	struct hl_consumer *consumer;
	struct hl_batch batch;
	ssize_t ret;

	group.name = name;
	group.kind = HL_GROUP_SHARED;
	ret = hl_consumer_join(ring, &group, NULL, &consumer, &err);
	if (ret == -EEXIST) {
		group.kind = HL_GROUP_EXCLUSIVE;
		ret = hl_consumer_join(ring, &group, NULL, &consumer, &err);
	}
	if (ret < 0)
		return fail("join", ret, &err);
	ret = hl_consumer_take(consumer, n, HL_NOWAIT, &batch);
	raise(SIGSTOP);
	if (ret > 0)
		ret = hl_consumer_done(consumer);
	hl_consumer_leave(consumer);
	return ret < 0 ? fail("take", ret, &err) : 0;
}

int main(int argc, char **argv)
{
	const bool consumes = argc == 5 && strcmp(argv[1], "take") == 0;
	struct hl_error err = { 0 };
	struct hl_ring *ring;
	size_t n;
	int ret;

	if (!consumes && argc != 4) {
		fputs("hold: wrong arguments\n", stderr);
		return 2;
	}
	ret = hl_ring_open(argv[2], 0, &ring, &err);
	if (ret < 0)
		return fail("open", ret, &err);
	n = strtoul(argv[argc - 1], NULL, 10);
	ret = consumes ? run_consumer(ring, argv[3], n) :
			 run_producer(ring, argv[1], n);
	hl_ring_close(ring);
	return ret;
}
