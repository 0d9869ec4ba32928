/* SPDX-License-Identifier: MIT */
/*
 * peer_boost.cc - Boost: lockfree::spsc_queue and interprocess::message_queue
 *
 * spsc_queue has its capacity in its type, so there is one for each size of
 * ring; others are refused. It stands in plain shared memory.
 */
#include <cstdio>
#include <new>

#include <unistd.h>

#include <boost/interprocess/ipc/message_queue.hpp>
#include <boost/lockfree/spsc_queue.hpp>

extern "C" {
#include "fill.h"
}

namespace
{

int join(struct bench_side *)
{
	return 0;
}

void leave(struct bench_side *)
{
}

/* --- spsc_queue -------------------------------------------------------- */

template <unsigned slots>
using queue = boost::lockfree::spsc_queue<struct bench_message,
					  boost::lockfree::capacity<slots> >;

struct header {
	std::size_t bytes;
	alignas(4096) unsigned char at[1];
};

template <unsigned slots>
void *create_queue()
{
	const std::size_t bytes = sizeof(header) + sizeof(queue<slots>);
	header *const h = static_cast<header *>(bench_shared(bytes));

	if (!h)
		return nullptr;
	h->bytes = bytes;
	new (h->at) queue<slots>;
	return h;
}

void *create(const struct bench_contender *, const struct bench_shape *shape)
{
	switch (shape->slots) {
	case 512:
		return create_queue<512>();
	case 1024:
		return create_queue<1024>();
	case 4096:
		return create_queue<4096>();
	case 16384:
		return create_queue<16384>();
	case 65536:
		return create_queue<65536>();
	default:
		return nullptr;
	}
}

void destroy(void *channel)
{
	bench_unshare(channel, static_cast<header *>(channel)->bytes);
}

template <unsigned slots>
queue<slots> &queue_of(struct bench_side *side)
{
	header *const h = static_cast<header *>(side->channel);

	return *reinterpret_cast<queue<slots> *>(h->at);
}

template <unsigned slots>
void produce(struct bench_side *side, std::uint64_t first, std::uint64_t n)
{
	queue<slots> &q = queue_of<slots>(side);
	struct bench_message burst[BENCH_AT_ONCE_MAX];
	std::uint32_t spins = 0;

	while (n) {
		const std::size_t k = bench_min(side->shape->burst, n);
		std::size_t done = 0;

		for (std::size_t i = 0; i < k; i++)
			bench_fill_whole(&burst[i], side->id, first + i);
		while ((done += q.push(burst + done, k - done)) < k)
			bench_spin(side, &spins);
		first += k;
		n -= k;
	}
}

/* In place: the queue calls back for each element it holds. */
template <unsigned slots>
void consume(struct bench_side *side, std::uint64_t n,
	     struct bench_tally *total)
{
	queue<slots> &q = queue_of<slots>(side);
	struct bench_tally tally = *total;
	std::uint32_t spins = 0;

	const auto one = [&tally](const struct bench_message &m) {
		bench_tally_next(&tally, &m);
	};

	while (tally.count < n) {
		const std::size_t k = side->shape->take == 1 ?
					      q.consume_one(one) :
					      q.consume_all(one);
		if (k == 0)
			bench_spin(side, &spins);
	}
	*total = tally;
}

void produce_any(struct bench_side *side, std::uint64_t first, std::uint64_t n)
{
	switch (side->shape->slots) {
	case 512:
		return produce<512>(side, first, n);
	case 1024:
		return produce<1024>(side, first, n);
	case 4096:
		return produce<4096>(side, first, n);
	case 16384:
		return produce<16384>(side, first, n);
	default:
		return produce<65536>(side, first, n);
	}
}

void consume_any(struct bench_side *side, std::uint64_t n,
		 struct bench_tally *tally)
{
	switch (side->shape->slots) {
	case 512:
		return consume<512>(side, n, tally);
	case 1024:
		return consume<1024>(side, n, tally);
	case 4096:
		return consume<4096>(side, n, tally);
	case 16384:
		return consume<16384>(side, n, tally);
	default:
		return consume<65536>(side, n, tally);
	}
}

/* Round trips are run with rings of 1,024 slots only. */
void send_one(struct bench_side *side, const struct bench_message *m)
{
	std::uint32_t spins = 0;

	while (!queue_of<1024>(side).push(*m))
		bench_spin(side, &spins);
}

void recv_one(struct bench_side *side, struct bench_message *m)
{
	std::uint32_t spins = 0;

	while (!queue_of<1024>(side).pop(*m))
		bench_spin(side, &spins);
}

/* --- message_queue ----------------------------------------------------- */

namespace ip = boost::interprocess;

struct mq {
	ip::message_queue *queue;
	char name[64];
};

void *create_mq(const struct bench_contender *,
		const struct bench_shape *shape)
{
	static unsigned serial;
	mq *const made = new (std::nothrow) mq;

	if (!made)
		return nullptr;
	std::snprintf(made->name, sizeof(made->name), "hotline-bench-%ld-%u",
		      static_cast<long>(getpid()), serial++);
	try {
		made->queue = new ip::message_queue(ip::create_only, made->name,
						    shape->slots, BENCH_LINE);
		/* The mapping is inherited; no file is left behind. */
		ip::message_queue::remove(made->name);
	} catch (...) {
		delete made;
		return nullptr;
	}
	return made;
}

void destroy_mq(void *channel)
{
	mq *const made = static_cast<mq *>(channel);

	delete made->queue;
	delete made;
}

void mq_put(struct bench_side *side, const struct bench_message *m)
{
	std::uint32_t spins = 0;

	/* Polling, as the others in its tables do. */
	while (!static_cast<mq *>(side->channel)
			->queue->try_send(m, sizeof(*m), 0))
		bench_spin(side, &spins);
}

void mq_get(struct bench_side *side, struct bench_message *m)
{
	ip::message_queue::size_type got;
	std::uint32_t spins = 0;
	unsigned priority;

	while (!static_cast<mq *>(side->channel)
			->queue->try_receive(m, sizeof(*m), got, priority))
		bench_spin(side, &spins);
}

void mq_stream(struct bench_side *side, std::uint64_t first, std::uint64_t n,
	       std::uint32_t type)
{
	struct bench_message m;

	for (std::uint64_t i = first; i < first + n; i++) {
		bench_fill_whole(&m, type, i);
		mq_put(side, &m);
	}
}

void mq_produce(struct bench_side *side, std::uint64_t first, std::uint64_t n)
{
	mq_stream(side, first, n, side->id);
}

void mq_end(struct bench_side *side, std::uint64_t n)
{
	mq_stream(side, 1, n, BENCH_END_TYPE);
}

void mq_consume(struct bench_side *side, std::uint64_t n,
		struct bench_tally *tally)
{
	struct bench_message m;

	while (bench_more(tally, n)) {
		mq_get(side, &m);
		bench_tally_any(tally, &m);
	}
}

} /* namespace */

extern "C" const struct bench_contender bench_boost_spsc = {
	"Boost spsc_queue",
	"push of a burst; consume_one or consume_all, in place",
	BENCH_PEER,
	BENCH_CAN_ONE | BENCH_CAN_ROUND,
	0,
	false,
	create,
	destroy,
	join,
	leave,
	produce_any,
	nullptr,
	consume_any,
	send_one,
	recv_one,
};

extern "C" const struct bench_contender bench_boost_mq = {
	"Boost message_queue",
	"try_send and try_receive, one a call, polling",
	BENCH_PEER,
	BENCH_CAN_ONE | BENCH_CAN_MANY | BENCH_CAN_ROUND,
	0,
	true,
	create_mq,
	destroy_mq,
	join,
	leave,
	mq_produce,
	mq_end,
	mq_consume,
	mq_put,
	mq_get,
};
