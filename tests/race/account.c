/* SPDX-License-Identifier: MIT */
/*
 * account.c - what has to hold at each step, and what at the end
 *
 * At each step:
 *   P  a claimed, unpublished position is covered by a producer's range
 *   C  a position that a shared group has handed out, and that is not done, is
 *      covered by a consumer's range; an exclusive group's cursor is not beyond
 *   -  what is published stays as it is until every group is done with it
 * At the end: each position is published or void, each message that was sent
 * stands at one position, each group had each message, once, or marked; and
 * nobody's record, block, or lock is left behind.
 *
 * It reads the ring's words itself: functions of the library have steps.
 */
#include "config.h"

#include "tests/race/race.h"

#include <errno.h>
#include <string.h>

#include "lib/group.h"
#include "lib/record.h"

#define CONSUMERS 8

struct group_account {
	int index; /* in the ring */
	uint8_t fresh[POSITIONS], marked[POSITIONS], done[POSITIONS];
};

struct consumer_account {
	int group;
	struct hl_batch hand;
	uint64_t from, to; /* in hand */
	uint64_t next;	   /* lossy: the position that comes next */
	uint64_t fresh;	   /* the last one that was not marked */
	bool forced;	   /* an operator gave its hand to others */
};

static struct {
	const struct scenario *scenario;
	const struct hli_view *view;
	uint8_t published[POSITIONS]; /* the number that stands there */
	bool voids[POSITIONS];
	uint8_t position_of[NUMBERS];
	bool started[NUMBERS], returned[NUMBERS];
	struct group_account groups[GROUPS];
	struct consumer_account consumers[CONSUMERS];
} a;

void account_reset(const struct scenario *s, const struct hl_ring *ring)
{
	memset(&a, 0, sizeof(a));
	a.scenario = s;
	a.view = &ring->view;
	for (int g = 0; g < GROUPS; g++)
		a.groups[g].index =
			g < s->ngroups ?
				hli_group_find(a.view, s->groups[g].name) :
				NOBODY;
}

static uint64_t head_now(void)
{
	return hli_head_position(hli_load_acq(&a.view->header->head));
}

static bool whole(const struct hl_message *m)
{
	return m->timestamp == ~(uint64_t)m->amount && m->amount > 0 &&
	       m->amount < NUMBERS;
}

void account_fill(void *message, uint64_t number)
{
	struct hl_message *const m = message;

	m->amount = (int64_t)number;
	race_step("half a message");
	m->timestamp = ~number;
	race_step("a message");
}

void account_start(uint64_t number)
{
	a.started[number] = true;
}

void account_returned(uint64_t number)
{
	a.returned[number] = true;
}

/* Does the range of a record in [first, end) that is not FREE cover p? */
static bool covered(uint32_t first, uint32_t end, uint64_t p)
{
	for (uint32_t i = first; i < end; i++) {
		const struct hli_record *const r = &a.view->records[i];

		if (hli_record_state(r) != HLI_FREE &&
		    hli_load_acq(&r->from) <= p && p < hli_load_acq(&r->to))
			return true;
	}
	return false;
}

static void see_published(uint64_t p, const struct hl_message *m)
{
	const uint64_t number = (uint64_t)m->amount;

	if (!whole(m) || !a.started[number]) {
		race_fail("position %ju: half a message", (uintmax_t)p);
	} else if (a.voids[p]) {
		race_fail("position %ju: was void", (uintmax_t)p);
	} else if (!a.published[p] && a.position_of[number]) {
		race_fail("message %ju stands at %u and %ju", (uintmax_t)number,
			  a.position_of[number], (uintmax_t)p);
	} else if (a.published[p] && a.published[p] != number) {
		race_fail("position %ju: was %u, is %ju", (uintmax_t)p,
			  a.published[p], (uintmax_t)number);
	} else {
		a.published[p] = (uint8_t)number;
		a.position_of[number] = (uint8_t)p;
	}
}

/* A position below head, of the lap that the slots hold. */
static void check_slot(uint64_t p)
{
	const uint64_t stamp = hli_load_acq(hli_stamp(a.view, p));
	const uint64_t named = hli_stamp_position(stamp);

	if (named > p) {
		race_fail("position %ju: stamp of %ju, above head",
			  (uintmax_t)p, (uintmax_t)named);
	} else if (named < p) {
		if (a.published[p] || a.voids[p])
			race_fail("position %ju: its stamp went back",
				  (uintmax_t)p);
		else if (!covered(0, a.view->geo.max_producers, p))
			race_fail("P: nobody's range covers %ju", (uintmax_t)p);
	} else if (stamp == p) {
		see_published(p, (const void *)hli_slot(a.view, p));
	} else if (a.published[p]) {
		race_fail("position %ju: published, and void", (uintmax_t)p);
	} else {
		a.voids[p] = true;
	}
}

static void check_group(const struct group_account *group, uint64_t head)
{
	const uint64_t capacity = a.view->geo.capacity;
	const struct hli_group *const g = &a.view->groups[group->index];
	const bool shared = hli_load_rlx(&g->kind) == HL_GROUP_SHARED;
	const uint64_t next = hli_load_acq(&g->next);

	if (hli_load_rlx(&g->kind) == HL_GROUP_LOSSY)
		return;
	for (uint64_t p = 1; p < head; p++) {
		if (!a.published[p] || group->done[p])
			continue;
		if (head > p + capacity)
			race_fail("position %ju: overwritten before it was "
				  "done",
				  (uintmax_t)p);
		else if (p < next &&
			 !(shared && covered(a.view->geo.max_producers,
					     a.view->nrecords, p)))
			race_fail("C: nobody's range covers %ju", (uintmax_t)p);
	}
}

static bool payload_whole(const struct hl_batch *batch,
			  const struct hl_message *m)
{
	unsigned char right[PAYLOAD_BYTES];
	struct hl_payload payload;
	const void *field;
	size_t bytes;
	const int ret = hl_batch_payload(batch, m, &payload);

	if (ret == -ENODATA)
		return true;
	if (ret < 0) /* a lossy reader may come too late */
		return batch->copied && ret == -ESTALE;
	memset(right, (int)m->amount, sizeof(right));
	return hl_payload_field(&payload, 0, &field, &bytes) == 0 &&
	       bytes == sizeof(right) && memcmp(field, right, bytes) == 0;
}

void account_use(int consumer)
{
	const struct consumer_account *const c = &a.consumers[consumer];
	struct hl_batch hand = c->hand;
	const struct hl_message *m;

	if (c->forced)
		return;
	while ((m = hl_batch_next(&hand))) {
		const uint64_t p = hl_batch_position(&hand);

		if (p < c->from)
			continue;
		if (!whole(m) || a.published[p] != m->amount)
			race_fail("position %ju changed in hand", (uintmax_t)p);
		else if (!payload_whole(&hand, m))
			race_fail("payload of %ju changed in hand",
				  (uintmax_t)p);
	}
}

void account_step(void)
{
	const uint64_t head = head_now();
	const uint64_t capacity = a.view->geo.capacity;

	if (head >= POSITIONS) {
		race_fail("head is %ju", (uintmax_t)head);
		return;
	}
	for (uint64_t p = head > capacity ? head - capacity : 1; p < head; p++)
		check_slot(p);
	for (int g = 0; g < GROUPS; g++)
		if (a.groups[g].index >= 0)
			check_group(&a.groups[g], head);
}

/* A durable group that an actor has created: what is below it is not its. */
static void begin_group(struct group_account *group,
			const struct hl_group_attr *attr)
{
	uint64_t start;

	group->index = hli_group_find(a.view, attr->name);
	if (group->index < 0) {
		race_fail("group %s is not there after a join", attr->name);
		return;
	}
	start = hli_load_acq(&a.view->groups[group->index].start);
	for (uint64_t p = 1; p < start; p++)
		group->done[p] = group->fresh[p] = true;
}

void account_joined(int consumer, int group)
{
	const struct hl_group_attr *const attr = &a.scenario->groups[group];
	int index;

	if (a.groups[group].index < 0 && attr->durable)
		begin_group(&a.groups[group], attr);
	index = a.groups[group].index;
	a.consumers[consumer] = (struct consumer_account){ .group = group };
	if (index >= 0)
		a.consumers[consumer].next =
			hli_load_acq(&a.view->groups[index].next);
}

/*
 * What a lossy consumer passed over: void ones, which are lost only when they
 * were overwritten, and what it counts as lost.
 */
static void check_gap(struct consumer_account *c, uint64_t p, uint64_t lost)
{
	uint64_t voids = 0;

	for (uint64_t q = c->next; q < p; q++)
		voids += a.voids[q];
	if (lost > p - c->next || lost + voids < p - c->next)
		race_fail("before %ju: %ju are counted as lost, %ju are void, "
			  "of %ju",
			  (uintmax_t)p, (uintmax_t)lost, (uintmax_t)voids,
			  (uintmax_t)(p - c->next));
}

static bool nobody_gone(void)
{
	return race_deaths() + race_evictions() == 0;
}

static void take_one(struct consumer_account *c, struct hl_batch *batch,
		     const struct hl_message *m)
{
	struct group_account *const g = &a.groups[c->group];
	const uint64_t p = hl_batch_position(batch);
	const bool marked = hl_batch_redelivered(batch);

	if (!batch->copied && hl_batch_validate(batch, m) != HL_VALID) {
		race_fail("position %ju: its checksum is wrong", (uintmax_t)p);
	} else if (!whole(m) || a.published[p] != m->amount) {
		race_fail("position %ju: took %jd instead of %u", (uintmax_t)p,
			  (intmax_t)m->amount, a.published[p]);
	} else if (!payload_whole(batch, m)) {
		race_fail("position %ju: not its payload", (uintmax_t)p);
	} else if (!marked && p <= c->fresh) {
		race_fail("position %ju: after %ju", (uintmax_t)p,
			  (uintmax_t)c->fresh);
	} else if (g->index >= 0) {
		g->marked[p] += marked;
		g->fresh[p] += !marked;
		if (g->fresh[p] > 1)
			race_fail("position %ju: handed out twice, not marked",
				  (uintmax_t)p);
		if (marked && nobody_gone())
			race_fail("position %ju: marked, and nobody died",
				  (uintmax_t)p);
	}
	if (!marked)
		c->fresh = p;
}

void account_taken(int consumer, struct hl_batch *batch)
{
	struct consumer_account *const c = &a.consumers[consumer];
	const struct hl_message *m;
	uint32_t messages = 0;

	c->hand = *batch;
	c->from = batch->position;
	c->to = batch->position + batch->count;
	if (batch->copied)
		check_gap(c, c->from, batch->lost);
	c->next = c->to;
	for (; !race_failure[0] && (m = hl_batch_next(batch)); messages++)
		take_one(c, batch, m);
	if (!race_failure[0] && messages != batch->messages)
		race_fail("a batch of %u messages has %u", batch->messages,
			  messages);
}

void account_idle(void)
{
	const uint64_t head = head_now();

	/* Who was evicted keeps its claim until it leaves. */
	for (uint32_t i = 0; i < a.view->geo.max_producers; i++)
		for (uint64_t p = 1; p < head && !race_evictions(); p++)
			if (sim_locked(HLI_LOCK_RECORD((int)i)) &&
			    covered(i, i + 1, p) && !a.published[p] &&
			    !a.voids[p])
				race_fail("a producer without a claim covers "
					  "%ju",
					  (uintmax_t)p);
}

void account_done(int consumer, uint64_t end)
{
	struct consumer_account *const c = &a.consumers[consumer];

	for (uint64_t p = c->from; p < end; p++)
		a.groups[c->group].done[p] = true;
	c->from = end;
}

void account_forced(int consumer)
{
	a.consumers[consumer].forced = true;
}

void account_finished(int consumer)
{
	const struct group_account *const g =
		&a.groups[a.consumers[consumer].group];
	const uint64_t head = head_now();

	if (!(hli_load_acq(&a.view->header->head) & HLI_FINISHED))
		race_fail("told of an end that is none");
	for (uint64_t p = 1; p < head && g->index >= 0; p++)
		if (!a.voids[p] && !g->done[p])
			race_fail("told of the end before %ju was done",
				  (uintmax_t)p);
}

static void check_delivery(const struct group_account *g, uint64_t head)
{
	const struct hli_group *const group = &a.view->groups[g->index];

	if (hli_load_rlx(&group->kind) == HL_GROUP_LOSSY)
		return;
	for (uint64_t p = 1; p < head; p++) {
		if (a.published[p] && !g->fresh[p] && !g->marked[p])
			race_fail("position %ju was never delivered",
				  (uintmax_t)p);
		if (a.published[p] && nobody_gone() && !g->fresh[p])
			race_fail("position %ju: only marked", (uintmax_t)p);
	}
	if (hli_load_acq(&group->next) != head)
		race_fail("a group is at %ju, head is %ju",
			  (uintmax_t)hli_load_acq(&group->next),
			  (uintmax_t)head);
}

static void check_rest(void)
{
	uint32_t i;
	uint64_t groups = 0;

	for (i = 0; i < a.view->nrecords; i++) {
		if (hli_record_state(&a.view->records[i]) != HLI_FREE)
			race_fail("record %u is in state %d at the end", i,
				  (int)hli_record_state(&a.view->records[i]));
		if (sim_locked(HLI_LOCK_RECORD((int)i)))
			race_fail("record %u is locked at the end", i);
	}
	for (i = 0; i < a.view->geo.nblocks; i++)
		if (hli_load_acq(&a.view->blocks[i].owner) ||
		    hli_load_acq(&a.view->blocks[i].last_position) >=
			    head_now())
			race_fail("block %u is not free at the end", i);
	for (i = 0; i < a.view->geo.max_groups; i++)
		if (hli_load_acq(&a.view->groups[i].state) == HLI_GROUP_USED)
			groups |= UINT64_C(1) << i;
	if (hli_load_acq(&a.view->header->active) & ~groups)
		race_fail("a bit of active without a group at the end");
	if (hli_load_acq(&a.view->header->reaped) >
	    race_deaths() + race_evictions())
		race_fail("%ju were reaped of %u",
			  (uintmax_t)hli_load_acq(&a.view->header->reaped),
			  race_deaths());
	if (sim_locked(HLI_LOCK_CONTROL) || sim_locked(HLI_LOCK_PRODUCER_SEAT))
		race_fail("a lock is held at the end");
}

void account_end(void)
{
	const uint64_t head = head_now();

	account_step();
	for (uint64_t p = 1; p < head; p++)
		if (!a.published[p] && !a.voids[p])
			race_fail("position %ju: neither published nor void",
				  (uintmax_t)p);
	for (uint64_t n = 1; n < NUMBERS; n++)
		if (a.returned[n] && !a.position_of[n])
			race_fail("message %ju is lost", (uintmax_t)n);
	for (int g = 0; g < GROUPS; g++)
		if (a.groups[g].index >= 0)
			check_delivery(&a.groups[g], head);
	check_rest();
}
