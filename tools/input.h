/* SPDX-License-Identifier: MIT */
/*
 * input - lines and records from a descriptor, of bounded length
 *
 * What has come is handed out at once; memory grows to the limit at most.
 */
#ifndef HLT_INPUT_H
#define HLT_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hlt_input {
	int fd;
	char *buffer;
	size_t room;
	size_t at, end; /* of what was read and not handed out */
	size_t limit;	/* bytes of a line or record */
	bool ended;
	uint64_t number; /* of the line or record handed out last, from 1 */
};

void hlt_input_init(struct hlt_input *input, int fd, size_t limit);
void hlt_input_fini(struct hlt_input *input);

/*
 * hlt_input_line - the next line, without its end
 *
 * *line is good until the next call. The last line need not be ended.
 *
 * Returns: 1, 0 at the end of the input, or
 *   -EMSGSIZE   the line is longer than the limit; it was passed over
 *   -ECANCELED  the command is asked to end (stop.h)
 *   others      from read()
 */
int hlt_input_line(struct hlt_input *input, const char **line, size_t *len);

/*
 * hlt_input_record - the next limit bytes
 *
 * Returns as hlt_input_line(); -EMSGSIZE: fewer bytes than a record are left,
 * *len of them.
 */
int hlt_input_record(struct hlt_input *input, const char **record, size_t *len);

#endif /* HLT_INPUT_H */
