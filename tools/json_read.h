/* SPDX-License-Identifier: MIT */
/*
 * json_read - values in JSON as numbers and bytes of a message
 *
 * Pure functions. What is refused is told in a sentence that begins with the
 * member's name.
 */
#ifndef HLT_JSON_READ_H
#define HLT_JSON_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

/* Room for a sentence. */
struct hlt_why {
	char *text;
	size_t bytes;
};

/* Write the sentence, and return -EINVAL. */
__attribute__((format(printf, 2, 3))) int hlt_refuse(const struct hlt_why *why,
						     const char *format, ...);

/* A whole number, or a string of one: magnitude and sign. */
bool hlt_read_whole(const json_t *value, uint64_t *magnitude, bool *negative);

/* A string of hex digits; to has room for half as many bytes. 0, -EINVAL. */
int hlt_read_hex(const char *key, const json_t *value, unsigned char *to,
		 const struct hlt_why *why);

/*
 * A string or {"hex": digits}: how many bytes that is, and then the bytes, for
 * which to has as much room. Both return 0 or -EINVAL.
 */
int hlt_bytes_size(const char *key, const json_t *value, size_t *size,
		   const struct hlt_why *why);
int hlt_read_bytes(const char *key, const json_t *value, unsigned char *to,
		   const struct hlt_why *why);

#endif /* HLT_JSON_READ_H */
