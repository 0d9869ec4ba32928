/* SPDX-License-Identifier: MIT */
/*
 * test_paths.c - every way through a ring: nothing lost, doubled, torn or out
 * of order
 *
 * {sole, shared} producers x {exclusive, shared, lossy} group x slots only and
 * with an arena x slots of one and of two lines x processes and threads. All
 * producers and consumers have a handle of their own. The ring is small, so
 * that it wraps and fills all the time.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/rings.h"
#include "tests/support/support.h"

#define CAPACITY 64
#define PRODUCERS 3 /* where there are several */
#define CONSUMERS 2
#define MESSAGES 3000	 /* of each producer */
#define PRODUCERS_LONG 8 /* known-faults row 78 */
#define CONSUMERS_LONG 4
#define MESSAGES_LONG 50000
#define BURST 7
#define PAYLOAD_MAX 200

/* What one run of the test is about. */
struct path {
	enum hl_producers producers;
	enum hl_group_kind kind;
	bool arena;
	bool thread;
	uint32_t slot_bytes;
	uint32_t nproducers;
	uint32_t nconsumers;
	uint32_t messages;
	char name[64];
	_Atomic uint32_t next; /* who asks is producer number so and so */
	_Atomic unsigned char seen[]; /* [producer * messages + n] */
};

#define COMBINATIONS (2 * 3 * 2 * 2 * 2)

/* A message's number says whose it is. */
static uint64_t number_of(uint32_t producer, uint32_t n)
{
	return (uint64_t)producer << 32 | n;
}

static size_t payload_bytes(uint64_t number)
{
	return number * 13 % (PAYLOAD_MAX + 1);
}

static void fill_payload(unsigned char *bytes, uint64_t number)
{
	memset(bytes, (int)(number % 253), payload_bytes(number));
}

static int send_copy(struct hl_producer *producer, const struct path *path,
		     uint64_t number)
{
	unsigned char bytes[PAYLOAD_MAX];
	const struct iovec field = { bytes, payload_bytes(number) };
	struct support_message m;
	int ret;

	support_fill(&m, path->slot_bytes, number);
	if (!path->arena)
		return hl_producer_send(producer, &m, path->slot_bytes,
					DEADLINE_NS);
	fill_payload(bytes, number);
	do
		ret = hl_producer_sendv(producer, &m, path->slot_bytes, &field,
					1, DEADLINE_NS);
	while (ret == -ENOBUFS && hl_payload_wait(producer, DEADLINE_NS) == 0);
	return ret;
}

/* Payload, claim, publish, all in place. */
static int send_in_place(struct hl_producer *producer, const struct path *path,
			 uint64_t number)
{
	const size_t bytes = payload_bytes(number);
	struct hl_payload_space space;
	struct hl_message *m;
	struct hl_claim claim;
	ssize_t n;
	int ret;

	do
		ret = hl_payload_alloc(producer, &bytes, 1, &space);
	while (ret == -ENOBUFS &&
	       (ret = hl_payload_wait(producer, DEADLINE_NS)) == 0);
	if (ret < 0)
		return ret;
	fill_payload(hl_payload_space_field(&space, 0, bytes), number);
	n = hl_producer_claim(producer, 1, DEADLINE_NS, &claim);
	if (n < 0)
		return (int)n;
	m = (struct hl_message *)hl_claim_slot(&claim, 0);
	support_fill(m, path->slot_bytes, number);
	m->payload_offset = space.payload_offset;
	ret = hl_producer_publish(producer);
	return ret < 0 ? ret : 1;
}

/* A run of messages with one claim; returns how many. */
static ssize_t send_burst(struct hl_producer *producer, const struct path *path,
			  uint64_t number, uint32_t n)
{
	struct hl_claim claim;
	ssize_t claimed;
	int ret;

	claimed = hl_producer_claim(producer, n, DEADLINE_NS, &claim);
	for (ssize_t i = 0; i < claimed; i++)
		support_fill(hl_claim_slot(&claim, (size_t)i), path->slot_bytes,
			     number + (uint64_t)i);
	if (claimed <= 0)
		return claimed;
	ret = hl_producer_publish(producer);
	return ret < 0 ? ret : claimed;
}

static void produce(struct helper *self)
{
	struct path *path = (struct path *)self->arg;
	const uint32_t me = atomic_fetch_add(&path->next, 1);
	struct hl_ring *ring = helper_open(self, path->name);
	struct hl_producer *producer = helper_produce(self, ring);
	ssize_t sent = 0;

	for (uint32_t n = 0; n < path->messages; n += (uint32_t)sent) {
		const uint64_t number = number_of(me, n);
		const uint32_t left = path->messages - n;

		if (n % 3 == 0)
			sent = send_copy(producer, path, number);
		else if (path->arena)
			sent = send_in_place(producer, path, number);
		else
			sent = send_burst(producer, path, number,
					  left < BURST ? left : BURST);
		if (!EXPECT(self, sent > 0))
			break;
	}
	EXPECT(self, hl_producer_leave(producer) == 0);
	EXPECT(self, hl_ring_close(ring) == 0);
}

static bool payload_right(const struct path *path, const struct hl_batch *batch,
			  const void *m)
{
	const uint64_t number = support_number(m);
	struct hl_payload payload;
	const unsigned char *bytes;
	const void *data;
	size_t size;
	int ret;

	ret = hl_batch_payload(batch, m, &payload);
	if (!path->arena)
		return ret == -ENODATA;
	if (ret == -ESTALE && path->kind == HL_GROUP_LOSSY)
		return true;
	if (ret < 0 || payload.nfields != 1 ||
	    hl_payload_field(&payload, 0, &data, &size) < 0 ||
	    size != payload_bytes(number))
		return false;
	bytes = (const unsigned char *)data;
	for (size_t i = 0; i < size; i++)
		if (bytes[i] != number % 253)
			return false;
	return true;
}

/* Look at one message; last has the number before it of each producer. */
static void check_message(struct helper *self, struct path *path,
			  const struct hl_batch *batch, const void *m,
			  int64_t *last)
{
	const uint64_t number = support_number(m);
	const uint32_t producer = (uint32_t)(number >> 32);
	const uint32_t n = (uint32_t)number;

	EXPECT(self, support_whole(m, path->slot_bytes));
	if (!EXPECT(self, producer < path->nproducers && n < path->messages))
		return;
	EXPECT(self, payload_right(path, batch, m));
	EXPECT(self, (int64_t)n > last[producer]);
	last[producer] = n;
	EXPECT(self,
	       atomic_fetch_add(&path->seen[producer * path->messages + n],
				1) == 0);
}

static void consume(struct helper *self)
{
	struct path *path = (struct path *)self->arg;
	struct hl_ring *ring = helper_open(self, path->name);
	struct hl_consumer *consumer =
		helper_consume(self, ring, "g", path->kind);
	int64_t last[PRODUCERS_LONG];
	uint64_t position = 0;
	struct hl_batch batch;
	ssize_t n;

	memset(last, -1, sizeof(last));
	helper_step(self, 1);
	while ((n = hl_consumer_take(consumer, 16, DEADLINE_NS, &batch)) > 0) {
		const void *m;

		EXPECT(self, batch.position > position);
		EXPECT(self, batch.messages == (uint32_t)n);
		atomic_fetch_add(&self->counts[0], (uint64_t)n);
		atomic_fetch_add(&self->counts[1], batch.lost);
		while ((m = hl_batch_next(&batch))) {
			position = hl_batch_position(&batch);
			EXPECT(self, !hl_batch_redelivered(&batch));
			check_message(self, path, &batch, m, last);
			n--;
		}
		EXPECT(self, n == 0);
		EXPECT(self, hl_consumer_done(consumer) == 0);
	}
	EXPECT(self, n == -EPIPE);
	EXPECT(self, hl_consumer_leave(consumer) == 0);
	EXPECT(self, hl_ring_close(ring) == 0);
}

static struct path *new_path(int combination)
{
	const uint32_t messages = support_long() ? MESSAGES_LONG : MESSAGES;
	struct path *path = support_shared(sizeof(*path) +
					   (size_t)PRODUCERS_LONG * messages);

	path->producers = combination % 2 ? HL_PRODUCERS_SHARED :
					    HL_PRODUCERS_SOLE;
	combination /= 2;
	path->kind = (enum hl_group_kind)(combination % 3);
	combination /= 3;
	path->arena = combination % 2;
	path->slot_bytes = combination / 2 % 2 ? 128 : 64;
	path->thread = combination / 4;
	path->nproducers = path->producers == HL_PRODUCERS_SHARED ? PRODUCERS :
								    1;
	path->nconsumers = path->kind == HL_GROUP_SHARED ? CONSUMERS : 1;
	path->messages = messages;
	return path;
}

static struct hl_ring *new_ring(struct path *path)
{
	const struct hl_group_attr group = support_group("g", path->kind);
	struct hl_ring_attr attr = HL_RING_ATTR_INIT;
	struct hl_ring *ring;

	attr.capacity = CAPACITY;
	attr.slot_bytes = path->slot_bytes;
	attr.producers = path->producers;
	attr.max_producers = path->nproducers;
	attr.arena_bytes = path->arena ? 64 * 1024 : 0;
	attr.groups = &group;
	attr.ngroups = 1;
	ring = support_create(&attr);
	snprintf(path->name, sizeof(path->name), "%s", hl_ring_name(ring));
	return ring;
}

static void check_seen(const struct path *path)
{
	const uint64_t n = (uint64_t)path->nproducers * path->messages;

	for (uint64_t i = 0; i < n; i++)
		ck_assert_msg(path->seen[i] == 1,
			      "number %llu of producer %llu came %d times",
			      (unsigned long long)(i % path->messages),
			      (unsigned long long)(i / path->messages),
			      path->seen[i]);
}

START_TEST(every_path_delivers_all_messages_once_and_in_order)
{
	struct path *path = new_path(_i);
	struct hl_ring *ring = new_ring(path);
	struct helper *producers[PRODUCERS_LONG], *consumers[CONSUMERS_LONG];
	uint64_t received = 0, lost = 0;

	for (uint32_t i = 0; i < path->nconsumers; i++) {
		consumers[i] = support_start(path->thread, consume, path);
		support_await(consumers[i], 1);
	}
	for (uint32_t i = 0; i < path->nproducers; i++)
		producers[i] = support_start(path->thread, produce, path);
	for (uint32_t i = 0; i < path->nproducers; i++)
		support_join(producers[i]);
	ck_assert_int_eq(hl_ring_finish(ring, NULL), 0);
	for (uint32_t i = 0; i < path->nconsumers; i++) {
		support_join(consumers[i]);
		received += consumers[i]->counts[0];
		lost += consumers[i]->counts[1];
	}
	ck_assert_uint_eq(received + lost,
			  (uint64_t)path->nproducers * path->messages);
	if (path->kind != HL_GROUP_LOSSY) {
		ck_assert_uint_eq(lost, 0);
		check_seen(path);
	}
	ck_assert_int_eq(hl_ring_close(ring), 0);
}
END_TEST

int main(void)
{
	TCase *tcase = support_begin("paths");

	tcase_add_loop_test(tcase,
			    every_path_delivers_all_messages_once_and_in_order,
			    0, COMBINATIONS);
	return support_end();
}
