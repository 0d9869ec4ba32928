/* SPDX-License-Identifier: MIT */
/*
 * crew.h - the processes of one run: started, pinned, timed, ended
 *
 * Each worker is a process on a core of its own, as long as there are cores;
 * else they share them. The first two, on two cores, tell before and after
 * their work how far the cores are from each other. A run ends within its time
 * limit: who hangs is killed, and the run is not counted.
 */
#ifndef BENCH_CREW_H
#define BENCH_CREW_H

#include <stdatomic.h>

#include "bench.h"
#include "hist.h"
#include "machine.h"

enum {
	CREW_MAX = 2 * BENCH_MEMBERS_MAX + 2,
	CREW_METRICS = 6,
};

/* What a worker leaves behind. */
struct crew_result {
	_Alignas(128) struct bench_tally tally;
	int64_t begin_ns, end_ns; /* of its work */
	uint64_t delay_ns;	  /* that it was kept from running */
	uint64_t sent, sent_sum;
	double extra; /* whatever its work is to tell */
	bool done;
};

/* Memory of all that take part in a run. */
struct crew_board {
	struct machine_lines lines; /* of the probe */
	struct machine_lines words; /* of the work */
	_Alignas(128) _Atomic uint32_t arrived[8];
	_Alignas(128) _Atomic uint32_t stop;
	_Alignas(128) _Atomic uint32_t producers_left;
	double probe[2]; /* before and after */
	struct hist hist;
	struct crew_result results[CREW_MAX];
};

struct crew_worker {
	struct crew *crew;
	struct crew_board *board;
	struct crew_result *result;
	uint32_t index;
	struct bench_side side;	 /* of the channel */
	struct bench_side other; /* of the second one, if there is */
};

struct crew {
	const struct machine *machine;
	struct crew_board *board;
	const struct bench_contender *contender;
	struct bench_shape shape;
	uint32_t nworkers;  /* producers first, then consumers, then others */
	uint32_t nchannels; /* the second goes from consumer to producer */
	void *channels[2];
	void (*work)(struct crew_worker *worker);
	uint64_t n;	     /* messages */
	int64_t interval_ns; /* between messages; or time to run */
	uint32_t others;     /* workers that are neither; they use no channel */
	void (*other)(struct crew_worker *worker);
	/* Results */
	bool quiet;
	double others_share; /* of the time, used by other processes */
};

/* Run once: 0, or a negative errno when it did not come to its end. */
int crew_run(struct crew *crew);

/* Wait until all workers are here; at each step in rounds 1, 2, 3... */
void crew_meet(struct crew_worker *worker, uint32_t step, uint32_t round);

static inline bool crew_is_producer(const struct crew_worker *worker)
{
	return worker->index < worker->crew->shape.producers;
}

#endif /* BENCH_CREW_H */
