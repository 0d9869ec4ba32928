/* SPDX-License-Identifier: MIT */
/*
 * place - where the files of rings lie, and whose they are
 */
#include "place.h"

#include <inttypes.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *hlt_folder(void)
{
	const char *folder = getenv("HOTLINE_DIR");

	return folder != NULL && folder[0] != '\0' ? folder : "/dev/shm";
}

void hlt_ring_path(char *out, size_t out_bytes, const char *name)
{
	if (strchr(name, '/') != NULL)
		snprintf(out, out_bytes, "%s", name);
	else
		snprintf(out, out_bytes, "%s/hotline.%s", hlt_folder(), name);
}

char *hlt_user_name(char *out, uint32_t uid)
{
	const struct passwd *user = getpwuid(uid);

	if (user != NULL && strlen(user->pw_name) < HLT_USER_BYTES)
		snprintf(out, HLT_USER_BYTES, "%s", user->pw_name);
	else
		snprintf(out, HLT_USER_BYTES, "%" PRIu32, uid);
	return out;
}
