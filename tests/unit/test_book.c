/* SPDX-License-Identifier: MIT */
/*
 * test_book - the order book, call by call and against a list of its orders
 */
#include <check.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "examples/market_data/book.h"

#define STOCK 3

static struct book *book;

static void set_up(void)
{
	book = book_create();
	ck_assert_ptr_nonnull(book);
}

static void tear_down(void)
{
	book_destroy(book);
}

static int add(uint64_t id, enum book_side side, uint64_t shares,
	       uint32_t price)
{
	const struct book_order order = {
		.id = id,
		.shares = shares,
		.price = price,
		.stock = STOCK,
		.side = (uint8_t)side,
	};

	return book_add(book, &order);
}

static void assert_best(enum book_side side, uint32_t price, uint64_t shares,
			uint32_t orders)
{
	struct book_level best;

	ck_assert(book_best(book, STOCK, side, &best));
	ck_assert_uint_eq(best.price, price);
	ck_assert_uint_eq(best.shares, shares);
	ck_assert_uint_eq(best.orders, orders);
}

static void assert_none(enum book_side side)
{
	struct book_level best;

	ck_assert(!book_best(book, STOCK, side, &best));
}

START_TEST(an_empty_book_has_no_best_price)
{
	assert_none(BOOK_BUY);
	assert_none(BOOK_SELL);
	ck_assert_uint_eq(book_orders(book), 0);
}
END_TEST

START_TEST(the_best_buy_is_the_highest_and_the_best_sell_the_lowest)
{
	static const uint32_t prices[] = { 30, 10, 50, 20, 40 };

	for (uint64_t i = 0; i < 5; i++) {
		ck_assert_int_eq(add(i + 1, BOOK_BUY, 5, prices[i]), 0);
		ck_assert_int_eq(add(i + 11, BOOK_SELL, 6, prices[i] + 100), 0);
	}
	assert_best(BOOK_BUY, 50, 5, 1);
	assert_best(BOOK_SELL, 110, 6, 1);
}
END_TEST

START_TEST(orders_of_one_price_make_one_level)
{
	ck_assert_int_eq(add(1, BOOK_BUY, 5, 10), 0);
	ck_assert_int_eq(add(2, BOOK_BUY, 7, 10), 0);
	assert_best(BOOK_BUY, 10, 12, 2);
}
END_TEST

START_TEST(stocks_do_not_mix)
{
	const struct book_order other = { 1, 5, 99, STOCK + 1, BOOK_BUY };
	struct book_level best;

	ck_assert_int_eq(book_add(book, &other), 0);
	assert_none(BOOK_BUY);
	ck_assert(book_best(book, STOCK + 1, BOOK_BUY, &best));
	ck_assert(!book_best(book, 65535, BOOK_BUY, &best));
}
END_TEST

START_TEST(an_order_goes_with_its_last_share)
{
	ck_assert_int_eq(add(1, BOOK_SELL, 5, 10), 0);
	ck_assert_int_eq(book_reduce(book, 1, 2), 0);
	assert_best(BOOK_SELL, 10, 3, 1);
	ck_assert_int_eq(book_reduce(book, 1, 3), 0);
	assert_none(BOOK_SELL);
	ck_assert_int_eq(book_reduce(book, 1, 1), -ENOENT);
}
END_TEST

START_TEST(taking_more_shares_than_there_are_changes_nothing)
{
	ck_assert_int_eq(add(1, BOOK_SELL, 5, 10), 0);
	ck_assert_int_eq(book_reduce(book, 1, 6), -EINVAL);
	assert_best(BOOK_SELL, 10, 5, 1);
}
END_TEST

START_TEST(deleting_the_best_level_shows_the_next)
{
	ck_assert_int_eq(add(1, BOOK_BUY, 5, 10), 0);
	ck_assert_int_eq(add(2, BOOK_BUY, 5, 20), 0);
	ck_assert_int_eq(book_delete(book, 2), 0);
	assert_best(BOOK_BUY, 10, 5, 1);
	ck_assert_int_eq(book_delete(book, 2), -ENOENT);
}
END_TEST

START_TEST(a_replaced_order_keeps_stock_and_side)
{
	ck_assert_int_eq(add(1, BOOK_SELL, 5, 10), 0);
	ck_assert_int_eq(book_replace(book, 1, 2, 8, 12), 0);
	assert_best(BOOK_SELL, 12, 8, 1);
	ck_assert_int_eq(book_delete(book, 1), -ENOENT);
	ck_assert_uint_eq(book_orders(book), 1);
}
END_TEST

START_TEST(a_replace_that_fails_changes_nothing)
{
	ck_assert_int_eq(add(1, BOOK_SELL, 5, 10), 0);
	ck_assert_int_eq(add(2, BOOK_SELL, 6, 11), 0);
	ck_assert_int_eq(book_replace(book, 9, 3, 8, 12), -ENOENT);
	ck_assert_int_eq(book_replace(book, 1, 2, 8, 12), -EEXIST);
	assert_best(BOOK_SELL, 10, 5, 1);
	ck_assert_uint_eq(book_orders(book), 2);
}
END_TEST

START_TEST(orders_that_cannot_be_are_refused)
{
	ck_assert_int_eq(add(1, BOOK_BUY, 0, 10), -EINVAL);
	ck_assert_int_eq(add(1, (enum book_side)2, 5, 10), -EINVAL);
	ck_assert_int_eq(add(1, BOOK_BUY, 5, 10), 0);
	ck_assert_int_eq(add(1, BOOK_BUY, 5, 11), -EEXIST);
	assert_best(BOOK_BUY, 10, 5, 1);
}
END_TEST

START_TEST(an_order_may_have_the_number_zero)
{
	ck_assert_int_eq(book_delete(book, 0), -ENOENT);
	ck_assert_int_eq(add(0, BOOK_BUY, 5, 10), 0);
	ck_assert_int_eq(add(0, BOOK_BUY, 5, 10), -EEXIST);
	ck_assert_int_eq(book_delete(book, 0), 0);
	assert_none(BOOK_BUY);
}
END_TEST

/* --- Against a list -------------------------------------------------------- */

#define IDS 6000
#define PRICES 16
#define STEPS 60000

static struct book_order list[IDS]; /* by id; no shares: not there */

static uint64_t next_random(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) +
		 UINT64_C(1442695040888963407);
	return *state >> 33;
}

/* Ids far apart, and such that many share their low bits. */
static uint64_t spread(size_t i)
{
	return (uint64_t)i << 20;
}

static void step(uint64_t *random)
{
	const size_t i = next_random(random) % IDS;
	const uint64_t shares = 1 + next_random(random) % 3;
	struct book_order *order = &list[i];

	if (order->shares == 0) {
		order->id = spread(i);
		order->shares = shares;
		order->price = (uint32_t)(next_random(random) % PRICES);
		order->side = next_random(random) % 2;
		order->stock = STOCK;
		ck_assert_int_eq(book_add(book, order), 0);
	} else if (shares <= order->shares) {
		order->shares -= shares;
		ck_assert_int_eq(book_reduce(book, order->id, shares), 0);
	} else {
		order->shares = 0;
		ck_assert_int_eq(book_delete(book, order->id), 0);
	}
}

static bool is_better(enum book_side side, uint32_t a, uint32_t b)
{
	return side == BOOK_BUY ? a > b : a < b;
}

static void assert_same_as_list(enum book_side side)
{
	struct book_level best = { 0 };
	struct book_level seen = { 0 };

	for (size_t i = 0; i < IDS; i++) {
		const struct book_order *order = &list[i];

		if (order->shares == 0 || order->side != side)
			continue;
		if (seen.orders == 0 ||
		    is_better(side, order->price, seen.price))
			seen = (struct book_level){ .price = order->price };
		if (order->price == seen.price) {
			seen.orders++;
			seen.shares += order->shares;
		}
	}
	ck_assert_int_eq(book_best(book, STOCK, side, &best), seen.orders > 0);
	ck_assert_uint_eq(best.price, seen.price);
	ck_assert_uint_eq(best.orders, seen.orders);
	ck_assert_uint_eq(best.shares, seen.shares);
}

START_TEST(after_any_calls_the_book_is_the_sum_of_its_orders)
{
	const char *given = getenv("HOTLINE_SEED");
	uint64_t random = given ? strtoull(given, NULL, 10) : 20;
	size_t orders = 0;

	printf("# seed %" PRIu64 " ($HOTLINE_SEED)\n", random);
	for (int i = 0; i < STEPS; i++) {
		step(&random);
		if (i % 100 == 0) {
			assert_same_as_list(BOOK_BUY);
			assert_same_as_list(BOOK_SELL);
		}
	}
	for (size_t i = 0; i < IDS; i++) {
		if (list[i].shares == 0)
			continue;
		orders++;
		ck_assert_int_eq(book_delete(book, list[i].id), 0);
	}
	ck_assert_uint_gt(orders, 1000);
	ck_assert_uint_eq(book_orders(book), 0);
	assert_none(BOOK_BUY);
	assert_none(BOOK_SELL);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("book");
	TCase *tc = tcase_create("book");
	SRunner *runner;
	int failed;

	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_test(tc, an_empty_book_has_no_best_price);
	tcase_add_test(
		tc, the_best_buy_is_the_highest_and_the_best_sell_the_lowest);
	tcase_add_test(tc, orders_of_one_price_make_one_level);
	tcase_add_test(tc, stocks_do_not_mix);
	tcase_add_test(tc, an_order_goes_with_its_last_share);
	tcase_add_test(tc, taking_more_shares_than_there_are_changes_nothing);
	tcase_add_test(tc, deleting_the_best_level_shows_the_next);
	tcase_add_test(tc, a_replaced_order_keeps_stock_and_side);
	tcase_add_test(tc, a_replace_that_fails_changes_nothing);
	tcase_add_test(tc, orders_that_cannot_be_are_refused);
	tcase_add_test(tc, an_order_may_have_the_number_zero);
	tcase_add_test(tc, after_any_calls_the_book_is_the_sum_of_its_orders);
	suite_add_tcase(suite, tc);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
