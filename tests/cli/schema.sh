#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# schema.sh - messages by the schema of their ring: decode, filter, choose

. "$(dirname "$0")/lib.sh"
tap_need jq

# tail_all OPTION... - what the ring holds
tail_all() { hotline tail --from oldest --timeout 0 "$@"; }

cat > "$tmp/order" <<'END'
# places may be left out
message order
hot u32 magic
hot u32 type  buy=1 sell=2
hot u64 timestamp "ns since 1970"
hot i64 amount "cents"
hot u64 sequence
warm text[12] account
warm i16[4] levels
@56 warm f32 rate "percent"
warm u32 payload_offset
cold bytes[64] digest
cold u64 big
payload text memo
payload u32[] volumes "shares"
END
cat > "$tmp/in" <<'END'
{"type":"sell","timestamp":"1700000000000000001","amount":-250,"account":"A\"B","levels":[1,-2],"rate":0.5,"digest":{"hex":"abcd"},"payload":{"memo":"a, \"b\"","volumes":[100,200]}}
{"type":1,"timestamp":"1700000000000000002","amount":100001,"account":"XYZ","big":"18446744073709551615","payload":["only a memo"]}
{"type":9,"timestamp":"1700000000000000003","amount":"-9223372036854775808"}
END

# --- Create and stat ------------------------------------------------------

expect 'create takes a schema' 0 hotline create --schema "$tmp/order" \
	--arena 64K --group g:exclusive:durable o
is 'slots have the size of its message' 192 \
	"$(hotline stat -j o | jq .geometry.slot_bytes)"
is 'stat has it' '["order",192,"i64","cents",16]' "$(hotline stat -j o |
	jq -c '.schema | [.name, .message_bytes, (.fields[] |
		select(.name == "amount") | .type, .unit, .offset)]')"
is 'with the names of values' '{"buy":1,"sell":2}' \
	"$(hotline stat -j o | jq -c '.schema.fields[1].names')"
tap_check 'and shows it to people' grep -qE '^amount +16 +8 +i64 +hot +cents' \
	<(hotline stat o)
hotline create plain
tap_check 'a ring without one shows none' \
	test "$(hotline stat -j plain | jq .schema)" = null

hotline create --like o like-o
is 'a ring like it has the schema' "$(hotline stat -j o | jq -c .schema)" \
	"$(hotline stat -j like-o | jq -c .schema)"
printf 'message wide\n@24 hot u64 sequence\n@60 warm u32 payload_offset\n@64 cold bytes[64] more\n' \
	> "$tmp/wide"
expect 'another schema may be asked for' 0 \
	hotline create --like o --schema "$tmp/wide" wide
is 'which the slots follow' 'wide 128' "$(hotline stat -j wide |
	jq -r '"\(.schema.name) \(.geometry.slot_bytes)"')"

printf 'message m\nhot u32 a\nhot u64 b\n' > "$tmp/bad"
expect 'a schema that breaks a rule is refused' 2 \
	hotline create --schema "$tmp/bad" bad
says 'with the field and the rule' 'field b is not aligned'
printf 'message m\nhot u33 a\n' > "$tmp/bad"
expect 'one that cannot be read too' 2 hotline create --schema "$tmp/bad" bad
says 'with the line' 'line 2 of the schema: "u33" is no type'
expect 'a file that is not there too' 2 hotline create --schema "$tmp/none" bad
says 'with the reason' 'No such file'
expect 'a slot too small for the message too' 2 \
	hotline create --schema "$tmp/order" --slot-size 64 bad
says 'with both sizes' '64 bytes is too small for a order of 192'

# --- Send and decode ------------------------------------------------------

expect 'send reads fields by name' 0 hotline send o < "$tmp/in"
is 'tail shows them with names and units' \
	'1  type sell  timestamp 2023-11-14T22:13:20.000000001Z  amount -250 cents  account "A\"B"  levels [1, -2, 0, 0]  rate 0.5 percent  digest 0xabcd00... (64 bytes)  big 0  memo "a, \"b\""  volumes [100, 200] shares' \
	"$(tail_all o | head -1)"
is 'as JSON' \
	'["sell","1700000000000000001",-250,"A\"B",[1,-2,0,0],0.5,{"memo":"a, \"b\"","volumes":[100,200]}]' \
	"$(tail_all -j o | head -1 | jq -c '[.type, .timestamp, .amount,
		.account, .levels, .rate, .payload]')"
is 'a value without a name is a number' 9 \
	"$(tail_all -j o | sed -n 3p | jq .type)"
is 'numbers above 2^53 are strings' \
	'"18446744073709551615" "-9223372036854775808"' \
	"$(tail_all -j o | jq -c 'if .position == 2 then .big elif
		.position == 3 then .amount else empty end' | xargs -d '\n')"
is 'as CSV, names first' "$(printf '%s\n' \
	'position,type,amount,account,memo,volumes' \
	'1,sell,-250,"A""B","a, ""b""",100 200' \
	'2,buy,100001,"XYZ","only a memo",' \
	'3,9,-9223372036854775808,"",,')" \
	"$(tail_all --csv --fields type,amount,account,memo,volumes o)"
is 'in hex, with a ruler of fields' "$(printf '%s\n' \
	'1' \
	'     0  48 4c 4d 47 02 00 00 00 01 00 2a 36 fe 9c 97 17' \
	'        |magic      |type       |timestamp' \
	'    16  06 ff ff ff ff ff ff ff 01 00 00 00 00 00 00 00' \
	'        |amount                 |sequence')" \
	"$(tail_all --hex -n 1 o | head -5)"
is 'with what is reserved' '        |...        |.          |rate       |payload_off' \
	"$(tail_all --hex -n 1 o | sed -n 9p)"
is 'and the payload' '     0  memo: 612c20226222' \
	"$(tail_all --hex -n 1 o | grep memo)"
is 'raw is as it was' 192 "$(tail_all --raw -n 1 o | wc -c)"

# what_is EXPR - the positions for which it holds
what_is() { tail_all -j --where "$1" o | jq .position | xargs; }

is 'where: a name' 1 "$(what_is 'type == sell')"
is 'a name in quotes' 1 "$(what_is "type == 'sell'")"
is 'a number' 3 "$(what_is 'type == 9')"
is 'and' 2 "$(what_is 'type == 1 && amount > 100000')"
is 'or' '1 3' "$(what_is 'type == sell || amount < -1000')"
is 'not, with brackets' 3 "$(what_is '!(type == buy || type == sell)')"
is 'and binds closer than or' '1 2' \
	"$(what_is 'type == sell || type == buy && amount == 100001')"
is 'text' 2 "$(what_is 'account == "XYZ"')"
is 'text in order' '2' "$(what_is "account > 'B'")"
is 'an element' 1 "$(what_is 'levels[1] <= -2')"
is 'a field of the payload' 1 "$(what_is 'volumes[1] == 0xc8')"
is 'which a message may lack' '1 2' "$(what_is "memo != ''")"
is 'floats' 1 "$(what_is 'rate >= 0.25')"
is 'whole numbers exactly' 2 "$(what_is 'big > 18446744073709551614')"
is 'below zero too' 3 "$(what_is 'amount == -9223372036854775808')"
is 'two fields' 1 "$(what_is 'levels[0] > big')"

while read -r column expression; do
	expect "where refuses $expression" 2 tail_all --where "$expression" o
	says 'and names the column' "column $column: "
done <<'END'
9 type == sel
9 amount >
8 amount = 3
13 (amount == 3
9 account == 3
1 levels == 3
8 levels[4] == 3
1 foo == 1
11 amount == 12x
15 amount == 3 &&
13 amount == 3 amount
12 account == 'x
1 digest == 1
1 &&
5 type
END
expect 'nothing is no expression' 2 tail_all --where '' o
expect 'brackets without end are no trouble' 2 \
	tail_all --where "$(printf '(%.0s' {1..4000})" o
expect 'a long expression is no trouble' 2 \
	tail_all --where "$(printf 'x%.0s' {1..5000})" o
expect 'fields that there are not are refused' 2 tail_all --fields amount,x o
says 'by name' "order has no field 'x'"
expect 'two forms at a time are refused' 2 tail_all --csv --json o
for option in '--where=type==1' --fields=type --csv; do
	expect "$option needs a schema" 2 tail_all "$option" plain
	says 'and says so' 'plain carries no schema'
done

# --- Receive, and lines that are wrong ------------------------------------

tail_all -j o > "$tmp/out"
run hotline recv -j -g g --where 'type == buy' -n 1 -t 5s o
is 'recv filters too' 2 "$(jq .position <<< "$out")"
is 'and finishes what it does not show' 1 \
	"$(hotline stat -j o | jq '.groups[0].depth')"
run hotline recv --csv -g g --fields big -t 0 o
is 'in all forms' $'position,big\n3,0' "$out"
hotline create --schema "$tmp/order" --arena 64K copy
expect 'what was decoded can be sent' 0 hotline send copy < "$tmp/out"
is 'and is the same' "$(cat "$tmp/out")" "$(tail_all -j copy)"

while IFS='|' read -r line why; do
	expect "send refuses $line" 1 hotline send copy <<< "$line"
	says 'and says why' "line 1: $why"
done <<'END'
{"typ":1}|'typ' is no field of order
{"type":"lend"}|type: not a whole number, and not one of its names
{"type":4294967296}|type: too large for its type, u32
{"type":-1}|type: too large for its type, u32
{"levels":[32768]}|levels: too large for its type, i16
{"levels":[1,2,3,4,5]}|levels: 10 bytes, more than 8
{"levels":1}|levels: not an array
{"account":"thirteen byte"}|account: 13 bytes, more than 12
{"rate":"x"}|rate: not a number
{"payload":{"note":"x"}}|payload: 'note' is no field of it
{"payload":{"volumes":["x"]}}|volumes: not a whole number
{"payload":["a",[1],"b"]}|payload: more than 2 fields
[]|not a JSON object
nonsense|not JSON
END


# --- Who may join ---------------------------------------------------------

expect 'the same schema may join' 0 \
	hotline send --schema "$tmp/order" copy <<< '{}'
sed 's/i64 amount "cents"/i64 amount "mills"/' "$tmp/order" > "$tmp/other"
expect 'another one may not' 6 hotline send --schema "$tmp/other" copy <<< '{}'
says 'and is told both versions' \
	'copy: byte 16: ours is i64 amount "mills", theirs is i64 amount "cents"'
expect 'neither as a consumer' 6 \
	hotline recv --schema "$tmp/other" -g x -t 0 copy
is 'which makes no group' 0 "$(hotline stat -j copy | jq '.groups | length')"
sed -e 's/buy=1 sell=2/buy=1 sell=2 cancel=3/' \
	-e 's/^@56 warm f32/warm u32 venue\n&/' "$tmp/order" > "$tmp/newer"
expect 'a newer one may, by the rules for change' 0 \
	hotline send --schema "$tmp/newer" copy <<< '{}'
expect 'none may join a ring without' 6 \
	hotline send --schema "$tmp/order" plain <<< '{}'
says 'and is told so' 'plain: it carries no schema, ours is order'

tap_done
