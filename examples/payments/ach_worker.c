/* SPDX-License-Identifier: MIT */
/*
 * ach_worker - validate entries, route them by receiving bank, and count
 *
 *     ach_worker --ring NAME
 *
 * Any number of these share the work: each entry goes to one of them. A bank
 * gets a route of its own when its first entry comes, so that from then on the
 * router finds the bank's counters. An entry that is not valid becomes a dead
 * letter: reported with the line it came from, counted, and passed over.
 *
 * Ends when the ring is finished and empty, and prints what it counted, in
 * lines of fields between tabs:
 *
 *     total  entries  debit cents  credit cents  dead letters  redelivered
 *     bank   number   entries      debit cents   credit cents
 *
 * Exit status: 0 done, 1 failed, 2 wrong usage.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hotline/router.h>

#include "payment.h"

#define BATCH 64
#define DEAD_REPORTED 20 /* dead letters that are reported one by one */

struct count {
	uint64_t entries;
	uint64_t debit_cents;
	uint64_t credit_cents;
};

struct bank {
	struct bank *next;
	struct worker *worker;
	char number[12]; /* as a message's recipient */
	bool routed;
	struct count count;
};

struct worker {
	struct hl_router *router;
	struct hl_consumer *consumer;
	size_t slot_bytes;
	struct bank *banks; /* those without a route come first */
	struct count total;
	uint64_t dead;
	uint64_t redelivered;
	const char *wrong; /* with the entry in hand */
};

static bool is_bank(const char *recipient)
{
	char number[13] = { 0 };
	char *end;
	unsigned long bank;

	memcpy(number, recipient, 12);
	bank = strtoul(number, &end, 10);
	return end == number + 9 && *end == '\0' &&
	       nacha_check_digit((uint32_t)(bank / 10)) == bank % 10;
}

/* What is wrong with an entry that the router found sound, or NULL. */
static const char *find_wrong(const struct payment_view *view)
{
	const struct hl_message *head = view->head;
	const unsigned int code = view->detail->entry.code;
	const enum nacha_direction direction = nacha_code_direction(code);
	size_t account_size;

	if (!is_bank(head->recipient))
		return "receiving bank's number is wrong";
	if (direction == NACHA_NO_CODE)
		return "unknown transaction code";
	if (head->amount != 0 &&
	    (nacha_code_is_prenote(code) ||
	     (head->amount < 0) != (direction == NACHA_DEBIT)))
		return "amount and transaction code do not go together";
	payment_text(view, PAYMENT_ACCOUNT, &account_size);
	return account_size > 0 ? NULL : "no account";
}

static void add(struct count *count, int64_t amount)
{
	count->entries++;
	if (amount < 0)
		count->debit_cents += (uint64_t)-amount;
	else
		count->credit_cents += (uint64_t)amount;
}

/* The handler of a bank's own route. */
static int handle_entry(const struct hl_batch *batch, const void *message,
			void *user)
{
	struct bank *bank = user;
	struct worker *worker = bank->worker;
	struct payment_view view;
	const int ret = payment_look(batch, message, worker->slot_bytes, &view);

	if (ret < 0)
		return ret;
	worker->wrong = find_wrong(&view);
	if (worker->wrong)
		return -EINVAL;
	add(&bank->count, view.head->amount);
	add(&worker->total, view.head->amount);
	if (hl_batch_redelivered(batch))
		worker->redelivered++;
	return 0;
}

static struct bank *find_bank(struct worker *worker, const char *number)
{
	struct bank *bank = worker->banks;

	while (bank && memcmp(bank->number, number, sizeof(bank->number)) != 0)
		bank = bank->next;
	if (bank)
		return bank;
	bank = calloc(1, sizeof(*bank));
	if (!bank)
		return NULL;
	memcpy(bank->number, number, sizeof(bank->number));
	bank->worker = worker;
	bank->next = worker->banks;
	worker->banks = bank;
	return bank;
}

/* The handler of entries whose bank has no route yet. */
static int handle_new_bank(const struct hl_batch *batch, const void *message,
			   void *user)
{
	const struct hl_message *head = message;
	struct bank *bank = find_bank(user, head->recipient);

	if (!bank)
		return -ENOMEM;
	return handle_entry(batch, message, bank);
}

/* Routes cannot be added by a handler: they are when the batch is done. */
static int add_routes(struct worker *worker)
{
	struct bank *bank;

	for (bank = worker->banks; bank && !bank->routed; bank = bank->next) {
		char number[sizeof(bank->number) + 1] = { 0 };
		int ret;

		memcpy(number, bank->number, sizeof(bank->number));
		ret = hl_router_add(worker->router, PAYMENT_ENTRY, number,
				    handle_entry, bank);
		if (ret < 0)
			return ret;
		bank->routed = true;
	}
	return 0;
}

/* Headers and control records are the ledger's. */
static int pass_over(const struct hl_batch *batch, const void *message,
		     void *user)
{
	(void)batch;
	(void)message;
	(void)user;
	return 0;
}

static const char *describe(const struct worker *worker, enum hl_reason reason,
			    int error)
{
	switch (reason) {
	case HL_REASON_MAGIC:
		return "no message of ours";
	case HL_REASON_CHECKSUM:
		return "wrong checksum";
	case HL_REASON_PAYLOAD:
		return "payload cannot be read";
	case HL_REASON_NO_ROUTE:
		return "unknown type";
	default:
		if (error == -EINVAL)
			return worker->wrong;
		return error == -EBADMSG ? "no entry of a file" :
					   strerror(-error);
	}
}

static int bury(const struct hl_batch *batch, const void *message,
		enum hl_reason reason, int error, void *user)
{
	struct worker *worker = user;
	struct payment_view view;
	uint64_t line = 0;

	if (worker->dead++ >= DEAD_REPORTED)
		return 0;
	if (reason != HL_REASON_PAYLOAD &&
	    payment_look(batch, message, worker->slot_bytes, &view) == 0)
		line = view.detail->line;
	fprintf(stderr,
		"ach_worker: position %" PRIu64 ", line %" PRIu64 ": %s\n",
		hl_batch_position(batch), line,
		describe(worker, reason, error));
	return 0;
}

static int make_router(struct worker *worker)
{
	static const enum payment_type others[] = {
		PAYMENT_FILE,
		PAYMENT_BATCH,
		PAYMENT_BATCH_CONTROL,
		PAYMENT_FILE_CONTROL,
	};
	int ret = hl_router_create(&worker->router);

	if (ret < 0)
		return ret;
	hl_router_set_dead_letter(worker->router, bury, worker);
	ret = hl_router_add(worker->router, PAYMENT_ENTRY, HL_ANY_RECIPIENT,
			    handle_new_bank, worker);
	for (size_t i = 0; ret == 0 && i < 4; i++)
		ret = hl_router_add(worker->router, others[i], HL_ANY_RECIPIENT,
				    pass_over, NULL);
	return ret;
}

static int work(struct worker *worker)
{
	struct hl_batch batch;
	ssize_t n;
	int ret = 0;

	while (ret == 0) {
		n = hl_consumer_take(worker->consumer, BATCH, HL_FOREVER,
				     &batch);
		if (n < 0)
			return n == -EPIPE ? 0 : (int)n;
		n = hl_router_run(worker->router, &batch);
		if (n < 0)
			return (int)n;
		ret = hl_consumer_done(worker->consumer);
		if (ret == 0)
			ret = add_routes(worker);
	}
	return ret;
}

static void print_counts(const struct worker *worker)
{
	const struct count *total = &worker->total;

	printf("total\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64
	       "\t%" PRIu64 "\n",
	       total->entries, total->debit_cents, total->credit_cents,
	       worker->dead, worker->redelivered);
	for (const struct bank *bank = worker->banks; bank; bank = bank->next)
		printf("bank\t%.12s\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\n",
		       bank->number, bank->count.entries,
		       bank->count.debit_cents, bank->count.credit_cents);
}

static void free_banks(struct worker *worker)
{
	while (worker->banks) {
		struct bank *bank = worker->banks;

		worker->banks = bank->next;
		free(bank);
	}
}

static int join(struct worker *worker, struct hl_ring *ring,
		struct hl_error *err)
{
	struct hl_group_attr group = HL_GROUP_ATTR_INIT;
	struct hl_consumer_attr attr = HL_CONSUMER_ATTR_INIT;
	struct hl_ring_info info;

	hl_ring_get_info(ring, &info);
	worker->slot_bytes = info.slot_bytes;
	group.name = PAYMENT_WORKERS;
	group.kind = HL_GROUP_SHARED;
	group.durable = true;
	attr.prefetch_payload = true;
	attr.schema = payment_join_schema(ring);
	return hl_consumer_join(ring, &group, &attr, &worker->consumer, err);
}

static int run(const char *name)
{
	struct worker worker = { 0 };
	struct hl_ring *ring;
	struct hl_error err;
	int ret;

	ret = hl_ring_open(name, 0, &ring, &err);
	if (ret < 0) {
		fprintf(stderr, "ach_worker: %s\n", err.text);
		return ret;
	}
	ret = join(&worker, ring, &err);
	if (ret < 0) {
		fprintf(stderr, "ach_worker: %s\n", err.text);
		goto err_close;
	}
	ret = make_router(&worker);
	if (ret == 0)
		ret = work(&worker);
	if (ret < 0)
		fprintf(stderr, "ach_worker: %s: %s\n", name, strerror(-ret));
	print_counts(&worker);
	hl_router_destroy(worker.router);
	free_banks(&worker);
	hl_consumer_leave(worker.consumer);
err_close:
	hl_ring_close(ring);
	return ret;
}

int main(int argc, char **argv)
{
	static const struct option known[] = {
		{ "ring", required_argument, NULL, 'r' },
		{ NULL, 0, NULL, 0 },
	};
	const char *name = NULL;
	int c;

	while ((c = getopt_long(argc, argv, "", known, NULL)) != -1)
		name = c == 'r' ? optarg : "";
	if (!name || !*name || optind != argc) {
		fprintf(stderr, "usage: ach_worker --ring NAME\n");
		return 2;
	}
	return run(name) < 0;
}
