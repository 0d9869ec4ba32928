/* SPDX-License-Identifier: MIT */
/*
 * liveness.c - OFD locks on single bytes
 */
#include "config.h"

#include "liveness.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"

#define RETRY_NS (HLI_NS_PER_MS / 2)

int hli_lock_open(int ring_fd)
{
	char path[32];
	int fd;

	/* Not dup(): a shared description would exclude nobody. */
	snprintf(path, sizeof(path), "/proc/self/fd/%d", ring_fd);
	fd = open(path, O_RDWR | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int lock_call(int fd, int command, short type, int64_t byte,
		     struct flock *lock)
{
	*lock = (struct flock){
		.l_type = type,
		.l_whence = SEEK_SET,
		.l_start = (off_t)byte,
		.l_len = 1,
	};
	while (fcntl(fd, command, lock) < 0) {
		if (errno != EINTR)
			return -errno;
	}
	return 0;
}

int hli_lock_try(int fd, int64_t byte)
{
	struct flock lock;
	const int ret = lock_call(fd, F_OFD_SETLK, F_WRLCK, byte, &lock);

	return ret == -EACCES ? -EAGAIN : ret;
}

void hli_lock_drop(int fd, int64_t byte)
{
	struct flock lock;

	(void)lock_call(fd, F_OFD_SETLK, F_UNLCK, byte, &lock);
}

int hli_lock_probe(int fd, int64_t byte)
{
	struct flock lock;
	const int ret = lock_call(fd, F_OFD_GETLK, F_WRLCK, byte, &lock);

	return ret < 0 ? ret : lock.l_type != F_UNLCK;
}

int hli_lock_wait(int fd, int64_t byte, int64_t ns)
{
	const struct timespec pause = { .tv_nsec = RETRY_NS };
	const int64_t deadline = hli_deadline_ns(ns);
	int ret;

	while ((ret = hli_lock_try(fd, byte)) == -EAGAIN) {
		if (hli_now_ns() >= deadline)
			return -ETIMEDOUT;
		nanosleep(&pause, NULL);
	}
	return ret;
}
