# SPDX-License-Identifier: MIT
#
# A hostile process at the other end, or one that has the ring mapped.

hostile_tests = \
	%D%/test_damage \
	%D%/test_garbage \
	%D%/test_socket

%C%_test_damage_CPPFLAGS = $(AM_CPPFLAGS) $(HOOKED_CPPFLAGS)
%C%_test_damage_LDADD = $(hooked_libs)
%C%_test_garbage_SOURCES = \
	%D%/garbage.c \
	%D%/garbage.h \
	%D%/test_garbage.c \
	%D%/users.c \
	%D%/users.h
%C%_test_socket_LDADD = $(api_libs)
