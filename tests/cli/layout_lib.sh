# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# layout_lib.sh - what tests of hotline layout share
#
# Sourced, not run. The test goes on in a folder of its own, with a source all.c
# that has in a struct what may be there, and prints where the compiler has put
# its fields; all.o is made of it.

. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
tap_need jq "$CC"

mkdir "$tmp/o"
cd "$tmp/o" || exit 1
export DEBUGINFOD_URLS=
layout() { hotline layout "$@"; }
# ask FILE STRUCT FILTER OPTION... - of its JSON
ask() { layout --json "$1" "$2" "${@:4}" | jq -r "$3"; }
# compile OUT SOURCE FLAG... - without the flags of the build (sanitizers)
compile() { "$CC" -g -c -o "$1" "$2" "${@:3}" 2> "$1.log" || tap_diag < "$1.log"; }

cat > all.c <<'END'
#include <stddef.h>
#include <stdint.h>
struct inner {
	char tag;
	long long value;
	short last;
};
typedef struct {
	int x;
	double y;
} point;
enum color {
	RED,
	GREEN
};
struct all {
	char c;
	point p;
	struct inner in[2][3];
	void (*call)(struct inner *, int, ...);
	const char *const names[2];
	union {
		int i;
		float f;
		struct {
			char q;
			short r;
		};
	};
	struct {
		int a;
		char b;
	} named;
	enum color col;
	uint8_t id[5];
	unsigned f1 : 3, f2 : 7, : 0, f3 : 30;
	char tail[];
};
struct packed {
	char a;
	struct inner i;
	uint32_t b;
} __attribute__((packed));
union either {
	int a;
	char b[7];
};
struct outer {
	_Alignas(64) int own;
	struct packed pk;
};
struct all *all;
struct packed packed;
union either either;
struct outer outer;
#define AT(field) (int)offsetof(struct all, field)
const int at[] = { AT(c), AT(p), AT(p.y), AT(in), AT(in[1][2].last), AT(call),
	AT(names), AT(names[1]), AT(f), AT(r), AT(named.b), AT(col), AT(id),
	AT(id[4]), AT(tail), (int)sizeof(struct all) };
int main(void)
{
	struct local {
		char a;
		int b;
	} l = { 1, 2 };
	for (int i = 0; i < 16; i++)
		__builtin_printf("%d ", at[i]);
	return l.a - 1;
}
END
compile all.o all.c
