/* SPDX-License-Identifier: MIT */
/*
 * nacha_file - a small ACH file to spoil, and what a reader makes of it
 *
 * For the tests of the reader: each starts from the good file in
 * nacha_file_line[], changes something, reads, and looks at the records.
 */
#ifndef NACHA_FILE_H
#define NACHA_FILE_H

#include "examples/payments/nacha.h"

#define NACHA_FILE_LINES 9
#define NACHA_FILE_RECORDS_MAX 64

/* What stands in which line: one batch, of a credit and a prenote. */
enum {
	HEADER,
	BATCH,
	ENTRY, /* a credit of 1.50, with two addenda */
	NOTE1,
	NOTE2,
	PRENOTE, /* a prenote, without addenda */
	CONTROL,
	END,
	FILLER,
};

extern char nacha_file_line[NACHA_FILE_LINES][512];
extern struct nacha_record nacha_file_record[NACHA_FILE_RECORDS_MAX];
extern int nacha_file_nrecords;

/* Fills the lines with the good file: a fixture of Check. */
void nacha_file_set_up(void);

/* Writes over columns of a line, from column 1, all of them ASCII. */
void nacha_file_put(int line, int column, const char *text);

/* Joins the lines, each with its line end; returns the size. */
size_t nacha_file_join(char *text, size_t size_bytes, const char *line_end);

/* Read into the records: the lines, or a text. */
void nacha_file_read(const char *line_end);
void nacha_file_read_text(const char *text, size_t size_bytes);

/* Records of that type, and the first one of them. */
int nacha_file_count(enum nacha_type type);
const struct nacha_record *nacha_file_first(enum nacha_type type);

/* Asserts that there is one fault, this one. */
void nacha_file_assert_fault(uint64_t line, const char *reason);

/* Asserts that all of the good file's records are there, and no fault. */
void nacha_file_assert_all_read(void);

#endif
