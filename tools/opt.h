/* SPDX-License-Identifier: MIT */
/*
 * opt - command lines: options, and the values people write after them
 *
 * Every reader of a value returns 0, or HLT_USAGE after it has said on standard
 * error which option it was and what is wrong with its value.
 */
#ifndef HLT_OPT_H
#define HLT_OPT_H

#include <getopt.h>
#include <stddef.h>
#include <stdint.h>

#include <hotline/ring.h>

/*
 * hlt_getopt - the next option: its letter or value, -1 after the last
 *
 * shorts begins with ':'. What is not an option of the command is complained
 * about and returned as '?'.
 */
int hlt_getopt(int argc, char **argv, const char *shorts,
	       const struct option *longs);

/* Print the text of --help. Returns HLT_DONE. */
int hlt_help(const char *text);

/* Complain about wrong usage, name --help, and return HLT_USAGE. */
__attribute__((format(printf, 1, 2))) int hlt_usage(const char *format, ...);

/* The one argument that is left, in *out: "a ring's name". */
int hlt_one_argument(int argc, char **argv, const char *what, const char **out);

/* A whole number from least to most. */
int hlt_opt_number(const char *option, const char *value, uint64_t least,
		   uint64_t most, uint64_t *out);

/* A number, or one with K, M or G for 1024 and its powers. */
int hlt_opt_size(const char *option, const char *value, uint64_t least,
		 uint64_t most, uint64_t *out);

/*
 * A time: seconds, which may have a fraction, or a number with ns, us, ms, s,
 * m or h behind it; "forever" for HL_FOREVER.
 */
int hlt_opt_duration(const char *option, const char *value, int64_t *out_ns);

/* One of the words of a list that ends with NULL; its place in *out. */
int hlt_opt_word(const char *option, const char *value,
		 const char *const *words, int *out);

/* oldest, newest, or a position. */
int hlt_opt_start(const char *option, const char *value,
		  enum hl_group_start *start, uint64_t *position);

/* NAME[:exclusive|shared|lossy][:durable], cut out of value. */
struct hlt_group {
	char name[HL_GROUP_NAME_BYTES];
	int kind; /* enum hl_group_kind, -1 when none was given */
	bool durable;
};
int hlt_opt_group(const char *option, const char *value,
		  struct hlt_group *group);

/* The words for values of the library's enums. */
extern const char *const hlt_kind_words[];
extern const char *const hlt_producers_words[];
extern const char *const hlt_unread_words[];
extern const char *const hlt_checksum_words[];

/* The word for a value that may come from a damaged ring: "?" if it has none */
const char *hlt_word(const char *const *words, unsigned value);

#endif /* HLT_OPT_H */
