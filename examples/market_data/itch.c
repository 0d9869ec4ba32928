/* SPDX-License-Identifier: MIT */
/*
 * itch - reader of NASDAQ TotalView-ITCH 5.0 messages
 *
 * One table has, for each type, the length and where each field begins. All
 * messages start alike: type, locate (2), tracking (2), timestamp (6). Numbers
 * are big endian, text is padded with spaces on the right.
 */
#include "itch.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

enum field {
	NO_FIELD,
	ORDER,	   /* 8 bytes */
	NEW_ORDER, /* 8 */
	MATCH,	   /* 8 */
	SHARES,	   /* 4 */
	SHARES_8,  /* 8 */
	PRICE,	   /* 4 */
	SIDE,	   /* 1 */
	CODE,	   /* 1 */
	STOCK,	   /* 8 */
	MPID,	   /* 4 */
	REASON,	   /* 4 */
};

struct layout {
	uint8_t size;
	struct {
		uint8_t field;
		uint8_t at;
	} fields[6];
};

/* clang-format off */
static const struct layout layouts[128] = {
	['S'] = { 12, { { CODE, 11 } } },
	['R'] = { 39, { { STOCK, 11 }, { CODE, 19 } } },
	['H'] = { 25, { { STOCK, 11 }, { CODE, 19 }, { REASON, 21 } } },
	['Y'] = { 20, { { STOCK, 11 }, { CODE, 19 } } },
	['L'] = { 26, { { MPID, 11 }, { STOCK, 15 }, { CODE, 25 } } },
	['V'] = { 35, { { NO_FIELD, 0 } } },
	['W'] = { 12, { { CODE, 11 } } },
	['K'] = { 28, { { STOCK, 11 }, { CODE, 23 }, { PRICE, 24 } } },
	['J'] = { 35, { { STOCK, 11 }, { PRICE, 19 } } },
	['h'] = { 21, { { STOCK, 11 }, { CODE, 20 } } },
	['A'] = { 36, { { ORDER, 11 }, { SIDE, 19 }, { SHARES, 20 },
			{ STOCK, 24 }, { PRICE, 32 } } },
	['F'] = { 40, { { ORDER, 11 }, { SIDE, 19 }, { SHARES, 20 },
			{ STOCK, 24 }, { PRICE, 32 }, { MPID, 36 } } },
	['E'] = { 31, { { ORDER, 11 }, { SHARES, 19 }, { MATCH, 23 } } },
	['C'] = { 36, { { ORDER, 11 }, { SHARES, 19 }, { MATCH, 23 },
			{ CODE, 31 }, { PRICE, 32 } } },
	['X'] = { 23, { { ORDER, 11 }, { SHARES, 19 } } },
	['D'] = { 19, { { ORDER, 11 } } },
	['U'] = { 35, { { ORDER, 11 }, { NEW_ORDER, 19 }, { SHARES, 27 },
			{ PRICE, 31 } } },
	['P'] = { 44, { { ORDER, 11 }, { SIDE, 19 }, { SHARES, 20 },
			{ STOCK, 24 }, { PRICE, 32 }, { MATCH, 36 } } },
	['Q'] = { 40, { { SHARES_8, 11 }, { STOCK, 19 }, { PRICE, 27 },
			{ MATCH, 31 }, { CODE, 39 } } },
	['B'] = { 19, { { MATCH, 11 } } },
	['I'] = { 50, { { SHARES_8, 11 }, { STOCK, 28 }, { PRICE, 44 },
			{ CODE, 48 } } },
	['N'] = { 20, { { STOCK, 11 }, { CODE, 19 } } },
	['O'] = { 48, { { STOCK, 11 }, { CODE, 19 } } },
};
/* clang-format on */

static uint64_t big_endian(const unsigned char *bytes, size_t size)
{
	uint64_t value = 0;

	for (size_t i = 0; i < size; i++)
		value = value << 8 | bytes[i];
	return value;
}

static void copy_text(char *out, const unsigned char *bytes, size_t size)
{
	while (size > 0 && bytes[size - 1] == ' ')
		size--;
	memcpy(out, bytes, size);
	out[size] = '\0';
}

static void decode_field(struct itch_message *message, enum field field,
			 const unsigned char *bytes)
{
	switch (field) {
	case NO_FIELD:
		break;
	case ORDER:
		message->order = big_endian(bytes, 8);
		break;
	case NEW_ORDER:
		message->new_order = big_endian(bytes, 8);
		break;
	case MATCH:
		message->match = big_endian(bytes, 8);
		break;
	case SHARES:
		message->shares = big_endian(bytes, 4);
		break;
	case SHARES_8:
		message->shares = big_endian(bytes, 8);
		break;
	case PRICE:
		message->price = (uint32_t)big_endian(bytes, 4);
		break;
	case SIDE:
		message->side = (char)bytes[0];
		break;
	case CODE:
		message->code = (char)bytes[0];
		break;
	case STOCK:
		copy_text(message->stock, bytes, 8);
		break;
	case MPID:
		copy_text(message->mpid, bytes, 4);
		break;
	case REASON:
		copy_text(message->reason, bytes, 4);
		break;
	}
}

size_t itch_size(char type)
{
	const unsigned char index = (unsigned char)type;

	return index < 128 ? layouts[index].size : 0;
}

size_t itch_decode(const unsigned char *bytes, size_t size_bytes,
		   struct itch_message *message)
{
	const struct layout *layout;
	size_t size;

	if (size_bytes == 0)
		return 1;
	size = itch_size((char)bytes[0]);
	if (size == 0 || size > size_bytes)
		return size;
	layout = &layouts[bytes[0]];
	memset(message, 0, sizeof(*message));
	message->type = (char)bytes[0];
	message->locate = (uint16_t)big_endian(bytes + 1, 2);
	message->tracking = (uint16_t)big_endian(bytes + 3, 2);
	message->timestamp_ns = big_endian(bytes + 5, 6);
	for (size_t i = 0; i < 6; i++)
		decode_field(message, (enum field)layout->fields[i].field,
			     bytes + layout->fields[i].at);
	return size;
}

void itch_reader_init(struct itch_reader *reader, FILE *file)
{
	memset(reader, 0, sizeof(*reader));
	reader->file = file;
}

static int read_error(struct itch_reader *reader, uint64_t at, const char *why)
{
	if (ferror(reader->file))
		return -EIO;
	snprintf(reader->reason, sizeof(reader->reason),
		 "message %" PRIu64 " at byte %" PRIu64 ": %s",
		 reader->count + 1, at, why);
	return -EBADMSG;
}

int itch_reader_next(struct itch_reader *reader, struct itch_message *message)
{
	unsigned char bytes[ITCH_MESSAGE_MAX];
	const uint64_t at = reader->offset;
	size_t got, length, size;

	if (reader->reason[0] != '\0')
		return -EBADMSG;
	/* Two bytes of length, and the type. */
	got = fread(bytes, 1, 3, reader->file);
	length = got < 2 ? 0 : (size_t)big_endian(bytes, 2);
	/* A length of zero with nothing behind it marks the end. */
	if (!ferror(reader->file) && (got == 0 || (got == 2 && length == 0)))
		return 0;
	if (got < 3)
		return read_error(reader, at, "breaks off");
	bytes[0] = bytes[2];
	size = itch_size((char)bytes[0]);
	if (size == 0)
		return read_error(reader, at, "unknown type");
	if (length != 0 && length != size)
		return read_error(reader, at, "length is not its type's");
	if (fread(bytes + 1, 1, size - 1, reader->file) < size - 1)
		return read_error(reader, at, "breaks off");
	itch_decode(bytes, size, message);
	reader->offset += 2 + size;
	reader->count++;
	return 1;
}
