/* SPDX-License-Identifier: MIT */
/*
 * core_ring.c - a ring in private memory, for tests of the core alone
 */
#include "config.h"

#include "core_ring.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/support.h"

struct hl_ring_attr core_ring_attr(void)
{
	struct hl_ring_attr attr = HL_RING_ATTR_INIT;

	attr.capacity = 4;
	attr.max_producers = 2;
	attr.max_consumers = 4;
	attr.max_groups = 4;
	return attr;
}

void core_ring_init(struct core_ring *ring, const struct hl_ring_attr *attr)
{
	struct hli_geometry geo;

	ck_assert_int_eq(hli_geometry_from_attr(&geo, attr, "test", NULL), 0);
	ring->memory = aligned_alloc(HLI_PAGE_BYTES, geo.file_bytes);
	ck_assert_ptr_nonnull(ring->memory);
	memset(ring->memory, 0, geo.file_bytes);
	hli_layout_init(&ring->view, ring->memory, &geo);
}

void core_ring_fini(struct core_ring *ring)
{
	free(ring->memory);
}

uint32_t core_group(struct core_ring *ring, const char *name,
		    enum hl_group_kind kind)
{
	struct hl_group_attr attr = HL_GROUP_ATTR_INIT;
	int index;

	attr.name = name;
	attr.kind = kind;
	attr.durable = true;
	index = hli_group_add(&ring->view, &attr, false, "test", NULL);
	ck_assert_int_ge(index, 0);
	return (uint32_t)index;
}

static uint32_t make_live(struct core_ring *ring, uint32_t record)
{
	struct hli_record *const r = &ring->view.records[record];
	const uint32_t tenure = hli_record_next_tenure(r);

	ck_assert_int_eq(hli_record_state(r), HLI_FREE);
	hli_store_rel(&r->state, tenure);
	return tenure;
}

void core_producer(struct core_ring *ring, uint32_t i,
		   struct hli_claimer *claimer)
{
	hli_claimer_init(claimer, &ring->view, i, make_live(ring, i));
}

void core_consumer(struct core_ring *ring, uint32_t i, uint32_t group,
		   struct hli_taker *taker)
{
	const uint32_t record = ring->view.geo.max_producers + i;

	hli_store_rlx(&ring->view.records[record].group, (uint16_t)group);
	hli_taker_init(taker, &ring->view, record, make_live(ring, record),
		       group, hli_load_rlx(&ring->view.groups[group].kind));
}

void core_die(struct core_ring *ring, uint32_t record)
{
	hli_record_set(&ring->view.records[record], HLI_DEAD);
}

int core_send(struct hli_claimer *claimer, uint64_t n)
{
	const ssize_t got = hli_claim(claimer, n);

	if (got > 0)
		hli_publish(claimer);
	return (int)got;
}

int core_drain(struct hli_taker *taker)
{
	int n = 0;
	ssize_t got;

	while ((got = hli_take(taker, 64, NULL)) > 0) {
		n += (int)got;
		hli_done(taker, taker->run.to);
	}
	ck_assert_int_eq(got, -EAGAIN);
	return n;
}
