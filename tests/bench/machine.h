/* SPDX-License-Identifier: MIT */
/*
 * machine.h - cores, clocks, and how far two cores are from each other
 */
#ifndef BENCH_MACHINE_H
#define BENCH_MACHINE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

enum {
	MACHINE_CORES_MAX = 64
};

/* One core each, no two of which share their execution units if it can be. */
struct machine {
	int cores[MACHINE_CORES_MAX];
	unsigned ncores;
	double ticks_per_ns;
	char model[128];
	char kernel[128];
	char compiler[128];
};

/* Fill it in. list is "0,1", or NULL for all that we may use. 0 or -errno. */
int machine_init(struct machine *machine, const char *list);

int machine_pin(int core);

static inline int64_t machine_now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

/* A clock that is cheap to read: the processor's own where it is steady. */
static inline uint64_t machine_ticks(void)
{
#if defined(__x86_64__)
	return __builtin_ia32_rdtsc();
#else
	return (uint64_t)machine_now_ns();
#endif
}

/* A line, or two, that go back and forth between two processes. */
struct machine_lines {
	_Alignas(128) _Atomic uint64_t there;
	_Alignas(128) _Atomic uint64_t back;
};

enum {
	PROBE_ROUNDS = 100, /* of a block */
	PROBE_BLOCKS = 5,
};

/*
 * Both sides call it at once, the leader with leads set, for the first, second,
 * third time with lines that began as zero. The round trip of one line in ns,
 * the least of some blocks of rounds, is the leader's result.
 */
double machine_probe(struct machine_lines *lines, bool leads, unsigned time);

/* What the system has counted so far. */
struct machine_use {
	int64_t busy_ns;  /* of our cores, by anybody */
	int64_t steal_ns; /* taken by the host */
};
void machine_use(const struct machine *machine, struct machine_use *use);

/* Time that this process was ready to run and did not get to. */
uint64_t machine_delay_ns(void);

#endif /* BENCH_MACHINE_H */
