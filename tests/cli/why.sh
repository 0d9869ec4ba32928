#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# why.sh - who holds back whom, in situations set up on purpose

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/hold_lib.sh"
tap_need jq

# reason KIND FILTER - of the JSON in out
reason() {
	jq -r ".reasons[] | select(.kind == \"$1\") | $2" <<< "$out"
}

# why RING [OPTION...] - in JSON, to out
why() { run hotline why --json "$@"; }

# --- Nothing is wrong -----------------------------------------------------

hotline create r -c 64 --group g:shared:durable
expect 'a ring that nobody uses holds nothing back' 0 hotline why r
tap_check 'nobody produces' grep -q 'nobody produces' <<< "$out"
start hotline recv -g g r > /dev/null
waiter=$pid
until_true alive_in r 1
fill r 3
until_true json_is .low 4 stat r
why r
is 'a group that waits is no hold-up' "0 4" \
	"$status $(reason waits .position)"
is 'nothing moved' 'false false' "$(jq -r '"\(.moves) \(.held)"' <<< "$out")"
start hotline send r < <(while :; do
	echo '{"type":1}'
	sleep 0.01
done)
until_true json_is .moves true why r
is 'what moves is seen' 0 $?
expect 'and said' 0 hotline why --for 300ms r
tap_check 'how much of it' grep -qE 'group g: [1-9][0-9]* handed out' <<< "$out"
kill -TERM "$pid"
ends "$pid"

# --- A producer stopped between claim and publish -------------------------

hold claim r 2
fill r 5
until_true json_is .held true stat r
first=$(hotline stat --json r | jq .held_position)
why r
is 'a position that is not published holds back' "7 $first $pid" \
	"$status $(reason unpublished '"\(.position) \(.participant.pid)"')"
is 'its owner is stopped' 'alive T hold' "$(reason unpublished \
	'.participant | "\(.liveness) \(.process_state) \(.command)"')"
is 'since somebody first waited' true "$(reason unpublished '.for_ns > 0')"
is 'and who waits there' g "$(reason unpublished '.groups[0]')"
is 'its start time too' "$(awk '{ print $22 }' "/proc/$pid/stat")" \
	"$(reason unpublished .participant.pid_start)"
expect 'in words' 7 hotline why r
tap_check 'stopped, not dead' grep -q 'but stopped' <<< "$out"
run hotline stat r
tap_check 'stat names the position' grep -q "^waited for   position $first" <<< "$out"
kill -STOP "$waiter"
until_true is_stopped "$waiter"
before=$(md5sum < "$HOTLINE_DIR/hotline.r")
kill_off "$pid"
why r
is 'a dead owner is named, and what it held' \
	"7 dead $first" "$status $(reason dead '.participant |
		"\(.liveness) \(.from)"')"
tap_check 'and who will see to it' \
	grep -q 'joins or waits next' <<< "$(reason dead .text)"
is 'looking changes no byte' "$before" "$(md5sum < "$HOTLINE_DIR/hotline.r")"
kill -CONT "$waiter"
until_true json_is .dead 0 stat r
until_true json_is .held false why r
is 'the next one who waits has seen to it' 0 $?
kill_off "$waiter"

hotline create void
hold abandon void 1
why void
is 'a position that was given up is not waited for' 0 "$status"
kill -CONT "$pid"
ends "$pid"

# --- A full ring ----------------------------------------------------------

hotline create full -c 16 --group g:shared:durable
fill full 10
hold take full g 4
fill full 20 --timeout 100ms 2> /dev/null
why full
is 'a full ring is held back by its slowest member' "7 1 $pid 1 5" "$status $(
	reason slow_member '"\(.position) \(.participant.pid) " +
	"\(.participant.from) \(.participant.to)"')"
is 'since a producer first waited' true "$(reason full '.held and .for_ns > 0')"
kill_off "$pid"
why full
is 'a dead member and what it had in hand' 'dead 1 5' \
	"$(reason dead '.participant | "\(.liveness) \(.from) \(.to)"')"
is 'a durable group without members holds back' 'true g' \
	"$(reason no_member '"\(.held) \(.group)"')"
hotline recv -g g -t 0 full > /dev/null
expect 'until somebody takes the messages' 0 hotline why full

hotline create one -c 16 --group g:exclusive:durable
fill one 10
hold take one g 4
why one
is 'an exclusive consumer that is stopped is found, with its batch' \
	"7 $pid 1 5" "$status $(reason slow_member '.participant |
		"\(.pid) \(.from) \(.to)"')"
kill_off "$pid"
why one
is 'a dead one had it in hand, and holds nobody back' "0 1 5" "$status $(
	reason dead '.participant | "\(.from) \(.to)"')"
fill one 20 --timeout 50ms 2> /dev/null
why one
is 'a full one does' "7 true" "$status $(reason no_member .held)"

# --- Arena, end, no group -------------------------------------------------

hotline create arena -c 64 --arena 64K --max-producers 2 --group g:shared:durable
hold blocks arena 4
long=$(head -c 7000 /dev/zero | tr '\0' x)
for _ in 1 2 3 4 5; do
	printf '{"payload":["%s"]}\n' "$long"
done | hotline send --timeout 100ms arena 2> /dev/null
why arena
is 'an exhausted arena, and who has the blocks' "7 true 4 $pid 4" "$status $(
	reason arena '"\(.held) \(.waiting) \(.owners[0].pid) \(.owners[0].blocks)"')"
kill_off "$pid"

hotline send --finish one < /dev/null 2> /dev/null
why one
is 'a finished ring is said to be' 'false' "$(reason finished .held)"

hotline create refuse --unread refuse
why refuse
is 'no group is not an error of its own' "0 false" \
	"$status $(reason no_group .held)"
mkfifo "$tmp/fifo"
exec 9<> "$tmp/fifo"
start hotline send refuse < "$tmp/fifo"
until_true alive_in refuse 1
why refuse
is 'but producers of a ring that refuses wait for one' "7 true" \
	"$status $(reason refused .held)"
kill -TERM "$pid"
ends "$pid"

# --- Usage, and what is no ring -------------------------------------------

expect 'one look' 0 hotline why --for 0 refuse
tap_check 'is said to be one' grep -q '^looked once' <<< "$out"
expect 'a ring that is not there is an error' 3 hotline why nosuch
expect 'and so is a time that is none' 2 hotline why --for soon r
head -c 5000 /dev/urandom > "$HOTLINE_DIR/hotline.noise"
expect 'noise is damaged' 6 hotline why noise

tap_done
