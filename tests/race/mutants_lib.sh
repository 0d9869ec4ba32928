# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# mutants_lib.sh - build a test with one file of lib/ changed, and see it fail
#
# Sourced after tap.sh. The change is made in a scratch copy; lib/ stays as it
# is. The changed file is linked before the library, which is an archive: so
# its own of that name is left out.
#
#	mutant "what is wrong" PART FILE SED		has to be caught
#	mutant_not_seen "what is wrong" PART FILE SED	has not
#
# PART is the part of the test that is run.
#
# SED is a program for sed -Ez, which sees the file as one line. Set before:
#	objects		the test's, from the build folder
#	archive		the library that the test links
#	flags		for the compiler
#	link_flags	for the linker
#	run PART	a function that runs "$tmp/test"
#	stall_is_caught	"yes" where a mutant may make it wait for ever

stall_is_caught=${stall_is_caught-}
mutants_caught=0
mutants_count=0

# make_var NAME - a variable of the build's Makefile
make_var() {
	sed -n "s/^$1 = //p" "$top_builddir/Makefile" | head -n 1
}

mutant_compile() {
	local object=$tmp/${1%.c}.o
	# shellcheck disable=SC2086 # words
	$CC -I"$top_builddir" -I"$tmp" -I"$top_srcdir" \
		-I"$top_builddir/include" -I"$top_srcdir/include" \
		-D_GNU_SOURCE $flags -O1 -g -w -c "$tmp/lib/$1" -o "$object" &&
		mutated+=("$object")
}

# mutant_build FILE SED - make $tmp/test
mutant_build() {
	local file=$1 source
	rm -rf "$tmp/lib" "$tmp"/*.o "$tmp/test"
	mkdir "$tmp/lib" && cp "$top_srcdir"/lib/*.[ch] "$tmp/lib" || return
	sed -Ezi "$2" "$tmp/lib/$file" || return
	if cmp -s "$tmp/lib/$file" "$top_srcdir/lib/$file"; then
		echo "the change does not fit $file any more"
		return 1
	fi
	mutated=()
	if [ "${file%.h}" = "$file" ]; then
		mutant_compile "$file" || return
	else # all that may include it
		for source in "$tmp"/lib/*.c; do
			[ "${source##*/}" = liveness.c ] ||
				mutant_compile "${source##*/}" || return
		done
	fi
	# shellcheck disable=SC2046,SC2086 # words
	"$top_builddir/libtool" --silent --tag=CC --mode=link $CC -o "$tmp/test" \
		$(make_var CFLAGS) $link_flags $objects "${mutated[@]}" \
		"$top_builddir/tests/support/libsupport.la" \
		"$top_builddir/$archive" $(make_var CHECK_LIBS)
}

mutant_run() {
	mutants_count=$((mutants_count + 1))
	said=$(mutant_build "$3" "$4" 2>&1) || return 2
	said=$(run "$2" 2>&1)
	case $? in
	0) return 1 ;;
	124 | 137)
		said='the test did not end'
		[ -n "$stall_is_caught" ] || return 2
		mutants_caught=$((mutants_caught + 1))
		return 0
		;;
	esac
	mutants_caught=$((mutants_caught + 1))
	said=$(grep -E '^not ok|: error|Assert|terminated' <<< "$said" |
		head -n 1 | sed 's/^not ok [0-9]* - [^:]*:[^:]*://' | cut -c 1-150)
}

mutant() {
	mutant_run "$@"
	case $? in
	0) tap_ok "caught: $1" && tap_diag "$said" ;;
	1) tap_not_ok "caught: $1" ;;
	*) tap_not_ok "caught: $1" "$said" ;;
	esac
}

mutant_not_seen() {
	mutant_run "$@"
	case $? in
	1) tap_ok "not seen here: $1" ;;
	0) tap_not_ok "not seen here: $1" "it is: $said" ;;
	*) tap_not_ok "not seen here: $1" "$said" ;;
	esac
}
