/* SPDX-License-Identifier: MIT */
/*
 * quotes - count market data by type, and keep the best bid and offer
 *
 *     quotes --ring NAME [--glance]
 *
 * As the one consumer of the reliable group it sees every message, keeps the
 * order book, and prints the best prices of each stock. With --glance it is the
 * consumer of the lossy group: it holds nobody back, and what it missed is
 * counted exactly; there is no book then, since a book with holes is wrong.
 *
 * Ends when the ring is finished. Exit status: 0 done, 1 failed, 2 wrong usage.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "book.h"
#include "itch.h"
#include "tick.h"

#define BATCH 64
#define STOCKS 65536 /* a locate has 16 bits */

struct quotes {
	struct hl_consumer *consumer;
	struct book *book; /* NULL for a glance */
	char (*stock)[8];  /* names, by locate */
	uint64_t by_type[128];
	uint64_t messages;
	uint64_t lost;
	uint64_t unknown; /* changes of orders that are not in the book */
};

static const struct {
	char type;
	const char *name;
} type_names[] = {
	{ 'S', "system event" },       { 'R', "stock directory" },
	{ 'H', "trading action" },     { 'Y', "short sale restriction" },
	{ 'L', "market participant" }, { 'V', "breaker levels" },
	{ 'W', "breaker status" },     { 'K', "IPO quoting" },
	{ 'J', "price collar" },       { 'h', "operational halt" },
	{ 'A', "add order" },	       { 'F', "add order, named" },
	{ 'E', "order executed" },     { 'C', "executed at a price" },
	{ 'X', "order cancelled" },    { 'D', "order deleted" },
	{ 'U', "order replaced" },     { 'P', "trade" },
	{ 'Q', "cross trade" },	       { 'B', "broken trade" },
	{ 'I', "imbalance" },	       { 'N', "retail interest" },
	{ 'O', "direct listing" },
};

static int change_book(struct book *book, const struct tick *tick)
{
	const struct book_order order = {
		.id = tick->order,
		.shares = tick->shares,
		.price = tick->price,
		.stock = tick->locate,
		.side = tick->side == 'B' ? BOOK_BUY : BOOK_SELL,
	};

	switch (tick->type) {
	case 'A':
	case 'F':
		return book_add(book, &order);
	case 'E':
	case 'C':
	case 'X':
		return book_reduce(book, tick->order, tick->shares);
	case 'D':
		return book_delete(book, tick->order);
	case 'U':
		return book_replace(book, tick->order, tick->new_order,
				    tick->shares, tick->price);
	default:
		return 0; /* trades and notices leave the book as it is */
	}
}

static int handle(struct quotes *quotes, const struct tick *tick)
{
	int ret = 0;

	quotes->messages++;
	quotes->by_type[(unsigned char)tick->type % 128]++;
	if (!quotes->book)
		return 0;
	if (tick->stock[0])
		memcpy(quotes->stock[tick->locate], tick->stock,
		       sizeof(tick->stock));
	ret = change_book(quotes->book, tick);
	if (ret < 0 && ret != -ENOMEM) {
		quotes->unknown++;
		ret = 0;
	}
	return ret;
}

static int read_ring(struct quotes *quotes)
{
	const struct tick *tick;
	struct hl_batch batch;
	ssize_t n;
	int ret = 0;

	while (ret == 0) {
		n = hl_consumer_take(quotes->consumer, BATCH, HL_FOREVER,
				     &batch);
		if (n < 0)
			return n == -EPIPE ? 0 : (int)n;
		quotes->lost += batch.lost;
		while (ret == 0 && (tick = hl_batch_next(&batch)))
			ret = handle(quotes, tick);
		if (ret == 0)
			ret = hl_consumer_done(quotes->consumer);
	}
	return ret;
}

static void print_types(const struct quotes *quotes)
{
	const size_t n = sizeof(type_names) / sizeof(type_names[0]);

	for (size_t i = 0; i < n; i++) {
		const char type = type_names[i].type;
		const uint64_t count = quotes->by_type[(unsigned char)type];

		if (count > 0)
			printf("%c  %-24s %10" PRIu64 "\n", type,
			       type_names[i].name, count);
	}
	printf("%-27s %10" PRIu64 "\n", "messages", quotes->messages);
}

/* What is not a plain letter of a name does not get to the terminal. */
static void print_stock(const char *stock)
{
	for (int i = 0; i < 8; i++) {
		const char c = stock[i] ? stock[i] : ' ';

		putchar(c >= ' ' && c < 0x7f ? c : '?');
	}
}

static void print_side(const struct book *book, uint16_t locate,
		       enum book_side side)
{
	struct book_level best;

	if (book_best(book, locate, side, &best))
		printf(" %10" PRIu32 ".%04" PRIu32 " %8" PRIu64,
		       best.price / ITCH_PRICE_UNIT,
		       best.price % ITCH_PRICE_UNIT, best.shares);
	else
		printf(" %15s %8s", "-", "-");
}

static void print_book(const struct quotes *quotes)
{
	printf("%-8s %15s %8s %15s %8s\n", "stock", "best bid", "shares",
	       "best offer", "shares");
	for (uint32_t locate = 0; locate < STOCKS; locate++) {
		if (!quotes->stock[locate][0])
			continue;
		print_stock(quotes->stock[locate]);
		print_side(quotes->book, (uint16_t)locate, BOOK_BUY);
		print_side(quotes->book, (uint16_t)locate, BOOK_SELL);
		putchar('\n');
	}
	printf("orders that rest: %zu; changes of orders that are not in the "
	       "input: %" PRIu64 "\n",
	       book_orders(quotes->book), quotes->unknown);
}

static int join(struct quotes *quotes, struct hl_ring *ring, bool glance,
		struct hl_error *err)
{
	struct hl_group_attr group = HL_GROUP_ATTR_INIT;

	group.name = glance ? TICK_GLANCE : TICK_BOOK;
	group.kind = glance ? HL_GROUP_LOSSY : HL_GROUP_EXCLUSIVE;
	group.durable = true;
	return hl_consumer_join(ring, &group, NULL, &quotes->consumer, err);
}

static int count(struct quotes *quotes, struct hl_ring *ring, bool glance)
{
	struct hl_error err;
	int ret = join(quotes, ring, glance, &err);

	if (ret < 0) {
		fprintf(stderr, "quotes: %s\n", err.text);
		return ret;
	}
	ret = read_ring(quotes);
	if (ret < 0) {
		fprintf(stderr, "quotes: %s: %s\n", hl_ring_name(ring),
			strerror(-ret));
	} else if (glance) {
		printf("glance: seen %" PRIu64 ", missed %" PRIu64
		       ", in all %" PRIu64 "\n",
		       quotes->messages, quotes->lost,
		       quotes->messages + quotes->lost);
	} else {
		print_types(quotes);
		print_book(quotes);
	}
	hl_consumer_leave(quotes->consumer);
	return ret;
}

static int run(const char *name, bool glance)
{
	struct quotes quotes = { 0 };
	struct hl_ring *ring;
	struct hl_error err;
	int ret;

	ret = hl_ring_open(name, 0, &ring, &err);
	if (ret < 0) {
		fprintf(stderr, "quotes: %s\n", err.text);
		return ret;
	}
	if (!glance) {
		quotes.book = book_create();
		quotes.stock = calloc(STOCKS, sizeof(*quotes.stock));
	}
	if (glance || (quotes.book && quotes.stock)) {
		ret = count(&quotes, ring, glance);
	} else {
		fprintf(stderr, "quotes: no memory\n");
		ret = -ENOMEM;
	}
	book_destroy(quotes.book);
	free(quotes.stock);
	hl_ring_close(ring);
	return ret;
}

int main(int argc, char **argv)
{
	static const struct option known[] = {
		{ "ring", required_argument, NULL, 'r' },
		{ "glance", no_argument, NULL, 'g' },
		{ NULL, 0, NULL, 0 },
	};
	const char *name = NULL;
	bool glance = false;
	int c;

	while ((c = getopt_long(argc, argv, "", known, NULL)) != -1) {
		if (c == 'r')
			name = optarg;
		else if (c == 'g')
			glance = true;
		else
			name = "";
	}
	if (!name || !*name || optind != argc) {
		fprintf(stderr, "usage: quotes --ring NAME [--glance]\n");
		return 2;
	}
	return run(name, glance) < 0;
}
