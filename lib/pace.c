/* SPDX-License-Identifier: MIT */
/*
 * pace.c - a consumer lets a stream run ahead of it
 *
 * Who looks at each slot as soon as it is written takes the line away from a
 * producer who writes the next ones, and the two hinder each other with every
 * message. A stream is faster by far when its consumer stays some hundred
 * messages behind. A lone message, and an answer, must be found at once.
 *
 *   many came, and no wait was long --> stay away once, and count
 *           few are there: no stream. The next try needs four times as many
 *           many:          a stream. Stay away each time nothing is there
 *
 * So where it is wrong it costs some microseconds, more and more rarely.
 */
#include "config.h"

#include "pace.h"

#include <hotline/ring.h>

#include "layout.h"
#include "util.h"

#define SLOTS_MIN 256 /* of a ring in which there is a distance to keep */
#define NEED_MIN 64
#define NEED_MAX (UINT64_C(1) << 24)

/* In pauses of the processor, of some 10 to 40 ns each. */
#define PAUSES_TO_KNOW 64 /* by then so many messages make a stream: */
#define STREAM 32
#define PAUSES_MAX 256
#define PAUSES_PER_LOOK 8
#define DISTANCE_MAX 1024

static bool stamped(const struct hli_taker *taker, uint64_t position)
{
	const uint64_t s = hli_load_rlx(hli_stamp(taker->view, position));

	/* Only how far producers are: nothing is read by it. */
	return hli_stamp_position(s) >= position;
}

/* Stay away. False when little has come: it is no stream. */
static bool stay_away(const struct hli_taker *taker, uint64_t from)
{
	const uint64_t distance =
		hli_min(taker->view->geo.capacity / 2, DISTANCE_MAX);
	unsigned i;

	for (i = 1; i <= PAUSES_MAX; i++) {
		hli_pause();
		if (i == PAUSES_TO_KNOW && !stamped(taker, from + STREAM - 1))
			return false;
		if (i % PAUSES_PER_LOOK == 0 &&
		    stamped(taker, from + distance - 1))
			break;
	}
	return true;
}

bool hli_keep_distance(struct hli_pace *pace, const struct hli_taker *taker)
{
	const uint64_t p = hli_take_position(taker);

	if (taker->view->geo.capacity < SLOTS_MIN ||
	    taker->kind == HL_GROUP_LOSSY)
		return false;
	pace->need = hli_max(pace->need, NEED_MIN);
	if (p - pace->from < pace->need)
		return false;
	if (stay_away(taker, p)) {
		pace->need /= 2;
	} else {
		pace->from = p;
		pace->need = hli_min(pace->need * 4, NEED_MAX);
	}
	return true;
}

void hli_pace_broken(struct hli_pace *pace, const struct hli_taker *taker)
{
	pace->from = hli_take_position(taker);
}
