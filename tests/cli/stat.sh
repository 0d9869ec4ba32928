#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# stat.sh - what can be seen of a ring

. "$(dirname "$0")/lib.sh"
tap_need jq

field() { hotline stat --json "$1" | jq -r "$2"; }
# shellcheck disable=SC2317 # called by until_true
field_is() { [ "$(field "$1" "$2")" = "$3" ]; }

hotline create r -c 64 --arena 64K --mode 0640 --group g:shared:durable
expect 'stat shows a ring that nobody uses' 0 hotline stat r
tap_check 'that there are no participants' grep -q '^no participants' <<< "$out"
tap_check 'its mode' grep -q 'mode 0640' <<< "$out"
tap_check 'its owner' grep -q "^owner .*$(id -un)," <<< "$out"
tap_none 'lines end without blanks' "$(grep ' $' <<< "$out")"
expect 'a ring that is not there is an error' 3 hotline stat nosuch
says 'and named with its path' "$HOTLINE_DIR/hotline.nosuch"

seq 20 | sed 's/.*/{"type":&,"payload":["x"]}/' | hotline send r
is 'it counts messages' 20 "$(field r .messages)"
is 'and how far a group is behind' 20 "$(field r '.groups[0].depth')"
is 'head and low' '21 1' "$(field r '"\(.head) \(.low)"')"
is 'there are blocks in use' true "$(field r '.arena.waiting > 0')"
is 'each of which is shown' true \
	"$(field r '(.arena.blocks | length) == .geometry.nblocks')"
run hotline stat --blocks r
tap_check 'to people only if asked' grep -q '^BLOCK ' <<< "$out"
tap_check 'and counted' grep -q '^arena .* blocks: ' <<< "$out"

start hotline recv -g g r > /dev/null
until_true alive_in r 1
until_true field_is r '.groups[0].depth' 0
is 'a participant has name, role, group and pid' \
	"hotline recv consumer g $pid alive" \
	"$(field r '.participants[0] | "\(.name) \(.role) \(.group) \(.pid) \(.liveness)"')"
is 'and its command' "$(cat "/proc/$pid/comm")" \
	"$(field r '.participants[0].command')"
is 'lag' 0 "$(field r '.participants[0].lag')"
kill -STOP "$pid"
until_true field_is r '.participants[0].process_state' T
is 'a stopped process is seen' 0 $?
kill -KILL "$pid"
ends "$pid"
until_true field_is r '.participants[0].liveness' dead
is 'a dead one too' 0 $?
run hotline ls
is 'and listed' 1 "$(awk '$1 == "r" { print $8 }' <<< "$out")"
is 'totals of a group outlive its members' 20 "$(field r '.groups[0].messages')"

before=$(md5sum < "$HOTLINE_DIR/hotline.r")
hotline stat r > /dev/null
hotline stat --json r > /dev/null
hotline ls > /dev/null
hotline tail --from oldest --timeout 0 r > /dev/null
is 'looking changes no byte' "$before" "$(md5sum < "$HOTLINE_DIR/hotline.r")"

other=(setpriv --reuid 65534 --regid 65534 --clear-groups "$HOTLINE")
if [ "$(id -u)" -eq 0 ] && "${other[@]}" --version > /dev/null 2>&1; then
	chmod 755 "$tmp" "$HOTLINE_DIR"
	hotline create seen --mode 0644
	hotline create unseen
	expect 'another user sees a ring that may be read' 0 "${other[@]}" stat seen
	expect 'but not one that may not' 1 "${other[@]}" stat unseen
	expect 'and both are listed' 0 "${other[@]}" ls
	tap_check 'one with the reason' grep -q '^unseen .*ermission' <<< "$out"
else
	tap_skip 'another user sees what may be read' \
		'only as root, where another user can run the command'
fi

hotline create narrow -c 2 --group slow:exclusive:durable
yes '{}' | head -3 | hotline send --timeout 50ms narrow 2> /dev/null
is 'a full ring is seen' 'true 1' "$(field narrow '"\(.full) \(.full_position)"')"
run hotline stat narrow
tap_check 'and the group that holds it up is named' \
	grep -q '^full .* position 1, by group slow$' <<< "$out"

hotline create big --start-position 9223372036854770000
is 'positions above 2^53 are strings' '"9223372036854770000"' \
	"$(hotline stat --json big | jq -c .head)"

best=1000
for _ in 1 2 3 4 5 6 7 8 9 10; do
	begin=$(date +%s%N)
	hotline stat r > /dev/null
	took=$((($(date +%s%N) - begin) / 1000000))
	[ "$took" -ge "$best" ] || best=$took
done
# Said, not asserted: other programs may have the machine.
tap_diag "stat starts and ends within $best ms, the best of ten"

tap_done
