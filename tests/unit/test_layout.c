/* SPDX-License-Identifier: MIT */
/*
 * test_layout.c - the bytes of a ring, and the checks of a header
 */
#include "config.h"

#include "lib/layout.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <hotline/message.h>
#include <hotline/ring.h>

#include "tests/support/support.h"

#include "core_ring.h"

static struct hli_geometry geometry(const struct hl_ring_attr *attr)
{
	struct hli_geometry geo;

	ck_assert_int_eq(hli_geometry_from_attr(&geo, attr, "test", NULL), 0);
	return geo;
}

/* Changing a figure here needs a new HLI_FORMAT_VERSION. */
START_TEST(default_ring_has_its_tables_where_version_1_has_them)
{
	const struct hl_ring_attr attr = HL_RING_ATTR_INIT;
	const struct hli_geometry geo = geometry(&attr);

	ck_assert_uint_eq(HLI_FORMAT_VERSION, 1);
	ck_assert_uint_eq(geo.groups_at, 2048);
	ck_assert_uint_eq(geo.records_at, 2048 + 16 * 256);
	ck_assert_uint_eq(geo.blocks_at, geo.records_at + 64 * 128);
	ck_assert_uint_eq(geo.slots_at, 16384);
	ck_assert_uint_eq(geo.arena_at, 16384 + 1024 * 64);
	ck_assert_uint_eq(geo.file_bytes, geo.arena_at);
}
END_TEST

START_TEST(schema_lies_between_blocks_and_slots)
{
	const struct hl_ring_attr attr = HL_RING_ATTR_INIT;
	const struct hli_geometry without = geometry(&attr);
	struct hli_geometry geo = without;

	ck_assert_int_eq(hli_geometry_add_schema(&geo, 100, 7, "ring", NULL),
			 0);
	ck_assert_uint_eq(geo.features, HLI_FEATURE_SCHEMA);
	ck_assert_uint_eq(HLI_FEATURE_SCHEMA, 2);
	ck_assert_uint_eq(geo.schema_at, without.blocks_at);
	ck_assert_uint_eq(geo.slots_at, without.slots_at);
	ck_assert_int_eq(hli_geometry_add_schema(&geo, 65536, 7, "ring", NULL),
			 0);
	ck_assert_uint_eq(geo.slots_at, 81920);
	ck_assert_int_eq(hli_geometry_add_schema(&geo, 65537, 7, "ring", NULL),
			 -EINVAL);
}
END_TEST

START_TEST(header_of_version_1_has_these_bytes)
{
	static const unsigned char golden[24] = {
		'H', 'O', 'T', 'L', 'I', 'N', 'E', '\n', /* magic */
		1,   0,	  0,   0,			 /* version */
		4,   3,	  2,   1,			 /* byte order */
		0,   0,	  0,   0,   0,	 0,   0,   0,	 /* features */
	};
	const struct hl_ring_attr attr = HL_RING_ATTR_INIT;
	struct core_ring ring;

	core_ring_init(&ring, &attr);
	ck_assert_uint_eq(hli_load_rlx(&ring.view.header->magic), 0);
	hli_layout_publish(&ring.view);
	ck_assert_mem_eq(ring.memory, golden, sizeof(golden));
	core_ring_fini(&ring);
}
END_TEST

START_TEST(words_of_different_writers_are_128_bytes_apart)
{
	const size_t words[] = {
		offsetof(struct hli_header, head),
		offsetof(struct hli_header, announced),
		offsetof(struct hli_header, sleepers),
		offsetof(struct hli_header, active),
		offsetof(struct hli_header, wake),
		offsetof(struct hli_header, bounds_found),
	};
	size_t i;

	for (i = 1; i < COUNT_OF(words); i++)
		ck_assert_uint_ge(words[i] - words[i - 1], 128);
	ck_assert_uint_eq(sizeof(struct hli_record) % 128, 0);
	ck_assert_uint_eq(offsetof(struct hli_group, next) % 128, 0);
	ck_assert_uint_eq(sizeof(struct hli_group) % 128, 0);
}
END_TEST

START_TEST(defaults_take_at_most_64_kib_beside_slots_and_arena)
{
	struct hl_ring_attr attr = HL_RING_ATTR_INIT;
	struct hli_geometry geo;

	attr.arena_bytes = 1 << 20;
	geo = geometry(&attr);
	ck_assert_uint_le(geo.file_bytes - geo.capacity * geo.slot_bytes -
				  (uint64_t)geo.nblocks * geo.block_stride,
			  64 << 10);
}
END_TEST

/* Each row is one wrong value. */
START_TEST(attributes_out_of_range_are_refused)
{
	struct hl_ring_attr attr = HL_RING_ATTR_INIT;
	struct hli_geometry geo;
	struct hl_error err;

	switch (_i) {
	case 0:
		attr.capacity = 1;
		break;
	case 1:
		attr.capacity = 1000;
		break;
	case 2:
		attr.capacity = HL_CAPACITY_MAX * 2;
		break;
	case 3:
		attr.slot_bytes = 32;
		break;
	case 4:
		attr.slot_bytes = 1088;
		break;
	case 5:
		attr.slot_bytes = 100;
		break;
	case 6:
		attr.max_producers = 1025;
		break;
	case 7:
		attr.max_consumers = 1025;
		break;
	case 8:
		attr.max_groups = 63;
		break;
	case 9:
		attr.start_position = UINT64_C(1) << 63;
		break;
	case 10:
		attr.block_bytes = 4096;
		break; /* and no arena */
	case 11:
		attr.arena_bytes = 1000;
		break;
	case 12:
		attr.checksum = 3;
		break;
	case 13:
		attr.producers = HL_PRODUCERS_SOLE;
		attr.max_producers = 2;
		break;
	default:
		attr.arena_bytes = UINT64_MAX;
		attr.block_bytes = 1 << 30;
	}
	ck_assert_int_eq(hli_geometry_from_attr(&geo, &attr, "ring", &err),
			 -EINVAL);
	ck_assert_int_eq(err.code, -EINVAL);
	ck_assert_ptr_nonnull(strstr(err.text, "ring"));
}
END_TEST

static struct hli_header *valid_header(struct core_ring *ring)
{
	const struct hl_ring_attr attr = core_ring_attr();

	core_ring_init(ring, &attr);
	hli_layout_publish(&ring->view);
	return ring->view.header;
}

static int check(const struct core_ring *ring, uint64_t file_bytes,
		 struct hl_error *err)
{
	struct hli_geometry geo;

	return hli_geometry_from_file(&geo, ring->memory, file_bytes, "ring",
				      err);
}

START_TEST(valid_header_is_accepted)
{
	struct core_ring ring;
	struct hl_error err;

	valid_header(&ring);
	ck_assert_int_eq(check(&ring, ring.view.geo.file_bytes, &err), 0);
	core_ring_fini(&ring);
}
END_TEST

START_TEST(each_mismatch_has_its_own_error_with_both_values)
{
	static const struct {
		int code;
		const char *words[3];
	} rows[] = {
		{ -EBADMSG, { "not a ring", "0a454e494c544f48", "0000" } },
		{ -EPROTONOSUPPORT, { "version", "2", "1" } },
		{ -EPROTONOSUPPORT, { "byte order", "04030201", "01020304" } },
		{ -EPROTONOSUPPORT, { "features", "80", "knows" } },
		{ -EBADMSG, { "slots' place", "4097", "4096" } },
		{ -EBADMSG, { "record size", "64", "128" } },
		{ -EBADMSG, { "capacity", "power of two", "2^26" } },
		{ -EBADMSG, { "the file has", "4096", "cut" } },
	};
	struct core_ring ring;
	struct hli_header *const header = valid_header(&ring);
	uint64_t bytes = ring.view.geo.file_bytes;
	struct hl_error err;
	size_t i;

	switch (_i) {
	case 0:
		hli_store_rlx(&header->magic, 0);
		break;
	case 1:
		header->format_version = 2;
		break;
	case 2:
		header->byte_order = 0x04030201;
		break;
	case 3:
		header->features = 0x80;
		break;
	case 4:
		header->slots_at++;
		break;
	case 5:
		header->record_bytes = 64;
		break;
	case 6:
		header->capacity = 3;
		break;
	default:
		bytes = 4096;
	}
	ck_assert_int_eq(check(&ring, bytes, &err), rows[_i].code);
	for (i = 0; i < 3; i++)
		ck_assert_msg(strstr(err.text, rows[_i].words[i]),
			      "no \"%s\" in: %s", rows[_i].words[i], err.text);
	core_ring_fini(&ring);
}
END_TEST

START_TEST(file_shorter_than_a_header_is_no_ring)
{
	struct core_ring ring;
	struct hl_error err;

	valid_header(&ring);
	ck_assert_int_eq(check(&ring, sizeof(struct hli_header) - 1, &err),
			 -EBADMSG);
	core_ring_fini(&ring);
}
END_TEST

START_TEST(slots_are_settled_below_any_start)
{
	struct hl_ring_attr attr = core_ring_attr();
	struct core_ring ring;
	uint64_t p;

	attr.start_position = (UINT64_C(1) << 32) + 1;
	core_ring_init(&ring, &attr);
	for (p = attr.start_position; p < attr.start_position + 4; p++)
		ck_assert_uint_eq(hli_load_rlx(hli_stamp(&ring.view, p)),
				  (p - 4) | HL_SEQUENCE_VOID);
	core_ring_fini(&ring);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		default_ring_has_its_tables_where_version_1_has_them,
		schema_lies_between_blocks_and_slots,
		header_of_version_1_has_these_bytes,
		words_of_different_writers_are_128_bytes_apart,
		defaults_take_at_most_64_kib_beside_slots_and_arena,
		valid_header_is_accepted,
		file_shorter_than_a_header_is_no_ring,
		slots_are_settled_below_any_start,
	};
	TCase *const tcase = support_begin("layout");

	support_add(tcase, tests, COUNT_OF(tests));
	tcase_add_loop_test(tcase, attributes_out_of_range_are_refused, 0, 15);
	tcase_add_loop_test(
		tcase, each_mismatch_has_its_own_error_with_both_values, 0, 8);
	return support_end();
}
