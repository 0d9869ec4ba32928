/* SPDX-License-Identifier: MIT */
/*
 * change.c - workers that come and go, and make and drop groups and rings
 *
 * They begin with what the one before them in this place may have left: a
 * durable group or a ring whose name is the place's.
 */
#include "config.h"

#include "tests/crash/campaign.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <hotline/admin.h>

#include "lib/handle.h"

#define BATCHES 4

static void place_name(const struct worker *w, char *name, size_t n,
		       const char *kind)
{
	snprintf(name, n, "%s%d", kind, (int)(w->place - campaign->places));
}

/* An operator, too, may die half-way: evict ourselves, with a run in hand. */
static void be_evicted(struct worker *w)
{
	struct hl_batch batch = { 0 };
	struct hl_error err = { 0 };
	struct reader r;
	ssize_t got;
	int ret;

	if (!reader_join(&r, w, "crowd", HL_GROUP_SHARED, false))
		return;
	got = reader_take(&r, &batch);
	ret = hl_participant_evict(w->ring, r.consumer->member.index,
				   HL_ANY_TENURE, true, &err);
	if (ret < 0 && ret != -EUSERS)
		wrong("evict: %s", err.text);
	ret = got > 0 ? hl_consumer_done(r.consumer) : -EIDRM;
	if (ret != 0 && ret != -EIDRM)
		wrong("done of who was evicted: %d", ret);
	reader_leave(&r);
}

/* Be a member for some batches; leave, sometimes with one in hand. */
static void visit(struct worker *w, const char *group, enum hl_group_kind kind)
{
	struct hl_batch batch = { 0 };
	struct reader r;
	ssize_t got;
	int i;

	if (!reader_join(&r, w, group, kind, false))
		return;
	for (i = 0; i < BATCHES && !worker_told_to_stop(); i++) {
		got = reader_take(&r, &batch);
		if (got > 0 && worker_random(w, 8) == 0)
			break;
		if (got > 0)
			reader_done(&r, &batch);
		else if (got != -ETIMEDOUT && got != -EPIPE)
			wrong("take of a visitor: %zd", got);
	}
	reader_leave(&r);
}

static void drop_group(struct worker *w, const char *name)
{
	struct hl_error err = { 0 };
	const int ret = hl_group_drop(w->ring, name, &err);

	if (ret < 0 && ret != -ENOENT)
		wrong("drop: %s", err.text);
}

static void make_group(struct worker *w)
{
	struct hl_group_attr attr = HL_GROUP_ATTR_INIT;
	struct hl_error err = { 0 };
	char name[32];
	int ret;

	place_name(w, name, sizeof(name), "made");
	drop_group(w, name);
	attr.name = name;
	attr.durable = true;
	attr.kind = worker_random(w, 2) ? HL_GROUP_SHARED : HL_GROUP_EXCLUSIVE;
	ret = hl_group_create(w->ring, &attr, &err);
	if (ret < 0)
		wrong("create group: %s", err.text);
	drop_group(w, name);
}

/* It starts where nothing is held any more, most of the time. */
static void make_group_too_late(struct worker *w)
{
	struct hl_group_attr attr = HL_GROUP_ATTR_INIT;
	struct hl_error err = { 0 };
	char name[32];
	int ret;

	place_name(w, name, sizeof(name), "late");
	drop_group(w, name);
	attr.name = name;
	attr.start = HL_START_POSITION;
	attr.position = campaign->round.start;
	ret = hl_group_create(w->ring, &attr, &err);
	if (ret < 0 && ret != -ESTALE)
		wrong("create group: %s", err.text);
	drop_group(w, name);
}

static void make_ring(struct worker *w)
{
	struct hl_ring_attr attr = HL_RING_ATTR_INIT;
	struct hl_error err = { 0 };
	struct hl_ring *ring;
	char name[64];
	int ret;

	snprintf(name, sizeof(name), "%s-%d", campaign->round.ring,
		 (int)(w->place - campaign->places));
	ret = hl_ring_unlink(name, false, &err);
	if (ret < 0 && ret != -ENOENT)
		wrong("unlink: %s", err.text);
	attr.capacity = 2;
	attr.arena_bytes = worker_random(w, 2) ? 65536 : 0;
	ret = hl_ring_create(name, &attr, &ring, &err);
	if (ret < 0) {
		wrong("create: %s", err.text);
		return;
	}
	ret = hl_ring_finish(ring, &err);
	if (ret == 0)
		ret = hl_ring_close(ring);
	if (ret == 0)
		ret = hl_ring_unlink(name, false, &err);
	if (ret < 0)
		wrong("finish or unlink: %s", err.text);
}

static void look_in(struct worker *w)
{
	struct hl_tap_message message;
	struct hl_inspect *inspect;
	struct hl_error err = { 0 };
	struct hl_tap *tap;
	uint64_t tag;
	int i;

	(void)w;
	if (hl_inspect_open(campaign->round.ring, 0, &inspect, &err) < 0 ||
	    hl_tap_open(inspect, HL_START_OLDEST, 0, &tap, &err) < 0) {
		wrong("look in: %s", err.text);
		return;
	}
	for (i = 0; i < BATCHES; i++) {
		const struct hl_message *m;

		if (hl_tap_next(tap, HL_NOWAIT, &message) != 1)
			break;
		m = (const struct hl_message *)message.message;
		if (!worker_whole(m, &tag) || m->sequence != message.position)
			wrong("a tap sees half a message at %ju",
			      (uintmax_t)message.position);
	}
	hl_tap_close(tap);
	hl_inspect_close(inspect);
}

static void produce_a_little(struct worker *w)
{
	struct hl_producer *producer;

	if (campaign->round.producers == HL_PRODUCERS_SOLE)
		return;
	producer = worker_join_producer(w);
	if (producer)
		produce_some(w, producer);
}

void change_run(struct worker *w)
{
	char name[32];

	while (!worker_told_to_stop()) {
		switch (worker_random(w, 9)) {
		case 0:
			place_name(w, name, sizeof(name), "visited");
			visit(w, name, HL_GROUP_EXCLUSIVE);
			break;
		case 1:
			place_name(w, name, sizeof(name), "missed");
			visit(w, name, HL_GROUP_LOSSY);
			break;
		case 2:
			visit(w, "crowd", HL_GROUP_SHARED);
			break;
		case 3:
			make_group(w);
			break;
		case 4:
			make_group_too_late(w);
			break;
		case 5:
			make_ring(w);
			break;
		case 6:
			look_in(w);
			break;
		case 7:
			be_evicted(w);
			break;
		default:
			produce_a_little(w);
			break;
		}
		worker_progress(w);
		worker_dawdle(w);
	}
	place_name(w, name, sizeof(name), "made");
	drop_group(w, name);
	place_name(w, name, sizeof(name), "late");
	drop_group(w, name);
}
