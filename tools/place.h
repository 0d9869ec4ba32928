/* SPDX-License-Identifier: MIT */
/*
 * place - where the files of rings lie, and whose they are
 */
#ifndef HLT_PLACE_H
#define HLT_PLACE_H

#include <stddef.h>
#include <stdint.h>

/* The folder of rings whose names have no slash. */
const char *hlt_folder(void);

/* The path of a ring's file, by the rule for names in hotline/ring.h. */
void hlt_ring_path(char *out, size_t out_bytes, const char *name);

/* A user's name, or number if there is no name; out is returned. */
enum {
	HLT_USER_BYTES = 40
};
char *hlt_user_name(char *out, uint32_t uid);

#endif /* HLT_PLACE_H */
