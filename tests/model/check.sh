#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# check.sh - the models hold, and their mutants fail
#
# Runs what tests/model/runs lists: the short ones, with HOTLINE_LONG or the
# argument "long" the long ones too. One line of TAP a run. A word as further
# argument picks the runs whose line has it.

. "$(dirname "$0")/../support/tap.sh"

tap_need spin "${CC_FOR_BUILD:-cc}"

models=$top_srcdir/tests/model
sizes=short
if [ "${1-}" = long ] || [ -n "${HOTLINE_LONG-}" ]; then
	sizes='short|long'
fi
[ "${1-}" != long ] || shift
pick=${1-}

# Long ones are compiled to run fast, short ones to be compiled fast.
verify() {
	local opt=-O0

	[ "$1" = short ] || opt=-O2
	OPT=$opt TLIM=600 bash "$models/run.sh" "$2" "$3"
}

mutants=0
while IFS='|' read -r size expect model flags; do
	name="$model${flags:+ $flags}"
	[[ $size =~ ^($sizes)$ && "$size|$expect|$name" == *"$pick"* ]] || continue
	said=$(verify "$size" "$model" "$flags")
	result=${said##*| }
	case $expect in
	holds) what="$name holds" ;;
	*) what="$name is caught"; mutants=$((mutants + 1)) ;;
	esac
	if [[ $result == "$expect"* ]]; then
		tap_ok "$what"
	else
		tap_not_ok "$what" "$said"
	fi
done < <(sed '/^#/d; /^$/d; s/ *| */|/g' "$models/runs")
tap_diag "$tap_count runs, $mutants of them mutants"
tap_done
