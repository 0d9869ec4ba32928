/* SPDX-License-Identifier: MIT */
/*
 * experiment.h - what is measured, and all that came out of it
 *
 * An experiment is a list of cells: one contender in one case. Its runs are
 * interleaved: one of every cell, in another order each time, again and again
 * until the experiment's time is up, so that whatever the machine does meets
 * all alike. Each run leaves a sample.
 */
#ifndef BENCH_EXPERIMENT_H
#define BENCH_EXPERIMENT_H

#include "crew.h"

enum {
	CELL_LABEL = 128,
	METRICS_MAX = 6,
};

struct sample {
	double values[METRICS_MAX];
	double probe[2];
	bool quiet;
};

enum place {
	PLACE_NEAR,
	PLACE_FAR,
	PLACE_MIXED,	      /* it changed during the run */
	PLACES = PLACE_MIXED, /* that are told apart in tables */
};

struct experiment;

struct cell {
	const struct experiment *experiment;
	const char *heading; /* the case; cells of a case are side by side */
	const struct bench_contender *contender;
	char label[CELL_LABEL];
	char api[CELL_LABEL]; /* "" is the contender's */
	enum bench_role role;
	struct bench_shape shape;
	/* One run: fill in values; 0 or a negative errno. */
	int (*run)(struct cell *cell, struct crew *crew, double *values);
	int64_t interval_ns;
	uint64_t n;	   /* messages of the next run; 0: not known yet */
	double per_second; /* messages of the last one; 0: n is fixed */
	struct sample *samples;
	size_t nsamples, room;
	unsigned failed; /* runs that lost something; twice: did not end */
	unsigned unquiet;
};

struct experiment {
	const char *name; /* for files */
	const char *title, *unit, *text;
	const char *metrics[METRICS_MAX]; /* the first is what is compared */
	unsigned nmetrics;
	bool more_is_better;
	double share; /* of all time */
	struct cell *cells;
	size_t ncells, room;
};

struct bench {
	struct machine machine;
	struct crew_board *board;
	bool quick;
	bool noisy; /* count runs on a machine that is not quiet */
	double seconds;
	struct experiment *experiments;
	size_t nexperiments;
	double load;	   /* of the system, at the start */
	double near_below; /* ns of a probe; 0: all is near */
	unsigned seed;
};

/* Add a cell; the label is the contender's name. */
struct cell *experiment_add(struct experiment *experiment, const char *heading,
			    const struct bench_contender *contender,
			    const struct bench_shape *shape,
			    int (*run)(struct cell *, struct crew *, double *));

/* Run cells for so many seconds, each at least once. */
void experiment_run(struct bench *bench, struct experiment *experiment,
		    double seconds);
void cell_run(struct bench *bench, struct cell *cell);

/* Of the samples in one place that count. */
struct summary {
	double median, min, max;
	size_t n;
};
enum place sample_place(const struct bench *bench, const struct sample *sample);
struct summary cell_summary(const struct bench *bench, const struct cell *cell,
			    enum place place, unsigned metric);

/* Tell near from far by all probes of all runs. */
void bench_classify(struct bench *bench);

/* The median of all probes in one place; 0: none. */
double bench_distance(const struct bench *bench, enum place place);

/* The experiments, filled in by their files. */
void burst_cells(struct bench *bench, struct experiment *experiment);
void rings_cells(struct bench *bench, struct experiment *experiment);
void backlog_cells(struct bench *bench, struct experiment *experiment);
void round_cells(struct bench *bench, struct experiment *experiment);
void open_cells(struct bench *bench, struct experiment *experiment);
void many_cells(struct bench *bench, struct experiment *experiment);
void broadcast_cells(struct bench *bench, struct experiment *experiment);
void payload_cells(struct bench *bench, struct experiment *experiment);
void cost_cells(struct bench *bench, struct experiment *experiment);
void wake_cells(struct bench *bench, struct experiment *experiment);
void start_cells(struct bench *bench, struct experiment *experiment);

/* Shared by them. */
struct bench_shape one_to_one(uint32_t slots, uint32_t burst, uint32_t take);
int run_stream(struct cell *cell, struct crew *crew, double *values);
void add_line_limits(struct bench *bench, struct experiment *experiment,
		     const char *heading, const struct bench_shape *shape,
		     int (*run)(struct cell *, struct crew *, double *));
bool tally_good(const struct bench_tally *tally, uint64_t n);

/* report.c, json.c, plot.c, goals.c */
void report_table(const struct bench *bench, const struct experiment *e);
int json_write(const struct bench *bench, const char *path);
int plot_write(const struct bench *bench, const struct experiment *e,
	       const char *folder);
void goals_table(const struct bench *bench);

#endif /* BENCH_EXPERIMENT_H */
