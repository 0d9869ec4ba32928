/* SPDX-License-Identifier: MIT */
/*
 * view - show a message that was received or seen
 *
 * The payload may lie in the ring, where a hostile writer changes it while it
 * is read. Each field is therefore copied before it is judged. Fields of an
 * honest payload do not overlap, so together they are not larger than it is; a
 * table that says otherwise could make gigabytes out of one block, and is shown
 * as damaged.
 */
#include "view.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "opt.h"
#include "out.h"
#include "text.h"

enum {
	SHOWN_BYTES = 256, /* of a field, to people */
	SHOWN_FIELDS = 32,
	TIME_BYTES = 40,
};

/* Timestamps from 2000 to 2099 are shown as time, others as numbers. */
static const uint64_t first_time_ns = UINT64_C(946684800000000000);
static const uint64_t last_time_ns = UINT64_C(4102444799999999999);

static bool is_standard(const struct hlt_view *view)
{
	uint32_t magic;

	memcpy(&magic, view->slot, sizeof(magic));
	return magic == HL_MESSAGE_MAGIC;
}

/* Bytes up to the last that is not zero. */
static size_t used_bytes(const char *field, size_t field_bytes)
{
	while (field_bytes > 0 && field[field_bytes - 1] == '\0')
		field_bytes--;
	return field_bytes;
}

static const char *payload_error(int status)
{
	return status == -ESTALE ? "overwritten" :
	       status == -ENOMEM ? "out of memory" :
				   "damaged";
}

static const char *verdict_word(enum hl_verdict verdict)
{
	switch (verdict) {
	case HL_BAD_MAGIC:
		return "magic";
	case HL_BAD_CHECKSUM:
		return "checksum";
	case HL_BAD_PAYLOAD:
		return "payload";
	case HL_VALID:
		break;
	}
	return NULL;
}

/* A copy of field k, to be freed, or NULL if it is damaged. */
static void *copy_field(const struct hlt_view *view, uint32_t k, size_t *budget,
			size_t *len)
{
	const void *data;
	void *copy;

	if (hl_payload_field(&view->payload, k, &data, len) < 0 ||
	    *len > *budget)
		return NULL;
	*budget -= *len;
	copy = hlt_alloc(*len);
	memcpy(copy, data, *len);
	return copy;
}

/* --- JSON ----------------------------------------------------------------- */

static json_t *payload_to_json(const struct hlt_view *view)
{
	json_t *array = json_array();
	size_t budget = view->payload.size_bytes;

	for (uint32_t k = 0; k < view->payload.nfields; k++) {
		size_t len;
		void *field = copy_field(view, k, &budget, &len);

		if (field == NULL) {
			json_decref(array);
			return NULL;
		}
		hlt_json_append(array, hlt_json_bytes(field, len));
		free(field);
	}
	return array;
}

static void set_fields(json_t *object, const struct hlt_view *view)
{
	const char *slot = view->slot;
	struct hl_message m;

	memcpy(&m, slot, sizeof(m));
	hlt_json_set(object, "type", hlt_json_u64(m.type));
	hlt_json_set(object, "timestamp", hlt_json_u64(m.timestamp));
	hlt_json_set(object, "amount", hlt_json_i64(m.amount));
	hlt_json_set(object, "sender",
		     hlt_json_bytes(m.sender,
				    used_bytes(m.sender, sizeof(m.sender))));
	hlt_json_set(
		object, "recipient",
		hlt_json_bytes(m.recipient,
			       used_bytes(m.recipient, sizeof(m.recipient))));
	if (view->has_checksum)
		hlt_json_set(object, "checksum", hlt_json_u64(m.checksum));
	if (view->slot_bytes > sizeof(m))
		hlt_json_set(object, "body",
			     hlt_json_hex(slot + sizeof(m),
					  view->slot_bytes - sizeof(m)));
}

static void set_payload(json_t *object, const struct hlt_view *view)
{
	json_t *payload = NULL;

	if (view->payload_status == -ENODATA)
		return;
	if (view->payload_status == 0)
		payload = payload_to_json(view);
	if (payload != NULL)
		hlt_json_set(object, "payload", payload);
	else
		hlt_json_set(object, "payload_error",
			     json_string(payload_error(view->payload_status)));
}

void hlt_view_set_marks(json_t *object, const struct hlt_view *view)
{
	const char *invalid = verdict_word(view->verdict);

	if (invalid != NULL)
		hlt_json_set(object, "invalid", json_string(invalid));
	if (view->redelivered) {
		hlt_json_set(object, "redelivered", json_true());
		hlt_json_set(object, "attempt", hlt_json_u64(view->attempt));
	}
	if (view->voids > 0)
		hlt_json_set(object, "voids", hlt_json_u64(view->voids));
	if (view->lost > 0)
		hlt_json_set(object, "lost", hlt_json_u64(view->lost));
}

json_t *hlt_view_to_json(const struct hlt_view *view)
{
	json_t *object = json_object();

	hlt_json_set(object, "position", hlt_json_u64(view->position));
	if (is_standard(view))
		set_fields(object, view);
	else
		hlt_json_set(object, "slot",
			     hlt_json_hex(view->slot, view->slot_bytes));
	set_payload(object, view);
	hlt_view_set_marks(object, view);
	return object;
}

/* --- A line for people ---------------------------------------------------- */

static void put_time(uint64_t ns)
{
	const time_t seconds = (time_t)(ns / 1000000000);
	char text[TIME_BYTES];
	struct tm tm;

	if (ns < first_time_ns || ns > last_time_ns ||
	    gmtime_r(&seconds, &tm) == NULL ||
	    strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm) == 0)
		printf("%" PRIu64, ns);
	else
		printf("%s.%09uZ", text, (unsigned)(ns % 1000000000));
}

/* Who sent or receives it; "-" for nobody. */
static void put_party(const char *field, size_t field_bytes)
{
	const size_t len = used_bytes(field, field_bytes);

	if (len == 0)
		putchar('-');
	else
		hlt_text_put(stdout, field, len, 0);
}

static void put_fields(const struct hlt_view *view)
{
	const char *slot = view->slot;
	const size_t rest = view->slot_bytes - HL_LINE_BYTES;
	struct hl_message m;

	memcpy(&m, slot, sizeof(m));
	put_time(m.timestamp);
	printf("  type %" PRIu32 "  amount %" PRId64 "  ", m.type, m.amount);
	put_party(m.sender, sizeof(m.sender));
	fputs(" -> ", stdout);
	put_party(m.recipient, sizeof(m.recipient));
	if (used_bytes(slot + sizeof(m), rest) > 0) {
		fputs("  body 0x", stdout);
		hlt_text_put_hex(stdout,
				 (const unsigned char *)slot + sizeof(m), rest);
	}
}

/* A field: text in quotes, anything else in hex; long ones are cut. */
static void put_payload_field(const char *field, size_t len)
{
	size_t shown = len < SHOWN_BYTES ? len : SHOWN_BYTES;

	if (hlt_text_ok(field, len, true)) {
		while (shown < len &&
		       ((unsigned char)field[shown] & 0xc0) == 0x80)
			shown--;
		fputs("  \"", stdout);
		hlt_text_put(stdout, field, shown, '"');
		putchar('"');
	} else {
		fputs("  0x", stdout);
		hlt_text_put_hex(stdout, (const unsigned char *)field, shown);
	}
	if (shown < len)
		printf("... (%zu bytes)", len);
}

static void put_payload(const struct hlt_view *view)
{
	const uint32_t n = view->payload.nfields;
	size_t budget = view->payload.size_bytes;

	for (uint32_t k = 0; k < n; k++) {
		size_t len;
		char *field;

		if (k == SHOWN_FIELDS) {
			printf("  ... (%" PRIu32 " fields)", n);
			break;
		}
		field = copy_field(view, k, &budget, &len);
		if (field == NULL) {
			fputs("  [payload damaged]", stdout);
			break;
		}
		put_payload_field(field, len);
		free(field);
	}
}

/* Bytes in groups of eight. */
static void put_slot_hex(const struct hlt_view *view)
{
	const unsigned char *slot = view->slot;

	for (size_t at = 0; at < view->slot_bytes; at += 8) {
		if (at > 0)
			putchar(' ');
		hlt_text_put_hex(stdout, slot + at, 8);
	}
}

void hlt_view_put_marks(const struct hlt_view *view)
{
	const char *invalid = verdict_word(view->verdict);

	if (view->payload_status != 0 && view->payload_status != -ENODATA)
		printf("  [payload %s]", payload_error(view->payload_status));
	if (invalid != NULL)
		printf("  [invalid: %s]", invalid);
	if (view->redelivered)
		printf("  [redelivered, attempt %" PRIu32 "]", view->attempt);
	if (view->voids > 0)
		printf("  [after %" PRIu64 " void]", view->voids);
}

static void print_text(const struct hlt_view *view)
{
	printf("%" PRIu64 "  ", view->position);
	if (is_standard(view))
		put_fields(view);
	else
		put_slot_hex(view);
	if (view->payload_status == 0)
		put_payload(view);
	hlt_view_put_marks(view);
	putchar('\n');
}

void hlt_view_print(const struct hlt_view *view, enum hlt_form form)
{
	switch (form) {
	case HLT_FORM_TEXT:
		print_text(view);
		break;
	case HLT_FORM_JSON:
		hlt_json_print_line(hlt_view_to_json(view));
		break;
	case HLT_FORM_HEX:
		printf("%" PRIu64 "  ", view->position);
		put_slot_hex(view);
		putchar('\n');
		break;
	case HLT_FORM_RAW:
		fwrite(view->slot, 1, view->slot_bytes, stdout);
		break;
	}
}

int hlt_form_pick(bool json, bool hex, bool raw, enum hlt_form *form)
{
	if (json + hex + raw > 1)
		return hlt_usage("more than one of --json, --hex and --raw");
	if (raw && isatty(STDOUT_FILENO))
		return hlt_usage("raw records are not for a terminal: send "
				 "standard output elsewhere");
	*form = json ? HLT_FORM_JSON :
		hex  ? HLT_FORM_HEX :
		raw  ? HLT_FORM_RAW :
		       HLT_FORM_TEXT;
	if (json)
		hlt_out_json(HLT_JSON_STREAM);
	return 0;
}
