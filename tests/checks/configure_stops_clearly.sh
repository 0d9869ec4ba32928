#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# configure_stops_clearly.sh - what configure cannot do without, it names
#
# A host that is not Linux, atomics that need a helper's lock, a library that is
# not there: each ends configure with a sentence that says what is wrong and,
# for a library, which Debian package has it.

. "$(dirname "$0")/../support/tap.sh"

[ ! -f "$top_srcdir/config.status" ] ||
	tap_skip_all 'configured in the source tree: a second build cannot be'
tap_tmp

# Modules that satisfy configure, so that one at a time can be left out.
module() {
	printf 'Name: %s\nDescription: stand-in\nVersion: 99\nLibs:\nCflags:\n' \
		"$1" > "$tmp/pc/$1.pc"
}
modules() {
	local name
	rm -rf "$tmp/pc"
	mkdir "$tmp/pc"
	for name in liburcu-bp liburcu-cds libxxhash jansson libdw check; do
		module "$name"
	done
}

# stops WORDS ARGUMENT... - configure fails and says WORDS (a pattern)
stops() {
	local words=$1
	shift
	rm -rf "$tmp/build"
	mkdir "$tmp/build"
	if (cd "$tmp/build" && PKG_CONFIG_PATH='' PKG_CONFIG_LIBDIR="$tmp/pc" \
		"$top_srcdir/configure" "$@" > out 2>&1); then
		echo 'configure succeeded'
		return 1
	fi
	if ! grep -q 'error:' "$tmp/build/out" ||
		! grep -E -A3 'error:' "$tmp/build/out" | grep -qE "$words"; then
		echo "expected an error about: $words"
		tail -n 5 "$tmp/build/out"
		return 1
	fi
}

build=$("$top_srcdir/build-aux/config.guess")
modules

tap_check 'a host that is not Linux is refused' \
	stops 'Linux only' "CC=$CC" --build="$build" --host=x86_64-unknown-freebsd13
helper=
for maker in GCC CLANG; do
	for type in LLONG INT; do
		name=__${maker}_ATOMIC_${type}_LOCK_FREE
		[ "$type" = INT ] || helper+=" -U$name -D$name=1"
	done
done
tap_check 'atomics that are not lock-free are refused' \
	stops 'not lock-free' "CC=$CC" "CPPFLAGS=$helper"
while read -r name package; do
	modules
	rm "$tmp/pc/$name.pc"
	tap_check "without $name the package $package is named" \
		stops "Debian package $package" "CC=$CC"
done <<'LIST'
liburcu-bp liburcu-dev
liburcu-cds liburcu-dev
libxxhash libxxhash-dev
jansson libjansson-dev
libdw libdw-dev
LIST
modules
sed -i 's/^Version: .*/Version: 0.12.5/' "$tmp/pc/liburcu-cds.pc"
tap_check 'a liburcu that is too old is refused' \
	stops 'liburcu-cds >= 0\.13' "CC=$CC"
modules
tap_check 'an unknown sanitizer is refused' \
	stops 'enable-sanitizer takes' "CC=$CC" --enable-sanitizer=memory

tap_done
