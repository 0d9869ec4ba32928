/* SPDX-License-Identifier: MIT */
/*
 * nacha_text - the bytes of an ACH file, cut into lines of 94 columns
 *
 * One pass with a buffer of fixed size. Only the first line is looked at before
 * it is taken, to tell a file without line ends from one whose header is a few
 * characters too long: reading the second kind as the first would shift
 * the whole file.
 */
#include "nacha_text.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum {
	/* Two records: a file header, and a file control cut at its totals. */
	PACKED_MIN_BYTES = NACHA_COLUMNS + 55,
	END_OF_INPUT = -1,
};

void nacha_text_init(struct nacha_text *text, int fd)
{
	text->fd = fd;
	text->error = 0;
	text->begun = false;
	text->packed = false;
	text->lines = 0;
	text->at = 0;
	text->end = 0;
}

/* Reads more behind what is there; false at the end or on an error. */
static bool fill(struct nacha_text *text)
{
	ssize_t got;

	memmove(text->buffer, text->buffer + text->at, text->end - text->at);
	text->end -= text->at;
	text->at = 0;
	do {
		got = read(text->fd, text->buffer + text->end,
			   sizeof(text->buffer) - text->end);
	} while (got < 0 && errno == EINTR);
	if (got < 0)
		text->error = -errno;
	if (got <= 0)
		return false;
	text->end += (size_t)got;
	return true;
}

/* The byte that many places ahead (0 is the next), or END_OF_INPUT. */
static int peek(struct nacha_text *text, size_t ahead)
{
	while (text->end - text->at <= ahead) {
		if (!fill(text))
			return END_OF_INPUT;
	}
	return text->buffer[text->at + ahead];
}

/* How many bytes the line end here takes: LF, CR LF, or CR at the end. */
static size_t line_end_bytes(struct nacha_text *text)
{
	int next;

	switch (peek(text, 0)) {
	case '\n':
		return 1;
	case '\r':
		next = peek(text, 1);
		if (next == '\n')
			return 2;
		return next == END_OF_INPUT;
	default:
		return 0;
	}
}

static void look_for_line_end(struct nacha_text *text)
{
	text->begun = true;
	for (size_t i = 0; i < PACKED_MIN_BYTES; i++) {
		const int byte = peek(text, i);

		if (byte == '\n' || byte == END_OF_INPUT)
			return;
	}
	text->packed = true;
}

static void skip_line_ends(struct nacha_text *text)
{
	size_t bytes;

	while ((bytes = line_end_bytes(text)) > 0)
		text->at += bytes;
}

/* How many continuation bytes a UTF-8 character has after this first byte. */
static unsigned int continuation_bytes(unsigned char first)
{
	if (first >= 0xc2 && first <= 0xdf)
		return 1;
	if (first >= 0xe0 && first <= 0xef)
		return 2;
	if (first >= 0xf0 && first <= 0xf4)
		return 3;
	return 0;
}

/* Takes the plain ASCII that is in the buffer: nearly all that there is. */
static void take_plain(struct nacha_text *text, struct nacha_line *line)
{
	unsigned int columns = line->columns;
	size_t used = line->start[columns];

	while (text->at < text->end && columns < NACHA_COLUMNS) {
		const unsigned char byte = text->buffer[text->at];

		if (byte < ' ' || byte > '~')
			break;
		line->text[used++] = (char)byte;
		line->start[++columns] = (uint16_t)used;
		text->at++;
	}
	line->columns = columns;
}

/*
 * Takes one character; beyond the last column it is counted once and dropped.
 * One that breaks off early is taken as far as it goes, and the byte
 * that breaks it starts the next column.
 */
static void take_column(struct nacha_text *text, struct nacha_line *line)
{
	const bool keep = line->columns < NACHA_COLUMNS;
	size_t more = continuation_bytes(text->buffer[text->at]);
	size_t size = 1;
	int next;

	while (more-- > 0) {
		next = peek(text, size);
		if (next < 0x80 || next > 0xbf)
			break;
		size++;
	}
	if (keep) {
		const size_t start = line->start[line->columns];

		memcpy(line->text + start, text->buffer + text->at, size);
		line->start[line->columns + 1] = (uint16_t)(start + size);
	}
	if (line->columns <= NACHA_COLUMNS)
		line->columns++;
	text->at += size;
}

int nacha_text_next(struct nacha_text *text, struct nacha_line *line)
{
	const unsigned int cut = NACHA_COLUMNS;

	if (!text->begun)
		look_for_line_end(text);
	if (text->packed)
		skip_line_ends(text);
	if (peek(text, 0) == END_OF_INPUT)
		return text->error;
	line->number = ++text->lines;
	line->columns = 0;
	line->start[0] = 0;
	while (peek(text, 0) != END_OF_INPUT && line_end_bytes(text) == 0 &&
	       !(text->packed && line->columns == cut)) {
		take_column(text, line);
		if (line->columns < cut)
			take_plain(text, line);
	}
	text->at += line_end_bytes(text);
	line->text[line->start[line->columns < cut ? line->columns : cut]] =
		'\0';
	return text->error ? text->error : 1;
}

const char *nacha_line_field(const struct nacha_line *line, unsigned int from,
			     unsigned int to, size_t *size_bytes)
{
	const unsigned int have =
		line->columns < NACHA_COLUMNS ? line->columns : NACHA_COLUMNS;

	if (to > have)
		to = have;
	if (from > to) {
		*size_bytes = 0;
		return line->text;
	}
	*size_bytes = (size_t)(line->start[to] - line->start[from - 1]);
	return line->text + line->start[from - 1];
}
