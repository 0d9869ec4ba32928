/* SPDX-License-Identifier: MIT */
/*
 * gauge - how fast rings are on this machine, between two of its cores
 *
 * The child is the far end: it opens the rings by the descriptors it inherits,
 * and says when it is there. When the parent dies, so does it; when it dies,
 * the parent's waits run out.
 */
#include "gauge.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <hotline/hotline.h>

#include "stop.h"

enum {
	LINE_ROUNDS = 1000, /* of a block */
	LINE_BLOCKS = 16,
	TRIPS = 20000,
	WARM_TRIPS = 1000,
	BURST = 32,
	SINGLES = 1000000,
	BURSTS = 4000000,
	WAKES = 60,
	WAKE_EVERY_US = 1000,
	SLOTS = 1024,
};
#define PATIENCE_NS INT64_C(5000000000)

/* What both processes see. */
struct board {
	_Alignas(128) _Atomic uint64_t there;
	_Alignas(128) _Atomic uint32_t ready;
	_Alignas(128) double figure; /* the child's, when it has ended */
};

/* One end: what it sends to, and takes from. */
struct end {
	struct board *board;
	struct hl_ring *out_ring, *in_ring;
	struct hl_producer *out;
	struct hl_consumer *in;
	enum hl_wait wait;
};

static int64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * INT64_C(1000000000) + ts.tv_nsec;
}

static int pin(int core)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((size_t)core, &set);
	return sched_setaffinity(0, sizeof(set), &set) < 0 ? -errno : 0;
}

static void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#endif
}

static int by_size(const void *left, const void *right)
{
	const double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

/* The value that this share of all does not exceed; sorts them. */
static double quantile(double *values, size_t n, double share)
{
	qsort(values, n, sizeof(*values), by_size);
	return values[(size_t)(share * (double)(n - 1))];
}

/* --- The near end, in this process, and the far end --------------------- */

/* The median of blocks: who is interrupted in one is not so in most. */
static int line_near(struct end *end, double *figures)
{
	struct board *const board = end->board;
	double blocks[LINE_BLOCKS];
	uint64_t turn = 0;

	for (int i = 0; i < LINE_BLOCKS; i++) {
		const int64_t begin = now_ns();

		for (int j = 0; j < LINE_ROUNDS; j++) {
			atomic_store_explicit(&board->there, ++turn,
					      memory_order_release);
			while (atomic_load_explicit(&board->there,
						    memory_order_acquire) ==
			       turn)
				relax();
			turn++;
		}
		blocks[i] = (double)(now_ns() - begin) / LINE_ROUNDS;
	}
	figures[0] = quantile(blocks, LINE_BLOCKS, 0.5);
	return 0;
}

static int line_far(struct end *end)
{
	struct board *const board = end->board;

	for (uint64_t turn = 1; turn < 2 * LINE_ROUNDS * LINE_BLOCKS;
	     turn += 2) {
		while (atomic_load_explicit(&board->there,
					    memory_order_acquire) != turn)
			relax();
		atomic_store_explicit(&board->there, turn + 1,
				      memory_order_release);
	}
	return 0;
}

/* Take one message; its timestamp. */
static int64_t receive(struct end *end)
{
	const struct hl_message *m;
	struct hl_batch batch;
	int64_t stamp;

	if (hl_consumer_take(end->in, 1, PATIENCE_NS, &batch) != 1)
		return -1;
	m = hl_batch_next(&batch);
	stamp = (int64_t)m->timestamp;
	return hl_consumer_done(end->in) == 0 ? stamp : -1;
}

static bool transmit(struct end *end, int64_t stamp)
{
	const struct hl_message m = {
		.magic = HL_MESSAGE_MAGIC,
		.timestamp = (uint64_t)stamp,
	};

	return hl_producer_send(end->out, &m, sizeof(m), PATIENCE_NS) == 1;
}

static int trips_near(struct end *end, double *figures)
{
	double *const trips = calloc(TRIPS, sizeof(*trips));
	int64_t last = now_ns();
	int ret = trips ? 0 : -ENOMEM;

	for (int i = 0; i < WARM_TRIPS + TRIPS && ret == 0; i++) {
		int64_t now;

		if (!transmit(end, i) || receive(end) != i)
			ret = -EIO;
		now = now_ns();
		if (i >= WARM_TRIPS)
			trips[i - WARM_TRIPS] = (double)(now - last);
		last = now;
	}
	if (ret == 0) {
		figures[0] = quantile(trips, TRIPS, 0.5);
		figures[1] = quantile(trips, TRIPS, 0.99);
	}
	free(trips);
	return ret;
}

static int trips_far(struct end *end)
{
	for (int i = 0; i < WARM_TRIPS + TRIPS; i++) {
		if (receive(end) != i || !transmit(end, i))
			return -EIO;
	}
	return 0;
}

static int stream_near(struct end *end, uint32_t n, uint32_t burst)
{
	struct hl_claim claim;

	for (uint32_t sent = 0; sent < n;) {
		const ssize_t got =
			hl_producer_claim(end->out, burst, PATIENCE_NS, &claim);

		if (got < 0)
			return (int)got;
		for (ssize_t i = 0; i < got; i++) {
			struct hl_message *const m =
				hl_claim_slot(&claim, (size_t)i);

			m->magic = HL_MESSAGE_MAGIC;
			m->type = 1;
			m->timestamp = sent;
			m->amount = ++sent;
			memset(m->sender, 0, sizeof(m->sender));
			memset(m->recipient, 0, sizeof(m->recipient));
			m->payload_offset = 0;
		}
		hl_producer_publish(end->out);
	}
	return 0;
}

/* Who receives takes the time, from a tenth of them on. */
static int stream_far(struct end *end, uint32_t n, uint32_t burst)
{
	const struct hl_message *m;
	struct hl_batch batch;
	int64_t begin = 0, first = 0, next = 0;

	while (next < n) {
		if (hl_consumer_take(end->in, burst, PATIENCE_NS, &batch) <= 0)
			return -EIO;
		while ((m = hl_batch_next(&batch))) {
			if (m->amount != ++next)
				return -EBADMSG;
		}
		hl_consumer_done(end->in);
		if (begin == 0 && next >= n / 10) {
			first = next;
			begin = now_ns();
		}
	}
	end->board->figure =
		(double)(n - first) * 1e9 / (double)(now_ns() - begin);
	return 0;
}

static int single_near(struct end *end, double *figures)
{
	(void)figures;
	return stream_near(end, SINGLES, 1);
}

static int single_far(struct end *end)
{
	return stream_far(end, SINGLES, 1);
}

static int burst_near(struct end *end, double *figures)
{
	(void)figures;
	return stream_near(end, BURSTS, BURST);
}

static int burst_far(struct end *end)
{
	return stream_far(end, BURSTS, BURST);
}

static int wake_near(struct end *end, double *figures)
{
	const struct timespec pause = { 0, WAKE_EVERY_US * 1000L };

	(void)figures;
	for (int i = 0; i < WAKES; i++) {
		nanosleep(&pause, NULL);
		if (!transmit(end, now_ns()))
			return -EIO;
	}
	return 0;
}

static int wake_far(struct end *end)
{
	double times[WAKES];

	for (int i = 0; i < WAKES; i++) {
		const int64_t sent = receive(end);

		if (sent < 0)
			return -EIO;
		times[i] = (double)(now_ns() - sent);
	}
	end->board->figure = quantile(times, WAKES, 0.5);
	return 0;
}

/* --- Two processes -------------------------------------------------------- */

struct work {
	enum hlt_gauge_kind kind;
	int (*near)(struct end *end, double *figures);
	int (*far)(struct end *end);
	bool far_measures;
	enum hl_wait wait;
};

static const struct work works[] = {
	{ HLT_GAUGE_LINE, line_near, line_far, false, HL_WAIT_BUSY },
	{ HLT_GAUGE_ROUND, trips_near, trips_far, false, HL_WAIT_BUSY },
	{ HLT_GAUGE_SINGLE, single_near, single_far, true, HL_WAIT_ADAPTIVE },
	{ HLT_GAUGE_BURST, burst_near, burst_far, true, HL_WAIT_ADAPTIVE },
	{ HLT_GAUGE_WAKE, wake_near, wake_far, true, HL_WAIT_ADAPTIVE },
};

static int join(struct end *end)
{
	struct hl_group_attr group = HL_GROUP_ATTR_INIT;
	struct hl_producer_attr producer = HL_PRODUCER_ATTR_INIT;
	struct hl_consumer_attr consumer = HL_CONSUMER_ATTR_INIT;
	int ret;

	group.name = "bench";
	producer.wait = consumer.wait = end->wait;
	ret = hl_producer_join(end->out_ring, &producer, &end->out, NULL);
	if (ret == 0)
		ret = hl_consumer_join(end->in_ring, &group, &consumer,
				       &end->in, NULL);
	return ret;
}

static void leave(struct end *end)
{
	hl_producer_leave(end->out);
	hl_consumer_leave(end->in);
	hl_ring_close(end->out_ring);
	hl_ring_close(end->in_ring);
}

static int open_rings(struct end *end)
{
	struct hl_ring_attr attr = HL_RING_ATTR_INIT;
	int ret;

	attr.backing = HL_BACKING_MEMFD;
	attr.capacity = SLOTS;
	ret = hl_ring_create("bench-there", &attr, &end->out_ring, NULL);
	if (ret == 0)
		ret = hl_ring_create("bench-back", &attr, &end->in_ring, NULL);
	return ret;
}

__attribute__((noreturn)) static void far_main(const struct work *work,
					       const struct end *near, int core)
{
	struct end far = { .board = near->board, .wait = work->wait };
	int ret;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	ret = pin(core);
	if (ret == 0)
		ret = hl_ring_open_fd(hl_ring_fd(near->in_ring), 0,
				      &far.out_ring, NULL);
	if (ret == 0)
		ret = hl_ring_open_fd(hl_ring_fd(near->out_ring), 0,
				      &far.in_ring, NULL);
	if (ret == 0)
		ret = join(&far);
	atomic_store(&far.board->ready, ret == 0 ? 1 : 2);
	if (ret == 0)
		ret = work->far(&far);
	_exit(ret == 0 ? 0 : 1);
}

/* The near end of it, once the far end is there. */
static int do_near(const struct work *work, struct end *end, double *figures)
{
	int ret = join(end);

	while (ret == 0 && atomic_load(&end->board->ready) == 0)
		sched_yield();
	if (ret == 0 && atomic_load(&end->board->ready) != 1)
		ret = -EIO;
	return ret == 0 ? work->near(end, figures) : ret;
}

static int do_work(const struct work *work, struct hlt_gauge *gauge,
		   struct board *board)
{
	struct end end = { .board = board, .wait = work->wait };
	double figures[2] = { 0, 0 };
	int status = 0, ret;
	pid_t pid;

	memset(board, 0, sizeof(*board));
	ret = open_rings(&end);
	if (ret < 0)
		goto out;
	pid = fork();
	if (pid == 0)
		far_main(work, &end, gauge->cores[1]);
	ret = pid < 0 ? -errno : do_near(work, &end, figures);
	if (pid > 0 && ret < 0)
		kill(pid, SIGKILL);
	if (pid > 0 && waitpid(pid, &status, 0) == pid && status && ret == 0)
		ret = -EIO;
	if (work->far_measures)
		figures[0] = board->figure;
	gauge->runs[work->kind][gauge->nruns] = figures[0];
	if (work->kind == HLT_GAUGE_ROUND)
		gauge->runs[HLT_GAUGE_ROUND_P99][gauge->nruns] = figures[1];
out:
	leave(&end);
	return ret;
}

int hlt_gauge_cores(struct hlt_gauge *gauge)
{
	unsigned found = 0;
	cpu_set_t set;

	memset(gauge, 0, sizeof(*gauge));
	CPU_ZERO(&set);
	sched_getaffinity(0, sizeof(set), &set);
	for (int core = 0; core < CPU_SETSIZE && found < 2; core++) {
		if (CPU_ISSET((size_t)core, &set))
			gauge->cores[found++] = core;
	}
	return found == 2 ? 0 : -ENODEV;
}

int hlt_gauge_run(struct hlt_gauge *gauge)
{
	struct board *const board = mmap(NULL, sizeof(*board),
					 PROT_READ | PROT_WRITE,
					 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int ret = 0;

	if (board == MAP_FAILED)
		return -errno;
	if (gauge->nruns == HLT_GAUGE_RUNS_MAX)
		ret = -EINVAL;
	/* The far end's first: this shows whether it may be used. */
	if (ret == 0)
		ret = pin(gauge->cores[1]);
	if (ret == 0)
		ret = pin(gauge->cores[0]);
	for (size_t i = 0; i < sizeof(works) / sizeof(works[0]) && ret == 0;
	     i++)
		ret = hlt_stop_asked() ? -ECANCELED :
					 do_work(&works[i], gauge, board);
	munmap(board, sizeof(*board));
	gauge->nruns += ret == 0;
	return ret;
}

struct hlt_gauge_figure hlt_gauge_figure(const struct hlt_gauge *gauge,
					 enum hlt_gauge_kind kind)
{
	double sorted[HLT_GAUGE_RUNS_MAX];

	memcpy(sorted, gauge->runs[kind], sizeof(sorted));
	return (struct hlt_gauge_figure){
		.median = quantile(sorted, gauge->nruns, 0.5),
		.min = sorted[0],
		.max = sorted[gauge->nruns - 1],
	};
}
