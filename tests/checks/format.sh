#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# format.sh - C sources are as .clang-format has them
#
# Only version 14 decides: others lay some lines out differently.

. "$(dirname "$0")/../support/tap.sh"

cd "$top_srcdir" || exit 1

formatter=
for name in clang-format-14 clang-format; do
	if "$name" --version 2>/dev/null | grep -q 'version 14\.'; then
		formatter=$name
		break
	fi
done
[ -n "$formatter" ] || tap_skip_all 'clang-format 14 is not installed'

bad=
while IFS= read -r file; do
	"$formatter" --dry-run -Werror "$file" >/dev/null 2>&1 ||
		bad+="$file: run $formatter -i on it"$'\n'
done < <(tap_files '*.[ch]' | grep -vxE 'config\.h|include/hotline/version\.h')
tap_none 'C sources are formatted' "${bad%$'\n'}"

bad=$(tap_files '*.[ch]' '*.sh' '*.mk' '*.am' '*.ac' '*.m4' '*.md' quickstart \
	.ci/run | grep -vE '^(m4/l|aclocal)' |
	xargs grep -nE '[[:blank:]]+$' /dev/null | cut -d: -f1,2)
tap_none 'no line ends with blanks' "$bad"

tap_done
