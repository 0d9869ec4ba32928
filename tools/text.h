/* SPDX-License-Identifier: MIT */
/*
 * text - bytes that may be anything, made fit for a terminal
 *
 * Messages, names of rings and names of participants are written by others.
 * What counts as text is valid UTF-8 without control characters, without line
 * and paragraph separators, and without the characters that turn the direction
 * of writing: a terminal shows it as it is. Every other byte is shown as an
 * escape, so that no byte of a message can move a cursor or forge a line.
 */
#ifndef HLT_TEXT_H
#define HLT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/*
 * hlt_text_char - how many bytes the character at the start of s takes
 *
 * Returns 1 to 4, or 0 when there is no character that counts as text.
 */
size_t hlt_text_char(const char *s, size_t len);

/* Is all of it text? allow_breaks: tabs and line ends are too. */
bool hlt_text_ok(const char *s, size_t len, bool allow_breaks);

/* Columns it takes: characters, each one wide. s is text. */
size_t hlt_text_width(const char *s);

/*
 * hlt_text_escape - write bytes as text: \n, \t, \\, \xHH for what is not
 *
 * quote is escaped too, unless it is 0. out is terminated and cut at out_bytes,
 * never inside a character or an escape. Returns out.
 */
char *hlt_text_escape(char *out, size_t out_bytes, const char *s, size_t len,
		      char quote);

/* The same, straight to a stream, all of it. */
void hlt_text_put(FILE *stream, const char *s, size_t len, char quote);

/* Bytes as lower-case hex digits. */
void hlt_text_put_hex(FILE *stream, const unsigned char *data, size_t len);

#endif /* HLT_TEXT_H */
