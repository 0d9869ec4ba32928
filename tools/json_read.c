/* SPDX-License-Identifier: MIT */
/*
 * json_read - values in JSON as numbers and bytes of a message
 */
#include "json_read.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int hlt_refuse(const struct hlt_why *why, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(why->text, why->bytes, format, args);
	va_end(args);
	return -EINVAL;
}

/* The digits of a string that stands for a number, sign aside. */
static bool read_decimal(const char *s, size_t len, uint64_t *out)
{
	uint64_t value = 0;

	if (len == 0)
		return false;
	for (size_t i = 0; i < len; i++) {
		if (s[i] < '0' || s[i] > '9' ||
		    __builtin_mul_overflow(value, 10u, &value) ||
		    __builtin_add_overflow(value, (unsigned)(s[i] - '0'),
					   &value))
			return false;
	}
	*out = value;
	return true;
}

/* A whole number, or a string of one: magnitude and sign. */
bool hlt_read_whole(const json_t *value, uint64_t *magnitude, bool *negative)
{
	if (json_is_integer(value)) {
		const json_int_t v = json_integer_value(value);

		*negative = v < 0;
		*magnitude = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
		return true;
	}
	if (!json_is_string(value))
		return false;

	const char *s = json_string_value(value);
	const size_t len = json_string_length(value);

	*negative = len > 0 && s[0] == '-';
	return read_decimal(s + *negative, len - *negative, magnitude);
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/* Digits to bytes; to has room for half of them. */
int hlt_read_hex(const char *key, const json_t *value, unsigned char *to,
		 const struct hlt_why *why)
{
	const char *s = json_string_value(value);
	const size_t len = json_string_length(value);

	for (size_t i = 0; i + 1 < len; i += 2) {
		const int high = hex_digit(s[i]), low = hex_digit(s[i + 1]);

		if (high < 0 || low < 0)
			return hlt_refuse(why, "%s: not a hex digit", key);
		to[i / 2] = (unsigned char)(high << 4 | low);
	}
	if (len % 2 != 0)
		return hlt_refuse(why, "%s: an odd number of hex digits", key);
	return 0;
}

/* Bytes of a string or {"hex": digits}: how many, or a refusal. */
int hlt_bytes_size(const char *key, const json_t *value, size_t *size,
		   const struct hlt_why *why)
{
	const json_t *hex = json_object_get(value, "hex");

	if (json_is_string(value)) {
		*size = json_string_length(value);
		return 0;
	}
	if (!json_is_string(hex) || json_object_size(value) != 1)
		return hlt_refuse(why, "%s: not a string or {\"hex\": digits}",
				  key);
	*size = json_string_length(hex) / 2;
	return 0;
}

/* The bytes themselves, as many as hlt_bytes_size() said. */
int hlt_read_bytes(const char *key, const json_t *value, unsigned char *to,
		   const struct hlt_why *why)
{
	if (json_is_object(value))
		return hlt_read_hex(key, json_object_get(value, "hex"), to,
				    why);
	memcpy(to, json_string_value(value), json_string_length(value));
	return 0;
}
