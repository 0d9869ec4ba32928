#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# restarts.sh - kill and start again, many times: nothing is left over
#
# Rows 10, 18, 60 and 66 of doc/testing.md.

. "$(dirname "$0")/../cli/lib.sh"
tap_need jq

rounds=16
[ -z "${HOTLINE_LONG-}" ] || rounds=200

field() { hotline stat --json "$1" | jq -r "$2"; }
field_is() { [ "$(field "$1" "$2")" = "$3" ]; }
files() { find "$HOTLINE_DIR" -type f | wc -l; }
inode() { stat -c %i "$HOTLINE_DIR/hotline.$1"; }
send_one() { echo '{"type":1}' | hotline send "$1"; }

# slay PID - kill a child; the shell has nothing to say about it
slay() {
	disown "$1" 2>/dev/null
	kill -KILL "$1" 2>/dev/null
}

# --- 10: the same member again, in the same line --------------------------

hotline create again -c 16 --max-consumers 2 --group g:exclusive:durable
bad=
start hotline recv -g g again > "$tmp/recv"
for ((i = 0; i < rounds; i++)); do
	until_true lines "$tmp/recv" "$i" || bad+="message $i did not come"$'\n'
	slay "$pid"
	# On a busy machine it takes its time to die.
	until_true alive_in again 0
	start hotline recv -g g again >> "$tmp/recv"
	send_one again
done
until_true lines "$tmp/recv" "$rounds" || bad+='the last did not come'
tap_none 'a member is killed and starts again in the same line' "$bad"
is 'it is listed once' '1 0' "$(field again '"\(.alive) \(.dead)"')"
kill -TERM "$pid"
ends "$pid"

# --- 18: who looks comes and goes ------------------------------------------

hotline create looked -c 16 --group g:exclusive:durable
start hotline recv -g g looked > "$tmp/looked"
until_true alive_in looked 1
reader=$pid
before=$(inode looked)
for ((i = 0; i < rounds; i++)); do
	lookers=()
	for how in stat tail 'recv -g other:lossy'; do
		# shellcheck disable=SC2086 # words are meant
		start hotline $how looked > /dev/null
		lookers+=("$pid")
	done
	sleep 0.00$((RANDOM % 10))
	for pid in "${lookers[@]}"; do
		[ $((i % 2)) -eq 0 ] || kill -INT "$pid" 2>/dev/null
		slay "$pid"
	done
	send_one looked
done
until_true lines "$tmp/looked" "$rounds"
is 'no member notices who looks and is killed' "$rounds" \
	"$(wc -l < "$tmp/looked")"
is 'the name stays' "$before" "$(inode looked)"
is 'nobody found the member dead' alive "$(field looked \
	".participants[] | select(.pid == $reader).liveness")"
kill -TERM "$reader"
ends "$reader"

# --- 60: cycles of create, attach, kill -------------------------------------

before=$(files)
for ((i = 0; i < rounds; i++)); do
	hotline create same -c 16 2> "$tmp/err"
	start hotline recv -g g same > /dev/null
	until_true alive_in same 1
	slay "$pid"
done
is 'one name is one file, however often all are killed' $((before + 1)) "$(files)"
until_true hotline rm same
for ((i = 0; i < 10; i++)); do
	hotline create "unique$i" -c 16
	start hotline recv -g g "unique$i" > /dev/null
	until_true alive_in "unique$i" 1
	[ "$i" -lt 2 ] || slay "$pid"
done
until_true field_is unique9 .alive 0
run hotline rm unique{0,1,2,3,4,5,6,7,8,9}
is 'one command removes the rings whose members are dead, and only those' \
	'hotline.unique0 hotline.unique1' \
	"$(cd "$HOTLINE_DIR" && echo hotline.unique*)"
is 'and says that some are in use' 5 "$status"
stop_children
hotline rm -f unique0 unique1

# --- 66: all of them at once ------------------------------------------------

hotline create tree -c 16 --group g:shared:durable
# A producer, a member, who looks and who would clean up, in a group of their own.
# shellcheck disable=SC2016 # expanded by the shell below
family='
	"$1" recv -g g tree > "$2" &
	while :; do "$1" stat tree; "$1" ls; done > /dev/null 2>&1 &
	while :; do echo "{\"type\":1}"; done | "$1" send tree
'
trap 'kill -KILL -- "-$pid" 2>/dev/null; stop_children; tap_cleanup' EXIT

# keeps COMMAND... - it is refused since somebody lives
keeps() {
	"$@" 2> /dev/null
	[ $? -eq 5 ]
}

bad=
before=$(inode tree)
for ((i = 0; i < rounds / 2; i++)); do
	start setsid bash -c "$family" - "$HOTLINE" "$tmp/tree.$i"
	until_true lines "$tmp/tree.$i" 20 || bad+="round $i: nothing comes"$'\n'
	keeps hotline rm tree || bad+="round $i: removed while in use"$'\n'
	disown "$pid"
	kill -KILL -- "-$pid"
done
tap_none 'all are killed at once, and start again unaided' "$bad"
is 'in the same ring' "$before" "$(inode tree)"

tap_done
