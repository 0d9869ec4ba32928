#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# layout_pahole.sh - hotline layout and pahole agree, on structs that others wrote

# pahole does not know all that clang writes (DW_TAG_atomic_type).
[[ $("${CC:-cc}" --version) != *clang* ]] || CC=gcc

. "$(dirname "$0")/layout_lib.sh"
tap_need pahole

# --- Structs that others wrote, and pahole ----------------------------------

cat > others.c <<'END'
#include <arpa/inet.h>
#include <dirent.h>
#include <jansson.h>
#include <linux/io_uring.h>
#include <net/if.h>
#include <netdb.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <urcu-bp.h>
#include <urcu/rculfhash.h>
#include <urcu/wfcqueue.h>
struct cds_lfht_node node; struct cds_wfcq_head head; struct rcu_head rcu;
json_t json; json_error_t error;
FILE file; struct stat st; struct tm tm; siginfo_t info; pthread_mutex_t mutex;
struct addrinfo address; struct ifreq ifreq; struct dirent entry; struct utsname name;
struct io_uring_sqe sqe; struct io_uring_params params;
#if __has_include(<liburing.h>)
#include <liburing.h>
struct io_uring uring;
#endif
END
# Structs of the library itself. pahole knows no _Atomic: DWARF 4 has none.
printf '#include "lib/%s"\n' layout.h record.h claim.h > own.c
printf 'struct hli_header header; struct hli_record record; struct hli_group group;\n' >> own.c

# What pahole says of a struct, in bits: fields, holes and padding.
of_pahole() {
	pahole -C "$2" "$1" 2>/dev/null | awk '
	/ERROR\(|<ancestor>/ { odd = 1 }
	/^\t[^\t\/].*\/\* +[0-9]+(: ?[0-9]+)? +[0-9]+ \*\/$/ {
		match($0, /\/\*.*\*\//)
		text = substr($0, RSTART + 2, RLENGTH - 4)
		bit = text ~ /:/
		gsub(":", " ", text)
		split(text, n, " ")
		print bit ? n[1] * 8 + n[2] : n[1] * 8, bit ? "bits" : n[2]
	}
	/^\t\/\* XXX [0-9]+ bytes? hole/ { holes += $3 * 8 }
	/^\t\/\* XXX [0-9]+ bits? hole/ { holes += $3 }
	/\/\* (bit_)?padding: [0-9]+/ { padding += $3 * ($2 ~ /bit/ ? 1 : 8) }
	END { print "holes", holes + 0, "padding", padding + 0; if (odd) print "odd" }'
}
of_layout() {
	layout --json "$1" "$2" | jq -r '(.fields[] | if .bit_size
		then "\(.bit_offset) bits" else "\(.offset * 8) \(.size)" end),
		"holes \([.holes[].bits] | add // 0) padding \(.padding_bits)"'
}
compare() {
	local object=$1 struct wanted got compared=0 differ=
	for struct in $(pahole -s "$object" 2>/dev/null | cut -f1 | sort -u); do
		wanted=$(of_pahole "$object" "$struct")
		[[ $wanted != *odd* ]] || continue
		got=$(of_layout "$object" "struct $struct" 2>/dev/null) || continue
		compared=$((compared + 1))
		[ "$wanted" = "$got" ] || differ+="$struct: $(
			diff <(echo "$wanted") <(echo "$got") | xargs)"$'\n'
	done
	tap_diag "$compared structs of $object compared"
	if [ "$compared" -lt "$2" ]; then
		tap_not_ok "$object: enough structs are compared" "only $compared"
	fi
	tap_none "$object: offsets, holes and padding are those of pahole" "${differ%$'\n'}"
}
compare all.o 4
compile own.o own.c -gdwarf-4 -std=gnu11 -D_GNU_SOURCE -I"$top_srcdir" \
	-I"$top_srcdir/include" -I"$top_builddir/include" -I"$top_srcdir/lib" \
	-I"$top_builddir"
compare own.o 3
if "$CC" -g -fno-eliminate-unused-debug-types -c -o others.o others.c 2>/dev/null; then
	compare others.o 40
else
	tap_skip 'offsets, holes and padding are those of pahole, for others' \
		'not all of their headers are installed'
fi

tap_done
