/* SPDX-License-Identifier: MIT */
/*
 * lines.c - distinct cache lines that a take reads, out of a memory trace
 *
 *	lines MAPS < TRACE
 *
 * MAPS is what "walk lines" printed; TRACE is of valgrind's lackey with
 * --trace-mem=yes, of the same process: each access with its address and size,
 * in order. Of what is read between a rung's marks, each line counts once a
 * take, in one of three kinds: messages (slots and arena, or the bytes of the
 * byte ring), control (the rest of the ring: cursors, records), and own (the
 * memory of the process alone: its copy, stack, tables).
 *
 * A line for each rung: its number, messages taken, and the lines of each kind
 * per message.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>

#include "walk.h"

enum {
	KIND_MESSAGES,
	KIND_CONTROL,
	KIND_OWN,
	KINDS,

	LINE_SHIFT = 6,
	SEEN_MAX = 8192, /* a power of two, far above the lines of a batch */
};

struct count {
	struct walk_map map;
	uint64_t lines[KINDS];
};

/* Lines read in the take that is under way. */
static uint64_t seen[SEEN_MAX];
static unsigned nseen;

static bool is_new(uint64_t line)
{
	size_t i = (size_t)(line * UINT64_C(0x9e3779b97f4a7c15) >> 40);

	for (i %= SEEN_MAX; seen[i]; i = (i + 1) % SEEN_MAX) {
		if (seen[i] == line + 1)
			return false;
	}
	if (++nseen == SEEN_MAX)
		bench_give_up("a take reads too many lines", -E2BIG);
	seen[i] = line + 1;
	return true;
}

static void forget(void)
{
	memset(seen, 0, sizeof(seen));
	nseen = 0;
}

__attribute__((noreturn)) void bench_give_up(const char *what, int code)
{
	fprintf(stderr, "lines: %s: %s\n", what, strerror(-code));
	exit(1);
}

static unsigned kind_of(const struct walk_map *map, uint64_t address)
{
	if (address >= map->messages && address < map->messages_end)
		return KIND_MESSAGES;
	if (address >= map->all && address < map->all_end)
		return KIND_CONTROL;
	return KIND_OWN;
}

static void add(struct count *count, uint64_t address, unsigned size)
{
	const uint64_t last = (address + size - 1) >> LINE_SHIFT;

	for (uint64_t line = address >> LINE_SHIFT; line <= last; line++) {
		if (is_new(line))
			count->lines[kind_of(&count->map, line << LINE_SHIFT)]++;
	}
}

static unsigned read_maps(const char *path, struct count *counts)
{
	FILE *const file = fopen(path, "r");
	unsigned n = 0;

	if (!file)
		bench_give_up(path, -errno);
	while (n < RUNGS) {
		struct walk_map *const m = &counts[n].map;

		if (fscanf(file, WALK_FORMAT, &m->rung, &m->taken, &m->begin,
			   &m->end, &m->messages, &m->messages_end, &m->all,
			   &m->all_end) != 8)
			break;
		n++;
	}
	fclose(file);
	return n;
}

/* Is it the store that begins a take? Then whose. */
static struct count *begins(struct count *counts, unsigned n, char kind,
			    uint64_t address)
{
	for (unsigned i = 0; kind == 'S' && i < n; i++) {
		if (counts[i].map.begin == address)
			return &counts[i];
	}
	return NULL;
}

int main(int argc, char **argv)
{
	static struct count counts[RUNGS];
	struct count *now = NULL;
	uint64_t address;
	unsigned n, size;
	char line[256], kind;

	if (argc != 2)
		return 2;
	n = read_maps(argv[1], counts);
	while (fgets(line, sizeof(line), stdin)) {
		if (sscanf(line, " %c %" SCNx64 ",%u", &kind, &address,
			   &size) != 3)
			continue;
		if (now && kind == 'S' && address == now->map.end)
			now = NULL;
		else if (now && (kind == 'L' || kind == 'M'))
			add(now, address, size);
		if (now)
			continue;
		now = begins(counts, n, kind, address);
		if (now)
			forget();
	}
	for (unsigned i = 0; i < n; i++) {
		printf("%u %" PRIu64, counts[i].map.rung, counts[i].map.taken);
		for (unsigned k = 0; k < KINDS; k++)
			printf(" %.2f", (double)counts[i].lines[k] /
						(double)counts[i].map.taken);
		printf("\n");
	}
	return n ? 0 : 1;
}
