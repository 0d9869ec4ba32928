/* SPDX-License-Identifier: MIT */
/*
 * nacha - strict, streaming reader of NACHA ACH files
 *
 * Keeps where in the file it is (outside, in a file, in a batch, after an
 * entry) and what was counted since. A line that breaks a rule of its own is a
 * fault; one that shows that something is missing before it is looked at again
 * after that fault was yielded. The place follows from the type of a line
 * alone, so that one wrong field in a header does not make faults of all that
 * it heads.
 */
#include "nacha.h"

#include <inttypes.h>
#include <limits.h>
#include <string.h>

#include "nacha_fields.h"

/* Stands for the type of the record after the last line. */
#define END_OF_INPUT NACHA_FAULT

void nacha_reader_init(struct nacha_reader *reader, int fd)
{
	memset(reader, 0, sizeof(*reader));
	nacha_text_init(&reader->text, fd);
}

/* The next line that is a record, or is meant to be one. */
static int read_line(struct nacha_reader *reader)
{
	int ret;

	if (reader->again) {
		reader->again = false;
		return 1;
	}
	do {
		ret = nacha_text_next(&reader->text, &reader->line);
	} while (ret > 0 && (nacha_fields_is_blank(&reader->line) ||
			     nacha_fields_is_filler(&reader->line)));
	return ret;
}

/* Faults in the entry before, that only the end of its addenda shows. */
static void end_entry(struct nacha_reader *reader, struct nacha_record *record)
{
	if (reader->entry_line != 0 && reader->entry_good &&
	    reader->addenda < reader->addenda_min) {
		record->line = reader->entry_line;
		nacha_fields_fault(record,
				   "entry announces %u addenda, %u follow",
				   reader->addenda_min, reader->addenda);
	}
	reader->entry_line = 0;
}

static void end_batch(struct nacha_reader *reader)
{
	nacha_totals_add_batch(&reader->file_totals, &reader->batch_totals);
	reader->place = NACHA_IN_FILE;
}

static void begin_file(struct nacha_reader *reader)
{
	memset(&reader->file_totals, 0, sizeof(reader->file_totals));
	reader->place = NACHA_IN_FILE;
}

/*
 * Notes in the record what is missing before a record of this type, and gets
 * to where it is not missing any more. Called until it finds nothing.
 */
static bool find_missing(struct nacha_reader *reader, enum nacha_type type,
			 struct nacha_record *record)
{
	const bool ends_file = type == END_OF_INPUT ||
			       type == NACHA_FILE_HEADER;
	const bool ends_batch = ends_file || type == NACHA_BATCH_HEADER ||
				type == NACHA_FILE_CONTROL;

	if (type != NACHA_ADDENDA)
		end_entry(reader, record);
	if (record->reason[0] != '\0')
		return true;
	if (reader->place == NACHA_IN_BATCH && ends_batch) {
		nacha_fields_fault(
			record,
			"no control record (type 8) of batch %07" PRIu32
			" before this",
			reader->batch.number);
		end_batch(reader);
	} else if (reader->place == NACHA_IN_FILE && ends_file) {
		nacha_fields_fault(
			record,
			"no control record (type 9) of the file before this");
		reader->place = NACHA_OUTSIDE;
	} else if (reader->place == NACHA_OUTSIDE && !ends_file) {
		nacha_fields_fault(record,
				   "no file header (type 1) before this");
		begin_file(reader);
	}
	return record->reason[0] != '\0';
}

static void read_batch_header(struct nacha_reader *reader,
			      struct nacha_record *record)
{
	nacha_fields_batch_header(&reader->line, record);
	reader->batch = record->batch_header;
	reader->batch_good = record->reason[0] == '\0';
	memset(&reader->batch_totals, 0, sizeof(reader->batch_totals));
	reader->place = NACHA_IN_BATCH;
}

static void check_direction(const struct nacha_reader *reader,
			    struct nacha_record *record)
{
	const enum nacha_direction direction =
		nacha_code_direction(record->entry.code);

	if (!reader->batch_good)
		return;
	if ((reader->batch.service_class == 220 && direction == NACHA_DEBIT) ||
	    (reader->batch.service_class == 225 && direction == NACHA_CREDIT))
		nacha_fields_fault(
			record,
			"transaction code %02u in a batch of class "
			"%u, %s only",
			record->entry.code, reader->batch.service_class,
			direction == NACHA_DEBIT ? "credits" : "debits");
}

static void read_entry(struct nacha_reader *reader, struct nacha_record *record)
{
	const struct nacha_entry *entry = &record->entry;
	unsigned int announced = UINT_MAX;

	reader->entry_line = reader->line.number;
	reader->addenda = 0;
	if (reader->place != NACHA_IN_BATCH)
		nacha_fields_fault(record, "entry outside of a batch");
	nacha_fields_entry(&reader->line, reader->batch.sec, record,
			   &announced);
	check_direction(reader, record);
	reader->entry_good = record->reason[0] == '\0';
	if (!reader->entry_good)
		return;
	reader->entry_sequence = (uint32_t)(entry->trace % 10000000);
	reader->addenda_min = 0;
	reader->addenda_max = 0;
	if (entry->has_addenda) {
		reader->addenda_min = announced == UINT_MAX ? 1 : announced;
		reader->addenda_max = announced;
	}
	nacha_totals_add_entry(&reader->batch_totals, entry->bank, entry->code,
			       entry->cents);
}

static void read_addenda(struct nacha_reader *reader,
			 struct nacha_record *record)
{
	nacha_fields_addenda(&reader->line, record);
	if (reader->entry_line == 0) {
		nacha_fields_fault(record, "addenda without an entry");
		return;
	}
	reader->addenda++;
	if (!reader->entry_good)
		nacha_fields_fault(
			record,
			"addenda of the malformed entry in line %" PRIu64,
			reader->entry_line);
	else if (record->addenda.entry_sequence != reader->entry_sequence)
		nacha_fields_fault(record,
				   "addenda of entry %07" PRIu32
				   ", but behind entry %07" PRIu32,
				   record->addenda.entry_sequence,
				   reader->entry_sequence);
	else if (reader->addenda > reader->addenda_max)
		nacha_fields_fault(record,
				   "one more than the %u addenda that the "
				   "entry in line %" PRIu64 " announces",
				   reader->addenda_max, reader->entry_line);
	if (record->reason[0] == '\0')
		nacha_totals_add_addenda(&reader->batch_totals, 1);
}

static void read_batch_control(struct nacha_reader *reader,
			       struct nacha_record *record)
{
	const struct nacha_control *control = &record->control;
	const struct nacha_batch_header *header = &reader->batch;

	nacha_fields_batch_control(&reader->line, record);
	if (reader->place != NACHA_IN_BATCH) {
		nacha_fields_fault(record, "batch control outside of a batch");
		return;
	}
	record->control.counted = reader->batch_totals;
	end_batch(reader);
	if (!reader->batch_good)
		return;
	if (control->number != header->number)
		nacha_fields_fault(record,
				   "control of batch %07" PRIu32
				   " in batch %07" PRIu32,
				   control->number, header->number);
	if (control->bank != header->bank ||
	    control->service_class != header->service_class)
		nacha_fields_fault(record,
				   "service class or originating bank are not "
				   "those of the batch header");
}

static void read_file_control(struct nacha_reader *reader,
			      struct nacha_record *record)
{
	nacha_fields_file_control(&reader->line, record);
	record->control.counted = reader->file_totals;
	reader->place = NACHA_OUTSIDE;
}

static void read_record(struct nacha_reader *reader, enum nacha_type type,
			struct nacha_record *record)
{
	switch (type) {
	case NACHA_FILE_HEADER:
		begin_file(reader);
		nacha_fields_file_header(&reader->line, record);
		break;
	case NACHA_BATCH_HEADER:
		read_batch_header(reader, record);
		break;
	case NACHA_ENTRY:
		read_entry(reader, record);
		break;
	case NACHA_ADDENDA:
		read_addenda(reader, record);
		break;
	case NACHA_BATCH_CONTROL:
		read_batch_control(reader, record);
		break;
	case NACHA_FILE_CONTROL:
		read_file_control(reader, record);
		break;
	case NACHA_FAULT:
		break;
	}
}

int nacha_reader_next(struct nacha_reader *reader, struct nacha_record *record)
{
	enum nacha_type type;
	const int ret = read_line(reader);

	if (ret < 0)
		return ret;
	record->type = NACHA_FAULT;
	record->line = reader->line.number;
	record->reason[0] = '\0';
	if (ret == 0)
		return find_missing(reader, END_OF_INPUT, record);
	type = nacha_fields_type(&reader->line);
	if (type != NACHA_FAULT && find_missing(reader, type, record)) {
		reader->again = true;
		return 1;
	}
	nacha_fields_check(&reader->line, type, record);
	read_record(reader, type, record);
	if (record->reason[0] == '\0')
		record->type = type;
	return 1;
}
