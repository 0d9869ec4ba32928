/* SPDX-License-Identifier: MIT */
/*
 * words - participants and times as parts of a sentence
 *
 * Names come from the ring as they are: who prints the sentence escapes it.
 * Each function writes into out, which has the size said, and returns it.
 */
#ifndef HLT_WORDS_H
#define HLT_WORDS_H

#include <stdbool.h>
#include <stdint.h>

#include "snapshot.h"

enum {
	HLT_WHO_BYTES = 256,
	HLT_STATE_BYTES = 128,
	HLT_TIME_BYTES = 32,
	HLT_POSITIONS_BYTES = 64,
};

/* "producer feed (number 3, pid 71, command feed, started 2026-11-30 ...)" */
char *hlt_who(char *out, const struct hlt_participant_row *row);

/* What it does: "alive and running", "alive, but stopped", "dead" ... */
char *hlt_who_state(char *out, const struct hlt_participant_row *row);

/* Has the system stopped its process, by a signal or a debugger? */
bool hlt_is_stopped(const struct hlt_participant_row *row);

/* "position 7", "positions 7 to 9" for [from, to); "nothing" if it is empty. */
char *hlt_positions(char *out, uint64_t from, uint64_t to);

/* "1 position", "9 positions". */
char *hlt_count_positions(char *out, uint64_t n);

/* A span of time: "340 ms", "12.3 s", "2 h 5 min". */
char *hlt_span(char *out, uint64_t ns);

#endif /* HLT_WORDS_H */
