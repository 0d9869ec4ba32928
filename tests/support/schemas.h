/* SPDX-License-Identifier: MIT */
/*
 * schemas.h - a message that tests declare, in the versions of two programs
 *
 * The new one has a field where the old one has reserved bytes, one more name
 * for a type, and one more field of the payload: the two fit each other.
 */
#ifndef TESTS_SCHEMAS_H
#define TESTS_SCHEMAS_H

#include <hotline/schema.h>

#define ORDER_TYPES(N)                                                         \
	N(ORDER_BUY, 1, "buy")                                                 \
	N(ORDER_SELL, 2, "sell")
HL_ENUM(order_type, ORDER_TYPES);

#define ORDER(X)                                                               \
	X(FIELD, hot, u32, magic, "")                                          \
	X(ENUM, hot, u32, type, order_type)                                    \
	X(FIELD, hot, u64, timestamp, HL_UNIT_TIME)                            \
	X(FIELD, hot, i64, amount, "cents")                                    \
	X(RING, sequence)                                                      \
	X(TEXT, warm, 12, account, "")                                         \
	X(ARRAY, warm, i16, 4, levels, "")                                     \
	X(RESERVED, 4, reserved0)                                              \
	X(FIELD, warm, f32, rate, "percent")                                   \
	X(RING, payload_offset)                                                \
	X(BYTES, cold, 64, digest, "")                                         \
	X(FIELD, cold, u8, flags, "")                                          \
	X(PAYLOAD, text, memo, "")                                             \
	X(PAYLOAD_ARRAY, u32, volumes, "shares")
HL_MESSAGE_STRUCT(order, ORDER);

#define NEW_TYPES(N)                                                           \
	N(NEW_BUY, 1, "buy")                                                   \
	N(NEW_SELL, 2, "sell")                                                 \
	N(NEW_CANCEL, 3, "cancel")
HL_ENUM(new_type, NEW_TYPES);

#define NEW_ORDER(X)                                                           \
	X(FIELD, hot, u32, magic, "")                                          \
	X(ENUM, hot, u32, type, new_type)                                      \
	X(FIELD, hot, u64, timestamp, HL_UNIT_TIME)                            \
	X(FIELD, hot, i64, amount, "cents")                                    \
	X(RING, sequence)                                                      \
	X(TEXT, warm, 12, account, "")                                         \
	X(ARRAY, warm, i16, 4, levels, "")                                     \
	X(FIELD, warm, u32, venue, "")                                         \
	X(FIELD, warm, f32, rate, "percent")                                   \
	X(RING, payload_offset)                                                \
	X(BYTES, cold, 64, digest, "")                                         \
	X(FIELD, cold, u8, flags, "")                                          \
	X(PAYLOAD, text, memo, "")                                             \
	X(PAYLOAD_ARRAY, u32, volumes, "shares")                               \
	X(PAYLOAD, u64, limit, "cents")
HL_MESSAGE_STRUCT(new_order, NEW_ORDER);

/* The new version, under the name that the message has in both programs. */
static inline struct hl_schema new_schema(void)
{
	struct hl_schema schema = *new_order_schema();

	schema.name = "order";
	return schema;
}

#endif /* TESTS_SCHEMAS_H */
