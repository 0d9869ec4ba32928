/* SPDX-License-Identifier: MIT */
/*
 * book - the orders that rest in a market, and the best prices of each stock
 *
 * Orders stand in a hash with open addressing, at most half full; a place
 * without shares is free. One that gets free is filled from behind, so that no
 * marks are left in the hash. The levels of a stock and side stand in an array
 * from worst to best: most changes are near the best price, so near its end.
 */
#include "book.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct levels {
	struct book_level *level; /* from the worst price to the best */
	size_t count;
	size_t room;
};

struct book {
	struct book_order *order;
	size_t orders;
	size_t mask;	       /* places in the hash - 1 */
	struct levels *levels; /* two for each stock: buys, sells */
	size_t stocks;
};

struct book *book_create(void)
{
	struct book *book = calloc(1, sizeof(*book));

	if (!book)
		return NULL;
	book->mask = 1023;
	book->order = calloc(book->mask + 1, sizeof(*book->order));
	if (!book->order) {
		free(book);
		return NULL;
	}
	return book;
}

void book_destroy(struct book *book)
{
	if (!book)
		return;
	for (size_t i = 0; i < book->stocks * 2; i++)
		free(book->levels[i].level);
	free(book->levels);
	free(book->order);
	free(book);
}

/* Where the search for an order begins. */
static size_t home(const struct book *book, uint64_t id)
{
	return (size_t)(id * UINT64_C(0x9e3779b97f4a7c15) >> 32) & book->mask;
}

/* The order's place, or the free place where it would be put. */
static struct book_order *find(const struct book *book, uint64_t id)
{
	size_t i = home(book, id);

	while (book->order[i].shares != 0 && book->order[i].id != id)
		i = (i + 1) & book->mask;
	return &book->order[i];
}

static int grow_orders(struct book *book)
{
	struct book bigger = *book;

	if (book->orders * 2 <= book->mask)
		return 0;
	bigger.mask = book->mask * 2 + 1;
	bigger.order = calloc(bigger.mask + 1, sizeof(*bigger.order));
	if (!bigger.order)
		return -ENOMEM;
	for (size_t i = 0; i <= book->mask; i++) {
		if (book->order[i].shares != 0)
			*find(&bigger, book->order[i].id) = book->order[i];
	}
	free(book->order);
	*book = bigger;
	return 0;
}

/* Frees a place, and moves up what was put behind it for want of it. */
static void remove_order(struct book *book, struct book_order *order)
{
	size_t hole = (size_t)(order - book->order);
	size_t i = hole;

	for (;;) {
		i = (i + 1) & book->mask;
		if (book->order[i].shares == 0)
			break;
		/* It may move if its home is not between the hole and it. */
		if (((i - home(book, book->order[i].id)) & book->mask) >=
		    ((i - hole) & book->mask)) {
			book->order[hole] = book->order[i];
			hole = i;
		}
	}
	book->order[hole].shares = 0;
	book->orders--;
}

static int grow_stocks(struct book *book, uint16_t stock)
{
	const size_t stocks = (size_t)stock + 1;
	struct levels *levels;

	if (stocks <= book->stocks)
		return 0;
	levels = realloc(book->levels, stocks * 2 * sizeof(*levels));
	if (!levels)
		return -ENOMEM;
	memset(levels + book->stocks * 2, 0,
	       (stocks - book->stocks) * 2 * sizeof(*levels));
	book->levels = levels;
	book->stocks = stocks;
	return 0;
}

static int grow_levels(struct levels *levels)
{
	const size_t room = levels->room ? levels->room * 2 : 16;
	struct book_level *level;

	if (levels->count < levels->room)
		return 0;
	level = realloc(levels->level, room * sizeof(*level));
	if (!level)
		return -ENOMEM;
	levels->level = level;
	levels->room = room;
	return 0;
}

/* The first level that is at this price or better. */
static size_t find_level(const struct levels *levels, uint8_t side,
			 uint32_t price)
{
	size_t from = 0;
	size_t to = levels->count;

	while (from < to) {
		const size_t middle = from + (to - from) / 2;
		const uint32_t here = levels->level[middle].price;

		if (side == BOOK_BUY ? here < price : here > price)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

/* There has to be room for one more level. */
static void add_to_level(struct levels *levels, const struct book_order *order)
{
	const size_t at = find_level(levels, order->side, order->price);
	struct book_level *level = &levels->level[at];

	if (at == levels->count || level->price != order->price) {
		memmove(level + 1, level,
			(levels->count - at) * sizeof(*level));
		memset(level, 0, sizeof(*level));
		level->price = order->price;
		levels->count++;
	}
	level->orders++;
	level->shares += order->shares;
}

static struct levels *levels_of(const struct book *book,
				const struct book_order *order)
{
	return &book->levels[order->stock * 2 + order->side];
}

/* Takes shares from an order, its level and, with the last ones, the book. */
static void take_shares(struct book *book, struct book_order *order,
			uint64_t shares)
{
	struct levels *levels = levels_of(book, order);
	const size_t at = find_level(levels, order->side, order->price);
	struct book_level *level = &levels->level[at];

	level->shares -= shares;
	order->shares -= shares;
	if (order->shares > 0)
		return;
	remove_order(book, order);
	if (--level->orders > 0)
		return;
	levels->count--;
	memmove(level, level + 1, (levels->count - at) * sizeof(*level));
}

int book_add(struct book *book, const struct book_order *order)
{
	struct levels *levels;
	int ret;

	if (order->shares == 0 || order->side > BOOK_SELL)
		return -EINVAL;
	if (find(book, order->id)->shares != 0)
		return -EEXIST;
	ret = grow_orders(book);
	if (ret == 0)
		ret = grow_stocks(book, order->stock);
	if (ret < 0)
		return ret;
	levels = levels_of(book, order);
	ret = grow_levels(levels);
	if (ret < 0)
		return ret;
	*find(book, order->id) = *order;
	book->orders++;
	add_to_level(levels, order);
	return 0;
}

int book_reduce(struct book *book, uint64_t id, uint64_t shares)
{
	struct book_order *order = find(book, id);

	if (order->shares == 0)
		return -ENOENT;
	if (shares > order->shares)
		return -EINVAL;
	take_shares(book, order, shares);
	return 0;
}

int book_delete(struct book *book, uint64_t id)
{
	struct book_order *order = find(book, id);

	if (order->shares == 0)
		return -ENOENT;
	take_shares(book, order, order->shares);
	return 0;
}

int book_replace(struct book *book, uint64_t id, uint64_t new_id,
		 uint64_t shares, uint32_t price)
{
	struct book_order order = *find(book, id);
	int ret;

	if (order.shares == 0)
		return -ENOENT;
	order.id = new_id;
	order.shares = shares;
	order.price = price;
	ret = book_add(book, &order);
	if (ret < 0)
		return ret;
	return book_delete(book, id);
}

bool book_best(const struct book *book, uint16_t stock, enum book_side side,
	       struct book_level *best)
{
	const struct levels *levels;

	if (stock >= book->stocks)
		return false;
	levels = &book->levels[(size_t)stock * 2 + side];
	if (levels->count == 0)
		return false;
	*best = levels->level[levels->count - 1];
	return true;
}

size_t book_orders(const struct book *book)
{
	return book->orders;
}
