/* SPDX-License-Identifier: MIT */
/*
 * payload.c - payloads of producers, and the calls that copy a message
 */
#include "config.h"

#include "payload.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "reap.h"
#include "record.h"
#include "straight.h"
#include "util.h"

#define FIELD_ALIGN 8u

/* The fields of a payload: sizes alone, or what to copy. */
struct fields {
	const size_t *sizes;
	const struct iovec *copy; /* where sizes is NULL */
	size_t n;
};

/*
 * The small steps of each payload are one function: as calls they were half of
 * its instructions, and what kind of fields there are was asked for each.
 */
static HLI_INLINE size_t field_size(const struct fields *fields, size_t i)
{
	return fields->sizes ? fields->sizes[i] : fields->copy[i].iov_len;
}

/* The size of a section with these fields; false when it never fits. */
static HLI_INLINE bool section_bytes(const struct hli_view *view,
				     const struct fields *fields,
				     uint32_t *bytes)
{
	uint64_t sum = HL_PAYLOAD_HEADER_BYTES +
		       (uint64_t)fields->n * HL_PAYLOAD_ENTRY_BYTES;
	size_t i;

	if (fields->n > HL_PAYLOAD_FIELDS_MAX || sum > view->geo.block_stride)
		return false;
	for (i = 0; i < fields->n; i++) {
		const size_t size = field_size(fields, i);

		if (size > view->geo.block_stride)
			return false;
		sum += hli_round_up(size, FIELD_ALIGN);
		if (sum > view->geo.block_stride)
			return false;
	}
	*bytes = (uint32_t)sum;
	return view->geo.nblocks > 0;
}

static void put_u32(unsigned char *at, uint32_t v)
{
	memcpy(at, &v, sizeof(v));
}

/* As hli_lease_alloc(), when the block at hand does not do. */
static uint32_t alloc_elsewhere(struct hli_claimer *claimer, uint32_t bytes)
{
	const uint32_t line = hli_lease_alloc(claimer->view, claimer->index,
					      &claimer->lease, &claimer->low,
					      bytes);

	if (claimer->lease.freed) {
		claimer->lease.freed = false;
		hli_wake(claimer->view, HLI_SLEEPERS_PRODUCERS);
	}
	return line;
}

/* The next payload is likely to be as large, and right behind: its lines come
 * while this one is written. Up to 4 KiB with header and table; what is larger
 * the processor fetches ahead by itself. */
#define ASK_BYTES (66 * HL_LINE_BYTES)

static HLI_INLINE void ask_for_next(const struct hli_view *view,
				    const struct hli_lease *lease,
				    const unsigned char *section,
				    uint32_t bytes)
{
	const uint32_t room = (uint32_t)hli_round_up(bytes, HL_LINE_BYTES);
	uint32_t at;

	if (room > ASK_BYTES || !hli_lease_holds(view, lease, bytes))
		return;
	for (at = room; at < 2 * room; at += HL_LINE_BYTES)
		hl_line_ask(section + at);
}

/* Allocate bytes for a section: space->section and its place in the file. */
static HLI_INLINE int alloc_section(struct hl_producer *producer,
				    uint32_t bytes,
				    struct hl_payload_space *space)
{
	struct hli_claimer *const claimer = &producer->claimer;
	const struct hli_view *const view = claimer->view;
	uint32_t line;

	if (!hli_member_live(&producer->member))
		return -EIDRM;
	if (hli_lease_holds(view, &claimer->lease, bytes)) {
		line = hli_lease_take(view, &claimer->lease, bytes);
	} else {
		line = alloc_elsewhere(claimer, bytes);
		if (line == 0)
			return -ENOBUFS;
		if (line == UINT32_MAX)
			return -EMSGSIZE;
	}
	space->section = view->base + (uint64_t)line * HL_LINE_BYTES;
	ask_for_next(view, &claimer->lease, space->section, bytes);
	space->payload_offset = line;
	space->size_bytes = bytes;
	return 0;
}

/* Write the header and the table; copy the fields if there is something. */
static HLI_INLINE void fill_section(unsigned char *section, uint32_t bytes,
				    const struct fields *fields)
{
	uint32_t at = (uint32_t)(HL_PAYLOAD_HEADER_BYTES +
				 fields->n * HL_PAYLOAD_ENTRY_BYTES);
	size_t i;

	put_u32(section, bytes);
	put_u32(section + 4, (uint32_t)fields->n);
	for (i = 0; i < fields->n; i++) {
		const size_t size = field_size(fields, i);
		unsigned char *const entry = section + HL_PAYLOAD_HEADER_BYTES +
					     i * HL_PAYLOAD_ENTRY_BYTES;

		put_u32(entry, at);
		put_u32(entry + 4, (uint32_t)size);
		if (fields->copy && size)
			memcpy(section + at, fields->copy[i].iov_base, size);
		at += (uint32_t)hli_round_up(size, FIELD_ALIGN);
	}
}

static HLI_INLINE int alloc_fields(struct hl_producer *producer,
				   const struct fields *fields,
				   struct hl_payload_space *space)
{
	uint32_t bytes;
	int ret;

	if (!section_bytes(&producer->member.ring->view, fields, &bytes))
		return -EMSGSIZE;
	ret = alloc_section(producer, bytes, space);
	if (ret < 0)
		return ret;
	space->nfields = (uint32_t)fields->n;
	fill_section(space->section, bytes, fields);
	return 0;
}

int hl_payload_alloc(struct hl_producer *producer, const size_t *field_bytes,
		     size_t nfields, struct hl_payload_space *space)
{
	const struct fields fields = { .sizes = field_bytes, .n = nfields };
	int ret = hli_enter(&producer->member);

	if (ret < 0)
		return ret;
	ret = alloc_fields(producer, &fields, space);
	hli_leave(&producer->member);
	return ret;
}

void hl_payload_cancel(struct hl_producer *producer,
		       const struct hl_payload_space *space)
{
	struct hli_claimer *const claimer = &producer->claimer;

	if (hli_enter(&producer->member) < 0)
		return;
	hli_lease_cancel(claimer->view, &claimer->lease, space->payload_offset);
	hli_leave(&producer->member);
}

int hl_payload_put(struct hl_producer *producer, const struct iovec *fields,
		   size_t nfields, struct hl_payload_space *space)
{
	const struct fields copy = { .copy = fields, .n = nfields };
	int ret = hli_enter(&producer->member);

	if (ret < 0)
		return ret;
	ret = alloc_fields(producer, &copy, space);
	hli_leave(&producer->member);
	return ret;
}

static bool block_ready(void *self, bool fresh)
{
	const struct hl_producer *const producer = self;
	const struct hli_view *const view = &producer->member.ring->view;

	(void)fresh;
	return !hli_member_live(&producer->member) ||
	       (hli_load_acq(&view->header->head) & HLI_FINISHED) ||
	       hli_block_to_have(view);
}

static const struct hli_wait_ops block_ops = {
	block_ready,
	hli_producer_look,
	hli_producer_held_back,
};

/* Wait for a block with nothing in hand. */
static int wait_for_block(struct hl_producer *producer, int64_t deadline_ns)
{
	struct hli_member *const member = &producer->member;
	const struct hli_view *const view = &member->ring->view;
	int ret;

	hli_range_empty(member->record);
	hli_count(&member->record->full, 1);
	member->wait.bit = HLI_SLEEPERS_PRODUCERS;
	ret = hli_wait_until(&member->wait, &block_ops, producer, deadline_ns);
	if (ret < 0)
		return ret;
	if (!hli_member_live(member))
		return -EIDRM;
	return hli_load_acq(&view->header->head) & HLI_FINISHED ? -EPIPE : 0;
}

int hl_payload_wait(struct hl_producer *producer, int64_t timeout_ns)
{
	int ret = hli_enter(&producer->member);

	if (ret < 0)
		return ret;
	if (producer->claimer.count || hli_lease_open(&producer->claimer.lease))
		ret = -EBUSY;
	else if (!hli_timeout_ok(timeout_ns, false))
		ret = -EINVAL;
	else
		ret = wait_for_block(producer, hli_deadline_ns(timeout_ns));
	hli_leave(&producer->member);
	return ret;
}

/* What is to be sent: fields to copy, or a section that is whole already. */
struct parcel {
	const unsigned char *message;
	size_t size_bytes;
	struct fields fields;
	const struct hl_payload *section;
};

static int put_section(struct hl_producer *producer,
		       const struct hl_payload *section,
		       struct hl_payload_space *space)
{
	const int ret = alloc_section(producer, section->size_bytes, space);

	if (ret < 0)
		return ret;
	space->nfields = section->nfields;
	memcpy(space->section, section->section, section->size_bytes);
	/* What was checked, whatever the source holds by now. */
	put_u32(space->section, section->size_bytes);
	put_u32(space->section + 4, section->nfields);
	return 0;
}

/* Put the payload, waiting for a block if the caller would wait. */
static int put_parcel(struct hl_producer *producer, const struct parcel *parcel,
		      int64_t deadline_ns, struct hl_payload_space *space)
{
	int ret;

	for (;;) {
		ret = parcel->section ?
			      put_section(producer, parcel->section, space) :
			      alloc_fields(producer, &parcel->fields, space);
		if (ret != -ENOBUFS ||
		    hli_lease_open(&producer->claimer.lease) ||
		    deadline_ns == 0)
			return ret;
		ret = wait_for_block(producer, deadline_ns);
		if (ret < 0)
			return ret;
	}
}

static void fill_slot(struct hl_producer *producer, const struct parcel *parcel,
		      uint32_t payload_offset)
{
	const struct hli_claimer *const claimer = &producer->claimer;
	unsigned char *const slot = hli_slot(claimer->view, claimer->first);
	const size_t rest = claimer->view->geo.slot_bytes - parcel->size_bytes;

	/* Of a known size it is no call. */
	if (parcel->size_bytes == HL_LINE_BYTES)
		hl_message_copy(slot, parcel->message, HL_LINE_BYTES);
	else
		hl_message_copy(slot, parcel->message, parcel->size_bytes);
	if (rest)
		memset(slot + parcel->size_bytes, 0, rest);
	put_u32(slot + HL_PAYLOAD_OFFSET, payload_offset);
}

/* The clock is read only by who may have to wait. */
static int64_t time_left(int64_t deadline_ns, int64_t timeout_ns)
{
	int64_t left;

	if (timeout_ns <= 0 || timeout_ns == HL_FOREVER)
		return timeout_ns;
	left = deadline_ns - hli_now_ns();
	return left > 0 ? left : 1;
}

static int send_plain(struct hl_producer *producer, const struct parcel *parcel,
		      int64_t timeout_ns)
{
	const ssize_t got = hli_producer_claim(producer, 1, timeout_ns);
	int ret;

	if (got <= 0)
		return (int)got;
	fill_slot(producer, parcel, 0);
	ret = hli_producer_publish(producer);
	hli_see_straight(&producer->claimer);
	return ret < 0 ? ret : 1;
}

HLI_APART static int send_with_payload(struct hl_producer *producer,
				       const struct parcel *parcel,
				       int64_t timeout_ns)
{
	const int64_t deadline = timeout_ns > 0 ? hli_deadline_ns(timeout_ns) :
						  0;
	struct hl_payload_space space = { 0 };
	ssize_t got;
	int ret;

	ret = put_parcel(producer, parcel, deadline, &space);
	timeout_ns = time_left(deadline, timeout_ns);
	if (ret == -ENOBUFS && timeout_ns == HL_DROP) {
		hli_count(&producer->member.record->dropped, 1);
		return 0;
	}
	if (ret < 0)
		return ret;
	got = hli_producer_claim(producer, 1, timeout_ns);
	if (got <= 0) {
		hli_lease_cancel(producer->claimer.view,
				 &producer->claimer.lease,
				 space.payload_offset);
		return (int)got;
	}
	fill_slot(producer, parcel, space.payload_offset);
	ret = hli_producer_publish(producer);
	return ret < 0 ? ret : 1;
}

/* The checks that all ways to send share. */
static int send_checked(struct hl_producer *producer,
			const struct parcel *parcel, int64_t timeout_ns)
{
	int ret = hli_enter(&producer->member);

	if (ret < 0)
		return ret;
	if (parcel->size_bytes == 0 || parcel->size_bytes % HL_LINE_BYTES ||
	    !hli_timeout_ok(timeout_ns, true) ||
	    parcel->fields.n > HL_PAYLOAD_FIELDS_MAX)
		ret = -EINVAL;
	else if (parcel->size_bytes > producer->claimer.view->geo.slot_bytes)
		ret = -EMSGSIZE;
	else if (producer->claimer.count)
		ret = -EBUSY;
	else if (parcel->fields.n || parcel->section)
		ret = send_with_payload(producer, parcel, timeout_ns);
	else
		ret = send_plain(producer, parcel, timeout_ns);
	hli_leave(&producer->member);
	return ret;
}

/* By all the steps, waiting where that is asked for. */
HLI_APART static int send_long(struct hl_producer *producer,
			       const void *message, size_t size_bytes,
			       int64_t timeout_ns)
{
	const struct parcel parcel = {
		.message = message,
		.size_bytes = size_bytes,
	};

	return send_checked(producer, &parcel, timeout_ns);
}

int hl_producer_send(struct hl_producer *producer, const void *message,
		     size_t size_bytes, int64_t timeout_ns)
{
	struct hli_claimer *const claimer = &producer->claimer;
	uint64_t position = 0;
	int ret;

	if (size_bytes != HL_LINE_BYTES || timeout_ns < 0)
		return send_long(producer, message, size_bytes, timeout_ns);
	ret = hli_enter(&producer->member);
	if (ret < 0)
		return ret;
	if (claimer->count == 0 && !hli_lease_open(&claimer->lease))
		position = hli_send_straight(claimer, message);
	if (position) {
		hli_wake(claimer->view, HLI_SLEEPERS_FOR_STAMPS);
		if (hli_straight_ends(claimer, position))
			hli_look_ahead(claimer, position + 1);
	}
	hli_leave(&producer->member);
	return position ? 1 :
			  send_long(producer, message, size_bytes, timeout_ns);
}

int hl_producer_sendv(struct hl_producer *producer, const void *message,
		      size_t size_bytes, const struct iovec *fields,
		      size_t nfields, int64_t timeout_ns)
{
	const struct parcel parcel = {
		.message = message,
		.size_bytes = size_bytes,
		.fields = { .copy = fields, .n = nfields },
	};

	return send_checked(producer, &parcel, timeout_ns);
}

int hl_producer_forward(struct hl_producer *producer,
			const struct hl_batch *batch, const void *message,
			int64_t timeout_ns)
{
	struct hl_payload payload;
	const int ret = hl_batch_payload(batch, message, &payload);
	const struct parcel parcel = {
		.message = message,
		.size_bytes = batch->slot_bytes,
		.section = ret == 0 ? &payload : NULL,
	};

	if (ret < 0 && ret != -ENODATA)
		return ret;
	return send_checked(producer, &parcel, timeout_ns);
}

enum hl_verdict hl_batch_validate(const struct hl_batch *batch,
				  const void *message)
{
	const struct hli_view *const view = batch->consumer->taker.view;
	const uint64_t position = hl_message_sequence(message);
	struct hl_payload payload;
	uint32_t word, sum;
	int ret;

	memcpy(&word, message, sizeof(word));
	if (view->geo.message_magic && word != view->geo.message_magic)
		return HL_BAD_MAGIC;
	ret = view->geo.nblocks ? hl_batch_payload(batch, message, &payload) :
				  -ENODATA;
	if (ret < 0 && ret != -ENODATA)
		return HL_BAD_PAYLOAD;
	if (view->geo.checksum == HL_CHECKSUM_NONE)
		return HL_VALID;
	if (view->geo.checksum == HL_CHECKSUM_HEADER)
		ret = -ENODATA;
	sum = hli_checksum(message, view->geo.slot_bytes, position,
			   ret == 0 ? &payload : NULL);
	memcpy(&word, (const char *)message + HL_CHECKSUM_OFFSET, sizeof(word));
	return word == sum ? HL_VALID : HL_BAD_CHECKSUM;
}

int hl_consumer_copy_payload(struct hl_consumer *consumer, const void *message,
			     struct hl_payload *payload)
{
	const struct hli_view *const view = consumer->taker.view;

	if (!consumer->payload_copy && view->geo.nblocks) {
		consumer->payload_copy = malloc(view->geo.block_stride);
		if (!consumer->payload_copy)
			return -ENOMEM;
	}
	return hli_payload_lossy(view, message, consumer->payload_copy,
				 payload);
}
