/* SPDX-License-Identifier: MIT */
/*
 * hook.c - where the hooked build keeps what a test wants to be called
 */
#include "config.h"

#include "hook.h"

#ifdef HLI_HOOKED
void (*hli_hook_fn)(const char *step);
#endif
