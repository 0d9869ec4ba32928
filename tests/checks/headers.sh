#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# headers.sh - a public header can be included by anybody, in any way
#
# Alone, twice, in C11 and each C++ since 11, inside and outside the user's own
# extern "C", before and after <atomic>, without a warning; and a struct has
# one size in both languages.

. "$(dirname "$0")/../support/tap.sh"

tap_tmp
flags=(-pedantic -Wall -Wextra -Wshadow -Werror
	"-I$top_srcdir/include" "-I$top_builddir/include")

headers=$(cd "$top_srcdir/include" && printf '%s\n' hotline/*.h)
[ -f "$top_srcdir/include/hotline/version.h" ] || headers+=$'\nhotline/version.h'

# compile LANGUAGE COMPILER STANDARD FILE - may be more than one word: "ccache cc"
compile() {
	# shellcheck disable=SC2086
	$2 -x "$1" -std="$3" "${flags[@]}" -fsyntax-only "$4"
}

have() { command -v "${1%% *}" >/dev/null 2>&1; }

# The last standard that this compiler knows, by the name it has for it.
latest_cxx() {
	local std
	for std in c++23 c++2b c++20; do
		if compile c++ "$1" "$std" /dev/null 2>/dev/null; then
			echo "$std"
			return
		fi
	done
}

for header in $headers; do
	base=$tmp/$(basename "$header" .h)
	printf '#include <%s>\n#include <%s>\nint hl_test_unit;\n' \
		"$header" "$header" > "$base.plain"
	printf 'extern "C" {\n#include <%s>\n}\nint hl_test_unit;\n' \
		"$header" > "$base.wrapped"
	printf '#include <atomic>\n#include <%s>\nint hl_test_unit;\n' \
		"$header" > "$base.after"
	printf '#include <%s>\n#include <atomic>\nint hl_test_unit;\n' \
		"$header" > "$base.before"
done

# all_headers LANGUAGE COMPILER STANDARD VARIANT
all_headers() {
	local header failed=0
	for header in $headers; do
		compile "$1" "$2" "$3" "$tmp/$(basename "$header" .h).$4" ||
			failed=1
	done
	return "$failed"
}

for cc in gcc clang; do
	if ! have "$cc"; then
		tap_skip "each header compiles with $cc" "$cc is not installed"
		continue
	fi
	tap_check "each header compiles alone and twice with $cc -std=c11" \
		all_headers c "$cc" c11 plain
done

cxx_seen=no
for cxx in g++ clang++; do
	if ! have "$cxx"; then
		tap_skip "each header compiles with $cxx" "$cxx is not installed"
		continue
	fi
	cxx_seen=$cxx
	for std in c++11 c++14 c++17 c++20 "$(latest_cxx "$cxx")"; do
		tap_check "each header compiles alone and twice with $cxx -std=$std" \
			all_headers c++ "$cxx" "$std" plain
	done
	for std in c++11 c++20; do
		tap_check "also inside extern \"C\" with $cxx -std=$std" \
			all_headers c++ "$cxx" "$std" wrapped
	done
	tap_check "also after <atomic> with $cxx -std=c++11" \
		all_headers c++ "$cxx" c++11 after
	tap_check "also before <atomic> with $cxx -std=c++11" \
		all_headers c++ "$cxx" c++11 before
done

# Sizes and alignments of each struct that a header defines, as constants in
# the assembler's output, so that nothing has to run.
same_layout='a struct has the same size and alignment in C and C++'
if [ "$cxx_seen" = no ]; then
	tap_skip "$same_layout" 'no C++ compiler is installed'
else
	structs=$(cd "$top_srcdir" && cat include/hotline/*.h |
		sed -nE 's/^struct ([a-z_0-9]+)( [A-Z_]+)? \{.*/\1/p')
	{
		for header in $headers; do
			echo "#include <$header>"
		done
		printf '#ifdef __cplusplus\n#define A alignof\n#else\n'
		printf '#define A _Alignof\n#endif\n'
		for struct in $structs; do
			printf 'char %s_size[sizeof(struct %s)];\n' "$struct" "$struct"
			printf 'char %s_align[A(struct %s)];\n' "$struct" "$struct"
		done
	} > "$tmp/layout"
	layout() {
		$2 -x "$1" -std="$3" "${flags[@]:3}" -O0 -fno-common -c \
			-o "$tmp/$1.o" "$tmp/layout" &&
			nm -S --defined-only "$tmp/$1.o" | awk '{ print $4, $2 }' |
			sort > "$tmp/$1.sizes"
	}
	compare() {
		[ -n "$structs" ] && layout c "$CC" c11 &&
			layout c++ "$cxx_seen" c++11 &&
			diff "$tmp/c.sizes" "$tmp/c++.sizes"
	}
	tap_check "$same_layout" compare
fi

tap_done
