#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# usage.sh - command lines, good and bad, of the program and each command

. "$(dirname "$0")/lib.sh"

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
expect 'after -- nothing is an option' 1 hotline create -- -x
is 'wrong usage creates nothing' '' "$(ls -A "$HOTLINE_DIR")"

tap_done
