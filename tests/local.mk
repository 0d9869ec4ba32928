# SPDX-License-Identifier: MIT
#
# Tests. Each speaks TAP, so that each check is one line of the summary.
#
# A new unit test tests/unit/test_NAME.c: one line in unit_tests. It links all
# of the library's inside and Check.
#
# A new test of the API tests/api/test_NAME.c: one line in api_tests, and
#	%C%_api_test_NAME_LDADD = $(api_libs)
# so that it links what is installed. With hooks (crash, race): one line in
# hooked_tests, and
#	%C%_crash_test_NAME_CPPFLAGS = $(AM_CPPFLAGS) $(HOOKED_CPPFLAGS)
#	%C%_crash_test_NAME_LDADD = $(hooked_libs)
#
# A new shell test: one line in cli_tests (the CLI and the examples) or checks
# (the project itself). Those that take minutes: long_checks.

unit_tests = \
	%D%/unit/test_book \
	%D%/unit/test_boot \
	%D%/unit/test_core \
	%D%/unit/test_crowded \
	%D%/unit/test_itch \
	%D%/unit/test_layout \
	%D%/unit/test_lines \
	%D%/unit/test_mend \
	%D%/unit/test_nacha \
	%D%/unit/test_nacha_faults \
	%D%/unit/test_pace \
	%D%/unit/test_recover \
	%D%/unit/test_router \
	%D%/unit/test_router_dead \
	%D%/unit/test_router_threads \
	%D%/unit/test_schema

api_tests = \
	%D%/api/test_admin \
	%D%/api/test_ahead \
	%D%/api/test_arena \
	%D%/api/test_batch \
	%D%/api/test_checksum \
	%D%/api/test_claim \
	%D%/api/test_fd \
	%D%/api/test_fd_leave \
	%D%/api/test_fdpass \
	%D%/api/test_files \
	%D%/api/test_finish \
	%D%/api/test_fork \
	%D%/api/test_full \
	%D%/api/test_groups \
	%D%/api/test_handles \
	%D%/api/test_header \
	%D%/api/test_inspect \
	%D%/api/test_limits \
	%D%/api/test_lossy \
	%D%/api/test_modes \
	%D%/api/test_names \
	%D%/api/test_next \
	%D%/api/test_paths \
	%D%/api/test_poison \
	%D%/api/test_put \
	%D%/api/test_run \
	%D%/api/test_payload \
	%D%/api/test_positions \
	%D%/api/test_refused \
	%D%/api/test_reserve \
	%D%/api/test_router_ring \
	%D%/api/test_schema_join \
	%D%/api/test_signals

hooked_tests = $(crash_tests)

cli_tests = \
	$(faults_scripts) \
	%D%/cli/completion.sh \
	%D%/cli/doctor.sh \
	%D%/cli/evict.sh \
	%D%/cli/groups.sh \
	%D%/cli/hostile.sh \
	%D%/cli/layout.sh \
	%D%/cli/layout_btf.sh \
	%D%/cli/layout_files.sh \
	%D%/cli/layout_pahole.sh \
	%D%/cli/messages.sh \
	%D%/cli/output.sh \
	%D%/cli/rings.sh \
	%D%/cli/schema.sh \
	%D%/cli/stat.sh \
	%D%/cli/tail.sh \
	%D%/cli/usage.sh \
	%D%/cli/why.sh \
	%D%/examples/hello.sh \
	%D%/examples/market_data.sh \
	%D%/examples/nacha_gen.sh \
	%D%/examples/payments.sh \
	%D%/examples/payments_ends.sh

checks = \
	%D%/checks/banned.sh \
	%D%/checks/compile_fail.sh \
	%D%/checks/configure_stops_clearly.sh \
	%D%/checks/cross_configure_needs_no_emulator.sh \
	%D%/checks/edges.sh \
	%D%/checks/exports.sh \
	%D%/checks/format.sh \
	%D%/checks/headers.sh \
	%D%/checks/layers.sh \
	%D%/checks/man.sh \
	%D%/checks/model_steps.sh \
	%D%/checks/paths.sh \
	%D%/checks/pkgconfig.sh \
	%D%/checks/shellcheck.sh \
	%D%/checks/size.sh

long_checks = \
	%D%/checks/arm64.sh \
	%D%/checks/release_builds_anywhere.sh \
	%D%/checks/sanitizers.sh

# Programs beside a hostile writer.
include tests/hostile/local.mk

# Faults that others had.
include tests/faults/local.mk

# Programs that are killed, or run step by step.
include tests/crash/local.mk
include tests/race/local.mk

# Models of the protocol.
include tests/model/local.mk

# Many times the same.
include tests/stress/local.mk

# What tests of the command start, to have it in the way.
check_PROGRAMS += %D%/cli/hold
%C%_cli_hold_LDADD = lib/libhotline.la

# Helpers of the C tests.
support_sources = \
	%D%/support/line.c \
	%D%/support/line.h \
	%D%/support/rings.c \
	%D%/support/rings.h \
	%D%/support/schemas.h \
	%D%/support/support.c \
	%D%/support/support.h

# --- How they are built ----------------------------------------------------

if HAVE_CHECK
c_unit_tests = $(unit_tests)
c_tests = $(unit_tests) $(api_tests) $(hooked_tests) $(hostile_tests) \
	$(faults_tests) $(race_tests) $(stress_tests)
support_libs = %D%/support/libsupport.la
check_LTLIBRARIES += $(support_libs)
endif

%C%_support_libsupport_la_SOURCES = $(support_sources)

check_PROGRAMS += $(c_tests)

# Programs that say nothing else are unit tests.
LDADD = $(support_libs) lib/libhotline-internal.la $(CHECK_LIBS)
hooked_libs = $(support_libs) lib/libhotline-hooked.la $(CHECK_LIBS)
api_libs = $(support_libs) lib/libhotline.la $(CHECK_LIBS)
%C%_api_test_ahead_LDADD = $(api_libs)
%C%_api_test_admin_LDADD = $(api_libs)
%C%_api_test_arena_LDADD = $(api_libs)
%C%_api_test_batch_LDADD = $(api_libs)
%C%_api_test_checksum_LDADD = $(api_libs)
%C%_api_test_claim_LDADD = $(api_libs)
%C%_api_test_fd_LDADD = $(api_libs)
%C%_api_test_fd_leave_LDADD = $(api_libs)
%C%_api_test_fdpass_LDADD = $(api_libs)
%C%_api_test_files_LDADD = $(api_libs)
%C%_api_test_finish_LDADD = $(api_libs)
%C%_api_test_fork_LDADD = $(api_libs)
%C%_api_test_full_LDADD = $(api_libs)
%C%_api_test_groups_LDADD = $(api_libs)
%C%_api_test_handles_LDADD = $(api_libs)
%C%_api_test_header_LDADD = $(api_libs)
%C%_api_test_inspect_LDADD = $(api_libs)
%C%_api_test_limits_LDADD = $(api_libs)
%C%_api_test_lossy_LDADD = $(api_libs)
%C%_api_test_modes_LDADD = $(api_libs)
%C%_api_test_names_LDADD = $(api_libs)
%C%_api_test_next_LDADD = $(api_libs)
%C%_api_test_paths_LDADD = $(api_libs)
%C%_api_test_poison_LDADD = $(api_libs)
%C%_api_test_put_LDADD = $(api_libs)
%C%_api_test_run_LDADD = $(api_libs)
%C%_api_test_payload_LDADD = $(api_libs)
%C%_api_test_positions_LDADD = $(api_libs)
%C%_api_test_refused_LDADD = $(api_libs)
%C%_api_test_reserve_LDADD = $(api_libs)
%C%_api_test_router_ring_LDADD = $(api_libs)
%C%_api_test_schema_join_LDADD = $(api_libs)
%C%_api_test_signals_LDADD = $(api_libs)

# The readers of the examples' inputs are tested as the library is.
nacha_test_libs = examples/payments/libnacha.la $(LDADD)
%C%_unit_test_nacha_SOURCES = %D%/unit/test_nacha.c $(nacha_test_sources)
%C%_unit_test_nacha_LDADD = $(nacha_test_libs)
%C%_unit_test_nacha_faults_SOURCES = %D%/unit/test_nacha_faults.c \
	$(nacha_test_sources)
%C%_unit_test_nacha_faults_LDADD = $(nacha_test_libs)
%C%_unit_test_book_LDADD = examples/market_data/libitch.la $(LDADD)
%C%_unit_test_itch_LDADD = examples/market_data/libitch.la $(LDADD)

# A ring in private memory.
core_test_sources = %D%/unit/core_ring.c %D%/unit/core_ring.h
%C%_unit_test_core_SOURCES = %D%/unit/test_core.c $(core_test_sources)
%C%_unit_test_layout_SOURCES = %D%/unit/test_layout.c $(core_test_sources)
%C%_unit_test_mend_SOURCES = %D%/unit/test_mend.c $(core_test_sources)
%C%_unit_test_pace_SOURCES = %D%/unit/test_pace.c $(core_test_sources)
%C%_unit_test_recover_SOURCES = %D%/unit/test_recover.c $(core_test_sources)
%C%_unit_test_crowded_SOURCES = %D%/unit/test_crowded.c $(core_test_sources)

# Figures of the command are pure functions.
%C%_unit_test_lines_SOURCES = %D%/unit/test_lines.c tools/lines.c tools/lines.h

nacha_test_sources = %D%/unit/nacha_file.c %D%/unit/nacha_file.h

noinst_HEADERS += %D%/unit/fake_batch.h

# Targets of fuzz engines, with a corpus that is replayed.
include tests/fuzz/local.mk

# --- How they are run ------------------------------------------------------

TESTS += $(checks) $(cli_tests) $(c_tests)
LONG_TESTS += $(long_checks) $(c_tests)

TEST_EXTENSIONS = .sh
LOG_DRIVER = env AM_TAP_AWK='$(AWK)' $(SHELL) \
	$(top_srcdir)/build-aux/tap-driver.sh
SH_LOG_DRIVER = $(LOG_DRIVER)
# What hangs is ended, with all that it started, and counts as an error.
TEST_SECONDS = 200
LOG_COMPILER = timeout -k 5 $(TEST_SECONDS)
SH_LOG_COMPILER = $(LOG_COMPILER) bash
# What a script exits with says again what its TAP says; one that stops early
# has no plan.
AM_SH_LOG_DRIVER_FLAGS = --ignore-exit

AM_TESTS_ENVIRONMENT = \
	CK_TAP_LOG_FILE_NAME=-; export CK_TAP_LOG_FILE_NAME; \
	CK_VERBOSITY=silent; export CK_VERBOSITY; \
	top_srcdir='$(abs_top_srcdir)'; export top_srcdir; \
	top_builddir='$(abs_top_builddir)'; export top_builddir; \
	HOTLINE='$(abs_top_builddir)/tools/hotline'; export HOTLINE; \
	CC='$(CC)'; export CC; \
	PKG_CONFIG='$(PKG_CONFIG)'; export PKG_CONFIG; \
	MAKE='$(MAKE)'; export MAKE; \
	SANITIZER='$(SANITIZER)'; export SANITIZER;

# Tests that take minutes, and the C tests again with HOTLINE_LONG set, which
# means many seeds and long runs.
.PHONY: check-long
check-long: all
	$(AM_V_at)HOTLINE_LONG=1 $(MAKE) check TEST_SECONDS=1200 \
		TESTS='$(LONG_TESTS)' TEST_SUITE_LOG=test-suite-long.log

# Parts of check, for the builds that tests make of their own.
.PHONY: check-programs check-unit
check-programs: all
	$(AM_V_at)$(MAKE) check TESTS='$(cli_tests) $(c_tests) $(fuzz_tests)'
check-unit: all
	$(AM_V_at)$(MAKE) check TESTS='$(c_unit_tests)'

check-local: check-notice

.PHONY: check-notice
check-notice:
if !HAVE_CHECK
	@echo "Note: Check is not installed (Debian package check):" \
		"the tests written in C are left out"
endif

EXTRA_DIST += \
	$(checks) \
	$(cli_tests) \
	$(long_checks) \
	%D%/checks/one_message.c \
	%D%/cli/hold_lib.sh \
	%D%/cli/layout_lib.sh \
	%D%/cli/lib.sh \
	%D%/support/strip_comments.awk \
	%D%/support/tap.sh
