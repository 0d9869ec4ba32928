# SPDX-License-Identifier: MIT
#
# The real code, step by step, in every order: see tests/race/race.h.

race_tests = %D%/test_race

%C%_test_race_SOURCES = \
	%D%/account.c \
	%D%/actors.c \
	%D%/ends.c \
	%D%/explore.c \
	%D%/race.h \
	%D%/scenario.h \
	%D%/sched.c \
	%D%/sim.c \
	%D%/singles.c \
	%D%/test_race.c
%C%_test_race_CPPFLAGS = $(AM_CPPFLAGS) $(HOOKED_CPPFLAGS)
%C%_test_race_LDADD = $(hooked_libs)
# What the code asks the system for, and gets from sim.c.
race_wraps = -Wl,--wrap=open,--wrap=close,--wrap=fstat,--wrap=nanosleep \
	-Wl,--wrap=clock_gettime,--wrap=pthread_atfork \
	-Wl,--wrap=calloc,--wrap=aligned_alloc,--wrap=free
%C%_test_race_LDFLAGS = $(AM_LDFLAGS) $(race_wraps)

# Mutants of lib/, each of which the test has to fail with.
long_checks += %D%/mutants.sh
EXTRA_DIST += %D%/README.md %D%/mutants_lib.sh
