/* SPDX-License-Identifier: MIT */
/*
 * fuzz_where.c - read any line as an expression, and apply it to messages
 */
#include "config.h"

#include "fuzz.h"

#include <errno.h>

#include "tools/where.h"

const char *const fuzz_target = "where";

static const char description[] = "message m 128\n"
				  "@0 hot u32 magic\n"
				  "@4 hot u8 kind a=1 b-c=2\n"
				  "@8 hot u64 big none=0\n"
				  "@16 hot i64 amount \"cents\"\n"
				  "@24 hot u64 sequence\n"
				  "@32 warm text[12] who\n"
				  "@44 warm i16[4] levels\n"
				  "@56 warm f32 rate\n"
				  "@60 warm u32 payload_offset\n"
				  "@64 cold bytes[8] digest\n"
				  "@72 cold f64 ratio\n"
				  "payload text memo\n"
				  "payload u64[] volumes\n";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const _Alignas(8)
		uint32_t section[] = { 40, 2, 24, 3, 32, 8, 'x', 0, 7, 0 };
	const struct hl_payload payload = {
		.section = (const unsigned char *)section,
		.size_bytes = sizeof(section),
		.nfields = 2,
	};
	_Alignas(64) unsigned char message[128];
	struct hlt_where_error err = { 0 };
	struct hl_schema *schema;
	struct hlt_where *where;
	char *const text = malloc(size + 1);
	int ret;

	FUZZ_EXPECT(text);
	memcpy(text, data, size);
	text[size] = '\0';
	FUZZ_EXPECT(hl_schema_parse(description, strlen(description), &schema,
				    NULL) == 0);
	ret = hlt_where_compile(text, schema, &where, &err);
	if (ret < 0) {
		FUZZ_EXPECT(ret == -EINVAL && !where && err.text[0]);
		FUZZ_EXPECT(err.column >= 1 && err.column <= strlen(text) + 1);
	} else {
		memset(message, 0, sizeof(message));
		(void)hlt_where_holds(where, message, NULL);
		memset(message, 0xff, sizeof(message));
		(void)hlt_where_holds(where, message, &payload);
		hlt_where_free(where);
	}
	hl_schema_destroy(schema);
	free(text);
	return 0;
}
