#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# nacha_gen.sh - the generator of ACH files keeps its word
#
# That its files are valid is what payments.sh finds out.

. "$(dirname "$0")/../support/tap.sh"

gen=$top_builddir/examples/payments/nacha_gen

tap_tmp

sample() {
	"$gen" | cmp - "$top_srcdir/examples/payments/sample.ach"
}
tap_check 'its defaults give the sample in the repository' sample

same() {
	"$gen" --entries 50 --seed 9 --out "$tmp/a" &&
		"$gen" --entries 50 --seed 9 > "$tmp/b" &&
		"$gen" --entries 50 --seed 10 > "$tmp/c" &&
		cmp "$tmp/a" "$tmp/b" && ! cmp -s "$tmp/a" "$tmp/c"
}
tap_check 'a seed gives the same file each time, and another another' same

form() {
	local entries

	for entries in 0 1 7 123; do
		"$gen" --entries "$entries" --batches 3 | awk '
			length($0) != 94 { print "line " NR ": " $0; bad = 1 }
			END { exit bad || NR % 10 != 0 }' || return
	done
}
tap_check 'lines have 94 columns and fill blocks of ten' form

# count TYPE
count() {
	grep -c "^$1" "$tmp/a"
}

options() {
	"$gen" --entries 40 --batches 4 --addenda all --out "$tmp/a" &&
		[ "$(count 6) $(count 7) $(count 5)" = '40 40 4' ] || return
	"$gen" --entries 40 --batches 1 --addenda none --out "$tmp/a" &&
		[ "$(count 6) $(count 7) $(count 5)" = '40 0 1' ] || return
	"$gen" --entries 40 --addenda some --out "$tmp/a" &&
		[ "$(count 7)" -gt 0 ] && [ "$(count 7)" -lt 40 ]
}
tap_check 'entries, batches and addenda are as asked for' options

refused() {
	local arguments

	for arguments in '--entries x' '--entries -1' '--batches 0' \
		'--addenda few' '--entries 5000000 --batches 9 --addenda all' \
		'--entries 1000000 --batches 1' 'rest'; do
		# shellcheck disable=SC2086 # words are meant
		"$gen" $arguments > /dev/null 2>&1
		[ $? -eq 2 ] && continue
		echo "not refused: $arguments"
		return 1
	done
}
tap_check 'what the columns of a file cannot hold is refused' refused

no_room() {
	! "$gen" > /dev/full 2> "$tmp/said" && grep -q 'cannot write' "$tmp/said"
}
if [ -c /dev/full ]; then
	tap_check 'a full disk is an error' no_room
else
	tap_skip 'a full disk is an error' 'no /dev/full'
fi

tap_done
