#!/bin/sh
# SPDX-License-Identifier: MIT
#
# autogen.sh - make configure and Makefile.in from their sources
#
# Needs autoconf, automake, libtool and pkg-config. Whoever builds from a
# release tarball needs none of them, and not this script either.

set -eu

cd "$(dirname "$0")"

for tool in autoreconf automake libtoolize pkg-config; do
	if ! command -v "$tool" >/dev/null 2>&1; then
		echo "autogen.sh: $tool is missing; on Debian:" \
			"apt-get install autoconf automake libtool pkg-config" >&2
		exit 1
	fi
done

autoreconf --force --install --warnings=all,no-obsolete
