/* SPDX-License-Identifier: MIT */
/*
 * fuzz_json.c - read any line as a message in JSON, as hotline send does
 */
#include "config.h"

#include "fuzz.h"

#include <errno.h>

#include "tools/msg_json.h"

const char *const fuzz_target = "json";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct hlt_message message;
	char why[160] = "";
	size_t i;
	int ret;

	ret = hlt_message_from_json((const char *)data, size, &message, why,
				    sizeof(why));
	if (ret < 0) {
		FUZZ_EXPECT(ret == -EINVAL || ret == -ENOMEM);
		FUZZ_EXPECT(why[0] != '\0' &&
			    strnlen(why, sizeof(why)) < sizeof(why));
		return 0;
	}
	FUZZ_EXPECT(message.size_bytes >= HL_LINE_BYTES);
	FUZZ_EXPECT(message.size_bytes <= HL_SLOT_BYTES_MAX);
	FUZZ_EXPECT(message.size_bytes % HL_LINE_BYTES == 0);
	FUZZ_EXPECT(message.nfields <= HL_PAYLOAD_FIELDS_MAX);
	for (i = 0; i < message.nfields; i++)
		fuzz_touch(message.fields[i].iov_base,
			   message.fields[i].iov_len);
	hlt_message_fini(&message);
	return 0;
}
