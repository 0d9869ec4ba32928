/* SPDX-License-Identifier: MIT */
/*
 * ledger - check what passed through the ring by the files' own control records
 *
 *     ledger --ring NAME [--rows N]
 *
 * Guarantees: adds up entries, hash, debits and credits from the entry messages
 * alone, and compares them with each batch control and file control that comes
 * by. A control record that does not agree, or does not come at all, makes the
 * ledger say so and fail. Ends when the ring is finished and empty.
 *
 * Prints a table: each control record that does not agree, the first N (20)
 * that do, and a line of the sums.
 *
 * Exit status: 0 all agree, 1 they do not, 2 could not be found out.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "payment.h"

#define BATCH 64

struct ledger {
	struct hl_consumer *consumer;
	size_t slot_bytes;
	uint64_t rows; /* of the table that may still be printed */
	bool head_printed;

	bool in_file;
	bool in_batch;
	uint32_t batch_number;
	struct nacha_totals batch; /* since its header */
	struct nacha_totals file;  /* of the batches that are closed */

	struct nacha_totals all;
	uint64_t files;
	uint64_t agree;	   /* control records */
	uint64_t disagree; /* and those that were missing */
};

/* Dollars and cents with a comma after each third digit. */
static const char *money(uint64_t cents, char *text, size_t size_bytes)
{
	char digits[32];
	const int n = snprintf(digits, sizeof(digits), "%" PRIu64, cents / 100);
	size_t used = 0;

	for (int i = 0; i < n && used + 5 < size_bytes; i++) {
		if (i > 0 && (n - i) % 3 == 0)
			text[used++] = ',';
		text[used++] = digits[i];
	}
	snprintf(text + used, size_bytes - used, ".%02u",
		 (unsigned int)(cents % 100));
	return text;
}

static void print_row(struct ledger *ledger, const char *file,
		      const char *batch, const struct nacha_totals *totals,
		      const char *verdict)
{
	char debits[40], credits[40];

	if (!ledger->head_printed)
		printf("%5s %7s %15s %11s %20s %20s  %s\n", "file", "batch",
		       "entries+addenda", "hash", "debits", "credits",
		       "control");
	ledger->head_printed = true;
	printf("%5s %7s %15" PRIu64 " %11" PRIu64 " %20s %20s  %s\n", file,
	       batch, totals->entries, totals->hash,
	       money(totals->debit_cents, debits, sizeof(debits)),
	       money(totals->credit_cents, credits, sizeof(credits)), verdict);
}

/* Notes the verdict on the open batch or, with what it had, the file. */
static void conclude(struct ledger *ledger, bool is_batch, const char *wrong)
{
	char file[24], batch[24] = "all";
	char verdict[320] = "agrees";

	if (wrong) {
		ledger->disagree++;
		snprintf(verdict, sizeof(verdict), "DIFFERS: %s", wrong);
	} else {
		ledger->agree++;
		if (ledger->rows == 0)
			return;
		ledger->rows--;
	}
	snprintf(file, sizeof(file), "%" PRIu64, ledger->files);
	if (is_batch)
		snprintf(batch, sizeof(batch), "%" PRIu32,
			 ledger->batch_number);
	print_row(ledger, file, batch,
		  is_batch ? &ledger->batch : &ledger->file, verdict);
}

static void close_batch(struct ledger *ledger)
{
	nacha_totals_add_batch(&ledger->file, &ledger->batch);
	memset(&ledger->batch, 0, sizeof(ledger->batch));
	ledger->in_batch = false;
}

static void close_file(struct ledger *ledger)
{
	struct nacha_totals *all = &ledger->all;

	all->batches += ledger->file.batches;
	all->entries += ledger->file.entries;
	all->debit_cents += ledger->file.debit_cents;
	all->credit_cents += ledger->file.credit_cents;
	memset(&ledger->file, 0, sizeof(ledger->file));
	ledger->in_file = false;
}

/* A header, or the end, where a control record should have come before. */
static void miss_batch_control(struct ledger *ledger)
{
	if (!ledger->in_batch)
		return;
	conclude(ledger, true, "no batch control");
	close_batch(ledger);
}

static void miss_file_control(struct ledger *ledger)
{
	miss_batch_control(ledger);
	if (!ledger->in_file)
		return;
	conclude(ledger, false, "no file control");
	close_file(ledger);
}

static void open_file(struct ledger *ledger)
{
	if (ledger->in_file)
		return;
	ledger->in_file = true;
	ledger->files++;
}

static void open_batch(struct ledger *ledger, uint32_t number)
{
	ledger->in_batch = true;
	ledger->batch_number = number;
}

static void check_batch(struct ledger *ledger, const struct payment_view *view)
{
	const struct nacha_totals *said = &view->detail->said;
	char why[300];

	ledger->batch_number = view->detail->batch;
	if (nacha_totals_agree(said, &ledger->batch, why, sizeof(why)))
		conclude(ledger, true, NULL);
	else
		conclude(ledger, true, why);
	close_batch(ledger);
}

static void check_file(struct ledger *ledger, const struct payment_view *view)
{
	const struct nacha_totals *said = &view->detail->said;
	char why[300];

	miss_batch_control(ledger);
	if (nacha_totals_agree(said, &ledger->file, why, sizeof(why)))
		conclude(ledger, false, NULL);
	else
		conclude(ledger, false, why);
	close_file(ledger);
}

static void add_entry(struct ledger *ledger, const struct payment_view *view)
{
	const struct payment_entry *entry = &view->detail->entry;
	const int64_t amount = view->head->amount;
	char number[13] = { 0 };

	memcpy(number, view->head->recipient, sizeof(view->head->recipient));
	nacha_totals_add_entry(&ledger->batch,
			       (uint32_t)strtoul(number, NULL, 10), entry->code,
			       (uint64_t)(amount < 0 ? -amount : amount));
	/* Addenda are counted as they arrived, not as they were announced. */
	nacha_totals_add_addenda(&ledger->batch,
				 view->payload.nfields - PAYMENT_ADDENDA);
}

static int book(struct ledger *ledger, const struct hl_batch *batch,
		const void *message)
{
	struct payment_view view;
	const int ret = payment_look(batch, message, ledger->slot_bytes, &view);

	if (ret < 0 || view.payload.nfields < PAYMENT_ADDENDA)
		return -EBADMSG;
	if (view.head->type == PAYMENT_FILE)
		miss_file_control(ledger);
	open_file(ledger);
	switch (view.head->type) {
	case PAYMENT_FILE:
		return 0;
	case PAYMENT_BATCH:
		miss_batch_control(ledger);
		open_batch(ledger, view.detail->batch);
		return 0;
	case PAYMENT_ENTRY:
		if (!ledger->in_batch)
			open_batch(ledger, view.detail->batch);
		add_entry(ledger, &view);
		return 0;
	case PAYMENT_BATCH_CONTROL:
		check_batch(ledger, &view);
		return 0;
	case PAYMENT_FILE_CONTROL:
		check_file(ledger, &view);
		return 0;
	default:
		return -EBADMSG;
	}
}

static int read_ring(struct ledger *ledger)
{
	struct hl_batch batch;
	const void *message;
	ssize_t n;
	int ret = 0;

	while (ret == 0) {
		n = hl_consumer_take(ledger->consumer, BATCH, HL_FOREVER,
				     &batch);
		if (n < 0)
			return n == -EPIPE ? 0 : (int)n;
		while (ret == 0 && (message = hl_batch_next(&batch)))
			ret = book(ledger, &batch, message);
		if (ret < 0) {
			fprintf(stderr,
				"ledger: position %" PRIu64
				" is no record of a file\n",
				hl_batch_position(&batch));
			return ret;
		}
		ret = hl_consumer_done(ledger->consumer);
	}
	return ret;
}

/* Returns whether everything agreed, and there was something. */
static bool print_sums(struct ledger *ledger)
{
	const struct nacha_totals *all = &ledger->all;
	const uint64_t controls = ledger->agree + ledger->disagree;
	char debits[40], credits[40];

	miss_file_control(ledger);
	printf("total: files %" PRIu64 ", batches %" PRIu64
	       ", entries and addenda %" PRIu64 ", debits %s, credits %s\n",
	       ledger->files, all->batches, all->entries,
	       money(all->debit_cents, debits, sizeof(debits)),
	       money(all->credit_cents, credits, sizeof(credits)));
	printf("%" PRIu64 " of %" PRIu64 " control records agree\n",
	       ledger->agree, controls);
	return ledger->disagree == 0 && ledger->agree > 0;
}

static int join(struct ledger *ledger, struct hl_ring *ring,
		struct hl_error *err)
{
	struct hl_group_attr group = HL_GROUP_ATTR_INIT;
	struct hl_consumer_attr attr = HL_CONSUMER_ATTR_INIT;
	struct hl_ring_info info;

	hl_ring_get_info(ring, &info);
	ledger->slot_bytes = info.slot_bytes;
	group.name = PAYMENT_LEDGER;
	group.kind = HL_GROUP_EXCLUSIVE;
	group.durable = true;
	attr.prefetch_payload = true;
	attr.schema = payment_join_schema(ring);
	return hl_consumer_join(ring, &group, &attr, &ledger->consumer, err);
}

static int run(const char *name, uint64_t rows)
{
	struct ledger ledger = { .rows = rows };
	struct hl_ring *ring = NULL;
	struct hl_error err;
	int ret;
	int status = 2;

	ret = hl_ring_open(name, 0, &ring, &err);
	if (ret == 0)
		ret = join(&ledger, ring, &err);
	if (ret < 0) {
		fprintf(stderr, "ledger: %s\n", err.text);
		goto out_close;
	}
	ret = read_ring(&ledger);
	if (ret < 0)
		fprintf(stderr, "ledger: %s: %s\n", name, strerror(-ret));
	else
		status = print_sums(&ledger) ? 0 : 1;
	hl_consumer_leave(ledger.consumer);
out_close:
	hl_ring_close(ring);
	return status;
}

int main(int argc, char **argv)
{
	static const struct option known[] = {
		{ "ring", required_argument, NULL, 'r' },
		{ "rows", required_argument, NULL, 'n' },
		{ NULL, 0, NULL, 0 },
	};
	const char *name = NULL;
	uint64_t rows = 20;
	int c;

	while ((c = getopt_long(argc, argv, "", known, NULL)) != -1) {
		if (c == 'r')
			name = optarg;
		else if (c == 'n')
			rows = strtoull(optarg, NULL, 10);
		else
			name = "";
	}
	if (!name || !*name || optind != argc) {
		fprintf(stderr, "usage: ledger --ring NAME [--rows N]\n");
		return 2;
	}
	return run(name, rows);
}
