/* SPDX-License-Identifier: MIT */
/*
 * dwarf_struct - find a struct in the debug information of a file
 *
 * Reads objects, archives of them, libraries and programs, with DWARF 2 to 5 in
 * them or beside them (split, or in a debug file of their own).
 *
 * Debug information is input like any other and may be damaged or hostile. It is
 * read in a process of its own, that has a limit of time and of memory for what it
 * finds: whatever goes wrong there is a sentence here.
 */
#ifndef HLT_DWARF_STRUCT_H
#define HLT_DWARF_STRUCT_H

#include "shape.h"

struct hlt_debug;

/*
 * hlt_debug_read - find a struct, class or union by name
 *
 * name is what a programmer calls it: "struct payment", "payment", the name of a
 * typedef, "bank::Entry<int>". unit picks among definitions that differ: the
 * name of a source file, whole or its last parts, or the number of the
 * definition in the list that a complaint without it prints; it may be NULL.
 *
 * *out is given back with hlt_debug_free(), whatever is returned. Returns 0, or an
 * exit status after a complaint on standard error.
 */
int hlt_debug_read(const char *path, const char *name, const char *unit,
		   struct hlt_debug **out);

/* What was found. Good until it is freed. */
const struct hlt_shape *hlt_debug_shape(const struct hlt_debug *debug);

void hlt_debug_free(struct hlt_debug *debug);

#endif /* HLT_DWARF_STRUCT_H */
