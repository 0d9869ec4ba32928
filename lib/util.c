/* SPDX-License-Identifier: MIT */
/*
 * util.c - names and error sentences
 */
#include "config.h"

#include "util.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <hotline/ring.h>

int hli_fail(struct hl_error *err, int code, const char *format, ...)
{
	va_list args;

	if (err) {
		err->code = code;
		va_start(args, format);
		vsnprintf(err->text, sizeof(err->text), format, args);
		va_end(args);
	}
	return code;
}

void hli_copy_text(char *field, size_t n, const char *text)
{
	const size_t len = strnlen(text, n - 1);

	memcpy(field, text, len);
	memset(field + len, 0, n - len);
}

static bool letter_or_digit(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9');
}

bool hli_name_ok(const char *name, size_t max)
{
	size_t i;

	if (!name || !letter_or_digit(name[0]))
		return false;
	for (i = 0; name[i]; i++) {
		if (i == max)
			return false;
		if (!letter_or_digit(name[i]) && !strchr("._-+@:,=", name[i]))
			return false;
	}
	return true;
}
