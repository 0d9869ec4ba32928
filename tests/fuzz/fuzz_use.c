/* SPDX-License-Identifier: MIT */
/*
 * fuzz_use.c - calls of the library, with damage done between them
 *
 * The input is a ring's shape and then a sequence of steps: one damages a
 * word, or it is a call on one of a few participants. None of them waits for
 * longer than some microseconds.
 */
#include "config.h"

#include "fuzz_ring.h"

#include <errno.h>

const char *const fuzz_target = "use";

#define STEPS 160
#define JOINS 8
#define SHORT_NS 2000
#define FIELDS 3
#define FIELD_BYTES 16

struct member {
	struct hl_consumer *consumer;
	struct hl_batch batch;
	const void *message; /* the last one of the walk */
};

struct play {
	struct fuzz_ring file;
	struct hl_ring *ring;
	struct hl_ring_info info;
	struct hl_producer *producers[2];
	struct hl_claim claims[2];
	struct member members[3];
	int joins;
};

static int64_t timeout(struct fuzz_input *in)
{
	switch (fuzz_u8(in) % 8) {
	case 0:
		return SHORT_NS;
	case 1:
		return HL_DROP;
	default:
		return HL_NOWAIT;
	}
}

static void join(struct play *play, uint8_t which)
{
	struct hl_group_attr group = HL_GROUP_ATTR_INIT;
	const unsigned kind = which % 3u;
	int ret = 0;

	if (++play->joins > JOINS)
		return;
	if (which & 0x80) {
		if (!play->producers[which % 2])
			ret = hl_producer_join(play->ring, NULL,
					       &play->producers[which % 2],
					       NULL);
	} else if (!play->members[kind].consumer) {
		group.name = fuzz_groups[kind];
		group.kind = (enum hl_group_kind)kind;
		group.durable = which & 0x40;
		ret = hl_consumer_join(play->ring, &group, NULL,
				       &play->members[kind].consumer, NULL);
	}
	FUZZ_EXPECT(fuzz_code_ok(ret));
}

static void send(struct hl_producer *producer, struct fuzz_input *in)
{
	HL_ALIGN_LINE unsigned char message[HL_LINE_BYTES] = { 7 };
	struct iovec fields[FIELDS];
	const size_t n = fuzz_u8(in) % (FIELDS + 1u);
	size_t i;

	for (i = 0; i < n; i++) {
		fields[i].iov_base = message;
		fields[i].iov_len = fuzz_u8(in) % HL_LINE_BYTES;
	}
	FUZZ_EXPECT(fuzz_code_ok(hl_producer_sendv(
		producer, message, sizeof(message), fields, n, timeout(in))));
}

/* Build a payload in place, and point a claimed slot to it. */
static void build(struct play *play, unsigned p, struct fuzz_input *in)
{
	static const size_t sizes[FIELDS] = { FIELD_BYTES, FIELD_BYTES,
					      FIELD_BYTES };
	struct hl_producer *const producer = play->producers[p];
	struct hl_payload_space space;
	uint32_t k;
	int ret;

	ret = hl_payload_alloc(producer, sizes, FIELDS, &space);
	FUZZ_EXPECT(fuzz_code_ok(ret));
	if (ret < 0)
		return;
	if (fuzz_u8(in) & 1)
		fuzz_ring_damage(&play->file, in);
	for (k = 0; k < FIELDS; k++)
		FUZZ_EXPECT(!hl_payload_space_field(&space, FIELDS, 0));
	if (fuzz_u8(in) & 1)
		hl_payload_cancel(producer, &space);
	else if (play->claims[p].count)
		memcpy((char *)hl_claim_slot(&play->claims[p], 0) +
			       HL_PAYLOAD_OFFSET,
		       &space.payload_offset, sizeof(space.payload_offset));
}

static void claim(struct play *play, unsigned p, struct fuzz_input *in)
{
	struct hl_producer *const producer = play->producers[p];
	struct hl_claim *const claim = &play->claims[p];
	const size_t n = 1 + fuzz_u8(in) % play->info.capacity;
	ssize_t got = hl_producer_claim(producer, n, timeout(in), claim);
	ssize_t i;

	FUZZ_EXPECT(fuzz_code_ok(got));
	FUZZ_EXPECT(got <= (ssize_t)n);
	for (i = 0; i < got; i++)
		memset(hl_claim_slot(claim, (size_t)i), 0x33,
		       HL_SEQUENCE_OFFSET);
	if (got <= 0 && got != -EBUSY)
		claim->count = 0;
}

static void settle(struct play *play, unsigned p, struct fuzz_input *in)
{
	struct hl_producer *const producer = play->producers[p];
	const uint8_t how = fuzz_u8(in);
	const size_t i = fuzz_u8(in) % play->info.capacity;
	int ret;

	switch (how % 4) {
	case 0:
		ret = hl_producer_publish(producer);
		break;
	case 1:
		ret = hl_producer_abandon(producer);
		break;
	case 2:
		ret = hl_producer_publish_slot(producer, i);
		break;
	default:
		ret = hl_producer_abandon_slot(producer, i);
	}
	FUZZ_EXPECT(fuzz_code_ok(ret));
	play->claims[p].count = 0; /* do not write there any more */
}

static void take(struct member *member, struct fuzz_input *in)
{
	const size_t max = 1 + fuzz_u8(in) % 8;
	const int64_t ns = timeout(in);
	const ssize_t got = hl_consumer_take(
		member->consumer, max, ns < 0 ? HL_NOWAIT : ns, &member->batch);

	FUZZ_EXPECT(fuzz_code_ok(got));
	FUZZ_EXPECT(got <= (ssize_t)max);
	if (got > 0)
		member->message = NULL;
}

static void finish(struct member *member, struct fuzz_input *in)
{
	int ret;

	if (fuzz_u8(in) & 1)
		ret = hl_consumer_done_through(member->consumer,
					       member->batch.position +
						       fuzz_u8(in) % 4);
	else
		ret = hl_consumer_done(member->consumer);
	FUZZ_EXPECT(fuzz_code_ok(ret));
	if (ret < 0)
		return;
	member->batch.next = member->batch.count;
	member->batch.at = member->batch.row_last;
}

/* The next message of the batch in hand: looked at, or sent on. */
static void walk(struct play *play, struct member *member, uint8_t how)
{
	if (!member->batch.consumer)
		return;
	member->message = hl_batch_next(&member->batch);
	if (!member->message)
		return;
	fuzz_use_message(&member->batch, member->message);
	if (how & 0x80 && play->producers[0])
		FUZZ_EXPECT(fuzz_code_ok(
			hl_producer_forward(play->producers[0], &member->batch,
					    member->message, HL_NOWAIT)));
}

static void leave(struct play *play, uint8_t which)
{
	struct member *const member = &play->members[which % 3];
	const unsigned p = which % 2;

	if (which & 0x80) {
		hl_producer_leave(play->producers[p]);
		play->producers[p] = NULL;
		play->claims[p].count = 0;
	} else {
		hl_consumer_leave(member->consumer);
		memset(member, 0, sizeof(*member));
	}
}

static void change_groups(struct play *play, uint8_t how)
{
	struct hl_group_attr group = HL_GROUP_ATTR_INIT;
	int ret;

	group.name = fuzz_groups[how % 3];
	group.kind = (enum hl_group_kind)(how / 4 % 3);
	group.start = (enum hl_group_start)(how / 16 % 3);
	group.position = how;
	if (how & 0x80)
		ret = hl_group_drop(play->ring, group.name, NULL);
	else
		ret = hl_group_create(play->ring, &group, NULL);
	FUZZ_EXPECT(fuzz_code_ok(ret));
}

static void step_producer(struct play *play, uint8_t op, struct fuzz_input *in)
{
	const unsigned p = op >> 7;

	if (!play->producers[p])
		return;
	switch (op % 4) {
	case 0:
		send(play->producers[p], in);
		break;
	case 1:
		claim(play, p, in);
		break;
	case 2:
		settle(play, p, in);
		break;
	default:
		build(play, p, in);
	}
}

static void step_consumer(struct play *play, uint8_t op, struct fuzz_input *in)
{
	struct member *const member = &play->members[(op >> 6) % 3];

	if (!member->consumer)
		return;
	switch (op % 4) {
	case 0:
		take(member, in);
		break;
	case 1:
		finish(member, in);
		break;
	default:
		walk(play, member, op << 2);
	}
}

static void step(struct play *play, struct fuzz_input *in)
{
	const uint8_t op = fuzz_u8(in);

	switch (op / 4 % 8) {
	case 0:
		join(play, fuzz_u8(in));
		break;
	case 1:
		leave(play, fuzz_u8(in));
		break;
	case 2:
	case 3:
		step_producer(play, op, in);
		break;
	case 4:
	case 5:
		step_consumer(play, op, in);
		break;
	case 6:
		fuzz_ring_damage(&play->file, in);
		break;
	default:
		if (op % 4 == 0 && ++play->joins <= JOINS)
			change_groups(play, fuzz_u8(in));
		else if (op % 4 == 1)
			fuzz_look(play->file.name);
		else if (op == 0xff)
			FUZZ_EXPECT(
				fuzz_code_ok(hl_ring_finish(play->ring, NULL)));
	}
}

static void end(struct play *play)
{
	unsigned i;

	for (i = 0; i < 3; i++)
		hl_consumer_leave(play->members[i].consumer);
	for (i = 0; i < 2; i++)
		hl_producer_leave(play->producers[i]);
	FUZZ_EXPECT(hl_ring_close(play->ring) == 0);
	fuzz_ring_fini(&play->file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input in = { data, size };
	struct play play = { 0 };
	int i;

	fuzz_ring_make(&play.file, fuzz_u8(&in));
	FUZZ_EXPECT(hl_ring_open(play.file.name, 0, &play.ring, NULL) == 0);
	hl_ring_get_info(play.ring, &play.info);
	for (i = 0; in.left && i < STEPS; i++)
		step(&play, &in);
	end(&play);
	return 0;
}
