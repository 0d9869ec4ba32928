#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# corpus.sh - write the part of the corpus that was thought of, not found
#
#	tests/fuzz/corpus.sh [FOLDER]
#
# What was found by a fuzz engine lies beside it, under names of hex digits.

set -eu

out=${1:-$(dirname "$0")/corpus}
mkdir -p "$out"/{open,use,payload,json,nacha,itch,schema,where}

# put TARGET/NAME ESCAPED - bytes as printf knows them: \xHH, \0
put() { printf '%b' "$2" > "$out/$1"; }

# --- open: byte 0 even is a valid ring of shape byte 1, then damage ---------
#
# A damage is: part, index, word, how the value is made, its bytes, and a byte
# whose lowest bit says four bytes instead of eight.

header() { printf '%s' "\\x00\\x00$2" > "$out/.tmp"; put "open/$1" "$(cat "$out/.tmp")"; }

for shape in 00 01 02 06 0a 12 16 20 40 42 80 97; do
	put "open/shape-$shape" "\\x00\\x$shape"
done
header head-zero '\x01\x00\x00\x00\x00\x00'
header head-far '\x01\x00\x00\x03\x7f\x00'
header head-at-the-end '\x01\x00\x00\x07\x00\x00'
header head-finished '\x01\x00\x00\x04\x00\x00'
header announced-far '\x01\x00\x01\x05\x00\x00'
header all-groups-active '\x01\x00\x03\x05\x00\x00'
header all-sleep '\x01\x00\x02\x05\x00\x00'
header cursor-far '\x02\x00\x20\x03\x7f\x00'
header cursor-zero '\x02\x00\x20\x00\x00\x00'
header tail-far '\x02\x01\x20\x05\x00\x00'
header kind-unknown '\x02\x00\x01\x00\x09\x01'
header name-without-end '\x02\x00\x08\x05\x00\x00\x02\x00\x0a\x05\x00\x00\x02\x00\x0c\x05\x00\x00\x02\x00\x0e\x05\x00\x00'
header state-unknown '\x02\x03\x00\x00\x07\x01'
header record-live '\x03\x00\x00\x00\x01\x01'
header record-dead-range '\x03\x03\x00\x00\x02\x01\x03\x03\x04\x05\x00\x00'
header record-range-whole '\x03\x00\x00\x00\x01\x01\x03\x00\x02\x00\x01\x00\x03\x00\x04\x00\x05\x00'
header record-of-no-group '\x03\x04\x00\x00\x01\x01\x03\x04\x01\x05\x00\x01'
header stamp-newer '\x05\x00\x00\x03\x40\x00'
header stamps-at-the-end '\x05\x00\x00\x07\x00\x00\x05\x01\x00\x07\x00\x00\x05\x02\x00\x07\x00\x00\x05\x03\x00\x07\x00\x00'
rm -f "$out/.tmp"

put open/raw-empty '\x01\x00'
put open/raw-page-of-zeroes '\x01\x01'
put open/raw-magic-alone '\x01\x00HOTLINE\n'
put open/raw-magic-and-version '\x01\x02HOTLINE\n\x01\x00\x00\x00\x04\x03\x02\x01'
put open/raw-other-byte-order '\x01\x02\nENILTOH\x00\x00\x00\x01\x01\x02\x03\x04'
put open/raw-text '\x01\x00#!/bin/sh\necho no ring\n'

# --- use: byte 0 is the shape, then steps -----------------------------------
#
# Step 00 joins (80: a producer, 00 exclusive, 01 shared, 02 lossy), 04 leaves,
# 08 sends, 09 claims, 0a settles, 10 takes (50 shared, 90 lossy), 11 is done.

put use/one-message '\x00\x00\x80\x00\x00\x08\x00\x02\x10\x03\x02\x12\x11\x00'
put use/payloads '\x42\x00\x80\x00\x01\x08\x03\x10\x11\x12\x02\x08\x01\x3f\x02\x50\x07\x02\x52\x52\x51\x00\x0b\x00\x00'
put use/lossy-overrun '\x02\x00\x80\x00\x02\x08\x01\x05\x02\x08\x01\x05\x02\x08\x01\x05\x02\x08\x01\x05\x02\x08\x01\x05\x02\x90\x07\x02\x92\x92\x91\x00'
put use/claim-and-abandon '\x00\x00\x80\x09\x03\x02\x0a\x01\x00\x09\x01\x02\x0a\x02\x00\x0a\x03\x01'
put use/checksums '\x0a\x00\x80\x00\x00\x08\x02\x08\x09\x02\x10\x01\x02\x12\x32\x11\x00'
put use/damage-between '\x42\x00\x80\x00\x01\x08\x01\x05\x02\x18\x05\x00\x00\x05\x00\x00\x50\x01\x02\x18\x01\x00\x00\x03\x10\x00\x08\x00\x02'
put use/member-leaves-with-a-run '\x42\x00\x80\x00\x01\x08\x00\x02\x08\x00\x02\x50\x01\x02\x04\x01\x00\x01\x50\x01\x02\x51\x00'
put use/field-table-damaged '\x02\x00\x80\x0b\x01\x06\x04\x02\x00\x00\x00'

# --- payload ----------------------------------------------------------------

place='\x01\x02\x00\x00\x01\x00\x00\x00'
put payload/none '\x01\x02\x00\x00\x00\x00\x00\x00'
put payload/before-the-arena '\x01\x02\x08\x00\x01\x00\x00\x00'
put payload/behind-the-arena '\x01\x02\x00\x00\xff\xff\xff\xff'
put payload/one-field "$place"'\x18\x00\x00\x00\x01\x00\x00\x00\x10\x00\x00\x00\x08\x00\x00\x00text'
put payload/field-reaches-out "$place"'\x18\x00\x00\x00\x01\x00\x00\x00\x10\x00\x00\x00\x09\x00\x00\x00'
put payload/field-in-the-table "$place"'\x18\x00\x00\x00\x01\x00\x00\x00\x08\x00\x00\x00\x08\x00\x00\x00'
put payload/field-misaligned "$place"'\x1d\x00\x00\x00\x01\x00\x00\x00\x11\x00\x00\x00\x08\x00\x00\x00'
put payload/offset-wraps "$place"'\x18\x00\x00\x00\x01\x00\x00\x00\xff\xff\xff\xff\x02\x00\x00\x00'
put payload/longer-than-its-block "$place"'\xff\xff\xff\xff\x00\x00\x00\x00'
put payload/shorter-than-its-header "$place"'\x07\x00\x00\x00\x00\x00\x00\x00'
put payload/more-fields-than-room "$place"'\x40\x00\x00\x00\xff\xff\x00\x00'
put payload/last-line '\x00\x00\x00\x00\x02\x00\x00\x00'

# --- json -------------------------------------------------------------------

put json/standard '{"position": 7, "type": 3, "timestamp": 1700000000000000000, "amount": -250, "sender": "ALICE", "recipient": "BOB", "body": "00ff", "payload": ["text", {"hex": "00ff"}]}'
put json/slot "{\"slot\": \"$(printf '0%.0s' {1..128})\"}"
put json/strings '{"type": "4294967295", "timestamp": "18446744073709551615", "amount": "-9223372036854775808"}'
put json/too-large '{"type": 4294967296, "amount": "9223372036854775808"}'
put json/below-zero '{"type": -1}'
put json/odd-hex '{"body": "0ff"}'
put json/no-hex '{"sender": {"hex": "zz"}}'
put json/unknown-member '{"typo": 1}'
put json/twice '{"type": 1, "type": 2}'
put json/slot-and-field "{\"slot\": \"$(printf 'a%.0s' {1..128})\", \"type\": 1}"
put json/nul-in-text '{"sender": "a\\u0000b"}'
put json/deep "$(printf '[%.0s' {1..3000})"
put json/no-object '[1, 2, 3]'
put json/not-utf8 '{"sender": "\xff\xfe"}'
put json/nothing ''

# --- itch -------------------------------------------------------------------

order='A\x00\x01\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x09B\x00\x00\x00\x64STOCK   \x00\x00\x27\x10'
put itch/add "\\x00\\x24$order"
put itch/add-without-length "\\x00\\x00$order"
put itch/add-and-delete "\\x00\\x24$order"'\x00\x13D\x00\x01\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x09'
put itch/breaks-off '\x00\x24A\x00\x01'
put itch/unknown-type '\x00\x05~abcd'
put itch/wrong-length '\x00\x05S\x00\x00\x00\x00'

# --- nacha ------------------------------------------------------------------

pad() { printf '%-94s' "$1"; }
put nacha/header-alone "$(pad '101 091000019 1234567890301010000A094101BANK                   COMPANY')\\n"
put nacha/entry-alone "$(pad '62212345678012345            0000012345ID             NAME                  0123456780000001')\\n"
put nacha/blank-lines '\n\n\r\n'
put nacha/nines "$(printf '9%.0s' {1..94})\\n"
put nacha/no-newline "$(printf '5%.0s' {1..400})"
put nacha/zero-bytes '1\x00\x005\x00\n6\x00\n'
head -c 2400 "$(dirname "$0")/../../examples/payments/sample.ach" \
	> "$out/nacha/sample-begin"

# --- schema -----------------------------------------------------------------

words='@24 hot u64 sequence\n@60 warm u32 payload_offset\n'
put schema/smallest "message m 64\n$words"
put schema/all-types "message m 192\n@0 hot u8 a\n@1 hot i8 b\n@2 hot u16 c\n@4 hot i16 d\n@8 hot u32 e\n@12 hot i32 f\n@16 hot i64 g\n@24 hot u64 sequence\n@32 warm f32 h\n@40 warm f64 i\n@48 warm text[8] j\n@60 warm u32 payload_offset\n@64 cold bytes[64] k\n@128 cold u16[32] l\npayload u64 m\npayload text n\npayload bytes o\npayload i16[] p\n"
put schema/of-people "# text\nmessage   m\n\nhot u32 a \"unit\" x=1 y=-0 # no\r\n\thot u32 b\nhot u64 c\nhot u64 d\nhot u64 sequence\n@60 warm u32 payload_offset"
put schema/names-at-the-limits "message m 64\n@0 hot u64 a min=0 max=18446744073709551615\n@8 hot i64 b min=-9223372036854775808 max=9223372036854775807\n@16 hot i8 c min=-128 max=127\n$words"
put schema/name-too-large "message m 64\n@0 hot i64 a x=9223372036854775808\n$words"
put schema/name-wraps "message m 64\n@0 hot u64 a x=18446744073709551616\n$words"
put schema/overlaps "message m 64\n@0 hot u64 a\n@4 hot u32 b\n$words"
put schema/place-wraps "message m 64\n@4294967296 hot u32 a\n$words"
put schema/count-wraps "message m 64\n@0 hot u32[1073741825] a\n$words"
put schema/unit-without-end "message m 64\n@0 hot u32 a \"x\n$words"
put schema/bracket-alone "message m 64\n@0 hot [ a\n@4 hot ] b\n$words"
put schema/payload-first "message m 64\npayload text a\n$words"
put schema/zero-byte "message m 64\n\0$words"
put schema/nothing ''
put schema/blanks ' \t\r\n \n#\n'
{
	printf 'message m 64\n%b' "$words"
	printf 'payload u64 a%d x=1\n' {1..511}
} > "$out/schema/too-many-fields"
{
	printf 'message m 64\n@0 hot u32 a'
	printf ' n%d=%d' {1..1025}{,}
	printf '\n%b' "$words"
} > "$out/schema/too-many-names"

# --- where ------------------------------------------------------------------

put where/names "kind == a && kind != b-c || !(kind < 'b-c')"
put where/numbers 'amount >= -9223372036854775808 && big <= 18446744073709551615 && amount < 0x7fffffffffffffff'
put where/floats 'rate > 1.5e3 || ratio == -0.0 || ratio != ratio'
put where/texts "who == 'x' || memo > \"x\" || who != memo"
put where/elements 'levels[3] == -1 && volumes[0] == 7 && volumes[4294967295] == 1'
put where/element-too-far 'levels[4] == 1'
put where/element-wraps 'volumes[18446744073709551615] == 1'
put where/bytes 'digest == 1'
put where/deep "$(printf '!(%.0s' {1..100})"
put where/chain "kind==a$(printf '&&kind==a%.0s' {1..400})"
put where/too-long "$(printf 'x%.0s' {1..5000})"
put where/no-text "who == 'x"
put where/no-operator 'kind a'
put where/number-alone '1'
put where/minus-alone '-'
put where/not-utf8 'kind == \xff\xfe'
put where/nothing ''
