/* SPDX-License-Identifier: MIT */
/*
 * encode - JSON as messages, by the schema of their ring
 *
 *     {"type": "sell", "amount": -250, "account": "ABC", "levels": [1, 2],
 *      "payload": {"memo": "a text", "volumes": [100]}}
 *
 * What decode.h writes is read here. Values of an enum may be names or numbers;
 * the payload may be an array too, in its order. {"slot": digits} is any
 * message, as without a schema.
 */
#ifndef HLT_ENCODE_H
#define HLT_ENCODE_H

#include <hotline/schema.h>

#include "json_read.h"
#include "msg_json.h"

/* A line, and what its message is to be. */
struct hlt_encode {
	const struct hl_schema *schema;
	uint32_t magic; /* of the ring's messages; 0: HL_MESSAGE_MAGIC */
	struct hlt_why why;
};

/*
 * hlt_message_by_schema - read one message
 *
 * As hlt_message_from_json(), which says what becomes of *out. A timestamp that
 * the line leaves out is now; a magic that it leaves out is the ring's.
 */
int hlt_message_by_schema(const struct hlt_encode *encode, const char *line,
			  size_t len, struct hlt_message *out);

#endif /* HLT_ENCODE_H */
