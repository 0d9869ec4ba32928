/* SPDX-License-Identifier: MIT */
/*
 * cmd_tail - hotline tail: show messages as they pass
 *
 * Reads the ring from outside, so it holds nobody back and may miss messages:
 * how many is said. Each message is written out before the next is waited for.
 */
#include "cmd.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

#include <hotline/inspect.h>

#include "decode.h"
#include "guard.h"
#include "opt.h"
#include "out.h"
#include "stop.h"
#include "view.h"

static const char usage[] =
	"Usage: hotline tail [OPTION]... NAME\n"
	"Show messages as they pass, without taking part in the ring.\n"
	"\n"
	"  -f, --from START    oldest, newest or a position [newest]\n"
	"  -n, --count N       end after N messages\n"
	"  -t, --timeout TIME  end when none comes for so long [forever]\n" HLT_DECODE_USAGE
	"      --hex           each slot in hex, with a ruler of its fields\n"
	"      --raw           each slot as it is\n"
	"      --any-owner     also a ring of another user\n"
	"  -j, --json          a JSON object a line\n"
	"  -h, --help          this text\n"
	"\n"
	"TIME is in seconds, or ends in ms, s, m or h; 0 shows what is there.\n"
	"See hotline-tail(1).\n";

enum {
	OPT_HEX = 256,
	OPT_RAW,
	OPT_ANY_OWNER,
};

static const struct option options[] = {
	{ "from", required_argument, NULL, 'f' },
	{ "count", required_argument, NULL, 'n' },
	{ "timeout", required_argument, NULL, 't' },
	{ "hex", no_argument, NULL, OPT_HEX },
	{ "raw", no_argument, NULL, OPT_RAW },
	{ "any-owner", no_argument, NULL, OPT_ANY_OWNER },
	HLT_DECODE_OPTIONS,
	{ "json", no_argument, NULL, 'j' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

/* A wait is cut into pieces of this, to see if the reader has gone. */
static const int64_t slice_ns = 200 * INT64_C(1000000);

struct tail {
	const char *name;
	unsigned flags;
	enum hl_group_start start;
	uint64_t position;
	uint64_t count; /* messages to show, UINT64_MAX for all */
	int64_t timeout_ns;
	enum hlt_form form;
	bool json, hex, raw, help;
	struct hlt_decode decode;
	int bound;     /* exit status of that, or HLT_DONE */
	uint64_t lost; /* before messages that are not shown */

	struct hl_inspect *inspect;
	struct hl_tap *tap;
	struct hl_ring_status status;
	struct hl_error err;
	int ret; /* of the library's last call */
	uint64_t shown;
};

static int read_option(int c, const char *value, struct tail *t)
{
	switch (c) {
	case 'f':
		return hlt_opt_start("--from", value, &t->start, &t->position);
	case 'n':
		return hlt_opt_number("--count", value, 1, UINT64_MAX - 1,
				      &t->count);
	case 't':
		return hlt_opt_duration("--timeout", value, &t->timeout_ns);
	case OPT_HEX:
		t->hex = true;
		return 0;
	case OPT_RAW:
		t->raw = true;
		return 0;
	case OPT_ANY_OWNER:
		t->flags = HL_OPEN_ANY_OWNER;
		return 0;
	case 'j':
		t->json = true;
		return 0;
	case 'h':
		t->help = true;
		return 0;
	default:
		return hlt_decode_option(&t->decode, c, value) ? 0 : HLT_USAGE;
	}
}

/* Find out how the ring's messages are to be read. */
static void bind(struct tail *t)
{
	struct hl_error err = { 0 };
	struct hl_schema *schema;
	const int ret = hl_inspect_get_schema(t->inspect, &schema, &err);

	t->bound =
		hlt_decode_begin(&t->decode, t->name, ret, schema, &err,
				 t->status.info.checksum != HL_CHECKSUM_NONE);
}

static void open_tap(struct tail *t)
{
	t->ret = hl_inspect_open(t->name, t->flags, &t->inspect, &t->err);
	if (t->ret < 0)
		return;
	hl_inspect_ring(t->inspect, &t->status);
	bind(t);
	if (t->bound != HLT_DONE)
		return;
	t->ret = hl_tap_open(t->inspect, t->start, t->position, &t->tap,
			     &t->err);
}

/* The next message; waits in pieces. Returns as hl_tap_next() does. */
static int next_message(const struct tail *t, struct hl_tap_message *message)
{
	int64_t left = t->timeout_ns;
	int ret;

	do {
		const int64_t piece = left < slice_ns ? left : slice_ns;

		if (hlt_stop_asked() || hlt_out_reader_gone())
			return -ECANCELED;
		ret = hl_tap_next(t->tap, piece, message);
		if (left != HL_FOREVER)
			left -= piece;
	} while (ret == -EINTR ||
		 ((ret == -ETIMEDOUT || ret == -EAGAIN) && left > 0));
	return ret;
}

static void show(struct tail *t, const struct hl_tap_message *message)
{
	struct hlt_view view = {
		.slot = message->message,
		.slot_bytes = t->status.info.slot_bytes,
		.position = message->position,
		.lost = message->lost,
		.voids = message->voids,
		.payload_status = message->payload_status,
		.payload = message->payload,
		.has_checksum = t->status.info.checksum != HL_CHECKSUM_NONE,
	};

	if (message->lost > 0 && t->form != HLT_FORM_JSON)
		hlt_complain(t->name,
			     "missed %" PRIu64
			     " messages before position %" PRIu64,
			     message->lost, message->position);
	t->lost += message->lost;
	if (!hlt_decode_wanted(&t->decode, &view))
		return;
	view.lost = t->lost;
	t->lost = 0;
	hlt_decode_print(&t->decode, &view, t->form);
	t->shown++;
}

/* Opens the tap and shows messages to the end, which is in t->ret. */
static void run(void *arg)
{
	struct tail *t = arg;
	struct hl_tap_message message;

	open_tap(t);
	while (t->bound == HLT_DONE && t->ret >= 0 && t->shown < t->count &&
	       !hlt_out_failed()) {
		t->ret = next_message(t, &message);
		if (t->ret > 0)
			show(t, &message);
	}
}

/* What the end of the messages means for the exit status. */
static int finish(const struct tail *t)
{
	if (t->bound != HLT_DONE)
		return t->bound;
	switch (t->ret) {
	case -ECANCELED: /* the signal or the reader's end is the answer */
	case -EPIPE:
		return HLT_DONE;
	case -ETIMEDOUT:
	case -EAGAIN:
		if (t->count == UINT64_MAX && t->shown > 0)
			return HLT_DONE;
		hlt_complain(t->name, "%s",
			     t->shown == 0 ?
				     "no message came in time" :
				     "not so many messages came in time");
		return HLT_NOTHING;
	default:
		return t->ret < 0 ? hlt_fail(t->name, t->ret, &t->err) :
				    HLT_DONE;
	}
}

int hlt_cmd_tail(int argc, char **argv)
{
	struct tail t = {
		.start = HL_START_NEWEST,
		.count = UINT64_MAX,
		.timeout_ns = HL_FOREVER,
	};
	bool whole;
	int c;

	while ((c = hlt_getopt(argc, argv, ":f:n:t:jh", options)) != -1) {
		if (read_option(c, optarg, &t) != 0)
			return HLT_USAGE;
		if (t.help)
			return hlt_help(usage);
	}
	if (hlt_one_argument(argc, argv, "the ring's name", &t.name) != 0 ||
	    hlt_decode_pick(&t.decode, t.json, t.hex, t.raw, &t.form) != 0)
		return HLT_USAGE;
	hlt_stop_begin(NULL);
	whole = hlt_guard_run(run, &t);
	hlt_decode_fini(&t.decode);
	hl_tap_close(t.tap);
	hl_inspect_close(t.inspect);
	if (whole)
		return finish(&t);
	hlt_complain(t.name, "its file was cut short while it was read");
	return HLT_DAMAGED;
}
