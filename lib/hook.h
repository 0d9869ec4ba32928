/* SPDX-License-Identifier: MIT */
/*
 * hook.h - named steps of the protocol, for tests that stop or kill there
 *
 * HLI_HOOK("step") stands after each access to shared memory that others can
 * see. It is nothing, except in the second build of the library that the tests
 * link (-DHLI_HOOKED): there it calls what the test has put into hli_hook_fn.
 */
#ifndef HLI_HOOK_H
#define HLI_HOOK_H

#ifdef HLI_HOOKED
extern void (*hli_hook_fn)(const char *step);

#define HLI_HOOK(step)                                                         \
	do {                                                                   \
		if (hli_hook_fn)                                               \
			hli_hook_fn(step);                                     \
	} while (0)
#else
#define HLI_HOOK(step)                                                         \
	do {                                                                   \
	} while (0)
#endif

#endif /* HLI_HOOK_H */
