#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# messages.sh - send and receive: what goes in comes out, once

. "$(dirname "$0")/lib.sh"
tap_need jq

field() { hotline stat --json "$1" | jq -r "$2"; }
# shellcheck disable=SC2317 # called by until_true
field_is() { [ "$(field "$1" "$2")" = "$3" ]; }
# What of a message is its own, not how it came.
own='del(.position) | if .slot then .slot |= .[0:48] + .[64:112] else . end'

# --- JSON -----------------------------------------------------------------

hotline create --arena 64K --slot-size 128 --group all:exclusive:durable a
cat > "$tmp/in" <<'END'
{"type":1,"timestamp":1700000000000000000,"amount":250,"sender":"ALICE","recipient":"BOB","payload":["one","",{"hex":"00ff"}]}
{"type":4294967295,"timestamp":"18446744073709551615","amount":"-9223372036854775808"}

{"amount":-9007199254740993,"sender":{"hex":"1b5b324a"},"recipient":"twelve bytes","body":"00ff"}
{"slot":"0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f40"}
{}
END
expect 'send takes JSON lines' 0 hotline send --verbose a < "$tmp/in"
says 'and counts them' '5 sent, 0 dropped, 0 bad'
expect 'recv prints them' 0 \
	hotline recv --json --group all -n 5 --timeout 5s a
printf '%s\n' "$out" > "$tmp/out"
is 'a JSON value a line' 5 "$(jq -c . "$tmp/out" | wc -l)"
is 'in order' '1 2 3 4 5' "$(jq -r .position "$tmp/out" | xargs)"
is 'with every field' \
	'[1,"1700000000000000000",250,"ALICE","BOB",["one","",{"hex":"00ff"}]]' \
	"$(jq -c '[.type, .timestamp, .amount, .sender, .recipient, .payload]' \
		<(head -1 "$tmp/out"))"
is 'numbers above 2^53 are strings' \
	'["18446744073709551615","-9223372036854775808"]' \
	"$(jq -c '[.timestamp, .amount]' <(sed -n 2p "$tmp/out"))"
is 'bytes that are no text are hex' '{"hex":"1b5b324a"}' \
	"$(jq -c .sender <(sed -n 3p "$tmp/out"))"
is 'a body comes behind the first line' 00ff00 \
	"$(jq -r '.body[0:6]' <(sed -n 3p "$tmp/out"))"
is 'a slot comes whole, but for the words of the ring' \
	0102030405060708090a0b0c0d0e0f101112131415161718 \
	"$(jq -r '.slot[0:48]' <(sed -n 4p "$tmp/out"))"
tap_check 'a timestamp that is left out is now' test \
	"$(jq -r .timestamp <(sed -n 5p "$tmp/out"))" -gt 1700000000000000000
expect 'what was received can be sent' 0 hotline send a < "$tmp/out"
run hotline recv --json --group all -n 5 --timeout 5s a
is 'and is the same' "$(jq -c "$own" "$tmp/out")" "$(jq -c "$own" <<< "$out")"
is 'the group has had all' 10 "$(field a '.groups[0].messages')"
is 'and nothing is left' 0 "$(field a '.groups[0].depth')"

# --- Bad lines ------------------------------------------------------------

printf '%s\n' '{"type":1}' nonsense '{"type":"x"}' '[]' '{"typ":1}' \
	'{"sender":"thirteen byte"}' '{"payload":[1]}' '{"type":1,"type":2}' \
	'{"type":2}' > "$tmp/bad"
expect 'bad lines make a failure' 1 hotline send --json a < "$tmp/bad"
says 'and are named' 'send: a: line 2: not JSON'
is 'each of them' 7 "$(wc -l <<< "$err")"
is 'the others are sent' '{"sent":2,"dropped":0,"bad":7}' "$(jq -c . <<< "$out")"
expect 'strict ends at the first' 1 hotline send -s -j a < "$tmp/bad"
is 'and sends those before it' 1 "$(jq .sent <<< "$out")"
run hotline send -v a <<< '{"payload":["'"$(head -c 70000 /dev/zero | tr '\0' x)"'"]}'
is 'a payload larger than a block is a bad line' 1 "$status"
says 'and named' 'line 1: larger than'
head -c 3000000 /dev/zero | tr '\0' '[' > "$tmp/long"
printf '\n{}' >> "$tmp/long"
expect 'a line without end is passed over' 1 hotline send -v a < "$tmp/long"
says 'with its number' 'line 1: longer than'
says 'and what follows is sent' '1 sent, 0 dropped, 1 bad'
head -c 200000 /dev/zero | tr '\0' '[' > "$tmp/deep"
expect 'nesting without end is no trouble' 1 hotline send a < "$tmp/deep"
expect 'bytes that are no text are no trouble' 1 \
	hotline send a < <(head -c 5000 /dev/urandom)
expect 'no input is fine' 0 hotline send a < /dev/null
expect 'input that cannot be read is an error' 1 hotline send a < /
run hotline recv --group all --timeout 0 a

# --- Raw ------------------------------------------------------------------

head -c 1280 /dev/urandom > "$tmp/raw"
expect 'send takes raw records' 0 hotline send --raw a < "$tmp/raw"
hotline recv --raw --group all -n 10 --timeout 5s a > "$tmp/raw_out"
# The sequence, the payload offset and nothing else are the ring's.
cut_words() {
	xxd -p -c 128 "$1" | sed -E 's/^(.{48}).{16}(.{56}).{8}/\1\2/'
}
tap_check 'and recv gives them back' \
	diff <(cut_words "$tmp/raw") <(cut_words "$tmp/raw_out")
expect 'part of a record is bad' 1 hotline send --raw a < <(head -c 200 "$tmp/raw")
says 'and says so' 'record 2: 72 bytes at the end'

# --- Groups ---------------------------------------------------------------

run hotline recv --group all --timeout 0 a
start hotline recv --group all a
until_true alive_in a 1
expect 'a second consumer of an exclusive group is refused' 5 \
	hotline recv --group all -t 0 a
expect 'another kind of the group too' 5 hotline recv --group all:shared -t 0 a
kill -TERM "$pid"
ends "$pid"
is 'SIGTERM ends a wait, and is what recv dies of' 143 $?
is 'having left the ring' 0 "$(field a .alive)"

hotline create s --group w:shared:durable
seq 200 | sed 's/.*/{"amount":&}/' > "$tmp/numbers"
start hotline recv -j -g w -n 100 -b 1 -t 10s s > "$tmp/w1"
one=$pid
start hotline recv -j -g w -n 100 -b 1 -t 10s s > "$tmp/w2"
hotline send s < "$tmp/numbers"
ends "$one"; ends "$pid"
is 'members of a shared group get each message once' "$(seq 200 | xargs)" \
	"$(cat "$tmp/w1" "$tmp/w2" | jq .amount | sort -n | xargs)"

hotline create l -c 64
start hotline recv -j -g x:lossy -t 1s l > "$tmp/lossy" 2>/dev/null
until_true alive_in l 1
hotline send l < "$tmp/numbers"
ends "$pid"
is 'a lossy group knows exactly what it missed' 200 \
	"$(jq '1 + (.lost // 0)' "$tmp/lossy" | jq -s add)"

# --- Time, room and ends --------------------------------------------------

expect 'nothing in time' 4 hotline recv -g w -t 100ms s
says 'is said' 'no message came in time'
echo '{}' | hotline send s
expect 'what is there is enough without -n' 0 hotline recv -g w -t 0 s
echo '{}' | hotline send s
expect 'but not with it' 4 hotline recv -g w -n 2 -t 0 s
hotline create f -c 2 -g g:exclusive:durable
expect 'a ring that is full for too long ends send' 4 \
	hotline send -j -t 100ms f < "$tmp/numbers"
says 'at the line' 'send: f: line 3: the ring is full'
is 'with those before it sent' 2 "$(jq .sent <<< "$out")"
expect 'messages can be dropped instead' 0 hotline send -j -d f < "$tmp/numbers"
is 'and are counted' 200 "$(jq .dropped <<< "$out")"
start env --default-signal=INT "$HOTLINE" send f < "$tmp/numbers"
until_true alive_in f 1
kill -INT "$pid"
ends "$pid"
is 'SIGINT ends a send that waits' 130 $?
expect 'a ring can be finished' 0 hotline send --finish l <<< '{}'
expect 'takes nothing more' 1 hotline send l <<< '{}'
says 'and says so' 'finished'
expect 'and recv ends after the last message' 0 hotline recv -g last l

# --- Death ----------------------------------------------------------------

hotline create d --slot-size 1024 -g g:shared:durable
hotline send d < "$tmp/numbers"
mkfifo "$tmp/fifo"
# Nobody reads: recv has a batch in hand, and waits for the pipe.
exec 8<> "$tmp/fifo"
start hotline recv -j -g g -b 128 d > "$tmp/fifo"
until_true field_is d '.participants[0].to' 129
kill -KILL "$pid"
ends "$pid"
exec 8<&-
run hotline recv -j -g g -n 200 -t 5s d
is 'what a dead recv had in hand comes again' "$(seq 200 | xargs)" \
	"$(jq -r .amount <<< "$out" | sort -nu | xargs)"
is 'marked' true "$(head -1 <<< "$out" | jq .redelivered)"
hotline send d < "$tmp/numbers"
hotline recv -j -g g d 2> "$tmp/err" | head -1 > /dev/null
is 'a reader that goes away is no error' 0 "${PIPESTATUS[0]}"
is 'nothing is said' '' "$(cat "$tmp/err")"
hotline recv -j -g g d > /dev/full 2> "$tmp/err"
is 'a full disk is one' 1 $?
tap_check 'and is said' grep -q 'No space left' "$tmp/err"
run hotline recv -j -g g -n 200 -t 1s d
tap_check 'what was not written came back to the group' \
	test "$(wc -l <<< "$out")" -ge 72

tap_done
