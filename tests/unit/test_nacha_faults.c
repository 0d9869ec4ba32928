/* SPDX-License-Identifier: MIT */
/*
 * test_nacha_faults - each kind of malformed line is named, and stops nothing
 *
 * Each test changes one thing in a small good file and looks at which faults
 * come of it.
 */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/nacha_file.h"

START_TEST(a_header_that_is_too_long_does_not_shift_the_file)
{
	char *header = nacha_file_line[HEADER];
	const size_t used = strlen(header);

	memset(header + used, ' ', 95 - used);
	header[95] = '\0';
	nacha_file_read("\n");
	nacha_file_assert_fault(1, "more than 94 characters");
	ck_assert_int_eq(nacha_file_count(NACHA_ENTRY), 2);
}
END_TEST

START_TEST(an_entry_that_is_too_short_is_a_fault)
{
	nacha_file_line[NOTE2][70] = '\0';
	nacha_file_read("\n");
	nacha_file_assert_fault(5, "short: 70 characters, type 7 needs 94");
}
END_TEST

START_TEST(an_unknown_record_type_is_a_fault_and_the_rest_is_read)
{
	nacha_file_put(NOTE2, 1, "x");
	nacha_file_read("\n");
	nacha_file_assert_fault(5, "record type 'x' is not 1 or 5 to 9");
	ck_assert_int_eq(nacha_file_count(NACHA_ENTRY), 2);
	ck_assert_int_eq(nacha_file_count(NACHA_FILE_CONTROL), 1);
}
END_TEST

START_TEST(control_characters_are_a_fault_and_are_not_repeated)
{
	nacha_file_put(NOTE2, 1, "\033");
	nacha_file_put(PRENOTE, 55, "\xc2\x9b");
	nacha_file_read("\n");
	ck_assert_int_eq(nacha_file_count(NACHA_FAULT), 2);
	ck_assert_str_eq(nacha_file_first(NACHA_FAULT)->reason,
			 "control character in column 1");
}
END_TEST

START_TEST(a_nul_byte_is_a_fault)
{
	char text[NACHA_FILE_LINES * 512];
	const size_t used = nacha_file_join(text, sizeof(text), "\n");

	*strstr(text, "second") = '\0';
	nacha_file_read_text(text, used);
	nacha_file_assert_fault(5, "control character in column 4");
}
END_TEST

START_TEST(a_wrong_check_digit_is_a_fault)
{
	nacha_file_put(PRENOTE, 12, "5");
	nacha_file_read("\n");
	nacha_file_assert_fault(
		6, "receiving bank 231380105 has a wrong check digit, "
		   "it should be 4");
}
END_TEST

START_TEST(an_amount_that_is_not_digits_is_a_fault)
{
	nacha_file_put(PRENOTE, 30, "      1.50");
	nacha_file_read("\n");
	nacha_file_assert_fault(6, "amount (columns 30-39) is not digits");
}
END_TEST

START_TEST(an_unknown_transaction_code_is_a_fault)
{
	nacha_file_put(PRENOTE, 2, "25");
	nacha_file_read("\n");
	nacha_file_assert_fault(6, "transaction code 25 is unknown");
}
END_TEST

START_TEST(a_prenote_with_an_amount_is_a_fault)
{
	nacha_file_put(PRENOTE, 39, "1");
	nacha_file_read("\n");
	nacha_file_assert_fault(6, "a prenote (code 33) of 1 cents");
}
END_TEST

START_TEST(a_debit_among_credits_is_a_fault)
{
	nacha_file_put(PRENOTE, 2, "27");
	nacha_file_read("\n");
	nacha_file_assert_fault(6,
				"transaction code 27 in a batch of class 220, "
				"credits only");
}
END_TEST

START_TEST(a_date_that_does_not_exist_is_a_fault)
{
	nacha_file_put(HEADER, 24, "260230");
	nacha_file_read("\n");
	nacha_file_assert_fault(
		1, "creation date 260230 is no date (columns 24-29, "
		   "YYMMDD)");
	ck_assert_int_eq(nacha_file_count(NACHA_ENTRY), 2);
}
END_TEST

START_TEST(an_adv_batch_is_a_fault)
{
	nacha_file_put(BATCH, 2, "280");
	nacha_file_read("\n");
	ck_assert_str_eq(nacha_file_first(NACHA_FAULT)->reason,
			 "an ADV batch (280), which is not read");
}
END_TEST

START_TEST(addenda_of_a_malformed_entry_are_faults_that_name_it)
{
	nacha_file_put(ENTRY, 29, "1x");
	nacha_file_read("\n");
	ck_assert_int_eq(nacha_file_count(NACHA_FAULT), 3);
	ck_assert_str_eq(nacha_file_record[3].reason,
			 "addenda of the malformed entry in line 3");
}
END_TEST

START_TEST(addenda_of_another_entry_are_a_fault)
{
	nacha_file_put(NOTE2, 94, "2");
	nacha_file_read("\n");
	nacha_file_assert_fault(
		5, "addenda of entry 0000002, but behind entry 0000001");
}
END_TEST

START_TEST(addenda_that_are_announced_and_missing_are_a_fault_of_the_entry)
{
	nacha_file_put(PRENOTE, 79, "1");
	nacha_file_read("\n");
	nacha_file_assert_fault(6, "entry announces 1 addenda, 0 follow");
	ck_assert_int_eq(nacha_file_count(NACHA_ENTRY), 2);
}
END_TEST

START_TEST(addenda_that_are_not_announced_are_a_fault)
{
	nacha_file_put(ENTRY, 79, "0");
	nacha_file_read("\n");
	ck_assert_int_eq(nacha_file_count(NACHA_FAULT), 2);
	ck_assert_str_eq(nacha_file_first(NACHA_FAULT)->reason,
			 "one more than the 0 addenda that the entry in line 3 "
			 "announces");
}
END_TEST

START_TEST(a_ctx_entry_announces_how_many_addenda_follow)
{
	nacha_file_put(BATCH, 51, "CTX");
	nacha_file_put(ENTRY, 55, "0003");
	nacha_file_put(PRENOTE, 55, "0000Bo Brook     ");
	nacha_file_read("\n");
	nacha_file_assert_fault(3, "entry announces 3 addenda, 2 follow");
	ck_assert_str_eq(nacha_file_first(NACHA_ENTRY)->entry.name, "Ahlgren");
}
END_TEST

START_TEST(a_missing_batch_control_is_a_fault)
{
	nacha_file_line[CONTROL][0] = '\0';
	nacha_file_read("\n");
	nacha_file_assert_fault(
		8, "no control record (type 8) of batch 0000001 before "
		   "this");
	ck_assert_int_eq(nacha_file_count(NACHA_FILE_CONTROL), 1);
}
END_TEST

START_TEST(a_missing_file_control_is_a_fault)
{
	nacha_file_line[END][0] = '\0';
	nacha_file_read("\n");
	nacha_file_assert_fault(
		9, "no control record (type 9) of the file before this");
}
END_TEST

START_TEST(a_missing_file_header_is_one_fault)
{
	nacha_file_line[HEADER][0] = '\0';
	nacha_file_read("\n");
	nacha_file_assert_fault(2, "no file header (type 1) before this");
	ck_assert_int_eq(nacha_file_count(NACHA_ENTRY), 2);
}
END_TEST

START_TEST(an_entry_outside_of_a_batch_is_a_fault)
{
	nacha_file_put(BATCH, 1, "4");
	nacha_file_read("\n");
	ck_assert_int_eq(nacha_file_count(NACHA_ENTRY), 0);
	ck_assert_int_eq(nacha_file_count(NACHA_FILE_CONTROL), 1);
	ck_assert_str_eq(nacha_file_record[2].reason,
			 "entry outside of a batch");
}
END_TEST

START_TEST(the_control_of_another_batch_is_a_fault)
{
	nacha_file_put(CONTROL, 94, "7");
	nacha_file_read("\n");
	nacha_file_assert_fault(7, "control of batch 0000007 in batch 0000001");
}
END_TEST

static TCase *bad_lines(void)
{
	TCase *tc = tcase_create("bad lines");

	tcase_add_checked_fixture(tc, nacha_file_set_up, NULL);
	tcase_add_test(tc, a_header_that_is_too_long_does_not_shift_the_file);
	tcase_add_test(tc, an_entry_that_is_too_short_is_a_fault);
	tcase_add_test(tc,
		       an_unknown_record_type_is_a_fault_and_the_rest_is_read);
	tcase_add_test(tc, control_characters_are_a_fault_and_are_not_repeated);
	tcase_add_test(tc, a_nul_byte_is_a_fault);
	tcase_add_test(tc, a_wrong_check_digit_is_a_fault);
	tcase_add_test(tc, an_amount_that_is_not_digits_is_a_fault);
	tcase_add_test(tc, an_unknown_transaction_code_is_a_fault);
	tcase_add_test(tc, a_prenote_with_an_amount_is_a_fault);
	tcase_add_test(tc, a_debit_among_credits_is_a_fault);
	tcase_add_test(tc, a_date_that_does_not_exist_is_a_fault);
	tcase_add_test(tc, an_adv_batch_is_a_fault);
	return tc;
}

static TCase *bad_places(void)
{
	TCase *tc = tcase_create("bad places");

	tcase_add_checked_fixture(tc, nacha_file_set_up, NULL);
	tcase_add_test(tc,
		       addenda_of_a_malformed_entry_are_faults_that_name_it);
	tcase_add_test(tc, addenda_of_another_entry_are_a_fault);
	tcase_add_test(
		tc,
		addenda_that_are_announced_and_missing_are_a_fault_of_the_entry);
	tcase_add_test(tc, addenda_that_are_not_announced_are_a_fault);
	tcase_add_test(tc, a_ctx_entry_announces_how_many_addenda_follow);
	tcase_add_test(tc, a_missing_batch_control_is_a_fault);
	tcase_add_test(tc, a_missing_file_control_is_a_fault);
	tcase_add_test(tc, a_missing_file_header_is_one_fault);
	tcase_add_test(tc, an_entry_outside_of_a_batch_is_a_fault);
	tcase_add_test(tc, the_control_of_another_batch_is_a_fault);
	return tc;
}

int main(void)
{
	Suite *suite = suite_create("nacha_faults");
	SRunner *runner;
	int failed;

	suite_add_tcase(suite, bad_lines());
	suite_add_tcase(suite, bad_places());
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
