#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# hello.sh - the two programs of the README find each other
#
# Their ring's name is fixed, so they get a folder for rings of their own.

. "$(dirname "$0")/../support/tap.sh"

tap_tmp
export HOTLINE_DIR=$tmp/rings
mkdir "$HOTLINE_DIR"
producer=$top_builddir/examples/hello_producer
consumer=$top_builddir/examples/hello_consumer

seq -f 'me sent %g' 10 > "$tmp/wanted"

producer_first() {
	"$producer" && timeout 20 "$consumer" > "$tmp/said" &&
		diff "$tmp/wanted" "$tmp/said"
}
tap_check 'the consumer reads what was sent before it started' producer_first

consumer_first() {
	local pid

	"$HOTLINE" rm hello
	timeout 20 "$consumer" > "$tmp/said" &
	pid=$!
	"$producer" && wait "$pid" && diff "$tmp/wanted" "$tmp/said"
}
tap_check 'they can be started in any order' consumer_first

again() {
	"$producer" && timeout 20 "$consumer" > "$tmp/said" &&
		diff "$tmp/wanted" "$tmp/said"
}
tap_check 'the next time the consumer goes on where it was' again

short() {
	awk 'FNR == 40 { print FILENAME " has 40 lines or more"; bad = 1 }
		END { exit bad }' "$top_srcdir"/examples/hello_*.c
}
tap_check 'each is shorter than 40 lines' short

tap_done
