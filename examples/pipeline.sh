# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# pipeline.sh - start the programs of an example on a ring, and clean up
#
# Sourced by the run scripts. Whatever ends the script - its last line, a
# signal, a program that fails - the programs it started are ended, and the ring
# it created is removed, unless $keep is set.
#
#	HOTLINE_BUILD	where it was built; by default build/ in the sources, or
#			the sources themselves

set -u

pipeline_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
pipeline_build=$pipeline_root/build
[ -x "$pipeline_build/tools/hotline" ] || [ ! -x "$pipeline_root/tools/hotline" ] ||
	pipeline_build=$pipeline_root
pipeline_build=${HOTLINE_BUILD:-$pipeline_build}
pipeline_hotline=$pipeline_build/tools/hotline
pipeline_ring=
pipeline_tmp=
declare -A pipeline_running=() # pid -> what it is called
keep=

pipeline_die() {
	printf '%s: %s\n' "${0##*/}" "$*" >&2
	exit 2
}

# Stopped programs are continued, or they would not notice.
pipeline_stop() {
	local pid

	for pid in "${!pipeline_running[@]}"; do
		kill -TERM "$pid" 2>/dev/null
		kill -CONT "$pid" 2>/dev/null
	done
	wait
	pipeline_running=()
}

pipeline_cleanup() {
	trap '' HUP INT TERM
	pipeline_stop
	[ -z "$pipeline_tmp" ] || rm -rf "$pipeline_tmp"
	if [ -n "$pipeline_ring" ] && [ -z "$keep" ]; then
		"$pipeline_hotline" rm "$pipeline_ring" >/dev/null
	fi
}
trap pipeline_cleanup EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# pipeline_create RING OPTION... - also sets $tmp, a folder for what is printed
pipeline_create() {
	[ -x "$pipeline_hotline" ] ||
		pipeline_die "no $pipeline_hotline: build first, or set" \
			HOTLINE_BUILD
	pipeline_tmp=$(mktemp -d "${TMPDIR:-/tmp}/hotline-run.XXXXXX") || exit 2
	# shellcheck disable=SC2034 # for the caller
	tmp=$pipeline_tmp
	"$pipeline_hotline" create "$@" || exit 2
	pipeline_ring=$1
}

# pipeline_start NAME PROGRAM ARGUMENT... - what it prints goes to $tmp/NAME
pipeline_start() {
	local name=$1 program=$pipeline_build/examples/$2

	shift 2
	# Named, or a program in the background would read from nowhere.
	"$program" "$@" <&0 > "$pipeline_tmp/$name" &
	pipeline_running[$!]=$name
}

# pipeline_wait NAME:STATUS - wait until all have ended
#
# The first one that fails is named, and the others are stopped; NAME may end
# with STATUS, which is then kept in $pipeline_status.
pipeline_wait() {
	local pid status

	pipeline_status=0
	while [ "${#pipeline_running[@]}" -gt 0 ]; do
		wait -n -p pid "${!pipeline_running[@]}"
		status=$?
		[ -n "${pid-}" ] || continue
		if [ "${pipeline_running[$pid]}:$status" = "$1" ]; then
			# shellcheck disable=SC2034 # for the caller
			pipeline_status=$status
		elif [ "$status" -ne 0 ]; then
			printf '%s: %s failed (%d)\n' "${0##*/}" \
				"${pipeline_running[$pid]}" "$status" >&2
			unset 'pipeline_running[$pid]'
			exit 2
		fi
		unset 'pipeline_running[$pid]'
	done
}
