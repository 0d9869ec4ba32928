/* SPDX-License-Identifier: MIT */
/*
 * hotline/message.h - what a message is, and how its payload is read
 *
 * A message is a struct of whole 64-byte cache lines, aligned to 64. Two words
 * of its first line belong to the ring:
 *
 *   byte 24, 8 bytes   sequence        the publication stamp
 *   byte 60, 4 bytes   payload_offset  where the variable data is, 0 for none
 *
 * On a ring with checksums, byte 56 (4 bytes) holds the checksum. All other
 * bytes are the user's. What the fast path reads belongs in the first 64 bytes,
 * hot fields in the first 32:
 *
 *     0       4       8              16              24             32
 *     | magic | type  | timestamp    | amount        | sequence     |   hot
 *     | sender[12]         | recipient[12]      | checksum | payload|   warm
 *     32                   44                   56         60      64
 *
 * A producer never writes the sequence: while the slot is being filled it still
 * holds the stamp of the lap before, and a reader that found a later one would
 * take half a message for a whole one. hl_message_copy() leaves it out.
 *
 * Nothing here is atomic: a claimed slot belongs to its producer until it is
 * published, a taken one to its consumer until it is done.
 */
#ifndef HOTLINE_MESSAGE_H
#define HOTLINE_MESSAGE_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HL_LINE_BYTES 64u	/* a cache line */
#define HL_SLOT_BYTES_MAX 1024u /* the largest message: 16 lines */
#define HL_SEQUENCE_OFFSET 24u	/* of the stamp in a message */
#define HL_CHECKSUM_OFFSET 56u	/* of the checksum, where a ring has them */
#define HL_PAYLOAD_OFFSET 60u	/* of the payload's offset in a message */
#define HL_MESSAGE_MAGIC 0x474d4c48u /* "HLMG" in memory, little endian */

/* Top bit of a stamp: the position was given up, no message is there. */
#define HL_SEQUENCE_VOID (UINT64_C(1) << 63)

#ifdef __cplusplus
#define HL_ALIGN_LINE alignas(64)
#define HL_STATIC_ASSERT(expr, text) static_assert(expr, text)
#define HL_ALIGNOF(type) alignof(type)
#else
#define HL_ALIGN_LINE _Alignas(64)
#define HL_STATIC_ASSERT(expr, text) _Static_assert(expr, text)
#define HL_ALIGNOF(type) _Alignof(type)
#endif

/* The standard message, one line. The meaning of the user's fields is theirs. */
struct hl_message {
	HL_ALIGN_LINE uint32_t magic; /* HL_MESSAGE_MAGIC */
	uint32_t type;
	uint64_t timestamp;	 /* nanoseconds since the epoch, by habit */
	int64_t amount;		 /* smallest units of the currency, by habit */
	uint64_t sequence;	 /* the ring's */
	char sender[12];	 /* padded with zero bytes, not terminated */
	char recipient[12];	 /* the same */
	uint32_t checksum;	 /* the ring's, where it has checksums */
	uint32_t payload_offset; /* from hl_payload_space; 0 for none */
};

/*
 * HL_ASSERT_MESSAGE - refuse at compile time a struct that cannot be a message
 *
 * Use at file scope, once for each message type:
 *
 *     HL_ASSERT_MESSAGE(struct payment);
 */
#define HL_ASSERT_MESSAGE(type)                                                \
	HL_STATIC_ASSERT(sizeof(type) % HL_LINE_BYTES == 0,                    \
			 #type ": size is not a multiple of 64 bytes");        \
	HL_STATIC_ASSERT(sizeof(type) <= HL_SLOT_BYTES_MAX,                    \
			 #type ": larger than 1024 bytes, 16 lines");          \
	HL_STATIC_ASSERT(HL_ALIGNOF(type) == HL_LINE_BYTES,                    \
			 #type ": not aligned to 64 bytes (HL_ALIGN_LINE)");   \
	HL_STATIC_ASSERT(offsetof(type, sequence) == HL_SEQUENCE_OFFSET,       \
			 #type ": sequence is not at byte 24");                \
	HL_STATIC_ASSERT(sizeof(((type *)0)->sequence) == 8,                   \
			 #type ": sequence is not 8 bytes (uint64_t)");        \
	HL_STATIC_ASSERT(offsetof(type, payload_offset) == HL_PAYLOAD_OFFSET,  \
			 #type ": payload_offset is not at byte 60");          \
	HL_STATIC_ASSERT(sizeof(((type *)0)->payload_offset) == 4,             \
			 #type ": payload_offset is not 4 bytes (uint32_t)")

HL_ASSERT_MESSAGE(struct hl_message);
HL_STATIC_ASSERT(offsetof(struct hl_message, checksum) == HL_CHECKSUM_OFFSET,
		 "struct hl_message: checksum is not at byte 56");

/*
 * hl_message_copy - copy a message into a claimed slot, without its stamp
 *
 * Copies size_bytes (64 or more) from message to slot, all but the eight bytes
 * of the sequence. The payload_offset is copied too: it is right only if it
 * was allocated by the producer of this very slot.
 */
static inline void hl_message_copy(void *slot, const void *message,
				   size_t size_bytes)
{
	const size_t after = HL_SEQUENCE_OFFSET + sizeof(uint64_t);

	memcpy(slot, message, HL_SEQUENCE_OFFSET);
	memcpy((char *)slot + after, (const char *)message + after,
	       size_bytes - after);
}

#define HL_LINE_WORDS (HL_LINE_BYTES / 8u)

/*
 * Ask for a line that will be written soon. The compiler's own way asks for one to
 * read, unless it was told of a newer processor than the oldest x86-64; then the
 * write has to ask again. Where a processor lacks this it does nothing.
 */
static inline void hl_line_ask(const void *line)
{
#ifdef __x86_64__
	/* Without outputs it stays where it is. */
	__asm__("prefetchw %0" : : "m"(*(const char *)line));
#else
	__builtin_prefetch(line, 1);
#endif
}

/* Store two words, or four, at once where the machine can. */
static inline void hl_words_store2(unsigned char *at, uint64_t w0, uint64_t w1)
{
#if defined(__SSE2__) || defined(__ARM_NEON)
	typedef uint64_t hl_words __attribute__((vector_size(16), may_alias));
	const hl_words both = { w0, w1 };

	*(hl_words *)(void *)at = both;
#else
	memcpy(at, &w0, sizeof(w0));
	memcpy(at + sizeof(w0), &w1, sizeof(w1));
#endif
}

static inline void hl_words_store4(unsigned char *at, const uint64_t *w)
{
#ifdef __AVX__
	typedef uint64_t hl_words __attribute__((vector_size(32), may_alias));
	const hl_words all = { w[0], w[1], w[2], w[3] };

	*(hl_words *)(void *)at = all;
#else
	hl_words_store2(at, w[0], w[1]);
	hl_words_store2(at + 16, w[2], w[3]);
#endif
}

/*
 * hl_line_store - write a line of a claimed slot from registers
 *
 * word has the line's eight words, as they lie in memory; the fourth, the
 * sequence, is left out. In the widest stores that the program is compiled for:
 * fewer stores travel to the other core, and none has to wait for narrower ones
 * as a copy of what was just written in memory does. For a first line: further
 * ones of a message have no sequence, and any way to write them will do.
 */
static inline void hl_line_store(void *line, const uint64_t word[HL_LINE_WORDS])
{
	unsigned char *const at = (unsigned char *)line;

	hl_words_store4(at + 32, &word[4]);
	hl_words_store2(at, word[0], word[1]);
	memcpy(at + 16, &word[2], sizeof(word[2]));
}

/*
 * For hl_claim_put() and hl_producer_send(). x86 makes stores visible in their
 * order, and with AVX one of 16 bytes at once.
 */
#if defined(__x86_64__) && defined(__AVX2__) && !defined(__SANITIZE_THREAD__)
#define HL_WIDE_STAMPS 1
#else
#define HL_WIDE_STAMPS 0
#endif

/* The line, then its stamp, with the last word before it if it can be. */
static inline void hl_line_stamp_last(void *line,
				      const uint64_t word[HL_LINE_WORDS],
				      uint64_t stamp)
{
	unsigned char *const at = (unsigned char *)line;

	if (HL_WIDE_STAMPS) {
		hl_words_store4(at + 32, &word[4]);
		hl_words_store2(at, word[0], word[1]);
		__atomic_signal_fence(__ATOMIC_RELEASE);
		hl_words_store2(at + 16, word[2], stamp);
	} else {
		hl_line_store(at, word);
		__atomic_store_n((uint64_t *)(void *)(at + HL_SEQUENCE_OFFSET),
				 stamp, __ATOMIC_RELEASE);
	}
}

/*
 * The line and its stamp, of slots that readers come to by slot 0: where that is
 * put after them it does not matter that some processors store 32 bytes in two
 * halves. Where it is not, the half with the stamp has to be the second.
 */
static inline void hl_line_stamp(void *line, const uint64_t word[HL_LINE_WORDS],
				 uint64_t stamp)
{
	unsigned char *const at = (unsigned char *)line;
	const uint64_t hot[4] = { word[0], word[1], word[2], stamp };

	if (HL_WIDE_STAMPS) {
		hl_words_store4(at + 32, &word[4]);
		__atomic_signal_fence(__ATOMIC_RELEASE);
		hl_words_store4(at, hot);
	} else {
		hl_line_stamp_last(line, word, stamp);
	}
}

/* Copy text into a field of a message: cut if too long, padded with zeroes. */
static inline void hl_message_text(char *field, size_t field_bytes,
				   const char *text)
{
	size_t len = 0;

	while (len < field_bytes && text[len])
		len++;
	memcpy(field, text, len);
	memset(field + len, 0, field_bytes - len);
}

/*
 * Payloads
 *
 * A payload is a section in the arena, aligned to 64 bytes:
 *
 *     u32 size_bytes   of the section, this header and the table included
 *     u16 nfields
 *     u16 reserved     zero
 *     nfields times:   u32 offset from the section's start, u32 size_bytes
 *     the fields, each aligned to 8 bytes
 *
 * so that field k is found without a look at what precedes it.
 */
#define HL_PAYLOAD_HEADER_BYTES 8u
#define HL_PAYLOAD_ENTRY_BYTES 8u
#define HL_PAYLOAD_FIELDS_MAX 65535u
#define HL_PAYLOAD_ALIGN 8u /* of each field */

/* A payload to read: where it is, and what was checked of it. */
struct hl_payload {
	const unsigned char *section;
	uint32_t size_bytes;
	uint32_t nfields;
};

/* A payload to write, from hl_payload_alloc(). */
struct hl_payload_space {
	unsigned char *section;
	uint32_t size_bytes;
	uint32_t nfields;
	uint32_t payload_offset; /* what the message's payload_offset must be */
};

/* Read a word of a section once: its writer may be hostile. */
static inline uint32_t hl_payload_word(const unsigned char *section,
				       size_t offset)
{
	return *(const volatile uint32_t *)(const void *)(section + offset);
}

/* Where field k is: 0, or -EBADMSG when it does not fit in its section, or is
 * not aligned as all fields are. */
static inline int hl_payload_locate(const unsigned char *section,
				    uint32_t size_bytes, uint32_t nfields,
				    uint32_t k, uint32_t *offset,
				    uint32_t *field_bytes)
{
	const size_t entry =
		HL_PAYLOAD_HEADER_BYTES + (size_t)k * HL_PAYLOAD_ENTRY_BYTES;
	const size_t table_end = HL_PAYLOAD_HEADER_BYTES +
				 (size_t)nfields * HL_PAYLOAD_ENTRY_BYTES;
	const uint32_t off = hl_payload_word(section, entry);
	const uint32_t len = hl_payload_word(section, entry + 4);

	if (off < table_end || off > size_bytes || len > size_bytes - off ||
	    off % HL_PAYLOAD_ALIGN)
		return -EBADMSG;
	*offset = off;
	*field_bytes = len;
	return 0;
}

/*
 * hl_payload_field - find field k of a payload
 *
 * *data points into the payload (aligned to 8 bytes) and is the caller's to
 * read as long as the payload is.
 *
 * Returns: 0, or
 *   -EINVAL   k >= payload->nfields
 *   -EBADMSG  the field reaches beyond its payload
 */
static inline int hl_payload_field(const struct hl_payload *payload, uint32_t k,
				   const void **data, size_t *size_bytes)
{
	uint32_t off, len;

	if (k >= payload->nfields)
		return -EINVAL;
	if (hl_payload_locate(payload->section, payload->size_bytes,
			      payload->nfields, k, &off, &len) < 0)
		return -EBADMSG;
	*data = payload->section + off;
	*size_bytes = len;
	return 0;
}

/*
 * hl_payload_space_field - where to write field k of a payload being built
 *
 * size_bytes is what will be written, at most what hl_payload_alloc() was asked
 * for. Returns NULL when there is no field k, or no such room in it: also when
 * somebody damaged the table.
 */
static inline void *hl_payload_space_field(const struct hl_payload_space *space,
					   uint32_t k, size_t size_bytes)
{
	uint32_t off, len;

	if (k >= space->nfields ||
	    hl_payload_locate(space->section, space->size_bytes, space->nfields,
			      k, &off, &len) < 0 ||
	    size_bytes > len)
		return NULL;
	return space->section + off;
}

#ifdef __cplusplus
}
#endif
#endif /* HOTLINE_MESSAGE_H */
