#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# mutants.sh - test_sleepers fails when waking is broken
#
# A stall is found by the watchdog of the test, so a mutant takes its time.

. "$(dirname "$0")/../support/tap.sh"
. "$(dirname "$0")/../race/mutants_lib.sh"

[ "$SANITIZER" = no ] || tap_skip_all 'mutants are built without sanitizers'
[ -f "$top_builddir/tests/stress/test_sleepers.o" ] ||
	tap_skip_all 'test_sleepers is not built'
sed --version >/dev/null 2>&1 || tap_skip_all 'sed is not that of GNU'
tap_tmp

objects=$top_builddir/tests/stress/test_sleepers.o
archive=lib/libhotline-internal.la
flags=
link_flags=
stall_is_caught=yes
run() {
	HOTLINE_MESSAGES=$1 CK_TAP_LOG_FILE_NAME=- CK_VERBOSITY=silent \
		timeout 200 "$tmp/test"
}

# Where the moment in which it goes wrong is a few instructions long, the sleeper
# lets others run there. That alone is no fault.
dawdle='s/\tret = futex_wait\(/\tsched_yield();\n&/'
dawdle_first='s/\thli_or_ar\(&wait->view->header->sleepers, wait->bit\);/\tsched_yield();\n&/'

mutant_not_seen 'a sleeper dawdles before it sleeps' 10000 wait.c \
	"$dawdle; $dawdle_first"
mutant 'the bit is cleared after the count is raised' 50000 wait.c \
	's/\thli_and_ar\(&view->header->sleepers, ~bits\);\n//; s/(\t\tfutex_wake_all\(&view->groups\[__builtin_ctzll\(g\)\]\.wake\);\n)/\1\thli_and_ar(\&view->header->sleepers, ~bits);\n/'
mutant 'the count is not raised' 50000 wait.c \
	's/\thli_add_ar\(count, 1\);\n/\t(void)0;\n/; '"$dawdle"
mutant 'a sleeper does not look afresh once its bit is set' 50000 wait.c \
	's/if \(ops->ready\(self, true\) \|\| hli_load_acq\(&wait->cancelled\)\)/if (false)/; '"$dawdle_first"
mutant 'a sleeper reads the count after its fresh look' 50000 wait.c \
	's/ret = futex_wait\(wait->count, count, ns\);/ret = futex_wait(wait->count, hli_load_acq(wait->count), ns);/; '"$dawdle"
mutant 'a sleeper sets its bit after its fresh look' 50000 wait.c \
	's/(\thli_or_ar\(&wait->view->header->sleepers, wait->bit\);\n)(.*)(\tHLI_HOOK\("sleep_before_futex"\);\n)/\2\3\tsched_yield();\n\1/'

tap_diag "$mutants_caught of $mutants_count caught"
tap_done
