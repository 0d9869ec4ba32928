/* SPDX-License-Identifier: MIT */
/*
 * garbage.c - a process that writes garbage over a ring at full speed
 *
 * Half of its bursts are long and without pause. The others are a word or two,
 * followed by some microseconds of rest: then those who use the ring get far
 * before they find out.
 */
#include "config.h"

#include "garbage.h"

#include <fcntl.h>
#include <hotline/message.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/layout.h"

#define MUTABLE_AT 1024 /* of the header */
#define LONGEST_BURST 4096
#define REST_SPINS 4000

struct writer {
	unsigned char *base;
	struct hli_header header; /* as it was */
	uint64_t file_bytes;
	enum garbage_part part;
	uint64_t random;
	uint64_t *saved; /* [0, slots_at), as it was */
};

static uint64_t below(struct writer *w, uint64_t n)
{
	return support_random(&w->random) % n;
}

static _Atomic uint64_t *word_at(const struct writer *w, uint64_t at)
{
	return (_Atomic uint64_t *)(void *)(w->base + at);
}

static uint64_t between(struct writer *w, uint64_t from, uint64_t to)
{
	return from + below(w, (to - from) / 8) * 8;
}

/* A slot, and a place in it. */
static uint64_t in_slot(struct writer *w, uint64_t at)
{
	return w->header.slots_at +
	       below(w, w->header.capacity) * w->header.slot_bytes + at;
}

static uint64_t in_arena(struct writer *w)
{
	switch (below(w, 3)) {
	case 0:
		return between(w, w->header.blocks_at, w->header.slots_at);
	case 1:
		return in_slot(w, 56); /* checksum and payload_offset */
	default:
		return between(w, w->header.arena_at, w->file_bytes);
	}
}

static uint64_t place(struct writer *w)
{
	switch (w->part) {
	case GARBAGE_ALL:
		break;
	case GARBAGE_HEADER:
		return between(w, MUTABLE_AT, sizeof(w->header));
	case GARBAGE_GROUPS:
		return between(w, w->header.groups_at, w->header.records_at);
	case GARBAGE_RECORDS:
		return between(w, w->header.records_at, w->header.blocks_at);
	case GARBAGE_STAMPS:
		return in_slot(w, HL_SEQUENCE_OFFSET);
	case GARBAGE_ARENA:
		return in_arena(w);
	}
	return between(w, 0, w->file_bytes);
}

/* What an honest writer might have written, elsewhere. */
static uint64_t plausible(struct writer *w)
{
	const uint64_t head = atomic_load(word_at(w, MUTABLE_AT));
	const uint64_t near = head + below(w, 4 * w->header.capacity) -
			      2 * w->header.capacity;

	switch (below(w, 5)) {
	case 0:
		return near;
	case 1:
		return near | HL_SEQUENCE_VOID;
	case 2:
		return below(w, w->header.max_producers +
					w->header.max_consumers + 2);
	case 3: /* a record's state and group */
		return below(w, 5) | below(w, 8) << 8 | below(w, 8) << 32;
	default: /* a payload_offset, as the upper half */
		return between(w, w->header.arena_at, w->file_bytes) /
			       HL_LINE_BYTES
		       << 32;
	}
}

static uint64_t value(struct writer *w, uint64_t old)
{
	switch (below(w, 6)) {
	case 0:
		return support_random(&w->random);
	case 1:
		return old ^ UINT64_C(1) << below(w, 64);
	case 2:
		return below(w, 8);
	case 3:
		return UINT64_MAX - below(w, 8);
	case 4:
		return HLI_POSITION_END - below(w, 40);
	default:
		return plausible(w);
	}
}

static void write_one(struct writer *w)
{
	const uint64_t at = place(w);
	_Atomic uint64_t *const to = word_at(w, at);
	const uint64_t v = value(w, atomic_load(to));

	if (below(w, 3))
		atomic_store(to, v);
	else
		atomic_store((_Atomic uint32_t *)(void *)(w->base + at +
							  below(w, 2) * 4),
			     (uint32_t)v);
}

/* Tables as they were, and every slot published for the lap before. */
static void restore(struct writer *w)
{
	const uint64_t capacity = w->header.capacity;
	const uint64_t head = w->saved[MUTABLE_AT / 8];
	uint64_t i;

	for (i = 0; i < w->header.slots_at / 8; i++)
		atomic_store(word_at(w, 8 * i), w->saved[i]);
	for (i = head > capacity ? head - capacity : 1; i < head; i++)
		atomic_store(word_at(w, w->header.slots_at +
						(i - 1) % capacity *
							w->header.slot_bytes +
						HL_SEQUENCE_OFFSET),
			     i);
}

static bool open_writer(struct writer *w, const struct garbage *garbage)
{
	const int fd = open(garbage->path, O_RDWR | O_CLOEXEC);
	struct stat st;
	void *base;

	if (fd < 0 || fstat(fd, &st) < 0)
		return false;
	base = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE,
		    MAP_SHARED, fd, 0);
	close(fd);
	if (base == MAP_FAILED)
		return false;
	w->base = base;
	memcpy(&w->header, base, sizeof(w->header));
	w->file_bytes = w->header.file_bytes;
	w->part = garbage->part;
	w->random = garbage->seed;
	w->saved = malloc(w->header.slots_at);
	if (w->saved)
		memcpy(w->saved, base, w->header.slots_at);
	return w->saved;
}

static void rest(struct helper *self)
{
	int i;

	for (i = 0; i < REST_SPINS && !atomic_load(&self->go); i++)
		atomic_signal_fence(memory_order_seq_cst);
}

void garbage_write(struct helper *self)
{
	struct writer w = { 0 };

	if (!EXPECT(self, open_writer(&w, self->arg)))
		return;
	while (!atomic_load(&self->go)) {
		const bool gentle = below(&w, 2);
		uint64_t n = 1 + below(&w, gentle ? 2 : LONGEST_BURST);

		atomic_fetch_add(&self->counts[0], n);
		while (n--)
			write_one(&w);
		if (gentle)
			rest(self);
		if (below(&w, 4))
			restore(&w);
		if (gentle)
			rest(self);
	}
	free(w.saved);
}
