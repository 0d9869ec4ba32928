/* SPDX-License-Identifier: MIT */
/*
 * nacha_fields - one line of an ACH file into one record, field by field
 *
 * Each parser reads its fields from left to right through number() and text(),
 * which note the first fault in the record and go on: so the code is a list of
 * columns as the format's own tables are.
 */
#include "nacha_fields.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct fields {
	const struct nacha_line *line;
	struct nacha_record *record;
};

void nacha_fields_fault(struct nacha_record *record, const char *format, ...)
{
	va_list args;

	if (record->reason[0] != '\0')
		return;
	va_start(args, format);
	vsnprintf(record->reason, sizeof(record->reason), format, args);
	va_end(args);
}

/* A number that fills its columns with digits. */
static uint64_t number(const struct fields *fields, const char *what,
		       unsigned int from, unsigned int to)
{
	uint64_t value = 0;
	size_t size;
	const char *in = nacha_line_field(fields->line, from, to, &size);
	bool good = size == to - from + 1;

	for (size_t i = 0; good && i < size; i++) {
		good = in[i] >= '0' && in[i] <= '9';
		value = value * 10 + (uint64_t)(in[i] - '0');
	}
	if (good)
		return value;
	nacha_fields_fault(fields->record, "%s (columns %u-%u) is not digits",
			   what, from, to);
	return 0;
}

/* Free text without the spaces around it; out holds NACHA_FIELD(columns). */
static void text(const struct fields *fields, unsigned int from,
		 unsigned int to, char *out)
{
	size_t size;
	const char *in = nacha_line_field(fields->line, from, to, &size);

	while (size > 0 && *in == ' ') {
		in++;
		size--;
	}
	while (size > 0 && in[size - 1] == ' ')
		size--;
	memcpy(out, in, size);
	out[size] = '\0';
}

static void expect(const struct fields *fields, const char *what,
		   unsigned int from, unsigned int to, const char *value)
{
	size_t size;
	const char *have = nacha_line_field(fields->line, from, to, &size);

	if (size != strlen(value) || memcmp(have, value, size) != 0)
		nacha_fields_fault(fields->record,
				   "%s (columns %u-%u) is not %s", what, from,
				   to, value);
}

static uint32_t bank(const struct fields *fields, const char *what,
		     unsigned int from)
{
	const uint32_t eight = (uint32_t)number(fields, what, from, from + 7);
	const uint32_t digit =
		(uint32_t)number(fields, what, from + 8, from + 8);
	const unsigned int right = nacha_check_digit(eight);

	if (digit != right)
		nacha_fields_fault(fields->record,
				   "%s %08" PRIu32 "%" PRIu32
				   " has a wrong check digit, it should be %u",
				   what, eight, digit, right);
	return eight * 10 + digit;
}

bool nacha_fields_is_filler(const struct nacha_line *line)
{
	return line->columns > 1 && line->columns <= NACHA_COLUMNS &&
	       strspn(line->text, "9") == line->columns;
}

bool nacha_fields_is_blank(const struct nacha_line *line)
{
	return line->columns <= NACHA_COLUMNS &&
	       strspn(line->text, " ") == line->columns;
}

/* The C1 controls are two bytes in UTF-8, and as bad for a terminal. */
static unsigned int control_column(const struct nacha_line *line)
{
	for (unsigned int i = 0; i < line->columns && i < NACHA_COLUMNS; i++) {
		const unsigned char *c =
			(const unsigned char *)line->text + line->start[i];

		if (c[0] < ' ' || c[0] == 0x7f ||
		    (c[0] == 0xc2 && c[1] >= 0x80 && c[1] <= 0x9f))
			return i + 1;
	}
	return 0;
}

/* Up to the last column that cannot be blank; 0: there is no such type. */
static const unsigned int columns_min[10] = {
	[NACHA_FILE_HEADER] = 40,   [NACHA_BATCH_HEADER] = 94,
	[NACHA_ENTRY] = 94,	    [NACHA_ADDENDA] = 94,
	[NACHA_BATCH_CONTROL] = 94, [NACHA_FILE_CONTROL] = 55,
};

enum nacha_type nacha_fields_type(const struct nacha_line *line)
{
	const char type = line->text[0];

	if (type < '1' || type > '9' || columns_min[type - '0'] == 0)
		return NACHA_FAULT;
	return (enum nacha_type)(type - '0');
}

void nacha_fields_check(const struct nacha_line *line, enum nacha_type type,
			struct nacha_record *record)
{
	const unsigned int column = control_column(line);

	if (column > 0)
		nacha_fields_fault(record, "control character in column %u",
				   column);
	if (type == NACHA_FAULT)
		nacha_fields_fault(record,
				   "record type '%.*s' is not 1 or 5 to 9",
				   (int)line->start[1], line->text);
	else if (line->columns > NACHA_COLUMNS)
		nacha_fields_fault(record, "more than %d characters",
				   NACHA_COLUMNS);
	else if (line->columns < columns_min[type])
		nacha_fields_fault(record,
				   "short: %u characters, type %d needs %u",
				   line->columns, (int)type, columns_min[type]);
}

/* Years are two digits, so 29 February passes in every year. */
static void check_date(const struct fields *fields, const char *what,
		       unsigned int from)
{
	static const uint8_t days[] = { 31, 29, 31, 30, 31, 30,
					31, 31, 30, 31, 30, 31 };
	const uint64_t date = number(fields, what, from, from + 5);
	const uint64_t month = date / 100 % 100;
	const uint64_t day = date % 100;

	if (month < 1 || month > 12 || day < 1 || day > days[month - 1])
		nacha_fields_fault(fields->record,
				   "%s %06" PRIu64
				   " is no date (columns %u-%u, YYMMDD)",
				   what, date, from, from + 5);
}

static bool is_blank(const struct fields *fields, unsigned int from,
		     unsigned int to)
{
	size_t size;
	const char *in = nacha_line_field(fields->line, from, to, &size);

	while (size > 0 && in[size - 1] == ' ')
		size--;
	return size == 0;
}

void nacha_fields_file_header(const struct nacha_line *line,
			      struct nacha_record *record)
{
	const struct fields fields = { line, record };
	struct nacha_file_header *header = &record->file_header;

	expect(&fields, "priority code", 2, 3, "01");
	text(&fields, 4, 13, header->destination);
	text(&fields, 14, 23, header->origin);
	check_date(&fields, "creation date", 24);
	if (!is_blank(&fields, 30, 33)) {
		const uint64_t time = number(&fields, "creation time", 30, 33);

		if (time / 100 > 23 || time % 100 > 59)
			nacha_fields_fault(record,
					   "creation time %04" PRIu64
					   " is no time (columns 30-33, HHMM)",
					   time);
	}
	text(&fields, 24, 33, header->created);
	text(&fields, 34, 34, header->modifier);
	expect(&fields, "record size", 35, 37, "094");
	expect(&fields, "blocking factor", 38, 39, "10");
	expect(&fields, "format code", 40, 40, "1");
	text(&fields, 41, 63, header->destination_name);
	text(&fields, 64, 86, header->origin_name);
}

static unsigned int service_class(const struct fields *fields)
{
	const unsigned int class =
		(unsigned int)number(fields, "service class", 2, 4);

	if (class == 280)
		nacha_fields_fault(fields->record,
				   "an ADV batch (280), which is not read");
	if (class != 200 && class != 220 && class != 225)
		nacha_fields_fault(fields->record,
				   "service class %03u is not 200, 220 or 225",
				   class);
	return class;
}

void nacha_fields_batch_header(const struct nacha_line *line,
			       struct nacha_record *record)
{
	const struct fields fields = { line, record };
	struct nacha_batch_header *header = &record->batch_header;

	header->service_class = service_class(&fields);
	text(&fields, 5, 20, header->company);
	text(&fields, 41, 50, header->company_id);
	text(&fields, 51, 53, header->sec);
	if (strspn(header->sec, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != 3)
		nacha_fields_fault(record,
				   "entry class (columns 51-53) is not three "
				   "capital letters");
	text(&fields, 54, 63, header->description);
	if (!is_blank(&fields, 70, 75))
		check_date(&fields, "effective date", 70);
	header->bank = (uint32_t)number(&fields, "originating bank", 80, 87);
	header->number = (uint32_t)number(&fields, "batch number", 88, 94);
}

/* Where an entry keeps what differs from class to class. */
static void entry_by_class(const struct fields *fields, const char *sec,
			   struct nacha_entry *entry, unsigned int *addenda)
{
	if (strcmp(sec, "IAT") == 0) {
		*addenda = (unsigned int)number(fields, "number of addenda", 13,
						16);
		text(fields, 40, 74, entry->account);
		entry->id[0] = '\0';
		entry->name[0] = '\0';
		return;
	}
	text(fields, 13, 29, entry->account);
	text(fields, 40, 54, entry->id);
	if (strcmp(sec, "CTX") == 0 || strcmp(sec, "ATX") == 0) {
		*addenda = (unsigned int)number(fields, "number of addenda", 55,
						58);
		text(fields, 59, 74, entry->name);
		return;
	}
	text(fields, 55, 76, entry->name);
}

void nacha_fields_entry(const struct nacha_line *line, const char *sec,
			struct nacha_record *record, unsigned int *addenda)
{
	const struct fields fields = { line, record };
	struct nacha_entry *entry = &record->entry;
	uint64_t flag;

	entry->code = (unsigned int)number(&fields, "transaction code", 2, 3);
	if (nacha_code_direction(entry->code) == NACHA_NO_CODE)
		nacha_fields_fault(record, "transaction code %02u is unknown",
				   entry->code);
	entry->bank = bank(&fields, "receiving bank", 4);
	entry->cents = number(&fields, "amount", 30, 39);
	if (entry->cents != 0 && nacha_code_is_prenote(entry->code))
		nacha_fields_fault(record,
				   "a prenote (code %02u) of %" PRIu64 " cents",
				   entry->code, entry->cents);
	entry_by_class(&fields, sec, entry, addenda);
	flag = number(&fields, "addenda flag", 79, 79);
	if (flag > 1)
		nacha_fields_fault(record,
				   "addenda flag (column 79) is %" PRIu64
				   ", not 0 or 1",
				   flag);
	entry->has_addenda = flag == 1;
	entry->trace = number(&fields, "trace number", 80, 94);
}

/* The last column of an addenda's own data. */
static unsigned int addenda_text_end(unsigned int code)
{
	if (code >= 10 && code <= 18)
		return 87;
	return code == 5 ? 83 : 79;
}

void nacha_fields_addenda(const struct nacha_line *line,
			  struct nacha_record *record)
{
	const struct fields fields = { line, record };
	struct nacha_addenda *addenda = &record->addenda;

	addenda->code = (unsigned int)number(&fields, "addenda code", 2, 3);
	text(&fields, 4, addenda_text_end(addenda->code), addenda->text);
	addenda->entry_sequence =
		(uint32_t)number(&fields, "entry's sequence number", 88, 94);
}

void nacha_fields_batch_control(const struct nacha_line *line,
				struct nacha_record *record)
{
	const struct fields fields = { line, record };
	struct nacha_control *control = &record->control;
	struct nacha_totals *said = &control->said;

	memset(control, 0, sizeof(*control));
	control->service_class = service_class(&fields);
	said->entries = number(&fields, "entry count", 5, 10);
	said->hash = number(&fields, "entry hash", 11, 20);
	said->debit_cents = number(&fields, "debit total", 21, 32);
	said->credit_cents = number(&fields, "credit total", 33, 44);
	control->bank = (uint32_t)number(&fields, "originating bank", 80, 87);
	control->number = (uint32_t)number(&fields, "batch number", 88, 94);
}

void nacha_fields_file_control(const struct nacha_line *line,
			       struct nacha_record *record)
{
	const struct fields fields = { line, record };
	struct nacha_totals *said = &record->control.said;

	memset(&record->control, 0, sizeof(record->control));
	said->batches = number(&fields, "batch count", 2, 7);
	said->blocks = number(&fields, "block count", 8, 13);
	said->entries = number(&fields, "entry count", 14, 21);
	said->hash = number(&fields, "entry hash", 22, 31);
	said->debit_cents = number(&fields, "debit total", 32, 43);
	said->credit_cents = number(&fields, "credit total", 44, 55);
}
