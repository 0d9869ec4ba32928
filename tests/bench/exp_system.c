/* SPDX-License-Identifier: MIT */
/*
 * exp_system.c - waking a sleeper, and starting a ring, beside the bare calls
 *
 * Wake-up: one sends at intervals, the other sleeps in between. What counts is
 * the time from just before the message is sent to when the sleeper has it, and
 * how long the sender was kept.
 *
 * Start: create, join, first message; against open, reserve, map, lock and one
 * store, which is the least that a ring in a file needs.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <hotline/hotline.h>

#include "experiment.h"

enum {
	STARTS = 40, /* of a run */
	RING_BYTES = 1 << 20,
};

static void futex_send(struct crew_worker *worker, uint64_t ticks)
{
	_Atomic uint64_t *const word = &worker->board->words.there;

	worker->board->words.back = ticks;
	atomic_fetch_add(word, 1);
	syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

static uint64_t futex_recv(struct crew_worker *worker, uint64_t before)
{
	_Atomic uint64_t *const word = &worker->board->words.there;

	while ((uint32_t)atomic_load(word) == (uint32_t)before)
		syscall(SYS_futex, word, FUTEX_WAIT, (uint32_t)before, NULL,
			NULL, 0);
	return worker->board->words.back;
}

static void wake(struct crew_worker *worker)
{
	const struct crew *const crew = worker->crew;
	const uint64_t interval = (uint64_t)((double)crew->interval_ns *
					     crew->machine->ticks_per_ns);
	uint64_t due = machine_ticks() + interval, kept = 0, sent;
	uint64_t seen = 0;
	struct bench_message m = { 0 };

	for (uint64_t i = 1; i <= crew->n; i++, due += interval) {
		if (crew_is_producer(worker)) {
			while (machine_ticks() < due)
				bench_pause();
			m.number = i;
			m.check = sent = machine_ticks();
			if (crew->contender)
				crew->contender->send(&worker->side, &m);
			else
				futex_send(worker, sent);
			kept += machine_ticks() - sent;
			continue;
		}
		if (crew->contender) {
			crew->contender->recv(&worker->side, &m);
			sent = m.check;
		} else {
			sent = futex_recv(worker, seen++);
		}
		hist_add(&worker->board->hist,
			 (uint64_t)((double)(machine_ticks() - sent) /
				    crew->machine->ticks_per_ns));
	}
	worker->result->extra = (double)kept / crew->machine->ticks_per_ns /
				(double)crew->n / 1e3;
}

static int run_wake(struct cell *cell, struct crew *crew, double *values)
{
	const struct hist *const hist = &crew->board->hist;
	int ret;

	crew->work = wake;
	crew->n = (uint64_t)(40000000 / cell->interval_ns);
	ret = crew_run(crew);
	if (ret < 0)
		return ret;
	values[0] = (double)hist_percentile(hist, 0.5) / 1e3;
	values[1] = (double)hist_percentile(hist, 0.9) / 1e3;
	values[2] = (double)hist_percentile(hist, 0.99) / 1e3;
	values[3] = crew->board->results[0].extra;
	return 0;
}

static void wake_case(struct experiment *experiment, const char *heading,
		      int64_t interval_ns)
{
	const struct bench_shape shape = one_to_one(1024, 1, 1);
	struct bench_shape sleeping = shape;
	struct cell *cell;

	sleeping.wait = BENCH_WAIT_SLEEP;
	cell = experiment_add(experiment, heading, NULL, &shape, run_wake);
	cell->interval_ns = interval_ns;
	snprintf(cell->label, sizeof(cell->label), "limit: bare futex");
	snprintf(cell->api, sizeof(cell->api), "FUTEX_WAIT and FUTEX_WAKE");
	experiment_add(experiment, heading, &bench_hotline, &shape, run_wake)
		->interval_ns = interval_ns;
	cell = experiment_add(experiment, heading, &bench_hotline, &sleeping,
			      run_wake);
	cell->interval_ns = interval_ns;
	snprintf(cell->label, sizeof(cell->label), "hotline, sleeping");
	experiment_add(experiment, heading, &bench_pipe, &shape, run_wake)
		->interval_ns = interval_ns;
}

void wake_cells(struct bench *bench, struct experiment *experiment)
{
	wake_case(experiment, "asleep for 0.2 ms", 200000);
	if (!bench->quick)
		wake_case(experiment, "asleep for 2.5 ms", 2500000);
}

static int64_t start_ring(const char *name)
{
	struct hl_ring_attr attr = HL_RING_ATTR_INIT;
	const struct hl_message m = { .magic = HL_MESSAGE_MAGIC };
	const int64_t begin = machine_now_ns();
	struct hl_producer *producer;
	struct hl_ring *ring;
	int64_t took;

	attr.capacity = RING_BYTES / BENCH_LINE;
	if (hl_ring_create(name, &attr, &ring, NULL) < 0 ||
	    hl_producer_join(ring, NULL, &producer, NULL) < 0 ||
	    hl_producer_send(producer, &m, sizeof(m), HL_NOWAIT) != 1)
		bench_give_up("start of a ring", -EIO);
	took = machine_now_ns() - begin;
	hl_producer_leave(producer);
	hl_ring_close(ring);
	if (hl_ring_unlink(name, true, NULL) < 0)
		bench_give_up("hl_ring_unlink", -EIO);
	return took;
}

static int64_t start_bare(const char *name)
{
	struct flock lock = { .l_type = F_WRLCK, .l_len = 1 };
	const int64_t begin = machine_now_ns();
	const int fd = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
	unsigned char *memory;
	int64_t took;

	if (fd < 0 || posix_fallocate(fd, 0, RING_BYTES) != 0)
		bench_give_up("shm_open", -EIO);
	memory = mmap(NULL, RING_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		      0);
	if (memory == MAP_FAILED || fcntl(fd, F_OFD_SETLK, &lock) < 0)
		bench_give_up("mmap", -EIO);
	memset(memory, 1, BENCH_LINE);
	took = machine_now_ns() - begin;
	munmap(memory, RING_BYTES);
	close(fd);
	shm_unlink(name);
	return took;
}

static void start(struct crew_worker *worker)
{
	const bool ours = worker->crew->shape.variant;
	char name[64];

	bench_name(name, sizeof(name));
	for (int i = 0; i < STARTS; i++)
		hist_add(&worker->board->hist,
			 (uint64_t)(ours ? start_ring(name) :
					   start_bare(name)));
}

static int run_start(struct cell *cell, struct crew *crew, double *values)
{
	const struct hist *const hist = &crew->board->hist;
	int ret;

	(void)cell;
	crew->work = start;
	crew->nchannels = 0;
	ret = crew_run(crew);
	values[0] = (double)hist_percentile(hist, 0.5) / 1e3;
	values[1] = (double)hist_percentile(hist, 0.9) / 1e3;
	return ret;
}

void start_cells(struct bench *bench, struct experiment *experiment)
{
	struct bench_shape shape = { .producers = 1 };
	struct cell *cell;

	(void)bench;
	cell = experiment_add(experiment, "1 MiB", NULL, &shape, run_start);
	snprintf(cell->label, sizeof(cell->label), "limit: bare calls");
	snprintf(cell->api, sizeof(cell->api),
		 "open, posix_fallocate, mmap, lock, one store");
	shape.variant = 1;
	cell = experiment_add(experiment, "1 MiB", NULL, &shape, run_start);
	cell->role = BENCH_OURS;
	snprintf(cell->label, sizeof(cell->label), "hotline");
	snprintf(cell->api, sizeof(cell->api),
		 "hl_ring_create, hl_producer_join, hl_producer_send");
}
