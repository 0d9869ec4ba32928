# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# lib.sh - what tests of the hotline command share
#
# Sourced, not run. Rings lie in a scratch folder of the test's own, which goes
# with all processes it started when the test ends, however it ends.
#
#	run COMMAND...		sets $out, $err, $status
#	expect NAME STATUS COMMAND...	ok if that is its exit status
#	says NAME TEXT		ok if the last $err has TEXT in it
#	start COMMAND...	in the background, where SIGINT is ignored; $pid
#	until_true COMMAND...	poll for 10 s

. "$(dirname "${BASH_SOURCE[0]}")/../support/tap.sh"

[ -x "$HOTLINE" ] || HOTLINE=$top_builddir/hotline
[ -x "$HOTLINE" ] || tap_skip_all 'the hotline program is not built'

tap_tmp
export HOTLINE_DIR=$tmp/rings
mkdir "$HOTLINE_DIR"
children=()

hotline() {
	"$HOTLINE" "$@"
}

stop_children() {
	local child
	for child in ${children[@]+"${children[@]}"}; do
		kill -CONT "$child" 2>/dev/null
		kill -KILL "$child" 2>/dev/null
	done
	children=()
}
trap 'stop_children; tap_cleanup' EXIT

# run COMMAND... - its output, complaints and status in out, err and status
run() {
	out=$("$@" 2> "$tmp/err")
	status=$?
	err=$(cat "$tmp/err")
}

# what_came - the last run, as diagnostics
what_came() {
	tap_diag "status $status"
	tap_diag "out: $out"
	tap_diag "err: $err"
}

# expect NAME STATUS COMMAND... - ok if it ends with the status
expect() {
	local name=$1 wanted=$2
	shift 2
	run "$@"
	if [ "$status" -eq "$wanted" ]; then
		tap_ok "$name"
	else
		tap_not_ok "$name" "wanted status $wanted"
		what_came
	fi
}

# says NAME TEXT - ok if the last run complained with the text in it
says() {
	if [[ $err == *"$2"* ]]; then
		tap_ok "$1"
	else
		tap_not_ok "$1" "no '$2'"
		what_came
	fi
}

# is NAME WANTED GOT - ok if they are the same
is() {
	if [ "$2" = "$3" ]; then
		tap_ok "$1"
	else
		tap_not_ok "$1" "wanted: $2"
		tap_diag "got: $3"
	fi
}

# start COMMAND... - in the background; its number in pid
start() {
	# Not through the function: its subshell would be the child.
	[ "$1" != hotline ] || set -- "$HOTLINE" "${@:2}"
	# Said in full, or standard input would be /dev/null.
	"$@" <&0 &
	pid=$!
	children+=("$pid")
}

# until_true COMMAND... - wait for it to succeed, 10 s at most
until_true() {
	local deadline=$((SECONDS + 10))
	until "$@" >/dev/null 2>&1; do
		((SECONDS < deadline)) || return 1
		sleep 0.02
	done
}

# ends PID - wait for a child, 10 s at most; its status
ends() {
	until_true is_gone "$1" || return 255
	wait "$1" 2>/dev/null
}

is_gone() {
	local state
	state=$(ps -o stat= -p "$1" 2>/dev/null) || return 0
	[[ $state == Z* ]]
}

# alive_in RING NUMBER - are there so many participants?
alive_in() {
	[ "$(hotline stat --json "$1" | jq .alive)" = "$2" ]
}

# lines FILE NUMBER - does it have at least so many lines?
lines() {
	[ "$(wc -l < "$1")" -ge "$2" ]
}
