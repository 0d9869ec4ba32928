# SPDX-License-Identifier: MIT
#
# A hostile process at the other end, or one that has the ring mapped.

hostile_tests = \
	%D%/test_socket

%C%_test_socket_LDADD = $(api_libs)
