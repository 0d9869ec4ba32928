#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# tail.sh - look at messages as they pass, from outside

. "$(dirname "$0")/lib.sh"
tap_need jq

hotline create r -c 64 --arena 64K
seq 10 | sed 's/.*/{"type":&,"timestamp":1700000000000000001,"amount":-&,"sender":"A","recipient":"B","payload":["text &",{"hex":"1b00"}]}/' |
	hotline send r

run hotline tail --from oldest --timeout 0 r
is 'tail shows what the ring holds' 0 "$status"
is 'a message a line' 10 "$(wc -l <<< "$out")"
is 'as people read it' \
	'3  2023-11-14T22:13:20.000000001Z  type 3  amount -3  A -> B  "text 3"  0x1b00' \
	"$(sed -n 3p <<< "$out")"
run hotline tail --json --from 4 --count 2 r
is 'from a position, so many' '4 5' "$(jq .position <<< "$out" | xargs)"
run hotline tail --hex --from 4 --count 1 r
tap_check 'in hex' grep -Eq '^4  484c4d4704000000( [0-9a-f]{16}){7}$' <<< "$out"
is 'or as it is' 128 "$(hotline tail --raw -f oldest -n 2 r | wc -c)"
expect 'nothing new in time' 4 hotline tail --timeout 50ms r
is 'nobody took part' 0 "$(hotline stat --json r | jq '.groups | length')"

# --- Following ------------------------------------------------------------

start env --default-signal=INT "$HOTLINE" tail --json r > "$tmp/out"
follower=$pid
exec 9> >(exec "$HOTLINE" send r)
until_true alive_in r 1
slowest=0
for i in 1 2 3; do
	# Not before the follower is there: it shows what comes after.
	[ "$i" -gt 1 ] || sleep 0.3
	begin=$(date +%s%N)
	printf '{"type":%d}\n' "$i" >&9
	until lines "$tmp/out" "$i"; do
		(($(date +%s%N) - begin < 5000000000)) || break
		sleep 0.01
	done
	took=$((($(date +%s%N) - begin) / 1000000))
	[ "$took" -lt "$slowest" ] || slowest=$took
done
exec 9>&-
tap_diag "slowest line after $slowest ms"
# Without a later message to push it: how soon is said above.
tap_check 'a line comes with its message' test "$slowest" -lt 5000
is 'the new ones only' '1 2 3' "$(jq .type "$tmp/out" | xargs)"
kill -INT "$follower"
ends "$follower"
is 'SIGINT ends it' 130 $?

mkfifo "$tmp/fifo"
exec 8<> "$tmp/fifo"
start hotline tail r > "$tmp/fifo" 8<&-
exec 8<&-
ends "$pid"
is 'it ends when its reader has gone, though nothing comes' 0 $?

start hotline tail --json --from newest r > "$tmp/out"
follower=$pid
sleep 0.3
kill -STOP "$follower"
seq 500 | sed 's/.*/{"type":&}/' | hotline send --drop r
kill -CONT "$follower"
until_true grep -q '"type":500' "$tmp/out"
is 'it knows exactly what it missed' 500 \
	"$(jq '1 + (.lost // 0) + (.voids // 0)' "$tmp/out" | jq -s add)"
kill -TERM "$follower"

start hotline tail r
hotline send --finish r < /dev/null
ends "$pid"
is 'it ends when the ring is finished' 0 $?
expect 'a ring that is not there is an error' 3 hotline tail nosuch
is 'and prints nothing' '' "$out"

tap_done
