#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# completion.sh - what bash offers after the hotline command

. "$(dirname "$0")/lib.sh"
. "$top_srcdir/tools/hotline.bash"

# offers WORD... - what completes the last word
offers() {
	COMP_WORDS=("$@")
	COMP_CWORD=$(($# - 1))
	COMPREPLY=()
	_hotline
	echo "${COMPREPLY[*]}"
}

hotline create one
hotline create two
touch "$HOTLINE_DIR/hotline.not a ring"

for command in create ls stat why doctor tail send recv evict rm; do
	tap_check "$command is offered" \
		grep -qw "$command" <(offers hotline "${command:0:1}")
	tap_check 'and known to the program' hotline "$command" --help
	for option in $(offers hotline "$command" --); do
		tap_check "$command $option is in its help" \
			grep -qe "$option\b" <(hotline "$command" --help)
	done
	for option in $(hotline "$command" --help |
		grep -oE '^ .*  --[a-z-]+|^ .*, --[a-z-]+' | grep -oE -- '--[a-z-]+'); do
		tap_check "$command $option is offered" \
			grep -qw -e "$option" <(offers hotline "$command" --)
	done
done
is 'rings are offered' 'one two' "$(offers hotline stat '')"
is 'those that begin so' two "$(offers hotline rm tw)"
is 'also after options' 'one two' "$(offers hotline tail --json '')"
is 'not where a name is new' '' "$(offers hotline create '')"
is 'values are offered' 'shared sole' "$(offers hotline create -p '')"
is 'nothing for one that is free' '' "$(offers hotline recv --group '')"

tap_done
