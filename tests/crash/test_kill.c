/* SPDX-License-Identifier: MIT */
/*
 * test_kill.c - whoever is killed, wherever: nothing is lost
 *
 * Real processes, killed by SIGKILL, in each path: sole and shared producers
 * with an exclusive, a shared and a lossy group; with and without an arena;
 * while the ring is full, empty, and busy. See campaign.h.
 *
 *     HOTLINE_SEED=n   the same plans again
 *     HOTLINE_KILLS=n  how many in all
 */
#include "config.h"

#include "tests/crash/campaign.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/support/rings.h"

#define KILLS 360
#define LONG_KILLS 10000
#define ROUND_KILLS 20
#define LONG_ROUND_KILLS 60
#define HOOK_ROUNDS 60
#define PATHS 6

struct campaign *campaign;

static uint64_t seed;
static uint32_t kills;

static uint64_t start_of(uint64_t random)
{
	static const uint64_t starts[] = { 1, UINT64_C(1) << 31,
					   UINT64_C(1) << 32,
					   UINT64_C(1) << 62 };

	/* A little below, so that the boundary is crossed. */
	return starts[random % COUNT_OF(starts)] -
	       (random % COUNT_OF(starts) ? 500 : 0);
}

static struct round make_round(enum hl_producers producers,
			       enum hl_group_kind kind)
{
	static const uint32_t capacities[] = { 2, 4, 16, 64, 256 };
	struct round round = {
		.producers = producers,
		.kind = kind,
		.seed = support_random(&seed),
	};

	snprintf(round.ring, sizeof(round.ring), "%s", support_name());
	round.capacity =
		capacities[support_random(&seed) % COUNT_OF(capacities)];
	round.arena = support_random(&seed) % 2;
	round.load = (enum load)(support_random(&seed) % 3);
	round.start = start_of(support_random(&seed));
	round.nplaces[PRODUCES] = producers == HL_PRODUCERS_SOLE ? 1 : 2;
	round.nplaces[CONSUMES] = kind == HL_GROUP_SHARED ? 2 : 1;
	round.nplaces[CHANGES] = (uint32_t)(support_random(&seed) % 3);
	round.kills = support_long() ? LONG_ROUND_KILLS : ROUND_KILLS;
	return round;
}

static void print_totals(const char *path, const struct totals *t)
{
	fprintf(stderr,
		"# %s: %ju rounds, %ju kills, %ju positions = %ju delivered + "
		"%ju void + %ju lost to lossy readers; %ju redelivered\n",
		path, (uintmax_t)t->rounds, (uintmax_t)t->kills,
		(uintmax_t)t->positions, (uintmax_t)t->delivered,
		(uintmax_t)t->voids, (uintmax_t)t->lost,
		(uintmax_t)t->redelivered);
}

static void run_path(const char *name, enum hl_producers producers,
		     enum hl_group_kind kind)
{
	struct totals totals = { 0 };
	const uint64_t before = campaign->kills;
	const uint64_t end = before + kills / PATHS;
	uint64_t mine = seed += (uint64_t)producers * 16 + kind + 1;

	fprintf(stderr, "# %s: seed %ju\n", name, (uintmax_t)mine);
	while (campaign->kills < end) {
		const struct round round = make_round(producers, kind);

		round_run(&round, &totals);
	}
	totals.kills = campaign->kills - before;
	print_totals(name, &totals);
}

START_TEST(sole_producer_and_exclusive_group_lose_nothing)
{
	run_path("sole, exclusive", HL_PRODUCERS_SOLE, HL_GROUP_EXCLUSIVE);
}
END_TEST

START_TEST(sole_producer_and_shared_group_lose_nothing)
{
	run_path("sole, shared", HL_PRODUCERS_SOLE, HL_GROUP_SHARED);
}
END_TEST

START_TEST(sole_producer_and_lossy_group_count_what_is_lost)
{
	run_path("sole, lossy", HL_PRODUCERS_SOLE, HL_GROUP_LOSSY);
}
END_TEST

START_TEST(shared_producers_and_exclusive_group_lose_nothing)
{
	run_path("shared, exclusive", HL_PRODUCERS_SHARED, HL_GROUP_EXCLUSIVE);
}
END_TEST

START_TEST(shared_producers_and_shared_group_lose_nothing)
{
	run_path("shared, shared", HL_PRODUCERS_SHARED, HL_GROUP_SHARED);
}
END_TEST

START_TEST(shared_producers_and_lossy_group_count_what_is_lost)
{
	run_path("shared, lossy", HL_PRODUCERS_SHARED, HL_GROUP_LOSSY);
}
END_TEST

/* Take a message, and have it in hand until the end. */
static void die_with_message(struct helper *self)
{
	const char *const ring = (const char *)self->arg;
	struct hl_group_attr attr = support_group("all", HL_GROUP_SHARED);
	struct hl_consumer *consumer;
	struct hl_batch batch;
	struct hl_ring *r;

	r = helper_open(self, ring);
	if (!r)
		return;
	attr.durable = true;
	EXPECT(self, hl_consumer_join(r, &attr, NULL, &consumer, NULL) == 0);
	EXPECT(self, hl_consumer_take(consumer, 1, DEADLINE_NS, &batch) == 1);
	helper_step(self, 1);
	helper_pause();
}

/* There is room for as many as died, so that nobody may be in the way. */
START_TEST(member_joins_when_all_died_with_messages_in_hand)
{
	struct hl_group_attr group = support_group("all", HL_GROUP_SHARED);
	struct hl_ring_attr attr = HL_RING_ATTR_INIT;
	struct hl_error err = { 0 };
	struct hl_consumer *consumer;
	struct hl_producer *producer;
	struct helper *members[2];
	struct hl_ring *ring;
	char *name;

	group.durable = true;
	attr.groups = &group;
	attr.ngroups = 1;
	attr.max_consumers = COUNT_OF(members);
	ring = support_create(&attr);
	name = (char *)support_shared(sizeof(campaign->round.ring));
	snprintf(name, sizeof(campaign->round.ring), "%s", hl_ring_name(ring));
	for (size_t i = 0; i < COUNT_OF(members); i++)
		members[i] = support_fork(die_with_message, name);
	producer = support_produce(ring);
	support_send(producer, 1, COUNT_OF(members));
	for (size_t i = 0; i < COUNT_OF(members); i++)
		support_await(members[i], 1);
	for (size_t i = 0; i < COUNT_OF(members); i++)
		support_kill(members[i]);

	ck_assert_msg(hl_consumer_join(ring, &group, NULL, &consumer, &err) ==
			      0,
		      "%s", err.text);
	support_take(consumer, 1, COUNT_OF(members));
}
END_TEST

static int hooks_without_kill(char *names, size_t n)
{
	size_t at = 0;
	int i, count = 0;

	names[0] = '\0';
	for (i = 0; i < nhooks; i++) {
		if (atomic_load(&campaign->kills_at[i]))
			continue;
		count++;
		if (at < n)
			at += (size_t)snprintf(names + at, n - at, " %s",
					       hook_names[i]);
	}
	return count;
}

static void print_kills(void)
{
	int i;

	for (i = 0; i < nhooks; i++)
		fprintf(stderr, "# %6ju kills at %s\n",
			(uintmax_t)campaign->kills_at[i], hook_names[i]);
	fprintf(stderr, "# %6ju kills at random times, %ju in all\n",
		(uintmax_t)campaign->kills_any_time,
		(uintmax_t)campaign->kills);
}

/* More rounds, with everybody in them, until each hook had its kill. */
START_TEST(somebody_is_killed_at_every_hook)
{
	const uint64_t before = campaign->kills;
	struct totals totals = { 0 };
	char names[2048];
	int i;

	for (i = 0;
	     i < HOOK_ROUNDS && hooks_without_kill(names, sizeof(names)) > 0;
	     i++) {
		struct round round = make_round(HL_PRODUCERS_SHARED,
						i % 3 ? HL_GROUP_SHARED :
							HL_GROUP_EXCLUSIVE);

		round.arena = true;
		round.missing_only = true;
		round.nplaces[CHANGES] = 2;
		round_run(&round, &totals);
	}
	totals.kills = campaign->kills - before;
	print_totals("every hook", &totals);
	print_kills();
	ck_assert_msg(hooks_without_kill(names, sizeof(names)) == 0,
		      "nobody was killed at%s", names);
}
END_TEST

static int by_size(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

/* Reported, not asserted: it depends on the machine and on its load. */
static void print_pauses(void)
{
	static const double marks[] = { 0.5, 0.9, 0.99, 0.999, 1 };
	uint32_t n = campaign->npauses, i;

	n = n < PAUSES_MAX ? n : PAUSES_MAX;
	if (n == 0)
		return;
	qsort(campaign->pauses_us, n, sizeof(campaign->pauses_us[0]), by_size);
	fprintf(stderr, "# %u pauses of survivors after a kill, in us:", n);
	for (i = 0; i < COUNT_OF(marks); i++)
		fprintf(stderr, " %g%% %u", marks[i] * 100,
			campaign->pauses_us[(uint32_t)((n - 1) * marks[i])]);
	fprintf(stderr, "\n");
}

int main(void)
{
	const TTest *const tests[] = {
		sole_producer_and_exclusive_group_lose_nothing,
		sole_producer_and_shared_group_lose_nothing,
		sole_producer_and_lossy_group_count_what_is_lost,
		shared_producers_and_exclusive_group_lose_nothing,
		shared_producers_and_shared_group_lose_nothing,
		shared_producers_and_lossy_group_count_what_is_lost,
		member_joins_when_all_died_with_messages_in_hand,
		somebody_is_killed_at_every_hook,
	};
	const char *const given = getenv("HOTLINE_KILLS");
	TCase *tcase = support_begin("kill");
	int ret;

	campaign = mmap(NULL, sizeof(*campaign), PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (campaign == MAP_FAILED)
		return EXIT_FAILURE;
	seed = support_seed();
	kills = support_long() ? LONG_KILLS : KILLS;
	if (given)
		kills = (uint32_t)strtoul(given, NULL, 0);
	support_add(tcase, tests, COUNT_OF(tests));
	ret = support_end();
	print_pauses();
	return ret;
}
