/* SPDX-License-Identifier: MIT */
/*
 * actors.c - what actors do, and who comes after them
 *
 * Calls never wait: who finds nothing lets the others go on, and comes back a
 * few times. When all have ended or died, those that live leave; then an heir
 * takes over each group and sends some messages more. So whatever the dead
 * left has to let others go on.
 */
#include "config.h"

#include "tests/race/race.h"
#include "tests/support/rings.h"

#include <hotline/admin.h>

#include <errno.h>
#include <string.h>
#include <sys/uio.h>

#define HEIR_TRIES 4
#define PLACES (ACTORS_MAX + GROUPS) /* heirs come last */

static const struct scenario *scenario;
static struct hl_ring *ring;
static struct hl_producer *producers[PLACES];
static struct hl_consumer *consumers[PLACES];
static uint64_t last_number;

static bool is_consumer(const struct actor *what)
{
	return what->run == actor_take;
}

static const struct hl_group_attr *group_of(const struct actor *what)
{
	return &scenario->groups[what->group];
}

/* Join, again and again while the place is taken. */
static int join(int self, const struct actor *what)
{
	int ret = -EBUSY;

	for (int i = 0; i <= RETRIES && (ret == -EBUSY || ret == -EUSERS);
	     i++) {
		if (i)
			race_idle();
		ret = is_consumer(what) ?
			      hl_consumer_join(ring, group_of(what), NULL,
					       &consumers[self], NULL) :
			      hl_producer_join(ring, NULL, &producers[self],
					       NULL);
	}
	if (ret == 0 && is_consumer(what))
		account_joined(self, what->group);
	else if (ret < 0 && ret != -EBUSY && ret != -EUSERS)
		race_fail("join: %s", hl_strerror(ret));
	return ret;
}

static void leave(int self)
{
	struct hl_producer *const producer = producers[self];
	struct hl_consumer *const consumer = consumers[self];

	producers[self] = NULL;
	consumers[self] = NULL;
	if (producer)
		hl_producer_leave(producer);
	if (consumer)
		hl_consumer_leave(consumer);
}

/* Write slot i of a claim and publish it. */
static void put(const struct hl_claim *claim, size_t i, uint64_t number)
{
	struct hl_message m = { 0 };
	uint64_t word[HL_LINE_WORDS];

	account_fill(&m, number);
	memcpy(word, &m, sizeof(word));
	hl_claim_put(claim, i, word);
	race_step("put");
}

/* Fill slot i of a claim. */
static void fill(const struct hl_claim *claim, size_t i, uint64_t number,
		 const struct hl_payload_space *space)
{
	struct hl_message *const m = hl_claim_slot(claim, i);

	account_fill(m, number);
	if (space)
		m->payload_offset = space->payload_offset;
}

static int put_payload(struct hl_producer *producer, uint64_t number,
		       struct hl_payload_space *space)
{
	const size_t bytes = PAYLOAD_BYTES;
	unsigned char payload[PAYLOAD_BYTES];
	int ret = hl_payload_alloc(producer, &bytes, 1, space);

	if (ret < 0)
		return ret;
	memset(payload, (int)number, sizeof(payload));
	race_step("payload room");
	memcpy(hl_payload_space_field(space, 0, PAYLOAD_BYTES), payload,
	       PAYLOAD_BYTES);
	race_step("payload");
	return 0;
}

/* Of a ring that somebody finished, or by an operator's decision. */
static bool is_end(int ret)
{
	const uint64_t head = hli_load_acq(&ring->view.header->head);

	return (ret == -EPIPE && (head & HLI_FINISHED)) ||
	       (ret == -EIDRM && race_evictions());
}

static void finish(int self)
{
	const int ret = hl_producer_finish(producers[self]);

	if (ret < 0 && !is_end(ret))
		race_fail("finish: %s", hl_strerror(ret));
}

/* One message, by the call for that. */
static ssize_t send_single(struct hl_producer *producer)
{
	const uint64_t number = ++last_number;
	struct hl_message m = { 0 };
	int ret;

	account_fill(&m, number);
	account_start(number);
	ret = hl_producer_send(producer, &m, sizeof(m), HL_NOWAIT);
	if (ret > 0)
		account_returned(number);
	return ret;
}

/* One burst: messages, or what the claim returned. */
static ssize_t send_burst(struct hl_producer *producer,
			  const struct actor *what, int n)
{
	struct hl_payload_space space;
	struct hl_claim claim;
	const uint64_t number = last_number + 1;
	ssize_t got, i;
	int ret = 0;

	if (what->single)
		return send_single(producer);
	n = n < what->burst ? n : what->burst;
	last_number += (uint64_t)n; /* whether they are sent or not */
	if (what->payload) {
		got = put_payload(producer, number, &space);
		if (got < 0)
			return got;
	}
	got = hl_producer_claim(producer, (size_t)n, HL_NOWAIT, &claim);
	if (got <= 0) {
		if (what->payload)
			hl_payload_cancel(producer, &space);
		return got;
	}
	for (i = got; what->puts && i-- > 0;) {
		account_start(number + (uint64_t)i);
		put(&claim, (size_t)i, number + (uint64_t)i);
	}
	for (i = 0; i < got && !what->puts; i++) {
		account_start(number + (uint64_t)i);
		fill(&claim, (size_t)i, number + (uint64_t)i,
		     what->payload && i == 0 ? &space : NULL);
	}
	if (what->abandon)
		ret = hl_producer_abandon_slot(producer, (size_t)got - 1);
	if (!what->abandon || got > 1)
		ret = hl_producer_publish(producer);
	if (ret < 0)
		return ret;
	for (i = 0; i < got - what->abandon; i++)
		account_returned(number + (uint64_t)i);
	return got;
}

void actor_send(int self, const struct actor *what)
{
	int left = what->n, tries = 0;

	if (what->joins && join(self, what) < 0)
		return;
	while (left > 0 && tries <= RETRIES) {
		const ssize_t got = send_burst(producers[self], what, left);

		if (got == -EAGAIN || got == -ENOBUFS) {
			tries++;
			race_idle();
		} else if (got < 0) {
			if (!is_end((int)got))
				race_fail("claim: %s", hl_strerror((int)got));
			return;
		} else {
			left -= (int)got;
		}
	}
	if (what->finishes)
		finish(self);
	if (what->leaves)
		leave(self);
}

/* Take, use and finish a batch: what the take returned. */
static ssize_t take_batch(int consumer, size_t max)
{
	struct hl_batch batch;
	const ssize_t got =
		hl_consumer_take(consumers[consumer], max, HL_NOWAIT, &batch);
	int ret;

	if (got == -EPIPE)
		account_finished(consumer);
	if (got <= 0)
		return got;
	account_taken(consumer, &batch);
	race_step("in hand");
	if (!batch.copied)
		account_use(consumer);
	if (batch.count > 1 && !batch.copied) {
		account_done(consumer, batch.position + 1);
		ret = hl_consumer_done_through(consumers[consumer],
					       batch.position);
		if (ret < 0 && !is_end(ret))
			race_fail("done_through failed");
		if (ret < 0)
			return ret;
		race_step("half done");
		account_use(consumer);
	}
	account_done(consumer, batch.position + batch.count);
	ret = hl_consumer_done(consumers[consumer]);
	if (ret < 0 && !is_end(ret))
		race_fail("done failed");
	return ret < 0 ? ret : got;
}

/* Finish what is in hand and take one message, by the call for that. */
static ssize_t take_next(int self)
{
	struct hl_consumer *const consumer = consumers[self];
	const struct hli_run *const run = &consumer->taker.run;
	struct hl_batch batch;
	ssize_t got;

	if (consumer->taker.taken)
		account_done(self, run->to);
	got = support_next(consumer, HL_NOWAIT, &batch);
	if (got == -EPIPE)
		account_finished(self);
	if (got <= 0)
		return got;
	account_taken(self, &batch);
	race_step("in hand");
	account_use(self);
	return got;
}

void actor_take(int self, const struct actor *what)
{
	int tries = 0;

	if (what->joins && join(self, what) < 0)
		return;
	for (int i = 0; i < what->n && tries <= RETRIES;) {
		const ssize_t got =
			what->single ? take_next(self) :
				       take_batch(self, (size_t)what->burst);

		if (got == -EAGAIN) {
			tries++;
			race_idle();
		} else if (got < 0) {
			if (!is_end((int)got))
				race_fail("take: %s", hl_strerror((int)got));
			return;
		} else {
			i++;
		}
	}
	if (consumers[self]->taker.taken) { /* by take_next() */
		account_done(self, consumers[self]->taker.run.to);
		if (hl_consumer_done(consumers[self]) < 0 && !race_evictions())
			race_fail("done failed");
	}
	if (what->leaves)
		leave(self);
}

/* An operator, who saw the victim as it is now. */
void actor_evict(int self, const struct actor *what)
{
	const int v = what->victim;
	const struct hli_member *const member =
		consumers[v] ? &consumers[v]->member :
		producers[v] ? &producers[v]->member :
			       NULL;
	int ret;

	(void)self;
	if (!member)
		return;
	race_evicts();
	if (what->force)
		account_forced(v);
	ret = hl_participant_evict(ring, member->index,
				   member->tenure / HLI_TENURE_STEP,
				   what->force, NULL);
	/* Gone before, or a byte that somebody who died still held. */
	if (ret < 0 && ret != -ENOENT && ret != -EUSERS && ret != -ETIMEDOUT)
		race_fail("evict: %s", hl_strerror(ret));
}

static const struct actor heir_sends = { .run = actor_send, .burst = 1 };
static const struct actor heir_sends_payload = {
	.run = actor_send,
	.burst = 1,
	.payload = true,
};

/* By somebody who leaves before all begins. */
static void send_some(int n)
{
	struct hl_producer *producer;

	if (hl_producer_join(ring, NULL, &producer, NULL) < 0) {
		race_fail("nobody can send before");
		return;
	}
	for (int i = 0; i < n; i++)
		if (send_burst(producer, &heir_sends, 1) != 1)
			race_fail("message %d cannot be sent before", i);
	hl_producer_leave(producer);
	account_step();
}

void actors_begin(const struct scenario *s, struct hl_ring *r)
{
	scenario = s;
	ring = r;
	last_number = 0;
	memset(producers, 0, sizeof(producers));
	memset(consumers, 0, sizeof(consumers));
	for (int i = 0; i < ACTORS_MAX; i++) {
		if (!s->actors[i].run || s->actors[i].joins ||
		    s->actors[i].run == actor_evict)
			continue;
		sim_own(i);
		if (join(i, &s->actors[i]) < 0)
			race_fail("actor %d cannot join", i);
	}
	sim_own(NOBODY);
	if (s->nsent)
		send_some(s->nsent);
}

/* All that is there, and what the dead left. */
static void drain(int heir)
{
	ssize_t got;

	account_step();
	for (int tries = 0; tries < HEIR_TRIES && !race_failure[0];) {
		got = take_batch(heir, 1);
		account_step();
		if (got == -EAGAIN)
			tries++;
		else if (got == -EPIPE)
			return;
		else if (got < 0)
			race_fail("the heir cannot take: %s",
				  hl_strerror((int)got));
	}
}

static void heir_joins(int group)
{
	const int heir = ACTORS_MAX + group;
	const int ret = hl_consumer_join(ring, &scenario->groups[group], NULL,
					 &consumers[heir], NULL);

	if (ret < 0)
		race_fail("the heir cannot join: %s", hl_strerror(ret));
	else
		account_joined(heir, group);
}

/* The ring goes on: a lap and more. */
static void heir_goes_on(void)
{
	const struct actor *const what =
		ring->view.geo.nblocks ? &heir_sends_payload : &heir_sends;
	struct hl_producer *producer;
	const int ret = hl_producer_join(ring, NULL, &producer, NULL);
	ssize_t got;

	if (ret < 0) {
		race_fail("the heir cannot produce: %s", hl_strerror(ret));
		return;
	}
	account_step(); /* it looked for the dead */
	for (uint64_t i = 0; i <= ring->view.geo.capacity; i++) {
		for (int tries = 0; tries < HEIR_TRIES; tries++) {
			got = send_burst(producer, what, 1);
			if (got == 1)
				break;
		}
		account_step();
		if (got != 1)
			race_fail("the heir cannot send: %s",
				  hl_strerror((int)got));
		for (int g = 0; g < GROUPS && !race_failure[0]; g++)
			if (consumers[ACTORS_MAX + g])
				drain(ACTORS_MAX + g);
		if (race_failure[0])
			return;
	}
	hl_producer_leave(producer);
}

void actors_end(void)
{
	account_step();
	account_idle();
	for (int i = 0; i < ACTORS_MAX; i++)
		if (race_outcome(i) == ENDED)
			leave(i);
	account_step();
	for (int g = 0; g < GROUPS && !race_failure[0]; g++) {
		if (g >= scenario->ngroups && !scenario->groups[g].durable)
			continue;
		heir_joins(g);
		if (!race_failure[0] &&
		    scenario->groups[g].kind != HL_GROUP_LOSSY)
			drain(ACTORS_MAX + g);
	}
	if (!race_failure[0] && !is_end(-EPIPE))
		heir_goes_on();
	for (int g = 0; g < GROUPS && !race_failure[0]; g++)
		leave(ACTORS_MAX + g);
}
