/* SPDX-License-Identifier: MIT */
/*
 * test_itch - the reader of ITCH messages
 *
 * Messages are written here byte by byte. The sample file beside the project,
 * if there is one ($HOTLINE_TEST_DATA), is read in whole.
 */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "examples/market_data/itch.h"

/* Type, locate 7, tracking 2, 10 ns after 2^40 ns. */
#define HEAD(type) type, 0, 7, 0, 2, 1, 0, 0, 0, 0, 10

static const unsigned char add[36] = {
	HEAD('A'), 0,	0,   0,	  0,   0,   0,	 1,   5,   'B', 0, 0,	3,
	232,	   'T', 'E', 'S', 'T', ' ', ' ', ' ', ' ', 0,	1, 134, 160,
};
static const unsigned char add_mpid[40] = {
	HEAD('F'), 0,	0, 0, 0,   0,	0,   1,	  6,   'S',
	0,	   0,	0, 9, 'T', 'E', 'S', 'T', 'E', 'D',
	' ',	   ' ', 0, 1, 134, 161, 'N', 'A', 'M', ' ',
};
static const unsigned char execute[31] = {
	HEAD('E'), 0,	0, 0, 0, 0, 0, 1, 5, 0,	 0,
	0,	   100, 0, 0, 0, 0, 0, 0, 0, 77,
};
static const unsigned char execute_price[36] = {
	HEAD('C'), 0, 0, 0, 0, 0, 0, 1,	 5,   0, 0, 0, 0,
	0,	   0, 0, 0, 0, 0, 0, 78, 'N', 0, 1, 0, 0,
};
static const unsigned char cancel[23] = {
	HEAD('X'), 0, 0, 0, 0, 0, 0, 1, 5, 0, 0, 0, 1,
};
static const unsigned char delete[19] = {
	HEAD('D'), 0, 0, 0, 0, 0, 0, 1, 5,
};
static const unsigned char replace[35] = {
	HEAD('U'), 0, 0, 0, 0, 0, 0, 1,	 5, 0, 0, 0, 0,
	0,	   0, 1, 9, 0, 0, 0, 50, 0, 1, 0, 1,
};
static const unsigned char trade[44] = {
	HEAD('P'), 0, 0,   0,	0,   0,	  0,   0,   0,	 'B', 0, 0,
	0,	   4, 'T', 'E', 'S', 'T', ' ', ' ', ' ', ' ', 0, 1,
	0,	   2, 0,   0,	0,   0,	  0,   0,   0,	 79,
};
static const unsigned char halt[25] = {
	HEAD('H'), 'T', 'E', 'S', 'T', ' ', ' ', ' ',
	' ',	   'H', ' ', 'L', 'U', 'D', 'P',
};
static const unsigned char cross[40] = {
	HEAD('Q'), 0,	0, 0, 1, 0, 0, 0, 0, 'T', 'E', 'S', 'T', ' ', ' ',
	' ',	   ' ', 0, 1, 0, 3, 0, 0, 0, 0,	  0,   0,   0,	 80,  'O',
};

static struct itch_message message;

/* Each message behind two bytes of length: its own, or zero. */
static FILE *file_of(const unsigned char *bytes, size_t size, size_t length)
{
	FILE *file = tmpfile();

	ck_assert_ptr_nonnull(file);
	fputc((int)(length >> 8), file);
	fputc((int)(length & 0xff), file);
	fwrite(bytes, 1, size, file);
	return file;
}

static int read_one(struct itch_reader *reader, FILE *file)
{
	rewind(file);
	itch_reader_init(reader, file);
	return itch_reader_next(reader, &message);
}

START_TEST(all_messages_begin_with_locate_tracking_and_time)
{
	ck_assert_uint_eq(itch_decode(delete, sizeof(delete), &message),
			  sizeof(delete));
	ck_assert_int_eq(message.type, 'D');
	ck_assert_uint_eq(message.locate, 7);
	ck_assert_uint_eq(message.tracking, 2);
	ck_assert_uint_eq(message.timestamp_ns, (UINT64_C(1) << 40) + 10);
	ck_assert_uint_eq(message.order, 261);
}
END_TEST

START_TEST(an_add_has_order_side_shares_stock_and_price)
{
	itch_decode(add, sizeof(add), &message);
	ck_assert_uint_eq(message.order, 261);
	ck_assert_int_eq(message.side, 'B');
	ck_assert_uint_eq(message.shares, 1000);
	ck_assert_str_eq(message.stock, "TEST");
	ck_assert_uint_eq(message.price, 10 * ITCH_PRICE_UNIT);
	ck_assert_str_eq(message.mpid, "");
}
END_TEST

START_TEST(an_add_with_mpid_names_the_participant)
{
	itch_decode(add_mpid, sizeof(add_mpid), &message);
	ck_assert_int_eq(message.side, 'S');
	ck_assert_str_eq(message.stock, "TESTED");
	ck_assert_uint_eq(message.price, 10 * ITCH_PRICE_UNIT + 1);
	ck_assert_str_eq(message.mpid, "NAM");
}
END_TEST

START_TEST(executions_have_shares_and_match)
{
	itch_decode(execute, sizeof(execute), &message);
	ck_assert_uint_eq(message.order, 261);
	ck_assert_uint_eq(message.shares, 100);
	ck_assert_uint_eq(message.match, 77);
	itch_decode(execute_price, sizeof(execute_price), &message);
	ck_assert_uint_eq(message.match, 78);
	ck_assert_int_eq(message.code, 'N');
	ck_assert_uint_eq(message.price, 65536);
}
END_TEST

START_TEST(a_cancel_has_the_shares_to_take_away)
{
	itch_decode(cancel, sizeof(cancel), &message);
	ck_assert_uint_eq(message.order, 261);
	ck_assert_uint_eq(message.shares, 1);
}
END_TEST

START_TEST(a_replace_has_both_orders)
{
	itch_decode(replace, sizeof(replace), &message);
	ck_assert_uint_eq(message.order, 261);
	ck_assert_uint_eq(message.new_order, 265);
	ck_assert_uint_eq(message.shares, 50);
	ck_assert_uint_eq(message.price, 65537);
}
END_TEST

START_TEST(trades_have_price_and_match)
{
	itch_decode(trade, sizeof(trade), &message);
	ck_assert_uint_eq(message.shares, 4);
	ck_assert_uint_eq(message.price, 65538);
	ck_assert_uint_eq(message.match, 79);
	itch_decode(cross, sizeof(cross), &message);
	ck_assert_uint_eq(message.shares, UINT64_C(1) << 32);
	ck_assert_str_eq(message.stock, "TEST");
	ck_assert_uint_eq(message.price, 65539);
	ck_assert_uint_eq(message.match, 80);
	ck_assert_int_eq(message.code, 'O');
}
END_TEST

START_TEST(a_halt_has_state_and_reason)
{
	itch_decode(halt, sizeof(halt), &message);
	ck_assert_str_eq(message.stock, "TEST");
	ck_assert_int_eq(message.code, 'H');
	ck_assert_str_eq(message.reason, "LUDP");
}
END_TEST

START_TEST(each_type_of_the_format_has_its_length)
{
	static const struct {
		char type;
		size_t size;
	} types[] = {
		{ 'S', 12 }, { 'R', 39 }, { 'H', 25 }, { 'Y', 20 }, { 'L', 26 },
		{ 'V', 35 }, { 'W', 12 }, { 'K', 28 }, { 'J', 35 }, { 'h', 21 },
		{ 'A', 36 }, { 'F', 40 }, { 'E', 31 }, { 'C', 36 }, { 'X', 23 },
		{ 'D', 19 }, { 'U', 35 }, { 'P', 44 }, { 'Q', 40 }, { 'B', 19 },
		{ 'I', 50 }, { 'N', 20 }, { 'O', 48 },
	};
	const size_t n = sizeof(types) / sizeof(types[0]);
	size_t known = 0;

	for (size_t i = 0; i < n; i++)
		ck_assert_uint_eq(itch_size(types[i].type), types[i].size);
	for (int c = 0; c < 256; c++)
		known += itch_size((char)c) > 0;
	ck_assert_uint_eq(known, n);
}
END_TEST

START_TEST(every_type_decodes_within_its_length)
{
	for (int c = 0; c < 128; c++) {
		const size_t size = itch_size((char)c);
		unsigned char *bytes = calloc(1, size + 1);

		ck_assert_ptr_nonnull(bytes);
		if (size > 0) {
			/* An allocation of its own: a sanitizer sees more. */
			bytes = realloc(bytes, size);
			ck_assert_ptr_nonnull(bytes);
			bytes[0] = (unsigned char)c;
			ck_assert_uint_eq(itch_decode(bytes, size, &message),
					  size);
		}
		free(bytes);
	}
}
END_TEST

START_TEST(decoding_a_part_of_a_message_says_how_long_it_is)
{
	ck_assert_uint_eq(itch_decode(add, 35, &message), 36);
	ck_assert_uint_gt(itch_decode(add, 0, &message), 0);
	ck_assert_uint_eq(itch_decode((const unsigned char *)"z", 1, &message),
			  0);
}
END_TEST

START_TEST(the_length_in_front_may_be_zero_or_right)
{
	struct itch_reader reader;
	FILE *file = file_of(add, sizeof(add), 0);

	ck_assert_int_eq(read_one(&reader, file), 1);
	ck_assert_int_eq(itch_reader_next(&reader, &message), 0);
	fclose(file);
	file = file_of(add, sizeof(add), sizeof(add));
	ck_assert_int_eq(read_one(&reader, file), 1);
	ck_assert_int_eq(itch_reader_next(&reader, &message), 0);
	fclose(file);
}
END_TEST

START_TEST(a_wrong_length_in_front_is_an_error)
{
	struct itch_reader reader;
	FILE *file = file_of(add, sizeof(add), 37);

	ck_assert_int_eq(read_one(&reader, file), -EBADMSG);
	ck_assert_str_eq(reader.reason, "message 1 at byte 0: length is not "
					"its type's");
	fclose(file);
}
END_TEST

START_TEST(an_unknown_type_is_an_error_with_its_offset)
{
	struct itch_reader reader;
	FILE *file = file_of(add, sizeof(add), 0);

	fwrite("\0\0zzzzzzzz", 1, 10, file);
	ck_assert_int_eq(read_one(&reader, file), 1);
	ck_assert_int_eq(itch_reader_next(&reader, &message), -EBADMSG);
	ck_assert_str_eq(reader.reason, "message 2 at byte 38: unknown type");
	ck_assert_int_eq(itch_reader_next(&reader, &message), -EBADMSG);
	fclose(file);
}
END_TEST

START_TEST(a_message_that_breaks_off_anywhere_is_an_error)
{
	for (size_t cut = 1; cut < 38; cut++) {
		struct itch_reader reader;
		FILE *file = file_of(add, sizeof(add), 36);

		fflush(file);
		ck_assert_int_eq(ftruncate(fileno(file), (off_t)cut), 0);
		ck_assert_int_eq(read_one(&reader, file), -EBADMSG);
		ck_assert_str_eq(reader.reason,
				 "message 1 at byte 0: breaks off");
		fclose(file);
	}
}
END_TEST

START_TEST(a_length_of_zero_at_the_end_is_the_end)
{
	struct itch_reader reader;
	FILE *file = file_of(add, sizeof(add), 36);

	fwrite("\0\0", 1, 2, file);
	ck_assert_int_eq(read_one(&reader, file), 1);
	ck_assert_int_eq(itch_reader_next(&reader, &message), 0);
	fclose(file);
}
END_TEST

START_TEST(messages_can_be_read_from_memory)
{
	struct itch_reader reader;
	char bytes[2 + sizeof(halt)] = { 0 };
	FILE *file;

	memcpy(bytes + 2, halt, sizeof(halt));
	file = fmemopen(bytes, sizeof(bytes), "r");
	ck_assert_ptr_nonnull(file);
	ck_assert_int_eq(read_one(&reader, file), 1);
	ck_assert_str_eq(message.stock, "TEST");
	fclose(file);
}
END_TEST

/* --- Sample file ----------------------------------------------------------- */

static const char *sample_path(void)
{
	static const char name[] = "itch/ex20101224.TEST_ITCH_50";
	static char path[4200];
	const char *from = getenv("HOTLINE_TEST_DATA");
	const char *srcdir = getenv("top_srcdir");

	if (from)
		snprintf(path, sizeof(path), "%s/%s", from, name);
	else
		snprintf(path, sizeof(path), "%s/../shared/data/%s",
			 srcdir ? srcdir : ".", name);
	return path;
}

START_TEST(the_sample_file_has_12012_messages)
{
	static const struct {
		char type;
		unsigned int count;
	} types[] = {
		{ 'S', 6 },  { 'R', 3 },    { 'H', 3 },	 { 'A', 4997 },
		{ 'F', 3 },  { 'E', 198 },  { 'X', 45 }, { 'D', 1745 },
		{ 'U', 12 }, { 'P', 5000 },
	};
	struct itch_reader reader;
	unsigned int count[128] = { 0 };
	FILE *file = fopen(sample_path(), "r");
	int ret;

	ck_assert_ptr_nonnull(file);
	itch_reader_init(&reader, file);
	while ((ret = itch_reader_next(&reader, &message)) == 1)
		count[(unsigned char)message.type]++;
	fclose(file);
	ck_assert_int_eq(ret, 0);
	ck_assert_uint_eq(reader.count, 12012);
	ck_assert_uint_eq(reader.offset, 465048);
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		ck_assert_uint_eq(count[(unsigned char)types[i].type],
				  types[i].count);
}
END_TEST

static TCase *decoding(void)
{
	TCase *tc = tcase_create("decoding");

	tcase_add_test(tc, all_messages_begin_with_locate_tracking_and_time);
	tcase_add_test(tc, an_add_has_order_side_shares_stock_and_price);
	tcase_add_test(tc, an_add_with_mpid_names_the_participant);
	tcase_add_test(tc, executions_have_shares_and_match);
	tcase_add_test(tc, a_cancel_has_the_shares_to_take_away);
	tcase_add_test(tc, a_replace_has_both_orders);
	tcase_add_test(tc, trades_have_price_and_match);
	tcase_add_test(tc, a_halt_has_state_and_reason);
	tcase_add_test(tc, each_type_of_the_format_has_its_length);
	tcase_add_test(tc, every_type_decodes_within_its_length);
	tcase_add_test(tc, decoding_a_part_of_a_message_says_how_long_it_is);
	return tc;
}

static TCase *reading(void)
{
	TCase *tc = tcase_create("reading");

	tcase_add_test(tc, the_length_in_front_may_be_zero_or_right);
	tcase_add_test(tc, a_wrong_length_in_front_is_an_error);
	tcase_add_test(tc, an_unknown_type_is_an_error_with_its_offset);
	tcase_add_test(tc, a_message_that_breaks_off_anywhere_is_an_error);
	tcase_add_test(tc, a_length_of_zero_at_the_end_is_the_end);
	tcase_add_test(tc, messages_can_be_read_from_memory);
	if (access(sample_path(), R_OK) == 0)
		tcase_add_test(tc, the_sample_file_has_12012_messages);
	else
		printf("# no sample file %s: that test is left out\n",
		       sample_path());
	return tc;
}

int main(void)
{
	Suite *suite = suite_create("itch");
	SRunner *runner;
	int failed;

	suite_add_tcase(suite, decoding());
	suite_add_tcase(suite, reading());
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
