# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# hotline.bash - completion of the hotline command in bash
#
# Names of rings are taken from the folder itself: asking the program for them
# at each key would open every ring.

# The rings in the folder, one a line. Names with odd bytes are left out: they
# cannot be rings.
_hotline_rings() {
	local file name
	for file in "${HOTLINE_DIR:-/dev/shm}"/hotline.*; do
		name=${file##*/hotline.}
		[[ -f $file && $name =~ ^[A-Za-z0-9][A-Za-z0-9._+@:,=-]*$ ]] &&
			printf '%s\n' "$name"
	done
}

# The options of a command.
_hotline_options() {
	local common='--json --help'
	case $1 in
	create)
		printf '%s ' "$common" --capacity --slot-size --arena \
			--block-size --producers --group --max-producers \
			--max-consumers --max-groups --unread --checksum \
			--message-magic --mode --prefault --huge-pages \
			--start-position --schema --like
		;;
	ls) printf '%s ' "$common" ;;
	stat) printf '%s ' "$common" --blocks ;;
	why) printf '%s ' "$common" --for ;;
	doctor)
		printf '%s ' "$common" --repair --salvage --slot-size \
			--capacity --raw --force --any-owner
		;;
	evict) printf '%s ' "$common" --force --any-owner ;;
	tail)
		printf '%s ' "$common" --from --count --timeout --hex --raw \
			--any-owner --where --fields --csv
		;;
	send)
		printf '%s ' "$common" --timeout --drop --strict --raw \
			--finish --any-owner --schema --verbose
		;;
	recv)
		printf '%s ' "$common" --group --from --count --timeout \
			--batch --raw --any-owner --where --fields \
			--csv --hex --schema
		;;
	rm) printf '%s ' "$common" --force --group --any-owner ;;
	bench) printf '%s ' "$common" --cores --time ;;
	layout)
		printf '%s ' "$common" --hot --stride --line --suggest \
			--cold --cold-size --check --max-lines --cu --expand \
			--wide
		;;
	esac
}

# The values of an option, or nothing when they are free.
_hotline_values() {
	case $1 in
	--like) _hotline_rings ;;
	--producers | -p) echo 'shared sole' ;;
	--unread) echo 'keep refuse' ;;
	--checksum) echo 'none header payload' ;;
	--from | -f) echo 'oldest newest' ;;
	--timeout | -t) echo '0 100ms 1s 1m forever' ;;
	--for) echo '0 200ms 1s 10s' ;;
	--stride) echo 'size packed' ;;
	--line) echo '64 128 256' ;;
	--mode | -m) echo '0600 0640 0660 0644 0666' ;;
	esac
}

# Does the option of a command want a value after it?
_hotline_wants_value() {
	case $1:$2 in
	*:--capacity | *:--slot-size | *:--arena | *:--block-size | \
		*:--producers | *:--group | *:--max-* | *:--unread | \
		*:--checksum | *:--message-magic | *:--mode | \
		*:--start-position | *:--like | *:--from | *:--count | *:--timeout | \
		*:--batch | *:--hot | *:--stride | *:--line | *:--cold | \
		*:--for | *:--salvage | *:--cores | *:--time | \
		*:--cold-size | *:--schema | *:--where | *:--fields | *:--cu) return 0 ;;
	create:-[csabpgm] | tail:-[fnt] | send:-t | recv:-[gfntb] | \
		rm:-g | why:-f | doctor:-s | bench:-[ct] | layout:-[HslmC]) return 0 ;;
	esac
	return 1
}

_hotline() {
	local words cur prev command list
	# A ':' in a ring's name does not end the word.
	if declare -F _get_comp_words_by_ref >/dev/null; then
		_get_comp_words_by_ref -n : cur prev words
	else
		words=("${COMP_WORDS[@]}")
		cur=${COMP_WORDS[COMP_CWORD]}
		prev=${COMP_WORDS[COMP_CWORD - 1]}
	fi
	COMPREPLY=()
	command=${words[1]-}

	if [[ $command == "$cur" && ${#words[@]} -le 2 ]]; then
		list='create ls stat why doctor tail send recv evict rm layout bench'
		list+=' help --help --version'
	elif [[ $command == help ]]; then
		list='create ls stat why doctor tail send recv evict rm layout bench'
	elif [[ $command:$prev == doctor:--salvage || $command:$prev == doctor:-s ]]; then
		compopt -o filenames 2>/dev/null
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		return
	elif _hotline_wants_value "$command" "$prev"; then
		list=$(_hotline_values "$prev")
	elif [[ $cur == -* ]]; then
		list=$(_hotline_options "$command")
	elif [[ $cur == */* ]]; then
		compopt -o filenames 2>/dev/null
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		return
	else
		case $command in
		layout)
			compopt -o filenames 2>/dev/null
			mapfile -t COMPREPLY < <(compgen -f -- "$cur")
			return
			;;
		stat | why | doctor | tail | send | recv | evict | rm)
			list=$(_hotline_rings)
			;;
		*) return ;;
		esac
	fi
	mapfile -t COMPREPLY < <(compgen -W "$list" -- "$cur")
	if declare -F __ltrim_colon_completions >/dev/null; then
		__ltrim_colon_completions "$cur"
	fi
}

complete -F _hotline hotline
