#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# instructions.sh - no message costs more instructions than it used to
#
#	make check TESTS=tests/bench/instructions.sh
#	make instructions	count, and put the counts into the table
#
# Counts are of callgrind, and the same in each run. They depend on the compiler
# and its flags: instructions.txt has rows for some, and this is skipped for
# others. More than 2 per cent above the table fails; below it is only said.

. "$(dirname "$0")/../support/tap.sh"

table=$top_srcdir/tests/bench/instructions.txt
program=$top_builddir/tests/bench/instructions

tap_need valgrind callgrind_annotate
[ "$SANITIZER" = no ] || tap_skip_all 'sanitizers add instructions of theirs'
[ -x "$program" ] || tap_skip_all 'the program that is counted was not built'
tap_tmp
key="$("$program" --key | sed 's/ *$//'), $(uname -m)"
update=${HOTLINE_UPDATE_INSTRUCTIONS-}
if [ -z "$update" ] && ! grep -qF "$key: " "$table"; then
	tap_skip_all "no counts are known for $key"
fi

if ! valgrind --tool=callgrind --callgrind-out-file="$tmp/out" \
	"$program" > "$tmp/log" 2>&1; then
	tap_not_ok 'the loops run under callgrind' "$(cat "$tmp/log")"
	tap_done
fi
callgrind_annotate --inclusive=yes --threshold=100 "$tmp/out" > "$tmp/functions"

# A function's inclusive count, per message, with two decimals.
per_message() {
	awk -v name="count_$1" -v messages="$2" '
		$0 ~ "[:/ ]" name "( |$)" {
			gsub(",", "", $1)
			printf "%.2f\n", $1 / messages
			exit
		}' "$tmp/functions"
}

"$program" --list > "$tmp/list"
if [ -n "$update" ]; then
	grep -vF "$key: " "$table" > "$tmp/table"
	while read -r name messages; do
		printf '%s: %-20s %s\n' "$key" "$name" \
			"$(per_message "$name" "$messages")"
	done < "$tmp/list" | tee -a "$tmp/table"
	cat "$tmp/table" > "$table"
	exit 0
fi

while read -r name messages; do
	now=$(per_message "$name" "$messages")
	was=$(awk -v key="$key: " -v name="$name" '
		index($0, key) == 1 {
			split(substr($0, length(key) + 1), word)
			if (word[1] == name)
				print word[2]
		}' "$table")
	says="$name: ${now:-no} instructions per message, ${was:-no} in the table"
	if [ -z "$now" ] || [ -z "$was" ]; then
		tap_not_ok "$name is counted" "$says"
	elif awk "BEGIN { exit !($now > $was * 1.02) }"; then
		tap_not_ok "$name takes no more than it did" "$says"
	else
		tap_ok "$name takes no more than it did"
		if awk "BEGIN { exit !($now < $was * 0.98) }"; then
			tap_diag "$says: better; say so by make instructions"
		fi
	fi
done < "$tmp/list"

tap_done
