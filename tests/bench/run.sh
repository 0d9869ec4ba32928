#!/bin/sh
# SPDX-License-Identifier: MIT
#
# run.sh PROGRAM FOLDER quick|full [OPTION]... - what "make bench" runs
#
# The tables go to standard output and FOLDER/tables.md, all samples to
# FOLDER/bench.json, plots to FOLDER/*.svg if $GNUPLOT is set.

set -eu

program=$1 folder=$2 size=$3
shift 3
case $size in
full) ;;
quick) set -- --quick "$@" ;;
*)
	echo "BENCH is quick or full, not $size" >&2
	exit 2
	;;
esac

rm -rf "$folder"
mkdir "$folder"
# Not through a pipe: its status would be lost.
if ! "$program" --out "$folder" "$@" > "$folder/tables.md"; then
	cat "$folder/tables.md"
	exit 1
fi
cat "$folder/tables.md"

if [ -n "${GNUPLOT:-}" ]; then
	(cd "$folder" && for script in *.gp; do
		"$GNUPLOT" "$script" || echo "no plot from $script" >&2
	done)
else
	echo 'gnuplot is not installed: no plots' >&2
fi
