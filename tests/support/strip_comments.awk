# SPDX-License-Identifier: MIT
#
# strip_comments.awk - C source without comments and contents of strings
#
# Prints FILE:LINE:code for each line that still has code, so that a search
# for a word finds its use, not its mention. Include lines keep their names.

FNR == 1 { inside = 0 }

/^[ \t]*#[ \t]*include/ { print label() $0; next }

{
	code = ""
	rest = $0
	while (rest != "") {
		if (inside) {
			at = index(rest, "*/")
			if (!at)
				break
			rest = substr(rest, at + 2)
			inside = 0
			continue
		}
		if (!match(rest, /\/\*|"|'/)) {
			code = code rest
			break
		}
		code = code substr(rest, 1, RSTART - 1)
		mark = substr(rest, RSTART, 1)
		rest = substr(rest, RSTART + RLENGTH)
		if (mark == "/") {
			inside = 1
			continue
		}
		code = code mark mark
		while (rest != "" && substr(rest, 1, 1) != mark)
			rest = substr(rest, substr(rest, 1, 1) == "\\" ? 3 : 2)
		rest = substr(rest, 2)
	}
	if (code ~ /[^ \t]/)
		print label() code
}

function label() { return FILENAME ":" FNR ":" }
