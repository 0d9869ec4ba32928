# SPDX-License-Identifier: MIT
#
# What a layout costs: the same payments, validated, routed and counted, from a
# packed struct to a message of one line. Nothing of it is built by plain make.
#
#	make bench-layout			all of it, 6 minutes
#	make bench-layout BENCH=quick		a look, one minute
#	make bench-layout-report		and into doc/performance.md
#
# Pinning, clocks, samples and plots are those of "make bench".

layout_rungs = \
	%D%/byte_ring.h \
	%D%/payments.c \
	%D%/payments.h \
	%D%/rung.h \
	%D%/rung_bytes.c \
	%D%/rung_hotline.c \
	%D%/rungs.c \
	examples/payments/packed_payment.h

# --- Lines that the fast path reads ------------------------------------------

check_PROGRAMS += %D%/walk %D%/lines
TESTS += %D%/lines.sh
%C%_walk_SOURCES = $(layout_rungs) %D%/walk.c %D%/walk.h
%C%_walk_LDADD = lib/libhotline-internal.la
%C%_lines_SOURCES = %D%/lines.c %D%/walk.h
%C%_lines_LDADD =

EXTRA_DIST += %D%/lines.sh
