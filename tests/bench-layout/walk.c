/* SPDX-License-Identifier: MIT */
/*
 * walk.c - both ends of a rung in one process, which a tool watches
 *
 *	walk lines		each rung once, with marks, for lines.c
 *	walk consume RUNG SLOTS	many messages, for callgrind: walk_consume()
 *	walk list		the rungs' names
 *
 * Messages are put until the ring is half full, then taken: nothing waits, and
 * each run does the same. What is watched are the very functions that "make
 * bench-layout" times.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "walk.h"

enum {
	LINES_SLOTS = 1024,
	LINES_MESSAGES = 256,
	LAPS = 4,
};

static volatile struct walk_mark marks[RUNGS];

__attribute__((noreturn)) void bench_give_up(const char *what, int code)
{
	fprintf(stderr, "walk: %s: %s\n", what, strerror(-code));
	exit(1);
}

void bench_yield(void)
{
}

void *bench_shared(size_t bytes)
{
	return aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
}

void bench_unshare(void *memory, size_t bytes)
{
	(void)bytes;
	free(memory);
}

/* A rung with both its ends. */
struct walk {
	const struct rung *rung;
	struct bench_shape shape;
	void *channel;
	struct bench_side in, out;
	struct rung_desk desk;
};

static struct pay_account places[PAY_ACCOUNTS * PAY_PLACES];

static void begin(struct walk *walk, unsigned r, uint32_t slots)
{
	const struct bench_contender *const c = &rungs[r]->contender;
	int ret;

	memset(walk, 0, sizeof(*walk));
	walk->rung = rungs[r];
	walk->shape.slots = slots;
	walk->shape.accounts = PAY_ACCOUNTS;
	walk->channel = c->create(c, &walk->shape);
	if (!walk->channel)
		bench_give_up(c->name, -ENOMEM);
	walk->in.shape = walk->out.shape = &walk->shape;
	walk->in.channel = walk->out.channel = walk->channel;
	walk->in.producer = true;
	ret = c->join(&walk->in);
	if (ret == 0)
		ret = c->join(&walk->out);
	if (ret < 0)
		bench_give_up(c->name, ret);
	memset(places, 0, sizeof(places));
	pay_book_init(&walk->desk.book, places, PAY_ACCOUNTS);
}

static void end(struct walk *walk)
{
	walk->rung->contender.leave(&walk->in);
	walk->rung->contender.leave(&walk->out);
	walk->rung->contender.destroy(walk->channel);
}

static void lines(unsigned r)
{
	static struct walk walk;
	struct rung_ranges ranges;
	uint64_t taken = 0;

	begin(&walk, r, LINES_SLOTS);
	/* One more, so that no batch ends where the messages do. */
	walk.rung->produce(&walk.in, LINES_MESSAGES + 1);
	while (taken < LINES_MESSAGES) {
		marks[r].begin = taken;
		taken += walk.rung->take(&walk.out, &walk.desk);
		marks[r].end = taken;
	}
	if (walk.desk.book.bad)
		bench_give_up(walk.rung->contender.name, -EBADMSG);
	walk.rung->ranges(&walk.out, &ranges);
	printf("%u %" PRIu64, r, taken);
	printf(" %" PRIxPTR " %" PRIxPTR, (uintptr_t)&marks[r].begin,
	       (uintptr_t)&marks[r].end);
	printf(" %" PRIxPTR " %" PRIxPTR, (uintptr_t)ranges.messages,
	       (uintptr_t)ranges.messages_end);
	printf(" %" PRIxPTR " %" PRIxPTR "\n", (uintptr_t)ranges.all,
	       (uintptr_t)ranges.all_end);
	end(&walk);
}

__attribute__((noinline)) static void walk_consume(struct walk *walk,
						   uint64_t n)
{
	walk->rung->consume(&walk->out, n, &walk->desk);
}

static void consume(unsigned r, uint32_t slots)
{
	static struct walk walk;

	begin(&walk, r, slots);
	for (int lap = 0; lap < LAPS; lap++) {
		walk.rung->produce(&walk.in, slots / 2);
		walk_consume(&walk, slots / 2);
	}
	printf("%" PRIu64 "\n", (uint64_t)LAPS * (slots / 2));
	end(&walk);
}

int main(int argc, char **argv)
{
	const char *const what = argc > 1 ? argv[1] : "";

	if (strcmp(what, "lines") == 0) {
		for (unsigned r = 0; r < RUNGS; r++)
			lines(r);
		return 0;
	}
	if (strcmp(what, "list") == 0) {
		for (unsigned r = 0; r < RUNGS; r++)
			printf("%s\n", rungs[r]->contender.name);
		return 0;
	}
	if (strcmp(what, "consume") == 0 && argc == 4 &&
	    strtoul(argv[2], NULL, 10) < RUNGS) {
		consume((unsigned)strtoul(argv[2], NULL, 10),
			(uint32_t)strtoul(argv[3], NULL, 10));
		return 0;
	}
	fprintf(stderr, "usage: walk lines | list | consume RUNG SLOTS\n");
	return 2;
}
