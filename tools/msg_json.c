/* SPDX-License-Identifier: MIT */
/*
 * msg_json - JSON as messages
 *
 * Reading is a pure function of one line: no ring, no clock, no output. Each
 * member is looked up in a table that says where in the slot it goes and how
 * it is read.
 */
#include "msg_json.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "json_read.h"

enum reader {
	READ_U32,
	READ_U64,
	READ_I64,
	READ_TEXT,    /* a string or {"hex"}, padded with zero bytes */
	READ_HEX,     /* digits, to the end of the slot */
	READ_PAYLOAD, /* an array of strings and {"hex"} */
	READ_OVER,    /* says how the message came; not part of it */
	READ_NEVER,   /* says that the message is not whole */
};

static const struct member {
	const char *key;
	enum reader reader;
	size_t at; /* in the slot */
	size_t bytes;
} members[] = {
	{ "magic", READ_U32, offsetof(struct hl_message, magic), 4 },
	{ "type", READ_U32, offsetof(struct hl_message, type), 4 },
	{ "timestamp", READ_U64, offsetof(struct hl_message, timestamp), 8 },
	{ "amount", READ_I64, offsetof(struct hl_message, amount), 8 },
	{ "sender", READ_TEXT, offsetof(struct hl_message, sender), 12 },
	{ "recipient", READ_TEXT, offsetof(struct hl_message, recipient), 12 },
	{ "body", READ_HEX, HL_LINE_BYTES, HL_SLOT_BYTES_MAX - HL_LINE_BYTES },
	{ "slot", READ_HEX, 0, HL_SLOT_BYTES_MAX },
	{ "payload", READ_PAYLOAD, 0, 0 },
	{ "position", READ_OVER, 0, 0 },
	{ "checksum", READ_OVER, 0, 0 },
	{ "lost", READ_OVER, 0, 0 },
	{ "voids", READ_OVER, 0, 0 },
	{ "redelivered", READ_OVER, 0, 0 },
	{ "attempt", READ_OVER, 0, 0 },
	{ "salvage", READ_OVER, 0, 0 },
	{ "invalid", READ_OVER, 0, 0 },
	{ "payload_error", READ_NEVER, 0, 0 },
};

static int no_memory(const struct hlt_why *why)
{
	hlt_refuse(why, "out of memory");
	return -ENOMEM;
}

static int read_number(const struct member *member, const json_t *value,
		       unsigned char *to, const struct hlt_why *why)
{
	const uint64_t most = member->reader == READ_U32 ? UINT32_MAX :
			      member->reader == READ_U64 ? UINT64_MAX :
							   INT64_MAX;
	uint64_t v;
	bool negative;

	if (!hlt_read_whole(value, &v, &negative))
		return hlt_refuse(why, "%s: not a whole number", member->key);
	if (negative && v > 0) {
		if (member->reader != READ_I64)
			return hlt_refuse(why, "%s: below 0", member->key);
		if (v > most + 1)
			return hlt_refuse(why, "%s: below -2^63", member->key);
		v = 0 - v;
	} else if (v > most) {
		return hlt_refuse(why, "%s: above %" PRIu64, member->key, most);
	}

	const uint32_t v32 = (uint32_t)v;

	if (member->bytes == sizeof(v32))
		memcpy(to, &v32, sizeof(v32));
	else
		memcpy(to, &v, sizeof(v));
	return 0;
}

static int read_text(const struct member *member, const json_t *value,
		     unsigned char *to, const struct hlt_why *why)
{
	size_t size;

	if (hlt_bytes_size(member->key, value, &size, why) < 0)
		return -EINVAL;
	if (size > member->bytes)
		return hlt_refuse(why, "%s: %zu bytes, more than %zu",
				  member->key, size, member->bytes);
	return hlt_read_bytes(member->key, value, to, why);
}

static int read_hex(const struct member *member, const json_t *value,
		    struct hlt_message *out, const struct hlt_why *why)
{
	const size_t size = json_string_length(value) / 2;

	if (!json_is_string(value))
		return hlt_refuse(why, "%s: not a string of hex digits",
				  member->key);
	if (size > member->bytes)
		return hlt_refuse(why, "%s: %zu bytes, more than %zu",
				  member->key, size, member->bytes);
	if (member->at == 0 && (size == 0 || size % HL_LINE_BYTES != 0))
		return hlt_refuse(why, "%s: %zu bytes, not a multiple of 64",
				  member->key, size);
	out->size_bytes = (member->at + size + HL_LINE_BYTES - 1) /
			  HL_LINE_BYTES * HL_LINE_BYTES;
	return hlt_read_hex(member->key, value, out->slot + member->at, why);
}

static int read_payload(const json_t *array, struct hlt_message *out,
			const struct hlt_why *why)
{
	const size_t n = json_array_size(array);
	size_t total = 0, size, at = 0;

	if (!json_is_array(array))
		return hlt_refuse(why, "payload: not an array of fields");
	if (n > HL_PAYLOAD_FIELDS_MAX)
		return hlt_refuse(why, "payload: more than %u fields",
				  HL_PAYLOAD_FIELDS_MAX);
	for (size_t k = 0; k < n; k++) {
		if (hlt_bytes_size("payload", json_array_get(array, k), &size,
				   why) < 0)
			return -EINVAL;
		total += size;
	}
	out->fields = calloc(n ? n : 1, sizeof(*out->fields));
	out->bytes = malloc(total ? total : 1);
	if (out->fields == NULL || out->bytes == NULL)
		return no_memory(why);
	for (size_t k = 0; k < n; k++) {
		const json_t *field = json_array_get(array, k);

		if (hlt_bytes_size("payload", field, &size, why) < 0 ||
		    hlt_read_bytes("payload", field, out->bytes + at, why) < 0)
			return -EINVAL;
		out->fields[k].iov_base = out->bytes + at;
		out->fields[k].iov_len = size;
		at += size;
	}
	out->nfields = n;
	return 0;
}

static const struct member *find_member(const char *key)
{
	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
		if (strcmp(key, members[i].key) == 0)
			return &members[i];
	}
	return NULL;
}

static int read_member(const char *key, const json_t *value,
		       struct hlt_message *out, const struct hlt_why *why)
{
	const struct member *member = find_member(key);

	if (member == NULL)
		return hlt_refuse(why, "'%.40s' is no member of a message",
				  key);
	switch (member->reader) {
	case READ_U32:
	case READ_U64:
	case READ_I64:
		return read_number(member, value, out->slot + member->at, why);
	case READ_TEXT:
		return read_text(member, value, out->slot + member->at, why);
	case READ_HEX:
		return read_hex(member, value, out, why);
	case READ_PAYLOAD:
		return read_payload(value, out, why);
	case READ_NEVER:
		return hlt_refuse(why,
				  "its payload was not read (payload_error)");
	case READ_OVER:
		break;
	}
	return 0;
}

/* A slot is all of a message: with a field beside it, who would prevail? */
static bool mixes_slot_and_fields(json_t *object)
{
	if (json_object_get(object, "slot") == NULL)
		return false;
	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
		const struct member *m = &members[i];

		if (m->reader < READ_PAYLOAD && m->at != 0 &&
		    json_object_get(object, m->key) != NULL)
			return true;
	}
	return json_object_get(object, "magic") != NULL;
}

static int read_object(json_t *object, struct hlt_message *out,
		       const struct hlt_why *why)
{
	const uint32_t magic = HL_MESSAGE_MAGIC;
	const char *key;
	json_t *value;

	if (!json_is_object(object))
		return hlt_refuse(why, "not a JSON object");
	if (mixes_slot_and_fields(object))
		return hlt_refuse(why, "slot: goes with payload only");
	memset(out->slot, 0, sizeof(out->slot));
	memcpy(out->slot, &magic, sizeof(magic));
	out->size_bytes = HL_LINE_BYTES;
	json_object_foreach(object, key, value)
	{
		const int ret = read_member(key, value, out, why);

		if (ret < 0)
			return ret;
	}

	const bool whole = json_object_get(object, "slot") != NULL;

	out->has_magic = whole || json_object_get(object, "magic") != NULL;
	out->has_timestamp = whole ||
			     json_object_get(object, "timestamp") != NULL;
	return 0;
}

int hlt_message_from_json(const char *line, size_t len, struct hlt_message *out,
			  char *why_text, size_t why_bytes)
{
	const struct hlt_why why = { why_text, why_bytes };
	json_error_t error;
	json_t *object = json_loadb(line, len,
				    JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL |
					    JSON_DECODE_ANY,
				    &error);
	int ret;

	out->fields = NULL;
	out->nfields = 0;
	out->bytes = NULL;
	if (object == NULL) {
		if (json_error_code(&error) == json_error_out_of_memory)
			return no_memory(&why);
		return hlt_refuse(&why, "not JSON: %s", error.text);
	}
	ret = read_object(object, out, &why);
	json_decref(object);
	if (ret < 0)
		hlt_message_fini(out);
	return ret;
}

void hlt_message_fini(struct hlt_message *message)
{
	free(message->fields);
	free(message->bytes);
	message->fields = NULL;
	message->nfields = 0;
	message->bytes = NULL;
}
