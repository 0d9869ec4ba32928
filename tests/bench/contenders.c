/* SPDX-License-Identifier: MIT */
/*
 * contenders.c - who takes part in this build
 */
#include "bench.h"

#include <stdio.h>
#include <unistd.h>

const struct bench_contender *const bench_contenders[] = {
	&bench_line,	   &bench_ring,		&bench_tickets, &bench_block,
	&bench_hotline,	   &bench_hotline_sole,
#ifdef BENCH_DPDK
	&bench_rte_sp,	   &bench_rte_zc,	&bench_rte_mp,	&bench_rte_hts,
	&bench_rte_rts,	   &bench_rte_pool,
#endif
#ifdef BENCH_CK
	&bench_ck_spsc,	   &bench_ck_mpmc,
#endif
#ifdef BENCH_BOOST
	&bench_boost_spsc, &bench_boost_mq,
#endif
#ifdef BENCH_QB
	&bench_qb,
#endif
#ifdef BENCH_ZMQ
	&bench_zmq,
#endif
	&bench_pipe,	   &bench_seqpacket,	&bench_mq,	NULL,
};

/* Of the process that calls it first, before it forks. */
void bench_name(char *out, size_t bytes)
{
	static long pid;

	if (pid == 0)
		pid = (long)getpid();
	snprintf(out, bytes, "bench-%ld", pid);
}
