#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# size.sh - one idea a file
#
# Above 600 lines a source fails; above 350, which is what a file should have at
# most, it is mentioned.

. "$(dirname "$0")/../support/tap.sh"

cd "$top_srcdir" || exit 1

lengths=$(tap_files '*.[ch]' '*.sh' | grep -v '^config\.h' |
	xargs awk 'FNR == 1 && name { print n, name }
		{ n = FNR; name = FILENAME }
		END { print n, name }')
awk '$1 > 350 && $1 <= 600 { print $2 " has " $1 " lines" }' \
	<<< "$lengths" | tap_diag
tap_none 'no source has more than 600 lines' \
	"$(awk '$1 > 600 { print $2 " has " $1 " lines" }' <<< "$lengths")"

tap_done
