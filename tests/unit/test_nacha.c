/* SPDX-License-Identifier: MIT */
/*
 * test_nacha - good ACH files are read as meant, and the totals of any
 *
 * The sample files beside the project, if there are any ($HOTLINE_TEST_DATA),
 * are read in whole.
 */
#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/nacha_file.h"

START_TEST(a_good_file_has_no_faults_and_its_totals_agree)
{
	const struct nacha_control *control;
	char why[200];

	nacha_file_read("\n");
	nacha_file_assert_all_read();
	control = &nacha_file_first(NACHA_BATCH_CONTROL)->control;
	ck_assert(nacha_totals_agree(&control->said, &control->counted, why,
				     sizeof(why)));
	control = &nacha_file_first(NACHA_FILE_CONTROL)->control;
	ck_assert(nacha_totals_agree(&control->said, &control->counted, why,
				     sizeof(why)));
}
END_TEST

START_TEST(an_entry_is_read_field_by_field)
{
	const struct nacha_entry *entry;

	nacha_file_read("\n");
	entry = &nacha_file_first(NACHA_ENTRY)->entry;
	ck_assert_uint_eq(entry->code, 22);
	ck_assert_uint_eq(entry->bank, 231380104);
	ck_assert_uint_eq(entry->cents, 150);
	ck_assert_uint_eq(entry->trace, 121042880000001);
	ck_assert(entry->has_addenda);
	ck_assert_str_eq(entry->account, "123456");
	ck_assert_str_eq(entry->id, "ID-1");
	ck_assert_str_eq(entry->name, "Ada Ahlgren");
	ck_assert_str_eq(nacha_file_first(NACHA_ADDENDA)->addenda.text,
			 "first note");
}
END_TEST

START_TEST(headers_are_read_field_by_field)
{
	const struct nacha_file_header *file;
	const struct nacha_batch_header *batch;

	nacha_file_read("\n");
	file = &nacha_file_first(NACHA_FILE_HEADER)->file_header;
	ck_assert_str_eq(file->destination, "231380104");
	ck_assert_str_eq(file->origin, "121042882");
	ck_assert_str_eq(file->created, "2601020930");
	ck_assert_str_eq(file->modifier, "A");
	ck_assert_str_eq(file->destination_name, "Operator");
	ck_assert_str_eq(file->origin_name, "Bank");
	batch = &nacha_file_first(NACHA_BATCH_HEADER)->batch_header;
	ck_assert_uint_eq(batch->service_class, 220);
	ck_assert_uint_eq(batch->number, 1);
	ck_assert_uint_eq(batch->bank, 12104288);
	ck_assert_str_eq(batch->sec, "PPD");
	ck_assert_str_eq(batch->company, "Company");
}
END_TEST

START_TEST(line_ends_may_be_cr_lf)
{
	nacha_file_read("\r\n");
	nacha_file_assert_all_read();
}
END_TEST

START_TEST(the_last_line_end_may_be_missing)
{
	char text[NACHA_FILE_LINES * 512];
	const size_t used = nacha_file_join(text, sizeof(text), "\n");

	nacha_file_read_text(text, used - 1);
	nacha_file_assert_all_read();
}
END_TEST

START_TEST(a_file_without_line_ends_is_cut_every_94_columns)
{
	char text[NACHA_FILE_LINES * 94 + 1];

	for (int i = 0; i < NACHA_FILE_LINES; i++)
		snprintf(text + i * 94, 95, "%-94.94s", nacha_file_line[i]);
	nacha_file_read_text(text, NACHA_FILE_LINES * 94);
	nacha_file_assert_all_read();
	ck_assert_uint_eq(nacha_file_first(NACHA_FILE_CONTROL)->line, 8);
}
END_TEST

START_TEST(a_name_in_utf8_does_not_shift_the_fields_behind_it)
{
	snprintf(nacha_file_line[ENTRY], sizeof(nacha_file_line[ENTRY]),
		 "622231380104123456           0000000150ID-1           "
		 "\xc3\x85sa \xc3\x96"
		 "berg \xe2\x82\xac             1121042880000001");
	nacha_file_read("\n");
	nacha_file_assert_all_read();
	ck_assert_str_eq(nacha_file_first(NACHA_ENTRY)->entry.name,
			 "\xc3\x85sa \xc3\x96"
			 "berg \xe2\x82\xac");
}
END_TEST

START_TEST(a_name_in_latin1_does_not_shift_the_fields_behind_it)
{
	nacha_file_put(ENTRY, 55, "\xc5sa \xd6");
	nacha_file_read("\n");
	nacha_file_assert_all_read();
}
END_TEST

START_TEST(blank_lines_are_skipped_and_counted)
{
	char text[NACHA_FILE_LINES * 512];
	const size_t used = nacha_file_join(text, sizeof(text), "\n\n");

	nacha_file_read_text(text, used);
	nacha_file_assert_all_read();
	ck_assert_uint_eq(nacha_file_first(NACHA_FILE_CONTROL)->line, 15);
}
END_TEST

START_TEST(a_short_header_is_read_as_if_padded)
{
	nacha_file_line[HEADER][40] = '\0';
	nacha_file_read("\n");
	nacha_file_assert_all_read();
	ck_assert_str_eq(
		nacha_file_first(NACHA_FILE_HEADER)->file_header.origin_name,
		"");
}
END_TEST

START_TEST(a_second_file_may_follow_the_first)
{
	char text[2 * NACHA_FILE_LINES * 512];
	const size_t used = nacha_file_join(text, sizeof(text), "\n");

	memcpy(text + used, text, used);
	nacha_file_read_text(text, 2 * used);
	ck_assert_int_eq(nacha_file_count(NACHA_FILE_CONTROL), 2);
	ck_assert_int_eq(nacha_file_count(NACHA_FAULT), 0);
}
END_TEST

START_TEST(an_empty_input_has_no_records)
{
	nacha_file_read_text("", 0);
	ck_assert_int_eq(nacha_file_nrecords, 0);
}
END_TEST

START_TEST(a_dropped_entry_makes_the_totals_differ)
{
	const struct nacha_control *control;
	char why[300];

	nacha_file_put(PRENOTE, 12, "5");
	nacha_file_read("\n");
	control = &nacha_file_first(NACHA_BATCH_CONTROL)->control;
	ck_assert(!nacha_totals_agree(&control->said, &control->counted, why,
				      sizeof(why)));
	ck_assert_str_eq(why, "entries 3, control says 4; "
			      "hash 23138010, control says 46276020");
}
END_TEST

START_TEST(why_is_cut_where_it_does_not_fit)
{
	const struct nacha_totals said = { .entries = 1, .hash = 2 };
	const struct nacha_totals counted = { .entries = 3, .hash = 4 };
	char why[12] = "###########";

	ck_assert(!nacha_totals_agree(&said, &counted, why, 8));
	ck_assert_str_eq(why, "entries");
	ck_assert_str_eq(why + 8, "###");
}
END_TEST

START_TEST(each_transaction_code_has_its_direction)
{
	static const unsigned int credits[] = {
		21, 22, 23, 24, 31, 32, 33, 34, 41, 42, 43, 44, 51, 52, 53, 54
	};
	static const unsigned int debits[] = { 26, 27, 28, 29, 36, 37, 38,
					       39, 46, 47, 48, 49, 55, 56 };
	int known = 0;

	for (size_t i = 0; i < sizeof(credits) / sizeof(credits[0]); i++)
		ck_assert_int_eq(nacha_code_direction(credits[i]),
				 NACHA_CREDIT);
	for (size_t i = 0; i < sizeof(debits) / sizeof(debits[0]); i++)
		ck_assert_int_eq(nacha_code_direction(debits[i]), NACHA_DEBIT);
	for (unsigned int code = 0; code < 100; code++)
		known += nacha_code_direction(code) != NACHA_NO_CODE;
	ck_assert_int_eq(known, 16 + 14);
}
END_TEST

START_TEST(the_hash_keeps_ten_digits)
{
	struct nacha_totals totals = { .hash = UINT64_C(9999999999) };

	nacha_totals_add_entry(&totals, 231380104, 22, 1);
	ck_assert_uint_eq(totals.hash, 23138009);
}
END_TEST

/* --- Sample files ---------------------------------------------------------- */

static const char *data_folder(void)
{
	static char folder[4096];
	const char *from = getenv("HOTLINE_TEST_DATA");
	const char *srcdir = getenv("top_srcdir");

	if (from)
		snprintf(folder, sizeof(folder), "%s/ach", from);
	else
		snprintf(folder, sizeof(folder), "%s/../shared/data/ach",
			 srcdir ? srcdir : ".");
	return folder;
}

struct sample {
	const char *name;
	int entries;
	int addenda;
	int batches;
	int faults;
	bool agrees; /* the file control, with what was counted */
};

static const struct sample samples[] = {
	{ "ccd-debit.ach", 2, 0, 1, 0, true },
	{ "ctx-debit-many-addenda.ach", 1, 2, 1, 0, true },
	{ "one-line-no-newlines.ach", 1, 0, 1, 0, true },
	{ "payroll-ppd-5000-entries.ach", 5000, 5000, 4, 0, true },
	{ "ppd-mixed-debit-credit.ach", 3, 0, 1, 0, true },
	/* The headers lack a column each, and a batch was taken out. */
	{ "several-batches-invalid.ach", 178, 105, 4, 5, false },
	/* Batch 2 was taken out, the file control counts it all the same. */
	{ "several-batches.ach", 48, 35, 4, 0, false },
	{ "short-lines.ach", 1, 0, 1, 0, true },
	{ "two-micro-deposits.ach", 6, 6, 2, 0, true },
	/* The file control does not count the addenda. */
	{ "utf8-names.ach", 1, 12, 1, 0, false },
	{ "web-credit.ach", 1, 1, 1, 0, true },
};

START_TEST(a_sample_file_is_read_as_meant)
{
	const struct sample *sample = &samples[_i];
	struct nacha_reader reader;
	struct nacha_record record;
	int seen[10] = { 0 };
	bool agrees = false;
	char path[4200], why[300];
	int fd, ret;

	snprintf(path, sizeof(path), "%s/%s", data_folder(), sample->name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	ck_assert_msg(fd >= 0, "cannot open %s", path);
	nacha_reader_init(&reader, fd);
	while ((ret = nacha_reader_next(&reader, &record)) == 1) {
		seen[record.type]++;
		if (record.type == NACHA_FILE_CONTROL)
			agrees = nacha_totals_agree(&record.control.said,
						    &record.control.counted,
						    why, sizeof(why));
	}
	close(fd);
	ck_assert_int_eq(ret, 0);
	ck_assert_int_eq(seen[NACHA_ENTRY], sample->entries);
	ck_assert_int_eq(seen[NACHA_ADDENDA], sample->addenda);
	ck_assert_int_eq(seen[NACHA_BATCH_CONTROL], sample->batches);
	ck_assert_int_eq(seen[NACHA_FAULT], sample->faults);
	ck_assert_int_eq(agrees, sample->agrees);
}
END_TEST

static TCase *good_files(void)
{
	TCase *tc = tcase_create("good");

	tcase_add_checked_fixture(tc, nacha_file_set_up, NULL);
	tcase_add_test(tc, a_good_file_has_no_faults_and_its_totals_agree);
	tcase_add_test(tc, an_entry_is_read_field_by_field);
	tcase_add_test(tc, headers_are_read_field_by_field);
	tcase_add_test(tc, line_ends_may_be_cr_lf);
	tcase_add_test(tc, the_last_line_end_may_be_missing);
	tcase_add_test(tc, a_file_without_line_ends_is_cut_every_94_columns);
	tcase_add_test(tc, a_name_in_utf8_does_not_shift_the_fields_behind_it);
	tcase_add_test(tc,
		       a_name_in_latin1_does_not_shift_the_fields_behind_it);
	tcase_add_test(tc, blank_lines_are_skipped_and_counted);
	tcase_add_test(tc, a_short_header_is_read_as_if_padded);
	tcase_add_test(tc, a_second_file_may_follow_the_first);
	tcase_add_test(tc, an_empty_input_has_no_records);
	return tc;
}

static TCase *totals(void)
{
	TCase *tc = tcase_create("totals");

	tcase_add_checked_fixture(tc, nacha_file_set_up, NULL);
	tcase_add_test(tc, a_dropped_entry_makes_the_totals_differ);
	tcase_add_test(tc, why_is_cut_where_it_does_not_fit);
	tcase_add_test(tc, each_transaction_code_has_its_direction);
	tcase_add_test(tc, the_hash_keeps_ten_digits);
	return tc;
}

static TCase *sample_files(void)
{
	TCase *tc = tcase_create("samples");
	const int n = (int)(sizeof(samples) / sizeof(samples[0]));

	if (access(data_folder(), R_OK) == 0)
		tcase_add_loop_test(tc, a_sample_file_is_read_as_meant, 0, n);
	else
		printf("# no sample files in %s: that test is left out\n",
		       data_folder());
	return tc;
}

int main(void)
{
	Suite *suite = suite_create("nacha");
	SRunner *runner;
	int failed;

	suite_add_tcase(suite, good_files());
	suite_add_tcase(suite, totals());
	suite_add_tcase(suite, sample_files());
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
