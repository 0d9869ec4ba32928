/* SPDX-License-Identifier: MIT */
/*
 * schema_file - a schema from a text file, and shown to people and programs
 */
#ifndef HLT_SCHEMA_FILE_H
#define HLT_SCHEMA_FILE_H

#include <jansson.h>

#include <hotline/schema.h>

/*
 * hlt_schema_read - read a schema; "-" is standard input
 *
 * hotline-schema(3) has the form. Returns 0, or a negative errno with its
 * sentence in err. Give it back with hl_schema_destroy().
 */
int hlt_schema_read(const char *path, struct hl_schema **out,
		    struct hl_error *err);

/*
 * hlt_schema_opt - the schema that --schema names, NULL for none
 *
 * Returns 0, or HLT_USAGE after a complaint.
 */
int hlt_schema_opt(const char *path, struct hl_schema **out);

/* As a table on standard output, and as an object. */
void hlt_schema_show(const struct hl_schema *schema);
json_t *hlt_schema_to_json(const struct hl_schema *schema);

/* The word for a heat: hot, warm, cold, payload. */
const char *hlt_heat_word(enum hl_heat heat);

#endif /* HLT_SCHEMA_FILE_H */
