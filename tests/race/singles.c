/* SPDX-License-Identifier: MIT */
/*
 * singles.c - scenarios of the calls for one message
 *
 * Rings of four slots: the first message goes by all the steps, and tells how far
 * the next ones may go straight on.
 */
#include "config.h"

#include "tests/race/scenario.h"

#define SENDS_ONE_BY_ONE(count, ...)                                           \
	SENDS(count, 1, .single = true, __VA_ARGS__)
#define TAKES_ONE_BY_ONE(count, ...)                                           \
	TAKES(count, 1, .single = true, __VA_ARGS__)

START_TEST(one_to_one)
{
	static const struct scenario s = {
		.name = "singles: producer, consumer",
		.ring = { .capacity = 4 },
		.groups = { DURABLE("one", HL_GROUP_EXCLUSIVE) },
		.ngroups = 1,
		.actors = { SENDS_ONE_BY_ONE(5, .mortal = true),
			    TAKES_ONE_BY_ONE(5, .mortal = true) },
		.npreemptions = 2,
		.nkills = 1,
	};

	explore(&s);
}
END_TEST

START_TEST(sole_producer)
{
	static const struct scenario s = {
		.name = "singles: sole producer, consumer, another after it",
		.ring = { .capacity = 4,
			  .producers = HL_PRODUCERS_SOLE,
			  .max_producers = 1 },
		.groups = { DURABLE("one", HL_GROUP_EXCLUSIVE) },
		.ngroups = 1,
		.actors = { SENDS_ONE_BY_ONE(5, .mortal = true),
			    TAKES_ONE_BY_ONE(2, .mortal = true, .leaves = true),
			    TAKES_ONE_BY_ONE(3, .mortal = true,
					     .joins = true) },
		.npreemptions = 2,
		.nkills = 1,
	};

	explore(&s);
}
END_TEST

START_TEST(two_producers)
{
	static const struct scenario s = {
		.name = "singles: two producers, consumer",
		.ring = { .capacity = 4 },
		.groups = { DURABLE("one", HL_GROUP_EXCLUSIVE) },
		.ngroups = 1,
		.actors = { SENDS_ONE_BY_ONE(3, .mortal = true),
			    SENDS_ONE_BY_ONE(3, .mortal = true),
			    TAKES_ONE_BY_ONE(4, .mortal = true) },
		.npreemptions = 2,
		.nkills = 1,
	};

	explore(&s);
}
END_TEST

START_TEST(beside_bursts)
{
	static const struct scenario s = {
		.name = "singles: producer, producer of bursts, member",
		.ring = { .capacity = 4 },
		.groups = { DURABLE("all", HL_GROUP_SHARED) },
		.ngroups = 1,
		.actors = { SENDS_ONE_BY_ONE(3, .mortal = true),
			    SENDS(4, 2, .mortal = true),
			    TAKES_ONE_BY_ONE(4, .mortal = true) },
		.npreemptions = 2,
		.nkills = 1,
	};

	explore(&s);
}
END_TEST

START_TEST(two_members)
{
	static const struct scenario s = {
		.name = "singles: producer, two members",
		.ring = { .capacity = 4 },
		.groups = { DURABLE("all", HL_GROUP_SHARED) },
		.ngroups = 1,
		.actors = { SENDS_ONE_BY_ONE(4, .mortal = true),
			    TAKES_ONE_BY_ONE(3, .mortal = true),
			    TAKES(3, 2, .mortal = true) },
		.npreemptions = 2,
		.nkills = 1,
	};

	explore(&s);
}
END_TEST

START_TEST(group_joins)
{
	static const struct scenario s = {
		.name = "singles: producer, consumer of a new group",
		.ring = { .capacity = 4 },
		.groups = { DURABLE("new", HL_GROUP_EXCLUSIVE) },
		.actors = { SENDS_ONE_BY_ONE(6, .mortal = true),
			    TAKES_ONE_BY_ONE(3, .mortal = true,
					     .joins = true) },
		.npreemptions = 2,
		.nkills = 1,
	};

	explore(&s);
}
END_TEST

START_TEST(group_comes_at_the_newest)
{
	static const struct scenario s = {
		.name = "singles: two producers, a group at the newest",
		.groups = { { .size = sizeof(struct hl_group_attr),
			      .name = "late",
			      .start = HL_START_NEWEST } },
		.actors = { SENDS_ONE_BY_ONE(1, .mortal = true),
			    SENDS_ONE_BY_ONE(4, .mortal = true),
			    TAKES_ONE_BY_ONE(3, .mortal = true,
					     .joins = true) },
		.npreemptions = 2,
		.nkills = 1,
	};

	explore(&s);
}
END_TEST

START_TEST(lossy_reader)
{
	static const struct scenario s = {
		.name = "singles: producer, consumer, lossy reader",
		.ring = { .capacity = 4 },
		.groups = { DURABLE("one", HL_GROUP_EXCLUSIVE),
			    DURABLE("some", HL_GROUP_LOSSY) },
		.ngroups = 2,
		.actors = { SENDS_ONE_BY_ONE(6, .mortal = true),
			    TAKES_ONE_BY_ONE(5, .mortal = true),
			    TAKES(2, 2, .mortal = false, .group = 1) },
		.npreemptions = 2,
		.nkills = 1,
	};

	explore(&s);
}
END_TEST

START_TEST(evicted)
{
	static const struct scenario s = {
		.name = "singles: evicted producer, consumer, operator",
		.ring = { .capacity = 4 },
		.groups = { DURABLE("one", HL_GROUP_EXCLUSIVE) },
		.ngroups = 1,
		.actors = { SENDS_ONE_BY_ONE(4, .mortal = true),
			    TAKES_ONE_BY_ONE(4, .mortal = true), EVICTS(0) },
		.npreemptions = 2,
		.nkills = 1,
	};

	explore(&s);
}
END_TEST

void race_add_singles(TCase *tcase)
{
	const TTest *const tests[] = {
		one_to_one,
		sole_producer,
		two_producers,
		beside_bursts,
		two_members,
		group_joins,
		group_comes_at_the_newest,
		lossy_reader,
		evicted,
	};

	support_add(tcase, tests, COUNT_OF(tests));
}
