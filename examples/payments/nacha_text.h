/* SPDX-License-Identifier: MIT */
/*
 * nacha_text - the bytes of an ACH file, cut into lines of 94 columns
 *
 * Guarantees: every byte of the input ends up in exactly one line or is a line
 * end; memory is bounded whatever the input is; columns are characters, so a
 * name in UTF-8 does not shift the fields behind it. A byte that is not part of
 * valid UTF-8 counts as one character, which reads Latin-1 files as well.
 *
 * Lines end in LF or CR LF. A file without line ends is known by its first
 * line, which then is long enough to hold two records: such a file is cut every
 * 94 columns, and its "line numbers" count records.
 */
#ifndef NACHA_TEXT_H
#define NACHA_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	NACHA_COLUMNS = 94,
	NACHA_CHAR_BYTES = 4, /* of the longest UTF-8 character */
};

/* Bytes that hold a field of that many columns, and a NUL. */
#define NACHA_FIELD(columns) ((columns)*NACHA_CHAR_BYTES + 1)

struct nacha_line {
	uint64_t number;      /* from 1 */
	unsigned int columns; /* above 94: too long, and cut here */
	uint16_t start[NACHA_COLUMNS + 1]; /* byte where each column starts */
	char text[NACHA_FIELD(NACHA_COLUMNS)];
};

struct nacha_text {
	int fd;
	int error; /* of the last read, negative errno */
	bool begun;
	bool packed; /* no line ends between records */
	uint64_t lines;
	size_t at;
	size_t end;
	unsigned char buffer[16384];
};

/* Reads from fd, which stays the caller's to close. */
void nacha_text_init(struct nacha_text *text, int fd);

/* Returns 1 and a line, 0 at the end of the input, or a negative errno. */
int nacha_text_next(struct nacha_text *text, struct nacha_line *line);

/* The bytes of columns from..to (from 1, both included); may be none. */
const char *nacha_line_field(const struct nacha_line *line, unsigned int from,
			     unsigned int to, size_t *size_bytes);

#endif
