/* SPDX-License-Identifier: MIT */
/*
 * fuzz_nacha.c - read any bytes as a NACHA file
 *
 * Each line is yielded at most twice: once as a record, once with a fault that
 * stands before it. So the reading ends, whatever the lines hold.
 */
#include "config.h"

#include "fuzz.h"

#include <sys/mman.h>
#include <unistd.h>

#include "examples/payments/nacha.h"

const char *const fuzz_target = "nacha";

/* Every text of a record ends inside it. */
#define CHECK_TEXT(field)                                                      \
	FUZZ_EXPECT(strnlen(field, sizeof(field)) < sizeof(field))

static void check_record(const struct nacha_record *record)
{
	switch (record->type) {
	case NACHA_FAULT:
		CHECK_TEXT(record->reason);
		FUZZ_EXPECT(record->reason[0] != '\0');
		break;
	case NACHA_FILE_HEADER:
		CHECK_TEXT(record->file_header.destination);
		CHECK_TEXT(record->file_header.origin_name);
		break;
	case NACHA_BATCH_HEADER:
		CHECK_TEXT(record->batch_header.company);
		CHECK_TEXT(record->batch_header.description);
		break;
	case NACHA_ENTRY:
		CHECK_TEXT(record->entry.account);
		CHECK_TEXT(record->entry.id);
		CHECK_TEXT(record->entry.name);
		break;
	case NACHA_ADDENDA:
		CHECK_TEXT(record->addenda.text);
		break;
	case NACHA_BATCH_CONTROL:
	case NACHA_FILE_CONTROL:
		break;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct nacha_reader reader;
	static struct nacha_record record;
	const int fd = memfd_create("nacha", MFD_CLOEXEC);
	size_t records = 0;

	FUZZ_EXPECT(fd >= 0);
	FUZZ_EXPECT(write(fd, data, size) == (ssize_t)size);
	FUZZ_EXPECT(lseek(fd, 0, SEEK_SET) == 0);
	nacha_reader_init(&reader, fd);
	while (nacha_reader_next(&reader, &record) == 1) {
		check_record(&record);
		FUZZ_EXPECT(++records <= 2 * size + 8);
	}
	close(fd);
	return 0;
}
