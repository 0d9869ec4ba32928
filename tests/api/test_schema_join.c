/* SPDX-License-Identifier: MIT */
/*
 * test_schema_join.c - rings that carry a description, and who may join them
 */
#include "config.h"

#include <hotline/inspect.h>
#include <hotline/schema.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/rings.h"
#include "tests/support/schemas.h"
#include "tests/support/support.h"

static struct hl_ring *create(const struct hl_schema *schema)
{
	struct hl_ring_attr attr = HL_RING_ATTR_INIT;

	attr.capacity = 8;
	attr.arena_bytes = 64 * 1024;
	attr.max_producers = 2;
	attr.schema = schema;
	return support_create(&attr);
}

static int join(struct hl_ring *ring, const struct hl_schema *schema,
		struct hl_producer **out, struct hl_error *err)
{
	struct hl_producer_attr attr = HL_PRODUCER_ATTR_INIT;

	attr.schema = schema;
	return hl_producer_join(ring, &attr, out, err);
}

static int consume(struct hl_ring *ring, const struct hl_schema *schema,
		   struct hl_consumer **out, struct hl_error *err)
{
	const struct hl_group_attr group =
		support_group("g", HL_GROUP_EXCLUSIVE);
	struct hl_consumer_attr attr = HL_CONSUMER_ATTR_INIT;

	attr.schema = schema;
	return hl_consumer_join(ring, &group, &attr, out, err);
}

START_TEST(ring_carries_the_schema_it_was_created_with)
{
	struct hl_ring *const ring = create(order_schema());
	struct hl_inspect *inspect;
	struct hl_schema *schema;
	struct hl_ring_info info;
	uint64_t ours, theirs;

	hl_ring_get_info(ring, &info);
	ck_assert_uint_eq(info.slot_bytes, sizeof(struct order));
	ck_assert_int_eq(hl_ring_get_schema(ring, &schema, NULL), 0);
	ck_assert_int_eq(hl_schema_fingerprint(schema, &theirs), 0);
	ck_assert_int_eq(hl_schema_fingerprint(order_schema(), &ours), 0);
	ck_assert_uint_eq(ours, theirs);
	hl_schema_destroy(schema);
	ck_assert_int_eq(hl_inspect_open(hl_ring_name(ring), 0, &inspect, NULL),
			 0);
	ck_assert_int_eq(hl_inspect_get_schema(inspect, &schema, NULL), 0);
	ck_assert_str_eq(schema->name, "order");
	hl_schema_destroy(schema);
	hl_inspect_close(inspect);
}
END_TEST

START_TEST(ring_without_a_schema_says_so)
{
	struct hl_ring *const ring = create(NULL);
	struct hl_producer *producer;
	struct hl_schema *schema;
	struct hl_error err;

	ck_assert_int_eq(hl_ring_get_schema(ring, &schema, &err), -ENODATA);
	ck_assert_ptr_null(schema);
	ck_assert_int_eq(join(ring, order_schema(), &producer, &err),
			 -EPROTONOSUPPORT);
	ck_assert_ptr_nonnull(strstr(err.text, "no schema"));
}
END_TEST

/* One change each to the fields of order, by their places in the list. */
static const struct {
	const char *words[2];
	struct hl_field field;
	uint32_t at;
} changes[] = {
	{ { "byte 16: ours is i64 amount \"mills\"",
	    "theirs is i64 amount \"cents\"" },
	  { "amount", "mills", 0, 0, 16, 1, HL_I64, HL_HOT },
	  3 },
	{ { "byte 16: ours is u64 amount", "theirs is i64 amount" },
	  { "amount", "cents", 0, 0, 16, 1, HL_U64, HL_HOT },
	  3 },
	{ { "byte 8: ours is u64 sent", "theirs is u64 timestamp" },
	  { "sent", "ns since 1970", 0, 0, 8, 1, HL_U64, HL_HOT },
	  2 },
	{ { "byte 32: ours is text[8] account", "theirs is text[12] account" },
	  { "account", "", 0, 0, 32, 8, HL_TEXT, HL_WARM },
	  5 },
	{ { "ours has i16[4] levels at byte 46",
	    "theirs has i16[4] levels at byte 44" },
	  { "levels", "", 0, 0, 46, 4, HL_I16, HL_WARM },
	  6 },
	{ { "payload field 1: ours is u64[] volumes",
	    "theirs is u32[] volumes" },
	  { "volumes", "shares", 0, 0, 1, 0, HL_U64, HL_PAYLOAD },
	  12 },
};

START_TEST(join_with_another_schema_is_refused_with_both_versions)
{
	struct hl_schema ours = *order_schema();
	struct hl_ring *const ring = create(order_schema());
	struct hl_field fields[16];
	struct hl_producer *producer;
	struct hl_consumer *consumer;
	struct hl_error err = { 0 };

	memcpy(fields, ours.fields, ours.nfields * sizeof(fields[0]));
	fields[changes[_i].at] = changes[_i].field;
	ours.fields = fields;
	ck_assert_int_eq(join(ring, &ours, &producer, &err), -EPROTONOSUPPORT);
	ck_assert_ptr_null(producer);
	for (int i = 0; i < 2; i++)
		ck_assert_msg(strstr(err.text, changes[_i].words[i]) != NULL,
			      "no \"%s\" in: %s", changes[_i].words[i],
			      err.text);
	ck_assert_ptr_nonnull(strstr(err.text, hl_ring_name(ring)));
	ck_assert_int_eq(consume(ring, &ours, &consumer, &err),
			 -EPROTONOSUPPORT);
	ck_assert_ptr_null(consumer);
}
END_TEST

START_TEST(another_name_for_a_number_is_refused)
{
	static const struct hl_enum_name names[] = { { 1, "buy" },
						     { 2, "lend" } };
	struct hl_schema ours = *order_schema();
	struct hl_ring *const ring = create(order_schema());
	struct hl_field fields[16];
	struct hl_producer *producer;
	struct hl_error err = { 0 };

	memcpy(fields, ours.fields, ours.nfields * sizeof(fields[0]));
	fields[1].names = names;
	ours.fields = fields;
	ck_assert_int_eq(join(ring, &ours, &producer, &err), -EPROTONOSUPPORT);
	ck_assert_ptr_nonnull(
		strstr(err.text, "type: ours has lend=2, theirs has sell=2"));
}
END_TEST

static uint64_t number_of(const struct hl_schema *schema, const char *name,
			  const void *message, const struct hl_payload *payload)
{
	const struct hl_field *const field = hl_schema_find(schema, name);
	struct hl_value value;
	const void *data;
	size_t size;

	ck_assert_ptr_nonnull(field);
	if (hl_field_locate(field, message, payload, &data, &size) == -ENODATA)
		return UINT64_MAX;
	ck_assert_int_eq(hl_field_value(field, data, size, 0, &value), 0);
	return value.u;
}

/* Both write what they know, and read what both have sent. */
START_TEST(old_and_new_programs_share_a_ring_both_ways)
{
	const struct hl_schema new = new_schema();
	const struct hl_schema *const versions[2] = { order_schema(), &new };
	struct hl_ring *const ring = create(versions[_i]);
	const struct order from_old = { .type = ORDER_SELL, .amount = 1 };
	const struct new_order from_new = {
		.type = NEW_CANCEL,
		.amount = 2,
		.venue = 7,
	};
	uint64_t limit = 500;
	struct iovec fields[3] = { { .iov_base = &limit, .iov_len = 0 },
				   { .iov_base = &limit, .iov_len = 8 },
				   { .iov_base = &limit, .iov_len = 8 } };
	struct hl_producer *old_writer, *new_writer;
	const struct order *by_old;
	const struct new_order *by_new;
	struct hl_payload payload;
	struct hl_consumer *reader;
	struct hl_batch batch;

	ck_assert_int_eq(join(ring, versions[0], &old_writer, NULL), 0);
	ck_assert_int_eq(join(ring, versions[1], &new_writer, NULL), 0);
	ck_assert_int_eq(hl_producer_sendv(old_writer, &from_old,
					   sizeof(from_old), fields, 2,
					   HL_NOWAIT),
			 1);
	ck_assert_int_eq(hl_producer_sendv(new_writer, &from_new,
					   sizeof(from_new), fields, 3,
					   HL_NOWAIT),
			 1);

	/* A new reader: an old writer's message has no venue and no limit. */
	ck_assert_int_eq(consume(ring, versions[1], &reader, NULL), 0);
	ck_assert_int_eq(hl_consumer_take(reader, 1, HL_NOWAIT, &batch), 1);
	by_new = (const struct new_order *)hl_batch_next(&batch);
	ck_assert_int_eq(hl_batch_payload(&batch, by_new, &payload), 0);
	ck_assert_uint_eq(by_new->type, NEW_SELL);
	ck_assert_int_eq(by_new->amount, 1);
	ck_assert_uint_eq(by_new->venue, 0);
	ck_assert_uint_eq(number_of(&new, "limit", by_new, &payload),
			  UINT64_MAX);
	ck_assert_int_eq(hl_consumer_done(reader), 0);
	ck_assert_int_eq(hl_consumer_leave(reader), 0);

	/* An old reader: all that it knows of a new writer's is right. */
	ck_assert_int_eq(consume(ring, versions[0], &reader, NULL), 0);
	if (hl_consumer_take(reader, 2, HL_NOWAIT, &batch) == 2)
		(void)hl_batch_next(&batch); /* the group began anew */
	by_old = (const struct order *)hl_batch_next(&batch);
	ck_assert_int_eq(hl_batch_payload(&batch, by_old, &payload), 0);
	ck_assert_uint_eq(by_old->type, 3);
	ck_assert_int_eq(by_old->amount, 2);
	ck_assert_uint_eq(number_of(versions[0], "volumes", by_old, &payload),
			  500);
	ck_assert_int_eq(hl_consumer_done(reader), 0);
}
END_TEST

static int mangle(struct hl_ring *ring, size_t at, const char *bytes)
{
	struct hl_schema *schema;
	struct hl_ring *again;
	char path[512];
	int ret, file;

	snprintf(path, sizeof(path), "%s/hotline.%s", support_folder(),
		 hl_ring_name(ring));
	file = open(path, O_RDWR | O_CLOEXEC);
	ck_assert_int_ge(file, 0);
	ck_assert_int_eq(pwrite(file, bytes, 4, (off_t)at), 4);
	close(file);
	ret = hl_ring_open(hl_ring_name(ring), 0, &again, NULL);
	if (ret < 0)
		return ret;
	ret = hl_ring_get_schema(again, &schema, NULL);
	hl_schema_destroy(schema);
	hl_ring_close(again);
	return ret;
}

START_TEST(damaged_schema_is_found_at_open_or_at_its_first_use)
{
	static const struct {
		size_t at;
		const char bytes[5];
		int ret;
	} rows[] = {
		{ 200, "\0\0\0\1", -EBADMSG },	   /* schema_at */
		{ 208, "\1\2\3\4", -EBADMSG },	   /* the fingerprint */
		{ 216, "\0\0\0\0", -EBADMSG },	   /* schema_bytes */
		{ 216, "\0\0\1\1", -EBADMSG },	   /* more than there may be */
		{ 216, "\377\377\0\0", -EBADMSG }, /* more than there are */
		{ 16, "\0\0\0\0", -ENODATA },	   /* the feature bit is gone */
	};

	ck_assert_int_eq(mangle(create(order_schema()), rows[_i].at,
				rows[_i].bytes),
			 rows[_i].ret);
}
END_TEST

START_TEST(schema_that_does_not_go_with_the_ring_is_refused)
{
	struct hl_schema broken = *order_schema();
	struct hl_ring_attr attr = HL_RING_ATTR_INIT;
	struct hl_error err = { 0 };
	struct hl_ring *ring;

	attr.schema = order_schema();
	attr.slot_bytes = 64;
	ck_assert_int_eq(hl_ring_create(support_name(), &attr, &ring, &err),
			 -EINVAL);
	ck_assert_ptr_nonnull(strstr(err.text, "64 bytes is too small"));
	attr.slot_bytes = 0;
	attr.checksum = HL_CHECKSUM_HEADER;
	ck_assert_int_eq(hl_ring_create(support_name(), &attr, &ring, &err),
			 -EINVAL);
	ck_assert_ptr_nonnull(strstr(err.text, "rate"));
	attr.checksum = HL_CHECKSUM_NONE;
	broken.message_bytes = 100;
	attr.schema = &broken;
	ck_assert_int_eq(hl_ring_create(support_name(), &attr, &ring, &err),
			 -EINVAL);
	ck_assert_ptr_nonnull(strstr(err.text, "100 bytes"));
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		ring_carries_the_schema_it_was_created_with,
		ring_without_a_schema_says_so,
		another_name_for_a_number_is_refused,
		schema_that_does_not_go_with_the_ring_is_refused,
	};
	TCase *const tcase = support_begin("schema_join");

	support_add(tcase, tests, COUNT_OF(tests));
	tcase_add_loop_test(
		tcase, join_with_another_schema_is_refused_with_both_versions,
		0, COUNT_OF(changes));
	tcase_add_loop_test(tcase, old_and_new_programs_share_a_ring_both_ways,
			    0, 2);
	tcase_add_loop_test(tcase,
			    damaged_schema_is_found_at_open_or_at_its_first_use,
			    0, 6);
	return support_end();
}
