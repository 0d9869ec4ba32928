/* SPDX-License-Identifier: MIT */
/*
 * rings.c - rings, participants and messages for tests
 */
#include "config.h"

#include "rings.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/handle.h"

const char *support_name(void)
{
	static char names[16][48];
	static _Atomic unsigned count;
	const unsigned n = atomic_fetch_add(&count, 1);

	snprintf(names[n % 16], sizeof(names[0]), "test-%d-%u", (int)getpid(),
		 n);
	return names[n % 16];
}

/* Rings left open are no leaks: this keeps them in sight of who looks. */
static void keep(struct hl_ring *ring)
{
	static _Atomic(struct hl_ring *) kept[64];
	static _Atomic unsigned count;

	atomic_store(&kept[atomic_fetch_add(&count, 1) % COUNT_OF(kept)], ring);
}

struct hl_ring *support_create(const struct hl_ring_attr *attr)
{
	struct hl_error err = { 0 };
	struct hl_ring *ring;

	ck_assert_msg(hl_ring_create(support_name(), attr, &ring, &err) == 0,
		      "create: %d %s", err.code, err.text);
	keep(ring);
	return ring;
}

struct hl_ring *support_open(const char *name)
{
	struct hl_error err = { 0 };
	struct hl_ring *ring;

	ck_assert_msg(hl_ring_open(name, 0, &ring, &err) == 0, "open: %d %s",
		      err.code, err.text);
	keep(ring);
	return ring;
}

struct hl_producer *support_produce(struct hl_ring *ring)
{
	struct hl_error err = { 0 };
	struct hl_producer *producer;

	ck_assert_msg(hl_producer_join(ring, NULL, &producer, &err) == 0,
		      "join: %d %s", err.code, err.text);
	return producer;
}

struct hl_consumer *support_consume(struct hl_ring *ring, const char *group,
				    enum hl_group_kind kind)
{
	const struct hl_group_attr attr = support_group(group, kind);
	struct hl_error err = { 0 };
	struct hl_consumer *consumer;

	ck_assert_msg(hl_consumer_join(ring, &attr, NULL, &consumer, &err) == 0,
		      "join: %d %s", err.code, err.text);
	return consumer;
}

struct hl_ring *helper_open(struct helper *self, const char *name)
{
	struct hl_ring *ring;

	EXPECT(self, hl_ring_open(name, 0, &ring, NULL) == 0);
	keep(ring);
	return ring;
}

struct hl_producer *helper_produce(struct helper *self, struct hl_ring *ring)
{
	struct hl_producer *producer;

	EXPECT(self, hl_producer_join(ring, NULL, &producer, NULL) == 0);
	return producer;
}

struct hl_consumer *helper_consume(struct helper *self, struct hl_ring *ring,
				   const char *group, enum hl_group_kind kind)
{
	const struct hl_group_attr attr = support_group(group, kind);
	struct hl_consumer *consumer;

	EXPECT(self, hl_consumer_join(ring, &attr, NULL, &consumer, NULL) == 0);
	return consumer;
}

void *support_shared(size_t bytes)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	ck_assert_ptr_ne(memory, MAP_FAILED);
	return memory;
}

struct hl_group_attr support_group(const char *name, enum hl_group_kind kind)
{
	struct hl_group_attr attr = HL_GROUP_ATTR_INIT;

	attr.name = name;
	attr.kind = kind;
	return attr;
}

void support_fill(void *message, size_t bytes, uint64_t number)
{
	struct hl_message *m = (struct hl_message *)message;

	m->magic = HL_MESSAGE_MAGIC;
	m->type = (uint32_t)number;
	m->timestamp = ~number;
	m->amount = (int64_t)number;
	memset(m->sender, (int)(number % 251), sizeof(m->sender));
	memset(m->recipient, (int)(number % 241), sizeof(m->recipient));
	memset(m + 1, (int)(number % 239), bytes - sizeof(*m));
}

static bool all_bytes(const void *bytes, size_t n, uint64_t value)
{
	const unsigned char *p = (const unsigned char *)bytes;

	for (size_t i = 0; i < n; i++)
		if (p[i] != value)
			return false;
	return true;
}

bool support_whole(const void *message, size_t bytes)
{
	const struct hl_message *m = (const struct hl_message *)message;
	const uint64_t number = (uint64_t)m->amount;

	return m->magic == HL_MESSAGE_MAGIC && m->type == (uint32_t)number &&
	       m->timestamp == ~number &&
	       all_bytes(m->sender, sizeof(m->sender), number % 251) &&
	       all_bytes(m->recipient, sizeof(m->recipient), number % 241) &&
	       all_bytes(m + 1, bytes - sizeof(*m), number % 239);
}

uint64_t support_number(const void *message)
{
	return (uint64_t)((const struct hl_message *)message)->amount;
}

void support_send(struct hl_producer *producer, uint64_t first, uint64_t n)
{
	for (uint64_t i = first; i < first + n; i++) {
		struct hl_message m;
		int ret;

		support_fill(&m, sizeof(m), i);
		ret = hl_producer_send(producer, &m, sizeof(m), DEADLINE_NS);
		ck_assert_msg(ret == 1, "send of number %llu: %d",
			      (unsigned long long)i, ret);
	}
}

void support_fill_ring(struct hl_producer *producer)
{
	struct hl_message m;
	int ret;

	support_fill(&m, sizeof(m), 0);
	do
		ret = hl_producer_send(producer, &m, sizeof(m), HL_NOWAIT);
	while (ret == 1);
	ck_assert_int_eq(ret, -EAGAIN);
}

void support_take(struct hl_consumer *consumer, uint64_t first, uint64_t n)
{
	const uint64_t end = first + n;

	while (first < end) {
		const uint64_t left = end - first;
		struct hl_batch batch;
		const void *m;
		const ssize_t taken = hl_consumer_take(
			consumer, left < 2 ? left : 2, DEADLINE_NS, &batch);

		ck_assert_msg(taken > 0, "take at number %llu: %zd",
			      (unsigned long long)first, taken);
		while ((m = hl_batch_next(&batch))) {
			ck_assert_uint_eq(support_number(m), first);
			ck_assert(support_whole(m, sizeof(struct hl_message)));
			first++;
		}
		ck_assert_int_eq(hl_consumer_done(consumer), 0);
	}
}

ssize_t support_next(struct hl_consumer *consumer, int64_t timeout_ns,
		     struct hl_batch *batch)
{
	const struct hli_run *const run = &consumer->taker.run;
	const void *message;
	const ssize_t got = hl_consumer_next(consumer, timeout_ns, &message);

	if (got <= 0)
		return got;
	*batch = consumer->batch;
	batch->position = run->from;
	batch->redelivered_below = got == 2 ? run->to : 0;
	batch->lost = run->lost;
	batch->attempt = run->attempt;
	batch->count = batch->messages = 1;
	if (!batch->copied)
		batch->first = (uint32_t)(run->from - 1) & batch->mask;
	return message == hl_batch_slot(batch, 0) ? got : -EFAULT;
}

uint64_t support_pace(const struct hl_consumer *consumer)
{
	return consumer->pace.need;
}

void support_take_nothing(struct hl_consumer *consumer)
{
	struct hl_batch batch;

	ck_assert_int_eq(hl_consumer_take(consumer, 1, HL_NOWAIT, &batch),
			 -EAGAIN);
}
