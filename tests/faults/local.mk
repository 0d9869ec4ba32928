# SPDX-License-Identifier: MIT
#
# Faults that rings of this kind have had, as experiments: the rows of
# doc/testing.md that no test of one part covers.

faults_tests = \
	%D%/test_create \
	%D%/test_mapping \
	%D%/test_stopped \
	%D%/test_wakeups

faults_scripts = \
	%D%/builds.sh \
	%D%/namespaces.sh \
	%D%/restarts.sh \
	%D%/traces.sh

EXTRA_DIST += %D%/program.c

%C%_test_create_CPPFLAGS = $(AM_CPPFLAGS) $(HOOKED_CPPFLAGS)
%C%_test_create_LDADD = $(hooked_libs)
%C%_test_stopped_LDADD = $(api_libs)
