#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# rings.sh - create, list and remove rings

. "$(dirname "$0")/lib.sh"
tap_need jq

mode() { stat -c %a "$HOTLINE_DIR/hotline.$1"; }
field() { hotline stat --json "$1" | jq -r "$2"; }

# --- create ---------------------------------------------------------------

expect 'create makes a ring' 0 hotline create first
is 'and prints nothing' '' "$out$err"
is 'of mode 0600' 600 "$(mode first)"
is 'with 1024 slots' 1024 "$(field first .geometry.capacity)"
is 'of 64 bytes' 64 "$(field first .geometry.slot_bytes)"
expect 'a name that is taken is refused' 5 hotline create first
says 'and named' 'create: first: '
expect 'a capacity that is no power of two is refused' 2 \
	hotline create --capacity 1000 odd
is 'and nothing left behind' first "$(hotline ls --json | jq -r '.rings[].name')"

(umask 077; hotline create --mode 0644 open)
is 'the mode is set whatever the umask' 644 "$(mode open)"

expect 'create takes all its options' 0 hotline create --json \
	--capacity 4K --slot-size 128 --arena 1M --block-size 8K \
	--producers sole --group a --group b:shared --group c:lossy:durable \
	--group d:durable --max-consumers 5 --max-groups 7 \
	--unread refuse --checksum payload --message-magic 77 --prefault \
	--start-position 4294967290 full
geometry=$out
for pair in capacity=4096 slot_bytes=128 producers=sole \
	max_consumers=5 max_groups=7 unread=refuse checksum=payload \
	message_magic=77 start_position=4294967290; do
	is "create --json says ${pair%=*}" "${pair#*=}" \
		"$(jq -r ".${pair%=*}" <<< "$geometry")"
done
is 'blocks are as large as asked' true "$(jq '.block_bytes >= 8192' <<< "$geometry")"
is 'and the arena is, in whole blocks' true \
	"$(jq '.arena_bytes <= 1048576 and .arena_bytes > 1048576 - .block_bytes - 64' \
		<<< "$geometry")"
is 'groups are as asked' \
	'a exclusive false,b shared false,c lossy true,d exclusive true' \
	"$(field full '[.groups[] | "\(.name) \(.kind) \(.durable)"] | join(",")')"

geometry_of() { hotline stat --json "$1" | jq -S '.geometry | del(.start_position)'; }
expect 'create makes one like another' 0 hotline create --like full again
is 'of its geometry' "$(geometry_of full)" "$(geometry_of again)"
is 'without its groups' 0 "$(field again '.groups | length')"
expect 'options go before what it is like' 0 hotline create --like full \
	-c 8 --producers shared --unread keep --checksum none -a 128K other
is 'and the rest is as there' '8 shared 16 keep none 128 77' \
	"$(field other '.geometry | "\(.capacity) \(.producers) \(.max_producers) \(.unread) \(.checksum) \(.slot_bytes) \(.message_magic)"')"
expect 'nothing is like a ring that is not there' 3 \
	hotline create --like nowhere nothing
says 'which is named' nowhere
for ring in again other; do hotline rm "$ring"; done

expect 'a path makes a ring anywhere' 0 hotline create "$tmp/elsewhere"
tap_check 'there' test -f "$tmp/elsewhere"
expect 'and is found by its path' 0 hotline stat "$tmp/elsewhere"

# --- names ----------------------------------------------------------------

long=$(printf 'n%.0s' {1..200})
for name in a A-1 'a.b_c+d@e,f=g' a:b "$long"; do
	expect "'${name:0:20}' is a name" 0 hotline create "$name"
	expect "and is found again" 0 hotline stat "$name"
	expect "and is removed" 0 hotline rm "$name"
done
for name in '' . .. /a 'a b' $'a\nb' é .hidden '*' "${long}n"; do
	expect "'$(printf %q "${name:0:20}")' is not" 2 hotline create "$name"
	says 'and it says so' 'hotline: create: '
	is 'in one line' 1 "$(wc -l <<< "$err")"
done

# --- ls -------------------------------------------------------------------

run hotline ls
is 'ls lists every ring' 'first full open' \
	"$(awk 'NR > 1 { print $1 }' <<< "$out" | head -n -1 | xargs)"
tap_check 'ls says what is free' grep -q 'free of' <<< "$out"
tap_none 'lines of ls end without blanks' "$(grep ' $' <<< "$out")"
is 'ls --json has them too' 'first full open' \
	"$(hotline ls --json | jq -r '[.rings[].name] | join(" ")')"
is 'and the room that they take' true \
	"$(hotline ls --json | jq '.used_bytes == ([.rings[].used_bytes] | add)
		and .free_bytes <= .size_bytes')"

mkdir "$tmp/empty"
HOTLINE_DIR=$tmp/empty run hotline ls
is 'an empty folder is fine' 0 "$status"
HOTLINE_DIR=$tmp/empty run hotline ls --json
is 'and an empty list' '[]' "$(jq -c .rings <<< "$out")"
HOTLINE_DIR=$tmp/nosuch run hotline ls
is 'a missing folder is an error' 1 "$status"

# --- rm -------------------------------------------------------------------

expect 'rm removes a ring' 0 hotline rm open
expect 'which is then gone' 3 hotline stat open
expect 'rm of nothing is an error' 3 hotline rm open
expect 'rm goes on after one that fails' 3 hotline rm nosuch full
expect 'the others are gone' 3 hotline stat full
hotline create second
run hotline rm --json second nosuch
is 'rm --json says what was removed' '["second"]' "$(jq -c .removed <<< "$out")"
is 'and what was not' '[["nosuch",3]]' \
	"$(jq -c '[.failed[] | [.name, .exit]]' <<< "$out")"

start hotline recv --group g first
until_true alive_in first 1
expect 'rm refuses a ring in use' 5 hotline rm first
says 'and says by whom' "pid $pid, group g"
expect 'but can be forced' 0 hotline rm --force first
tap_check 'who has it open goes on' kill -0 "$pid"

tap_done
