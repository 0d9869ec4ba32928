#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# model_steps.sh - the models' README names functions, flags and runs that exist

. "$(dirname "$0")/../support/tap.sh"

cd "$top_srcdir/tests/model" || exit 1
tap_tmp

# shellcheck disable=SC2016 # it is awk's $
awk '
/^[A-Za-z_].*\(/ && !/;[ \t]*$/ {
	fn = $0
	sub(/\(.*/, "", fn)
	sub(/.*[^A-Za-z0-9_]/, "", fn)
	file = FILENAME
	sub(/.*\//, "", file)
	print file ":" fn "()"
}' "$top_srcdir"/lib/*.[ch] | sort -u > "$tmp/functions"
for page in README.md "$top_srcdir/doc/protocol.md"; do
	grep -oE '[a-z_]+\.[ch]:[a-z_]+\(\)' "$page" | sort -u > "$tmp/named"
	tap_none "the functions that ${page##*/} names are in lib/" \
		"$(comm -23 "$tmp/named" "$tmp/functions")"
done

# Mutants of the tables: in their model, and run.
missing=
# shellcheck disable=SC2016 # the page's own marks
while read -r flags models; do
	for flag in ${flags//,/ }; do
		found=
		for model in ${models//,/ }; do
			grep -qw "$flag" "$model.pml" &&
				grep -qE "\| $model\.pml \|.*-D$flag( |\$)" runs && found=yes
		done
		[ -n "$found" ] || missing+="$flag: not run in any of $models"$'\n'
	done
done < <(sed -nE 's/^\| [^|]* \| `([^|]*)` \| ([a-z, ]*) \|.*/\1|\2/p' README.md |
	tr -d '` ' | sed 's/withoutBOUNDED//; s/|/ /')
tap_none 'each mutant of the tables is among the runs' "${missing%$'\n'}"

tap_none 'each run is of a model that is there' "$(
	sed '/^#/d; /^$/d' runs | cut -d '|' -f 3 | tr -d ' ' | sort -u |
		while read -r model; do
			[ -f "$model" ] || echo "$model"
		done
)"
tap_none 'each model is run' "$(
	for model in *.pml; do
		grep -q "^short.*| $model |" runs || echo "$model"
	done
)"
tap_done
