/* SPDX-License-Identifier: MIT */
/*
 * test_socket.c - a hostile process at the other end of the socket over which
 * a ring is passed
 */
#include "config.h"

#include <hotline/hotline.h>

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/support/rings.h"

static int free_descriptor(void)
{
	const int fd = dup(0);

	close(fd);
	return fd;
}

/* Whoever is at the other end of the socket may send more than one. */
START_TEST(descriptors_that_were_not_asked_for_are_closed)
{
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(2 * sizeof(int))];
	} control = { 0 };
	char byte = 'h';
	struct iovec iov = { &byte, 1 };
	struct msghdr message = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control.room,
		.msg_controllen = sizeof(control.room),
	};
	struct cmsghdr *const c = CMSG_FIRSTHDR(&message);
	const int both[2] = { 0, 1 };
	struct hl_ring *received;
	int sockets[2], before;

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
	before = free_descriptor();
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(both));
	memcpy(CMSG_DATA(c), both, sizeof(both));
	ck_assert_int_eq(sendmsg(sockets[0], &message, 0), 1);
	ck_assert_int_eq(hl_ring_recv_fd(sockets[1], 0, &received, NULL),
			 -EBADMSG);
	ck_assert_int_eq(free_descriptor(), before);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		descriptors_that_were_not_asked_for_are_closed,
	};

	support_add(support_begin("socket"), tests, COUNT_OF(tests));
	return support_end();
}
