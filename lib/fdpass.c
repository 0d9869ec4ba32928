/* SPDX-License-Identifier: MIT */
/*
 * fdpass.c - pass a ring's descriptor over a Unix socket
 */
#include "config.h"

#include <hotline/ring.h>

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "util.h"

/* Room for one descriptor, aligned as the kernel wants it. */
union control {
	struct cmsghdr header;
	char room[CMSG_SPACE(sizeof(int))];
};

int hl_ring_send_fd(const struct hl_ring *ring, int socket_fd)
{
	const int fd = hl_ring_fd(ring);
	char byte = 'h';
	struct iovec iov = { .iov_base = &byte, .iov_len = 1 };
	union control control = { 0 };
	struct msghdr message = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control.room,
		.msg_controllen = sizeof(control.room),
	};
	struct cmsghdr *const c = CMSG_FIRSTHDR(&message);
	ssize_t n;

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(fd));
	memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	do {
		n = sendmsg(socket_fd, &message, MSG_NOSIGNAL);
	} while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : 0;
}

/*
 * The descriptor in a message, or -EBADMSG. The room for one has, by its
 * alignment, room for two: what was not asked for must not stay open.
 */
static int descriptor_in(const struct msghdr *message)
{
	const struct cmsghdr *const c = CMSG_FIRSTHDR(message);
	int fds[CMSG_SPACE(sizeof(int)) / sizeof(int)];
	size_t n, i;

	if (!c || c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
		return -EBADMSG;
	n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
	memcpy(fds, CMSG_DATA(c), n * sizeof(int));
	if (n == 1)
		return fds[0];
	for (i = 0; i < n; i++)
		close(fds[i]);
	return -EBADMSG;
}

int hl_ring_recv_fd(int socket_fd, unsigned flags, struct hl_ring **out,
		    struct hl_error *err)
{
	char byte;
	struct iovec iov = { .iov_base = &byte, .iov_len = 1 };
	union control control = { 0 };
	struct msghdr message = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control.room,
		.msg_controllen = sizeof(control.room),
	};
	ssize_t n;
	int fd, ret;

	*out = NULL;
	do {
		n = recvmsg(socket_fd, &message, MSG_CMSG_CLOEXEC);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return hli_fail(err, -errno, "socket %d: recvmsg: %s",
				socket_fd, strerror(errno));
	fd = descriptor_in(&message);
	if (fd < 0)
		return hli_fail(err, -EBADMSG,
				"socket %d: what came was no ring's descriptor",
				socket_fd);
	ret = hl_ring_open_fd(fd, flags, out, err);
	close(fd);
	return ret;
}
