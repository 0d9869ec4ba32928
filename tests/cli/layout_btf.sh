#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# layout_btf.sh - hotline layout reads BTF: the same as DWARF, and as pahole

. "$(dirname "$0")/layout_lib.sh"
grep -q 'define HAVE_LIBBPF 1' "$top_builddir/config.h" ||
	tap_skip_all 'built without libbpf'

# said FILE STRUCT - what is where, without the words of types
said() {
	layout --json "$1" "$2" | jq -c '[.size, .packed, .padding_bits,
		(.fields[] | [.name, .offset, .bit_offset, .size, .bit_size]),
		.holes]'
}

# --- What a compiler writes ---------------------------------------------------

if "$CC" -gbtf -c -o btf.o all.c 2>/dev/null &&
	objcopy --dump-section .BTF=raw.btf btf.o 2>/dev/null; then
	for struct in 'struct all' 'struct packed' 'union either' \
		'struct outer' point; do
		is "$struct is the same by BTF as by DWARF" \
			"$(said all.o "$struct")" "$(said btf.o "$struct")"
	done
	# Without in[2][3]: gcc 12 writes its dimensions the wrong way round.
	is 'types read as in C' \
		'void (*)(struct inner *, int, ...)|const char * const[2]|enum color' \
		"$(ask btf.o all '[.fields[] | select(.name |
			test("^(call|names|col)$")).type] | sort_by(length) |
			reverse | join("|")')"
	is 'fields in fields are found' 12 "$(ask btf.o all '.hot[0].offset' --hot p.y |
		awk '{ print $1 - 4 }')"
	expect 'a struct that is not there' 3 layout btf.o nosuch
	says 'is named' 'nosuch in its BTF'
	is 'a file of nothing else is read too' "$(said all.o 'struct all')" \
		"$(said raw.btf 'struct all')"
	head -c 300 raw.btf > cut.btf
	expect 'a damaged one is refused' 6 layout cut.btf 'struct all'
	says 'and says so' 'BTF that cannot be read'
else
	tap_skip 'what gcc -gbtf makes is read' "$CC has no -gbtf"
fi

# --- The kernel's -------------------------------------------------------------

kernel=/sys/kernel/btf/vmlinux

# Fields as pahole has them: their offset and size, of the outermost level.
of_pahole() {
	pahole -F btf -C "$1" "$kernel" 2>/dev/null | awk '
	/^\t[^\t\/].*\/\* +[0-9]+(: ?[0-9]+)? +[0-9]+ \*\/$/ {
		match($0, /\/\*.*\*\//)
		text = substr($0, RSTART + 2, RLENGTH - 4)
		bit = text ~ /:/
		gsub(":", " ", text)
		split(text, n, " ")
		print bit ? n[1] * 8 + n[2] : n[1] * 8, bit ? "bits" : n[2]
	}'
}
of_layout() {
	layout --json "$kernel" "struct $1" | jq -r '.fields[] | if .bit_size
		then "\(.bit_offset) bits" else "\(.offset * 8) \(.size)" end'
}

if [ -r "$kernel" ] && command -v pahole >/dev/null; then
	compared=0 differ=
	for struct in list_head task_struct sk_buff inode file sock \
		net_device mm_struct bio request_queue timer_list dentry; do
		wanted=$(of_pahole "$struct")
		[ -n "$wanted" ] || continue
		compared=$((compared + 1))
		[ "$wanted" = "$(of_layout "$struct")" ] || differ+="$struct "
	done
	tap_diag "$compared structs of the kernel compared"
	tap_none "the kernel's structs are those of pahole" "$differ"
else
	tap_skip "the kernel's structs are those of pahole" \
		'the kernel has no BTF here, or there is no pahole'
fi

tap_done
