/* SPDX-License-Identifier: MIT */
/*
 * peer_zmq.c - ZeroMQ, PUSH to PULL over ipc://
 *
 * A context belongs to one process, so each makes its own; the address is an
 * abstract one, which leaves no file.
 */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include <zmq.h>

#include "copied.h"

struct channel {
	char address[64];
	int slots;
};

struct end {
	void *context, *socket;
};

static void *create(const struct bench_contender *self,
		    const struct bench_shape *shape)
{
	static unsigned serial;
	struct channel *const channel = bench_shared(sizeof(*channel));

	(void)self;
	if (!channel)
		return NULL;
	snprintf(channel->address, sizeof(channel->address),
		 "ipc://@hotline-bench-%ld-%u", (long)getpid(), serial++);
	channel->slots = (int)shape->slots;
	return channel;
}

static void destroy(void *channel)
{
	bench_unshare(channel, sizeof(struct channel));
}

static int join(struct bench_side *side)
{
	const struct channel *const channel = side->channel;
	static struct end ends[4];
	static unsigned used;
	struct end *const end = &ends[used++ % 4];
	int ret;

	end->context = zmq_ctx_new();
	if (!end->context)
		return -ENOMEM;
	end->socket =
		zmq_socket(end->context, side->producer ? ZMQ_PUSH : ZMQ_PULL);
	if (!end->socket)
		return -ENOMEM;
	zmq_setsockopt(end->socket, side->producer ? ZMQ_SNDHWM : ZMQ_RCVHWM,
		       &channel->slots, sizeof(channel->slots));
	ret = side->producer ? zmq_connect(end->socket, channel->address) :
			       zmq_bind(end->socket, channel->address);
	side->end = end;
	return ret < 0 ? -errno : 0;
}

static void leave(struct bench_side *side)
{
	const struct end *const end = side->end;

	zmq_close(end->socket);
	zmq_ctx_term(end->context);
}

BENCH_INLINE uint32_t push(struct bench_side *side,
			   const struct bench_message *m, uint32_t k)
{
	const struct end *const end = side->end;

	(void)k;
	if (zmq_send(end->socket, m, sizeof(*m), 0) < 0)
		bench_give_up("zmq_send", -errno);
	return 1;
}

BENCH_INLINE uint32_t pop(struct bench_side *side, struct bench_message *m,
			  uint32_t k)
{
	const struct end *const end = side->end;

	(void)k;
	if (zmq_recv(end->socket, m, sizeof(*m), 0) != sizeof(*m))
		bench_give_up("zmq_recv", -errno);
	return 1;
}

COPIED_LOOPS(push_pull, push, pop)

const struct bench_contender bench_zmq = {
	.name = "ZeroMQ ipc",
	.api = "zmq_send and zmq_recv, PUSH to PULL; it batches by itself",
	.role = BENCH_PEER,
	.can = BENCH_CAN_ONE | BENCH_CAN_ROUND | BENCH_SLEEPS,
	.create = create,
	.destroy = destroy,
	.join = join,
	.leave = leave,
	.produce = push_pull_produce,
	.end = push_pull_end,
	.consume = push_pull_consume,
	.send = push_pull_send,
	.recv = push_pull_recv,
};
