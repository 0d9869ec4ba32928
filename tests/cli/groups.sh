#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# groups.sh - a group that nobody reads any more is dropped

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/hold_lib.sh"
tap_need jq

groups() { hotline stat --json "$1" | jq -r '[.groups[].name] | sort | join(" ")'; }

hotline create r -c 4 --group a:shared:durable --group b:exclusive:durable
fill r 4
expect 'an unread durable group holds producers back' 4 \
	hotline send -t 0 r < <(echo '{"type":1}')
hotline recv -g b -t 0 r > /dev/null
run hotline rm --group a --json r
is 'it is dropped' '0 {"group":"a","removed":["r"],"failed":[]}' \
	"$status $(jq -c . <<< "$out")"
is 'it alone, and the ring stays' b "$(groups r)"
expect 'and there is room again' 0 hotline send -t 0 r < <(echo '{"type":1}')

expect 'a group that is not there is an error' 1 hotline rm -g nosuch r
says 'by its name' 'there is no group nosuch'
expect 'a ring that is not there is another' 3 hotline rm -g b nosuch
run hotline rm --json -g b nosuch r
is 'others are tried all the same' '3 r nosuch 3' "$status $(jq -r '"\(.removed[0]) " +
	"\(.failed[0].name) \(.failed[0].exit)"' <<< "$out")"
is 'and dropped' '' "$(groups r)"

hotline create m -c 16 --group g:shared:durable --group h:shared:durable
fill m 4
hold take m g 2
expect 'a group with a member that lives stays' 5 hotline rm -g g m
says 'and who that is is said' "consumer hold (pid $pid, group g)"
is 'with its messages' 1 "$(hotline stat --json m | jq .low)"
expect 'another of the ring does not' 0 hotline rm -g h m
kill_off "$pid"
expect 'one whose members are dead can be dropped' 0 hotline rm -g g m
is 'with what they had in hand' '0 5' \
	"$(hotline stat --json m | jq -r '"\(.participants | length) \(.low)"')"

expect '--force does not go with it' 2 hotline rm --force -g g m
says 'as is said' 'its members are gone'
expect '--any-owner goes with nothing else' 2 hotline rm --any-owner m
expect 'a group needs a name' 2 hotline rm --group
tap_check 'and the ring is still there' test -e "$HOTLINE_DIR/hotline.m"

tap_done
