/* SPDX-License-Identifier: MIT */
/*
 * msg_json - JSON as messages
 *
 * A standard message is an object of its fields:
 *
 *     {"position": 7, "type": 3, "timestamp": 1700000000000000000,
 *      "amount": -250, "sender": "ALICE", "recipient": "BOB",
 *      "body": "00ff...", "payload": ["text", {"hex": "00ff"}]}
 *
 * body has what follows the first 64 bytes of a larger slot. Any other message
 * is {"position": 7, "slot": "00ff..."}: all of its bytes. Numbers above 2^53
 * may be strings; bytes that are no text are {"hex": digits}. What view.h writes
 * is read here, so that rings can be copied through a pipe.
 */
#ifndef HLT_MSG_JSON_H
#define HLT_MSG_JSON_H

#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/uio.h>

#include <hotline/message.h>

/* A message to send. */
struct hlt_message {
	alignas(64) unsigned char slot[HL_SLOT_BYTES_MAX];
	size_t size_bytes; /* of it that are the message: 64 at least */
	bool has_magic;
	bool has_timestamp;
	struct iovec *fields; /* of the payload; they lie in bytes */
	size_t nfields;
	unsigned char *bytes;
};

/*
 * hlt_message_from_json - read one message
 *
 * line need not be terminated and may hold anything. Members that only say how
 * a message came (position, checksum, lost ...) are passed over; unknown ones
 * are an error, so that a misspelt name is noticed. On success *out is given
 * back with hlt_message_fini(); on failure it needs not.
 *
 * Returns: 0, or with a sentence in why
 *   -EINVAL  not a message
 *   -ENOMEM
 */
int hlt_message_from_json(const char *line, size_t len, struct hlt_message *out,
			  char *why, size_t why_bytes);
void hlt_message_fini(struct hlt_message *message);

#endif /* HLT_MSG_JSON_H */
