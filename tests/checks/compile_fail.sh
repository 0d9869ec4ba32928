#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# compile_fail.sh - a wrong layout does not compile, and the message says why
#
# Each case changes one thing of a message that is right. What is wrong has to
# be refused with its sentence by every compiler that is installed, in C and in
# C++; what is right has to compile, for each machine that there is a compiler
# for, without a warning.

. "$(dirname "$0")/../support/tap.sh"

tap_tmp
flags=(-pedantic -Wall -Wextra -Wshadow -Werror
	"-I$top_srcdir/include" "-I$top_builddir/include")

have() { command -v "$1" >/dev/null 2>&1; }

# compile LANGUAGE COMPILER FILE OPTION...
compile() {
	local language=$1 compiler=$2 file=$3 std=c11
	shift 3
	[ "$language" = c ] || std=c++11
	"$compiler" -x "$language" "-std=$std" "${flags[@]}" -fsyntax-only \
		"$@" "$file"
}

# The headers of this machine will do for one of 32 bits: nothing is linked.
machine=$(gcc -print-multiarch 2>/dev/null)
mkdir -p "$tmp/i386/gnu"
touch "$tmp/i386/gnu/stubs-32.h"
small=(-m32 -isystem "$tmp/i386" -isystem "/usr/include/$machine")
have_small() {
	[ "$(uname -m)" = x86_64 ] && [ -d "/usr/include/$machine" ] &&
		"$1" "${small[@]}" -fsyntax-only -x c - <<< \
			'#include <errno.h>' 2>/dev/null
}

# message ROW... - a message of the rows, as the list makes a struct of them
message() {
	printf '#include <hotline/schema.h>\n'
	printf '#define KINDS(N) N(KIND_ONE, 1, "one") N(KIND_TWO, 2, "two")\n'
	printf 'HL_ENUM(kind, KINDS);\n#define ROWS(X)'
	printf ' \\\n\tX(%s)' "$@"
	printf '\nHL_MESSAGE_STRUCT(order, ROWS);\n'
	printf 'const void *use(void);\n'
	printf 'const void *use(void)\n{\n\treturn order_schema();\n}\n'
}

# by_hand MEMBERS ROW... - the rows describe a struct of these members
by_hand() {
	local members=$1
	shift
	printf '#include <hotline/schema.h>\nstruct order {\n%s\n};\n' "$members"
	printf '#define ROWS(X)'
	printf ' \\\n\tX(%s)' "$@"
	printf '\nHL_MESSAGE_DESCRIBE(order, ROWS);\n'
	printf 'const void *use(void);\n'
	printf 'const void *use(void)\n{\n\treturn order_schema();\n}\n'
}

compilers=()
for each in 'c gcc' 'c clang' 'c++ g++' 'c++ clang++'; do
	have "${each#* }" && compilers+=("$each")
done
[ ${#compilers[@]} -gt 0 ] || tap_skip_all 'no compiler is installed'

# refused NAME SENTENCE - the file "case" does not compile, and says so
refused() {
	local each said bad=
	for each in "${compilers[@]}"; do
		# shellcheck disable=SC2086
		if said=$(compile $each "$tmp/case" 2>&1); then
			bad+="$each compiles it"$'\n'
		elif [[ $said != *"$2"* ]]; then
			bad+="$each does not say '$2':"$'\n'"$said"$'\n'
		fi
	done
	tap_none "$1: $2" "${bad%$'\n'}"
}

# accepted NAME - the file "case" compiles everywhere
accepted() {
	local each
	for each in "${compilers[@]}" 'c aarch64-linux-gnu-gcc'; do
		if ! have "${each#* }"; then
			tap_skip "$1 with ${each#* }" 'it is not installed'
			continue
		fi
		# shellcheck disable=SC2086
		tap_check "$1 with ${each#* }" compile $each "$tmp/case"
	done
	for each in "${compilers[@]}"; do
		if ! have_small "${each#* }"; then
			tap_skip "$1 with ${each#* } -m32" 'it has no i386'
			continue
		fi
		# shellcheck disable=SC2086
		tap_check "$1 with ${each#* } -m32" \
			compile $each "$tmp/case" "${small[@]}"
	done
}

# places LANGUAGE COMPILER OPTION... - where the members of struct order are
places() {
	local language=$1 compiler=$2
	shift 2
	{
		cat "$tmp/case"
		for member in magic kind time amount sequence who payload_offset \
			rate levels digest note; do
			echo "extern char at_${member}[];"
			echo "char at_${member}[offsetof(struct order, $member) + 1];"
		done
		echo 'extern char at_end[]; char at_end[sizeof(struct order)];'
	} > "$tmp/places.c"
	"$compiler" -x "$language" "${flags[@]}" -fno-common "$@" -S -o - \
		"$tmp/places.c" | awk '/\.size[ \t]+at_/ {
			gsub(",", " "); print $2, $3 }' | sort
}

# same_places - every compiler and machine puts them at the same
same_places() {
	local each
	places c gcc > "$tmp/places"
	for each in "${compilers[@]}" 'c aarch64-linux-gnu-gcc'; do
		have "${each#* }" || continue
		# shellcheck disable=SC2086
		diff "$tmp/places" <(places $each) || return
		have_small "${each#* }" || continue
		# shellcheck disable=SC2086
		diff "$tmp/places" <(places $each "${small[@]}") || return
	done
	[ "$(wc -l < "$tmp/places")" -eq 12 ]
}

word='RING, sequence'
offset='RING, payload_offset'
magic='FIELD, hot, u32, magic, ""'
kind='ENUM, hot, u32, kind, kind'
time='FIELD, hot, u64, time, HL_UNIT_TIME'
amount='FIELD, hot, i64, amount, "cents"'
who='TEXT, warm, 12, who, ""'
rest='RESERVED, 16, reserved0'
head=("$magic" "$kind" "$time" "$amount" "$word")
warm=("$who" "$rest" "$offset")

message "${head[@]}" "${warm[@]}" 'FIELD, cold, f64, rate, ""' \
	'ARRAY, cold, u16, 4, levels, ""' 'BYTES, cold, 48, digest, ""' \
	'TEXT, cold, 100, note, ""' 'PAYLOAD, text, memo, ""' \
	'PAYLOAD_ARRAY, u32, volumes, "shares"' > "$tmp/case"
accepted 'a message that is right compiles'
tap_check 'and its members are at the same place everywhere' same_places

# --- Structs that the rows make -------------------------------------------

message "${head[@]}" 'FIELD, hot, u32, flags, ""' 'RESERVED, 24, reserved0' \
	"$offset" > "$tmp/case"
refused 'a hot field beyond byte 32' \
	'flags: hot, but not in the first 32 bytes'

message "${head[@]}" "${warm[@]}" 'FIELD, warm, u32, flags, ""' > "$tmp/case"
refused 'a warm field beyond byte 64' \
	'flags: warm, but not in the first 64 bytes'

message "${head[@]}" "${warm[@]}" 'BYTES, cold, 40, a, ""' \
	'TEXT, cold, 40, b, ""' > "$tmp/case"
refused 'a field in two lines' 'b: straddles a cache line'

message "${head[@]}" "${warm[@]}" 'BYTES, cold, 40, a, ""' \
	'ARRAY, cold, u64, 9, b, ""' > "$tmp/case"
refused 'a large field that does not begin a line' 'b: straddles a cache line'

message "$magic" "$kind" "$amount" "$word" "$who" "$rest" "$offset" > "$tmp/case"
refused 'the sequence moved forward' \
	'struct order: sequence is not at byte 24'

message "${head[@]:0:4}" 'FIELD, hot, u64, more, ""' "$word" "$who" \
	'RESERVED, 8, reserved0' "$offset" > "$tmp/case"
refused 'the sequence moved back' 'struct order: sequence is not at byte 24'

message "${head[@]}" "$who" "$offset" > "$tmp/case"
refused 'the payload offset moved' \
	'struct order: payload_offset is not at byte 60'

message "${head[@]}" "$who" 'RESERVED, 4, reserved0' 'RING, checksum' \
	'RESERVED, 8, reserved1' "$offset" > "$tmp/case"
refused 'the checksum moved' "checksum: a word of the ring, but not at byte 56"

message "$magic" 'FIELD, hot, u64, time, ""' 'FIELD, hot, u32, more, ""' \
	"$word" "${warm[@]}" > "$tmp/case"
refused 'a hole of the compiler' 'time: the compiler puts a hole before it'

message "${head[@]}" "${warm[@]}" 'BYTES, cold, 1024, a, ""' > "$tmp/case"
refused 'more than 16 lines' 'struct order: larger than 1024 bytes, 16 lines'

# --- Structs that were written by hand ------------------------------------

members='HL_ALIGN_LINE uint32_t magic; uint32_t kind; uint64_t time;
int64_t amount; uint64_t sequence; char who[12]; struct { uint16_t a, b; } in;
uint8_t rest[12]; uint32_t payload_offset;'
rows=("$magic" "$time" "$amount" "$word" "$who" 'FIELD, warm, u16, in.b, ""'
	"$offset")

by_hand "$members" "${rows[@]}" > "$tmp/case"
accepted 'a description that is right compiles'

by_hand "$members" "$magic" 'FIELD, hot, u64, kind, ""' "$word" "$offset" \
	> "$tmp/case"
refused 'a number of another size' 'kind: its size is not that of a u64'

by_hand "$members" 'FIELD, hot, u64, amount, ""' "$word" "$offset" > "$tmp/case"
refused 'a number of another sign' 'amount: is not of type u64'

by_hand "$members" "$word" 'TEXT, warm, 8, who, ""' "$offset" > "$tmp/case"
refused 'a text of another length' 'who: its size is not that of text[8]'

by_hand "$members" "$word" 'TEXT, warm, 12, rest, ""' "$offset" > "$tmp/case"
refused 'bytes that are called text' 'rest: is not of type char[12]'

by_hand "$members" "$word" 'BYTES, warm, 8, rest, ""' "$offset" > "$tmp/case"
refused 'bytes of another number' 'rest: its size is not that of bytes[8]'

by_hand "$members" "$word" 'ARRAY, warm, u8, 8, rest, ""' "$offset" > "$tmp/case"
refused 'an array of another length' 'rest: its size is not that of u8[8]'

by_hand "${members/HL_ALIGN_LINE /}" "${rows[@]}" > "$tmp/case"
refused 'a struct that is not aligned' \
	'struct order: not aligned to 64 bytes (HL_ALIGN_LINE)'

by_hand "${members/HL_ALIGN_LINE /} uint64_t more;" "${rows[@]}" > "$tmp/case"
refused 'a struct of another size' \
	'struct order: size is not a multiple of 64 bytes'

by_hand "HL_ALIGN_LINE uint32_t magic; char name[3]; uint32_t odd
__attribute__((packed)); char fill[13]; uint64_t sequence; char more[28];
uint32_t payload_offset;" "$magic" 'FIELD, hot, u32, odd, ""' "$word" "$offset" \
	> "$tmp/case"
refused 'a number that is not aligned' \
	'odd: not aligned to the size of its type'

by_hand "${members/sequence/sequenec}" "${rows[@]}" > "$tmp/case"
refused 'a word of the ring that is missing' 'sequence'

tap_done
