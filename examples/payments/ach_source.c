/* SPDX-License-Identifier: MIT */
/*
 * ach_source - read ACH files into a ring, one message an entry
 *
 *     ach_source --ring NAME [--repeat N] FILE...
 *
 * Headers and control records become messages as well: whoever reads the ring
 * in order can check the entries by them. A malformed line is reported with its
 * number and its reason, is left out, and stops nothing. At the end the ring is
 * finished, so that its consumers drain it and end. With --repeat the files
 * are sent N times: a load of any size. FILE "-" is standard input, once.
 *
 * Exit status: 0 all sent (malformed lines or not), 1 failed, 2 wrong usage.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "nacha.h"
#include "payment.h"

#define ADDENDA_MAX 9999 /* to one entry, by the format */

struct source {
	struct hl_producer *producer;
	size_t slot_bytes;
	const char *path;
	bool report; /* faults: not when the file is repeated */

	struct payment payment; /* the message that is being made */
	bool entry_pending;	/* it is an entry, whose addenda may follow */
	struct nacha_entry entry;
	struct nacha_addenda addenda[ADDENDA_MAX];
	struct iovec fields[PAYMENT_ADDENDA + ADDENDA_MAX];

	uint32_t files;
	uint32_t batch; /* number of the open one */
	uint32_t bank;	/* that originates it */
	uint64_t entries;
	uint64_t all_addenda;
	uint64_t faults;
};

static void fault(struct source *source, uint64_t line, const char *reason)
{
	source->faults++;
	if (source->report)
		fprintf(stderr, "%s: line %" PRIu64 ": %s\n", source->path,
			line, reason);
}

static uint64_t now_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * UINT64_C(1000000000) +
	       (uint64_t)now.tv_nsec;
}

static void set_field(struct source *source, enum payment_field field,
		      const char *text)
{
	/* An iovec is for both directions, so its pointer is not const. */
	source->fields[field].iov_base = (void *)(uintptr_t)text;
	source->fields[field].iov_len = strlen(text);
}

static void begin_message(struct source *source, enum payment_type type,
			  uint64_t line)
{
	struct payment *payment = &source->payment;
	char bank[12];

	memset(payment, 0, sizeof(*payment));
	payment->magic = HL_MESSAGE_MAGIC;
	payment->type = type;
	payment->detail.line = line;
	payment->detail.file = source->files;
	payment->detail.batch = source->batch;
	snprintf(bank, sizeof(bank), "%08" PRIu32, source->bank);
	hl_message_text(payment->sender, sizeof(payment->sender), bank);
	set_field(source, PAYMENT_ACCOUNT, "");
	set_field(source, PAYMENT_NAME, "");
	set_field(source, PAYMENT_ID, "");
}

static int send_message(struct source *source, size_t addenda)
{
	struct payment *payment = &source->payment;
	const bool wide = source->slot_bytes >= sizeof(*payment);
	int ret;

	payment->timestamp = now_ns(CLOCK_REALTIME);
	source->fields[PAYMENT_DETAIL].iov_base = &payment->detail;
	source->fields[PAYMENT_DETAIL].iov_len = wide ? 0 :
							sizeof(payment->detail);
	ret = hl_producer_sendv(source->producer, payment,
				wide ? sizeof(*payment) : HL_LINE_BYTES,
				source->fields, PAYMENT_ADDENDA + addenda,
				HL_FOREVER);
	return ret < 0 ? ret : 0;
}

static void begin_entry(struct source *source,
			const struct nacha_record *record)
{
	struct payment *payment = &source->payment;
	const struct nacha_entry *entry = &source->entry;
	char bank[12];

	source->entry = record->entry;
	begin_message(source, PAYMENT_ENTRY, record->line);
	payment->amount = (int64_t)entry->cents;
	if (nacha_code_direction(entry->code) == NACHA_DEBIT)
		payment->amount = -payment->amount;
	snprintf(bank, sizeof(bank), "%09" PRIu32, entry->bank);
	hl_message_text(payment->recipient, sizeof(payment->recipient), bank);
	payment->detail.entry.trace = entry->trace;
	payment->detail.entry.code = entry->code;
	set_field(source, PAYMENT_ACCOUNT, entry->account);
	set_field(source, PAYMENT_NAME, entry->name);
	set_field(source, PAYMENT_ID, entry->id);
	source->entry_pending = true;
}

static void add_addenda(struct source *source,
			const struct nacha_record *record)
{
	const uint32_t n = source->payment.detail.entry.addenda;

	if (n == ADDENDA_MAX) {
		fault(source, record->line, "too many addenda to one entry");
		return;
	}
	source->addenda[n] = record->addenda;
	set_field(source, PAYMENT_ADDENDA + n, source->addenda[n].text);
	source->payment.detail.entry.addenda++;
}

/* Sends the entry whose addenda are complete, if there is one. */
static int end_entry(struct source *source)
{
	const struct payment_detail *detail = &source->payment.detail;
	int ret;

	if (!source->entry_pending)
		return 0;
	source->entry_pending = false;
	ret = send_message(source, detail->entry.addenda);
	if (ret == -EMSGSIZE) {
		fault(source, detail->line,
		      "entry and addenda are larger than the ring's blocks");
		return 0;
	}
	if (ret < 0)
		return ret;
	source->entries++;
	source->all_addenda += detail->entry.addenda;
	return 0;
}

static int send_header(struct source *source, const struct nacha_record *record)
{
	const bool file = record->type == NACHA_FILE_HEADER;

	if (!file) {
		source->batch = record->batch_header.number;
		source->bank = record->batch_header.bank;
	}
	begin_message(source, file ? PAYMENT_FILE : PAYMENT_BATCH,
		      record->line);
	set_field(source, PAYMENT_NAME,
		  file ? record->file_header.origin_name :
			 record->batch_header.company);
	set_field(source, PAYMENT_ID,
		  file ? record->file_header.created :
			 record->batch_header.sec);
	return send_message(source, 0);
}

static int send_control(struct source *source,
			const struct nacha_record *record)
{
	const bool file = record->type == NACHA_FILE_CONTROL;

	source->batch = file ? 0 : record->control.number;
	begin_message(source,
		      file ? PAYMENT_FILE_CONTROL : PAYMENT_BATCH_CONTROL,
		      record->line);
	source->payment.detail.said = record->control.said;
	return send_message(source, 0);
}

static int send_record(struct source *source, const struct nacha_record *record)
{
	int ret = 0;

	if (record->type == NACHA_FAULT) {
		fault(source, record->line, record->reason);
		return 0;
	}
	if (record->type == NACHA_ADDENDA) {
		add_addenda(source, record);
		return 0;
	}
	ret = end_entry(source);
	if (ret < 0)
		return ret;
	if (record->type == NACHA_ENTRY) {
		begin_entry(source, record);
		return 0;
	}
	if (record->type == NACHA_FILE_HEADER ||
	    record->type == NACHA_BATCH_HEADER)
		return send_header(source, record);
	return send_control(source, record);
}

static int send_file(struct source *source, int fd)
{
	struct nacha_reader reader;
	struct nacha_record record;
	int ret;

	source->files++;
	source->batch = 0;
	source->bank = 0;
	nacha_reader_init(&reader, fd);
	while ((ret = nacha_reader_next(&reader, &record)) > 0) {
		ret = send_record(source, &record);
		if (ret < 0)
			return ret;
	}
	if (ret == 0)
		ret = end_entry(source);
	return ret;
}

static int send_path(struct source *source, const char *path)
{
	const bool standard = strcmp(path, "-") == 0;
	const int fd = standard ? STDIN_FILENO :
				  open(path, O_RDONLY | O_CLOEXEC);
	int ret;

	if (fd < 0) {
		ret = -errno;
	} else {
		source->path = path;
		ret = send_file(source, fd);
		if (!standard)
			close(fd);
	}
	if (ret < 0)
		fprintf(stderr, "ach_source: %s: %s\n", path, strerror(-ret));
	return ret;
}

static int send_all(struct source *source, char **paths, uint64_t repeat)
{
	const uint64_t start = now_ns(CLOCK_MONOTONIC);
	double seconds;
	int ret;

	for (uint64_t pass = 0; pass < repeat; pass++) {
		source->report = pass == 0;
		for (int i = 0; paths[i]; i++) {
			ret = send_path(source, paths[i]);
			if (ret < 0)
				return ret;
		}
	}
	seconds = (double)(now_ns(CLOCK_MONOTONIC) - start) / 1e9;
	printf("source: files %" PRIu32 ", entries %" PRIu64
	       ", addenda %" PRIu64 ", malformed lines %" PRIu64 ", %.3f s\n",
	       source->files, source->entries, source->all_addenda,
	       source->faults, seconds);
	return 0;
}

/* Joins the ring, sends, and finishes the ring. */
static int run(const char *name, char **paths, uint64_t repeat)
{
	static struct source source;
	struct hl_producer_attr attr = HL_PRODUCER_ATTR_INIT;
	struct hl_ring_info info;
	struct hl_ring *ring = NULL;
	struct hl_error err;
	int ret;

	ret = hl_ring_open(name, 0, &ring, &err);
	if (ret < 0)
		goto err_said;
	hl_ring_get_info(ring, &info);
	source.slot_bytes = info.slot_bytes;
	attr.schema = payment_join_schema(ring);
	ret = hl_producer_join(ring, &attr, &source.producer, &err);
	if (ret < 0)
		goto err_said;
	ret = send_all(&source, paths, repeat);
	if (ret == 0)
		ret = hl_producer_finish(source.producer);
	hl_producer_leave(source.producer);
	hl_ring_close(ring);
	return ret;

err_said:
	fprintf(stderr, "ach_source: %s\n", err.text);
	hl_ring_close(ring);
	return ret;
}

/* What "hotline create --schema" reads. */
static int print_schema(const char *slot_bytes)
{
	const struct hl_schema *schema =
		payment_schema_for(strtoul(slot_bytes, NULL, 10));
	char text[4096];

	if (hl_schema_print(schema, text, sizeof(text)) < 0)
		return 1;
	fputs(text, stdout);
	return 0;
}

int main(int argc, char **argv)
{
	static const struct option known[] = {
		{ "ring", required_argument, NULL, 'r' },
		{ "repeat", required_argument, NULL, 'n' },
		{ "print-schema", required_argument, NULL, 's' },
		{ NULL, 0, NULL, 0 },
	};
	const char *name = NULL;
	uint64_t repeat = 1;
	int c;

	while ((c = getopt_long(argc, argv, "", known, NULL)) != -1) {
		if (c == 'r')
			name = optarg;
		else if (c == 'n')
			repeat = strtoull(optarg, NULL, 10);
		else if (c == 's')
			return print_schema(optarg);
		else
			name = "";
	}
	for (int i = optind; i < argc; i++) {
		if (strcmp(argv[i], "-") == 0 && repeat > 1)
			repeat = 0;
	}
	if (!name || !*name || repeat == 0 || optind == argc) {
		fprintf(stderr, "usage: ach_source --ring NAME [--repeat N] "
				"FILE...\n       ach_source --print-schema "
				"64|128\n");
		return 2;
	}
	return run(name, argv + optind, repeat) < 0;
}
