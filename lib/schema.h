/* SPDX-License-Identifier: MIT */
/*
 * schema.h - what the parts of a schema share
 */
#ifndef HLI_SCHEMA_H
#define HLI_SCHEMA_H

#include <stdbool.h>

#include <hotline/schema.h>

#include "handle.h"

#define HLI_ENUM_NAME_MAX 31

/* Bytes that it takes in the message; 0 in a payload. */
uint32_t hli_field_bytes(const struct hl_field *field);

/* Does the value fit into an integer type? Of a u64 all do, cast. */
bool hli_type_holds(enum hl_type type, int64_t value);

/* A field as it stands in a line: "i64 amount \"cents\"". Returns text. */
#define HLI_FIELD_TEXT 160
char *hli_field_text(const struct hl_field *field, char text[HLI_FIELD_TEXT]);

/* The canonical text, to be freed, and its bytes: 0, -EINVAL, -ENOMEM. */
int hli_schema_text(const struct hl_schema *schema, char **text, uint32_t *n);

/*
 * schema_ring.c: what create and join do with a schema, NULL for none.
 *
 * hli_schema_attr() checks it against the other attributes, and fills in what
 * follows from it. hli_schema_add() gives its text, to be freed, and makes room
 * for it. hli_schema_join() refuses one that does not fit the ring's.
 * hli_schema_examine() says whether the ring's own can be used: 0, also where
 * there is none, -EBADMSG, -ENOMEM.
 */
int hli_schema_attr(struct hl_ring_attr *attr, const char *name,
		    struct hl_error *err);
int hli_schema_add(struct hli_geometry *geo, const struct hl_schema *schema,
		   char **text, const char *name, struct hl_error *err);
int hli_schema_join(const struct hl_ring *ring, const struct hl_schema *schema,
		    struct hl_error *err);
int hli_schema_examine(const struct hli_view *view, struct hl_error *err);

#endif /* HLI_SCHEMA_H */
