/* SPDX-License-Identifier: MIT */
/*
 * counters.c - the processor's own counts of a process, where it gives them
 */
#include "counters.h"

#include <linux/perf_event.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static int open_one(uint64_t what)
{
	struct perf_event_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.size = sizeof(attr);
	attr.type = PERF_TYPE_HARDWARE;
	attr.config = what;
	attr.disabled = 1;
	attr.exclude_kernel = 1;
	attr.exclude_hv = 1;
	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1,
			    PERF_FLAG_FD_CLOEXEC);
}

void counters_open(struct counters *counters)
{
	counters->fds[COUNT_INSTRUCTIONS] =
		open_one(PERF_COUNT_HW_INSTRUCTIONS);
	counters->fds[COUNT_MISSES] = open_one(PERF_COUNT_HW_CACHE_MISSES);
}

void counters_close(struct counters *counters)
{
	for (int i = 0; i < COUNTS; i++) {
		if (counters->fds[i] >= 0)
			close(counters->fds[i]);
	}
}

static void control(const struct counters *counters, unsigned long what)
{
	for (int i = 0; i < COUNTS; i++) {
		if (counters->fds[i] >= 0)
			ioctl(counters->fds[i], what, 0);
	}
}

void counters_start(const struct counters *counters)
{
	control(counters, PERF_EVENT_IOC_RESET);
	control(counters, PERF_EVENT_IOC_ENABLE);
}

void counters_stop(const struct counters *counters, uint64_t *counts)
{
	control(counters, PERF_EVENT_IOC_DISABLE);
	for (int i = 0; i < COUNTS; i++) {
		counts[i] = 0;
		if (counters->fds[i] >= 0 &&
		    read(counters->fds[i], &counts[i], sizeof(counts[i])) !=
			    sizeof(counts[i]))
			counts[i] = 0;
	}
}
