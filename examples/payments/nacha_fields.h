/* SPDX-License-Identifier: MIT */
/*
 * nacha_fields - one line of an ACH file into one record, field by field
 *
 * Knows columns and nothing of what came before. Where a line breaks several
 * rules the first one, from the left, is the reason.
 */
#ifndef NACHA_FIELDS_H
#define NACHA_FIELDS_H

#include "nacha.h"

/* The type by the first column; NACHA_FAULT if there is no such type. */
enum nacha_type nacha_fields_type(const struct nacha_line *line);

/* Checks what is common to all types: the length, no control characters. */
void nacha_fields_check(const struct nacha_line *line, enum nacha_type type,
			struct nacha_record *record);

/*
 * These fill the record's part of that type, and its reason if a field is
 * wrong. Entries depend on the class of their batch (sec): some say how many
 * addenda follow them (*addenda, otherwise left alone), and keep the name
 * elsewhere.
 */
void nacha_fields_file_header(const struct nacha_line *line,
			      struct nacha_record *record);
void nacha_fields_batch_header(const struct nacha_line *line,
			       struct nacha_record *record);
void nacha_fields_entry(const struct nacha_line *line, const char *sec,
			struct nacha_record *record, unsigned int *addenda);
void nacha_fields_addenda(const struct nacha_line *line,
			  struct nacha_record *record);
void nacha_fields_batch_control(const struct nacha_line *line,
				struct nacha_record *record);
void nacha_fields_file_control(const struct nacha_line *line,
			       struct nacha_record *record);

/* Gives the record its reason, unless it has one: the first one stays. */
__attribute__((format(printf, 2, 3))) void
nacha_fields_fault(struct nacha_record *record, const char *format, ...);

/* All nines, which fills a block: not a file control. */
bool nacha_fields_is_filler(const struct nacha_line *line);
bool nacha_fields_is_blank(const struct nacha_line *line);

#endif
