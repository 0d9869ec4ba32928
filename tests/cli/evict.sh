#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# evict.sh - a participant that lives is removed by an operator's decision

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/hold_lib.sh"
tap_need jq

# ready RING [OPTION...] - a ring with ten messages
ready() {
	hotline create "$@"
	fill "$1" 10
}

# number RING - of the only participant there
number() { hotline stat --json "$1" | jq '.participants[0].index'; }

# --- A member of a shared group -------------------------------------------

ready s -c 16 --group g:shared:durable
hold take s g 4
expect 'a member is evicted by its name' 0 hotline evict s hold
tap_check 'and what it has in hand stays its own' \
	grep -q 'positions 1 to 4) stays its own' <<< "$out"
is 'which holds the group back' "1 evicted" "$(hotline stat --json s |
	jq -r '"\(.low) \(.participants[0].liveness)"')"
run hotline why --json s
is 'as why says' "7 $pid" "$status $(jq -r '.reasons[] |
	select(.kind == "evicted" and .held).participant.pid' <<< "$out")"
expect 'again is no error' 0 hotline evict s "$(number s)"
kill -CONT "$pid"
ends "$pid"
is 'it learns of it by an error' 1 $?
run hotline recv -g g -t 0 --json s
is 'the others get what it had, marked' '10 4' "$(wc -l <<< "$out") $(
	grep -c redelivered <<< "$out")"

ready f -c 16 --group g:shared:durable
hold take f g 4
expect 'by force, by its number' 0 hotline evict --force f "$(number f)"
tap_check 'it is told where the messages go' \
	grep -q 'positions 1 to 4) goes to the other members of group g' <<< "$out"
run hotline recv -g g -t 1s -n 10 --json f
is 'the others get them at once' '10 4' "$(wc -l <<< "$out") $(
	grep -c redelivered <<< "$out")"
kill -CONT "$pid"
ends "$pid"
is 'and it learns of it' 1 $?

# --- Producers, and consumers that are alone ------------------------------

hotline create p -c 16 --group g:shared:durable
hold claim p 2
fill p 3
run hotline evict p hold --force --json
is 'a producer is evicted' "0 true $pid" "$status $(
	jq -r '"\(.forced) \(.participant.pid)"' <<< "$out")"
tap_check 'its positions are void' grep -q 'is void' <<< "$(jq -r .text <<< "$out")"
is 'so that others get past them' 3 "$(hotline recv -g g -t 0 --json p | wc -l)"
kill_off "$pid"

ready x -c 16 --group g:exclusive:durable
hold take x g 4
expect 'an exclusive consumer is evicted by force' 0 hotline evict -f x hold
tap_check 'and its group is dropped' grep -q 'group g is dropped' <<< "$out"
is 'group and all' 0 "$(hotline stat --json x | jq '.groups | length')"
kill_off "$pid"

# --- Another by now -------------------------------------------------------

ready n -c 16 --group g:shared:durable
hold take n g 2
seen=$(number n)@$pid
first=$pid
expect 'a number and its process are refused when it never had it' 1 \
	hotline evict n "$(number n)@1"
says 'and who has it is said' "not process 1's, it is that of consumer hold (number $(
	number n), pid $first"
kill_off "$first"
hotline recv -g g -t 0 n > /dev/null
hold take n g 0
is 'a newcomer has the number' "${seen%@*}" "$(number n)"
expect 'and is not hit by what was seen before' 1 hotline evict n "$seen"
says 'as is said' "pid $pid"
is 'it lives on' alive "$(hotline stat --json n | jq -r '.participants[0].liveness')"
expect 'with its own process it is meant' 0 hotline evict n "$(number n)@$pid"
kill_off "$pid"
expect 'no number is too large' 1 hotline evict n 4294967296@1
says 'for nobody to have it' 'nobody has the number'

# --- Who cannot be --------------------------------------------------------

ready d -c 16 --group g:shared:durable
hold take d g 2
one=$pid
hold take d g 2
expect 'a name that two have is refused' 1 hotline evict d hold
says 'with their number' '2 participants'
kill_off "$one"
until_true json_is .dead 1 stat d
expect 'the one that lives is meant' 0 hotline evict d hold
kill_off "$pid"
until_true json_is .dead 2 stat d
expect 'the dead are not evicted' 1 hotline evict d hold
says 'with what becomes of them' 'joins or waits next recovers'
is 'and nothing was changed' 2 "$(hotline stat --json d | jq .dead)"
expect 'nobody of that name' 1 hotline evict d nobody
says 'is said' 'nobody has the name nobody'
expect 'nobody of that number' 1 hotline evict d 999
says 'is said too' 'nobody has the number 999'
expect 'a ring that is not there' 3 hotline evict nosuch 1
expect 'a participant has to be named' 2 hotline evict d
expect 'one only' 2 hotline evict d 1 2
run hotline evict --json d nobody
is 'errors are JSON too' 1 "$(jq .exit <<< "$out")"

tap_done
