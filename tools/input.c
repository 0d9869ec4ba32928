/* SPDX-License-Identifier: MIT */
/*
 * input - lines and records from a descriptor, of bounded length
 *
 * Not stdio: getline() grows without bound, and a buffered read cannot be ended
 * by a signal without a race.
 */
#include "input.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "out.h"
#include "stop.h"

enum {
	FIRST_ROOM = 64 * 1024
};

void hlt_input_init(struct hlt_input *input, int fd, size_t limit)
{
	memset(input, 0, sizeof(*input));
	input->fd = fd;
	input->limit = limit;
	input->room = FIRST_ROOM;
	input->buffer = hlt_alloc(input->room);
}

void hlt_input_fini(struct hlt_input *input)
{
	free(input->buffer);
	input->buffer = NULL;
}

static size_t held(const struct hlt_input *input)
{
	return input->end - input->at;
}

/* Room behind what is held, up to one byte more than the limit in all. */
static void make_room(struct hlt_input *input)
{
	if (input->at > 0) {
		memmove(input->buffer, input->buffer + input->at, held(input));
		input->end -= input->at;
		input->at = 0;
	}
	if (input->end < input->room)
		return;
	input->room *= 2;
	input->buffer = hlt_realloc(input->buffer, input->room);
}

/* Reads on. Returns 1, 0 at the end, or a negative errno. */
static int fill(struct hlt_input *input)
{
	ssize_t got;

	if (input->ended)
		return 0;
	make_room(input);
	do {
		if (hlt_stop_poll(input->fd) < 0)
			return -ECANCELED;
		got = read(input->fd, input->buffer + input->end,
			   input->room - input->end);
	} while (got < 0 && (errno == EINTR || errno == EAGAIN));
	if (got < 0)
		return -errno;
	input->end += (size_t)got;
	input->ended = got == 0;
	return got > 0;
}

/* Passes over the rest of a line that is too long. */
static int skip_line(struct hlt_input *input)
{
	const char *end;
	int ret;

	for (;;) {
		end = memchr(input->buffer + input->at, '\n', held(input));
		if (end != NULL) {
			input->at = (size_t)(end - input->buffer) + 1;
			return -EMSGSIZE;
		}
		input->at = input->end;
		ret = fill(input);
		if (ret <= 0)
			return ret < 0 ? ret : -EMSGSIZE;
	}
}

/* Hands out len bytes and passes over extra more. */
static int hand_out(struct hlt_input *input, size_t len, size_t extra,
		    const char **data, size_t *out_len)
{
	*data = input->buffer + input->at;
	*out_len = len;
	input->at += len + extra;
	return 1;
}

int hlt_input_line(struct hlt_input *input, const char **line, size_t *len)
{
	size_t seen = 0; /* bytes in which there is no end of line */

	for (;;) {
		const char *start = input->buffer + input->at;
		const char *end =
			memchr(start + seen, '\n', held(input) - seen);
		int ret;

		if (end != NULL && (size_t)(end - start) <= input->limit) {
			input->number++;
			return hand_out(input, (size_t)(end - start), 1, line,
					len);
		}
		seen = held(input);
		if (end != NULL || seen > input->limit) {
			input->number++;
			return skip_line(input);
		}
		ret = fill(input);
		if (ret < 0)
			return ret;
		if (ret == 0 && seen == 0)
			return 0;
		if (ret == 0) {
			input->number++;
			return hand_out(input, seen, 0, line, len);
		}
	}
}

int hlt_input_record(struct hlt_input *input, const char **record, size_t *len)
{
	while (held(input) < input->limit) {
		const int ret = fill(input);

		if (ret < 0)
			return ret;
		if (ret == 0 && held(input) == 0)
			return 0;
		if (ret == 0) {
			input->number++;
			hand_out(input, held(input), 0, record, len);
			return -EMSGSIZE;
		}
	}
	input->number++;
	return hand_out(input, input->limit, 0, record, len);
}
