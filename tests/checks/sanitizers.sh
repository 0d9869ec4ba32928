#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# sanitizers.sh - the C tests and the CLI tests pass under the sanitizers
#
# Three builds of their own, with address and undefined, with thread, and with
# every warning an error. Takes some minutes.

. "$(dirname "$0")/../support/tap.sh"

[ ! -f "$top_srcdir/config.status" ] ||
	tap_skip_all 'configured in the source tree: a second build cannot be'
tap_tmp
tap_plain_make
origin=$top_srcdir
unset top_srcdir top_builddir HOTLINE SANITIZER

# Checks of the project itself say nothing new here.
run() {
	local name=$1
	shift
	mkdir "$tmp/$name" && cd "$tmp/$name" &&
		"$origin/configure" -q "CC=$CC" --disable-shared "$@" &&
		"$MAKE" && "$MAKE" check-programs VERBOSE=1
}

can() {
	printf 'int main(void) { return 0; }\n' > "$tmp/empty.c"
	# shellcheck disable=SC2086
	$CC "-fsanitize=$1" -o "$tmp/empty" "$tmp/empty.c" 2>/dev/null &&
		"$tmp/empty" 2>/dev/null
}

export ASAN_OPTIONS=abort_on_error=1:detect_leaks=1:allocator_may_return_null=1
export UBSAN_OPTIONS=print_stacktrace=1
export TSAN_OPTIONS=halt_on_error=1

for list in address,undefined thread; do
	name="programs pass under -fsanitize=$list"
	if can "$list"; then
		tap_check "$name" run "$list" "--enable-sanitizer=$list"
	else
		tap_skip "$name" "$CC cannot build or run such programs here"
	fi
done

tap_check 'there are no warnings' run warnings --enable-werror

tap_done
