/* SPDX-License-Identifier: MIT */
/*
 * rungs.c - the list of them
 */
#include "rung.h"

const struct rung *const rungs[RUNGS_ALL] = {
	&rung_plain,
	&rung_packed,
	&rung_aligned,
	&rung_split,
	&rung_offset,
	&rung_batch,
	&rung_prefetch,
	[RUNG_REMEMBER] = &rung_remember,
	[RUNG_BARE] = &rung_bare,
	[RUNG_LINE] = &rung_line,
};
