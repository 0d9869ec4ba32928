/* SPDX-License-Identifier: MIT */
/*
 * nacha - strict, streaming reader of NACHA ACH files
 *
 * Guarantees: each line of the file is yielded once, as a record or as a fault
 * with the line's number and a reason in words; no line, however wrong, stops
 * the ones behind it; memory is bounded. A record that is yielded as good
 * has been checked field by field: digits are digits, dates are dates, the
 * bank's check digit is right, the transaction code exists and fits the batch.
 * Records out of place, missing control records and missing addenda are
 * faults too. Only good records enter the totals: where a line was dropped,
 * the totals differ from the control records, as they should.
 *
 * Short lines are read as if padded with spaces, as far as the fields that a
 * record cannot do without. Lines of nines, which fill a block of ten, and
 * blank lines are skipped. Several files may follow each other.
 *
 * Not read: ADV batches (service class 280), whose columns are others. Whether
 * totals agree is for the caller to ask, see nacha_totals_agree().
 */
#ifndef NACHA_H
#define NACHA_H

#include "nacha_text.h"
#include "nacha_totals.h"

enum nacha_type {
	NACHA_FAULT = 0,
	NACHA_FILE_HEADER = 1,
	NACHA_BATCH_HEADER = 5,
	NACHA_ENTRY = 6,
	NACHA_ADDENDA = 7,
	NACHA_BATCH_CONTROL = 8,
	NACHA_FILE_CONTROL = 9,
};

/* Text is without the spaces around it, and ends in NUL. */

struct nacha_file_header {
	char destination[NACHA_FIELD(10)];
	char origin[NACHA_FIELD(10)];
	char created[NACHA_FIELD(10)]; /* YYMMDD and HHMM, or YYMMDD */
	char modifier[NACHA_FIELD(1)]; /* tells files of one day apart */
	char destination_name[NACHA_FIELD(23)];
	char origin_name[NACHA_FIELD(23)];
};

struct nacha_batch_header {
	unsigned int service_class; /* 200 mixed, 220 credits, 225 debits */
	uint32_t number;
	uint32_t bank;		  /* originating, eight digits */
	char sec[NACHA_FIELD(3)]; /* standard entry class, as in "PPD" */
	char company[NACHA_FIELD(16)];
	char company_id[NACHA_FIELD(10)];
	char description[NACHA_FIELD(10)];
};

struct nacha_entry {
	unsigned int code;
	uint32_t bank; /* receiving, nine digits */
	uint64_t cents;
	uint64_t trace;
	bool has_addenda;
	char account[NACHA_FIELD(35)];
	char id[NACHA_FIELD(15)];
	char name[NACHA_FIELD(22)];
};

struct nacha_addenda {
	unsigned int code;
	uint32_t entry_sequence; /* last seven digits of the entry's trace */
	char text[NACHA_FIELD(84)];
};

struct nacha_control {
	unsigned int service_class;  /* of a batch */
	uint32_t number;	     /* of a batch */
	uint32_t bank;		     /* of a batch: originating, eight digits */
	struct nacha_totals said;    /* by the record */
	struct nacha_totals counted; /* by the reader, good records only */
};

struct nacha_record {
	enum nacha_type type;
	uint64_t line;
	char reason[160]; /* of a fault */
	union {
		struct nacha_file_header file_header;
		struct nacha_batch_header batch_header;
		struct nacha_entry entry;
		struct nacha_addenda addenda;
		struct nacha_control control; /* of a batch or of a file */
	};
};

enum nacha_place {
	NACHA_OUTSIDE, /* before the first file, or after one */
	NACHA_IN_FILE,
	NACHA_IN_BATCH,
};

struct nacha_reader {
	struct nacha_text text;
	struct nacha_line line;
	bool again; /* a fault came first: the line is still to be read */
	enum nacha_place place;
	struct nacha_totals batch_totals;
	struct nacha_totals file_totals;

	bool batch_good;
	struct nacha_batch_header batch; /* the last one */

	/* The entry that addenda may follow. */
	uint64_t entry_line; /* 0: none */
	bool entry_good;
	uint32_t entry_sequence;
	unsigned int addenda; /* that did */
	unsigned int addenda_min;
	unsigned int addenda_max;
};

/* Reads from fd, which stays the caller's to close. */
void nacha_reader_init(struct nacha_reader *reader, int fd);

/*
 * nacha_reader_next - the next record or fault
 *
 * Returns 1 with a record, whose type is NACHA_FAULT if the line is malformed
 * or something was missing before it; 0 at the end of the input; or the
 * negative errno of a failed read. A fault never ends the reading: call again.
 */
int nacha_reader_next(struct nacha_reader *reader, struct nacha_record *record);

#endif
