#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# paths.sh - nothing in the project depends on the machine it was written on

. "$(dirname "$0")/../support/tap.sh"

cd "$top_srcdir" || exit 1

# In pieces, so that this file is not found by itself.
homes='/(home|Users)/[A-Za-z0-9_.-]'
others='(^|[^A-Za-z0-9_.-])/(root|work|mnt|media|srv)/[A-Za-z0-9_.-]'
tap_none 'no absolute path of a machine' "$(
	tap_files '*' | grep -vE '(^|/)(configure|Makefile\.in|aclocal\.m4)$|^m4/l' |
		grep -vxF tests/checks/paths.sh |
		xargs -d '\n' grep -nIE "$homes|$others" /dev/null)"

tap_none 'each source says its licence' "$(
	tap_files '*.[ch]' '*.sh' '*.mk' '*.am' '*.ac' '*.awk' '*.bash' 'm4/hl_*' \
		'*.[1357]' '*.in' quickstart .ci/run .editorconfig .clang-format |
		grep -vE '^(config\.h|Makefile\.in)' |
		xargs -d '\n' grep -L 'SPDX-License-Identifier: MIT')"

tap_done
