#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# banned.sh - what library sources and C sources at large may not do
#
# The library lives in other people's processes: it prints nothing, ends
# nothing, and leaves signals, umask and locale alone. Orders of memory are said
# in atomic.h only, and in message.h for the one store that callers compile.

. "$(dirname "$0")/../support/tap.sh"

cd "$top_srcdir" || exit 1
tap_tmp

strip=$top_srcdir/tests/support/strip_comments.awk
tap_files 'lib/*.[ch]' 'include/*.h' | xargs awk -f "$strip" /dev/null > "$tmp/lib"
tap_files 'lib/*.[ch]' 'include/*.h' 'tools/*.[ch]' 'examples/*.[ch]' \
	'tests/*.[ch]' | xargs cat > "$tmp/all_text"
tap_files 'lib/*.[ch]' 'include/*.h' 'tools/*.[ch]' 'examples/*.[ch]' \
	'tests/*.[ch]' | xargs awk -f "$strip" /dev/null > "$tmp/all"

# ban LIST NAME PATTERN [EXCEPT] - PATTERN is what a line of code may not have,
# EXCEPT the files, or what of "file:line:code", that may
ban() {
	tap_none "$2" "$(grep -E ":[0-9]+:.*$3" "$tmp/$1" |
		grep -vE "^(${4:-none})(:|$)")"
}

# A call of one of the functions, not of one whose name ends alike.
call() { echo "(^|[^A-Za-z0-9_.>])($1)[[:space:]]*\\("; }

ban lib 'the library prints nothing' \
	"$(call 'v?printf|puts|putchar|perror|v?dprintf|syslog|psignal')|std(out|err)"
ban lib 'the library ends no process' \
	"$(call '_?exit|_Exit|quick_exit|abort|kill|raise')"
ban lib 'the library registers nothing to run at exit' \
	"$(call 'atexit|on_exit|at_quick_exit')|destructor"
ban lib 'the library handles no signals' \
	"$(call 'signal|sigaction|sigset|bsd_signal|siginterrupt|alarm|setitimer')"
ban lib 'the library leaves umask, locale and environment alone' \
	"$(call 'umask|setlocale|setenv|putenv|unsetenv|chdir')"
ban lib 'the library starts no processes' \
	"$(call 'v?fork|system|popen|posix_spawnp?|execv?[lpe]+')"
ban lib 'only waitfd.c starts a thread' "$(call 'pthread_create|thrd_create')" \
	'lib/waitfd\.c'
ban lib 'only atomic.h says memory orders and compiler atomics' \
	"memory_order|stdatomic\\.h|__atomic_|__sync_|$(call 'atomic_[a-z_]+')" \
	'lib/atomic\.h|include/hotline/message\.h'
# To make a read happen once, by a cast, is what it is for.
ban lib 'no volatile data' \
	'(^|[^_a-z])volatile([^_a-z]|$)' \
	'lib/atomic\.h|[^:]*:[0-9]+:.*\*\(const volatile [a-z0-9_]+ \*\).*'
ban lib 'assert is not about shared memory' \
	"$(call 'assert').*(hli_load|header->|hdr->|slot->|record->|block->)"
ban lib 'public headers have no atomics' '_Atomic|stdatomic' 'lib/[a-z_]*\.[ch]'
ban all 'no functions that overrun their buffer' \
	"$(call 'strcpy|strcat|v?sprintf|gets|alloca|strtok|atoi|atol|atof')"
ban all 'structs are not hidden behind typedefs' \
	'typedef[[:space:]]+(struct|union|enum)'
ban all 'comments are /* */' '(^|[^:])//'
tap_none 'no word for work undone' \
	"$(grep -nE '(^|[^A-Za-z])(TODO|FIXME|XXX)([^A-Za-z]|$)' "$tmp/all_text" | cut -c-100)"

tap_done
