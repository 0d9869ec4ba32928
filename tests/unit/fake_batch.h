/* SPDX-License-Identifier: MIT */
/*
 * fake_batch.h - for tests of the router: batches in private memory
 *
 * Validation and forwarding are the library's other parts: they are stood in
 * for by functions that answer what a test wants. Include it once a program.
 */
#ifndef TESTS_FAKE_BATCH_H
#define TESTS_FAKE_BATCH_H

#include <hotline/router.h>

#include <stdatomic.h>

#define FAKE_SLOTS 16u

/* A batch over slots of its own. */
struct fake {
	struct hl_message slots[FAKE_SLOTS];
	struct hl_batch batch;
};

/* What hl_producer_forward() returns. */
static int forward_answer;

/* A message says by its checksum what is wrong with it. */
enum hl_verdict hl_batch_validate(const struct hl_batch *batch,
				  const void *message)
{
	(void)batch;
	return (enum hl_verdict)((const struct hl_message *)message)->checksum;
}

int hl_producer_forward(struct hl_producer *producer,
			const struct hl_batch *batch, const void *message,
			int64_t timeout_ns)
{
	(void)producer;
	(void)batch;
	(void)timeout_ns;
	(void)message;
	return forward_answer;
}

static inline void fake_init(struct fake *fake)
{
	memset(fake, 0, sizeof(*fake));
	fake->batch.slots = (const unsigned char *)fake->slots;
	fake->batch.position = 1;
	fake->batch.mask = FAKE_SLOTS - 1;
	fake->batch.slot_bytes = sizeof(struct hl_message);
}

/* Put a message behind the others of the batch. */
static inline struct hl_message *fake_add(struct fake *fake, uint32_t type,
					  const char *recipient)
{
	struct hl_batch *batch = &fake->batch;
	const uint32_t i = (batch->first + batch->count) & batch->mask;
	struct hl_message *m = &fake->slots[i];

	m->type = type;
	hl_message_text(m->recipient, sizeof(m->recipient), recipient);
	m->sequence = batch->position + batch->count;
	batch->count++;
	batch->messages++;
	return m;
}

struct counter {
	_Atomic uint64_t n;
};

/* Count only: for several threads. */
static inline int count(const struct hl_batch *batch, const void *message,
			void *user)
{
	(void)batch;
	(void)message;
	atomic_fetch_add(&((struct counter *)user)->n, 1);
	return 0;
}

#endif /* TESTS_FAKE_BATCH_H */
