/* SPDX-License-Identifier: MIT */
/*
 * opt - command lines: options, and the values people write after them
 *
 * Numbers are read by hand: strtoull() takes signs and blanks that nobody
 * means, and reports what does not fit only through errno.
 */
#include "opt.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "out.h"

const char *const hlt_kind_words[] = { "exclusive", "shared", "lossy", NULL };
const char *const hlt_producers_words[] = { "shared", "sole", NULL };
const char *const hlt_unread_words[] = { "keep", "refuse", NULL };
const char *const hlt_checksum_words[] = { "none", "header", "payload", NULL };

static const char *current = ""; /* command, for hlt_usage() */

const char *hlt_word(const char *const *words, unsigned value)
{
	for (unsigned i = 0; words[i] != NULL; i++) {
		if (i == value)
			return words[i];
	}
	return "?";
}

int hlt_getopt(int argc, char **argv, const char *shorts,
	       const struct option *longs)
{
	current = argv[0];
	opterr = 0;

	const int at = optind;
	const int c = getopt_long(argc, argv, shorts, longs, NULL);

	if (c != '?' && c != ':')
		return c;

	/* A word of short options leaves optind at itself until its end. */
	const char *word = argv[optind > at ? optind - 1 : optind];

	if (c == ':')
		hlt_usage("%s needs a value", word);
	else if (strncmp(word, "--", 2) == 0)
		hlt_usage("%s: no such option, or not a clear one, or a value "
			  "too many",
			  word);
	else
		hlt_usage("-%c: no such option", optopt);
	return '?';
}

int hlt_help(const char *text)
{
	fputs(text, stdout);
	return HLT_DONE;
}

int hlt_usage(const char *format, ...)
{
	char sentence[256];
	va_list args;

	va_start(args, format);
	vsnprintf(sentence, sizeof(sentence), format, args);
	va_end(args);
	hlt_complain(NULL, "%s", sentence);
	fprintf(stderr, "Try 'hotline %s --help'.\n", current);
	return HLT_USAGE;
}

int hlt_one_argument(int argc, char **argv, const char *what, const char **out)
{
	if (argc - optind < 1)
		return hlt_usage("%s is missing", what);
	if (argc - optind > 1)
		return hlt_usage("one argument too many: %s", argv[optind + 1]);
	*out = argv[optind];
	return 0;
}

/* Digits at the start of s; NULL when there are none, or too many. */
static const char *read_digits(const char *s, uint64_t *out)
{
	uint64_t value = 0;

	if (*s < '0' || *s > '9')
		return NULL;
	for (; *s >= '0' && *s <= '9'; s++) {
		if (__builtin_mul_overflow(value, 10u, &value) ||
		    __builtin_add_overflow(value, (unsigned)(*s - '0'), &value))
			return NULL;
	}
	*out = value;
	return s;
}

int hlt_opt_number(const char *option, const char *value, uint64_t least,
		   uint64_t most, uint64_t *out)
{
	uint64_t number;
	const char *end = read_digits(value, &number);

	if (end == NULL || *end != '\0' || number < least || number > most)
		return hlt_usage("%s %s: not a whole number from %llu to %llu",
				 option, value, (unsigned long long)least,
				 (unsigned long long)most);
	*out = number;
	return 0;
}

/* The power of two that a size's letter stands for, -1 for none. */
static int size_shift(const char *unit)
{
	static const struct {
		const char *unit;
		int shift;
	} units[] = {
		{ "", 0 },   { "K", 10 },   { "k", 10 },   { "KiB", 10 },
		{ "M", 20 }, { "m", 20 },   { "MiB", 20 }, { "G", 30 },
		{ "g", 30 }, { "GiB", 30 }, { "T", 40 },   { "TiB", 40 },
	};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(unit, units[i].unit) == 0)
			return units[i].shift;
	}
	return -1;
}

int hlt_opt_size(const char *option, const char *value, uint64_t least,
		 uint64_t most, uint64_t *out)
{
	uint64_t number;
	const char *unit = read_digits(value, &number);
	const int shift = unit ? size_shift(unit) : -1;

	if (shift < 0)
		return hlt_usage("%s %s: not a size; write 65536 or 64K",
				 option, value);
	if (number > most >> shift || number << shift < least)
		return hlt_usage("%s %s: not from %llu to %llu", option, value,
				 (unsigned long long)least,
				 (unsigned long long)most);
	*out = number << shift;
	return 0;
}

/* Nanoseconds in a unit of time, 0 for none. */
static uint64_t unit_ns(const char *unit)
{
	static const struct {
		const char *unit;
		uint64_t ns;
	} units[] = {
		{ "", 1000000000 },
		{ "ns", 1 },
		{ "us", 1000 },
		{ "ms", 1000000 },
		{ "s", 1000000000 },
		{ "m", UINT64_C(60000000000) },
		{ "h", UINT64_C(3600000000000) },
	};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(unit, units[i].unit) == 0)
			return units[i].ns;
	}
	return 0;
}

/* "1.25s" in nanoseconds; false when it is not a time, or above most. */
static bool read_duration(const char *s, uint64_t most, uint64_t *out)
{
	uint64_t whole, ns, fraction = 0;
	const char *digits = NULL;

	s = read_digits(s, &whole);
	if (s != NULL && *s == '.') {
		digits = s + 1;
		s = digits + strspn(digits, "0123456789");
	}
	if (s == NULL || s == digits)
		return false;

	const uint64_t unit = unit_ns(s);
	uint64_t place = unit;

	for (; digits != NULL && digits < s && place > 0; digits++) {
		place /= 10;
		fraction += place * (unsigned)(*digits - '0');
	}
	if (unit == 0 || __builtin_mul_overflow(whole, unit, &ns) ||
	    __builtin_add_overflow(ns, fraction, &ns) || ns > most)
		return false;
	*out = ns;
	return true;
}

int hlt_opt_duration(const char *option, const char *value, int64_t *out_ns)
{
	uint64_t ns;

	if (strcmp(value, "forever") == 0) {
		*out_ns = HL_FOREVER;
		return 0;
	}
	if (!read_duration(value, HL_FOREVER - 1, &ns))
		return hlt_usage("%s %s: not a time; write 2s, 100ms or 0.5",
				 option, value);
	*out_ns = (int64_t)ns;
	return 0;
}

/* The words of a list, "a, b or c", for a message. */
static void join_words(char *out, size_t out_bytes, const char *const *words)
{
	size_t at = 0;

	out[0] = '\0';
	for (size_t i = 0; words[i] != NULL && at < out_bytes; i++) {
		const char *glue = i == 0		? "" :
				   words[i + 1] != NULL ? ", " :
							  " or ";
		const int n = snprintf(out + at, out_bytes - at, "%s%s", glue,
				       words[i]);

		at += n > 0 ? (size_t)n : 0;
	}
}

int hlt_opt_word(const char *option, const char *value,
		 const char *const *words, int *out)
{
	char list[128];

	for (int i = 0; words[i] != NULL; i++) {
		if (strcmp(value, words[i]) == 0) {
			*out = i;
			return 0;
		}
	}
	join_words(list, sizeof(list), words);
	return hlt_usage("%s %s: must be %s", option, value, list);
}

int hlt_opt_start(const char *option, const char *value,
		  enum hl_group_start *start, uint64_t *position)
{
	const char *end;

	*position = 0;
	if (strcmp(value, "oldest") == 0) {
		*start = HL_START_OLDEST;
		return 0;
	}
	if (strcmp(value, "newest") == 0) {
		*start = HL_START_NEWEST;
		return 0;
	}
	end = read_digits(value, position);
	if (end == NULL || *end != '\0' || *position == 0 ||
	    *position >= HL_POSITION_MAX)
		return hlt_usage("%s %s: must be oldest, newest or a position",
				 option, value);
	*start = HL_START_POSITION;
	return 0;
}

/* One word behind a group's name. */
static int read_group_word(const char *option, const char *word, size_t len,
			   struct hlt_group *group)
{
	if (!group->durable && len == 7 && memcmp(word, "durable", 7) == 0) {
		group->durable = true;
		return 0;
	}
	for (int i = 0; group->kind < 0 && hlt_kind_words[i] != NULL; i++) {
		if (strlen(hlt_kind_words[i]) == len &&
		    memcmp(word, hlt_kind_words[i], len) == 0) {
			group->kind = i;
			return 0;
		}
	}
	return hlt_usage("%s: write NAME[:exclusive|shared|lossy][:durable], "
			 "not '%.*s'",
			 option, (int)len, word);
}

int hlt_opt_group(const char *option, const char *value,
		  struct hlt_group *group)
{
	size_t len = strcspn(value, ":");

	group->kind = -1;
	group->durable = false;
	if (len == 0 || len >= sizeof(group->name))
		return hlt_usage("%s %s: a group's name has 1 to %zu bytes",
				 option, value, sizeof(group->name) - 1);
	memcpy(group->name, value, len);
	group->name[len] = '\0';
	value += len;
	while (*value == ':') {
		value++;
		len = strcspn(value, ":");
		if (read_group_word(option, value, len, group) != 0)
			return HLT_USAGE;
		value += len;
	}
	return 0;
}
