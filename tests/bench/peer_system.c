/* SPDX-License-Identifier: MIT */
/*
 * peer_system.c - what every Linux has: pipe, seqpacket socket, POSIX queue
 *
 * All of them block in the kernel. A pipe carries a burst in one write, since
 * its ends agree on the length of a message; a socket carries it by sendmmsg.
 */
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "copied.h"

enum {
	MODE_PIPE,
	MODE_SEQPACKET,
};

struct channel {
	int out, in;
	char name[64];
};

static void *create_pair(const struct bench_contender *self,
			 const struct bench_shape *shape)
{
	struct channel *const channel = bench_shared(sizeof(*channel));
	const int bytes = (int)(shape->slots * (shape->payload_bytes ?
							shape->payload_bytes :
							BENCH_LINE));
	int fds[2];

	if (!channel)
		return NULL;
	if (self->mode == MODE_PIPE) {
		if (pipe(fds) < 0)
			return NULL;
		channel->in = fds[0];
		channel->out = fds[1];
		/* More than the system grants stays what it is. */
		(void)fcntl(channel->out, F_SETPIPE_SZ, bytes);
	} else {
		if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, fds) < 0)
			return NULL;
		channel->in = fds[0];
		channel->out = fds[1];
		/* A message of 64 bytes takes some 800 of it. */
		(void)setsockopt(channel->out, SOL_SOCKET, SO_SNDBUF,
				 &(int){ 12 * bytes }, sizeof(bytes));
	}
	return channel;
}

static void destroy_pair(void *memory)
{
	struct channel *const channel = memory;

	close(channel->in);
	close(channel->out);
	bench_unshare(channel, sizeof(*channel));
}

static int join(struct bench_side *side)
{
	(void)side;
	return 0;
}

static void leave(struct bench_side *side)
{
	(void)side;
}

BENCH_INLINE uint32_t pipe_push(struct bench_side *side,
				const struct bench_message *m, uint32_t k)
{
	const struct channel *const channel = side->channel;
	const ssize_t got = write(channel->out, m, k * sizeof(*m));

	if (got < 0)
		bench_give_up("write", -errno);
	return (uint32_t)got / sizeof(*m);
}

BENCH_INLINE uint32_t pipe_pop(struct bench_side *side, struct bench_message *m,
			       uint32_t k)
{
	const struct channel *const channel = side->channel;
	const ssize_t got = read(channel->in, m, k * sizeof(*m));

	if (got < 0)
		bench_give_up("read", -errno);
	return (uint32_t)got / sizeof(*m);
}

BENCH_INLINE void to_vectors(struct mmsghdr *headers, struct iovec *vectors,
			     const struct bench_message *m, uint32_t k)
{
	for (uint32_t i = 0; i < k; i++) {
		vectors[i].iov_base = (void *)(uintptr_t)&m[i];
		vectors[i].iov_len = sizeof(m[i]);
		headers[i] = (struct mmsghdr){ 0 };
		headers[i].msg_hdr.msg_iov = &vectors[i];
		headers[i].msg_hdr.msg_iovlen = 1;
	}
}

BENCH_INLINE uint32_t packet_push(struct bench_side *side,
				  const struct bench_message *m, uint32_t k)
{
	const struct channel *const channel = side->channel;
	struct mmsghdr headers[BENCH_AT_ONCE_MAX];
	struct iovec vectors[BENCH_AT_ONCE_MAX];
	int got;

	if (k == 1) {
		if (send(channel->out, m, sizeof(*m), 0) < 0)
			bench_give_up("send", -errno);
		return 1;
	}
	to_vectors(headers, vectors, m, k);
	got = sendmmsg(channel->out, headers, k, 0);
	if (got < 0)
		bench_give_up("sendmmsg", -errno);
	return (uint32_t)got;
}

BENCH_INLINE uint32_t packet_pop(struct bench_side *side,
				 struct bench_message *m, uint32_t k)
{
	const struct channel *const channel = side->channel;
	struct mmsghdr headers[BENCH_AT_ONCE_MAX];
	struct iovec vectors[BENCH_AT_ONCE_MAX];
	int got;

	if (k == 1) {
		if (recv(channel->in, m, sizeof(*m), 0) != sizeof(*m))
			bench_give_up("recv", -errno);
		return 1;
	}
	to_vectors(headers, vectors, m, k);
	got = recvmmsg(channel->in, headers, k, MSG_WAITFORONE, NULL);
	if (got < 0)
		bench_give_up("recvmmsg", -errno);
	return (uint32_t)got;
}

static void *create_mq(const struct bench_contender *self,
		       const struct bench_shape *shape)
{
	static unsigned serial;
	struct channel *const channel = bench_shared(sizeof(*channel));
	struct mq_attr attr = {
		.mq_maxmsg = shape->slots,
		.mq_msgsize = BENCH_LINE,
	};

	(void)self;
	if (!channel)
		return NULL;
	snprintf(channel->name, sizeof(channel->name), "/hotline-bench-%ld-%u",
		 (long)getpid(), serial++);
	channel->in =
		mq_open(channel->name, O_CREAT | O_EXCL | O_RDWR, 0600, &attr);
	if (channel->in < 0) {
		attr.mq_maxmsg = 10; /* what the system grants anyone */
		channel->in = mq_open(channel->name, O_CREAT | O_EXCL | O_RDWR,
				      0600, &attr);
	}
	if (channel->in < 0)
		return NULL;
	mq_unlink(channel->name);
	return channel;
}

static void destroy_mq(void *memory)
{
	struct channel *const channel = memory;

	mq_close(channel->in);
	bench_unshare(channel, sizeof(*channel));
}

BENCH_INLINE uint32_t mq_push(struct bench_side *side,
			      const struct bench_message *m, uint32_t k)
{
	const struct channel *const channel = side->channel;

	(void)k;
	if (mq_send(channel->in, (const char *)m, sizeof(*m), 0) < 0)
		bench_give_up("mq_send", -errno);
	return 1;
}

BENCH_INLINE uint32_t mq_pop(struct bench_side *side, struct bench_message *m,
			     uint32_t k)
{
	const struct channel *const channel = side->channel;

	(void)k;
	if (mq_receive(channel->in, (char *)m, sizeof(*m), NULL) < 0)
		bench_give_up("mq_receive", -errno);
	return 1;
}

COPIED_LOOPS(byte, pipe_push, pipe_pop)
COPIED_LOOPS(packet, packet_push, packet_pop)
COPIED_LOOPS(queue, mq_push, mq_pop)

#define SYSTEM(variable, text, how, mode_, one, make, unmake, loops)           \
	const struct bench_contender variable = {                              \
		.name = text,                                                  \
		.api = how,                                                    \
		.role = BENCH_PEER,                                            \
		.can = BENCH_CAN_ONE | BENCH_CAN_MANY | BENCH_CAN_ROUND |      \
		       BENCH_SLEEPS,                                           \
		.mode = mode_,                                                 \
		.one_by_one = one,                                             \
		.create = make,                                                \
		.destroy = unmake,                                             \
		.join = join,                                                  \
		.leave = leave,                                                \
		.produce = loops##_produce,                                    \
		.end = loops##_end,                                            \
		.consume = loops##_consume,                                    \
		.send = loops##_send,                                          \
		.recv = loops##_recv,                                          \
	}

SYSTEM(bench_pipe, "pipe", "write and read of whole bursts", MODE_PIPE, false,
       create_pair, destroy_pair, byte);
SYSTEM(bench_seqpacket, "seqpacket socket",
       "send and recv, bursts by sendmmsg and recvmmsg", MODE_SEQPACKET, false,
       create_pair, destroy_pair, packet);
SYSTEM(bench_mq, "POSIX mq", "mq_send and mq_receive, one a call", MODE_PIPE,
       true, create_mq, destroy_mq, queue);
