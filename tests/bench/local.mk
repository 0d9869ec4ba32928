# SPDX-License-Identifier: MIT
#
# The benchmark. Nothing of it is built before "make bench" is run.
#
#	make bench			all of it, 8 minutes
#	make bench BENCH=quick		a look, less than one
#	make bench-report		and into doc/performance.md
#	make bench BENCH_FLAGS='--noisy burst'	see main.c
#
# Tables go to standard output, and with the samples and plots to bench/. A new
# contender: its file, a line in contenders.c, and a line here.

bench_sources = \
	%D%/bench.h \
	%D%/blocks.h \
	%D%/contenders.c \
	%D%/copied.h \
	%D%/crew.c \
	%D%/crew.h \
	%D%/exp_latency.c \
	%D%/exp_many.c \
	%D%/exp_payload.c \
	%D%/exp_stream.c \
	%D%/exp_system.c \
	%D%/experiment.c \
	%D%/experiment.h \
	%D%/fill.h \
	%D%/goals.c \
	%D%/hist.c \
	%D%/hist.h \
	%D%/json.c \
	%D%/limit_block.c \
	%D%/limit_line.c \
	%D%/limit_ring.c \
	%D%/limit_tickets.c \
	%D%/line.c \
	%D%/line.h \
	%D%/machine.c \
	%D%/machine.h \
	%D%/main.c \
	%D%/payload.c \
	%D%/peer_hotline.c \
	%D%/peer_system.c \
	%D%/plot.c \
	%D%/report.c

bench_peer_cppflags =
bench_peer_sources =
bench_peer_libs =

if BENCH_DPDK
bench_peer_sources += %D%/peer_dpdk.c
bench_peer_cppflags += -DBENCH_DPDK $(DPDK_CFLAGS)
bench_peer_libs += -lrte_ring
endif
if BENCH_CK
bench_peer_sources += %D%/peer_ck.c
bench_peer_cppflags += -DBENCH_CK $(CK_CFLAGS)
bench_peer_libs += $(CK_LIBS)
endif
if BENCH_QB
bench_peer_sources += %D%/peer_qb.c
bench_peer_cppflags += -DBENCH_QB $(QB_CFLAGS)
bench_peer_libs += $(QB_LIBS)
endif
if BENCH_ZMQ
bench_peer_sources += %D%/peer_zmq.c
bench_peer_cppflags += -DBENCH_ZMQ $(ZMQ_CFLAGS)
bench_peer_libs += $(ZMQ_LIBS)
endif
if BENCH_BOOST
bench_peer_cppflags += -DBENCH_BOOST
bench_boost = %D%/peer_boost.$(OBJEXT)
bench_peer_libs += -lstdc++
endif

EXTRA_PROGRAMS += %D%/bench
%C%_bench_SOURCES = $(bench_sources) $(bench_peer_sources)
# Their own -march is less than ours: ours comes later.
%C%_bench_CPPFLAGS = $(bench_peer_cppflags) $(AM_CPPFLAGS) $(JANSSON_CFLAGS)
%C%_bench_LDADD = $(bench_boost) lib/libhotline.la $(JANSSON_LIBS) \
	$(bench_peer_libs) -lrt -lm

%D%/peer_boost.$(OBJEXT): %D%/peer_boost.cc %D%/bench.h %D%/fill.h
	$(AM_V_GEN)$(MKDIR_P) %D% && $(CXX) -std=c++17 -O3 $(CFLAGS) \
		-c -o $@ $(srcdir)/%D%/peer_boost.cc
CLEANFILES += %D%/bench %D%/peer_boost.$(OBJEXT)

# The library as it is built for users, the rest for this machine.
BENCH = full
BENCH_FLAGS =
.PHONY: bench
bench: all
	$(AM_V_at)$(MAKE) CFLAGS='$(CFLAGS) $(BENCH_CFLAGS)' \
		%D%/bench$(EXEEXT)
	$(AM_V_at)GNUPLOT='$(GNUPLOT)' $(SHELL) $(srcdir)/%D%/run.sh \
		%D%/bench$(EXEEXT) bench '$(BENCH)' $(BENCH_FLAGS)

.PHONY: bench-report
bench-report: bench
	$(AM_V_at)bash $(srcdir)/%D%/report.sh bench \
		$(srcdir)/doc/performance.md $(srcdir)/%D%/instructions.txt

bench_plots = \
	doc/performance/backlog.svg \
	doc/performance/broadcast.svg \
	doc/performance/burst.svg \
	doc/performance/many.svg \
	doc/performance/open.svg \
	doc/performance/payload.svg \
	doc/performance/rings.svg \
	doc/performance/round.svg
EXTRA_DIST += $(bench_plots)

clean-local: clean-bench
.PHONY: clean-bench
clean-bench:
	rm -rf bench

EXTRA_DIST += \
	%D%/peer_boost.cc \
	%D%/peer_ck.c \
	%D%/peer_dpdk.c \
	%D%/peer_qb.c \
	%D%/peer_zmq.c \
	%D%/report.sh \
	%D%/run.sh

# --- The quick look of the command --------------------------------------------

cli_tests += tests/cli/bench.sh

# --- Instructions per message ------------------------------------------------

check_PROGRAMS += %D%/instructions
TESTS += %D%/instructions.sh
%C%_instructions_SOURCES = %D%/bench.h %D%/fill.h %D%/instructions.c
%C%_instructions_CPPFLAGS = -DBUILD_FLAGS='"$(CFLAGS)"' $(AM_CPPFLAGS)
%C%_instructions_LDADD = lib/libhotline-internal.la

.PHONY: instructions
instructions: %D%/instructions$(EXEEXT)
	$(AM_V_at)$(AM_TESTS_ENVIRONMENT) HOTLINE_UPDATE_INSTRUCTIONS=yes \
		bash $(srcdir)/%D%/instructions.sh

EXTRA_DIST += \
	%D%/instructions.sh \
	%D%/instructions.txt
