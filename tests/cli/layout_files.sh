#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# layout_files.sh - files with several definitions, without any, and damaged ones

. "$(dirname "$0")/layout_lib.sh"

# --- Several definitions ----------------------------------------------------

printf 'struct same { int a; } s1; struct twice { int a; } t1;\n' > one.c
printf 'struct same { int a; } s2; struct twice { char c; int a; } t2;\n' > two.c
printf 'int main(void) { return 0; }\n' > main.c
"$CC" -g -o twice one.c two.c main.c
expect 'definitions that agree are one' 0 layout twice same
expect 'those that differ have to be chosen from' 1 layout twice 'struct twice'
says 'after what differs' 'c where the other has a'
is 'by the source' 8 "$(ask twice twice .size --cu two.c)"
is 'or by their number' 4 "$(ask twice twice .size --cu 1)"
expect 'a source without it is not there' 3 layout twice twice --cu main.c

# --- What cannot be read ----------------------------------------------------

wrong() {
	local name=$1 status=$2 text=$3
	shift 3
	expect "$name" "$status" layout "$@"
	says 'and says so' "$text"
}
compile bare.o all.c -g0
"$CC" -g -o stripped all.c && strip stripped
head -c 3000 all.o > cut.o
: > empty
"$CC" -g -gsplit-dwarf -c -o parted.o all.c && rm -f parted.dwo
wrong 'a file that is not there' 3 'No such file' nosuch.o all
wrong 'a struct that is not there' 3 'no struct, class or union nosuch' all.o nosuch
wrong 'one that is called nearly so' 3 'there is inner' all.o inn
wrong 'a field that is not there' 3 "no field 'y' in struct all" all.o all --hot y
wrong 'an element beyond the end' 3 'has 2 elements' all.o all --hot 'in[2][0]'
wrong 'an array without an index' 3 'say which element' all.o all --hot in.tag
wrong 'what a pointer leads to' 3 'is a pointer' all.o all --hot call.x
wrong 'a file without debug information' 3 'without -g' bare.o all
wrong 'a stripped program' 3 'stripped' stripped all
wrong 'split debug information that is gone' 3 'split DWARF' parted.o all
wrong 'a file that is no object' 6 'not an object' all.c all
wrong 'an empty file' 6 'it is empty' empty all
wrong 'a truncated file' 6 'truncated' cut.o all
wrong 'a folder' 6 'not a regular file' . all
for arguments in 'all.o' '' 'all.o a b' '--stride 0 all.o all' '--line 48 all.o all' \
	'--check all.o all' '--max-lines 1.0001 --hot c all.o all' \
	'--stride 8 all.o all' '--hot c,,p all.o all'; do
	# shellcheck disable=SC2086 # words are meant
	expect "'layout $arguments' is wrong usage" 2 layout $arguments
done
run layout --json all.o nosuch
is 'an error has a document too' 3 "$(jq .exit <<< "$out")"

# Damage: some bytes of the debug information at a time, the same ones each run.
damage() {
	local from size seed bad=0 i
	read -r from size < <(readelf -SW all.o |
		sed -nE 's/.* \.debug_info +PROGBITS +[0-9a-f]+ ([0-9a-f]+) ([0-9a-f]+) .*/\1 \2/p')
	from=$((16#$from)) size=$((16#$size))
	for ((i = 0; i < 60; i++)); do
		seed=$((i * 7919 + 13))
		cp all.o hurt.o
		# shellcheck disable=SC2059 # an escape is meant
		printf "\\x$(printf %02x $((seed % 256)))" |
			dd of=hurt.o bs=1 seek=$((from + seed % size)) conv=notrunc 2>/dev/null
		layout --expand hurt.o all > hurt.out 2>&1
		case $? in 0 | 3 | 6) ;; *) bad=$((bad + 1)) ;; esac
	done
	echo "$bad"
}
if command -v readelf >/dev/null; then
	is 'damaged debug information is an error or a picture' 0 "$(damage)"
else
	tap_skip 'damaged debug information is an error or a picture' \
		'readelf is not installed'
fi

tap_done
