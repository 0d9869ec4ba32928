/* SPDX-License-Identifier: MIT */
/*
 * doctor - what hl_ring_check() finds in a ring, kept and shown
 */
#ifndef HLT_DOCTOR_H
#define HLT_DOCTOR_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include <hotline/admin.h>

enum {
	HLT_FINDING_KINDS = 3,
	HLT_FINDING_BYTES = 256,
};

struct hlt_finding {
	enum hl_finding kind;
	char text[HLT_FINDING_BYTES];
};

struct hlt_examination {
	bool opens; /* else the only finding says why not */
	struct hl_ring_status ring;
	struct hlt_finding *findings;
	size_t nfindings;
	size_t count[HLT_FINDING_KINDS];
};

/*
 * hlt_examine - check every invariant of a ring, reading only
 *
 * A ring that does not open, being damaged or none, is a finding. Returns 0,
 * or an exit status after a complaint. In any case hlt_examination_fini().
 */
int hlt_examine(struct hlt_examination *examination, const char *name);
void hlt_examination_fini(struct hlt_examination *examination);

/* The exit status by the worst finding. */
int hlt_verdict(const struct hlt_examination *examination);

/* Findings, their number, and what they mean. */
void hlt_examination_print(const struct hlt_examination *examination);
json_t *hlt_findings_to_json(const struct hlt_examination *examination);

#endif /* HLT_DOCTOR_H */
