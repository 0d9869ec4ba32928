/* SPDX-License-Identifier: MIT */
/*
 * hotline/schema.h - say a message's layout once
 *
 * A message is declared as a list of rows. From it come the C struct, checks at
 * compile time, and a description that a ring carries and tools decode by:
 *
 *     #define ORDER_TYPES(N)                                        \
 *             N(ORDER_BUY, 1, "buy")                                \
 *             N(ORDER_SELL, 2, "sell")
 *     HL_ENUM(order_type, ORDER_TYPES);
 *
 *     #define ORDER(X)                                              \
 *             X(FIELD, hot, u32, magic, "")                         \
 *             X(ENUM, hot, u32, type, order_type)                   \
 *             X(FIELD, hot, u64, timestamp, HL_UNIT_TIME)           \
 *             X(FIELD, hot, i64, amount, "cents")                   \
 *             X(RING, sequence)                                     \
 *             X(TEXT, warm, 12, account, "")                        \
 *             X(ARRAY, warm, u16, 4, levels, "")                    \
 *             X(RESERVED, 8, reserved0)                             \
 *             X(RING, payload_offset)                               \
 *             X(PAYLOAD, text, memo, "")
 *     HL_MESSAGE_STRUCT(order, ORDER);
 *
 * That defines struct order and order_schema(). A struct order that was written
 * by hand gets the same checks, and order_schema(), from
 * HL_MESSAGE_DESCRIBE(order, ORDER); a row may then name a member of a member
 * (detail.line), and needs no RESERVED.
 *
 *     X(FIELD, heat, type, name, unit)     u8 to u64, i8 to i64, f32, f64
 *     X(ENUM, heat, type, name, enum)      a number with names, by HL_ENUM
 *     X(ARRAY, heat, type, n, name, unit)
 *     X(TEXT, heat, n, name, unit)         char[n], padded with zero bytes
 *     X(BYTES, heat, n, name, unit)
 *     X(RESERVED, n, name)                 zero: later fields come here
 *     X(RING, sequence)                    also checksum, payload_offset
 *     X(PAYLOAD, type, name, unit)         a field of the payload, in order:
 *                                          a number, text, or bytes
 *     X(PAYLOAD_ARRAY, type, name, unit)   as many as there are
 *
 * Rules, checked when it is compiled, and again wherever a description comes
 * from elsewhere: hot fields lie in the first 32 bytes and warm ones in the
 * first 64; nothing straddles a cache line (what is larger than one begins on
 * one); numbers are aligned to their size and the compiler adds no hole, so
 * that the layout is the same for gcc and clang, C and C++, x86-64, arm64 and
 * i386; sequence and payload_offset are where the ring has them.
 */
#ifndef HOTLINE_SCHEMA_H
#define HOTLINE_SCHEMA_H

#include <hotline/message.h>
#include <hotline/ring.h>

#ifdef __cplusplus
extern "C" {
#endif

struct hl_inspect;

#define HL_SCHEMA_BYTES_MAX 65536u /* of a description, as text */
#define HL_SCHEMA_FIELDS_MAX 512u
#define HL_SCHEMA_NAMES_MAX 1024u    /* of an enum */
#define HL_FIELD_NAME_MAX 63	     /* characters, of a field or message */
#define HL_UNIT_MAX 47		     /* characters: no " and no \ */
#define HL_UNIT_TIME "ns since 1970" /* shown as a time */

enum hl_type {
	HL_U8 = 1,
	HL_U16 = 2,
	HL_U32 = 3,
	HL_U64 = 4,
	HL_I8 = 5,
	HL_I16 = 6,
	HL_I32 = 7,
	HL_I64 = 8,
	HL_F32 = 9,
	HL_F64 = 10,
	HL_TEXT = 11,
	HL_BYTES = 12,
};

enum hl_heat {
	HL_HOT = 1,  /* read for each message: bytes 0 to 31 */
	HL_WARM = 2, /* bytes 0 to 63 */
	HL_COLD = 3,
	HL_PAYLOAD = 4, /* not in the message, but in its payload */
};

struct hl_enum_name {
	int64_t value; /* of a u64: as it is, cast */
	const char *name;
};

struct hl_field {
	const char *name; /* letters, digits, _ and . */
	const char *unit; /* or meaning; "" for none */
	const struct hl_enum_name *names;
	uint32_t nnames;
	uint32_t offset; /* in the message; of a payload's field its index */
	uint32_t count;	 /* elements, or bytes of text; 0: as many as are there,
			    in a payload */
	enum hl_type type;
	enum hl_heat heat;
};

/* A description. Fields are in the order of their offsets, then a payload's. */
struct hl_schema {
	const char *name; /* of the message */
	uint32_t message_bytes;
	uint32_t nfields;
	const struct hl_field *fields;
};

/*
 * hl_schema_check - does a description keep the rules?
 *
 * For one that was put together at run time; all calls below that take one from
 * the caller do this themselves. Returns: 0, or -EINVAL with the field and the
 * rule in err.
 */
HL_API HL_MUST_CHECK int hl_schema_check(const struct hl_schema *schema,
					 struct hl_error *err);

/*
 * hl_schema_parse - a description from its text, see hotline-schema(3)
 *
 * text need not be terminated and may be anything. Returns: 0, -EINVAL with the
 * line and what is wrong with it, -ENOMEM.
 */
HL_API HL_MUST_CHECK int hl_schema_parse(const char *text, size_t text_bytes,
					 struct hl_schema **out,
					 struct hl_error *err);

/* For those that a call here made. NULL is allowed. */
HL_API
void hl_schema_destroy(struct hl_schema *schema);

/*
 * hl_schema_print - a description as text, in the one form that a ring holds
 *
 * Writes at most text_bytes, terminator included. Returns: how many bytes it
 * has without the terminator, -EINVAL for one that breaks the rules.
 */
HL_API HL_MUST_CHECK ssize_t hl_schema_print(const struct hl_schema *schema,
					     char *text, size_t text_bytes);

/* XXH3, 64 bits, of that text. Returns: 0, -EINVAL, -ENOMEM. */
HL_API HL_MUST_CHECK int hl_schema_fingerprint(const struct hl_schema *schema,
					       uint64_t *fingerprint);

/*
 * hl_schema_compare - can programs with these two work on one ring?
 *
 * They can when they are the same but for a field that one has where the other
 * has reserved bytes, a name that one has more for a number, fields that one
 * has more at the end of its payload, or heat. Returns: 0, -EPROTONOSUPPORT
 * with the first field that differs, both versions of it, in err, -EINVAL.
 */
HL_API HL_MUST_CHECK int hl_schema_compare(const struct hl_schema *ours,
					   const struct hl_schema *theirs,
					   struct hl_error *err);

/* The field of that name, or NULL. */
HL_API
const struct hl_field *hl_schema_find(const struct hl_schema *schema,
				      const char *name);

/* Bytes of one element, and the word for a type: "u32". 0 and "?" for none. */
HL_API
uint32_t hl_type_bytes(enum hl_type type);
HL_API
const char *hl_type_name(enum hl_type type);

/*
 * hl_field_locate - where the bytes of a field are
 *
 * message has at least the schema's message_bytes. payload is that of the
 * message, or NULL for none; it is looked at for fields of a payload only.
 * Returns: 0, or
 *   -ENODATA  the message has no such field: an older writer's, or no payload
 *   -EBADMSG  the payload is damaged, or the field of another size
 */
HL_API HL_MUST_CHECK int hl_field_locate(const struct hl_field *field,
					 const void *message,
					 const struct hl_payload *payload,
					 const void **data, size_t *size_bytes);

/* The value of an element: u, i or f, by the field's type. */
struct hl_value {
	enum hl_type type; /* HL_U64, HL_I64 or HL_F64 */
	uint64_t u;
	int64_t i;
	double f;
	const char *name; /* of an enum's value; else NULL */
};

/*
 * hl_field_value - element i of a field whose bytes were located
 *
 * Returns: 0, -EINVAL when there is no element i; text and bytes have none.
 */
HL_API HL_MUST_CHECK int hl_field_value(const struct hl_field *field,
					const void *data, size_t size_bytes,
					size_t i, struct hl_value *value);

/*
 * hl_field_print - the value of a field, for people
 *
 * Numbers with their unit, names of an enum, times, text without what is not
 * printable, bytes in hex. Writes at most text_bytes, terminator included, and
 * returns how many bytes all of it has.
 */
HL_API
size_t hl_field_print(const struct hl_field *field, const void *data,
		      size_t size_bytes, char *text, size_t text_bytes);

/*
 * hl_ring_get_schema - the description that a ring carries
 *
 * A copy, to be given back by hl_schema_destroy(). Returns: 0, or
 *   -ENODATA  the ring carries none
 *   -EBADMSG  it is damaged
 *   -ENOMEM
 */
HL_API HL_MUST_CHECK int hl_ring_get_schema(const struct hl_ring *ring,
					    struct hl_schema **out,
					    struct hl_error *err);
HL_API HL_MUST_CHECK int hl_inspect_get_schema(const struct hl_inspect *inspect,
					       struct hl_schema **out,
					       struct hl_error *err);

/* --- What the rows become ------------------------------------------------- */

#define HL_X_CTYPE_u8 uint8_t
#define HL_X_CTYPE_u16 uint16_t
#define HL_X_CTYPE_u32 uint32_t
#define HL_X_CTYPE_u64 uint64_t
#define HL_X_CTYPE_i8 int8_t
#define HL_X_CTYPE_i16 int16_t
#define HL_X_CTYPE_i32 int32_t
#define HL_X_CTYPE_i64 int64_t
#define HL_X_CTYPE_f32 float
#define HL_X_CTYPE_f64 double

#define HL_X_TYPE_u8 HL_U8
#define HL_X_TYPE_u16 HL_U16
#define HL_X_TYPE_u32 HL_U32
#define HL_X_TYPE_u64 HL_U64
#define HL_X_TYPE_i8 HL_I8
#define HL_X_TYPE_i16 HL_I16
#define HL_X_TYPE_i32 HL_I32
#define HL_X_TYPE_i64 HL_I64
#define HL_X_TYPE_f32 HL_F32
#define HL_X_TYPE_f64 HL_F64
#define HL_X_TYPE_text HL_TEXT
#define HL_X_TYPE_bytes HL_BYTES

#define HL_X_COUNT_u8 1
#define HL_X_COUNT_u16 1
#define HL_X_COUNT_u32 1
#define HL_X_COUNT_u64 1
#define HL_X_COUNT_i8 1
#define HL_X_COUNT_i16 1
#define HL_X_COUNT_i32 1
#define HL_X_COUNT_i64 1
#define HL_X_COUNT_f32 1
#define HL_X_COUNT_f64 1
#define HL_X_COUNT_text 0
#define HL_X_COUNT_bytes 0

#define HL_X_HEAT_hot HL_HOT
#define HL_X_HEAT_warm HL_WARM
#define HL_X_HEAT_cold HL_COLD

/* Members of the struct. */
#define HL_X_MEMBER(kind, ...) HL_X_MEMBER_##kind(__VA_ARGS__)
#define HL_X_MEMBER_FIELD(heat, type, name, unit) HL_X_CTYPE_##type name;
#define HL_X_MEMBER_ENUM(heat, type, name, names) HL_X_CTYPE_##type name;
#define HL_X_MEMBER_ARRAY(heat, type, n, name, unit) HL_X_CTYPE_##type name[n];
#define HL_X_MEMBER_TEXT(heat, n, name, unit) char name[n];
#define HL_X_MEMBER_BYTES(heat, n, name, unit) uint8_t name[n];
#define HL_X_MEMBER_RESERVED(n, name) uint8_t name[n];
#define HL_X_MEMBER_RING(word) HL_X_MEMBER_RING_##word
#define HL_X_MEMBER_RING_sequence uint64_t sequence;
#define HL_X_MEMBER_RING_checksum uint32_t checksum;
#define HL_X_MEMBER_RING_payload_offset uint32_t payload_offset;
#define HL_X_MEMBER_PAYLOAD(type, name, unit)
#define HL_X_MEMBER_PAYLOAD_ARRAY(type, name, unit)

/* Numbers of the payload's fields, from 0. */
#define HL_X_INDEX(kind, ...) HL_X_INDEX_##kind(__VA_ARGS__)
#define HL_X_INDEX_FIELD(heat, type, name, unit)
#define HL_X_INDEX_ENUM(heat, type, name, names)
#define HL_X_INDEX_ARRAY(heat, type, n, name, unit)
#define HL_X_INDEX_TEXT(heat, n, name, unit)
#define HL_X_INDEX_BYTES(heat, n, name, unit)
#define HL_X_INDEX_RESERVED(n, name)
#define HL_X_INDEX_RING(word)
#define HL_X_INDEX_PAYLOAD(type, name, unit) hl_index_##name,
#define HL_X_INDEX_PAYLOAD_ARRAY(type, name, unit) hl_index_##name,

/* Rows of the table of fields. */
#define HL_X_ROW(kind, ...) HL_X_ROW_##kind(__VA_ARGS__)
#define HL_X_ROW_ANY(heat, type, n, name, text, unit)                          \
	{ text, unit, 0, 0, (uint32_t)offsetof(hl_self, name), n, type, heat },
#define HL_X_ROW_FIELD(heat, type, name, unit)                                 \
	HL_X_ROW_ANY(HL_X_HEAT_##heat, HL_X_TYPE_##type, 1, name, #name, unit)
#define HL_X_ROW_ENUM(heat, type, name, names)                                 \
	{ #name,                                                               \
	  "",                                                                  \
	  names##_names,                                                       \
	  sizeof(names##_names) / sizeof(names##_names[0]),                    \
	  (uint32_t)offsetof(hl_self, name),                                   \
	  1,                                                                   \
	  HL_X_TYPE_##type,                                                    \
	  HL_X_HEAT_##heat },
#define HL_X_ROW_ARRAY(heat, type, n, name, unit)                              \
	HL_X_ROW_ANY(HL_X_HEAT_##heat, HL_X_TYPE_##type, n, name, #name, unit)
#define HL_X_ROW_TEXT(heat, n, name, unit)                                     \
	HL_X_ROW_ANY(HL_X_HEAT_##heat, HL_TEXT, n, name, #name, unit)
#define HL_X_ROW_BYTES(heat, n, name, unit)                                    \
	HL_X_ROW_ANY(HL_X_HEAT_##heat, HL_BYTES, n, name, #name, unit)
#define HL_X_ROW_RESERVED(n, name)
#define HL_X_ROW_RING(word) HL_X_ROW_RING_##word
#define HL_X_ROW_RING_sequence                                                 \
	HL_X_ROW_ANY(HL_HOT, HL_U64, 1, sequence, "sequence", "")
#define HL_X_ROW_RING_checksum                                                 \
	HL_X_ROW_ANY(HL_WARM, HL_U32, 1, checksum, "checksum", "")
#define HL_X_ROW_RING_payload_offset                                           \
	HL_X_ROW_ANY(HL_WARM, HL_U32, 1, payload_offset, "payload_offset", "")
#define HL_X_ROW_PAYLOAD(type, name, unit)                                     \
	{ #name,                                                               \
	  unit,                                                                \
	  0,                                                                   \
	  0,                                                                   \
	  hl_index_##name,                                                     \
	  HL_X_COUNT_##type,                                                   \
	  HL_X_TYPE_##type,                                                    \
	  HL_PAYLOAD },
#define HL_X_ROW_PAYLOAD_ARRAY(type, name, unit)                               \
	{ #name, unit, 0, 0, hl_index_##name, 0, HL_X_TYPE_##type, HL_PAYLOAD },

/* Checks of the members, whoever wrote the struct. */
#ifdef __cplusplus
#define HL_X_TYPE_IS(name, ctype)                                              \
	__is_same(decltype(((hl_self *)0)->name), ctype)
#else
#define HL_X_TYPE_IS(name, ctype)                                              \
	__builtin_types_compatible_p(__typeof__(((hl_self *)0)->name), ctype)
#endif
#define HL_X_AT(name) offsetof(hl_self, name)
#define HL_X_SIZE(name) sizeof(((hl_self *)0)->name)
#define HL_X_IN_hot(name)                                                      \
	HL_STATIC_ASSERT(HL_X_AT(name) + HL_X_SIZE(name) <= 32,                \
			 #name ": hot, but not in the first 32 bytes");
#define HL_X_IN_warm(name)                                                     \
	HL_STATIC_ASSERT(HL_X_AT(name) + HL_X_SIZE(name) <= HL_LINE_BYTES,     \
			 #name ": warm, but not in the first 64 bytes");
#define HL_X_IN_cold(name)
#define HL_X_PLACE(heat, align, name)                                          \
	HL_STATIC_ASSERT(HL_X_AT(name) % (align) == 0,                         \
			 #name ": not aligned to the size of its type");       \
	HL_STATIC_ASSERT(HL_X_SIZE(name) > HL_LINE_BYTES ?                     \
				 HL_X_AT(name) % HL_LINE_BYTES == 0 :          \
				 HL_X_AT(name) % HL_LINE_BYTES +               \
						 HL_X_SIZE(name) <=            \
					 HL_LINE_BYTES,                        \
			 #name ": straddles a cache line");                    \
	HL_X_IN_##heat(name)
#define HL_X_NUMBER(heat, type, name)                                          \
	HL_STATIC_ASSERT(HL_X_SIZE(name) == sizeof(HL_X_CTYPE_##type),         \
			 #name ": its size is not that of a " #type);          \
	HL_X_PLACE(heat, sizeof(HL_X_CTYPE_##type), name)

#define HL_X_CHECK(kind, ...) HL_X_CHECK_##kind(__VA_ARGS__)
#define HL_X_CHECK_FIELD(heat, type, name, unit)                               \
	HL_X_NUMBER(heat, type, name)                                          \
	HL_STATIC_ASSERT(HL_X_TYPE_IS(name, HL_X_CTYPE_##type),                \
			 #name ": is not of type " #type);
#define HL_X_CHECK_ENUM(heat, type, name, names) HL_X_NUMBER(heat, type, name)
#define HL_X_CHECK_ARRAY(heat, type, n, name, unit)                            \
	HL_STATIC_ASSERT(HL_X_SIZE(name) == (n) * sizeof(HL_X_CTYPE_##type),   \
			 #name ": its size is not that of " #type "[" #n "]"); \
	HL_STATIC_ASSERT(HL_X_TYPE_IS(name, HL_X_CTYPE_##type[n]),             \
			 #name ": is not of type " #type "[" #n "]");          \
	HL_X_PLACE(heat, sizeof(HL_X_CTYPE_##type), name)
#define HL_X_CHECK_TEXT(heat, n, name, unit)                                   \
	HL_STATIC_ASSERT(HL_X_SIZE(name) == (n),                               \
			 #name ": its size is not that of text[" #n "]");      \
	HL_STATIC_ASSERT(HL_X_TYPE_IS(name, char[n]),                          \
			 #name ": is not of type char[" #n "]");               \
	HL_X_PLACE(heat, 1, name)
#define HL_X_CHECK_BYTES(heat, n, name, unit)                                  \
	HL_STATIC_ASSERT(HL_X_SIZE(name) == (n),                               \
			 #name ": its size is not that of bytes[" #n "]");     \
	HL_X_PLACE(heat, 1, name)
#define HL_X_CHECK_RESERVED(n, name)
#define HL_X_CHECK_RING(word) HL_X_CHECK_RING_##word
#define HL_X_CHECK_RING_sequence
#define HL_X_CHECK_RING_checksum                                               \
	HL_STATIC_ASSERT(HL_X_AT(checksum) == HL_CHECKSUM_OFFSET,              \
			 "checksum: a word of the ring, but not at byte 56");  \
	HL_X_NUMBER(warm, u32, checksum)
#define HL_X_CHECK_RING_payload_offset
#define HL_X_CHECK_PAYLOAD(type, name, unit)
#define HL_X_CHECK_PAYLOAD_ARRAY(type, name, unit)

/* And where each member of a generated struct is, without any padding. */
#define HL_X_HOLE(kind, ...) HL_X_HOLE_##kind(__VA_ARGS__)
#define HL_X_NO_HOLE(name)                                                     \
	HL_STATIC_ASSERT(offsetof(hl_self, name) ==                            \
				 offsetof(struct hl_packed, name),             \
			 #name ": the compiler puts a hole before it: say so " \
			       "with RESERVED");
#define HL_X_HOLE_FIELD(heat, type, name, unit) HL_X_NO_HOLE(name)
#define HL_X_HOLE_ENUM(heat, type, name, names) HL_X_NO_HOLE(name)
#define HL_X_HOLE_ARRAY(heat, type, n, name, unit) HL_X_NO_HOLE(name)
#define HL_X_HOLE_TEXT(heat, n, name, unit) HL_X_NO_HOLE(name)
#define HL_X_HOLE_BYTES(heat, n, name, unit) HL_X_NO_HOLE(name)
#define HL_X_HOLE_RESERVED(n, name)
#define HL_X_HOLE_RING(word)
#define HL_X_HOLE_PAYLOAD(type, name, unit)
#define HL_X_HOLE_PAYLOAD_ARRAY(type, name, unit)

#define HL_X_CONSTANT(constant, value, text) constant = value,
#define HL_X_NAME(constant, value, text) { value, text },

/* enum type, and its names for rows: N(constant, value, "name") each. */
#define HL_ENUM(type, ROWS)                                                    \
	enum type {                                                            \
		ROWS(HL_X_CONSTANT)                                            \
	};                                                                     \
	static const struct hl_enum_name type##_names[]                        \
		__attribute__((unused)) = { ROWS(HL_X_NAME) }

#define HL_X_SCHEMA(name, ROWS)                                                \
	enum {                                                                 \
		ROWS(HL_X_INDEX) hl_index_end                                  \
	};                                                                     \
	static const struct hl_field fields[] = { ROWS(HL_X_ROW) };            \
	static const struct hl_schema schema = {                               \
		#name, (uint32_t)sizeof(hl_self),                              \
		sizeof(fields) / sizeof(fields[0]), fields                     \
	};                                                                     \
	return &schema

/* Describe a struct that is there: its checks, and name_schema(). */
#define HL_MESSAGE_DESCRIBE(name, ROWS)                                        \
	static inline const struct hl_schema *name##_schema(void)              \
	{                                                                      \
		typedef __typeof__(struct name) hl_self;                       \
		ROWS(HL_X_CHECK)                                               \
		HL_X_SCHEMA(name, ROWS);                                       \
	}                                                                      \
	HL_ASSERT_MESSAGE(struct name)

/* Define struct name, with its checks, and name_schema(). */
#define HL_MESSAGE_STRUCT(name, ROWS)                                          \
	struct name {                                                          \
		HL_ALIGN_LINE ROWS(HL_X_MEMBER)                                \
	};                                                                     \
	static inline const struct hl_schema *name##_schema(void)              \
	{                                                                      \
		typedef __typeof__(struct name) hl_self;                       \
		struct hl_packed {                                             \
			ROWS(HL_X_MEMBER)                                      \
		} __attribute__((packed));                                     \
		ROWS(HL_X_CHECK)                                               \
		ROWS(HL_X_HOLE)                                                \
		HL_X_SCHEMA(name, ROWS);                                       \
	}                                                                      \
	HL_ASSERT_MESSAGE(struct name)

#ifdef __cplusplus
}
#endif
#endif /* HOTLINE_SCHEMA_H */
