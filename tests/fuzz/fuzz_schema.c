/* SPDX-License-Identifier: MIT */
/*
 * fuzz_schema.c - read any text as a schema, and use what was accepted
 *
 * Whatever is accepted prints, is read again as the same, fits itself, and has
 * its fields inside a message, each of which can be read and shown.
 */
#include "config.h"

#include "fuzz.h"

#include <errno.h>

#include <hotline/schema.h>

const char *const fuzz_target = "schema";

#define SHOWN_BYTES 128

static void use_fields(const struct hl_schema *schema)
{
	unsigned char *const message = malloc(schema->message_bytes);
	char text[SHOWN_BYTES];
	uint32_t i;

	FUZZ_EXPECT(message);
	memset(message, 0xa5, schema->message_bytes);
	for (i = 0; i < schema->nfields; i++) {
		const struct hl_field *const field = &schema->fields[i];
		const void *data;
		size_t size;

		FUZZ_EXPECT(hl_schema_find(schema, field->name) == field);
		if (hl_field_locate(field, message, NULL, &data, &size) < 0)
			continue;
		fuzz_touch(data, size);
		hl_field_print(field, data, size, text, sizeof(text));
		FUZZ_EXPECT(strnlen(text, sizeof(text)) < sizeof(text));
	}
	free(message);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char text[HL_SCHEMA_BYTES_MAX + 1], again[sizeof(text)];
	struct hl_schema *schema, *second;
	struct hl_error err = { 0 };
	ssize_t len;
	int ret;

	ret = hl_schema_parse((const char *)data, size, &schema, &err);
	if (ret < 0) {
		FUZZ_EXPECT(ret == -EINVAL && !schema && err.text[0]);
		return 0;
	}
	FUZZ_EXPECT(hl_schema_check(schema, NULL) == 0);
	FUZZ_EXPECT(hl_schema_compare(schema, schema, NULL) == 0);
	use_fields(schema);
	/* What people leave out can make the canonical form too long. */
	len = hl_schema_print(schema, text, sizeof(text));
	if (len >= 0) {
		FUZZ_EXPECT(hl_schema_parse(text, (size_t)len, &second, NULL) ==
			    0);
		FUZZ_EXPECT(hl_schema_print(second, again, sizeof(again)) ==
			    len);
		FUZZ_EXPECT(memcmp(text, again, (size_t)len) == 0);
		FUZZ_EXPECT(hl_schema_compare(schema, second, NULL) == 0);
		hl_schema_destroy(second);
	}
	hl_schema_destroy(schema);
	return 0;
}
