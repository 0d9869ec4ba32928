#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# arm64.sh - built for arm64, the unit tests pass under qemu-user
#
# Needs the cross compiler, qemu-user, and the libraries for arm64:
#
#	dpkg --add-architecture arm64 && apt-get update
#	apt-get install gcc-aarch64-linux-gnu qemu-user check:arm64
#		liburcu-dev:arm64 libxxhash-dev:arm64 libjansson-dev:arm64 libdw-dev:arm64
#
# qemu-user on x86-64 shows wrong code, not wrong ordering: its host orders
# more than arm64 does.

. "$(dirname "$0")/../support/tap.sh"

host=aarch64-linux-gnu
[[ $(uname -m) != aarch64 ]] || tap_skip_all 'this machine is arm64'
[ ! -f "$top_srcdir/config.status" ] ||
	tap_skip_all 'configured in the source tree: a second build cannot be'
tap_need $host-gcc
emulator=$(command -v qemu-aarch64 || command -v qemu-aarch64-static) ||
	tap_skip_all 'qemu-user is not installed'
modules=/usr/lib/$host/pkgconfig
for name in liburcu-bp libxxhash jansson libdw check; do
	[ -f "$modules/$name.pc" ] ||
		tap_skip_all "$name for arm64 is not installed (see the head of this script)"
done
tap_tmp
tap_plain_make

# Static programs need no loader for arm64 where the tests run.
configure() {
	mkdir "$tmp/build" && cd "$tmp/build" &&
		PKG_CONFIG_PATH='' PKG_CONFIG_LIBDIR=$modules \
			"$top_srcdir/configure" -q "--host=$host" "CC=$host-gcc" \
			--disable-shared LDFLAGS=-static
}
tap_check 'the source configures for arm64' configure
tap_check 'it builds for arm64' "$MAKE" -C "$tmp/build"
tap_check 'the unit tests pass under qemu-user' \
	"$MAKE" -C "$tmp/build" check-unit "LOG_COMPILER=$emulator" VERBOSE=1

tap_done
