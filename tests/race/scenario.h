/* SPDX-License-Identifier: MIT */
/*
 * scenario.h - to write scenarios with
 */
#ifndef TESTS_RACE_SCENARIO_H
#define TESTS_RACE_SCENARIO_H

#include "tests/race/race.h"

#define DURABLE(group_name, group_kind)                                        \
	{                                                                      \
		.size = sizeof(struct hl_group_attr), .name = (group_name),    \
		.kind = (group_kind), .durable = true                          \
	}
#define EPHEMERAL(group_name, group_kind)                                      \
	{                                                                      \
		.size = sizeof(struct hl_group_attr), .name = (group_name),    \
		.kind = (group_kind)                                           \
	}
#define SENDS(count, size, ...)                                                \
	{                                                                      \
		.run = actor_send, .n = (count), .burst = (size), __VA_ARGS__  \
	}
#define TAKES(count, size, ...)                                                \
	{                                                                      \
		.run = actor_take, .n = (count), .burst = (size), __VA_ARGS__  \
	}

/* An operator may die half-way, too. */
#define EVICTS(actor, ...)                                                     \
	{                                                                      \
		.run = actor_evict, .mortal = true, .victim = (actor),         \
		__VA_ARGS__                                                    \
	}

/* singles.c */
void race_add_singles(TCase *tcase);

/* ends.c */
void race_add_ends(TCase *tcase);

#endif /* TESTS_RACE_SCENARIO_H */
