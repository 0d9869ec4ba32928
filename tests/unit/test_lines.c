/* SPDX-License-Identifier: MIT */
/*
 * test_lines - how many lines a message touches, against figures by hand
 */
#include <check.h>
#include <stdint.h>
#include <string.h>

#include "tests/support/support.h"
#include "tools/lines.h"

static struct hlt_figure figure_of(struct hlt_range *ranges, size_t n,
				   uint64_t stride, uint64_t line)
{
	struct hlt_figure figure;

	hlt_ranges_sort(ranges, n);
	hlt_lines_figure(ranges, n, stride, line, &figure);
	return figure;
}

START_TEST(whole_line_is_one_line)
{
	struct hlt_range all[] = { { 0, 64 } };
	const struct hlt_figure f = figure_of(all, 1, 64, 64);

	ck_assert_uint_eq(f.positions, 1);
	ck_assert_uint_eq(f.lines, 1);
	ck_assert_uint_eq(f.split, 0);
}
END_TEST

/*
 * One byte of each message lies on one line, wherever the message is; eight
 * bytes lie on two in the 7 of 64 positions that leave 1 to 7 of them behind.
 */
START_TEST(packed_field_of_8_bytes_averages_71_lines_of_64_positions)
{
	struct hlt_range byte[] = { { 5, 1 } };
	struct hlt_range word[] = { { 52, 8 } };
	struct hlt_figure f = figure_of(byte, 1, 101, 64);

	ck_assert_uint_eq(f.positions, 64);
	ck_assert_uint_eq(f.lines, 64);
	f = figure_of(word, 1, 101, 64);
	ck_assert_uint_eq(f.positions, 64);
	ck_assert_uint_eq(f.lines, 71);
	ck_assert_uint_eq(f.split, 7);
	ck_assert_uint_eq(f.least, 1);
	ck_assert_uint_eq(f.most, 2);
}
END_TEST

/*
 * 101 bytes at an odd stride: with r bytes of the first line before it, a
 * message lies on ceil((r + 101) / 64) lines: two for r up to 27 (28 positions),
 * three for the 36 others. 28 * 2 + 36 * 3 = 164.
 */
START_TEST(message_of_101_bytes_averages_164_lines_of_64_positions)
{
	struct hlt_range all[] = { { 0, 101 } };
	const struct hlt_figure f = figure_of(all, 1, 101, 64);

	ck_assert_uint_eq(f.positions, 64);
	ck_assert_uint_eq(f.lines, 164);
	ck_assert_uint_eq(f.least, 2);
	ck_assert_uint_eq(f.most, 3);
}
END_TEST

/*
 * Stride 24: bases 0, 24, 48, 8, 32, 56, 16, 40. Bytes 0-3 and 20-23 are on
 * one line but for base 48 (68 is on the next) and 56: 8 + 2 = 10.
 */
START_TEST(stride_that_shares_a_factor_has_a_short_period)
{
	struct hlt_range two[] = { { 0, 4 }, { 20, 4 } };
	const struct hlt_figure f = figure_of(two, 2, 24, 64);

	ck_assert_uint_eq(f.positions, 8);
	ck_assert_uint_eq(f.lines, 10);
	ck_assert_uint_eq(f.split, 0);
}
END_TEST

/* Stride 96: bases 0 and 32. Byte 40 is on line 0, then on line 1; 90: 1, 1. */
START_TEST(stride_of_a_line_and_a_half_has_two_positions)
{
	struct hlt_range far[] = { { 0, 1 }, { 40, 1 }, { 90, 1 } };
	const struct hlt_figure f = figure_of(far, 3, 96, 64);

	ck_assert_uint_eq(f.positions, 2);
	ck_assert_uint_eq(f.lines, 2 + 2);
}
END_TEST

START_TEST(lines_between_the_fields_are_not_touched)
{
	struct hlt_range ends[] = { { 0, 8 }, { 1000, 8 } };
	const struct hlt_figure f = figure_of(ends, 2, 1024, 64);

	ck_assert_uint_eq(f.positions, 1);
	ck_assert_uint_eq(f.lines, 2);
}
END_TEST

START_TEST(fields_that_overlap_are_counted_once)
{
	struct hlt_range nested[] = { { 8, 4 }, { 0, 130 }, { 64, 8 } };
	const struct hlt_figure f = figure_of(nested, 3, 192, 64);

	ck_assert_uint_eq(f.lines, 3);
}
END_TEST

START_TEST(nothing_touches_no_line)
{
	struct hlt_range none[] = { { 64, 0 } };
	struct hlt_figure f = figure_of(none, 1, 101, 64);

	ck_assert_uint_eq(f.lines, 0);
	ck_assert_uint_eq(f.split, 0);
	f = figure_of(none, 0, 101, 64);
	ck_assert_uint_eq(f.lines, 0);
	ck_assert_uint_eq(f.positions, 64);
}
END_TEST

/* By the definition: message by message over many periods, line by line. */
START_TEST(average_is_that_of_a_long_array)
{
	uint64_t state = support_seed();

	for (int round = 0; round < 200; round++) {
		const uint64_t line = UINT64_C(8) << support_random(&state) % 6;
		const uint64_t stride = 1 + support_random(&state) % 300;
		struct hlt_range r[3];
		uint64_t lines = 0;

		for (int i = 0; i < 3; i++) {
			r[i].offset = support_random(&state) % 200;
			r[i].size = support_random(&state) % 40;
		}

		const struct hlt_figure f = figure_of(r, 3, stride, line);

		for (uint64_t k = 0; k < 3 * line; k++) {
			bool touched[1 + 300] = { false };

			for (int i = 0; i < 3; i++) {
				for (uint64_t b = 0; b < r[i].size; b++)
					touched[(k * stride % line +
						 r[i].offset + b) /
						line] = true;
			}
			for (size_t i = 0; i < sizeof(touched); i++)
				lines += touched[i];
		}
		ck_assert_uint_eq(lines * f.positions, f.lines * 3 * line);
	}
}
END_TEST

START_TEST(largest_struct_does_not_overflow)
{
	struct hlt_range huge[] = { { HLT_BYTES_MOST - 1, 1 },
				    { 0, HLT_BYTES_MOST } };
	const struct hlt_figure f = figure_of(huge, 2, HLT_BYTES_MOST, 64);

	ck_assert_uint_eq(f.positions, 1);
	ck_assert_uint_eq(f.lines, HLT_BYTES_MOST / 64);
}
END_TEST

START_TEST(line_is_a_power_of_two)
{
	ck_assert(hlt_line_ok(8) && hlt_line_ok(64) && hlt_line_ok(4096));
	ck_assert(!hlt_line_ok(0) && !hlt_line_ok(4) && !hlt_line_ok(96));
	ck_assert(!hlt_line_ok(8192));
}
END_TEST

START_TEST(decimal_never_hides_a_part)
{
	char text[HLT_DECIMAL_BYTES];

	ck_assert_str_eq(hlt_decimal(text, 128, 64), "2");
	ck_assert_str_eq(hlt_decimal(text, 71, 64), "1.109");
	ck_assert_str_eq(hlt_decimal(text, 3, 2), "1.500");
	ck_assert_str_eq(hlt_decimal(text, 4097, 4096), "1.000+");
	ck_assert_str_eq(hlt_decimal(text, 8191, 4096), "2.000-");
}
END_TEST

START_TEST(limit_is_compared_exactly)
{
	const struct hlt_figure one = { .positions = 64, .lines = 64 };
	const struct hlt_figure more = { .positions = 4096, .lines = 4097 };
	const struct hlt_figure half = { .positions = 2, .lines = 3 };

	ck_assert(!hlt_figure_above(&one, 1000));
	ck_assert(hlt_figure_above(&more, 1000));
	ck_assert(!hlt_figure_above(&half, 1500));
	ck_assert(hlt_figure_above(&half, 1499));
	ck_assert(hlt_figure_above(&one, 0));
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		whole_line_is_one_line,
		packed_field_of_8_bytes_averages_71_lines_of_64_positions,
		message_of_101_bytes_averages_164_lines_of_64_positions,
		stride_that_shares_a_factor_has_a_short_period,
		stride_of_a_line_and_a_half_has_two_positions,
		lines_between_the_fields_are_not_touched,
		fields_that_overlap_are_counted_once,
		nothing_touches_no_line,
		average_is_that_of_a_long_array,
		largest_struct_does_not_overflow,
		line_is_a_power_of_two,
		decimal_never_hides_a_part,
		limit_is_compared_exactly,
	};
	TCase *tcase = support_begin("lines");

	support_add(tcase, tests, COUNT_OF(tests));
	return support_end();
}
