/* SPDX-License-Identifier: MIT */
/*
 * text - bytes that may be anything, made fit for a terminal
 *
 * UTF-8 is decoded here and not by the C library: what is safe to show must not
 * hang on the locale of whoever runs the program.
 */
#include "text.h"

#include <stdint.h>
#include <string.h>

enum {
	ESCAPE_BYTES = 5
}; /* the longest, \xHH, and a terminator */

static bool is_continuation(char c)
{
	return ((unsigned char)c & 0xc0u) == 0x80u;
}

/* Bytes that a character with this first byte has, 0 if none starts so. */
static size_t char_bytes(unsigned char first)
{
	if (first < 0x80)
		return 1;
	if (first >= 0xc2 && first < 0xe0)
		return 2;
	if (first >= 0xe0 && first < 0xf0)
		return 3;
	if (first >= 0xf0 && first < 0xf5)
		return 4;
	return 0;
}

/* Does a terminal show it in place, and nothing else? */
static bool is_shown(uint32_t c)
{
	static const struct {
		uint32_t first, last;
	} hidden[] = {
		{ 0x00, 0x1f },	      /* control characters */
		{ 0x7f, 0x9f },	      /* more of them */
		{ 0x61c, 0x61c },     /* direction of writing */
		{ 0x200b, 0x200f },   /* of no width, and direction */
		{ 0x2028, 0x202e },   /* separators, and direction */
		{ 0x2060, 0x206f },   /* invisible, and direction */
		{ 0xd800, 0xdfff },   /* halves of a pair: not UTF-8 */
		{ 0xfeff, 0xfeff },   /* byte order mark */
		{ 0xfff0, 0xfffb },   /* annotations */
		{ 0xfffe, 0xffff },   /* no characters */
		{ 0xe0000, 0xe0fff }, /* tags */
	};

	for (size_t i = 0; i < sizeof(hidden) / sizeof(hidden[0]); i++) {
		if (c >= hidden[i].first && c <= hidden[i].last)
			return false;
	}
	return true;
}

size_t hlt_text_char(const char *s, size_t len)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	static const unsigned char mask[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };

	if (len == 0)
		return 0;

	const size_t n = char_bytes((unsigned char)s[0]);

	if (n == 0 || n > len)
		return 0;

	uint32_t c = (unsigned char)s[0] & mask[n];

	for (size_t i = 1; i < n; i++) {
		if (!is_continuation(s[i]))
			return 0;
		c = c << 6 | ((unsigned char)s[i] & 0x3fu);
	}
	if (c < least[n] || c > 0x10ffff || !is_shown(c))
		return 0;
	return n;
}

bool hlt_text_ok(const char *s, size_t len, bool allow_breaks)
{
	size_t at = 0;

	while (at < len) {
		const bool is_break = s[at] == '\n' || s[at] == '\t' ||
				      s[at] == '\r';
		const size_t n = allow_breaks && is_break ?
					 1 :
					 hlt_text_char(s + at, len - at);

		if (n == 0)
			return false;
		at += n;
	}
	return true;
}

size_t hlt_text_width(const char *s)
{
	size_t width = 0;

	for (; *s; s++)
		width += !is_continuation(*s);
	return width;
}

/*
 * Takes one character or byte from s, puts what stands for it into out, and
 * says in *used how many bytes of s that were. Returns bytes put into out.
 */
static size_t escape_one(char out[ESCAPE_BYTES], const char *s, size_t len,
			 char quote, size_t *used)
{
	static const char digits[] = "0123456789abcdef";
	const unsigned char c = (unsigned char)s[0];
	const size_t n = hlt_text_char(s, len);

	*used = n ? n : 1;
	if (n > 0 && c != '\\' && (quote == 0 || c != quote)) {
		memcpy(out, s, n);
		return n;
	}
	out[0] = '\\';
	if (n > 0) {
		out[1] = (char)c;
		return 2;
	}
	if (c == '\n' || c == '\t' || c == '\r') {
		out[1] = c == '\n' ? 'n' : c == '\t' ? 't' : 'r';
		return 2;
	}
	out[1] = 'x';
	out[2] = digits[c >> 4];
	out[3] = digits[c & 0xf];
	return 4;
}

char *hlt_text_escape(char *out, size_t out_bytes, const char *s, size_t len,
		      char quote)
{
	size_t at = 0, used = 0;

	for (size_t i = 0; i < len; i += used) {
		char one[ESCAPE_BYTES];
		const size_t n = escape_one(one, s + i, len - i, quote, &used);

		if (n >= out_bytes - at)
			break;
		memcpy(out + at, one, n);
		at += n;
	}
	out[at] = '\0';
	return out;
}

void hlt_text_put(FILE *stream, const char *s, size_t len, char quote)
{
	size_t used = 0;

	for (size_t i = 0; i < len; i += used) {
		char one[ESCAPE_BYTES];
		const size_t n = escape_one(one, s + i, len - i, quote, &used);

		fwrite(one, 1, n, stream);
	}
}

void hlt_text_put_hex(FILE *stream, const unsigned char *data, size_t len)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < len; i++) {
		putc(digits[data[i] >> 4], stream);
		putc(digits[data[i] & 0xf], stream);
	}
}
