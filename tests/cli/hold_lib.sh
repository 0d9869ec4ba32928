# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# hold_lib.sh - participants that stop, or die, with something in hand
#
# Sourced after lib.sh.
#
#	fill RING NUMBER [OPTION...]	send so many messages
#	hold ARGUMENT...	start hold.c, until it has stopped itself; $pid
#	kill_off PID		kill it, and wait until it is gone
#	json_is FILTER VALUE COMMAND...	is that in the command's JSON?

hold=$top_builddir/tests/cli/hold
[ -x "$hold" ] || tap_skip_all 'tests/cli/hold is not built'

fill() {
	local ring=$1 number=$2
	shift 2
	yes '{"type":1}' | head -n "$number" | "$HOTLINE" send "$@" "$ring"
}

# shellcheck disable=SC2317 # called by until_true
is_stopped() { [[ $(ps -o stat= -p "$1") == T* ]]; }

hold() {
	start "$hold" "$@" 2>> "$tmp/hold"
	until_true is_stopped "$pid" || tap_diag "hold $* did not stop"
}

kill_off() {
	kill -KILL "$1"
	ends "$1"
}

# shellcheck disable=SC2317 # called by until_true
json_is() {
	local filter=$1 value=$2
	shift 2
	[ "$("$HOTLINE" "$@" --json | jq -r "$filter")" = "$value" ]
}
