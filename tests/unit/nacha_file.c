/* SPDX-License-Identifier: MIT */
/*
 * nacha_file - a small ACH file to spoil, and what a reader makes of it
 */
#include "tests/unit/nacha_file.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

char nacha_file_line[NACHA_FILE_LINES][512];
struct nacha_record nacha_file_record[NACHA_FILE_RECORDS_MAX];
int nacha_file_nrecords;

static const char *const good_lines[NACHA_FILE_LINES] = {
	"101 231380104 1210428822601020930A094101Operator"
	"               Bank",
	"5220Company                             1987654321PPDSalary    "
	"      260105   1121042880000001",
	"622231380104123456           0000000150ID-1           Ada Ahlgren"
	"             1121042880000001",
	"705first note                                                  "
	"                    00010000001",
	"705second note                                                 "
	"                    00020000001",
	"633231380104654321           0000000000               Bo Brook  "
	"              0121042880000002",
	"82200000040046276020000000000000000000000150                   "
	"                121042880000001",
	"9000001000001000000040046276020000000000000000000000150",
	"99999999999999999999999999999999999999999999999999999999999999999"
	"99999999999999999999999999999",
};

void nacha_file_set_up(void)
{
	for (int i = 0; i < NACHA_FILE_LINES; i++)
		snprintf(nacha_file_line[i], sizeof(nacha_file_line[i]), "%s",
			 good_lines[i]);
}

void nacha_file_put(int line, int column, const char *text)
{
	memcpy(nacha_file_line[line] + column - 1, text, strlen(text));
}

size_t nacha_file_join(char *text, size_t size_bytes, const char *line_end)
{
	size_t used = 0;

	for (int i = 0; i < NACHA_FILE_LINES; i++)
		used += (size_t)snprintf(text + used, size_bytes - used, "%s%s",
					 nacha_file_line[i], line_end);
	ck_assert_uint_lt(used, size_bytes);
	return used;
}

void nacha_file_read_text(const char *text, size_t size_bytes)
{
	struct nacha_reader reader;
	FILE *file = tmpfile();
	int n = 0;
	int ret;

	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(text, 1, size_bytes, file), size_bytes);
	rewind(file);
	nacha_reader_init(&reader, fileno(file));
	do {
		ck_assert_int_lt(n, NACHA_FILE_RECORDS_MAX);
		ret = nacha_reader_next(&reader, &nacha_file_record[n]);
		n += ret == 1;
	} while (ret == 1);
	ck_assert_int_eq(ret, 0);
	nacha_file_nrecords = n;
	fclose(file);
}

void nacha_file_read(const char *line_end)
{
	char text[NACHA_FILE_LINES * 512];

	nacha_file_read_text(text,
			     nacha_file_join(text, sizeof(text), line_end));
}

int nacha_file_count(enum nacha_type type)
{
	int n = 0;

	for (int i = 0; i < nacha_file_nrecords; i++)
		n += nacha_file_record[i].type == type;
	return n;
}

const struct nacha_record *nacha_file_first(enum nacha_type type)
{
	for (int i = 0; i < nacha_file_nrecords; i++) {
		if (nacha_file_record[i].type == type)
			return &nacha_file_record[i];
	}
	ck_abort_msg("no record of type %d", (int)type);
}

void nacha_file_assert_fault(uint64_t line, const char *reason)
{
	const struct nacha_record *fault = nacha_file_first(NACHA_FAULT);

	ck_assert_str_eq(fault->reason, reason);
	ck_assert_uint_eq(fault->line, line);
	ck_assert_int_eq(nacha_file_count(NACHA_FAULT), 1);
}

void nacha_file_assert_all_read(void)
{
	ck_assert_int_eq(nacha_file_count(NACHA_FAULT), 0);
	ck_assert_int_eq(nacha_file_count(NACHA_FILE_HEADER), 1);
	ck_assert_int_eq(nacha_file_count(NACHA_BATCH_HEADER), 1);
	ck_assert_int_eq(nacha_file_count(NACHA_ENTRY), 2);
	ck_assert_int_eq(nacha_file_count(NACHA_ADDENDA), 2);
	ck_assert_int_eq(nacha_file_count(NACHA_BATCH_CONTROL), 1);
	ck_assert_int_eq(nacha_file_count(NACHA_FILE_CONTROL), 1);
}
