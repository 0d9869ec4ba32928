#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# report.sh FOLDER DOCUMENT - put the last run into doc/performance.md
#
# "make bench-layout-report" runs it after the benchmark. Of DOCUMENT, what
# stands between <!-- bench-layout: begin --> and <!-- bench-layout: end --> is
# replaced by the tables in FOLDER, and a link to each plot that there is: they
# are copied to the folder performance/ beside the document.

set -euo pipefail

folder=$1 document=$2
plots=$(dirname "$document")/performance
name=bench-layout

trap 'rm -f "$document.new"' EXIT

body() {
	local plot
	echo
	cat "$folder/tables.md"
	for plot in load load-p99; do
		if [ -f "$folder/$plot.svg" ]; then
			mkdir -p "$plots"
			cp "$folder/$plot.svg" "$plots/layout-$plot.svg"
			printf '\n![Layouts: %s](performance/layout-%s.svg)\n' \
				"$plot" "$plot"
		fi
	done
	echo
}

grep -qxF "<!-- $name: begin -->" "$document" || {
	echo "$document has no marks of $name" >&2
	exit 1
}
{
	sed "/^<!-- $name: begin -->\$/q" "$document"
	body
	sed -n "/^<!-- $name: end -->\$/,\$p" "$document"
} > "$document.new"
mv "$document.new" "$document"
