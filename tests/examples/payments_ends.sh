#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# payments_ends.sh - however the payments pipeline ends, it leaves nothing
# behind
#
# The source is given a pipe that nobody writes to, so that all programs run
# until something happens to them.

. "$(dirname "$0")/../support/tap.sh"

export HOTLINE_BUILD=$top_builddir
run=$top_srcdir/examples/payments/run
shm=${HOTLINE_DIR:-/dev/shm}
ring=test-ends-$$
pid=

tap_need pgrep pkill
tap_tmp
mkfifo "$tmp/pipe"

# Processes of our ring, by their command lines.
programs() {
	pgrep -f -- "--ring $ring( |\$)" | grep -vx "$pid"
}

# until_true COMMAND... - poll for ten seconds
until_true() {
	local i

	for ((i = 0; i < 500; i++)); do
		"$@" && return
		sleep 0.02
	done
	echo "never came true: $*"
	return 1
}

all_started() {
	[ "$(programs | wc -l)" -eq 4 ]
}

ended() {
	! kill -0 "$pid" 2>/dev/null
}

# start [OPTION]... - in the background, until its four programs run
start() {
	# Job control on, or the script would be started deaf to SIGINT.
	set -m
	"$run" --ring "$ring" --workers 2 "$@" "$tmp/pipe" \
		> "$tmp/said" 2>&1 &
	pid=$!
	set +m
	until_true all_started
}

# nothing_left STATUS - the script ends so, with its programs and ring
nothing_left() {
	local status

	until_true ended || kill -KILL "$pid"
	wait "$pid"
	status=$?
	if [ "$status" -eq "$1" ] && [ -z "$(programs)" ] &&
		[ ! -e "$shm/hotline.$ring" ]; then
		return
	fi
	echo "status $status, expected $1; left: $(programs)" \
		"$(ls "$shm/hotline.$ring" 2>&1)"
	cat "$tmp/said"
	return 1
}

signalled() {
	start && kill -s "$1" "$pid" && nothing_left "$2"
}
tap_check 'SIGINT ends all and removes the ring' signalled INT 130
tap_check 'SIGTERM ends all and removes the ring' signalled TERM 143
tap_check 'SIGHUP ends all and removes the ring' signalled HUP 129

# killed PROGRAM SIGNAL
killed() {
	start && pkill "-$2" -f -- "$1 --ring $ring( |\$)" &&
		nothing_left 2 && grep -q 'failed' "$tmp/said"
}
tap_check 'when the ledger dies all is ended' killed ledger KILL
tap_check 'when a worker dies all is ended' killed ach_worker KILL
tap_check 'when the source dies all is ended' killed ach_source TERM

stopped() {
	start && pkill -STOP -f -- "ach_worker --ring $ring( |\$)" &&
		kill -TERM "$pid" && nothing_left 143
}
tap_check 'programs that are stopped are ended too' stopped

no_such_file() {
	timeout 20 "$run" --ring "$ring" "$tmp/none" > "$tmp/said" 2>&1 &
	pid=$!
	nothing_left 2 && grep -q 'none: No such file' "$tmp/said"
}
tap_check 'a file that is not there ends all' no_such_file

keep() {
	timeout 20 "$run" --ring "$ring" --keep \
		"$top_srcdir/examples/payments/sample.ach" > "$tmp/said" 2>&1 &&
		"$HOTLINE" stat --json "$ring" > "$tmp/stat" &&
		"$HOTLINE" rm "$ring"
}
tap_check 'with --keep the ring stays' keep

foreign_ring() {
	"$HOTLINE" create "$ring" &&
		! timeout 20 "$run" --ring "$ring" \
			"$top_srcdir/examples/payments/sample.ach" \
			> "$tmp/said" 2>&1 &&
		"$HOTLINE" rm "$ring"
}
tap_check 'a ring that was there before is left alone' foreign_ring

wrong_usage() {
	local arguments

	for arguments in '' '--workers 0 x' '--workers' '--slot-size 96 x' \
		'--repeat -1 x' '--no-such x'; do
		# shellcheck disable=SC2086 # words are meant
		timeout 20 "$run" $arguments > "$tmp/said" 2>&1
		[ $? -eq 2 ] && grep -q '^usage: run ' "$tmp/said" && continue
		echo "not refused: run $arguments"
		return 1
	done
}
tap_check 'wrong usage is refused' wrong_usage

tap_done
