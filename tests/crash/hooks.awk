# SPDX-License-Identifier: MIT
#
# hooks.awk - the names of all hooks in C sources, as a list of C strings

{ text = text " " $0 }

END {
	while (match(text, /HLI_HOOK\([^;]*;/)) {
		call = substr(text, RSTART, RLENGTH)
		text = substr(text, RSTART + RLENGTH)
		while (match(call, /"[a-z0-9_]+"/)) {
			name = substr(call, RSTART, RLENGTH)
			call = substr(call, RSTART + RLENGTH)
			if (!(name in seen))
				print name ","
			seen[name] = 1
		}
	}
}
