/* SPDX-License-Identifier: MIT */
/*
 * rings.h - rings, participants and messages for tests
 */
#ifndef TESTS_RINGS_H
#define TESTS_RINGS_H

#include "support.h"

#include <hotline/hotline.h>

/*
 * All assert. A ring's name is another one at each call. Tests need not close
 * what comes from here: their process ends.
 */
const char *support_name(void);
struct hl_ring *support_create(const struct hl_ring_attr *attr);
struct hl_ring *support_open(const char *name);
struct hl_producer *support_produce(struct hl_ring *ring);
struct hl_consumer *support_consume(struct hl_ring *ring, const char *group,
				    enum hl_group_kind kind);

/* The same for helpers: NULL when it failed, which is noted. */
struct hl_ring *helper_open(struct helper *self, const char *name);
struct hl_producer *helper_produce(struct helper *self, struct hl_ring *ring);
struct hl_consumer *helper_consume(struct helper *self, struct hl_ring *ring,
				   const char *group, enum hl_group_kind kind);

/* Memory of zeroes that forked helpers share. Asserts. */
void *support_shared(size_t bytes);

/* The attr of a group with a name and a kind. */
struct hl_group_attr support_group(const char *name, enum hl_group_kind kind);

/*
 * Numbered messages: amount is the number, and every other field of the user's
 * follows from it, so that a torn one is found out.
 */
#define SUPPORT_SLOT_MAX 1024
struct support_message {
	struct hl_message head;
	unsigned char more[SUPPORT_SLOT_MAX - sizeof(struct hl_message)];
};

void support_fill(void *message, size_t bytes, uint64_t number);
bool support_whole(const void *message, size_t bytes);
uint64_t support_number(const void *message);

/* Send messages with the numbers from first to first + n - 1. Asserts. */
void support_send(struct hl_producer *producer, uint64_t first, uint64_t n);

/* Send messages without payload until the ring is full. Asserts. */
void support_fill_ring(struct hl_producer *producer);

/* Take n messages and expect those numbers; each batch is done. Asserts. */
void support_take(struct hl_consumer *consumer, uint64_t first, uint64_t n);

/* hl_consumer_next(), and what it gave as a batch of one message. */
ssize_t support_next(struct hl_consumer *consumer, int64_t timeout_ns,
		     struct hl_batch *batch);

/* Not 0: it has looked whether it should stay away. */
uint64_t support_pace(const struct hl_consumer *consumer);

/* Nothing is there. Asserts. */
void support_take_nothing(struct hl_consumer *consumer);

#endif /* TESTS_RINGS_H */
