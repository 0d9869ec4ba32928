# SPDX-License-Identifier: MIT
#
# The library, built twice: as it is, and with hooks for tests/crash and
# tests/race. A new source or private header: one line in hotline_sources.

hotline_sources = \
	%D%/admin.c \
	%D%/arena.c \
	%D%/arena.h \
	%D%/atomic.h \
	%D%/check.c \
	%D%/checksum.c \
	%D%/claim.c \
	%D%/claim.h \
	%D%/clock.h \
	%D%/consume.c \
	%D%/consumer.c \
	%D%/fdpass.c \
	%D%/group.c \
	%D%/group.h \
	%D%/handle.h \
	%D%/hook.c \
	%D%/hook.h \
	%D%/inspect.c \
	%D%/inspect.h \
	%D%/join.c \
	%D%/join.h \
	%D%/layout.c \
	%D%/layout.h \
	%D%/liveness.c \
	%D%/liveness.h \
	%D%/mend.c \
	%D%/mend.h \
	%D%/pace.c \
	%D%/pace.h \
	%D%/payload.c \
	%D%/payload.h \
	%D%/produce.c \
	%D%/reap.c \
	%D%/reap.h \
	%D%/record.h \
	%D%/recover.c \
	%D%/recover.h \
	%D%/ring.c \
	%D%/router.c \
	%D%/salvage.c \
	%D%/schema.c \
	%D%/schema.h \
	%D%/schema_compare.c \
	%D%/schema_ring.c \
	%D%/schema_text.c \
	%D%/schema_value.c \
	%D%/segment.c \
	%D%/segment.h \
	%D%/straight.h \
	%D%/take.c \
	%D%/take.h \
	%D%/tap.c \
	%D%/util.c \
	%D%/util.h \
	%D%/wait.c \
	%D%/wait.h \
	%D%/waitfd.c

hotline_libs = $(URCU_LIBS) $(XXHASH_LIBS)

# All the objects. Unit tests link this one, which hides nothing.
noinst_LTLIBRARIES += %D%/libhotline-internal.la
%C%_libhotline_internal_la_SOURCES = $(hotline_sources)
%C%_libhotline_internal_la_LIBADD = $(hotline_libs)

# What is installed: only what the version map names is exported.
lib_LTLIBRARIES += %D%/libhotline.la
%C%_libhotline_la_SOURCES =
%C%_libhotline_la_LIBADD = %D%/libhotline-internal.la
%C%_libhotline_la_LDFLAGS = $(AM_LDFLAGS) \
	-no-undefined \
	-version-info $(LT_VERSION_INFO) \
	-Wl,--version-script=$(top_srcdir)/%D%/libhotline.map
EXTRA_%C%_libhotline_la_DEPENDENCIES = %D%/libhotline.map

# The same sources with every hook compiled in.
HOOKED_CPPFLAGS = -DHLI_HOOKED
check_LTLIBRARIES += %D%/libhotline-hooked.la
%C%_libhotline_hooked_la_SOURCES = $(hotline_sources)
%C%_libhotline_hooked_la_CPPFLAGS = $(AM_CPPFLAGS) $(HOOKED_CPPFLAGS)
%C%_libhotline_hooked_la_LIBADD = $(hotline_libs)

pkgconfig_DATA = %D%/hotline.pc

EXTRA_DIST += %D%/libhotline.map
