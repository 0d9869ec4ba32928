#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# man.sh - there is a page for each command and header, and each is well formed

. "$(dirname "$0")/../support/tap.sh"

cd "$top_srcdir" || exit 1
mapfile -t pages < <(tap_files 'doc/man/*.[1-8]')

if ! command -v mandoc >/dev/null 2>&1; then
	tap_skip 'man pages are well formed' 'mandoc is not installed'
else
	# What lint says of layout counts; that pages of other sections or of
	# the C library are not found here does not.
	for page in "${pages[@]}"; do
		tap_check "$page is well formed" mandoc -T lint -W warning "$page"
	done
fi

tap_none 'each page in doc/man is installed' "$(
	for page in "${pages[@]}"; do
		grep -qF "/${page#doc/}" doc/local.mk || echo "$page: not in doc/local.mk"
	done)"

tap_none 'each command has a page' "$(
	for file in $(tap_files 'tools/cmd_*.c'); do
		name=$(basename "${file#tools/cmd_}" .c)
		[ -f "doc/man/hotline-$name.1" ] || echo "hotline-$name.1 is missing"
	done
	[ ! -f tools/main.c ] || [ -f doc/man/hotline.1 ] || echo 'hotline.1 is missing')"

tap_none 'each public header has a page' "$(
	for header in $(tap_files 'include/hotline/*.h'); do
		name=${header#include/}
		page=doc/man/hotline-$(basename "$header" .h).3
		[ -f "$page" ] || grep -qE "^\.In $name" doc/man/*.3 2>/dev/null ||
			echo "no page of section 3 is about $name"
	done)"

tap_none 'each public function has a page' "$(
	awk '/^HL_API/ { on = 1; text = "" }
	on { text = text " " $0
		if (/[;{]/) { sub(/\(.*/, "", text); sub(/.*[^A-Za-z0-9_]/, "", text)
			print text; on = 0 } }' include/hotline/*.h | sort -u |
	while read -r name; do
		grep -qE "^\.(Nm|Fn|Fo) $name( |$)" doc/man/*.3 2>/dev/null ||
			echo "$name: in no page"
	done)"

tap_done
