/* SPDX-License-Identifier: MIT */
/*
 * gauge - how fast rings are on this machine, between two of its cores
 *
 * Each figure is taken some times, in turn with the others, between this
 * process and one that it starts, each on a core of its own. Rings are memfds:
 * nothing is left behind, whatever happens.
 */
#ifndef HLT_GAUGE_H
#define HLT_GAUGE_H

#include <stdint.h>

enum hlt_gauge_kind {
	HLT_GAUGE_LINE,	     /* a line there and back, by hand: ns */
	HLT_GAUGE_ROUND,     /* a message there and back, both busy: ns */
	HLT_GAUGE_ROUND_P99, /* the same, what 99 of 100 do not exceed */
	HLT_GAUGE_SINGLE,    /* one at a time: messages per second */
	HLT_GAUGE_BURST,     /* 32 at a time */
	HLT_GAUGE_WAKE,	     /* from a send to who slept for it: ns */
	HLT_GAUGES,
};

enum {
	HLT_GAUGE_RUNS_MAX = 32
};

/* Of each figure, in the order of time. */
struct hlt_gauge {
	int cores[2];
	unsigned nruns;
	double runs[HLT_GAUGES][HLT_GAUGE_RUNS_MAX];
};

/* The first two cores that this process may use: 0, or -ENODEV. */
int hlt_gauge_cores(struct hlt_gauge *gauge);

/* Take each figure once more. Returns 0, -ECANCELED, -EINVAL when a core may
 * not be used, or another negative errno. */
int hlt_gauge_run(struct hlt_gauge *gauge);

struct hlt_gauge_figure {
	double median, min, max;
};
struct hlt_gauge_figure hlt_gauge_figure(const struct hlt_gauge *gauge,
					 enum hlt_gauge_kind kind);

#endif /* HLT_GAUGE_H */
