# SPDX-License-Identifier: MIT
#
# Fuzz targets, each with replay.c: make check runs the corpus through them,
# run.sh looks for more. A new target fuzz_NAME.c: a line in fuzz_tests, its
# sources, the same in run.sh, and a folder corpus/NAME.

fuzz_tests = \
	%D%/fuzz_itch \
	%D%/fuzz_json \
	%D%/fuzz_nacha \
	%D%/fuzz_open \
	%D%/fuzz_payload \
	%D%/fuzz_schema \
	%D%/fuzz_use \
	%D%/fuzz_where

fuzz_sources = %D%/fuzz.h %D%/replay.c
fuzz_ring_sources = $(fuzz_sources) %D%/fuzz_ring.c %D%/fuzz_ring.h

%C%_fuzz_itch_SOURCES = %D%/fuzz_itch.c $(fuzz_sources)
%C%_fuzz_itch_LDADD = examples/market_data/libitch.la
%C%_fuzz_json_SOURCES = %D%/fuzz_json.c $(fuzz_sources) tools/json_read.c \
	tools/msg_json.c
%C%_fuzz_json_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)
%C%_fuzz_json_LDADD = $(JANSSON_LIBS)
%C%_fuzz_nacha_SOURCES = %D%/fuzz_nacha.c $(fuzz_sources)
%C%_fuzz_nacha_LDADD = examples/payments/libnacha.la
%C%_fuzz_open_SOURCES = %D%/fuzz_open.c $(fuzz_ring_sources)
%C%_fuzz_open_LDADD = lib/libhotline-internal.la
%C%_fuzz_payload_SOURCES = %D%/fuzz_payload.c $(fuzz_sources)
%C%_fuzz_payload_LDADD = lib/libhotline-internal.la
%C%_fuzz_schema_SOURCES = %D%/fuzz_schema.c $(fuzz_sources)
%C%_fuzz_schema_LDADD = lib/libhotline-internal.la
%C%_fuzz_where_SOURCES = %D%/fuzz_where.c $(fuzz_sources) tools/where.c \
	tools/where_side.c
%C%_fuzz_where_LDADD = lib/libhotline-internal.la
%C%_fuzz_use_SOURCES = %D%/fuzz_use.c $(fuzz_ring_sources)
%C%_fuzz_use_LDADD = lib/libhotline-internal.la

check_PROGRAMS += $(fuzz_tests)
TESTS += $(fuzz_tests)

EXTRA_DIST += \
	%D%/corpus \
	%D%/corpus.sh \
	%D%/run.sh
