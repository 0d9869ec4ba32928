# SPDX-License-Identifier: MIT
#
# Models of the protocol, verified by spin: see README.md. What is run, at which
# size, and what comes of it stands in the file runs.

model_files = \
	%D%/README.md \
	%D%/arena.pml \
	%D%/evict.pml \
	%D%/finish.pml \
	%D%/group.pml \
	%D%/join.pml \
	%D%/lossy.pml \
	%D%/lowtso.pml \
	%D%/reap.pml \
	%D%/ring.pml \
	%D%/run.sh \
	%D%/runs \
	%D%/sole.pml \
	%D%/tell.pml \
	%D%/tenure.pml \
	%D%/wake.pml \
	%D%/weak.pml
model_check = %D%/check.sh

LONG_TESTS += $(model_check)
EXTRA_DIST += $(model_check) $(model_files)

# Nothing of the build is needed: the models are all there is.
.PHONY: check-model check-model-long
check-model:
	$(AM_V_at)top_srcdir='$(abs_top_srcdir)' \
		bash $(srcdir)/$(model_check)
check-model-long:
	$(AM_V_at)top_srcdir='$(abs_top_srcdir)' \
		bash $(srcdir)/$(model_check) long
