#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# cross_configure_needs_no_emulator.sh - configure runs nothing it compiled
#
# Configured for another processor, with the cross compiler where there is one
# and else with a compiler whose programs fail to run, configure completes.
# The libraries are stand-ins, Check is left out: that must not stop it either.

. "$(dirname "$0")/../support/tap.sh"

[ ! -f "$top_srcdir/config.status" ] ||
	tap_skip_all 'configured in the source tree: a second build cannot be'
tap_tmp

host=aarch64-linux-gnu
build=$("$top_srcdir/build-aux/config.guess")
if [[ $build == aarch64-* ]]; then
	host=x86_64-linux-gnu
fi
compiler=$host-gcc
if ! command -v "$compiler" >/dev/null 2>&1; then
	tap_diag "$compiler is not installed: $CC stands in for it"
	compiler=$CC
fi

mkdir "$tmp/pc" "$tmp/build"
for name in liburcu-bp liburcu-cds libxxhash jansson libdw; do
	printf 'Name: %s\nDescription: stand-in\nVersion: 99\nLibs:\nCflags:\n' \
		"$name" > "$tmp/pc/$name.pc"
done

configure() {
	cd "$tmp/build" || return
	if ! PKG_CONFIG_PATH='' PKG_CONFIG_LIBDIR="$tmp/pc" \
		"$top_srcdir/configure" --build="$build" --host="$host" \
		CC="$compiler" < /dev/null > out 2>&1; then
		tail -n 5 out
		return 1
	fi
}
tap_check "configure --host=$host completes" configure
tap_check 'it knew that it must not run programs' \
	grep -q 'whether we are cross compiling.* yes' "$tmp/build/out"
tap_check 'without Check it says what is left out' \
	grep -q 'tests in C.*Debian package check' "$tmp/build/out"
tap_none 'no test of the script runs a program without a default for this' "$(
	grep -n 'AC_RUN_IFELSE\|AC_TRY_RUN' "$top_srcdir/configure.ac" \
		"$top_srcdir"/m4/hl_*.m4)"

tap_done
