#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# usage.sh - command lines, good and bad, of the program and each command

. "$(dirname "$0")/lib.sh"
tap_need jq

commands='create ls stat why doctor tail send recv evict rm'

expect '--version succeeds' 0 hotline --version
is '--version prints one line' 1 "$(hotline --version | wc -l)"
expect '--help succeeds' 0 hotline --help
for command in $commands; do
	tap_check "--help lists $command" grep -q "^  $command " <(hotline --help)
	expect "$command --help succeeds" 0 hotline "$command" --help
	is "$command --help complains of nothing" '' "$err"
	tap_check "help $command is $command --help" \
		diff <(hotline help "$command") <(hotline "$command" --help)
	expect "$command refuses an unknown option" 2 hotline "$command" --bogus
	is "$command then prints nothing" '' "$out"
	says "$command then names the option" '--bogus'
	expect "$command refuses an unknown letter" 2 hotline "$command" -Z
	says "$command then names the letter" '-Z'
done
for command in stat why doctor tail send recv rm create; do
	expect "$command wants a name" 2 hotline "$command"
	says "$command says so" 'name is missing'
done

expect 'no command is wrong usage' 2 hotline
expect 'an unknown command is wrong usage' 2 hotline crate
says 'the nearest command is suggested' "did you mean 'create'"
expect 'a word of other tools is understood' 2 hotline list
says 'and the command of that meaning suggested' "did you mean 'ls'"
expect 'a far word gets no suggestion' 2 hotline xyzzy
tap_check 'none at all' test "${err#*did you mean}" = "$err"
expect 'a very long word is no trouble' 2 hotline "$(printf 'x%.0s' {1..5000})"
expect 'control bytes of a word are escaped' 2 hotline $'\e[31mred'
says 'as hex' '\x1b[31mred'

for value in 3x '' -1 1e3 0x10 99999999999999999999999 ' 4'; do
	expect "--capacity '$value' is refused" 2 \
		hotline create --capacity "$value" r
	says 'and the value shown' "--capacity $value"
done
for value in 0 2.5K 64Q K; do
	expect "--slot-size '$value' is refused" 2 \
		hotline create --slot-size "$value" r
done
for value in x 1.x . 1..2 -1s 1d 99999999999999999999s; do
	expect "--timeout '$value' is refused" 2 \
		hotline tail --timeout "$value" r
done
for value in '' : :shared g:durabl g:shared:lossy g:durable:durable \
	g:shared:durable: 'a name that has more than 31 bytes'; do
	expect "--group '$value' is refused" 2 hotline recv --group "$value" r
done
for value in 0 first 1x -5; do
	expect "--from '$value' is refused" 2 hotline tail --from "$value" r
done
for value in 8 0 1777 rw 00; do
	expect "--mode '$value' is refused" 2 hotline create --mode "$value" r
done
expect 'a value that is missing is wrong usage' 2 hotline create --capacity
says 'and named' '--capacity needs a value'
expect 'recv wants a group' 2 hotline recv r
expect 'two forms at a time are refused' 2 hotline tail --json --hex r
expect 'a second name is refused' 2 hotline stat a b
expect 'options may follow the name' 3 hotline stat nosuch --json
expect 'after -- nothing is an option' 2 hotline create -- -x

# --- Values that cannot be: 2, whoever notices -----------------------------------

# bad COMMAND... - values that some part of the program or the library refuses
bad() {
	expect "$* is wrong usage" 2 hotline "$@" < /dev/null
	tap_check 'and said' test -n "$err"
}
for name in '' 'a b' -x .x "$(printf 'x%.0s' {1..201})"; do
	for command in create stat why doctor tail send rm; do
		bad "$command" -- "$name"
	done
	bad recv -g g -- "$name"
	bad evict -- "$name" 1
done
for values in '-c 1000' '-c 1' '-c 1T' '-s 100' '-s 2K' '-g a:lossy -g a' '-g .a' \
	'-a 1' '-a 64K -b 10' '-b 1K' '-a 64K -b 2G' '--max-producers 5000' \
	'--max-consumers 2000' '--max-groups 63' '--max-groups 1 -g a -g b' \
	'--start-position 0' '--message-magic 4294967296' '--mode 9' '-p many'; do
	# shellcheck disable=SC2086 # words are meant
	bad create $values ring
done
is 'wrong usage creates nothing' '' "$(ls -A "$HOTLINE_DIR")"
hotline create r -g s:shared
bad recv -g 'x y' -t 0 r
bad recv -g n --from 500 -t 0 r
bad recv -g n --batch 0 r
bad recv -g n --where 'x == 1' r
bad tail --fields x r
bad send --schema /nonexistent r
bad doctor -s "$tmp/none" --slot-size 100 r
bad doctor -s "$tmp/none" --capacity 3 r
bad why --for 2h r
bad rm --group
bad bench --cores 0,9999
bad bench --time 10m
bad layout --line 3 x y
is 'a refused group is not created' s "$(hotline stat --json r | jq -r '.groups[].name')"
tap_check 'nor a file' test ! -e "$tmp/none"

# --- What an argument names is not there: 1 ---------------------------------------

expect 'nobody has that number' 1 hotline evict r 999
expect 'no group has that name' 1 hotline rm -g nosuch r
expect 'there is no such folder' 1 hotline create "$tmp/none/r"
expect 'or the file cannot be written' 1 hotline doctor -s "$tmp/none/s" r
expect 'but a ring that is not there is 3' 3 hotline stat "$tmp/none/r"
hotline rm r

tap_done
