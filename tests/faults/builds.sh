#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# builds.sh - rings of other versions, programs of other compilers
#
# Rows 69 to 71 of doc/testing.md.

. "$(dirname "$0")/../cli/lib.sh"

# --- 69: another version --------------------------------------------------------

hotline create old -c 16
printf '\x63' | dd of="$HOTLINE_DIR/hotline.old" bs=1 seek=8 conv=notrunc status=none
for call in stat 'tail -t 0' 'recv -t 0 -g g' 'send -t 0'; do
	# shellcheck disable=SC2086 # words are meant
	run hotline $call old < /dev/null
	tap_check "$call refuses a ring of another version" test "$status" -ne 0
	says 'and prints both versions' 'version 99, this library has 1'
done

# --- 70: a field that changes without a version ------------------------------------

compile_layout() {
	"$CC" -std=gnu11 -fsyntax-only -D_GNU_SOURCE -I"$tmp/changed" \
		-I"$top_builddir" -I"$top_builddir/include" \
		-I"$top_srcdir/include" "$tmp/changed/layout.c" 2> "$tmp/err"
}
mkdir "$tmp/changed"
cp "$top_srcdir"/lib/*.[ch] "$tmp/changed"
tap_check 'the layout compiles as it is' compile_layout
for change in 's/^\s*uint32_t slot_bytes;/uint64_t slot_bytes;/' \
	's/^\s*uint64_t created_ns;.*/&uint64_t another;/' \
	's/^\s*_Atomic uint64_t last_position;/&_Atomic uint64_t another[8];/' \
	's/^\s*_Atomic uint64_t dead_letters;/_Atomic uint32_t dead_letters;/' \
	's/^\(.*_Alignas(128) _Atomic\) uint64_t active;/\1 uint32_t active;/'; do
	sed "$change" "$top_srcdir/lib/layout.h" > "$tmp/changed/layout.h"
	if cmp -s "$top_srcdir/lib/layout.h" "$tmp/changed/layout.h"; then
		tap_not_ok "the change finds its field" "$change"
	elif compile_layout; then
		tap_not_ok 'a field that moves, grows or shrinks needs a new version' "$change"
	else
		tap_check 'a field that moves, grows or shrinks needs a new version' \
			grep -q 'a new format version' "$tmp/err"
	fi
done

# --- 71: programs of other compilers and options -----------------------------------

libs=$top_builddir/lib/.libs
export LD_LIBRARY_PATH=$libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
[ "$SANITIZER" = no ] || libs=
builds=()
build() {
	local out=$tmp/program${#builds[@]}
	"$@" -o "$out" -I"$top_builddir/include" -I"$top_srcdir/include" \
		"$top_srcdir/tests/faults/program.c" -L"$libs" -lhotline || return
	builds+=("$out")
}
if [ -n "$libs" ] && [ -e "$libs/libhotline.so" ]; then
	for how in 'gcc -O0' 'gcc -O3 -flto' 'clang -O2' 'clang -O0 -std=c11' \
		'g++ -x c++ -O2' 'gcc -O2 -fshort-enums' 'gcc -O2 -fpack-struct=1'; do
		if ! command -v "${how%% *}" > /dev/null; then
			tap_skip "$how" "${how%% *} is not installed"
			continue
		fi
		case $how in
		*-fshort-enums | *-fpack-struct*)
			# shellcheck disable=SC2086 # words are meant
			if build $how 2> "$tmp/err"; then
				run "${builds[-1]}" send odd 1
				tap_check "$how: other structs are refused" \
					grep -q 'not initialised' <<< "$out$err"
				unset 'builds[-1]'
			else
				tap_ok "$how: other structs are refused when compiling"
			fi
			;;
		*)
			# shellcheck disable=SC2086 # words are meant
			if build $how 2> "$tmp/err"; then
				tap_ok "$how builds"
			else
				tap_not_ok "$how builds" "$(cat "$tmp/err")"
			fi
			;;
		esac
	done
	hotline create shared -c 64 --arena 128K --group g:shared:durable
	for ((i = 0; i < ${#builds[@]}; i++)); do
		expect "build $i sends" 0 "${builds[i]}" send shared "$i"
	done
	for ((i = 0; i < ${#builds[@]}; i++)); do
		next=$(((i + 1) % ${#builds[@]}))
		is "build $next reads what build $i sent" "$i" \
			"$("${builds[next]}" take shared)"
	done
else
	tap_skip 'programs of other compilers share a ring' 'no shared library to link'
fi

tap_done
