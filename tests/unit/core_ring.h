/* SPDX-License-Identifier: MIT */
/*
 * core_ring.h - a ring in private memory, for tests of the core alone
 *
 * No file, no lock, no second process: records are made LIVE or DEAD by hand,
 * and the test decides who does what next.
 */
#ifndef TESTS_UNIT_CORE_RING_H
#define TESTS_UNIT_CORE_RING_H

#include "lib/claim.h"
#include "lib/group.h"
#include "lib/record.h"
#include "lib/recover.h"
#include "lib/take.h"

#include <hotline/ring.h>

struct core_ring {
	struct hli_view view;
	void *memory;
};

/* A ring as attr says, with one group of each kind asked for by attr. */
void core_ring_init(struct core_ring *ring, const struct hl_ring_attr *attr);
void core_ring_fini(struct core_ring *ring);

/* A small ring: capacity 4, 2 producers, 4 consumers, 4 groups. */
struct hl_ring_attr core_ring_attr(void);

/* Add a group of a kind; its index. */
uint32_t core_group(struct core_ring *ring, const char *name,
		    enum hl_group_kind kind);

/* Make record i LIVE, of a group where it is a consumer. */
void core_producer(struct core_ring *ring, uint32_t i,
		   struct hli_claimer *claimer);
void core_consumer(struct core_ring *ring, uint32_t i, uint32_t group,
		   struct hli_taker *taker);

/* It dies: its byte would be free now. */
void core_die(struct core_ring *ring, uint32_t record);

/* Claim n positions and publish them; how many it were. */
int core_send(struct hli_claimer *claimer, uint64_t n);

/* Take and finish all there is; how many positions. */
int core_drain(struct hli_taker *taker);

#endif /* TESTS_UNIT_CORE_RING_H */
