#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# counts.sh FOLDER - what tools count of each rung, per message
#
# FOLDER has the programs. A line for each rung:
#
#	rung instructions first-level-misses last-level-misses
#	lines-of-messages lines-of-cursors own-lines
#
# Instructions and misses are callgrind's, of the consumer alone; it simulates a
# last level of 1 MiB and a ring whose slots are 4 MiB, so that all has left the
# cache before it is read. Lines are counted by lines.sh. The same in each run.

set -euo pipefail
export LC_ALL=C

folder=$1
here=$(dirname "$0")
slots=65536

scratch=$(mktemp -d "${TMPDIR:-/tmp}/hotline-counts.XXXXXX")
trap 'rm -rf "$scratch"' EXIT

top_srcdir=$(cd "$here/../.." && pwd) top_builddir=$(cd "$folder/../.." && pwd) \
	bash "$here/lines.sh" table > "$scratch/lines"

rung=0
while read -r _; do
	messages=$(valgrind --tool=callgrind --cache-sim=yes \
		--I1=32768,8,64 --D1=32768,8,64 --LL=1048576,16,64 \
		--toggle-collect="walk_consume*" --callgrind-out-file=/dev/null \
		--log-file="$scratch/log" \
		"$folder/walk" consume "$rung" "$slots")
	# Collected : Ir Dr Dw I1mr D1mr D1mw ILmr DLmr DLmw
	sed -n 's/.*Collected : //p' "$scratch/log" |
		awk -v rung="$rung" -v messages="$messages" '{
			printf "%d %.2f %.3f %.3f ", rung, $1 / messages,
				$5 / messages, $8 / messages
		}'
	awk -v rung="$rung" '$1 == rung { print $3, $4, $5; found = 1 }
		END { if (!found) print "-1 -1 -1" }' "$scratch/lines"
	rung=$((rung + 1))
done < <("$folder/walk" list)
