/* SPDX-License-Identifier: MIT */
/*
 * bench.h - what passes through a channel in a measurement, and who passes it
 *
 * A contender is a way to get messages of one 64-byte line from one process to
 * another: the library, a peer that a user would take instead, or a limit, the
 * machine's own way with nothing around it. All carry the same messages and
 * check that none is lost, doubled, torn or late; loops are written out for
 * each, so that each goes through its own best interface.
 */
#ifndef BENCH_H
#define BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define BENCH_LINE 64u
#define BENCH_MEMBERS_MAX 8u		/* producers, and consumers, of a run */
#define BENCH_END_TYPE UINT32_C(0xe0d0) /* of messages that end a stream */
#define BENCH_AT_ONCE_MAX 256u		/* messages of a burst */

#define BENCH_INLINE static inline __attribute__((always_inline))

/* A message as the contenders see it: the shape of struct hl_message. */
struct bench_message {
	uint32_t magic;
	uint32_t type;	 /* number of the producer */
	uint64_t number; /* of the message, from 1 on */
	uint64_t check;	 /* ~number */
	uint64_t stamp;	 /* the channel's, if it needs one */
	uint64_t more[3];
	uint32_t word;
	uint32_t payload; /* the channel's */
} __attribute__((aligned(64)));

enum bench_wait {
	BENCH_WAIT_DEFAULT,
	BENCH_WAIT_BUSY,
	BENCH_WAIT_SLEEP, /* as soon as there is nothing */
};

/* How a channel is used in one run. */
struct bench_shape {
	uint32_t slots;
	uint32_t slot_bytes;
	uint32_t burst;	    /* messages that a producer hands over at once */
	uint32_t take;	    /* the most that a consumer takes at once */
	uint32_t producers; /* processes */
	uint32_t consumers;
	bool broadcast;	      /* each consumer gets all, else they compete */
	enum bench_wait wait; /* of consumers and producers */
	uint32_t payload_bytes;
	bool copied;	   /* the payload is copied at both ends */
	uint32_t variant;  /* of a limit; of the library: BENCH_WITH_... */
	uint32_t accounts; /* that payments go to: of bench-layout */
};

enum {
	BENCH_WITH_CHECKSUM = 1,
	BENCH_WITH_PAYLOAD_CHECKSUM = 2,
	BENCH_WITH_NAME = 4, /* a ring that others can open by bench_name() */
};

/* What a consumer has seen. */
struct bench_tally {
	uint64_t count;
	uint64_t sum; /* of the numbers */
	uint64_t bad;
	uint64_t ends;
	uint64_t last[BENCH_MEMBERS_MAX]; /* number, of each producer */
};

/* One end of a channel, in a process of its own. */
struct bench_side {
	const struct bench_shape *shape;
	void *channel;
	void *end; /* whatever join() made */
	uint32_t id;
	bool producer;
	bool crowd; /* more runners than cores: yield where you spin */
};

enum {
	BENCH_CAN_ONE = 1,  /* one producer, one consumer */
	BENCH_CAN_MANY = 2, /* many, each message to one of the consumers */
	BENCH_CAN_BROADCAST = 4,
	BENCH_CAN_PAYLOAD = 8,
	BENCH_CAN_ROUND = 16, /* send() and recv() */
	BENCH_SLEEPS = 32,    /* its receiver can sleep */
	BENCH_CAN_WIDE = 64,  /* messages of two lines */
};

enum bench_role {
	BENCH_OURS,
	BENCH_PEER,
	BENCH_LIMIT,
};

struct bench_contender {
	const char *name;
	const char *api; /* through which it is used */
	enum bench_role role;
	uint32_t can;
	uint32_t mode;	 /* tells contenders of one file apart */
	bool one_by_one; /* whatever the burst */
	/* In the parent, before the processes are started; NULL: cannot. */
	void *(*create)(const struct bench_contender *self,
			const struct bench_shape *shape);
	void (*destroy)(void *channel);
	/* In each process. 0, or a negative errno. */
	int (*join)(struct bench_side *side);
	void (*leave)(struct bench_side *side);
	/* Send n messages, numbered from first on, or n that end a stream. */
	void (*produce)(struct bench_side *side, uint64_t first, uint64_t n);
	void (*end)(struct bench_side *side, uint64_t n);
	/* Receive until n have come, or one that ends the stream. */
	void (*consume)(struct bench_side *side, uint64_t n,
			struct bench_tally *tally);
	/* One message, waiting for room or for it. */
	void (*send)(struct bench_side *side, const struct bench_message *m);
	void (*recv)(struct bench_side *side, struct bench_message *m);
};

/* All contenders of this build; the last has no name. */
extern const struct bench_contender *const bench_contenders[];

extern const struct bench_contender bench_hotline, bench_hotline_sole;
extern const struct bench_contender bench_line, bench_ring, bench_tickets;
extern const struct bench_contender bench_block;
extern const struct bench_contender bench_pipe, bench_seqpacket, bench_mq;
extern const struct bench_contender bench_rte_sp, bench_rte_zc, bench_rte_mp;
extern const struct bench_contender bench_rte_hts, bench_rte_rts;
extern const struct bench_contender bench_rte_pool;
extern const struct bench_contender bench_ck_spsc, bench_ck_mpmc;
extern const struct bench_contender bench_qb, bench_zmq;
extern const struct bench_contender bench_boost_spsc, bench_boost_mq;

/* The name of the ring of a run, in a buffer of the caller's. */
void bench_name(char *out, size_t bytes);

/* Zeroed memory that the processes of a run share; NULL without memory. */
void *bench_shared(size_t bytes);
void bench_unshare(void *memory, size_t bytes);

/* Ends this process: a run that cannot go on is not counted. */
__attribute__((noreturn)) void bench_give_up(const char *what, int code);

/* Tell the processor that this is a spin. */
BENCH_INLINE void bench_pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield" ::: "memory");
#endif
}

void bench_yield(void);

/* Once more round a spin that has lasted *spins turns. */
BENCH_INLINE void bench_spin(const struct bench_side *side, uint32_t *spins)
{
	bench_pause();
	if (side->crowd && ++*spins % 64 == 0)
		bench_yield();
}

BENCH_INLINE uint64_t bench_min(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

#ifdef __cplusplus
}
#endif
#endif /* BENCH_H */
