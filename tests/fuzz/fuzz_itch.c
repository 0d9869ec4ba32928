/* SPDX-License-Identifier: MIT */
/*
 * fuzz_itch.c - read any bytes as an ITCH file, and keep a book of its orders
 */
#include "config.h"

#include "fuzz.h"

#include <errno.h>
#include <stdio.h>

#include "examples/market_data/book.h"
#include "examples/market_data/itch.h"

const char *const fuzz_target = "itch";

static void apply(struct book *book, const struct itch_message *m)
{
	const struct book_order order = {
		.id = m->order,
		.shares = m->shares,
		.price = m->price,
		.stock = m->locate,
		.side = m->side == 'B' ? BOOK_BUY : BOOK_SELL,
	};
	struct book_level best;

	switch (m->type) {
	case 'A':
	case 'F':
		(void)book_add(book, &order);
		break;
	case 'E':
	case 'C':
	case 'X':
		(void)book_reduce(book, m->order, m->shares);
		break;
	case 'D':
		(void)book_delete(book, m->order);
		break;
	case 'U':
		(void)book_replace(book, m->order, m->new_order, m->shares,
				   m->price);
		break;
	default:
		return;
	}
	if (book_best(book, m->locate, BOOK_BUY, &best))
		FUZZ_EXPECT(best.orders > 0);
}

static void read_stream(FILE *file, size_t size)
{
	struct book *const book = book_create();
	struct itch_message m;
	struct itch_reader reader;
	size_t messages = 0;
	int ret;

	FUZZ_EXPECT(book);
	itch_reader_init(&reader, file);
	while ((ret = itch_reader_next(&reader, &m)) == 1) {
		FUZZ_EXPECT(memchr(m.stock, '\0', sizeof(m.stock)));
		FUZZ_EXPECT(memchr(m.mpid, '\0', sizeof(m.mpid)));
		FUZZ_EXPECT(memchr(m.reason, '\0', sizeof(m.reason)));
		FUZZ_EXPECT(++messages <= size);
		apply(book, &m);
	}
	FUZZ_EXPECT(ret == 0 || ret == -EBADMSG || ret == -EIO);
	FUZZ_EXPECT(ret != -EBADMSG ||
		    memchr(reader.reason, '\0', sizeof(reader.reason)));
	FUZZ_EXPECT(book_orders(book) <= messages);
	book_destroy(book);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct itch_message m;
	FILE *file;

	if (size == 0)
		return 0;
	(void)itch_decode(data, size, &m);
	file = fmemopen((void *)(uintptr_t)data, size, "r");
	FUZZ_EXPECT(file);
	read_stream(file, size);
	fclose(file);
	return 0;
}
