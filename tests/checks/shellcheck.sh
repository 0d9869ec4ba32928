#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# The check by this name - scripts have none of the usual mistakes, and are run

. "$(dirname "$0")/../support/tap.sh"

tap_need shellcheck
cd "$top_srcdir" || exit 1

# A test that no makefile names is never run.
makefiles=$(tap_files '*.mk')
tap_none 'makefiles name every script of the tests' "$(
	tap_files 'tests/*.sh' | while read -r script; do
		name=${script#tests/}
		# shellcheck disable=SC2086 # words
		grep -qF -e "%D%/${name#*/}" -e "%D%/$name" -e "$script" $makefiles ||
			echo "$script"
	done)"

scripts=$(tap_files '*' | grep -vE '^(configure$|build-aux/|m4/l)' |
	xargs -d '\n' awk 'FNR == 1 { if (/^#!.*[ \/](ba)?sh/ || /shell=bash/) print FILENAME; nextfile }')
# What libtool puts where a program is built in the source tree is not ours.
scripts=$(printf '%s\n' "$scripts" tests/support/tap.sh | sort -u |
	xargs -d '\n' grep -L '^# .* - temporary wrapper script for ')
[ ! -f tools/hotline.bash ] || scripts+=$'\n'tools/hotline.bash

# Functions that tap_check calls look as if nobody did.
for script in $scripts; do
	tap_check "$script is clean" shellcheck -x -s bash -P SCRIPTDIR \
		-e SC1091,SC2154,SC2317 "$script"
done

tap_done
