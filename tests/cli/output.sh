#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# output.sh - where output goes, and what becomes of it when it cannot

. "$(dirname "$0")/lib.sh"
tap_need jq

hotline create r -c 4096 --group g:exclusive:durable
seq 3000 | sed 's/.*/{"type":&}/' | hotline send r
for i in 1 2 3 4 5; do hotline create "ring$i"; done
printf damage > "$HOTLINE_DIR/hotline.bad"

# --- A reader that goes away, a disk that is full -------------------------

shows=(ls 'ls --json' 'stat r' 'stat --json r' 'tail -f oldest -t 0 r'
	'tail -f oldest -t 0 --json r' '--help' 'stat --help' '--version')
for show in "${shows[@]}"; do
	for reader in 'head -1' 'head -c 0' true; do
		# shellcheck disable=SC2086 # words are meant
		hotline $show 2> "$tmp/err" | $reader > /dev/null
		is "$show | $reader is fine" '0 0' \
			"${PIPESTATUS[0]} $(wc -c < "$tmp/err")"
	done
	# shellcheck disable=SC2086
	hotline $show > /dev/full 2> "$tmp/err"
	is "$show to a full disk fails" 1 $?
	tap_check 'and says why' grep -q 'standard output: No space' "$tmp/err"
	# shellcheck disable=SC2086
	hotline $show >&- 2> "$tmp/err"
	is "$show without standard output fails" 1 $?
	is 'and says so in a line' 1 "$(wc -l < "$tmp/err")"
	# shellcheck disable=SC2086
	hotline $show > /dev/null 2>&-
	is "$show without standard error is fine" 0 $?
done
before=$(md5sum < "$HOTLINE_DIR/hotline.r")
hotline stat r <&- >&- 2>&-
hotline tail -f oldest -t 0 r <&- >&- 2>&-
is 'no line of text is ever written into a ring' "$before" \
	"$(md5sum < "$HOTLINE_DIR/hotline.r")"
hotline recv -j -g g r 2> "$tmp/err" >&-
is 'recv without standard output fails' 1 $?
is 'and takes nothing' 3000 "$(hotline stat --json r | jq '.groups[0].depth')"
expect 'create that prints nothing needs no standard output' 0 \
	eval 'hotline create quiet >&-'

# --- One document ---------------------------------------------------------

# document NAME STATUS COMMAND... - one JSON value, whatever happens
document() {
	local name=$1 wanted=$2
	shift 2
	run "$@"
	is "$name" "$wanted 1" "$status $(jq -c . <<< "$out" 2>&1 | wc -l)"
	[ "$wanted" -eq 0 ] || tap_check 'a sentence on standard error too' \
		test -n "$err"
}
document 'ls prints one value' 0 hotline ls --json
document 'stat of a ring' 0 hotline stat --json r
document 'with blocks' 0 hotline stat --json --blocks r
document 'stat of nothing' 3 hotline stat --json nosuch
is 'with the status in it' 3 "$(jq .exit <<< "$out")"
document 'stat of a damaged ring' 6 hotline stat --json bad
document 'create' 0 hotline create --json new
document 'create again' 5 hotline create --json new
document 'create with a bad value' 2 hotline create --json -c 3 other
document 'rm' 0 hotline rm --json new
document 'rm of nothing' 3 hotline rm --json new
document 'rm of a damaged ring' 6 hotline rm --json bad
document 'send' 0 hotline send --json r < /dev/null
document 'send to nothing' 3 hotline send --json nosuch < /dev/null
document 'send with a bad line' 1 hotline send --json r <<< x
document 'wrong usage' 2 hotline stat --json
expect 'tail prints values only' 3 hotline tail --json nosuch
is 'none when it fails' '' "$out"
tap_check 'a value a line' \
	diff <(hotline tail -j -f oldest -t 0 r | jq -c .) \
	<(hotline tail -j -f oldest -t 0 r)

tap_done
