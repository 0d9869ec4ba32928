/* SPDX-License-Identifier: MIT */
/*
 * crew.c - the processes of one run: started, pinned, timed, ended
 */
#include "crew.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	LIMIT_S = 3, /* a run may last */
	MEET_BEGIN = 5,
	MEET_PROBED = 6,
	MEET_END = 7,
};

/* Kept from running for longer than this share: not quiet. */
#define QUIET_SHARE 0.02
#define QUIET_NS 30000
/* The system's own count of processor time is coarse. */
#define COARSE_NS 20000000

void *bench_shared(size_t bytes)
{
	void *const memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
				  MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1,
				  0);

	return memory == MAP_FAILED ? NULL : memory;
}

void bench_unshare(void *memory, size_t bytes)
{
	munmap(memory, bytes);
}

void bench_yield(void)
{
	sched_yield();
}

void bench_give_up(const char *what, int code)
{
	fprintf(stderr, "bench: %s: %s\n", what, strerror(-code));
	_exit(1);
}

static bool crowded(const struct crew *crew)
{
	return crew->nworkers + crew->others > crew->machine->ncores;
}

void crew_meet(struct crew_worker *worker, uint32_t step, uint32_t round)
{
	const struct crew *const crew = worker->crew;
	_Atomic uint32_t *const arrived = &worker->board->arrived[step];
	const uint32_t all = round * (crew->nworkers + crew->others);
	const struct timespec nap = { 0, 50000 };

	atomic_fetch_add(arrived, 1);
	while (atomic_load(arrived) < all) {
		if (crowded(crew))
			nanosleep(&nap, NULL); /* leave the core to others */
		else
			bench_pause();
	}
}

/* The first producer and the first consumer tell how far apart they are. */
static void probe(struct crew_worker *worker, int which)
{
	const uint32_t second = worker->crew->shape.producers;
	double ns;

	if (worker->crew->machine->ncores < 2 ||
	    second >= worker->crew->nworkers ||
	    (worker->index != 0 && worker->index != second))
		return;
	ns = machine_probe(&worker->board->lines, worker->index == 0,
			   (unsigned)which + 1);
	if (worker->index == 0)
		worker->board->probe[which] = ns;
}

/* Producers and consumers alternate on the cores, so that each core has both
 * when there are more of them than cores, and the first two have one each. */
static int core_of(const struct crew *crew, uint32_t index)
{
	const uint32_t producers = crew->shape.producers;
	const uint32_t place = index < producers ? 2 * index :
						   2 * (index - producers) + 1;
	const uint32_t n = crew->machine->ncores;

	/* Those beside the crew are in the way as little as can be. */
	if (index >= crew->nworkers)
		return crew->machine
			->cores[n > crew->nworkers ? index % n : 1 % n];
	return crew->machine->cores[(place + place / n * (n == 2)) % n];
}

static int join_side(struct crew_worker *worker, struct bench_side *side,
		     uint32_t channel)
{
	const struct crew *const crew = worker->crew;
	const bool producer = crew_is_producer(worker);

	*side = (struct bench_side){
		.shape = &crew->shape,
		.channel = crew->channels[channel],
		.id = producer ? worker->index :
				 worker->index - crew->shape.producers,
		.producer = producer != (channel == 1),
		.crowd = crowded(crew),
	};
	return crew->contender->join(side);
}

static void work(struct crew_worker *worker)
{
	struct crew *const crew = worker->crew;
	struct crew_result *const result = worker->result;
	const bool member = worker->index < crew->nworkers;
	uint64_t delay;

	crew_meet(worker, MEET_BEGIN, 1);
	probe(worker, 0);
	crew_meet(worker, MEET_PROBED, 1);
	delay = machine_delay_ns();
	result->begin_ns = machine_now_ns();
	if (member)
		crew->work(worker);
	else
		crew->other(worker);
	if (!result->end_ns)
		result->end_ns = machine_now_ns();
	result->delay_ns = machine_delay_ns() - delay;
	crew_meet(worker, MEET_END, 1);
	probe(worker, 1);
	result->done = true;
}

__attribute__((noreturn)) static void worker_main(struct crew *crew,
						  uint32_t index)
{
	struct crew_worker worker = {
		.crew = crew,
		.board = crew->board,
		.result = &crew->board->results[index],
		.index = index,
	};
	const bool member = index < crew->nworkers && crew->contender;
	int ret = 0;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	machine_pin(core_of(crew, index));
	if (member && crew->nchannels > 0)
		ret = join_side(&worker, &worker.side, 0);
	if (member && ret == 0 && crew->nchannels > 1)
		ret = join_side(&worker, &worker.other, 1);
	if (ret < 0)
		bench_give_up(crew->contender->name, ret);
	work(&worker);
	if (member && crew->nchannels > 0)
		crew->contender->leave(&worker.side);
	if (member && crew->nchannels > 1)
		crew->contender->leave(&worker.other);
	_exit(0);
}

static int64_t used_ns(const struct rusage *usage)
{
	return ((int64_t)usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) *
		       1000000000 +
	       ((int64_t)usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) *
		       1000;
}

/* Take in who has ended: how many. */
static uint32_t reap(pid_t *pids, uint32_t n, int64_t *used, int *ret)
{
	uint32_t reaped = 0;

	for (uint32_t i = 0; i < n; i++) {
		struct rusage usage;
		int status;

		if (pids[i] == 0 ||
		    wait4(pids[i], &status, WNOHANG, &usage) == 0)
			continue;
		*used += used_ns(&usage);
		pids[i] = 0;
		reaped++;
		if (status != 0 && *ret == 0)
			*ret = -ECHILD;
	}
	return reaped;
}

/* Wait for all; when one fails, or time is up, end those of this run. */
static int wait_for_all(pid_t *pids, uint32_t n, int64_t *used)
{
	const struct timespec limit = { LIMIT_S, 0 };
	uint32_t left = n;
	sigset_t set;
	int ret = 0;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD); /* main() has blocked it */
	while (left) {
		left -= reap(pids, n, used, &ret);
		if (left && ret == 0 && sigtimedwait(&set, NULL, &limit) < 0 &&
		    errno == EAGAIN)
			ret = -ETIMEDOUT;
		for (uint32_t i = 0; ret < 0 && i < n; i++) {
			if (pids[i])
				kill(pids[i], SIGKILL);
		}
		if (left && ret < 0)
			bench_yield();
	}
	return ret;
}

/* Were the cores ours alone? */
static void judge(struct crew *crew, const struct machine_use *before,
		  int64_t used, int64_t lasted)
{
	struct machine_use after;
	int64_t others;

	machine_use(crew->machine, &after);
	others = after.busy_ns - before->busy_ns - used;
	crew->others_share = (double)others / (double)(lasted + 1);
	crew->quiet = after.steal_ns == before->steal_ns &&
		      others < COARSE_NS + (int64_t)(0.1 * (double)lasted);
	if (crowded(crew))
		return;
	for (uint32_t i = 0; i < crew->nworkers; i++) {
		const struct crew_result *const r = &crew->board->results[i];
		const int64_t time = r->end_ns - r->begin_ns;

		if ((double)r->delay_ns > QUIET_NS + QUIET_SHARE * (double)time)
			crew->quiet = false;
	}
}

static int create_channels(struct crew *crew)
{
	for (uint32_t i = 0; i < crew->nchannels; i++) {
		crew->channels[i] =
			crew->contender->create(crew->contender, &crew->shape);
		if (!crew->channels[i]) {
			if (i)
				crew->contender->destroy(crew->channels[0]);
			return -EIO;
		}
	}
	return 0;
}

static void destroy_channels(struct crew *crew)
{
	for (uint32_t i = 0; i < crew->nchannels; i++)
		crew->contender->destroy(crew->channels[i]);
}

int crew_run(struct crew *crew)
{
	const uint32_t n = crew->nworkers + crew->others;
	struct machine_use before;
	pid_t pids[CREW_MAX] = { 0 };
	int64_t used = 0, begin;
	int ret;

	memset(crew->board, 0, sizeof(*crew->board));
	atomic_store(&crew->board->producers_left, crew->shape.producers);
	ret = create_channels(crew);
	if (ret < 0)
		return ret;
	fflush(NULL);
	machine_use(crew->machine, &before);
	begin = machine_now_ns();
	for (uint32_t i = 0; i < n && ret == 0; i++) {
		pids[i] = fork();
		if (pids[i] == 0)
			worker_main(crew, i);
		if (pids[i] < 0) {
			ret = -errno;
			pids[i] = 0;
			for (uint32_t j = 0; j < i; j++)
				kill(pids[j], SIGKILL);
			wait_for_all(pids, i, &used);
		}
	}
	if (ret == 0)
		ret = wait_for_all(pids, n, &used);
	judge(crew, &before, used, machine_now_ns() - begin);
	destroy_channels(crew);
	return ret;
}
