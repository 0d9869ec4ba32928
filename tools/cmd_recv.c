/* SPDX-License-Identifier: MIT */
/*
 * cmd_recv - hotline recv: receive messages as a member of a group
 *
 * A message is done when it was written out, and not before: what could not be
 * written goes back to the group, for the next member. A batch is written with
 * one flush, which comes as soon as the ring has no more at hand.
 */
#include "cmd.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <hotline/inspect.h>

#include "decode.h"
#include "opt.h"
#include "out.h"
#include "schema_file.h"
#include "stop.h"
#include "view.h"

static const char usage[] =
	"Usage: hotline recv [OPTION]... --group GROUP NAME\n"
	"Receive messages as a member of a group, and write them out.\n"
	"\n"
	"  -g, --group GROUP   NAME[:exclusive|shared|lossy][:durable]; made if\n"
	"                      there is none, exclusive unless it says otherwise\n"
	"  -f, --from START    where a new group begins: oldest, newest or a\n"
	"                      position [oldest]\n"
	"  -n, --count N       end after N messages\n"
	"  -t, --timeout TIME  end when none comes for so long [forever]\n"
	"  -b, --batch N       messages to have in hand at a time [64]\n" HLT_DECODE_USAGE
	"      --schema FILE   refuse a ring whose schema does not fit this one\n"
	"      --hex           each slot in hex, with a ruler of its fields\n"
	"      --raw           each slot as it is, without its payload\n"
	"      --any-owner     also from a ring of another user\n"
	"  -j, --json          a JSON object a line\n"
	"  -h, --help          this text\n"
	"\n"
	"TIME is in seconds, or ends in ms, s, m or h; 0 takes what is there.\n"
	"See hotline-recv(1).\n";

enum {
	OPT_HEX = 256,
	OPT_SCHEMA,
	OPT_RAW,
	OPT_ANY_OWNER,
	DEFAULT_BATCH = 64,
};

static const struct option options[] = {
	{ "group", required_argument, NULL, 'g' },
	{ "from", required_argument, NULL, 'f' },
	{ "count", required_argument, NULL, 'n' },
	{ "timeout", required_argument, NULL, 't' },
	{ "batch", required_argument, NULL, 'b' },
	HLT_DECODE_OPTIONS,
	{ "schema", required_argument, NULL, OPT_SCHEMA },
	{ "hex", no_argument, NULL, OPT_HEX },
	{ "raw", no_argument, NULL, OPT_RAW },
	{ "any-owner", no_argument, NULL, OPT_ANY_OWNER },
	{ "json", no_argument, NULL, 'j' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

/* A wait is cut into pieces of this, to see if the reader has gone. */
static const int64_t slice_ns = 500 * INT64_C(1000000);

struct recv {
	const char *name;
	unsigned flags;
	struct hlt_group group;
	bool has_group;
	enum hl_group_start start;
	uint64_t position;
	uint64_t count; /* messages to receive, UINT64_MAX for all */
	uint64_t batch;
	int64_t timeout_ns;
	enum hlt_form form;
	bool json, hex, raw, help;
	const char *schema_file;
	struct hl_schema *schema; /* ours, if we have one */
	struct hlt_decode decode;
	uint64_t lost; /* before messages that are not shown */

	struct hl_ring *ring;
	struct hl_ring_info info;
	uint64_t received;
};

static struct hl_consumer *consumer; /* for the signal handler */

static void cancel_wait(void)
{
	if (consumer != NULL)
		hl_consumer_cancel(consumer);
}

static int read_option(int c, const char *value, struct recv *r)
{
	switch (c) {
	case 'g':
		r->has_group = true;
		return hlt_opt_group("--group", value, &r->group);
	case 'f':
		return hlt_opt_start("--from", value, &r->start, &r->position);
	case 'n':
		return hlt_opt_number("--count", value, 1, UINT64_MAX - 1,
				      &r->count);
	case 't':
		return hlt_opt_duration("--timeout", value, &r->timeout_ns);
	case 'b':
		return hlt_opt_number("--batch", value, 1, HL_CAPACITY_MAX,
				      &r->batch);
	case OPT_SCHEMA:
		r->schema_file = value;
		return 0;
	case OPT_HEX:
		r->hex = true;
		return 0;
	case OPT_RAW:
		r->raw = true;
		return 0;
	case OPT_ANY_OWNER:
		r->flags = HL_OPEN_ANY_OWNER;
		return 0;
	case 'j':
		r->json = true;
		return 0;
	case 'h':
		r->help = true;
		return 0;
	default:
		return hlt_decode_option(&r->decode, c, value) ? 0 : HLT_USAGE;
	}
}

/* The kind of the group if it exists, exclusive if it does not. */
static enum hl_group_kind kind_of_group(const struct recv *r)
{
	enum hl_group_kind kind = HL_GROUP_EXCLUSIVE;
	struct hl_group_status group;
	struct hl_inspect *inspect;

	if (hl_inspect_open(r->name, r->flags, &inspect, NULL) < 0)
		return kind; /* joining will tell what is wrong */
	for (uint32_t i = 0; i < r->info.max_groups; i++) {
		if (hl_inspect_group(inspect, i, &group) > 0 &&
		    strcmp(group.name, r->group.name) == 0)
			kind = group.kind;
	}
	hl_inspect_close(inspect);
	return kind;
}

/* Before joining: what is wrong with the options makes no group. */
static int open_ring(struct recv *r)
{
	struct hl_error err = { 0 };
	struct hl_schema *schema;
	int ret;

	ret = hl_ring_open(r->name, r->flags, &r->ring, &err);
	if (ret < 0)
		return hlt_fail(r->name, ret, &err);
	hl_ring_get_info(r->ring, &r->info);
	ret = hl_ring_get_schema(r->ring, &schema, &err);
	return hlt_decode_begin(&r->decode, r->name, ret, schema, &err,
				r->info.checksum != HL_CHECKSUM_NONE);
}

static int join(struct recv *r, struct hl_error *err)
{
	struct hl_consumer_attr attr = HL_CONSUMER_ATTR_INIT;
	struct hl_group_attr group = HL_GROUP_ATTR_INIT;

	group.name = r->group.name;
	group.kind = r->group.kind >= 0 ? (enum hl_group_kind)r->group.kind :
					  kind_of_group(r);
	group.durable = r->group.durable;
	group.start = r->start;
	group.position = r->position;
	attr.name = "hotline recv";
	attr.schema = r->schema;
	return hl_consumer_join(r->ring, &group, &attr, &consumer, err);
}

/* Takes the next batch; waits in pieces. Returns as hl_consumer_take(). */
static ssize_t take(const struct recv *r, struct hl_batch *batch)
{
	const uint64_t wanted = r->count - r->received;
	uint64_t max = r->batch < wanted ? r->batch : wanted;
	int64_t left = r->timeout_ns;
	ssize_t ret;

	max = max < r->info.capacity ? max : r->info.capacity;
	do {
		const int64_t piece = left < slice_ns ? left : slice_ns;

		if (hlt_stop_asked() || hlt_out_reader_gone())
			return -ECANCELED;
		ret = hl_consumer_take(consumer, (size_t)max, piece, batch);
		if (left != HL_FOREVER)
			left -= piece;
	} while ((ret == -ETIMEDOUT || ret == -EAGAIN) && left > 0);
	return ret;
}

static void show(struct recv *r, const struct hl_batch *batch,
		 const void *message, uint64_t lost)
{
	unsigned char slot[HL_SLOT_BYTES_MAX];
	struct hlt_view view = {
		.slot = slot,
		.slot_bytes = batch->slot_bytes,
		.position = hl_batch_position(batch),
		.lost = lost,
		.has_checksum = r->info.checksum != HL_CHECKSUM_NONE,
		.redelivered = hl_batch_redelivered(batch),
		.attempt = batch->attempt,
	};

	memcpy(slot, message, batch->slot_bytes);
	view.verdict = hl_batch_validate(batch, message);
	view.payload_status = hl_batch_payload(batch, message, &view.payload);
	if (lost > 0 && r->form != HLT_FORM_JSON)
		hlt_complain(r->name,
			     "missed %" PRIu64
			     " messages before position %" PRIu64,
			     lost, view.position);
	r->lost += lost;
	if (!hlt_decode_wanted(&r->decode, &view))
		return;
	view.lost = r->lost;
	r->lost = 0;
	hlt_decode_print(&r->decode, &view, r->form);
	r->received++;
}

/* Writes a batch out and finishes it. Returns 0 or a negative errno. */
static int write_batch(struct recv *r, struct hl_batch *batch)
{
	uint64_t lost = batch->lost;
	const void *message;

	while ((message = hl_batch_next(batch)) != NULL) {
		show(r, batch, message, lost);
		lost = 0;
	}
	if (hlt_out_failed())
		return -ECANCELED;
	return hl_consumer_done(consumer);
}

/* What the end of the messages means for the exit status. */
static int finish(const struct recv *r, int ret)
{
	switch (ret) {
	case 0:
	case -ECANCELED: /* the signal, or the failed write, is the answer */
	case -EPIPE:
		return HLT_DONE;
	case -ETIMEDOUT:
	case -EAGAIN:
		if (r->count == UINT64_MAX && r->received > 0)
			return HLT_DONE;
		hlt_complain(r->name, "%s",
			     r->received == 0 ?
				     "no message came in time" :
				     "not so many messages came in time");
		return HLT_NOTHING;
	default:
		return hlt_fail(r->name, ret, NULL);
	}
}

static int receive(struct recv *r)
{
	struct hl_batch batch;
	int ret = 0;

	while (ret == 0 && r->received < r->count) {
		const ssize_t n = take(r, &batch);

		ret = n > 0 ? write_batch(r, &batch) : (int)n;
	}
	return finish(r, ret);
}

static void leave(struct recv *r)
{
	struct hl_consumer *leaving = consumer;

	consumer = NULL; /* no signal finds it any more */
	hl_consumer_leave(leaving);
	hl_ring_close(r->ring);
}

int hlt_cmd_recv(int argc, char **argv)
{
	struct recv r = {
		.count = UINT64_MAX,
		.batch = DEFAULT_BATCH,
		.timeout_ns = HL_FOREVER,
	};
	struct hl_error err = { 0 };
	int c, ret, status;

	while ((c = hlt_getopt(argc, argv, ":g:f:n:t:b:jh", options)) != -1) {
		if (read_option(c, optarg, &r) != 0)
			return HLT_USAGE;
		if (r.help)
			return hlt_help(usage);
	}
	if (hlt_one_argument(argc, argv, "the ring's name", &r.name) != 0 ||
	    hlt_decode_pick(&r.decode, r.json, r.hex, r.raw, &r.form) != 0)
		return HLT_USAGE;
	if (!r.has_group)
		return hlt_usage("--group is missing");
	if (hlt_schema_opt(r.schema_file, &r.schema) != 0)
		return HLT_USAGE;
	hlt_stop_begin(cancel_wait);
	status = open_ring(&r);
	if (status == HLT_DONE) {
		ret = join(&r, &err);
		status = ret < 0 ? hlt_fail(r.name, ret, &err) : receive(&r);
	}
	leave(&r);
	hlt_decode_fini(&r.decode);
	hl_schema_destroy(r.schema);
	return status;
}
