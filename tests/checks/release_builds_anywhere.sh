#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# release_builds_anywhere.sh - a release needs no clone, no autotools, no place
#
# make distcheck, with its read-only source; every file of the project is in the
# tarball; and the tarball builds, passes its tests and installs on a machine
# without autotools, in a folder beside the read-only source, also without
# shared libraries. Takes some minutes.

. "$(dirname "$0")/../support/tap.sh"

tap_tmp
tap_plain_make
unset top_builddir HOTLINE SANITIZER

# In a build of its own: the one that runs us stays as it is.
origin=$top_srcdir
unset top_srcdir

[ ! -f "$origin/config.status" ] ||
	tap_skip_all 'configured in the source tree: a second build cannot be'

configure() { mkdir "$tmp/build" && cd "$tmp/build" && "$origin/configure" -q "CC=$CC"; }
tap_check 'the source configures' configure
cd "$tmp/build" || exit 1

tap_check 'make distcheck passes' "$MAKE" distcheck
tarball=$(echo hotline-*.tar.xz)
if [ ! -f "$tarball" ]; then
	tap_not_ok 'make distcheck leaves a tarball'
	tap_done
fi

top_srcdir=$origin
tar -tf "$tarball" | sed 's|^[^/]*/||' | sort > "$tmp/shipped"
if [ -e "$origin/.git" ]; then
	tap_none 'the tarball has every file of the project' "$(
		tap_files '*' | grep -vxF .gitignore | comm -23 - "$tmp/shipped")"
else
	tap_skip 'the tarball has every file of the project' 'not a clone'
fi
unset top_srcdir

# Autotools that fail stand for none.
mkdir "$tmp/none"
for tool in autoconf autoheader autoreconf automake automake-1.16 aclocal \
	aclocal-1.16 libtoolize autom4te m4; do
	printf '#!/bin/sh\necho "%s was called" >&2\nexit 1\n' "$tool" \
		> "$tmp/none/$tool"
	chmod +x "$tmp/none/$tool"
done
PATH=$tmp/none:$PATH

cd "$tmp" || exit 1
tar -xf "build/$tarball" || exit 1
mv "${tarball%.tar.xz}" "$(basename "$tmp")-source"
source=$tmp/$(basename "$tmp")-source
chmod -R a-w "$source"

in_sibling() {
	mkdir "$tmp/sibling" && cd "$tmp/sibling" &&
		"$source/configure" -q "CC=$CC" && "$MAKE" && "$MAKE" check
}
tap_check 'it builds and passes its tests beside its read-only source, without autotools' \
	in_sibling

without_shared() {
	mkdir "$tmp/static" && cd "$tmp/static" &&
		"$source/configure" -q "CC=$CC" --disable-shared && "$MAKE" &&
		"$MAKE" check TESTS='tests/checks/pkgconfig.sh tests/checks/exports.sh'
}
tap_check 'it builds without shared libraries, and programs link it' without_shared

if command -v clang >/dev/null; then
	with_clang() {
		mkdir "$tmp/clang" && cd "$tmp/clang" &&
			"$source/configure" -q CC=clang --enable-werror && "$MAKE" check
	}
	tap_check 'it builds with clang without a warning, and passes its tests' with_clang
else
	tap_skip 'it builds with clang' 'clang is not installed'
fi

tap_done
