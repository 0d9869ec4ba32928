#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# run.sh - verify one model: run.sh MODEL "-D flags" [BITS]
#
# Prints one line: model | flags | states | seconds | holds, fails: what, or
# partial. BITS asks for a search by hash bits (2^BITS of them) where the whole
# does not fit; it is partial by nature. KEEP=1 keeps the folder, in which
# spin -t -p -g FLAGS MODEL replays an error. TLIM is the limit in seconds.
# OPT is how the verifier is compiled: -O0 is soon done, -O2 soon runs.

set -u

model=$1
flags=$2
bits=${3-}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/hotline-model.XXXXXX") || exit 1
[ -n "${KEEP-}" ] || trap 'rm -rf "$work"' EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

cd "$work" || exit 1
cp "$here/$model" .
store=(-DSAFETY -DCOLLAPSE)
options=(-m2000000)
if [ -n "$bits" ]; then
	store=(-DSAFETY -DBITSTATE)
	options=(-m2000000 "-w$bits" -k3)
fi

# shellcheck disable=SC2086 # flags are words
if ! spin $flags -a "$model" > spin.out 2>&1 ||
	! nice -n 19 "${CC_FOR_BUILD:-cc}" "${OPT:--O2}" -w -DMEMLIM=5000 \
		"${store[@]}" -o pan pan.c 2>> spin.out; then
	cat spin.out
	exit 1
fi
SECONDS=0
nice -n 19 timeout "${TLIM:-900}" ./pan "${options[@]}" > pan.out 2>&1
took=$SECONDS

states=$(awk '/states, stored/ { print $1; exit }' pan.out)
errors=$(sed -n 's/.*errors: \([0-9]*\).*/\1/p' pan.out)
what=$(sed -n 's/^pan:[0-9]*: \(.*\) (at depth.*/\1/p' pan.out | head -n 1)
if [ -n "$what" ]; then
	result="fails: $what"
elif [ "${errors:-none}" = none ] || [ -n "$bits" ] || grep -qiE \
	'out of memory|max search depth too small|not completed' pan.out; then
	result=partial
else
	result=holds
fi
printf '%s | %s | %s | %s s | %s\n' \
	"$model" "$flags" "${states:-?}" "$took" "$result"
[ -z "${KEEP-}" ] || printf '# %s\n' "$work"
