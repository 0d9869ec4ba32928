/* SPDX-License-Identifier: MIT */
/*
 * cmd_send - hotline send: send messages from standard input
 *
 * One message a line, sent as soon as the line is there. A line that is no
 * message, or that the ring can never hold, is reported with its number and
 * passed over; what stops the ring stops the command.
 */
#include "cmd.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <hotline/produce.h>

#include "encode.h"
#include "input.h"
#include "msg_json.h"
#include "opt.h"
#include "out.h"
#include "schema_file.h"
#include "stop.h"

static const char usage[] =
	"Usage: hotline send [OPTION]... NAME\n"
	"Send messages from standard input, one JSON object a line:\n"
	"\n"
	"  {\"type\": 1, \"amount\": 250, \"sender\": \"A\", \"recipient\": \"B\",\n"
	"   \"payload\": [\"a field\", {\"hex\": \"00ff\"}]}\n"
	"\n"
	"  -t, --timeout TIME  how long to wait when the ring is full [forever]\n"
	"  -d, --drop          do not wait: drop and count\n"
	"  -s, --strict        end at the first line that is no message\n"
	"      --schema FILE   refuse a ring whose schema does not fit this one\n"
	"      --raw           records of the ring's slot size instead of lines\n"
	"      --finish        then mark the ring as finished\n"
	"      --any-owner     also to a ring of another user\n"
	"  -v, --verbose       say at the end how many were sent\n"
	"  -j, --json          say it as JSON on standard output\n"
	"  -h, --help          this text\n"
	"\n"
	"TIME is in seconds, or ends in ms, s, m or h. See hotline-send(1).\n";

enum {
	OPT_RAW = 256,
	OPT_SCHEMA,
	OPT_FINISH,
	OPT_ANY_OWNER,
	WHY_BYTES = 256,
	LINE_BYTES = 1024 * 1024, /* and what a payload takes in hex */
};

static const struct option options[] = {
	{ "timeout", required_argument, NULL, 't' },
	{ "drop", no_argument, NULL, 'd' },
	{ "strict", no_argument, NULL, 's' },
	{ "schema", required_argument, NULL, OPT_SCHEMA },
	{ "raw", no_argument, NULL, OPT_RAW },
	{ "finish", no_argument, NULL, OPT_FINISH },
	{ "any-owner", no_argument, NULL, OPT_ANY_OWNER },
	{ "verbose", no_argument, NULL, 'v' },
	{ "json", no_argument, NULL, 'j' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

struct send {
	const char *name;
	unsigned flags;
	int64_t timeout_ns;
	bool drop, strict, raw, finish, verbose, json, help;

	struct hl_ring *ring;
	struct hl_ring_info info;
	struct hl_schema *schema; /* of its messages, or NULL */
	const char *schema_file;
	struct hl_schema *ours; /* that has to fit, or NULL */
	struct hlt_input input;
	uint64_t sent, dropped, bad;
};

static struct hl_producer *producer; /* for the signal handler */

static void cancel_wait(void)
{
	if (producer != NULL)
		hl_producer_cancel(producer);
}

static int read_option(int c, const char *value, struct send *s)
{
	switch (c) {
	case 't':
		return hlt_opt_duration("--timeout", value, &s->timeout_ns);
	case 'd':
		s->drop = true;
		return 0;
	case 's':
		s->strict = true;
		return 0;
	case OPT_SCHEMA:
		s->schema_file = value;
		return 0;
	case OPT_RAW:
		s->raw = true;
		return 0;
	case OPT_FINISH:
		s->finish = true;
		return 0;
	case OPT_ANY_OWNER:
		s->flags = HL_OPEN_ANY_OWNER;
		return 0;
	case 'v':
		s->verbose = true;
		return 0;
	case 'j':
		s->json = true;
		hlt_out_json(HLT_JSON_DOCUMENT);
		return 0;
	case 'h':
		s->help = true;
		return 0;
	default:
		return HLT_USAGE;
	}
}

static int join(struct send *s, struct hl_error *err)
{
	struct hl_producer_attr attr = HL_PRODUCER_ATTR_INIT;
	int ret;

	ret = hl_ring_open(s->name, s->flags, &s->ring, err);
	if (ret < 0)
		return ret;
	hl_ring_get_info(s->ring, &s->info);
	ret = hl_ring_get_schema(s->ring, &s->schema, err);
	if (ret < 0 && ret != -ENODATA)
		return ret;
	attr.name = "hotline send";
	attr.schema = s->ours;
	return hl_producer_join(s->ring, &attr, &producer, err);
}

/* What is left of a timeout that began at a time. */
static int64_t time_left(int64_t timeout_ns, const struct timespec *since)
{
	struct timespec now;
	int64_t passed;

	if (timeout_ns == HL_FOREVER || timeout_ns == HL_NOWAIT)
		return timeout_ns;
	clock_gettime(CLOCK_MONOTONIC, &now);
	passed = (now.tv_sec - since->tv_sec) * INT64_C(1000000000) +
		 (now.tv_nsec - since->tv_nsec);
	return passed < timeout_ns ? timeout_ns - passed : HL_NOWAIT;
}

/*
 * Sends one message. When no block is free for its payload, that is a ring that
 * is full like any other: wait, or drop.
 */
static int send_message(const struct send *s, const struct hlt_message *m)
{
	struct timespec begin;
	int ret;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	for (;;) {
		const int64_t left = time_left(s->timeout_ns, &begin);

		ret = hl_producer_sendv(producer, m->slot, m->size_bytes,
					m->fields, m->nfields,
					s->drop ? HL_DROP : left);
		if (ret != -ENOBUFS)
			return ret;
		if (s->drop)
			return 0;
		ret = hl_payload_wait(producer, left);
		if (ret < 0)
			return ret;
	}
}

/* What the line leaves open: a time, and what the ring's messages begin with */
static void fill_in(const struct send *s, struct hlt_message *m)
{
	struct hl_message head;
	struct timespec now;

	memcpy(&head, m->slot, sizeof(head));
	if (!m->has_magic && s->info.message_magic != 0)
		head.magic = s->info.message_magic;
	if (!m->has_timestamp) {
		clock_gettime(CLOCK_REALTIME, &now);
		head.timestamp = (uint64_t)now.tv_sec * 1000000000u +
				 (uint64_t)now.tv_nsec;
	}
	memcpy(m->slot, &head, sizeof(head));
}

/* Reads a line as a message: 0, or a negative errno with a sentence in why. */
static int read_line(const struct send *s, const char *line, size_t len,
		     struct hlt_message *m, char *why)
{
	const struct hlt_encode encode = {
		.schema = s->schema,
		.magic = s->info.message_magic,
		.why = { why, WHY_BYTES },
	};
	int ret;

	if (s->schema != NULL)
		return hlt_message_by_schema(&encode, line, len, m);
	ret = hlt_message_from_json(line, len, m, why, WHY_BYTES);
	if (ret == 0)
		fill_in(s, m);
	return ret;
}

static void complain_line(struct send *s, const char *why)
{
	s->bad++;
	hlt_complain(s->name, "%s %" PRIu64 ": %s", s->raw ? "record" : "line",
		     s->input.number, why);
}

/* Counts what became of a message. Returns 0 to go on, or the error. */
static int account(struct send *s, int ret)
{
	switch (ret) {
	case 1:
		s->sent++;
		return 0;
	case 0:
		s->dropped++;
		return 0;
	case -EMSGSIZE:
		complain_line(s, "larger than the ring's slots or blocks");
		return 0;
	default:
		return ret;
	}
}

static bool is_blank(const char *line, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (strchr(" \t\r", line[i]) == NULL)
			return false;
	}
	return true;
}

/* Reads a line or record and sends it. Returns 1, 0 at the end, an error. */
static int send_next(struct send *s)
{
	static struct hlt_message m;
	char why[WHY_BYTES];
	const char *data;
	size_t len = 0;
	int ret;

	ret = s->raw ? hlt_input_record(&s->input, &data, &len) :
		       hlt_input_line(&s->input, &data, &len);
	if (ret == -EMSGSIZE) {
		snprintf(why, sizeof(why),
			 s->raw ? "%zu bytes at the end, fewer than a record" :
				  "longer than %zu bytes",
			 s->raw ? len : s->input.limit);
		complain_line(s, why);
		return 1;
	}
	if (ret <= 0)
		return ret;
	if (s->raw) {
		memcpy(m.slot, data, len);
		m.size_bytes = len;
	} else {
		if (is_blank(data, len))
			return 1;
		if (read_line(s, data, len, &m, why) < 0) {
			complain_line(s, why);
			return 1;
		}
	}
	ret = account(s, send_message(s, &m));
	hlt_message_fini(&m);
	return ret < 0 ? ret : 1;
}

/* Says how many were sent, in the ways that were asked for. */
static void report(const struct send *s)
{
	json_t *object;

	if (s->verbose)
		fprintf(stderr,
			"hotline: send: %" PRIu64 " sent, %" PRIu64
			" dropped, %" PRIu64 " bad\n",
			s->sent, s->dropped, s->bad);
	if (!s->json)
		return;
	object = json_object();
	hlt_json_set(object, "sent", hlt_json_u64(s->sent));
	hlt_json_set(object, "dropped", hlt_json_u64(s->dropped));
	hlt_json_set(object, "bad", hlt_json_u64(s->bad));
	hlt_json_print(object);
}

static int fail_at_line(const struct send *s, int ret)
{
	char subject[512];

	snprintf(subject, sizeof(subject), "%s: %s %" PRIu64, s->name,
		 s->raw ? "record" : "line", s->input.number);
	return hlt_fail(subject, ret, NULL);
}

static int send_all(struct send *s)
{
	const size_t limit =
		s->raw ? s->info.slot_bytes :
			 LINE_BYTES + 2 * (size_t)s->info.block_bytes;
	int ret;

	hlt_input_init(&s->input, STDIN_FILENO, limit);
	do {
		ret = send_next(s);
	} while (ret > 0 && !(s->strict && s->bad > 0) && !hlt_stop_asked());
	if (ret == 0 && s->finish && s->bad == 0)
		ret = hl_producer_finish(producer);
	hlt_input_fini(&s->input);
	report(s);
	if (ret < 0 && ret != -ECANCELED)
		return fail_at_line(s, ret);
	return s->bad > 0 ? HLT_FAILED : HLT_DONE;
}

static void leave(struct send *s)
{
	struct hl_producer *leaving = producer;

	producer = NULL; /* no signal finds it any more */
	hl_producer_leave(leaving);
	hl_ring_close(s->ring);
	hl_schema_destroy(s->schema);
	hl_schema_destroy(s->ours);
}

int hlt_cmd_send(int argc, char **argv)
{
	struct send s = { .timeout_ns = HL_FOREVER };
	struct hl_error err = { 0 };
	int c, ret;

	while ((c = hlt_getopt(argc, argv, ":t:dsvjh", options)) != -1) {
		if (read_option(c, optarg, &s) != 0)
			return HLT_USAGE;
		if (s.help)
			return hlt_help(usage);
	}
	if (hlt_one_argument(argc, argv, "the ring's name", &s.name) != 0)
		return HLT_USAGE;
	if (hlt_schema_opt(s.schema_file, &s.ours) != 0)
		return HLT_USAGE;
	hlt_stop_begin(cancel_wait);
	ret = join(&s, &err);
	ret = ret < 0 ? hlt_fail(s.name, ret, &err) : send_all(&s);
	leave(&s);
	return ret;
}
