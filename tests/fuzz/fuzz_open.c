/* SPDX-License-Identifier: MIT */
/*
 * fuzz_open.c - open and use a file that may be a ring
 *
 *   byte 0, even   a valid ring; byte 1 is its shape, then damage follows
 *   byte 0, odd    a raw file; byte 1 says how far it is made longer
 */
#include "config.h"

#include "fuzz_ring.h"

const char *const fuzz_target = "open";

#define TAKES 6
#define SENDS 6

static void produce(struct hl_ring *ring)
{
	HL_ALIGN_LINE unsigned char message[HL_LINE_BYTES] = { 1 };
	struct iovec field = { message, 24 };
	struct hl_producer *producer;
	struct hl_claim claim;
	ssize_t got;
	int i, ret;

	ret = hl_producer_join(ring, NULL, &producer, NULL);
	FUZZ_EXPECT(fuzz_code_ok(ret));
	if (ret < 0)
		return;
	for (i = 0; i < SENDS; i++) {
		ret = hl_producer_sendv(producer, message, sizeof(message),
					&field, i % 2u, HL_NOWAIT);
		FUZZ_EXPECT(fuzz_code_ok(ret));
	}
	got = hl_producer_claim(producer, 2, HL_NOWAIT, &claim);
	FUZZ_EXPECT(fuzz_code_ok(got));
	for (i = 0; i < got; i++)
		memset(hl_claim_slot(&claim, (size_t)i), 0x5a,
		       HL_SEQUENCE_OFFSET);
	if (got > 0)
		FUZZ_EXPECT(fuzz_code_ok(hl_producer_publish(producer)));
	hl_producer_leave(producer);
}

static void consume(struct hl_ring *ring, enum hl_group_kind kind)
{
	struct hl_group_attr group = HL_GROUP_ATTR_INIT;
	struct hl_consumer *consumer;
	struct hl_batch batch;
	ssize_t got;
	int i, ret;

	group.name = fuzz_groups[kind];
	group.kind = kind;
	ret = hl_consumer_join(ring, &group, NULL, &consumer, NULL);
	FUZZ_EXPECT(fuzz_code_ok(ret));
	if (ret < 0)
		return;
	for (i = 0; i < TAKES; i++) {
		got = hl_consumer_take(consumer, 3, HL_NOWAIT, &batch);
		FUZZ_EXPECT(fuzz_code_ok(got));
		if (got <= 0)
			break;
		fuzz_walk(&batch);
		FUZZ_EXPECT(fuzz_code_ok(hl_consumer_done(consumer)));
	}
	hl_consumer_leave(consumer);
}

static void use(const char *name)
{
	struct hl_error err = { 0 };
	struct hl_ring *ring;
	int ret;

	ret = hl_ring_open(name, 0, &ring, &err);
	FUZZ_EXPECT(fuzz_code_ok(ret));
	if (ret < 0) {
		FUZZ_EXPECT(err.code == ret && err.text[0] != '\0');
		return;
	}
	produce(ring);
	consume(ring, HL_GROUP_EXCLUSIVE);
	consume(ring, HL_GROUP_SHARED);
	consume(ring, HL_GROUP_LOSSY);
	FUZZ_EXPECT(fuzz_code_ok(hl_ring_finish(ring, NULL)));
	FUZZ_EXPECT(hl_ring_close(ring) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input in = { data, size };
	struct fuzz_ring ring;
	int i;

	if (fuzz_u8(&in) % 2) {
		fuzz_ring_raw(&ring, &in);
	} else {
		fuzz_ring_make(&ring, fuzz_u8(&in));
		for (i = 0; in.left && i < 64; i++)
			fuzz_ring_damage(&ring, &in);
	}
	fuzz_look(ring.name);
	use(ring.name);
	FUZZ_EXPECT(fuzz_code_ok(hl_ring_unlink(ring.name, false, NULL)));
	fuzz_ring_fini(&ring);
	return 0;
}
