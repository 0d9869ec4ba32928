/* SPDX-License-Identifier: MIT */
/*
 * btf - a struct from BTF, the kernel's compact debug information
 *
 * As a file of its own (/sys/kernel/btf/vmlinux), or in an object or a program
 * that has no DWARF. For the reading process of dwarf_struct.c, see
 * dwarf_inner.h: what cannot be read ends it.
 */
#ifndef HLT_BTF_H
#define HLT_BTF_H

#include "dwarf_inner.h"

/* Does a file begin as BTF does? */
bool hlt_btf_begins(const char *path);

/*
 * hlt_btf_shape - the struct of that name
 *
 * unit is NULL, or which of several that are called so: 1, 2... NULL when the
 * file has no BTF.
 */
const struct hlt_shape *hlt_btf_shape(struct hlt_reader *reader,
				      const char *path, const char *name,
				      const char *unit);

#endif /* HLT_BTF_H */
