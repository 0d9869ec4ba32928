# SPDX-License-Identifier: MIT
#
# What a layout costs: the same payments, validated, routed and counted, from a
# packed struct to a message of one line. Nothing of it is built by plain make.
#
#	make bench-layout			all of it, 8 minutes
#	make bench-layout BENCH=quick		a look, one minute
#	make bench-layout-report		and into doc/performance.md
#	make bench-layout BENCH_FLAGS='--noisy load'	see main.c
#
# Pinning, clocks, samples and plots are those of "make bench".

layout_rungs = \
	%D%/byte_ring.h \
	%D%/hot.h \
	%D%/payments.c \
	%D%/payments.h \
	%D%/rung.h \
	%D%/rung_bytes.c \
	%D%/rung_hotline.c \
	%D%/rung_line.c \
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

# --- The benchmark -------------------------------------------------------------

EXTRA_PROGRAMS += %D%/bench-layout
%C%_bench_layout_SOURCES = \
	$(layout_rungs) \
	%D%/counters.c \
	%D%/counters.h \
	%D%/idle.c \
	%D%/main.c \
	%D%/runs.c \
	%D%/runs.h \
	%D%/table.c \
	%D%/table.h \
	tests/bench/bench.h \
	tests/bench/crew.c \
	tests/bench/crew.h \
	tests/bench/experiment.c \
	tests/bench/experiment.h \
	tests/bench/hist.c \
	tests/bench/hist.h \
	tests/bench/json.c \
	tests/bench/machine.c \
	tests/bench/machine.h \
	tests/bench/plot.c \
	tests/bench/report.c
%C%_bench_layout_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)
%C%_bench_layout_LDADD = lib/libhotline.la $(JANSSON_LIBS) -lm
CLEANFILES += %D%/bench-layout

# The library as users get it, the rest for this machine; what tools count runs
# anywhere, and is built as the library is.
.PHONY: bench-layout
bench-layout: all %D%/walk$(EXEEXT) %D%/lines$(EXEEXT)
	$(AM_V_at)$(MAKE) CFLAGS='$(CFLAGS) $(BENCH_CFLAGS)' \
		%D%/bench-layout$(EXEEXT)
	$(AM_V_at)GNUPLOT='$(GNUPLOT)' $(SHELL) $(srcdir)/%D%/run.sh \
		%D% bench-layout '$(BENCH)' $(BENCH_FLAGS)

.PHONY: bench-layout-report
bench-layout-report: bench-layout
	$(AM_V_at)bash $(srcdir)/%D%/report.sh bench-layout \
		$(srcdir)/doc/performance.md

clean-local: clean-bench-layout
.PHONY: clean-bench-layout
clean-bench-layout:
	rm -rf bench-layout

EXTRA_DIST += \
	%D%/counts.sh \
	%D%/report.sh \
	%D%/run.sh

# The plots of the last report; there may be none.
EXTRA_DIST += $(wildcard $(srcdir)/doc/performance/layout-*.svg)
