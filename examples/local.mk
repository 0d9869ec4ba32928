# SPDX-License-Identifier: MIT
#
# Programs a user can start from. They are not installed, and link the library
# as users do; -no-install makes them run in place.

example_flags = $(AM_LDFLAGS) -no-install
example_libs = lib/libhotline.la

noinst_PROGRAMS += %D%/hello_consumer %D%/hello_producer
%C%_hello_consumer_LDADD = $(example_libs)
%C%_hello_consumer_LDFLAGS = $(example_flags)
%C%_hello_producer_LDADD = $(example_libs)
%C%_hello_producer_LDFLAGS = $(example_flags)

EXTRA_DIST += %D%/pipeline.sh

# --- payments --------------------------------------------------------------

noinst_LTLIBRARIES += %D%/payments/libnacha.la
%C%_payments_libnacha_la_SOURCES = \
	%D%/payments/nacha.c \
	%D%/payments/nacha.h \
	%D%/payments/nacha_fields.c \
	%D%/payments/nacha_fields.h \
	%D%/payments/nacha_text.c \
	%D%/payments/nacha_text.h \
	%D%/payments/nacha_totals.c \
	%D%/payments/nacha_totals.h

noinst_PROGRAMS += %D%/payments/nacha_gen
%C%_payments_nacha_gen_SOURCES = %D%/payments/nacha_gen.c
%C%_payments_nacha_gen_LDADD = %D%/payments/libnacha.la

noinst_PROGRAMS += \
	%D%/payments/ach_source \
	%D%/payments/ach_worker \
	%D%/payments/ledger

%C%_payments_ach_source_SOURCES = \
	%D%/payments/ach_source.c \
	%D%/payments/payment.h
%C%_payments_ach_source_LDADD = %D%/payments/libnacha.la $(example_libs)
%C%_payments_ach_source_LDFLAGS = $(example_flags)

%C%_payments_ach_worker_SOURCES = \
	%D%/payments/ach_worker.c \
	%D%/payments/payment.h
%C%_payments_ach_worker_LDADD = %D%/payments/libnacha.la $(example_libs)
%C%_payments_ach_worker_LDFLAGS = $(example_flags)

%C%_payments_ledger_SOURCES = \
	%D%/payments/ledger.c \
	%D%/payments/payment.h
%C%_payments_ledger_LDADD = %D%/payments/libnacha.la $(example_libs)
%C%_payments_ledger_LDFLAGS = $(example_flags)

# Without a ring: what a packed message costs.
noinst_PROGRAMS += %D%/payments/packed_count
%C%_payments_packed_count_SOURCES = \
	%D%/payments/packed_count.c \
	%D%/payments/packed_payment.c \
	%D%/payments/packed_payment.h

EXTRA_DIST += \
	%D%/payments/run \
	%D%/payments/sample.ach

# --- market_data -----------------------------------------------------------

noinst_LTLIBRARIES += %D%/market_data/libitch.la
%C%_market_data_libitch_la_SOURCES = \
	%D%/market_data/book.c \
	%D%/market_data/book.h \
	%D%/market_data/itch.c \
	%D%/market_data/itch.h

noinst_PROGRAMS += %D%/market_data/feed %D%/market_data/quotes

%C%_market_data_feed_SOURCES = \
	%D%/market_data/feed.c \
	%D%/market_data/tick.h
%C%_market_data_feed_LDADD = %D%/market_data/libitch.la $(example_libs)
%C%_market_data_feed_LDFLAGS = $(example_flags)

%C%_market_data_quotes_SOURCES = \
	%D%/market_data/quotes.c \
	%D%/market_data/tick.h
%C%_market_data_quotes_LDADD = %D%/market_data/libitch.la $(example_libs)
%C%_market_data_quotes_LDFLAGS = $(example_flags)

EXTRA_DIST += %D%/market_data/run
