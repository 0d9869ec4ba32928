/* SPDX-License-Identifier: MIT */
/*
 * mend.h - make every invariant hold again, when nobody lives
 */
#ifndef HLI_MEND_H
#define HLI_MEND_H

#include "layout.h"

/*
 * After damage, or after a reboot that kept only part of the file's pages. The
 * caller holds the control byte and knows that no record's byte is locked.
 * What cannot be there is made void, what is no longer there is counted as
 * lost. Returns how many things were changed.
 */
int hli_mend(const struct hli_view *view);

#endif /* HLI_MEND_H */
