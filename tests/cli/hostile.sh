#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# hostile.sh - files and messages that mean no good

. "$(dirname "$0")/lib.sh"
tap_need jq

# Bytes of a file that a terminal would obey, or that are not UTF-8.
control_bytes() {
	LC_ALL=C grep -an $'[\x01-\x09\x0b-\x1f\x7f]' "$1"
	LC_ALL=C grep -anP '\x00|\xc2[\x80-\x9f]|\xe2\x80[\xa8-\xae]' "$1"
	iconv -f UTF-8 -t UTF-8 < "$1" > /dev/null 2>&1 || echo 'not UTF-8'
}

# overwrite FILE AT - with the bytes of standard input
overwrite() {
	dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}

# --- What messages and names can do to a terminal -------------------------

all=$(printf '%02x' {0..255})
hotline create r -c 256 --arena 64K --slot-size 128 --group g:shared:durable
{
	printf '{"sender":{"hex":"%s"},"payload":[{"hex":"%s"}]}\n' \
		1b5d303b6576696c07 "$all"
	printf '{"sender":"%s","recipient":"%s","payload":["%s"]}\n' \
		'a\u001b[2Jb' '\u009b31m' 'one\ntwo\r\u0007\u202eolleh\u2028'
	printf '{"body":"%s","payload":["%s"]}\n' "${all:0:128}" \
		'é 中 \"quoted\" a\\b'
	for ((i = 0; i < 256; i += 4)); do
		printf '{"sender":{"hex":"%02x%02x%02x%02x"}}\n' \
			$i $((i + 1)) $((i + 2)) $((i + 3))
	done
} | hotline send r
head -c 12800 /dev/urandom | hotline send --raw r
start hotline recv -g g r > "$tmp/recv"
until_true alive_in r 1
at=$(grep -abo 'hotline recv' "$HOTLINE_DIR/hotline.r" | head -1 | cut -d: -f1)
printf '\033[31mred\033\377' | overwrite "$HOTLINE_DIR/hotline.r" "$at"
touch "$HOTLINE_DIR/hotline."$'\e[31mred\n\xff'
for show in 'tail -f oldest -t 0 r' 'tail -f oldest -t 0 --json r' \
	'tail -f oldest -t 0 --hex r' 'stat r' 'stat --json r' \
	'why r' 'why --json r' 'doctor r' ls 'ls --json' \
	'rm r' 'rm --json r'; do
	# shellcheck disable=SC2086 # words are meant
	hotline $show > "$tmp/shown" 2>&1
	tap_none "nothing gets through $show" "$(control_bytes "$tmp/shown")"
done
until_true lines "$tmp/recv" 167
tap_none 'nothing gets through recv' "$(control_bytes "$tmp/recv")"
is 'a message is a line' 167 "$(wc -l < "$tmp/recv")"
tap_check 'text is shown as it is' grep -qF '"é 中 \"quoted\" a\\b"' "$tmp/recv"
tap_check 'breaks of lines as escapes' grep -qF '0x6f6e650a' "$tmp/recv"
kill -TERM "$pid"
ends "$pid"
rm -f "$HOTLINE_DIR"/hotline.*red*

# --- Files that are no rings ----------------------------------------------

: > "$HOTLINE_DIR/hotline.empty"
head -c 5000 /dev/urandom > "$HOTLINE_DIR/hotline.noise"
head -c 4096 "$HOTLINE_DIR/hotline.r" > "$HOTLINE_DIR/hotline.cut"
mkdir "$HOTLINE_DIR/hotline.folder"
mkfifo "$HOTLINE_DIR/hotline.fifo"
ln -s hotline.r "$HOTLINE_DIR/hotline.link"
ln -s nothing "$HOTLINE_DIR/hotline.dangling"
others='cut dangling empty fifo folder link noise'
run timeout 10 "$HOTLINE" ls
is 'ls goes on past files that are no rings' 0 "$status"
is 'and lists the ring' 167 "$(awk '$1 == "r" { print $5 }' <<< "$out")"
run timeout 10 "$HOTLINE" ls --json
is 'in JSON too' 167 "$(jq '.rings[] | select(.name == "r").messages' <<< "$out")"
for name in $others; do
	# shellcheck disable=SC2016 # a variable of jq
	tap_check "a reason is given for $name, if it is listed" \
		jq -e --arg name "$name" '[.rings[] | select(.name == $name)]
			| length == 0 or (.[0].error | length > 0)' <<< "$out"
	for command in stat why doctor tail recv send rm; do
		group=()
		[ "$command" != recv ] || group=(-g g)
		run timeout 10 "$HOTLINE" "$command" "${group[@]}" "$name" < /dev/null
		tap_check "$command refuses $name" \
			test "$status" -gt 0 -a "$status" -lt 7
		is 'in one line' 1 "$(wc -l <<< "$err")"
	done
done
rm -rf "$HOTLINE_DIR"/hotline.{cut,dangling,empty,fifo,folder,link,noise}

# --- Damage ---------------------------------------------------------------

# crashes COMMAND... - run it on the damaged ring and tell if it died
#
# Each ends within milliseconds; the limit is for a machine that is busy.
crashes() {
	timeout 30 "$HOTLINE" "$@" > "$tmp/shown" 2> "$tmp/err" < /dev/null
	local status=$?
	[ $status -le 7 ] ||
		echo "status $status of: $* (round $round, byte=value$flips)"
	! grep -qE 'Sanitizer|runtime error' "$tmp/err" ||
		echo "sanitizer: $* (round $round)"
}

cp "$HOTLINE_DIR/hotline.r" "$tmp/good"
size=$(stat -c %s "$tmp/good")
rounds=20
[ -z "${HOTLINE_LONG-}" ] || rounds=500
RANDOM=${HOTLINE_SEED:-$$}
tap_diag "seed ${HOTLINE_SEED:-$$}"
died=
for ((round = 0; round < rounds; round++)); do
	cp "$tmp/good" "$HOTLINE_DIR/hotline.r"
	flips=
	for ((i = 0; i < 4; i++)); do
		# Three in four in the header and tables, one anywhere.
		at=$(((RANDOM * 32768 + RANDOM) % (RANDOM % 4 ? 16384 : size)))
		value=$((RANDOM % 256))
		flips+=" $at=$value"
		printf '%b' "\\x$(printf %02x $value)" |
			overwrite "$HOTLINE_DIR/hotline.r" $at
	done
	died+=$(crashes ls --json)
	jq . "$tmp/shown" > /dev/null 2>&1 || died+="ls: not JSON (round $round)"
	died+=$(crashes stat --json r)
	jq . "$tmp/shown" > /dev/null 2>&1 || died+="stat: not JSON (round $round)"
	died+=$(crashes stat --blocks r)
	died+=$(crashes why --for 0 --json r)
	jq . "$tmp/shown" > /dev/null 2>&1 || died+="why: not JSON (round $round)"
	died+=$(crashes doctor --json r)
	jq . "$tmp/shown" > /dev/null 2>&1 || died+="doctor: not JSON (round $round)"
	died+=$(crashes doctor --repair --salvage "$tmp/saved" --force r)
	died+=$(crashes tail -f oldest -t 0 r)
	died+=$(crashes recv -g g -t 0 r)
	died+=$(crashes rm r)
done
tap_none "no command dies of a damaged ring in $rounds rounds" "$died"

hotline create --capacity 1024 shrunk
start hotline tail shrunk
sleep 0.2
truncate -s 0 "$HOTLINE_DIR/hotline.shrunk"
ends "$pid"
is 'tail tells of a file that was cut short' 6 $?
expect 'and stat' 6 hotline stat shrunk
expect 'rm leaves it' 6 hotline rm shrunk
expect 'unless forced' 0 hotline rm --force shrunk

tap_done
