# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# tap.sh - what shell tests share: TAP output, a scratch folder, file lists
#
# Sourced, not run:
#
#	. "$(dirname "$0")/../support/tap.sh"
#	tap_check "a sentence about behaviour" command args
#	tap_done
#
# Each check is one line of TAP; what a failed command said follows as
# diagnostics. The plan is printed by tap_done, so a script that ends before
# counts as an error. make sets the variables below; by hand, they are guessed
# for a build in build/.
#
#	top_srcdir top_builddir	absolute paths; the source may be read-only
#	HOTLINE			the CLI as built
#	CC CXX MAKE PKG_CONFIG SANITIZER

set -u
export LC_ALL=C

: "${top_srcdir:=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)}"
: "${top_builddir:=$top_srcdir/build}"
: "${HOTLINE:=$top_builddir/tools/hotline}"
: "${CC:=cc}" "${CXX:=g++}" "${MAKE:=make}" "${PKG_CONFIG:=pkg-config}"
: "${SANITIZER:=no}"

tap_count=0
tap_failed=0
tap_scratch=

tap_cleanup() {
	if [ -n "$tap_scratch" ]; then
		chmod -R u+w "$tap_scratch" 2>/dev/null
		rm -rf "$tap_scratch"
	fi
}
trap tap_cleanup EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# tap_diag - print standard input, or the arguments, as TAP diagnostics
tap_diag() {
	if [ $# -gt 0 ]; then
		printf '%s\n' "$*" | sed 's/^/# /'
	else
		sed 's/^/# /'
	fi
}

tap_ok() {
	tap_count=$((tap_count + 1))
	printf 'ok %d - %s\n' "$tap_count" "$1"
}

# tap_not_ok NAME [TEXT] - a failure, and what is wrong
tap_not_ok() {
	tap_count=$((tap_count + 1))
	tap_failed=$((tap_failed + 1))
	printf 'not ok %d - %s\n' "$tap_count" "$1"
	[ -z "${2-}" ] || tap_diag "$2"
}

# tap_skip NAME REASON
tap_skip() {
	tap_count=$((tap_count + 1))
	printf 'ok %d - %s # SKIP %s\n' "$tap_count" "$1" "$2"
}

# tap_check NAME COMMAND... - ok if the command succeeds
tap_check() {
	local name=$1 said
	shift
	if said=$("$@" 2>&1); then
		tap_ok "$name"
	else
		tap_not_ok "$name" "$said"
	fi
}

# tap_none NAME LIST - ok if the list of offences is empty
tap_none() {
	if [ -z "$2" ]; then
		tap_ok "$1"
	else
		tap_not_ok "$1" "$2"
	fi
}

tap_done() {
	printf '1..%d\n' "$tap_count"
	[ "$tap_failed" -eq 0 ]
	exit
}

# tap_skip_all REASON - nothing of this script can run here
tap_skip_all() {
	printf '1..0 # SKIP %s\n' "$1"
	exit 0
}

# tap_need TOOL... - skip the script where a tool is missing
tap_need() {
	local tool
	for tool in "$@"; do
		command -v "$tool" >/dev/null 2>&1 ||
			tap_skip_all "$tool is not installed"
	done
}

# tap_tmp - set $tmp to a scratch folder, which goes when the script ends
tap_tmp() {
	tap_scratch=$(mktemp -d "${TMPDIR:-/tmp}/hotline-test.XXXXXX") || exit 1
	# shellcheck disable=SC2034 # for the caller
	tmp=$tap_scratch
}

# tap_files GLOB... - the project's files that match, one a line, from the root
#
# A glob's * also matches slashes. In a clone these are the files that git
# tracks and those it would add; in an unpacked release all but builds.
tap_files() {
	local file glob
	(
		cd "$top_srcdir" || exit 1
		git_dir=$(git rev-parse --show-prefix 2>/dev/null || echo none)
		if [ -e .git ] && [ -z "$git_dir" ]; then
			git ls-files --cached --others --exclude-standard
		else
			find . \( -name .git -o -name .libs -o -name .deps -o \
				-path ./_build -o -path ./_inst -o \
				-path ./build -o -path ./build-aux -o \
				-path ./autom4te.cache \) -prune -o \
				-type f -print | sed 's|^\./||'
		fi
	) | sort | while IFS= read -r file; do
		[ -f "$top_srcdir/$file" ] || continue
		for glob in "$@"; do
			# shellcheck disable=SC2053 # a pattern is meant
			if [[ $file == $glob ]]; then
				printf '%s\n' "$file"
				break
			fi
		done
	done
}

# tap_plain_make - forget what the make that runs us told its children
tap_plain_make() {
	unset MAKEFLAGS MFLAGS MAKEOVERRIDES MAKELEVEL TESTS TEST_LOGS
	unset HOTLINE_LONG
}
