/* SPDX-License-Identifier: MIT */
/*
 * json.c - every sample of every run, in one file
 */
#include <errno.h>
#include <jansson.h>
#include <time.h>

#include "experiment.h"

static json_t *of_sample(const struct bench *bench,
			 const struct experiment *experiment,
			 const struct sample *sample)
{
	static const char *const places[] = { "near", "far", "mixed" };
	json_t *const values = json_array();

	for (unsigned i = 0; i < experiment->nmetrics; i++)
		json_array_append_new(values, json_real(sample->values[i]));
	return json_pack("{s:o, s:[f,f], s:b, s:s}", "values", values,
			 "probe_ns", sample->probe[0], sample->probe[1],
			 "quiet", sample->quiet, "place",
			 places[sample_place(bench, sample)]);
}

static json_t *of_cell(const struct bench *bench, const struct cell *cell)
{
	static const char *const roles[] = { "ours", "peer", "limit" };
	const struct bench_shape *const shape = &cell->shape;
	json_t *const samples = json_array();

	for (size_t i = 0; i < cell->nsamples; i++)
		json_array_append_new(samples,
				      of_sample(bench, cell->experiment,
						&cell->samples[i]));
	return json_pack(
		"{s:s, s:s, s:s, s:s, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:i, "
		"s:i, s:i, s:o}",
		"case", cell->heading, "contender", cell->label, "how",
		cell->api[0]	? cell->api :
		cell->contender ? cell->contender->api :
				  "",
		"role", roles[cell->role], "slots", (int)shape->slots,
		"slot_bytes", (int)shape->slot_bytes, "burst",
		(int)shape->burst, "take", (int)shape->take, "producers",
		(int)shape->producers, "consumers", (int)shape->consumers,
		"payload_bytes", (int)shape->payload_bytes, "variant",
		(int)shape->variant, "failed", (int)cell->failed, "not_quiet",
		(int)cell->unquiet, "samples", samples);
}

static json_t *of_experiment(const struct bench *bench,
			     const struct experiment *experiment)
{
	json_t *const cells = json_array();
	json_t *const metrics = json_array();

	for (size_t i = 0; i < experiment->ncells; i++)
		json_array_append_new(cells,
				      of_cell(bench, &experiment->cells[i]));
	for (unsigned i = 0; i < experiment->nmetrics; i++)
		json_array_append_new(metrics,
				      json_string(experiment->metrics[i]));
	return json_pack("{s:s, s:s, s:s, s:o, s:b, s:o}", "name",
			 experiment->name, "title", experiment->title, "unit",
			 experiment->unit, "metrics", metrics, "more_is_better",
			 experiment->more_is_better, "cells", cells);
}

int json_write(const struct bench *bench, const char *path)
{
	const struct machine *const machine = &bench->machine;
	json_t *const experiments = json_array();
	json_t *document;
	char date[32];
	const time_t now = time(NULL);
	int ret;

	strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
	for (size_t i = 0; i < bench->nexperiments; i++)
		json_array_append_new(experiments,
				      of_experiment(bench,
						    &bench->experiments[i]));
	document = json_pack("{s:s, s:s, s:s, s:s, s:i, s:f, s:b, s:o}", "date",
			     date, "processor", machine->model, "kernel",
			     machine->kernel, "compiler", machine->compiler,
			     "cores", (int)machine->ncores, "near_below_ns",
			     bench->near_below, "noisy", bench->noisy,
			     "experiments", experiments);
	if (!document)
		return -ENOMEM;
	ret = json_dump_file(document, path, JSON_INDENT(1));
	json_decref(document);
	return ret < 0 ? -EIO : 0;
}
