/* SPDX-License-Identifier: MIT */
/*
 * util.c - names and error sentences
 */
#include "config.h"

#include "util.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <hotline/ring.h>

void hli_printable(char *text)
{
	for (; *text; text++) {
		if ((unsigned char)*text < ' ' || *text == 0x7f)
			*text = '?';
	}
}

int hli_fail(struct hl_error *err, int code, const char *format, ...)
{
	va_list args;

	if (err) {
		err->code = code;
		va_start(args, format);
		vsnprintf(err->text, sizeof(err->text), format, args);
		va_end(args);
		hli_printable(err->text);
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

const char *hl_strerror(int code)
{
	static const struct {
		int code;
		const char *text;
	} rows[] = {
		{ 0, "done" },
		{ -EAGAIN, "full or empty now" },
		{ -ETIMEDOUT, "nothing came, or no room, in the time given" },
		{ -EINVAL, "a value out of its range, or a call out of turn" },
		{ -EMSGSIZE, "larger than the ring can ever take" },
		{ -ENOSPC, "no memory for the ring" },
		{ -EUSERS, "all places for participants or groups are taken" },
		{ -ENOBUFS, "no block of the arena is free now" },
		{ -EBUSY, "the place is taken, or the handle is in use" },
		{ -ESTALE, "overwritten meanwhile, or no longer held" },
		{ -EPIPE, "the ring is finished" },
		{ -EBADMSG, "not a ring, or a damaged one" },
		{ -EPROTONOSUPPORT,
		  "a ring of another version, machine or schema" },
		{ -ECANCELED, "the wait was cancelled" },
		{ -EIDRM, "no longer a participant, or the ring was removed" },
		{ -EBADF, "a handle of the parent process" },
		{ -ENOTCONN, "no group takes messages" },
		{ -EOVERFLOW, "all positions are used up" },
		{ -ENODATA, "no payload" },
		{ -ENOENT, "no such ring or group" },
		{ -ENOTSUP, "the kernel lacks what this ring relies on" },
		{ -EDEADLK, "not from inside a handler" },
		{ -ENOMSG, "nobody takes dead letters" },
		{ -EEXIST, "there is one already, or of another kind" },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (rows[i].code == code)
			return rows[i].text;
	}
	return "an error of the operating system";
}
