/* SPDX-License-Identifier: MIT */
/*
 * rungs.c - the list of them
 */
#include "rung.h"

const struct rung *const rungs[RUNGS] = {
	&rung_plain,  &rung_packed, &rung_aligned,  &rung_split,
	&rung_offset, &rung_batch,  &rung_prefetch,
};
