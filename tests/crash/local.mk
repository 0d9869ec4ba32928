# SPDX-License-Identifier: MIT
#
# Processes that are killed while they use a ring: see tests/crash/campaign.h.

crash_tests = %D%/test_kill

%C%_test_kill_SOURCES = \
	%D%/account.c \
	%D%/campaign.h \
	%D%/change.c \
	%D%/consume.c \
	%D%/produce.c \
	%D%/round.c \
	%D%/test_kill.c \
	%D%/worker.c
nodist_%C%_test_kill_SOURCES = %D%/hooks.inc
%C%_test_kill_CPPFLAGS = $(AM_CPPFLAGS) $(HOOKED_CPPFLAGS)
%C%_test_kill_LDADD = $(hooked_libs)

# The names of all hooks: a new one that nobody is killed at fails the test.
%D%/hooks.inc: $(hotline_sources) %D%/hooks.awk
	$(AM_V_GEN)$(MKDIR_P) %D% && \
	cd '$(srcdir)' && cat lib/*.c lib/record.h | \
		$(AWK) -f %D%/hooks.awk > '$(abs_builddir)/$@'
BUILT_SOURCES += %D%/hooks.inc
CLEANFILES += %D%/hooks.inc
EXTRA_DIST += %D%/hooks.awk
