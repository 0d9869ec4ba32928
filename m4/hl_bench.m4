# SPDX-License-Identifier: MIT

# HL_BENCH_PKG(NAME, PACKAGE)
# ---------------------------
# A library that the benchmark compares with, if it is there: the conditional
# BENCH_NAME, and NAME_CFLAGS whose headers are not warned about.
AC_DEFUN([HL_BENCH_PKG], [
PKG_CHECK_MODULES([$1], [$2], [hl_bench_$1=yes], [hl_bench_$1=no])
$1_CFLAGS=`AS_ECHO(["$$1_CFLAGS"]) | $SED 's/-I/-isystem /g'`
AS_VAR_IF([hl_bench_$1], [yes], [hl_bench_peers="$hl_bench_peers m4_tolower([$1])"])
AM_CONDITIONAL([BENCH_$1], [test "$hl_bench_$1" = yes])
])

# HL_BENCH
# --------
# What "make bench" needs beside the library; nothing else uses it. Everything
# is optional: a peer that is missing is left out.
AC_DEFUN([HL_BENCH], [
hl_bench_peers=
HL_BENCH_PKG([DPDK], [libdpdk >= 20.11])
HL_BENCH_PKG([CK], [ck >= 0.7])
HL_BENCH_PKG([QB], [libqb >= 2])
HL_BENCH_PKG([ZMQ], [libzmq >= 4])

AC_CHECK_TOOLS([CXX], [g++ c++ clang++])
AC_CACHE_CHECK([for Boost, for the benchmark], [hl_cv_bench_boost],
	[AS_IF([printf '%s\n' '#include <boost/lockfree/spsc_queue.hpp>' \
		'#include <boost/interprocess/ipc/message_queue.hpp>' |
		${CXX:-false} -E -x c++ - >/dev/null 2>&AS_MESSAGE_LOG_FD],
		[hl_cv_bench_boost=yes], [hl_cv_bench_boost=no])])
AS_VAR_IF([hl_cv_bench_boost], [yes],
	[hl_bench_peers="$hl_bench_peers boost"])
AM_CONDITIONAL([BENCH_BOOST], [test "$hl_cv_bench_boost" = yes])

# For the machine that it runs on: this is the one that is measured.
BENCH_CFLAGS=-O3
AS_VAR_IF([cross_compiling], [yes], [],
	[HL_TRY_CFLAG([-march=native], [BENCH_CFLAGS])])
AC_SUBST([BENCH_CFLAGS])
AC_CHECK_PROGS([GNUPLOT], [gnuplot])
])
