/* SPDX-License-Identifier: MIT */
/*
 * sim.c - what the system does otherwise: lock bytes, time, memory
 *
 * The functions of lib/liveness.c stand here again, over a table; the linker
 * then leaves that file out. The C library's functions that the code calls on
 * its way (see tests/race/local.mk) are wrapped. Descriptors are numbers.
 *
 * Handles lie in memory that is forgotten after each run. The list of members
 * that join.c keeps is emptied by the library's own handler of a fork's child.
 *
 * The coarse clock goes on by a second with each look at it, so that who polls
 * looks for the dead each time; a nap lets the others run.
 */
#include "config.h"

#include "tests/race/race.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "lib/clock.h"
#include "lib/liveness.h"

#define DESCRIPTORS 32
#define FIRST_DESCRIPTOR 100000
#define BYTES 32
#define MEMORY_BYTES (1 << 20)

struct description {
	bool open;
	int actor;
};

static struct description descriptions[DESCRIPTORS];
static int holders[BYTES]; /* a description's index plus 1; 0: free */
static _Alignas(64) unsigned char memory[MEMORY_BYTES];
static size_t memory_used;
static int owner; /* of what the test itself opens */
static const struct hl_ring *ring;
static int64_t now_ns, coarse_ns;
static void (*fork_child)(void);

int __real_open(const char *path, int flags, ...);
int __real_close(int fd);
int __real_fstat(int fd, struct stat *st);
int __real_clock_gettime(clockid_t clock, struct timespec *ts);
int __real_nanosleep(const struct timespec *ts, struct timespec *left);
void *__real_calloc(size_t n, size_t bytes);
void *__real_aligned_alloc(size_t alignment, size_t bytes);
void __real_free(void *p);

int __wrap_open(const char *path, int flags, ...);
int __wrap_close(int fd);
int __wrap_fstat(int fd, struct stat *st);
int __wrap_clock_gettime(clockid_t clock, struct timespec *ts);
int __wrap_nanosleep(const struct timespec *ts, struct timespec *left);
int __wrap_pthread_atfork(void (*prepare)(void), void (*parent)(void),
			  void (*child)(void));
void *__wrap_calloc(size_t n, size_t bytes);
void *__wrap_aligned_alloc(size_t alignment, size_t bytes);
void __wrap_free(void *p);

void sim_reset(void)
{
	if (fork_child)
		fork_child();
	memset(descriptions, 0, sizeof(descriptions));
	memset(holders, 0, sizeof(holders));
	memory_used = 0;
	owner = NOBODY;
	now_ns = coarse_ns = HLI_NS_PER_S;
}

void sim_attach(const struct hl_ring *r)
{
	sim_reset();
	ring = r;
}

void sim_detach(void)
{
	sim_reset();
	ring = NULL;
}

/* Places of lock bytes in the table: a few seats and a few records. */
static int place(int64_t byte)
{
	const int64_t at = byte >= HLI_LOCK_RECORD(0) ?
				   byte - HLI_LOCK_RECORD(0) + 8 :
			   byte >= HLI_LOCK_GROUP_SEAT(0) ?
				   byte - HLI_LOCK_GROUP_SEAT(0) + 2 :
				   byte;

	if (at < 0 || at >= BYTES)
		abort();
	return (int)at;
}

static struct description *description(int fd)
{
	const int i = fd - FIRST_DESCRIPTOR;

	return i >= 0 && i < DESCRIPTORS && descriptions[i].open ?
		       &descriptions[i] :
		       NULL;
}

static void drop_all(int index)
{
	for (int b = 0; b < BYTES; b++)
		if (holders[b] == index + 1)
			holders[b] = 0;
	descriptions[index].open = false;
}

void sim_die(int actor)
{
	for (int i = 0; i < DESCRIPTORS; i++)
		if (descriptions[i].open && descriptions[i].actor == actor)
			drop_all(i);
}

bool sim_locked(int byte)
{
	return holders[place(byte)] != 0;
}

void sim_own(int actor)
{
	owner = actor;
}

int hli_lock_open(int ring_fd)
{
	(void)ring_fd;
	for (int i = 0; i < DESCRIPTORS; i++) {
		if (descriptions[i].open)
			continue;
		descriptions[i].open = true;
		descriptions[i].actor = race_self() == NOBODY ? owner :
								race_self();
		return FIRST_DESCRIPTOR + i;
	}
	return -EMFILE;
}

int hli_lock_try(int fd, int64_t byte)
{
	int *const holder = &holders[place(byte)];
	const int me = fd - FIRST_DESCRIPTOR + 1;

	race_step("lock");
	if (!description(fd))
		return -EBADF;
	if (*holder && *holder != me)
		return -EAGAIN;
	*holder = me;
	return 0;
}

void hli_lock_drop(int fd, int64_t byte)
{
	int *const holder = &holders[place(byte)];

	if (*holder != fd - FIRST_DESCRIPTOR + 1)
		return;
	*holder = 0;
	race_step("unlocked");
}

int hli_lock_probe(int fd, int64_t byte)
{
	const int holder = holders[place(byte)];

	return holder && holder != fd - FIRST_DESCRIPTOR + 1;
}

int hli_lock_wait(int fd, int64_t byte, int64_t ns)
{
	int ret;

	(void)ns;
	while ((ret = hli_lock_try(fd, byte)) == -EAGAIN)
		if (!race_await_byte((int)byte))
			return -ETIMEDOUT;
	return ret;
}

int __wrap_open(const char *path, int flags, ...)
{
	mode_t mode;
	va_list args;

	if (ring)
		return -1; /* what /proc tells of us is for people */
	va_start(args, flags);
	mode = (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE ?
		       va_arg(args, mode_t) :
		       0;
	va_end(args);
	return __real_open(path, flags, mode);
}

int __wrap_close(int fd)
{
	if (!description(fd))
		return fd < FIRST_DESCRIPTOR ? __real_close(fd) : -1;
	drop_all(fd - FIRST_DESCRIPTOR);
	return 0;
}

int __wrap_fstat(int fd, struct stat *st)
{
	if (!description(fd))
		return __real_fstat(fd, st);
	memset(st, 0, sizeof(*st));
	st->st_dev = ring->segment.device;
	st->st_ino = ring->segment.inode;
	st->st_nlink = 1;
	return 0;
}

int __wrap_clock_gettime(clockid_t clock, struct timespec *ts)
{
	int64_t *const now = clock == CLOCK_MONOTONIC_COARSE ? &coarse_ns :
							       &now_ns;

	if (!ring)
		return __real_clock_gettime(clock, ts);
	*now += clock == CLOCK_MONOTONIC_COARSE ? HLI_NS_PER_S : 1;
	ts->tv_sec = *now / HLI_NS_PER_S;
	ts->tv_nsec = *now % HLI_NS_PER_S;
	return 0;
}

int __wrap_nanosleep(const struct timespec *ts, struct timespec *left)
{
	if (!ring)
		return __real_nanosleep(ts, left);
	now_ns += 10 * HLI_NS_PER_MS;
	race_idle();
	return 0;
}

int __wrap_pthread_atfork(void (*prepare)(void), void (*parent)(void),
			  void (*child)(void))
{
	(void)prepare;
	(void)parent;
	fork_child = child;
	return 0;
}

static void *allocate(size_t bytes)
{
	void *const p = memory + memory_used;

	memory_used += (bytes + 63) / 64 * 64;
	if (memory_used > sizeof(memory))
		abort();
	return memset(p, 0, bytes);
}

void *__wrap_calloc(size_t n, size_t bytes)
{
	return ring ? allocate(n * bytes) : __real_calloc(n, bytes);
}

void *__wrap_aligned_alloc(size_t alignment, size_t bytes)
{
	return ring ? allocate(bytes) : __real_aligned_alloc(alignment, bytes);
}

void __wrap_free(void *p)
{
	const unsigned char *const at = p;

	if (at < memory || at >= memory + sizeof(memory))
		__real_free(p);
}
