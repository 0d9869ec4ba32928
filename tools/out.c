/* SPDX-License-Identifier: MIT */
/*
 * out - what a command says: one JSON document, or a sentence on standard error
 *
 * The state is the process's: there is one standard output. The first failed
 * write is remembered with its errno, since ferror() alone does not tell a
 * reader that left from a full disk.
 */
#include "out.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "text.h"

enum {
	SENTENCE_BYTES = 512,
	JSON_FLAGS = JSON_ENCODE_ANY,
};
#define JSON_EXACT (INT64_C(1) << 53) /* beyond it a double skips numbers */

static struct {
	const char *command;
	enum hlt_json_mode json;
	bool printed;			    /* a document, or part of one */
	int write_error;		    /* errno of the first lost write */
	char complaint[2 * SENTENCE_BYTES]; /* the last one, escaped */
} out;

void hlt_out_command(const char *name)
{
	out.command = name;
}

void hlt_out_json(enum hlt_json_mode mode)
{
	out.json = mode;
}

static void print_complaint(const char *subject, const char *sentence)
{
	char line[2 * SENTENCE_BYTES];

	snprintf(line, sizeof(line), "%s%s%s", subject ? subject : "",
		 subject ? ": " : "", sentence);
	hlt_text_escape(out.complaint, sizeof(out.complaint), line,
			strlen(line), 0);
	fprintf(stderr, "hotline: %s%s%s\n", out.command ? out.command : "",
		out.command ? ": " : "", out.complaint);
}

void hlt_complain(const char *subject, const char *format, ...)
{
	char sentence[SENTENCE_BYTES];
	va_list args;

	va_start(args, format);
	vsnprintf(sentence, sizeof(sentence), format, args);
	va_end(args);
	print_complaint(subject, sentence);
}

int hlt_exit_of(int code)
{
	switch (code) {
	case -EINVAL: /* a value that the command left to the library */
		return HLT_USAGE;
	case -ENOENT:
		return HLT_NO_RING;
	case -EAGAIN:
	case -ETIMEDOUT:
	case -ENOTCONN:
		return HLT_NOTHING;
	case -EBUSY:
	case -EEXIST:
	case -EUSERS:
		return HLT_TAKEN;
	case -EBADMSG:
	case -EPROTONOSUPPORT:
		return HLT_DAMAGED;
	default:
		return HLT_FAILED;
	}
}

const char *hlt_last_complaint(void)
{
	return out.complaint;
}

/* What a code means on a ring, where the system's words would mislead. */
static const char *words_for(int code)
{
	switch (code) {
	case -EAGAIN:
	case -ETIMEDOUT:
		return "the ring is full";
	case -ENOTCONN:
		return "the ring has no group, and keeps nothing without one";
	case -EPIPE:
		return "the ring is finished: it takes no more messages";
	case -EIDRM:
		return "evicted from the ring";
	case -EBADMSG:
		return "the ring is damaged";
	case -EOVERFLOW:
		return "all positions of the ring are used up";
	default:
		return strerror(-code);
	}
}

int hlt_fail(const char *name, int code, const struct hl_error *err)
{
	const size_t len = name ? strlen(name) : 0;

	if (err == NULL || err->text[0] == '\0')
		print_complaint(name, words_for(code));
	else if (len == 0)
		print_complaint(NULL, err->text + strspn(err->text, ": "));
	else if (strncmp(err->text, name, len) == 0 && err->text[len] == ':')
		print_complaint(NULL, err->text);
	else
		print_complaint(name, err->text);
	return hlt_exit_of(code);
}

static void out_of_memory(void)
{
	hlt_complain(NULL, "out of memory");
	exit(HLT_FAILED);
}

void *hlt_alloc(size_t bytes)
{
	void *p = calloc(1, bytes ? bytes : 1);

	if (p == NULL)
		out_of_memory();
	return p;
}

void *hlt_realloc(void *old, size_t bytes)
{
	void *p = realloc(old, bytes ? bytes : 1);

	if (p == NULL)
		out_of_memory();
	return p;
}

bool hlt_out_reader_gone(void)
{
	struct pollfd fd = { .fd = STDOUT_FILENO };

	return poll(&fd, 1, 0) > 0 && fd.revents & POLLERR;
}

/*
 * Keeps the errno of the first write that failed. A write that failed in the
 * middle of something may have left none: then the descriptor is asked.
 */
static void note_write(bool ok)
{
	if (ok || out.write_error != 0)
		return;
	if (errno != 0)
		out.write_error = errno;
	else
		out.write_error = hlt_out_reader_gone() ? EPIPE : EIO;
}

void hlt_json_print(json_t *document)
{
	if (document == NULL)
		out_of_memory();
	out.printed = true;
	errno = 0;
	note_write(json_dumpf(document, stdout, JSON_FLAGS | JSON_INDENT(2)) ==
			   0 &&
		   putchar('\n') != EOF);
	json_decref(document);
}

void hlt_json_print_line(json_t *value)
{
	if (value == NULL)
		out_of_memory();
	out.printed = true;
	errno = 0;
	note_write(json_dumpf(value, stdout, JSON_FLAGS | JSON_COMPACT) == 0 &&
		   putchar('\n') != EOF);
	json_decref(value);
}

void hlt_json_set(json_t *object, const char *key, json_t *value)
{
	if (value == NULL || json_object_set_new(object, key, value) < 0)
		out_of_memory();
}

void hlt_json_append(json_t *array, json_t *value)
{
	if (value == NULL || json_array_append_new(array, value) < 0)
		out_of_memory();
}

json_t *hlt_json_u64(uint64_t value)
{
	char digits[24];

	if (value <= (uint64_t)JSON_EXACT)
		return json_integer((json_int_t)value);
	snprintf(digits, sizeof(digits), "%llu", (unsigned long long)value);
	return json_string(digits);
}

json_t *hlt_json_i64(int64_t value)
{
	char digits[24];

	if (value >= -JSON_EXACT && value <= JSON_EXACT)
		return json_integer((json_int_t)value);
	snprintf(digits, sizeof(digits), "%lld", (long long)value);
	return json_string(digits);
}

json_t *hlt_json_bytes(const void *data, size_t len)
{
	json_t *object;

	if (hlt_text_ok(data, len, true))
		return json_stringn(data, len);
	object = json_object();
	hlt_json_set(object, "hex", hlt_json_hex(data, len));
	return object;
}

json_t *hlt_json_hex(const void *data, size_t len)
{
	static const char digits[] = "0123456789abcdef";
	const unsigned char *bytes = data;
	char *hex = hlt_alloc(2 * len);
	json_t *value;

	for (size_t i = 0; i < len; i++) {
		hex[2 * i] = digits[bytes[i] >> 4];
		hex[2 * i + 1] = digits[bytes[i] & 0xf];
	}
	value = json_stringn(hex, 2 * len);
	free(hex);
	return value;
}

bool hlt_out_failed(void)
{
	errno = 0;
	note_write(fflush(stdout) == 0 && !ferror(stdout));
	return out.write_error != 0;
}

/* The document that stands for an error, when a program waits for one. */
static void print_error_document(int status)
{
	json_t *document = json_object();

	hlt_json_set(document, "error", json_string(out.complaint));
	hlt_json_set(document, "exit", json_integer(status));
	hlt_json_print(document);
}

int hlt_out_finish(int status)
{
	if (out.json == HLT_JSON_DOCUMENT && !out.printed && status != HLT_DONE)
		print_error_document(status);
	if (hlt_out_failed() && out.write_error != EPIPE) {
		hlt_complain(NULL, "cannot write to standard output: %s",
			     strerror(out.write_error));
		return status == HLT_DONE ? HLT_FAILED : status;
	}
	return status;
}
