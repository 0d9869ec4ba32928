#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# exports.sh - the library exports its interface and nothing else
#
# Three lists have to be the same: what the public headers declare with HL_API,
# what the version map names, and what the shared library exports.

. "$(dirname "$0")/../support/tap.sh"

tap_need nm
tap_tmp
map=$top_srcdir/lib/libhotline.map
shared=$top_builddir/lib/.libs/libhotline.so
static=$top_builddir/lib/.libs/libhotline.a

# The name before the first bracket of each declaration that follows HL_API.
(cd "$top_srcdir" && tap_files 'include/*.h' | xargs cat) | awk '
/^HL_API/ { declared = 1; text = "" }
declared {
	text = text " " $0
	if (/[;{]/) {
		sub(/\(.*/, "", text)
		sub(/[ \t]*$/, "", text)
		sub(/.*[^A-Za-z0-9_]/, "", text)
		print text
		declared = 0
	}
}' | sort > "$tmp/declared"

# The names between "global:" and "local:".
awk '
{ gsub(/\/\*([^*]|\*[^\/])*\*\//, ""); gsub(/[{};]/, " & ") }
{
	for (i = 1; i <= NF; i++) {
		if ($i == "global:")
			on = 1
		else if ($i == "local:" || $i == "}")
			on = 0
		else if (on && $i ~ /^[A-Za-z_*?]/)
			print $i
	}
}' "$map" | sort > "$tmp/map"

tap_none 'the version map has no wildcards' "$(grep -F '*' "$tmp/map")"
tap_none 'each HL_API function is in the version map' \
	"$(comm -23 "$tmp/declared" "$tmp/map")"
tap_none 'each name in the version map is declared HL_API' \
	"$(comm -13 "$tmp/declared" "$tmp/map")"
tap_none 'public names begin with hl_' "$(grep -v '^hl_' "$tmp/map")"

if [ -f "$shared" ]; then
	nm -D --defined-only "$shared" |
		awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' |
		sort > "$tmp/exported"
	tap_none 'the shared library exports each name in the version map' \
		"$(comm -13 "$tmp/exported" "$tmp/map")"
	tap_none 'the shared library exports nothing else' \
		"$(comm -23 "$tmp/exported" "$tmp/map")"
else
	tap_skip 'the shared library exports what the version map names' \
		'no shared library was built'
fi

if [ -f "$static" ]; then
	nm -g --defined-only "$static" 2>/dev/null |
		awk 'NF == 3 { print $3 }' | sort -u > "$tmp/archive"
	tap_none 'the static library defines only hl_ and hli_ names' \
		"$(grep -vE '^hli?_|^__(asan|odr_asan|tsan|ubsan)' "$tmp/archive")"
else
	tap_skip 'the static library defines only hl_ and hli_ names' \
		'no static library was built'
fi

tap_done
