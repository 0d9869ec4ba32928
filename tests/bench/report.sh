#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# report.sh FOLDER DOCUMENT TABLE - put the last run into doc/performance.md
#
# "make bench-report" runs it after the benchmark. Of DOCUMENT, what stands
# between a line <!-- NAME: begin --> and <!-- NAME: end --> is replaced: "bench"
# by the tables in FOLDER, "instructions" by the rows of TABLE. Plots are copied
# to the folder performance/ beside the document.

set -euo pipefail

folder=$1 document=$2 table=$3
plots=$(dirname "$document")/performance

# between NAME FILE - replace what is between the marks by the file
between() {
	awk -v name="$1" -v file="$2" '
		$0 == "<!-- " name ": begin -->" {
			print
			while ((getline line < file) > 0)
				print line
			inside = 1
		}
		$0 == "<!-- " name ": end -->" { inside = 0 }
		!inside' "$document" > "$document.new"
	mv "$document.new" "$document"
}

instructions() {
	echo
	echo '| compiler and flags, machine | function | instructions |'
	echo '|---|---|--:|'
	sed -n '/^[^#]/s/^\(.*\): \([a-z0-9_]*\)  *\(.*\)$/| \1 | \2 | \3 |/p' "$table"
	echo
}

scratch=$(mktemp)
trap 'rm -f "$scratch" "$document.new"' EXIT

{
	echo
	cat "$folder/tables.md"
	echo
} > "$scratch"
between bench "$scratch"
instructions > "$scratch"
between instructions "$scratch"

mkdir -p "$plots"
# Those that the document shows.
for plot in "$folder"/*.svg; do
	if grep -qF "performance/$(basename "$plot"))" "$document"; then
		cp "$plot" "$plots/"
	fi
done
