#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# layers.sh - who may include whom
#
# The layers of the library and the direction in which they may see each other
# stand in may_include below; everything outside the library sees the public
# headers only.

. "$(dirname "$0")/../support/tap.sh"

base='atomic clock hook util'
format='layout'
system='liveness segment wait'
# Public headers whose types (struct hl_error, limits) and plain inline functions
# the library may use everywhere.
types='hotline/message hotline/ring hotline/consume'
# In order: a part may include those before it.
core='record group arena claim take straight pace recover'

contains() { [[ " $1 " == *" $2 "* ]]; }

# The parts of the core that the part $1 may include, itself last. What takes
# does not see what claims.
core_up_to() {
	local part seen=
	for part in $core; do
		[ "$part:$1" = claim:take ] || seen="$seen $part"
		[ "$part" = "$1" ] && break
	done
	echo "$seen"
}

is_libc() {
	[[ $1 == \<* && ! $1 =~ ^\<(hotline/|urcu|xxhash|jansson|elfutils/|bpf/|dwarf\.h|gelf\.h|check\.h) ]]
}

# may_include FILE INCLUDE - INCLUDE has its <> or ""
may_include() {
	local file=$1 what=$2 part name
	part=$(basename "${file%.*}")
	name=${what//[<>\"]/}
	name=${name#lib/}

	case $file in
	include/*)
		[[ $what == \<hotline/* ]] && return
		is_libc "$what" && [[ $what != \<linux/* ]]
		return
		;;
	esac

	[ "$name" = config.h ] && return
	case $what in
	\<elfutils/* | \<dwarf.h* | \<gelf.h*) [[ $file == tools/dwarf_* ]] && return ;;
	\<bpf/*) [[ $file == tools/btf.c ]] && return ;;
	\<jansson*) [[ $file == tools/* || $file == tests/* ]] && return ;;
	\<urcu*) [[ $file == lib/router.c || $file == tests/* ]] && return ;;
	\<xxhash*) [[ $file == lib/* || $file == tests/* ]] && return ;;
	\<check.h*) [[ $file == tests/* ]] && return ;;
	esac
	[[ $what =~ ^\<(urcu|jansson|xxhash|elfutils/|bpf/|dwarf\.h|gelf\.h|check\.h) ]] && return 1

	case $file in
	lib/*) may_include_in_lib "$part" "$what" "${name%.h}" ;;
	tools/* | examples/* | tests/api/* | tests/bench/*)
		[[ $what == \<* || -f $top_srcdir/$(dirname "$file")/$name ]] ||
			[[ $name =~ ^(\.\./|tests/)support/ ]]
		;;
	tests/*) true ;;
	esac
}

may_include_in_lib() {
	local part=$1 what=$2 name=$3

	[ "$name" = "$part" ] && return
	if contains "$base" "$part"; then
		is_libc "$what" || contains "$types" "$name"
	elif contains "$format" "$part"; then
		is_libc "$what" || contains "$base $types" "$name"
	elif contains "$system" "$part"; then
		is_libc "$what" || contains "$base $types layout" "$name"
	elif contains "$core" "$part"; then
		if is_libc "$what"; then
			[[ $what == "<sys/types.h>" ||
				($what != "<unistd.h>" && $what != "<sys/"*) ]]
		else
			contains "$base $types layout $(core_up_to "$part")" "$name"
		fi
	fi
}

bad=
while IFS=: read -r file line what; do
	may_include "$file" "$what" ||
		bad+="$file:$line: may not include $what"$'\n'
done < <(
	cd "$top_srcdir" || exit
	tap_files 'include/*.h' 'lib/*.[ch]' 'tools/*.[ch]' \
		'examples/*.[ch]' 'tests/*.[ch]' |
		xargs grep -nE '^[[:space:]]*#[[:space:]]*include' /dev/null |
		sed -E 's/^([^:]*:[0-9]+:)[^<"]*(<[^>]*>|"[^"]*").*/\1\2/'
)
tap_none 'each file includes only what its layer may see' "${bad%$'\n'}"

tap_done
