/* SPDX-License-Identifier: MIT */
/*
 * test_schema.c - descriptions: what rows become, rules, text, and values
 */
#include "config.h"

#include <hotline/schema.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/schemas.h"
#include "tests/support/support.h"

/* A struct that somebody wrote by hand, with a member in a member. */
struct hand {
	HL_ALIGN_LINE uint32_t magic;
	uint32_t kind;
	struct {
		int64_t price;
		uint64_t quantity;
	} trade;
	uint64_t sequence;
	char symbol[8];
	uint8_t free[20];
	uint32_t payload_offset;
};
#define HAND(X)                                                                \
	X(FIELD, hot, u32, magic, "")                                          \
	X(FIELD, hot, i64, trade.price, "cents")                               \
	X(RING, sequence)                                                      \
	X(TEXT, warm, 8, symbol, "")                                           \
	X(RING, payload_offset)
HL_MESSAGE_DESCRIBE(hand, HAND);

/* Changing it changes the fingerprint of rings that exist. */
static const char order_text[] = "message order 192\n"
				 "@0 hot u32 magic\n"
				 "@4 hot u32 type buy=1 sell=2\n"
				 "@8 hot u64 timestamp \"ns since 1970\"\n"
				 "@16 hot i64 amount \"cents\"\n"
				 "@24 hot u64 sequence\n"
				 "@32 warm text[12] account\n"
				 "@44 warm i16[4] levels\n"
				 "@56 warm f32 rate \"percent\"\n"
				 "@60 warm u32 payload_offset\n"
				 "@64 cold bytes[64] digest\n"
				 "@128 cold u8 flags\n"
				 "payload text memo\n"
				 "payload u32[] volumes \"shares\"\n";

static struct hl_schema *parse(const char *text)
{
	struct hl_error err = { 0 };
	struct hl_schema *schema;

	ck_assert_msg(hl_schema_parse(text, strlen(text), &schema, &err) == 0,
		      "%s", err.text);
	return schema;
}

START_TEST(rows_become_a_struct_with_its_fields_where_they_say)
{
	ck_assert_uint_eq(sizeof(struct order), 192);
	ck_assert_uint_eq(HL_ALIGNOF(struct order), 64);
	ck_assert_uint_eq(offsetof(struct order, amount), 16);
	ck_assert_uint_eq(offsetof(struct order, flags), 128);
	ck_assert_int_eq(ORDER_SELL, 2);
}
END_TEST

START_TEST(schema_prints_as_this_text)
{
	char text[1024];

	ck_assert_int_eq(hl_schema_print(order_schema(), text, sizeof(text)),
			 (ssize_t)strlen(order_text));
	ck_assert_str_eq(text, order_text);
}
END_TEST

START_TEST(parsed_text_prints_as_itself)
{
	struct hl_schema *const schema = parse(order_text);
	char text[1024];

	ck_assert_int_eq(hl_schema_print(schema, text, sizeof(text)),
			 (ssize_t)strlen(order_text));
	ck_assert_str_eq(text, order_text);
	hl_schema_destroy(schema);
}
END_TEST

START_TEST(print_cuts_and_tells_the_whole_length)
{
	char text[10];

	ck_assert_int_eq(hl_schema_print(order_schema(), text, sizeof(text)),
			 (ssize_t)strlen(order_text));
	ck_assert_str_eq(text, "message o");
}
END_TEST

START_TEST(struct_written_by_hand_is_described_by_its_offsets)
{
	const struct hl_field *const field =
		hl_schema_find(hand_schema(), "trade.price");

	ck_assert_ptr_nonnull(field);
	ck_assert_uint_eq(field->offset, 8);
	ck_assert_int_eq(hl_schema_check(hand_schema(), NULL), 0);
}
END_TEST

START_TEST(text_of_people_may_leave_places_and_size_out)
{
	struct hl_schema *const schema =
		parse("# an order\n"
		      "message   order\n\n"
		      "hot u32 magic\n"
		      "hot u32 type  buy=1 sell=2 # names\n"
		      "hot u64 timestamp \"ns since 1970\"\r\n"
		      "\thot i64 amount \"cents\"\n"
		      "hot u64 sequence\n"
		      "warm text[12] account\n"
		      "warm i16[4] levels\n"
		      "@56 warm f32 rate \"percent\"\n"
		      "warm u32 payload_offset\n"
		      "cold bytes[64] digest\n"
		      "cold u8 flags\n"
		      "payload text memo\n"
		      "payload u32[] volumes \"shares\"");
	uint64_t ours, theirs;

	ck_assert_int_eq(hl_schema_fingerprint(schema, &ours), 0);
	ck_assert_int_eq(hl_schema_fingerprint(order_schema(), &theirs), 0);
	ck_assert_uint_eq(ours, theirs);
	hl_schema_destroy(schema);
}
END_TEST

#define HEAD "message m 64\n"
#define WORDS "@24 hot u64 sequence\n@60 warm u32 payload_offset\n"

static const struct {
	const char *text, *words;
} wrong[] = {
	{ "", "empty" },
	{ "messag m 64\n", "line 1" },
	{ "message\n", "no name" },
	{ "message m 65\n" WORDS, "65 bytes" },
	{ "message m 2048\n" WORDS, "up to 1024" },
	{ "message 1m 64\n" WORDS, "name" },
	{ HEAD "@0 hot u32 a\n", "lacks sequence" },
	{ HEAD "@16 hot u64 sequence\n@60 warm u32 payload_offset\n",
	  "sequence is not a u64 at byte 24" },
	{ HEAD "@24 hot u64 sequence\n@56 warm u32 payload_offset\n",
	  "payload_offset is not a u32 at byte 60" },
	{ HEAD "@2 hot u32 a\n" WORDS, "not aligned" },
	{ HEAD "@24 hot u64 sequence\n@32 hot u32 a\n", "first 32 bytes" },
	{ "message m 128\n" WORDS "@64 warm u32 a\n", "first 64 bytes" },
	{ "message m 192\n" WORDS "@96 cold text[40] a\n", "straddles" },
	{ "message m 256\n" WORDS "@96 cold text[80] a\n", "straddles" },
	{ HEAD WORDS "@64 cold u32 a\n", "beyond the message" },
	{ HEAD "@0 hot u64 a\n@4 hot u32 b\n" WORDS, "overlaps" },
	{ HEAD "@0 hot u64 a\n@8 hot u32 a\n" WORDS, "twice" },
	{ HEAD "@0 hot u33 a\n" WORDS, "line 2 of the schema: \"u33\"" },
	{ HEAD "@0 hot u32[0] a\n" WORDS, "no size" },
	{ HEAD "@0 hot u32[99999] a\n" WORDS, "no type" },
	{ HEAD "@0 hot u32[2 a\n" WORDS, "no type" },
	{ HEAD "@0 hot text a\n" WORDS, "no size" },
	{ HEAD "@0 mild u32 a\n" WORDS, "\"mild\" is not hot" },
	{ HEAD "@-1 hot u32 a\n" WORDS, "no place" },
	{ HEAD "@4294967296 hot u32 a\n" WORDS, "no place" },
	{ HEAD "@0 hot u32\n" WORDS, "no name" },
	{ HEAD "@0 hot u32 a \"x\n" WORDS, "no second" },
	{ HEAD "@0 hot u32 a b\n" WORDS, "name=value" },
	{ HEAD "@0 hot u32 a b=\n" WORDS, "no value" },
	{ HEAD "@0 hot u8 a b=256\n" WORDS, "cannot hold" },
	{ HEAD "@0 hot i8 a b=-129\n" WORDS, "cannot hold" },
	{ HEAD "@0 hot u8 a b=1 b=2\n" WORDS, "two names" },
	{ HEAD "@0 hot u8 a b=1 c=1\n" WORDS, "two names" },
	{ HEAD "@0 hot f32 a b=1\n" WORDS, "no whole number" },
	{ HEAD WORDS "payload u32[2] a\n", "number of elements" },
	{ HEAD "payload u32 a\n" WORDS, "behind fields of the payload" },
};

START_TEST(wrong_text_is_refused_with_what_is_wrong)
{
	const char *const text = wrong[_i].text;
	struct hl_error err = { 0 };
	struct hl_schema *schema;

	ck_assert_int_eq(hl_schema_parse(text, strlen(text), &schema, &err),
			 -EINVAL);
	ck_assert_ptr_null(schema);
	ck_assert_msg(strstr(err.text, wrong[_i].words) != NULL,
		      "no \"%s\" in: %s", wrong[_i].words, err.text);
}
END_TEST

static const struct hl_field *field_of(const char *name)
{
	const struct hl_field *const field =
		hl_schema_find(order_schema(), name);

	ck_assert_ptr_nonnull(field);
	return field;
}

static const char *printed(const struct order *order, const char *name)
{
	static char text[256];
	const void *data;
	size_t size;

	ck_assert_int_eq(
		hl_field_locate(field_of(name), order, NULL, &data, &size), 0);
	hl_field_print(field_of(name), data, size, text, sizeof(text));
	return text;
}

START_TEST(values_are_read_and_shown_with_names_and_units)
{
	struct order order = {
		.type = ORDER_SELL,
		.timestamp = UINT64_C(1700000000000000001),
		.amount = -250,
		.account = "ABC\033",
		.levels = { 1, -2, 3, -32768 },
		.rate = 0.5f,
		.digest = { 0xab },
		.flags = 255,
	};
	struct hl_value value;

	ck_assert_str_eq(printed(&order, "type"), "sell");
	ck_assert_str_eq(printed(&order, "timestamp"),
			 "2023-11-14T22:13:20.000000001Z");
	ck_assert_str_eq(printed(&order, "amount"), "-250 cents");
	ck_assert_str_eq(printed(&order, "account"), "ABC?");
	ck_assert_str_eq(printed(&order, "levels"), "[1, -2, 3, -32768]");
	ck_assert_str_eq(printed(&order, "rate"), "0.5 percent");
	ck_assert_str_eq(printed(&order, "flags"), "255");
	ck_assert_int_eq(strncmp(printed(&order, "digest"), "ab00", 4), 0);
	order.type = 9;
	ck_assert_str_eq(printed(&order, "type"), "9");
	ck_assert_int_eq(hl_field_value(field_of("levels"), order.levels,
					sizeof(order.levels), 4, &value),
			 -EINVAL);
}
END_TEST

START_TEST(field_that_a_payload_lacks_has_no_value)
{
	static const _Alignas(8) uint32_t section[8] = { 32, 2, 24, 0, 24, 5 };
	const struct hl_payload payload = {
		.section = (const unsigned char *)section,
		.size_bytes = 32,
		.nfields = 2,
	};
	const struct order order = { 0 };
	const void *data;
	size_t size;

	ck_assert_int_eq(hl_field_locate(field_of("memo"), &order, &payload,
					 &data, &size),
			 0);
	ck_assert_int_eq(hl_field_locate(field_of("volumes"), &order, &payload,
					 &data, &size),
			 -EBADMSG); /* 5 bytes are no u32 */
	ck_assert_int_eq(hl_field_locate(field_of("memo"), &order, NULL, &data,
					 &size),
			 -ENODATA);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		rows_become_a_struct_with_its_fields_where_they_say,
		schema_prints_as_this_text,
		parsed_text_prints_as_itself,
		print_cuts_and_tells_the_whole_length,
		struct_written_by_hand_is_described_by_its_offsets,
		text_of_people_may_leave_places_and_size_out,
		values_are_read_and_shown_with_names_and_units,
		field_that_a_payload_lacks_has_no_value,
	};
	TCase *const tcase = support_begin("schema");

	support_add(tcase, tests, COUNT_OF(tests));
	tcase_add_loop_test(tcase, wrong_text_is_refused_with_what_is_wrong, 0,
			    COUNT_OF(wrong));
	return support_end();
}
