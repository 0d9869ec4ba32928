/* SPDX-License-Identifier: MIT */
/*
 * book - the orders that rest in a market, and the best prices of each stock
 *
 * Guarantees: after any sequence of calls the levels of a stock are the sums of
 * its orders; a call that fails changes nothing. The best price is found at
 * once, an order by one look into a hash. Stocks are small numbers (an ITCH
 * "locate"), orders any.
 *
 * Not done: queues within a level, and matching.
 */
#ifndef BOOK_H
#define BOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum book_side {
	BOOK_BUY,
	BOOK_SELL
};

struct book_order {
	uint64_t id;
	uint64_t shares; /* 1 or more */
	uint32_t price;
	uint16_t stock;
	uint8_t side; /* enum book_side */
};

struct book_level {
	uint32_t price;
	uint32_t orders;
	uint64_t shares;
};

struct book;

/* Returns NULL without memory. */
struct book *book_create(void);
void book_destroy(struct book *book);

/*
 * book_add     - a new order
 * book_reduce  - take shares from an order (executed or cancelled); it goes
 *                when none is left
 * book_delete  - take an order away
 * book_replace - take an order away and put another one in its place: same
 *                stock, same side
 *
 * Return 0, or -ENOENT for an unknown order, -EEXIST for a known one where it
 * has to be new, -EINVAL for no shares and for more than the order has,
 * -ENOMEM.
 */
int book_add(struct book *book, const struct book_order *order);
int book_reduce(struct book *book, uint64_t id, uint64_t shares);
int book_delete(struct book *book, uint64_t id);
int book_replace(struct book *book, uint64_t id, uint64_t new_id,
		 uint64_t shares, uint32_t price);

/* The highest buy or the lowest sell of a stock; false if it has none. */
bool book_best(const struct book *book, uint16_t stock, enum book_side side,
	       struct book_level *best);

/* How many orders rest in the book. */
size_t book_orders(const struct book *book);

#endif
