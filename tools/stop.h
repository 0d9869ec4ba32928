/* SPDX-License-Identifier: MIT */
/*
 * stop - end a command that streams when SIGINT, SIGTERM or SIGHUP asks for it
 *
 * The first signal only asks: the command finishes what it has in hand, leaves
 * the ring, and the process then dies of that very signal, so that whoever
 * started it sees what happened. A second signal ends it at once; to the ring
 * that is a death like any other.
 */
#ifndef HLT_STOP_H
#define HLT_STOP_H

#include <stdbool.h>

/*
 * hlt_stop_begin - catch the signals from now on
 *
 * cancel is called in the signal handler to end a wait in the ring; NULL for
 * nothing. Signals that are ignored stay so.
 */
void hlt_stop_begin(void (*cancel)(void));

/* Is the command asked to end? */
bool hlt_stop_asked(void);

/*
 * hlt_stop_poll - wait until a descriptor can be read
 *
 * A signal ends the wait, also one that came just before it. Returns 0, or
 * -ECANCELED when the command is asked to end.
 */
int hlt_stop_poll(int fd);

/* Die of the signal that was caught; returns when there was none. */
void hlt_stop_end(void);

#endif /* HLT_STOP_H */
