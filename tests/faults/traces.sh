#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# traces.sh - what the library asks of the kernel, as strace sees it
#
# Rows 26, 51, 56 and 68 of doc/testing.md.

. "$(dirname "$0")/../cli/lib.sh"
tap_need strace
[ "$SANITIZER" = no ] || tap_skip_all 'sanitizers and strace do not go together'
strace -o /dev/null true 2> /dev/null || tap_skip_all 'strace may not trace here'

# Not through the script that libtool may have put in the program's place.
program=$("$top_builddir/libtool" --mode=execute echo "$HOTLINE" 2> /dev/null) ||
	program=$HOTLINE
export LD_LIBRARY_PATH=$top_builddir/lib/.libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}

# trace FILE OPTION... -- COMMAND...
trace() {
	strace -f -y -s 4096 -o "$@"
}

# --- 26: futexes ------------------------------------------------------------

hotline create futex -c 16 --group g:shared:durable
# A member that sleeps, and a producer that wakes it; then the other way round.
start trace "$tmp/recv" -e trace=mmap,futex -- "$program" recv -n 200 -g g futex \
	> /dev/null
until_true alive_in futex 1
until_true grep -q FUTEX_WAIT "$tmp/recv"
yes '{"type":1}' | head -200 |
	trace "$tmp/send" -e trace=mmap,futex -- "$program" send futex
ends "$pid"

# private_in FILE - calls with the private flag on a word of a mapped ring
private_in() {
	local line from=() to=() i n=0 at
	while IFS= read -r line; do
		if [[ $line =~ mmap\([^,]*,\ ([0-9]+),.*hotline\.futex.*=\ (0x[0-9a-f]+) ]]; then
			from[n]=$((BASH_REMATCH[2]))
			to[n]=$((from[n] + BASH_REMATCH[1]))
			n=$((n + 1))
		elif [[ $line =~ futex\((0x[0-9a-f]+).*PRIVATE ]]; then
			at=$((BASH_REMATCH[1]))
			for ((i = 0; i < n; i++)); do
				((at < from[i] || at >= to[i])) || echo "$line"
			done
		fi
	done < "$1"
	[ "$n" -gt 0 ] || echo 'no mapping of the ring was seen'
}
for side in recv send; do
	tap_check "$side sleeps or wakes on shared words" \
		grep -qE 'futex\(0x[0-9a-f]+, FUTEX_(WAIT|WAKE),' "$tmp/$side"
	tap_none "and never with the private flag ($side)" \
		"$(private_in "$tmp/$side")"
done

# --- 51: existing names -------------------------------------------------------

hotline create there -c 16
for call in 'stat there' 'tail -t 0 there' 'recv -t 0 -g g there'; do
	# shellcheck disable=SC2086 # words are meant
	trace "$tmp/opens" -e trace=open,openat,creat -- "$program" $call \
		> /dev/null 2>&1
	tap_none "$call opens what exists without O_CREAT" \
		"$(grep 'hotline\.there' "$tmp/opens" | grep O_CREAT)"
done
trace "$tmp/opens" -e trace=open,openat,creat -- "$program" create there \
	> /dev/null 2>&1
tap_none 'nor does create, that finds the name taken' "$(grep 'hotline\.there' "$tmp/opens" | grep O_CREAT)"

# --- 56: paths ----------------------------------------------------------------

# Where the library and those below it may look, and nothing but look.
documented='/proc/self/(fd/|stat|maps)|/proc/sys/kernel/random/boot_id'
documented+='|/proc/[0-9]+/stat|/dev/urandom'
before='/$|/etc/|/lib|/usr/|/proc/(self/)?(filesystems|cgroup|mounts)|/sys/fs/cgroup'
# And where the loader looks for libraries of a program that was not installed.
loader=$(readelf -d "$program" 2> /dev/null |
	sed -nE 's/.*\((RPATH|RUNPATH)\).*\[(.*)\]/\2/p' | tr ':' '\n')
# paths_in FILE - paths outside the folder of the rings, and not documented
paths_in() {
	grep -oE '"[^"]*"' "$1" | tr -d '"' | grep '^/' |
		grep -vE "^($documented|$before)" | grep -vF "$top_builddir" |
		grep -vxF "$(dirname "$top_builddir")" |
		grep -vF "${loader:-$top_builddir}" |
		grep -vE "^$HOTLINE_DIR(/|\$)" | sort -u
}
writes_in() {
	grep -E 'O_(WRONLY|RDWR|CREAT)|unlink|link|rename|mkdir|chmod' "$1" |
		grep -vE "\"($HOTLINE_DIR|/proc/self/fd/|/dev/(null|tty))" |
		grep -E '"/'
}
for options in '' '--arena 64K' '-p sole' '--checksum payload' '--unread refuse'; do
	# shellcheck disable=SC2086 # words are meant
	trace "$tmp/paths" -e trace=%file -- "$program" create $options paths
	echo '{"type":1}' | trace "$tmp/more" -e trace=%file -- "$program" send -t 0 paths 2> /dev/null
	cat "$tmp/more" >> "$tmp/paths"
	for call in 'recv -t 0 -g g paths' 'stat paths' 'rm paths'; do
		# shellcheck disable=SC2086 # words are meant
		trace "$tmp/more" -e trace=%file -- "$program" $call > /dev/null
		cat "$tmp/more" >> "$tmp/paths"
	done
	tap_none "every path is below the folder or documented (${options:-default})" \
		"$(paths_in "$tmp/paths")"
	tap_none 'and nothing else is written' "$(writes_in "$tmp/paths")"
done

# --- 68: memory that cannot be reserved ------------------------------------------

# inject HOW - create a ring while reserving memory fails so
inject() {
	run strace -f -o "$tmp/inject" -e trace=fallocate \
		-e "inject=fallocate:$1" "$program" create -c 16 refused
}
inject error=ENOSPC
is 'no space is a failure' 1 "$status"
tap_check 'with the bytes needed and free' grep -qE '[0-9]+ bytes needed, [0-9]+ free' <<< "$err"
inject error=EOPNOTSUPP
is 'what cannot be reserved is refused' 1 "$status"
tap_check 'with a reason' grep -q 'cannot reserve' <<< "$err"
is 'and nothing is left behind' '' "$(find "$HOTLINE_DIR" -name '*refused*')"
inject error=EINTR:when=1..3
is 'an interrupted reservation is tried again' 0 "$status"
is 'until it is made' 4 "$(grep -c 'fallocate(' "$tmp/inject")"

tap_done
