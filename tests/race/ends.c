/* SPDX-License-Identifier: MIT */
/*
 * ends.c - scenarios of how it ends: finish, eviction, more than one death
 *
 * An operator's eviction without force is tried on everybody. By force it is
 * tried on a member of a shared group, whose hand goes to the others: what a
 * producer does that was forced out and goes on is beyond what can hold. Two
 * deaths leave room for one preemption only.
 */
#include "config.h"

#include "tests/race/scenario.h"

START_TEST(ring_is_finished_beside_a_producer_and_a_member)
{
	static const struct scenario s = {
		.name = "finish, producer, member",
		.groups = { DURABLE("all", HL_GROUP_SHARED) },
		.ngroups = 1,
		.actors = { SENDS(1, 1, .mortal = true, .finishes = true),
			    SENDS(2, 1, .mortal = true),
			    TAKES(4, 2, .mortal = true) },
		.npreemptions = 2,
		.nkills = 1,
	};

	explore(&s);
}
END_TEST

START_TEST(two_members_see_the_same_end)
{
	static const struct scenario s = {
		.name = "finish, two members",
		.groups = { DURABLE("all", HL_GROUP_SHARED) },
		.ngroups = 1,
		.actors = { SENDS(2, 2, .mortal = true, .finishes = true,
				  .leaves = true),
			    TAKES(3, 1, .mortal = true),
			    TAKES(3, 1, .mortal = true) },
		.npreemptions = 2,
		.nkills = 1,
	};

	explore(&s);
}
END_TEST

START_TEST(checksums_fit_whoever_takes_what_a_dead_one_left)
{
	static const struct scenario s = {
		.name = "checksums of two producers, member",
		.ring = { .checksum = HL_CHECKSUM_HEADER },
		.groups = { DURABLE("all", HL_GROUP_SHARED) },
		.ngroups = 1,
		.actors = { SENDS(2, 1, .mortal = true),
			    SENDS(2, 2, .mortal = true),
			    TAKES(3, 2, .mortal = true) },
		.npreemptions = 2,
		.nkills = 1,
	};

	explore(&s);
}
END_TEST

START_TEST(checksums_of_payloads_fit)
{
	static const struct scenario s = {
		.name = "checksums of payloads, two members",
		.ring = { .max_producers = 1,
			  .checksum = HL_CHECKSUM_PAYLOAD,
			  .arena_bytes = ARENA_BYTES(1),
			  .block_bytes = BLOCK_BYTES },
		.groups = { DURABLE("all", HL_GROUP_SHARED) },
		.ngroups = 1,
		.actors = { SENDS(3, 1, .mortal = true, .payload = true),
			    TAKES(2, 1, .mortal = true),
			    TAKES(2, 2, .mortal = true) },
		.npreemptions = 2,
		.nkills = 1,
	};

	explore(&s);
}
END_TEST

START_TEST(member_is_evicted_beside_another_one)
{
	static const struct scenario s = {
		.name = "evicted member, member, operator",
		.groups = { DURABLE("all", HL_GROUP_SHARED) },
		.ngroups = 1,
		.actors = { TAKES(2, 2, .mortal = true, .leaves = true),
			    TAKES(2, 1, .mortal = true), EVICTS(0) },
		.nsent = 2,
		.npreemptions = 2,
		.nkills = 1,
	};

	explore(&s);
}
END_TEST

START_TEST(member_is_evicted_by_force_beside_another_one)
{
	static const struct scenario s = {
		.name = "member evicted by force, member, operator",
		.groups = { DURABLE("all", HL_GROUP_SHARED) },
		.ngroups = 1,
		.actors = { TAKES(2, 2, .mortal = true, .leaves = true),
			    TAKES(2, 1, .mortal = true),
			    EVICTS(0, .force = true) },
		.nsent = 2,
		.npreemptions = 2,
		.nkills = 1,
	};

	explore(&s);
}
END_TEST

START_TEST(producer_is_evicted_beside_another_one)
{
	static const struct scenario s = {
		.name = "evicted producer, producer, operator",
		.groups = { DURABLE("one", HL_GROUP_EXCLUSIVE) },
		.ngroups = 1,
		.actors = { SENDS(2, 2, .mortal = true),
			    SENDS(2, 1, .mortal = true), EVICTS(0) },
		.npreemptions = 2,
		.nkills = 1,
	};

	explore(&s);
}
END_TEST

START_TEST(producer_and_its_consumer_both_die)
{
	static const struct scenario s = {
		.name = "two deaths: producer, exclusive consumer",
		.groups = { DURABLE("one", HL_GROUP_EXCLUSIVE) },
		.ngroups = 1,
		.actors = { SENDS(3, 2, .mortal = true),
			    TAKES(3, 1, .mortal = true) },
		.npreemptions = 1,
		.nkills = 2,
	};

	explore(&s);
}
END_TEST

START_TEST(two_of_three_die)
{
	static const struct scenario s = {
		.name = "two deaths: two producers, member",
		.groups = { DURABLE("all", HL_GROUP_SHARED) },
		.ngroups = 1,
		.actors = { SENDS(2, 1, .mortal = true),
			    SENDS(2, 2, .mortal = true),
			    TAKES(3, 1, .mortal = true) },
		.npreemptions = 1,
		.nkills = 2,
	};

	explore(&s);
}
END_TEST

START_TEST(who_adopts_dies_and_who_adopts_then_dies)
{
	static const struct scenario s = {
		.name = "three deaths: dead member, two who adopt",
		.groups = { DURABLE("all", HL_GROUP_SHARED) },
		.ngroups = 1,
		.actors = { TAKES(1, 2, .mortal = true, .early = true),
			    TAKES(2, 1, .mortal = true),
			    TAKES(2, 2, .mortal = true) },
		.nsent = 2,
		.npreemptions = 1,
		.nkills = 2,
	};

	explore(&s);
}
END_TEST

void race_add_ends(TCase *tcase)
{
	const TTest *const tests[] = {
		ring_is_finished_beside_a_producer_and_a_member,
		two_members_see_the_same_end,
		checksums_fit_whoever_takes_what_a_dead_one_left,
		checksums_of_payloads_fit,
		member_is_evicted_beside_another_one,
		member_is_evicted_by_force_beside_another_one,
		producer_is_evicted_beside_another_one,
		producer_and_its_consumer_both_die,
		two_of_three_die,
		who_adopts_dies_and_who_adopts_then_dies,
	};

	support_add(tcase, tests, COUNT_OF(tests));
}
