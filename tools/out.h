/* SPDX-License-Identifier: MIT */
/*
 * out - what a command says: one JSON document, or a sentence on standard error
 *
 * Data goes to standard output alone and complaints to standard error alone. A
 * command that was asked for JSON and fails before it printed anything still
 * leaves one valid document, {"error": ..., "exit": ...}, so that whoever
 * parses its output need not tell an error from silence. Writing can fail late:
 * hlt_out_finish() turns that into an exit status.
 */
#ifndef HLT_OUT_H
#define HLT_OUT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include <hotline/ring.h>

/* What error messages begin with, after "hotline: ". NULL: nothing. */
void hlt_out_command(const char *name);

/* The command prints a document, or values one a line (stream). */
enum hlt_json_mode {
	HLT_JSON_OFF = 0,
	HLT_JSON_DOCUMENT,
	HLT_JSON_STREAM,
};
void hlt_out_json(enum hlt_json_mode mode);

/*
 * hlt_complain - say on standard error what is wrong
 *
 * Prints "hotline: COMMAND: SUBJECT: sentence" in one line, with all that is
 * not text escaped. subject may be NULL.
 */
__attribute__((format(printf, 2, 3))) void
hlt_complain(const char *subject, const char *format, ...);

/*
 * hlt_fail - complain about a call that failed, and choose the exit status
 *
 * code is what the call returned. err has its sentence; NULL, or without text,
 * the system's words for code are used.
 */
int hlt_fail(const char *name, int code, const struct hl_error *err);

/* What was complained about last, without the command; text. */
const char *hlt_last_complaint(void);

/* The exit status for a negative errno. */
int hlt_exit_of(int code);

/* Print a document and give it up; NULL means that there was no memory. */
void hlt_json_print(json_t *document);

/* Print a value in a line of its own, and give it up. */
void hlt_json_print_line(json_t *value);

/* Add a member, and give value up. Ends the program without memory. */
void hlt_json_set(json_t *object, const char *key, json_t *value);
void hlt_json_append(json_t *array, json_t *value);

/* A number up to 2^53, above that a string of its digits. */
json_t *hlt_json_u64(uint64_t value);
json_t *hlt_json_i64(int64_t value);

/* A string when the bytes are text, else {"hex": digits}. */
json_t *hlt_json_bytes(const void *data, size_t len);
json_t *hlt_json_hex(const void *data, size_t len);

/* Was a write to standard output lost, or did its reader go away? */
bool hlt_out_failed(void);

/* Has the reader of standard output gone away? Does not wait. */
bool hlt_out_reader_gone(void);

/*
 * hlt_out_finish - flush standard output and say if that failed
 *
 * status is what the command came to. Returns the program's exit status: a
 * reader that went away early is no failure, any other lost byte is.
 */
int hlt_out_finish(int status);

/* Memory, or the end of the program with a message. */
void *hlt_alloc(size_t bytes);
void *hlt_realloc(void *old, size_t bytes);

#endif /* HLT_OUT_H */
