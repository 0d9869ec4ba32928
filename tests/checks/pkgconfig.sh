#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# pkgconfig.sh - what is installed can be compiled, linked and run against
#
# Installs into a scratch folder, and builds a program that sends one message
# with what pkg-config says: shared and static, in C and in C++.

. "$(dirname "$0")/../support/tap.sh"

[ "$SANITIZER" = no ] ||
	tap_skip_all "built with -fsanitize=$SANITIZER, which programs would need too"
command -v "${PKG_CONFIG%% *}" >/dev/null || tap_skip_all 'pkg-config is not installed'
tap_tmp
tap_plain_make

install() { "$MAKE" -C "$top_builddir" install "DESTDIR=$tmp/root"; }
tap_check 'make install puts everything below DESTDIR' install

pc=$(find "$tmp/root" -name hotline.pc)
if [ -z "$pc" ]; then
	tap_not_ok 'hotline.pc is installed'
	tap_done
fi
# As if the scratch folder were the root.
mkdir "$tmp/pc" "$tmp/rings"
sed "s|^\([a-z_]*\)=/|\1=$tmp/root/|" "$pc" > "$tmp/pc/hotline.pc"
export PKG_CONFIG_PATH=$tmp/pc${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}
export HOTLINE_DIR=$tmp/rings
libdir=$($PKG_CONFIG --variable=libdir hotline)

for header in "$top_srcdir"/include/hotline/*.h hotline/version.h; do
	[ -f "$($PKG_CONFIG --variable=includedir hotline)/hotline/$(basename "$header")" ] ||
		echo "$(basename "$header") is not installed"
done > "$tmp/missing"
tap_none 'all headers are installed' "$(cat "$tmp/missing")"

tap_none 'a shared link names no library but ours' \
	"$($PKG_CONFIG --libs hotline | tr ' ' '\n' | grep '^-l' | grep -vx -- -lhotline)"

# build LANGUAGE COMPILER STANDARD LINK-FLAGS...
build() {
	local language=$1 compiler=$2 standard=$3
	shift 3
	rm -f "$tmp/program"
	# shellcheck disable=SC2046,SC2086
	$compiler -x "$language" -std="$standard" -pedantic -Wall -Wextra -Werror \
		$($PKG_CONFIG --cflags hotline) \
		"$top_srcdir/tests/checks/one_message.c" -x none \
		-o "$tmp/program" "$@" &&
		"$tmp/program"
}

shared() {
	# shellcheck disable=SC2046
	build "$@" $($PKG_CONFIG --libs hotline) "-Wl,-rpath,$libdir"
}

static() {
	# shellcheck disable=SC2046
	build "$@" -static $($PKG_CONFIG --static --libs hotline)
}

# The library static, the system shared: what a build without shared libraries
# gives to somebody who asks pkg-config for the static list.
archive_only() {
	local hidden=0 file
	mkdir -p "$tmp/hidden"
	for file in "$libdir"/libhotline.so*; do
		mv "$file" "$tmp/hidden/" && hidden=1
	done
	# shellcheck disable=SC2046
	build "$@" $($PKG_CONFIG --static --libs hotline)
	local result=$?
	[ "$hidden" = 0 ] || mv "$tmp"/hidden/* "$libdir/"
	return "$result"
}

can_link() {
	printf 'int main(void) { return 0; }\n' > "$tmp/empty.c"
	$CC -static -o "$tmp/empty" "$tmp/empty.c" 2>/dev/null
}

if [ -e "$libdir/libhotline.so" ]; then
	tap_check 'a C program links the shared library and runs' shared c "$CC" c11
else
	tap_skip 'a C program links the shared library and runs' \
		'no shared library was built'
fi
if [ ! -e "$libdir/libhotline.a" ]; then
	tap_skip 'a C program links statically and runs' 'no static library was built'
else
	tap_check 'a C program links the archive and runs' archive_only c "$CC" c11
	if can_link; then
		tap_check 'a C program links statically and runs' static c "$CC" c11
	else
		tap_skip 'a C program links statically and runs' \
			"$CC cannot link static programs here"
	fi
fi
for cxx in g++ clang++; do
	name="a C++ program links and runs with $cxx"
	if ! command -v "$cxx" >/dev/null; then
		tap_skip "$name" "$cxx is not installed"
	elif [ -e "$libdir/libhotline.so" ]; then
		tap_check "$name" shared c++ "$cxx" c++11
	else
		tap_check "$name" archive_only c++ "$cxx" c++11
	fi
done
tap_none 'no ring is left behind' "$(ls -A "$tmp/rings")"

uninstall() {
	"$MAKE" -C "$top_builddir" uninstall "DESTDIR=$tmp/root" || return
	local left
	left=$(find "$tmp/root" -type f -o -type l)
	echo "$left"
	[ -z "$left" ]
}
tap_check 'make uninstall leaves no file' uninstall

tap_done
