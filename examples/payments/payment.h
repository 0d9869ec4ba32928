/* SPDX-License-Identifier: MIT */
/*
 * payment - the messages of the payments pipeline
 *
 * The records of an ACH file become messages on one ring, in the file's order:
 * a sole producer's positions follow one another, so a control record comes
 * after all the entries that it is about. Addenda travel with their entry.
 *
 * Slots may have 64 or 128 bytes. The first line is struct hl_message, so that
 * a router can lead an entry by its receiving bank. The detail is the second
 * line where the slot has one, else field 0 of the payload. Texts are further
 * fields of the payload, as long as they are and without terminators.
 */
#ifndef PAYMENT_H
#define PAYMENT_H

#include <hotline/hotline.h>
#include <hotline/schema.h>

#include "nacha_totals.h"

#define PAYMENT_WORKERS "workers" /* shared group: validate and count */
#define PAYMENT_LEDGER "ledger"	  /* exclusive group: check the totals */

/* The type of a message is the type of its record. */
#define PAYMENT_TYPES(N)                                                       \
	N(PAYMENT_FILE, 1, "file")                                             \
	N(PAYMENT_BATCH, 5, "batch")                                           \
	N(PAYMENT_ENTRY, 6, "entry")                                           \
	N(PAYMENT_BATCH_CONTROL, 8, "batch-control")                           \
	N(PAYMENT_FILE_CONTROL, 9, "file-control")
HL_ENUM(payment_type, PAYMENT_TYPES);

enum payment_field {
	PAYMENT_DETAIL, /* empty where the slot has a second line */
	PAYMENT_ACCOUNT,
	PAYMENT_NAME, /* of who pays or is paid; of the company, the bank */
	PAYMENT_ID,
	PAYMENT_ADDENDA, /* the first of them */
};

struct payment_entry {
	uint64_t trace;
	uint32_t code;	  /* transaction code */
	uint32_t addenda; /* that travel with it */
};

struct payment_detail {
	uint64_t line; /* of the record in its file */
	uint32_t file; /* running number of the input, from 1 */
	uint32_t batch;
	union {
		struct payment_entry entry;
		struct nacha_totals said; /* by a control record */
	};
};

struct payment {
	HL_ALIGN_LINE uint32_t magic;
	uint32_t type;
	uint64_t timestamp; /* when it was sent, ns since the epoch */
	int64_t amount;	    /* cents; what is debited is negative */
	uint64_t sequence;
	char sender[12];    /* originating bank, eight digits */
	char recipient[12]; /* receiving bank, nine digits */
	uint32_t checksum;
	uint32_t payload_offset;
	struct payment_detail detail;
};

/*
 * What a ring says of its messages: the first line, of which a slot of 64 bytes
 * is a whole message, the second, and the fields of the payload.
 */
#define PAYMENT_LINE(X)                                                        \
	X(FIELD, hot, u32, magic, "")                                          \
	X(ENUM, hot, u32, type, payment_type)                                  \
	X(FIELD, hot, u64, timestamp, HL_UNIT_TIME)                            \
	X(FIELD, hot, i64, amount, "cents")                                    \
	X(RING, sequence)                                                      \
	X(TEXT, warm, 12, sender, "originating bank")                          \
	X(TEXT, warm, 12, recipient, "receiving bank")                         \
	X(RING, checksum)                                                      \
	X(RING, payload_offset)
#define PAYMENT_SECOND_LINE(X)                                                 \
	X(FIELD, cold, u64, detail.line, "of the file")                        \
	X(FIELD, cold, u32, detail.file, "")                                   \
	X(FIELD, cold, u32, detail.batch, "")                                  \
	X(BYTES, cold, 48, detail.said, "totals, or of an entry its trace")
#define PAYMENT_PAYLOAD(X)                                                     \
	X(PAYLOAD, bytes, detail, "the second line")                           \
	X(PAYLOAD, text, account, "")                                          \
	X(PAYLOAD, text, name, "")                                             \
	X(PAYLOAD, text, id, "")                                               \
	X(PAYLOAD, text, addenda, "the first of them")
#define PAYMENT_NARROW(X) PAYMENT_LINE(X) PAYMENT_PAYLOAD(X)
#define PAYMENT_WIDE(X)                                                        \
	PAYMENT_LINE(X) PAYMENT_SECOND_LINE(X) PAYMENT_PAYLOAD(X)
HL_MESSAGE_STRUCT(payment_line, PAYMENT_NARROW);
HL_MESSAGE_DESCRIBE(payment, PAYMENT_WIDE);
HL_STATIC_ASSERT(offsetof(struct payment, recipient) ==
			 offsetof(struct hl_message, recipient),
		 "struct payment: its first line is not struct hl_message");
HL_STATIC_ASSERT(sizeof(struct payment_detail) == HL_LINE_BYTES,
		 "struct payment_detail: not one line");

/* The messages that go into slots of a size. */
static inline const struct hl_schema *payment_schema_for(size_t slot_bytes)
{
	return slot_bytes >= sizeof(struct payment) ? payment_schema() :
						      payment_line_schema();
}

/* What to join a ring with: a ring without a schema takes anybody. */
static inline const struct hl_schema *payment_join_schema(struct hl_ring *ring)
{
	struct hl_ring_info info;
	struct hl_schema *theirs;

	if (hl_ring_get_schema(ring, &theirs, NULL) == -ENODATA)
		return NULL;
	hl_schema_destroy(theirs);
	hl_ring_get_info(ring, &info);
	return payment_schema_for(info.slot_bytes);
}

/* A message of a batch, taken apart. */
struct payment_view {
	const struct hl_message *head;
	const struct payment_detail *detail;
	struct hl_payload payload;
};

/* One of the texts; empty if there is none. */
static inline const char *payment_text(const struct payment_view *view,
				       uint32_t field, size_t *size_bytes)
{
	const void *data;

	*size_bytes = 0;
	if (hl_payload_field(&view->payload, field, &data, size_bytes) < 0)
		return "";
	return (const char *)data;
}

/*
 * payment_look - find the parts of a message, for a ring's slot size
 *
 * Returns 0, or -EBADMSG when it has no detail or no payload that can be read.
 */
static inline int payment_look(const struct hl_batch *batch,
			       const void *message, size_t slot_bytes,
			       struct payment_view *view)
{
	const void *detail;
	size_t size;

	view->head = (const struct hl_message *)message;
	if (hl_batch_payload(batch, message, &view->payload) < 0)
		return -EBADMSG;
	if (slot_bytes >= sizeof(struct payment)) {
		view->detail = &((const struct payment *)message)->detail;
		return 0;
	}
	if (hl_payload_field(&view->payload, PAYMENT_DETAIL, &detail, &size) <
		    0 ||
	    size != sizeof(*view->detail))
		return -EBADMSG;
	view->detail = (const struct payment_detail *)detail;
	return 0;
}

#endif
