/* SPDX-License-Identifier: MIT */
/*
 * words - participants and times as parts of a sentence
 */
#include "words.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static const uint64_t ns_per_ms = 1000000;
static const uint64_t ns_per_s = 1000000000;

bool hlt_is_stopped(const struct hlt_participant_row *row)
{
	return row->process.known &&
	       (row->process.state == 'T' || row->process.state == 't');
}

/* A process's start, in clock ticks after boot, as a date; 0 if unknown. */
static time_t date_of(uint64_t ticks_after_boot)
{
	const long ticks = sysconf(_SC_CLK_TCK);
	struct timespec now, up;

	if (ticks <= 0 || clock_gettime(CLOCK_REALTIME, &now) < 0 ||
	    clock_gettime(CLOCK_BOOTTIME, &up) < 0)
		return 0;
	return now.tv_sec - up.tv_sec +
	       (time_t)(ticks_after_boot / (uint64_t)ticks);
}

/* ", command X, started DATE", as far as the process can be seen. */
static void about_process(char *out, size_t bytes,
			  const struct hlt_participant_row *row)
{
	const time_t start = date_of(row->status.pid_start);
	char date[40];
	struct tm tm;

	out[0] = '\0';
	if (!row->process.known)
		return;
	if (start <= 0 || gmtime_r(&start, &tm) == NULL ||
	    strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%SZ", &tm) == 0)
		snprintf(out, bytes, ", command %s", row->process.command);
	else
		snprintf(out, bytes, ", command %s, started %s",
			 row->process.command, date);
}

char *hlt_who(char *out, const struct hlt_participant_row *row)
{
	const struct hl_participant_status *p = &row->status;
	char process[128];

	about_process(process, sizeof(process), row);
	snprintf(out, HLT_WHO_BYTES,
		 "%s %s (number %" PRIu32 ", pid %" PRIu32 "%s)",
		 p->producer ? "producer" : "consumer", p->name, row->index,
		 p->pid, process);
	return out;
}

/* What /proc says of a process that is there. */
static const char *activity(const struct hlt_participant_row *row)
{
	if (!row->process.known)
		return ", in a process that cannot be seen from here (another "
		       "pid namespace)";
	if (hlt_is_stopped(row))
		return ", but stopped";
	switch (row->process.state) {
	case 'Z':
	case 'X':
		return ", but its process has ended";
	case 'D':
		return ", in a system call that waits for a device";
	default:
		return " and running";
	}
}

char *hlt_who_state(char *out, const struct hlt_participant_row *row)
{
	const bool zombie = row->process.known && row->process.state == 'Z';

	switch (row->status.liveness) {
	case HL_ALIVE:
		snprintf(out, HLT_STATE_BYTES, "alive%s", activity(row));
		break;
	case HL_DEAD:
		snprintf(out, HLT_STATE_BYTES, "dead%s",
			 zombie ? " (a zombie, not waited for by its parent)" :
				  "");
		break;
	case HL_EVICTED:
		snprintf(out, HLT_STATE_BYTES,
			 "evicted, and has not noticed it yet; alive%s",
			 activity(row));
		break;
	}
	return out;
}

char *hlt_positions(char *out, uint64_t from, uint64_t to)
{
	if (from >= to)
		snprintf(out, HLT_POSITIONS_BYTES, "nothing");
	else if (to - from == 1)
		snprintf(out, HLT_POSITIONS_BYTES, "position %" PRIu64, from);
	else
		snprintf(out, HLT_POSITIONS_BYTES,
			 "positions %" PRIu64 " to %" PRIu64, from, to - 1);
	return out;
}

char *hlt_count_positions(char *out, uint64_t n)
{
	snprintf(out, HLT_POSITIONS_BYTES, "%" PRIu64 " position%s", n,
		 n == 1 ? "" : "s");
	return out;
}

char *hlt_span(char *out, uint64_t ns)
{
	const uint64_t s = ns / ns_per_s;

	if (ns < ns_per_s)
		snprintf(out, HLT_TIME_BYTES, "%" PRIu64 " ms", ns / ns_per_ms);
	else if (s < 100)
		snprintf(out, HLT_TIME_BYTES, "%.1f s", (double)ns / 1e9);
	else if (s < 6000)
		snprintf(out, HLT_TIME_BYTES, "%" PRIu64 " min %" PRIu64 " s",
			 s / 60, s % 60);
	else
		snprintf(out, HLT_TIME_BYTES, "%" PRIu64 " h %" PRIu64 " min",
			 s / 3600, s / 60 % 60);
	return out;
}
