#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# edges.sh - both ends of each ordering edge exist
#
# doc/ordering.md has a table whose rows begin with an edge, E1 and so on. At
# each end of an edge, in lib/, a comment says
#
#	E1: pairs with take.c:run_ready()
#
# ("pairs with" may be left out). The function named there has to exist and to have, within its body, a comment
# about the same edge; and an edge has an end that releases (or fences) and one
# that acquires (or fences).

. "$(dirname "$0")/../support/tap.sh"

doc=doc/ordering.md
cd "$top_srcdir" || exit 1
tap_tmp

# file function line label end targets: a row for each label of each comment
# (targets are "-" for a label in mid-sentence, with no colon after it);
# end is what the code beside and below the comment does.
# shellcheck disable=SC2016 # it is awk's $
tap_files 'lib/*.[ch]' | xargs awk '
function flush_comment(   parts, count, k, rest, targets, label) {
	# Each label has the targets up to the next one.
	rest = comment
	gsub(/(^|[^A-Za-z0-9_])E[0-9]+/, "\001&", rest)
	count = split(rest, parts, "\001")
	for (k = 2; k <= count; k++) {
		rest = parts[k]
		match(rest, /E[0-9]+/)
		label = substr(rest, RSTART, RLENGTH)
		targets = parts[k] ~ /E[0-9]+:/ ? "" : " -"
		while (match(rest, /[a-z_0-9]+\.[ch]:[a-z_0-9]+\(\)/)) {
			targets = targets " " substr(rest, RSTART, RLENGTH)
			rest = substr(rest, RSTART + RLENGTH)
		}
		if (fn == "" && (targets == "" || targets == " -"))
			continue
		n++
		row[n] = FILENAME " " (fn == "" ? "-" : fn) " " start " " label
		to[n] = targets
		left[n] = 8
		end[n] = kind(before)
	}
}
function kind(code) {
	return (code ~ /_rel\(/ ? "R" : "") (code ~ /_acq\(/ ? "A" : "") \
		(code ~ /_ar\(|fence|barrier/ ? "RA" : "")
}
function finish(   i) {
	for (i = 1; i <= n; i++)
		print row[i], end[i] == "" ? "none" : end[i], to[i]
	n = 0
	split("", end)
}
FNR == 1 { finish(); fn = ""; inside = 0 }
/^[A-Za-z_].*\(/ && !/;[ \t]*$/ && !/^(if|for|while|switch|return)/ {
	fn = $0
	sub(/\(.*/, "", fn)
	sub(/.*[^A-Za-z0-9_]/, "", fn)
}
{
	line = $0
	if (!inside && (at = index(line, "/*"))) {
		inside = 1
		comment = ""
		start = FNR
		before = substr(line, 1, at - 1)
	}
	if (inside) {
		comment = comment " " line
		if (index(line, "*/")) {
			inside = 0
			flush_comment()
		}
	}
	code = line
	sub(/\/\*.*/, "", code)
	if (!inside || code != line)
		for (i = 1; i <= n; i++) {
			if (left[i]-- > 0)
				end[i] = end[i] kind(code)
		}
}
/^}/ { fn = "" }
END { finish() }
' > "$tmp/ends" 2>"$tmp/errors"
tap_none 'the comments on edges can be read' "$(cat "$tmp/errors")"

# Functions, as file.c:name.
# shellcheck disable=SC2016 # it is awk's $
tap_files 'lib/*.[ch]' | xargs awk '
/^[A-Za-z_].*\(/ && !/;[ \t]*$/ {
	fn = $0
	sub(/\(.*/, "", fn)
	sub(/.*[^A-Za-z0-9_]/, "", fn)
	file = FILENAME
	sub(/.*\//, "", file)
	print file ":" fn "()"
}' > "$tmp/functions"

if [ ! -s "$tmp/ends" ]; then
	if [ -f "$doc" ] || grep -qE '_(acq|rel)\(' lib/*.c 2>/dev/null; then
		tap_not_ok 'orderings name their edge' \
			'no comment in lib/ says "E<n>: pairs with file.c:function()"'
	else
		tap_skip 'orderings name their edge' 'nothing in lib/ is ordered yet'
	fi
	tap_done
fi

bad=
# shellcheck disable=SC2094 # both only read
while read -r file fn line label _ targets; do
	if [ -z "$targets" ]; then
		bad+="$file:$line: $label: names no file.c:function()"$'\n'
	fi
	for target in ${targets#-}; do
		if ! grep -qxF -- "$target" "$tmp/functions"; then
			bad+="$file:$line: $label names $target, which is not there"$'\n'
		elif ! awk -v label="$label" -v target="$target" '
			{ sub(/.*\//, "", $1) }
			$4 == label && $1 ":" $2 "()" == target { found = 1 }
			END { exit !found }' "$tmp/ends"; then
			bad+="$file:$line: $label in $fn() pairs with $target, which has no comment about it"$'\n'
		fi
	done
done < "$tmp/ends"
tap_none 'each end of an edge names another end, which names the edge too' \
	"${bad%$'\n'}"

tap_none 'each edge has an end that releases and one that acquires' "$(
	awk '
	{ all[$4] = 1; how[$4] = how[$4] $5 }
	END {
		for (label in all) {
			if (how[label] !~ /R/)
				print label ": no release or fence below its comments"
			if (how[label] !~ /A/)
				print label ": no acquire or fence below its comments"
		}
	}' "$tmp/ends")"

awk '{ print $4 }' "$tmp/ends" | sort -u > "$tmp/used"
if [ -f "$doc" ]; then
	grep -oE '^\| *E[0-9]+' "$doc" | grep -oE 'E[0-9]+' | sort -u > "$tmp/told"
	tap_none "each edge of the code stands in $doc" \
		"$(comm -23 "$tmp/used" "$tmp/told")"
	tap_none "each edge in $doc is in the code" \
		"$(comm -13 "$tmp/used" "$tmp/told")"
else
	tap_not_ok "each edge of the code stands in $doc" "$doc does not exist"
fi

tap_done
