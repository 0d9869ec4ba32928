#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# lines.sh - the fast path reads one line of a message
#
#	make check TESTS=tests/bench-layout/lines.sh
#	lines.sh table		the counts, for "make bench-layout"
#
# Counted from a trace of all memory accesses of the code that the benchmark
# times; the same in each run.

. "$(dirname "$0")/../support/tap.sh"

walk=$top_builddir/tests/bench-layout/walk
lines=$top_builddir/tests/bench-layout/lines

tap_need valgrind
[ "$SANITIZER" = no ] || tap_skip_all 'sanitizers read memory of theirs'
[ -x "$walk" ] || tap_skip_all 'the program that is traced was not built'
tap_tmp

# Some versions give up on what some compilers write for debuggers.
! valgrind --tool=none "$walk" list 2>&1 | grep -q 'corrupted debuginfo' ||
	tap_skip_all 'valgrind cannot read what this compiler writes for debuggers'

# The pipe is there before the trace, which is large.
mkfifo "$tmp/trace"
grep -E '^ [LSM] ' < "$tmp/trace" > "$tmp/accesses" &
if ! valgrind --tool=lackey --trace-mem=yes --log-file="$tmp/trace" \
	"$walk" lines > "$tmp/maps" 2> "$tmp/log"; then
	tap_not_ok 'the rungs run under lackey' "$(cat "$tmp/log")"
	tap_done
fi
wait
"$lines" "$tmp/maps" < "$tmp/accesses" > "$tmp/lines"
if [ "${1-}" = table ]; then
	cat "$tmp/lines"
	exit 0
fi
tap_diag 'rung, messages; lines a message: of messages, of cursors, own'
tap_diag < "$tmp/lines"

# of RUNG COLUMN
of() {
	awk -v rung="$1" -v column="$2" '$1 == rung { print $column }' \
		"$tmp/lines"
}

more=$(awk '$1 <= 2 && $3 >= 2' "$tmp/lines" | wc -l)
tap_check 'copied messages take two lines or more' test "$more" -eq 3
for rung in 3 4 5 6; do
	if [ "$(of "$rung" 3)" = 1.00 ]; then
		tap_ok "rung $rung reads one line of each message"
	else
		tap_not_ok "rung $rung reads one line of each message" \
			"it reads $(of "$rung" 3)"
	fi
done

tap_done
