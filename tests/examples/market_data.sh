#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# market_data.sh - the market data example counts each message, and quotes right
#
# On a file of a few messages written here, and on the sample file beside the
# project if there is one ($HOTLINE_TEST_DATA).

. "$(dirname "$0")/../support/tap.sh"

export HOTLINE_BUILD=$top_builddir
run=$top_srcdir/examples/market_data/run
data=${HOTLINE_TEST_DATA:-$top_srcdir/../shared/data}
sample=$data/itch/ex20101224.TEST_ITCH_50
shm=${HOTLINE_DIR:-/dev/shm}
ring=test-market-$$

tap_tmp

# market STATUS FILE - run it; what it says goes to $tmp/said
market() {
	local status

	timeout 60 "$run" --ring "$ring" "$2" > "$tmp/said" 2>&1
	status=$?
	[ "$status" -eq "$1" ] && [ ! -e "$shm/hotline.$ring" ] && return
	echo "status $status, expected $1;" \
		"ring: $(ls "$shm/hotline.$ring" 2>&1)"
	cat "$tmp/said"
	return 1
}

# line PATTERN - some line matches it, blanks squeezed
line() {
	tr -s ' ' < "$tmp/said" | grep -qx -- "$1" && return
	printf 'no line "%s" in:\n' "$1"
	cat "$tmp/said"
	return 1
}

# hex TEXT - text as hexadecimal digits
hex() {
	printf '%s' "$1" | od -An -v -tx1 | tr -d ' \n'
}

# raw HEX... - bytes to standard output
raw() {
	local digits i

	digits=$(printf '%s' "$@")
	for ((i = 0; i < ${#digits}; i += 2)); do
		printf '%b' "\\x${digits:i:2}"
	done
}

# message TYPE HEX... - one message, behind two bytes of zero
message() {
	local type=$1

	shift
	raw 0000 "$(hex "$type")" 0002 0000 000000000001 "$@"
}

# add ORDER SIDE SHARES PRICE, each in hexadecimal but the side
add() {
	message A "$(printf %016x $((16#$1)))" "$(hex "$2")" \
		"$(printf %08x $((16#$3)))" "$(hex 'TEST    ')" \
		"$(printf %08x $((16#$4)))"
}

{
	add 1 B 64 186a0     # 100 at 10.0000
	add 2 B c8 186a1     # 200 at 10.0001
	add 3 S 12c 18a88    # 300 at 10.1000
	add 4 S 190 18a89    # 400 at 10.1001
	message X 0000000000000002 00000032                   # 150 are left
	message E 0000000000000003 0000012c 0000000000000009  # all of order 3
	message U 0000000000000004 0000000000000005 00000001 00018a8a
	message D 0000000000000001
	message D 0000000000000063                            # unknown
} > "$tmp/few.itch"

few() {
	market 0 "$tmp/few.itch" && line 'messages 9' &&
		line 'A add order 4' && line 'D order deleted 2' &&
		line 'TEST 10.0001 150 10.1002 1' &&
		line 'orders that rest: 2; changes .*: 1' &&
		line 'glance: .*, in all 9'
}
tap_check 'the best prices follow every change of the book' few

cut_file() {
	head -c 100 "$tmp/few.itch" > "$tmp/cut.itch"
	market 3 "$tmp/cut.itch" && line 'messages 2' &&
		line 'feed: message 3 at byte 76: breaks off'
}
tap_check 'a file that breaks off is reported with the byte' cut_file

strange() {
	{
		cat "$tmp/few.itch"
		raw 0000 7a7a7a
	} > "$tmp/strange.itch"
	market 3 "$tmp/strange.itch" && line 'messages 9' &&
		line 'feed: message 10 at byte 289: unknown type'
}
tap_check 'an unknown message is reported with the byte' strange

no_messages() {
	market 0 /dev/null && line 'messages 0'
}
no_such_file() {
	market 2 "$tmp/none" && line 'feed: .*none: No such file or directory'
}
tap_check 'a file that is not there ends all' no_such_file

tap_check 'a file without messages is none' no_messages

all_of_sample() {
	market 0 "$sample" && line 'messages 12012' &&
		line 'P trade 5000' && line 'A add order 4997' &&
		line 'ALC 27.0600 100 20.5400 100' &&
		line 'BOB 6.9667 100 5.3417 100' &&
		line 'CHAR 25.6500 30 19.5750 5' &&
		line 'orders that rest: 3204; changes .*: 117' &&
		line 'glance: .*, in all 12012'
}
if [ -r "$sample" ]; then
	tap_check 'all 12,012 messages of the sample are counted' all_of_sample
else
	tap_skip 'all 12,012 messages are counted' "no file $sample"
fi

tap_done
