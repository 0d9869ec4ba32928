/* SPDX-License-Identifier: MIT */
/*
 * test_race.c - the scenarios: small rings, few messages, every order
 *
 * ends.c has those of finish, eviction, checksums, and more than one death.
 *
 * See race.h. Actors are called A, B, C when a run that failed is printed.
 */
#include "config.h"

#include "tests/race/scenario.h"

#include <stdio.h>
#include <stdlib.h>

#include "tests/support/rings.h"

START_TEST(two_producers_and_nobody_who_reads)
{
	static const struct scenario s = {
		.name = "two producers, no group",
		.actors = { SENDS(3, 1, .mortal = true),
			    SENDS(3, 2, .mortal = true) },
		.npreemptions = 2,
		.nkills = 1,
	};

	explore(&s);
}
END_TEST

START_TEST(two_producers_and_an_exclusive_consumer)
{
	static const struct scenario s = {
		.name = "two producers, exclusive consumer",
		.groups = { DURABLE("one", HL_GROUP_EXCLUSIVE) },
		.ngroups = 1,
		.actors = { SENDS(2, 1, .mortal = true),
			    SENDS(2, 2, .mortal = true),
			    TAKES(4, 1, .mortal = true) },
		.npreemptions = 2,
		.nkills = 1,
	};

	explore(&s);
}
END_TEST

START_TEST(producer_and_exclusive_consumer)
{
	static const struct scenario s = {
		.name = "producer, exclusive consumer",
		.groups = { DURABLE("one", HL_GROUP_EXCLUSIVE) },
		.ngroups = 1,
		.actors = { SENDS(4, 2, .mortal = true, .leaves = true),
			    TAKES(4, 2, .mortal = true, .leaves = true) },
		.npreemptions = 2,
		.nkills = 1,
	};

	explore(&s);
}
END_TEST

START_TEST(producer_and_two_members)
{
	static const struct scenario s = {
		.name = "producer, two members",
		.groups = { DURABLE("all", HL_GROUP_SHARED) },
		.ngroups = 1,
		.actors = { SENDS(3, 1, .mortal = true),
			    TAKES(2, 1, .mortal = true),
			    TAKES(2, 2, .mortal = true) },
		.npreemptions = 2,
		.nkills = 1,
	};

	explore(&s);
}
END_TEST

START_TEST(producer_that_gives_up_and_a_member)
{
	static const struct scenario s = {
		.name = "producer that abandons, member, exclusive consumer",
		.groups = { DURABLE("all", HL_GROUP_SHARED),
			    DURABLE("one", HL_GROUP_EXCLUSIVE) },
		.ngroups = 2,
		.actors = { SENDS(4, 2, .mortal = true, .abandon = true),
			    TAKES(3, 2, .mortal = true),
			    TAKES(3, 1, .mortal = true, .group = 1) },
		.npreemptions = 2,
		.nkills = 1,
	};

	explore(&s);
}
END_TEST

START_TEST(bursts_that_are_put_beside_another_producer)
{
	static const struct scenario s = {
		.name = "two producers, one puts, a member",
		.groups = { DURABLE("all", HL_GROUP_SHARED) },
		.ngroups = 1,
		.actors = { SENDS(2, 2, .mortal = true, .puts = true),
			    SENDS(1, 1, .mortal = true),
			    TAKES(2, 2, .mortal = true) },
		.npreemptions = 2,
		.nkills = 1,
	};

	explore(&s);
}
END_TEST

START_TEST(group_comes_and_goes_beside_a_producer)
{
	static const struct scenario s = {
		.name = "producer, a group that comes and goes",
		.groups = { EPHEMERAL("late", HL_GROUP_EXCLUSIVE) },
		.actors = { SENDS(4, 1, .mortal = true),
			    TAKES(2, 1, .mortal = true, .joins = true,
				  .leaves = true) },
		.npreemptions = 2,
		.nkills = 1,
	};

	explore(&s);
}
END_TEST

START_TEST(shared_group_comes_at_the_newest_beside_two_producers)
{
	static const struct scenario s = {
		.name = "two producers, a shared group at the newest",
		.groups = { { .size = sizeof(struct hl_group_attr),
			      .name = "late",
			      .kind = HL_GROUP_SHARED,
			      .start = HL_START_NEWEST } },
		.actors = { SENDS(3, 1, .mortal = true),
			    SENDS(2, 1, .mortal = true),
			    TAKES(2, 2, .mortal = true, .joins = true,
				  .leaves = true) },
		.npreemptions = 2,
		.nkills = 1,
	};

	explore(&s);
}
END_TEST

START_TEST(two_look_for_a_dead_producer)
{
	static const struct scenario s = {
		.name = "dead producer, two who look",
		.groups = { DURABLE("one", HL_GROUP_EXCLUSIVE) },
		.ngroups = 1,
		.actors = { SENDS(2, 2, .mortal = true, .early = true),
			    SENDS(2, 1, .mortal = true),
			    TAKES(3, 1, .mortal = true) },
		.npreemptions = 2,
		.nkills = 1,
	};

	explore(&s);
}
END_TEST

START_TEST(one_looks_for_a_dead_producer_and_one_joins)
{
	static const struct scenario s = {
		.name = "dead producer, one who looks, one who joins",
		.ring = { .max_producers = 1 },
		.groups = { DURABLE("one", HL_GROUP_EXCLUSIVE) },
		.ngroups = 1,
		.actors = { SENDS(2, 2, .mortal = true, .early = true),
			    TAKES(2, 1, .mortal = true),
			    SENDS(2, 1, .mortal = true, .joins = true,
				  .leaves = true) },
		.npreemptions = 2,
		.nkills = 1,
	};

	explore(&s);
}
END_TEST

START_TEST(two_members_adopt_what_a_dead_one_had)
{
	static const struct scenario s = {
		.name = "dead member, two who adopt",
		.groups = { DURABLE("all", HL_GROUP_SHARED) },
		.ngroups = 1,
		.actors = { TAKES(1, 2, .mortal = true, .early = true),
			    TAKES(2, 1, .mortal = true),
			    TAKES(2, 2, .mortal = true) },
		.nsent = 2,
		.npreemptions = 2,
		.nkills = 1,
	};

	explore(&s);
}
END_TEST

START_TEST(member_dies_with_a_range_from_an_old_tail)
{
	static const struct scenario s = {
		.name = "member with an old tail, member, producer",
		.groups = { DURABLE("all", HL_GROUP_SHARED) },
		.ngroups = 1,
		.actors = { TAKES(1, 1, .mortal = true), TAKES(3, 1),
			    SENDS(1, 1) },
		.nsent = 2,
		.npreemptions = 2,
		.nkills = 1,
	};

	explore(&s);
}
END_TEST

START_TEST(dead_member_is_adopted_while_another_one_joins)
{
	static const struct scenario s = {
		.name = "dead member, one who adopts, one who joins",
		.ring = { .max_consumers = 2 },
		.groups = { DURABLE("all", HL_GROUP_SHARED) },
		.ngroups = 1,
		.actors = { TAKES(1, 2, .mortal = true, .early = true),
			    TAKES(2, 2),
			    TAKES(1, 1, .mortal = true, .joins = true) },
		.nsent = 2,
		.npreemptions = 2,
		.nkills = 1,
	};

	explore(&s);
}
END_TEST

START_TEST(member_of_a_group_dies_that_came_while_low_was_raised)
{
	static const struct scenario s = {
		.name = "producer, member of a new group",
		.groups = { DURABLE("late", HL_GROUP_SHARED) },
		.actors = { SENDS(1, 1),
			    TAKES(1, 1, .mortal = true, .joins = true) },
		.nsent = 2,
		.npreemptions = 2,
		.nkills = 1,
	};

	explore(&s);
}
END_TEST

START_TEST(payloads_of_two_producers)
{
	static const struct scenario s = {
		.name = "two producers with payloads",
		.ring = { .max_producers = 2,
			  .arena_bytes = ARENA_BYTES(2),
			  .block_bytes = BLOCK_BYTES },
		.groups = { DURABLE("one", HL_GROUP_EXCLUSIVE) },
		.ngroups = 1,
		.actors = { SENDS(2, 1, .mortal = true, .payload = true),
			    SENDS(2, 1, .mortal = true, .payload = true),
			    TAKES(3, 1, .mortal = true) },
		.npreemptions = 2,
		.nkills = 1,
	};

	explore(&s);
}
END_TEST

START_TEST(payloads_of_one_producer_and_two_members)
{
	static const struct scenario s = {
		.name = "payloads, two members",
		.ring = { .max_producers = 1,
			  .arena_bytes = ARENA_BYTES(1),
			  .block_bytes = BLOCK_BYTES },
		.groups = { DURABLE("all", HL_GROUP_SHARED) },
		.ngroups = 1,
		.actors = { SENDS(4, 1, .mortal = true, .payload = true),
			    TAKES(2, 1, .mortal = true),
			    TAKES(2, 2, .mortal = true) },
		.npreemptions = 2,
		.nkills = 1,
	};

	explore(&s);
}
END_TEST

START_TEST(two_producers_die_one_after_the_other_with_all_blocks)
{
	static const struct scenario s = {
		.name = "two dead producers with payloads",
		.ring = { .max_producers = 1,
			  .arena_bytes = ARENA_BYTES(1),
			  .block_bytes = BLOCK_BYTES },
		.groups = { DURABLE("one", HL_GROUP_EXCLUSIVE) },
		.ngroups = 1,
		.actors = { SENDS(1, 1, .mortal = true, .early = true,
				  .payload = true),
			    SENDS(1, 1, .mortal = true, .early = true,
				  .payload = true, .joins = true),
			    TAKES(1, 1, .mortal = true) },
		.npreemptions = 2,
		.nkills = 1,
	};

	explore(&s);
}
END_TEST

START_TEST(lossy_reader_beside_a_producer)
{
	static const struct scenario s = {
		.name = "producer, lossy reader",
		.groups = { DURABLE("some", HL_GROUP_LOSSY) },
		.ngroups = 1,
		.actors = { SENDS(5, 2, .mortal = true),
			    TAKES(4, 2, .mortal = false) },
		.npreemptions = 2,
		.nkills = 1,
	};

	explore(&s);
}
END_TEST

START_TEST(lossy_reader_of_payloads)
{
	static const struct scenario s = {
		.name = "producer with payloads, lossy reader",
		.ring = { .max_producers = 1,
			  .arena_bytes = ARENA_BYTES(1),
			  .block_bytes = BLOCK_BYTES },
		.groups = { DURABLE("some", HL_GROUP_LOSSY) },
		.ngroups = 1,
		.actors = { SENDS(4, 1, .mortal = true, .payload = true),
			    TAKES(3, 2, .mortal = false) },
		.npreemptions = 2,
		.nkills = 1,
	};

	explore(&s);
}
END_TEST

START_TEST(sole_producer_dies_and_is_replaced)
{
	static const struct scenario s = {
		.name = "sole producer, its successor, consumer",
		.ring = { .max_producers = 1, .producers = HL_PRODUCERS_SOLE },
		.groups = { DURABLE("one", HL_GROUP_EXCLUSIVE) },
		.ngroups = 1,
		.actors = { SENDS(3, 2, .mortal = true, .leaves = true),
			    SENDS(2, 1, .mortal = true, .joins = true,
				  .leaves = true),
			    TAKES(3, 1) },
		.npreemptions = 2,
		.nkills = 1,
	};

	explore(&s);
}
END_TEST

START_TEST(members_inherit_the_records_of_the_dead)
{
	static const struct scenario s = {
		.name = "two dead members, two who inherit",
		.ring = { .max_consumers = 1 },
		.groups = { DURABLE("all", HL_GROUP_SHARED) },
		.ngroups = 1,
		.actors = { TAKES(1, 2, .mortal = true, .early = true),
			    TAKES(2, 1, .mortal = true, .joins = true,
				  .leaves = true),
			    TAKES(2, 2, .mortal = true, .joins = true,
				  .leaves = true) },
		.nsent = 2,
		.npreemptions = 2,
		.nkills = 1,
	};

	explore(&s);
}
END_TEST

#if defined(__SANITIZE_THREAD__)
#define STACKS_ARE_FOLLOWED false
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define STACKS_ARE_FOLLOWED false
#endif
#endif
#ifndef STACKS_ARE_FOLLOWED
#define STACKS_ARE_FOLLOWED true
#endif

int main(void)
{
	const TTest *const tests[] = {
		two_producers_and_nobody_who_reads,
		two_producers_and_an_exclusive_consumer,
		producer_and_exclusive_consumer,
		producer_and_two_members,
		producer_that_gives_up_and_a_member,
		bursts_that_are_put_beside_another_producer,
		group_comes_and_goes_beside_a_producer,
		shared_group_comes_at_the_newest_beside_two_producers,
		two_look_for_a_dead_producer,
		one_looks_for_a_dead_producer_and_one_joins,
		two_members_adopt_what_a_dead_one_had,
		member_dies_with_a_range_from_an_old_tail,
		member_of_a_group_dies_that_came_while_low_was_raised,
		dead_member_is_adopted_while_another_one_joins,
		payloads_of_two_producers,
		payloads_of_one_producer_and_two_members,
		two_producers_die_one_after_the_other_with_all_blocks,
		lossy_reader_beside_a_producer,
		lossy_reader_of_payloads,
		sole_producer_dies_and_is_replaced,
		members_inherit_the_records_of_the_dead,
	};
	TCase *tcase;

	if (!STACKS_ARE_FOLLOWED) {
		printf("1..0 # SKIP the thread sanitizer follows one stack a "
		       "thread\n");
		return EXIT_SUCCESS;
	}
	tcase = support_begin("race");
	support_add(tcase, tests, COUNT_OF(tests));
	race_add_singles(tcase);
	race_add_ends(tcase);
	return support_end();
}
