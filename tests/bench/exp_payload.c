/* SPDX-License-Identifier: MIT */
/*
 * exp_payload.c - experiments 4 and 5: payloads, and what options cost
 *
 * In place, every byte is written where the reader reads it, and read there.
 * Copied, the producer copies it in and the consumer copies it out.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <hotline/hotline.h>
#include <hotline/inspect.h>

#include "experiment.h"

static int run_payload(struct cell *cell, struct crew *crew, double *values)
{
	const int ret = run_stream(cell, crew, values);

	if (ret < 0)
		return ret;
	values[1] = values[0];
	values[0] *= cell->shape.payload_bytes / 1e3;
	return 0;
}

static const struct {
	uint32_t bytes;
	const char *in_place, *copied;
} sizes[] = {
	{ 64, "64 B in place", "64 B copied" },
	{ 256, "256 B in place", "256 B copied" },
	{ 1024, "1 KiB in place", "1 KiB copied" },
	{ 4096, "4 KiB in place", "4 KiB copied" },
	{ 16384, "16 KiB in place", "16 KiB copied" },
	{ 65536, "64 KiB in place", "64 KiB copied" },
};

/* As many as fit half of a private cache, within reason. */
static uint32_t depth(uint32_t bytes)
{
	const uint32_t n = (512 << 10) / bytes;

	return n < 8 ? 8 : n > 1024 ? 1024 : n;
}

static void payload_case(struct experiment *experiment, size_t size,
			 bool copied)
{
	const char *const heading = copied ? sizes[size].copied :
					     sizes[size].in_place;
	struct bench_shape shape = one_to_one(depth(sizes[size].bytes), 1, 8);

	shape.payload_bytes = sizes[size].bytes;
	shape.copied = copied;
	for (size_t i = 0; bench_contenders[i]; i++) {
		const struct bench_contender *const c = bench_contenders[i];

		if (c->can & BENCH_CAN_PAYLOAD)
			experiment_add(experiment, heading, c, &shape,
				       run_payload);
	}
	/* The limit's depth is its own: the best of three. */
	for (unsigned shift = 1; shift <= 3; shift += 2) {
		struct bench_shape other = shape;
		struct cell *cell;

		other.slots = shift == 1 ? shape.slots / 4 : shape.slots * 4;
		cell = experiment_add(experiment, heading, &bench_block, &other,
				      run_payload);
		snprintf(cell->api, sizeof(cell->api), "%u blocks",
			 other.slots);
	}
}

void payload_cells(struct bench *bench, struct experiment *experiment)
{
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		if (bench->quick && sizes[i].bytes != 4096)
			continue;
		payload_case(experiment, i, false);
		payload_case(experiment, i, true);
	}
}

/* Beside the two: sees each message, or says how many it missed. */
static void watch(struct crew_worker *worker)
{
	struct hl_inspect *inspect;
	struct hl_tap_message m;
	struct hl_tap *tap;
	char name[64];

	bench_name(name, sizeof(name));
	if (hl_inspect_open(name, 0, &inspect, NULL) < 0 ||
	    hl_tap_open(inspect, HL_START_NEWEST, 0, &tap, NULL) < 0)
		bench_give_up("hl_tap_open", -EIO);
	while (!worker->board->stop) {
		if (hl_tap_next(tap, 1000000, &m) == 1)
			worker->result->tally.count++;
	}
	hl_tap_close(tap);
	hl_inspect_close(inspect);
}

/* A stream that ends its watcher. */
static int run_watched(struct cell *cell, struct crew *crew, double *values)
{
	crew->others = 1;
	crew->other = watch;
	return run_stream(cell, crew, values);
}

static void cost_case(struct experiment *experiment, const char *heading,
		      const struct bench_shape *base, const char *label,
		      uint32_t variant, enum bench_wait wait)
{
	struct cell *const cell = experiment_add(
		experiment, heading, &bench_hotline, base,
		variant == BENCH_WITH_NAME ? run_watched : run_stream);

	cell->shape.variant = variant;
	cell->shape.wait = wait;
	snprintf(cell->label, sizeof(cell->label), "%s", label);
}

static void cost_group(struct experiment *experiment, const char *heading,
		       const struct bench_shape *base)
{
	cost_case(experiment, heading, base, "hotline", 0, BENCH_WAIT_DEFAULT);
	cost_case(experiment, heading, base, "waiting busy", 0,
		  BENCH_WAIT_BUSY);
	cost_case(experiment, heading, base, "consumer sleeps at once", 0,
		  BENCH_WAIT_SLEEP);
	cost_case(experiment, heading, base, "checksum of the message",
		  BENCH_WITH_CHECKSUM, BENCH_WAIT_DEFAULT);
	cost_case(experiment, heading, base, "a tap watches", BENCH_WITH_NAME,
		  BENCH_WAIT_DEFAULT);
}

void cost_cells(struct bench *bench, struct experiment *experiment)
{
	const struct bench_shape single = one_to_one(1024, 1, 1);
	const struct bench_shape burst = one_to_one(1024, 32, 32);
	struct bench_shape payload = one_to_one(1024, 1, 8);

	cost_group(experiment, "single", &single);
	cost_group(experiment, "bursts of 32", &burst);
	if (bench->quick)
		return;
	payload.payload_bytes = 256;
	cost_case(experiment, "payload of 256 B", &payload, "hotline", 0,
		  BENCH_WAIT_DEFAULT);
	cost_case(experiment, "payload of 256 B", &payload, "checksum of all",
		  BENCH_WITH_PAYLOAD_CHECKSUM, BENCH_WAIT_DEFAULT);
}
