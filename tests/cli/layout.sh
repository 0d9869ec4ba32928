#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# layout.sh - structs on cache lines: against compilers, pahole and by hand

. "$(dirname "$0")/layout_lib.sh"

# --- C ----------------------------------------------------------------------

names='c p p.y in in[1][2].last call names names[1] f r named.b col id id[4]'

# Where the compiler itself says that the fields are.
check_c() {
	local name=$1 got hot=
	shift
	if ! "$@" -g -o "$name" all.c 2> "$name.log"; then
		tap_skip "$name: offsets are those of the compiler" \
			"$* does not build it"
		return
	fi
	hot=${names// /,}
	got=$(ask "./$name" 'struct all' '[.hot[].offset] | join(" ")' --hot "$hot")
	got+=" $(ask "./$name" all '.fields[] | select(.name == "tail").offset')"
	got+=" $(ask "./$name" all .size) "
	is "$name: offsets are those of the compiler" "$("./$name")" "$got"
}
check_c plain "$CC"
check_c dwarf4 "$CC" -gdwarf-4
check_c dwarf2 "$CC" -gdwarf-2 -gstrict-dwarf
check_c macros "$CC" -g3
check_c optimised "$CC" -O2
check_c split "$CC" -gsplit-dwarf
check_c lto "$CC" -flto
check_c compressed "$CC" -gz
check_c type_units "$CC" -fdebug-types-section
if command -v clang >/dev/null; then
	check_c clang clang
	check_c clang_split clang -gsplit-dwarf
else
	tap_skip 'what clang makes is read' 'clang is not installed'
fi

is 'bit-fields have their bits' '0:3 3:7 24:30' \
	"$(ask all.o all '[.fields[] | select(.bit_size) |
		"\(.bit_offset - 8 * 213):\(.bit_size)"] | join(" ")')"
is 'holes are found' 7 "$(ask all.o all \
	'[.holes[] | select(.bits % 8 == 0) | .bits / 8] | join(" ")')"
is 'so are those of bits' 16 \
	"$(ask all.o all '[.holes[] | select(.bits % 8 > 0).bits] | add')"
is 'and those in its structs' $((4 + 6 * 13 + 3)) \
	"$(ask all.o all '.inner_hole_bits / 8')"
is 'padding at the end too' 3 "$(ask all.o 'struct outer' '.padding_bits / 8 | . - 28')"
is 'a packed struct is known' 'true 29' \
	"$(ask all.o 'struct packed' '"\(.packed) \(.size)"')"
is 'a union has all at byte 0' '0 0 8' \
	"$(ask all.o 'union either' '"\(.fields[0].offset) \(.fields[1].offset) \(.size)"')"
is 'typedef of a struct without name' 'point 16' \
	"$(ask all.o point '"\(.name) \(.size)"')"
is 'a struct in a function' 8 "$(ask all.o 'struct local' .size)"
is 'types read as in C' \
	'void (*)(struct inner *, int, ...)|const char *const [2]|struct inner[2][3]' \
	"$(ask all.o all '[.fields[] | select(.name | test("^(call|names|in)$")).type]
		| sort_by(length) | reverse | "\(.[0])|\(.[1])|\(.[2])"')"

# --- C++ --------------------------------------------------------------------

if command -v "$CXX" >/dev/null; then
	cat > all.cc <<'END'
namespace bank {
struct Empty { };
class Base { public: virtual ~Base() { } int id; char tag; static int count; };
template <typename T, int N> struct Entry { T v[N]; char c; static T s; };
class Account : public Base, private Empty {
public:
	char more; long long amount; Entry<int, 3> entry; int &ref;
	static const int limit = 3; struct Nested { char a; double b; } nested;
	explicit Account(int &r) : ref(r) { }
	void touch();
};
struct Virtual : virtual Base { int x; };
struct Closed { int a; };
void Account::touch() { }
}
int r; bank::Account account(r); bank::Virtual v; bank::Entry<char, 2> two;
using Alias = bank::Entry<long, 1>; Alias alias;
END
	"$CXX" -g -c all.cc -o cc.o
	is 'a class has its bases, and no static members' \
		'base bank::Base 0,base bank::Empty 0,member more 13,member amount 16,member entry 24,member ref 40,member nested 48' \
		"$(ask cc.o bank::Account '[.fields[] | "\(.role) \(.name) \(.offset)"] | join(",")')"
	is 'and the pointer to its virtual functions' 'vtable 0 8' \
		"$(ask cc.o 'class Base' '.fields[0] | "\(.role) \(.offset) \(.size)"')"
	is 'templates are found by name' 16 "$(ask cc.o 'Entry<int,3>' .size)"
	is 'whatever the blanks' 3 "$(ask cc.o 'bank::Entry< char, 2 >' .size)"
	is 'or by another name' 16 "$(ask cc.o Alias .size)"
	is 'so are structs in classes' 16 "$(ask cc.o bank::Account::Nested .size)"
	is 'a virtual base is mentioned' 1 "$(ask cc.o Virtual .virtual_bases)"
	expect 'what a template has to be told is asked for' 3 layout cc.o Entry
	says 'with what there is' 'bank::Entry<int,3>'
	expect 'fields of a base class may be hot' 0 \
		layout cc.o Account --hot id,amount,nested.b
	expect 'a name may begin at the root' 3 layout cc.o ::Account
	expect 'a class with a virtual base is not reordered' 1 \
		layout cc.o Virtual --suggest
else
	tap_skip 'C++ classes are read' "$CXX is not installed"
fi

# --- Figures ----------------------------------------------------------------

packed=$top_builddir/examples/payments/packed_count
[ -x "$(dirname "$packed")/.libs/packed_count" ] &&
	packed=$(dirname "$packed")/.libs/packed_count
hot=magic,type,size_bytes,amount,recipient
compile pp.o "$top_srcdir/examples/payments/packed_payment.c"
[ -n "$(layout "$packed" packed_payment 2>/dev/null)" ] || packed=pp.o
is 'the packed payment has 101 bytes and no hole' '101 0 true' \
	"$(ask "$packed" 'struct packed_payment' '"\(.size) \(.holes | length) \(.packed)"')"
# Line by line, in the way of the definition: 64 positions, first and last byte.
by_hand=$(awk 'BEGIN {
	n = split("0 4 5 2 8 4 87 8 40 12", f, " ")
	for (k = 0; k < 64; k++) {
		split("", seen)
		for (i = 1; i < n; i += 2)
			for (b = 0; b < f[i + 1]; b++)
				seen[int((k * 101 + f[i] + b) / 64)] = 1
		for (l in seen) lines++
	}
	print lines "/64" }')
is 'its fast path touches as many lines as counted byte by byte' "$by_hand" \
	"$(ask "$packed" packed_payment '.lines_per_message.hot | "\(.lines)/\(.positions)"' \
		--stride packed --hot $hot)"
is 'aligned to lines it touches two' 2 \
	"$(ask "$packed" packed_payment .lines_per_message.hot.average -s 128 --hot $hot)"
is 'and one of 128 bytes' 1 \
	"$(ask "$packed" packed_payment .lines_per_message.hot.average -s 128 -l 128 --hot $hot)"
run layout "$packed" 'struct packed_payment' --stride packed --hot $hot
tap_check 'it is drawn' grep -qF \
	'   0 |aaaabccd|eeeeffff|ffffgggg|gggghhhh|hhhhhhhh|iiiiiiii|iiiijjjj|jjjjjjjj|' \
	<<< "$out"
tap_check 'who straddles is said' grep -qE '^j +52 +32 +0-1 +reference .*straddles$' \
	<<< "$out"
for struct in all outer 'struct packed'; do
	run layout all.o "$struct" --expand
	tap_none "no line of $struct is longer than 80 columns" \
		"$(awk 'length > 80' <<< "$out")"
done

# --- Suggestions ------------------------------------------------------------

# A compiler lays the suggestion out as was said.
cat > round.c <<'END'
#include <stdint.h>
struct mixed { char a; double hot; char name[40]; short s; int n : 3, m : 9;
	uint8_t flag; int count; char id[12]; struct { char x; int y; } in;
	union { char u; long v; }; char text[]; };
struct mixed *mixed;
END
compile round.o round.c
check_round() {
	local file=$1 struct=$2 options=("${@:3}") source
	source=$(ask "$file" "$struct" .suggestion.source --suggest "${options[@]}")
	printf '#include <stdint.h>\n%s\n%s *it;\n' "$source" "$struct" > again.c
	if ! "$CC" -g -c -o again.o again.c 2> again.log; then
		tap_not_ok "the suggestion for $struct compiles" "$(cat again.c again.log)"
		return
	fi
	is "the suggestion for $struct compiles to what was said" \
		"$(ask "$file" "$struct" '.suggestion | "\(.size) \([.fields[] |
			"\(.name) \(.offset) \(.bit_offset)"])"' --suggest "${options[@]}")" \
		"$(ask again.o "$struct" '"\(.size) \([.fields[] |
			"\(.name) \(.offset) \(.bit_offset)"])"')"
}
check_round round.o 'struct mixed' --hot hot,count,flag
check_round round.o 'struct mixed'
check_round pp.o 'struct packed_payment' --hot $hot --cold sender
is 'hot fields first, on one line' '1 1' "$(ask pp.o packed_payment \
	'.suggestion.lines_per_message.hot | "\(.average) \(.most)"' -u --hot $hot)"
is 'what is variable or long is moved' 'sender reference memo' \
	"$(ask pp.o packed_payment '.suggestion.moved | join(" ")' -u --hot $hot --cold sender)"
is 'which makes one line of it' 64 \
	"$(ask pp.o packed_payment .suggestion.size -u --hot $hot --cold sender)"
printf '#include <hotline/message.h>\nstruct hl_message message;\n' > message.c
compile message.o message.c -I"$top_srcdir/include"
is 'the words of the ring stay in a message' '24 56 60' \
	"$(ask message.o hl_message '.suggestion | [.fields[] |
		select(.name | test("^(sequence|checksum|payload_offset)$")).offset]
		| join(" ")' -u --hot recipient,amount)"

# --- Checks -----------------------------------------------------------------

expect 'a check that fails exits with 1' 1 \
	layout --check --stride packed --hot $hot pp.o packed_payment
says 'and says which field' 'hot field amount lies beyond the first line: byte 87'
is 'and prints nothing else' '' "$out"
expect 'a message of one line passes' 0 \
	layout --check --hot type,amount,recipient --max-lines 1 message.o hl_message
is 'silently' '' "$out$err"
expect 'a limit is compared exactly' 1 \
	layout --stride packed --max-lines 1.046 --hot magic pp.o packed_payment
says 'and said' 'touch 1.047 lines per message, the limit is 1.046'
expect 'fields that straddle at some places only are found' 1 \
	layout --check --stride packed --hot magic pp.o packed_payment
says 'with their number' 'straddles lines in 3 of 64 positions'
run layout --json --check --hot amount pp.o packed_payment
is 'JSON has the findings' 'false 1' \
	"$(jq -r '.check | "\(.passed) \(.findings | length)"' <<< "$out")"

tap_done
