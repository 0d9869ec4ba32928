/* SPDX-License-Identifier: MIT */
/*
 * pace.h - a consumer lets a stream run ahead of it
 */
#ifndef HLI_PACE_H
#define HLI_PACE_H

#include <stdbool.h>
#include <stdint.h>

#include "take.h"

/* A consumer's own memory; zero, and broken, at first. */
struct hli_pace {
	uint64_t from; /* position since which no wait was long */
	uint64_t need; /* so many messages have to come like that */
};

/* Nothing is there to take: stay away for a while, if this may be a stream. True
 * when it did. */
bool hli_keep_distance(struct hli_pace *pace, const struct hli_taker *taker);

/* A wait is long: what came before it is no stream any more. */
void hli_pace_broken(struct hli_pace *pace, const struct hli_taker *taker);

#endif /* HLI_PACE_H */
