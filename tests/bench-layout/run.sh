#!/bin/sh
# SPDX-License-Identifier: MIT
#
# run.sh PROGRAMS FOLDER quick|full [OPTION]... - what "make bench-layout" runs
#
# PROGRAMS is the folder of what was built. The tables go to standard output and
# FOLDER/tables.md, all samples to FOLDER/bench.json, counts to FOLDER/counts,
# plots to FOLDER/*.svg if $GNUPLOT is set.

set -eu

programs=$1 folder=$2 size=$3
shift 3
here=$(dirname "$0")
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
if command -v valgrind > /dev/null 2>&1; then
	bash "$here/counts.sh" "$programs" > "$folder/counts"
else
	echo 'valgrind is not installed: no lines, no instructions' >&2
	: > "$folder/counts"
fi
if ! "$programs/bench-layout" --counts "$folder/counts" --out "$folder" "$@" \
	> "$folder/tables.md"; then
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
