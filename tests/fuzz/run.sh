#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# run.sh - look for inputs that break a fuzz target, with libFuzzer
#
#	tests/fuzz/run.sh BUILD TARGET [OPTION OF LIBFUZZER]...
#
# BUILD is a folder where configure was run, for its config.h; TARGET is open,
# use, payload, json, nacha or itch. Needs clang and its fuzzer runtime (Debian
# packages clang, libclang-rt-14-dev). For example, five minutes:
#
#	tests/fuzz/run.sh build open -max_total_time=300
#
# New inputs are kept in BUILD/fuzz/TARGET; what breaks the target is written
# to the current folder. With -merge=1 and two folders, libFuzzer picks from the
# second what the first lacks: so the corpus was made.

set -eu

: "${FUZZ_CC:=clang}" "${PKG_CONFIG:=pkg-config}"

root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "$1" && pwd)
target=$2
shift 2

sources=("$root/tests/fuzz/fuzz_$target.c")
packages=()
case $target in
open | use)
	sources+=("$root/tests/fuzz/fuzz_ring.c" "$root"/lib/*.c)
	packages=(liburcu-bp liburcu-cds libxxhash)
	;;
payload | schema)
	sources+=("$root"/lib/*.c)
	packages=(liburcu-bp liburcu-cds libxxhash)
	;;
where)
	sources+=("$root"/tools/where{,_side}.c "$root"/lib/*.c)
	packages=(liburcu-bp liburcu-cds libxxhash)
	;;
json)
	sources+=("$root/tools/json_read.c" "$root/tools/msg_json.c")
	packages=(jansson)
	;;
nacha) sources+=("$root"/examples/payments/nacha{,_fields,_text,_totals}.c) ;;
itch) sources+=("$root"/examples/market_data/{book,itch}.c) ;;
*)
	echo "run.sh: no such target: $target" >&2
	exit 2
	;;
esac

flags=()
if [ ${#packages[@]} -gt 0 ]; then
	read -ra flags <<< "$("$PKG_CONFIG" --cflags --libs "${packages[@]}")"
fi

found=$build/fuzz/$target
mkdir -p "$found"
"$FUZZ_CC" -std=gnu11 -g -O1 -D_GNU_SOURCE -pthread \
	-fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all \
	-fno-omit-frame-pointer \
	-I"$build" -I"$build/include" -I"$root/include" -I"$root" -I"$root/lib" \
	-o "$build/fuzz/fuzz_$target" "${sources[@]}" "${flags[@]}"

HOTLINE_DIR=$(mktemp -d "${TMPDIR:-/dev/shm}/hotline-fuzz.XXXXXX")
export HOTLINE_DIR
trap 'rm -rf "$HOTLINE_DIR"' EXIT
"$build/fuzz/fuzz_$target" -timeout=10 -rss_limit_mb=1024 "$@" \
	"$found" "$root/tests/fuzz/corpus/$target"
