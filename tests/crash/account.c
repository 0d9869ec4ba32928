/* SPDX-License-Identifier: MIT */
/*
 * account.c - is all there, once, and in order? And what a ring holds
 *
 * Each position from the round's start to head was delivered or is void (or,
 * for a lossy group, was missed and counted). Void are only those that their
 * producer gave up, and the last range of a producer that was killed. What a
 * producer was told is published was delivered. The numbers of a producer rise
 * with the positions, and none is left out but in its last, unfinished claim.
 */
#include "config.h"

#include "tests/crash/campaign.h"

#include <stdio.h>
#include <string.h>

#include "lib/handle.h"

static bool delivered(uint32_t index)
{
	return atomic_load(&campaign->ledger.fresh[index]) ||
	       atomic_load(&campaign->ledger.marked[index]);
}

/* May this position be void because somebody was killed? */
static bool in_last_range(uint64_t position)
{
	const struct ledger *const ledger = &campaign->ledger;
	uint32_t i;

	for (i = 1; i <= ledger->nlives; i++) {
		const struct life *const life = &ledger->lives[i];

		if (!life->left && life->from <= position &&
		    position < life->to)
			return true;
	}
	return false;
}

static void check_position(uint64_t position, uint32_t index,
			   struct totals *totals)
{
	const struct ledger *const ledger = &campaign->ledger;
	const bool lossy = campaign->round.kind == HL_GROUP_LOSSY;
	const uint64_t sent = ledger->sent[index];
	const uint64_t seen = ledger->seen[index];

	if (sent && seen && sent != seen)
		wrong("at %ju %jx was sent and %jx seen", (uintmax_t)position,
		      (uintmax_t)sent, (uintmax_t)seen);
	if (seen && ledger->fate[index] == FATE_GIVEN_UP)
		wrong("position %ju was given up, and yet delivered",
		      (uintmax_t)position);
	if (delivered(index)) {
		totals->delivered++;
		totals->redelivered += ledger->marked[index];
		return;
	}
	if (lossy)
		return;
	if (ledger->fate[index] == FATE_PUBLISHED)
		wrong("position %ju was published, and is lost",
		      (uintmax_t)position);
	else if (ledger->fate[index] != FATE_GIVEN_UP &&
		 !in_last_range(position))
		wrong("position %ju is lost, and nobody died with it",
		      (uintmax_t)position);
	totals->voids++;
}

/* The numbers of each producer, in the order of positions. */
static void check_numbers(uint32_t npositions)
{
	static uint64_t last[LIVES_MAX];
	const struct ledger *const ledger = &campaign->ledger;
	uint32_t i;

	memset(last, 0, sizeof(last));
	for (i = 0; i < npositions; i++) {
		const uint64_t tag = ledger->sent[i] ? ledger->sent[i] :
						       ledger->seen[i];
		const uint64_t life = tag >> 40, number = tag & 0xffffffffff;

		if (tag == 0)
			continue;
		if (life > ledger->nlives ||
		    number > ledger->lives[life].started) {
			wrong("nobody sent %jx", (uintmax_t)tag);
			return;
		}
		if (number != last[life] + 1 &&
		    in_last_range(campaign->round.start + i) == false)
			wrong("producer %ju sent number %ju after %ju",
			      (uintmax_t)life, (uintmax_t)number,
			      (uintmax_t)last[life]);
		last[life] = number;
	}
}

static void check_gaps(void)
{
	const struct ledger *const ledger = &campaign->ledger;
	uint32_t i, index;
	uint64_t p;

	for (i = 0; i < ledger->ngaps && i < GAPS_MAX; i++) {
		for (p = ledger->gaps[i].from; p < ledger->gaps[i].to; p++) {
			if (ledger_index(p, &index) &&
			    (ledger->fate[index] == FATE_PUBLISHED ||
			     delivered(index)))
				wrong("a consumer of its own missed %ju",
				      (uintmax_t)p);
		}
	}
}

/* Everybody has left or was found dead: nothing is held. */
static void check_left(const struct hli_view *view)
{
	uint64_t from, to;
	uint32_t i;

	for (i = 0; i < view->nrecords; i++) {
		const struct hli_record *const r = &view->records[i];

		if (hli_record_state(r) != HLI_FREE)
			wrong("record %u is not free: state %x", i, r->state);
		if (hli_range_get(r, &from, &to))
			wrong("record %u has a range left", i);
	}
	for (i = 0; i < view->geo.nblocks; i++)
		if (view->blocks[i].owner)
			wrong("block %u is not free", i);
	for (i = 0; i < view->geo.max_groups; i++)
		if (view->groups[i].state != HLI_GROUP_FREE &&
		    strcmp(view->groups[i].name, "main") != 0)
			wrong("group %s is left", view->groups[i].name);
}

static void check_lossy(uint64_t positions, struct totals *totals)
{
	const struct ledger *const ledger = &campaign->ledger;
	const struct lossy_account *const lossy =
		&ledger->lossy[ledger->lossy_now];
	uint64_t seen = 0, sum;
	uint32_t i;

	for (i = 0; i < positions; i++)
		seen += ledger->fresh[i];
	sum = seen + lossy->lost + lossy->voids + lossy->died_in_hand;
	if (sum != positions)
		wrong("%ju positions: %ju seen, %ju lost, %ju void, %ju died "
		      "with their reader",
		      (uintmax_t)positions, (uintmax_t)seen,
		      (uintmax_t)lossy->lost, (uintmax_t)lossy->voids,
		      (uintmax_t)lossy->died_in_hand);
	totals->lost += lossy->lost + lossy->died_in_hand;
	totals->voids += lossy->voids;
}

void account_check(struct totals *totals)
{
	const struct round *const round = &campaign->round;
	struct hl_error err = { 0 };
	struct hl_ring *ring;
	uint64_t end, p;
	uint32_t index;

	if (hl_ring_open(round->ring, 0, &ring, &err) < 0) {
		wrong("%s", err.text);
		return;
	}
	end = hli_head_position(hli_load_acq(&ring->view.header->head));
	for (p = round->start; p < end; p++)
		if (ledger_index(p, &index))
			check_position(p, index, totals);
	totals->positions += end - round->start;
	check_numbers((uint32_t)(end - round->start));
	check_gaps();
	check_left(&ring->view);
	if (round->kind == HL_GROUP_LOSSY)
		check_lossy(end - round->start, totals);
	hl_ring_close(ring);
}

static void dump_participants(const struct hl_inspect *inspect, uint32_t n)
{
	static const char *const words[] = { "alive", "dead", "evicted" };
	struct hl_participant_status p;
	uint32_t i;

	for (i = 0; i < n; i++) {
		if (hl_inspect_participant(inspect, i, &p) != 1)
			continue;
		fprintf(stderr,
			"#   %s %u pid %u %s group %u range [%ju, %ju) "
			"messages %ju waits %ju\n",
			p.producer ? "producer" : "consumer", i, p.pid,
			words[p.liveness], p.group, (uintmax_t)p.from,
			(uintmax_t)p.to, (uintmax_t)p.messages,
			(uintmax_t)p.waits);
	}
}

static void dump_groups(const struct hl_inspect *inspect, uint32_t n)
{
	struct hl_group_status g;
	uint32_t i;

	for (i = 0; i < n; i++) {
		if (hl_inspect_group(inspect, i, &g) != 1)
			continue;
		fprintf(stderr,
			"#   group %u %s kind %d durable %d next %ju low %ju "
			"alive %u dead %u\n",
			i, g.name, g.kind, g.durable, (uintmax_t)g.cursor,
			(uintmax_t)g.low, g.alive, g.dead);
	}
}

static void dump_blocks(const struct hl_inspect *inspect, uint32_t n)
{
	struct hl_block_status b;
	uint32_t i;

	for (i = 0; i < n; i++) {
		if (hl_inspect_block(inspect, i, &b) != 1)
			continue;
		fprintf(stderr, "#   block %u leased %d owner %u last %ju\n", i,
			b.leased, b.owner, (uintmax_t)b.last_position);
	}
}

void account_dump(const char *ring)
{
	struct hl_ring_status status;
	struct hl_inspect *inspect;
	struct hl_error err = { 0 };

	if (hl_inspect_open(ring, 0, &inspect, &err) < 0) {
		fprintf(stderr, "# %s\n", err.text);
		return;
	}
	hl_inspect_ring(inspect, &status);
	fprintf(stderr,
		"# ring %s: head %ju%s low %ju announced %ju reaped %ju voided "
		"%ju\n",
		ring, (uintmax_t)status.head,
		status.finished ? " (finished)" : "", (uintmax_t)status.low,
		(uintmax_t)status.announced, (uintmax_t)status.reaped,
		(uintmax_t)status.voided);
	dump_groups(inspect, status.info.max_groups);
	dump_participants(inspect, status.info.max_producers +
					   status.info.max_consumers);
	dump_blocks(inspect, status.info.nblocks);
	hl_inspect_close(inspect);
}
