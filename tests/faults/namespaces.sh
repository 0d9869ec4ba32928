#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# namespaces.sh - processes of other namespaces and users, and small memory
#
# Rows 57 to 59 and 61 to 64 of doc/testing.md. Each part needs a right of its
# own, and is skipped with the reason where it is missing.

. "$(dirname "$0")/../cli/lib.sh"
tap_need jq unshare

field() { hotline stat --json "$1" | jq -r "$2"; }
field_is() { [ "$(field "$1" "$2")" = "$3" ]; }

# A user namespace where we are not root; its root may mount.
new=(unshare -m)
[ "$(id -u)" -eq 0 ] || new=(unshare -Urm)
can_mount() { "${new[@]}" mount -t tmpfs none "$HOTLINE_DIR" 2> /dev/null; }

# --- 61: pid namespaces -------------------------------------------------------

if "${new[@]}" -pf --mount-proc true 2> /dev/null; then
	hotline create pids -c 16 --group g:shared:durable
	mkfifo "$tmp/feed"
	exec 9<> "$tmp/feed"
	start "${new[@]}" -pf --kill-child --mount-proc "$HOTLINE" send pids < "$tmp/feed"
	producer=$pid
	start "${new[@]}" -pf --kill-child --mount-proc "$HOTLINE" recv -g g pids \
		> "$tmp/pids"
	until_true alive_in pids 2
	is 'members of three pid namespaces meet' 0 $?
	bad=
	for ((i = 0; i < 10; i++)); do
		hotline rm pids 2> /dev/null
		[ $? -eq 5 ] || bad+="removed in round $i"$'\n'
		# Any join looks for the dead.
		hotline recv -t 0 -g "look$i" pids > /dev/null 2>&1
		echo '{"type":1}' >&9
		until_true lines "$tmp/pids" $((i + 1)) || bad+="$i did not come"$'\n'
	done
	tap_none 'nobody of them is found dead while they live' "$bad"
	is 'nobody was reaped' 0 "$(field pids .reaped)"
	disown "$producer"
	kill -KILL "$producer"
	until_true field_is pids .alive 1
	is 'one that is killed is found dead from outside' 0 $?
	hotline recv -t 0 -g last pids > /dev/null 2>&1
	is 'and recovered' 1 "$(field pids .reaped)"
	exec 9>&-
	stop_children
else
	tap_skip 'members of three pid namespaces meet' 'no right to make one'
fi

# --- 62 and 64: users -----------------------------------------------------------

other=(setpriv --reuid 65534 --regid 65534 --clear-groups)
if [ "$(id -u)" -eq 0 ] && "${other[@]}" "$HOTLINE" --version > /dev/null 2>&1; then
	chmod 755 "$tmp"
	chmod 1777 "$HOTLINE_DIR"
	hotline create users -c 16 --mode 0666 --group g:shared:durable
	start hotline recv -g g users > "$tmp/users"
	until_true alive_in users 1
	echo '{"type":1}' | "${other[@]}" "$HOTLINE" send users
	until_true lines "$tmp/users" 1
	is 'another user sends into a ring of root that it may write' 0 $?
	is 'and counts its member as alive' 1 \
		"$("${other[@]}" "$HOTLINE" stat --json users | jq .alive)"
	run "${other[@]}" "$HOTLINE" rm users
	is 'and does not remove it' 5 "$status"
	expect 'who may only read looks' 0 "${other[@]}" "$HOTLINE" stat users
	for mode in 0600 0660; do
		hotline create "root$mode" -c 16 --mode "$mode"
		for call in 'recv -t 0 -g g' 'tail -t 0' stat; do
			# shellcheck disable=SC2086 # words are meant
			expect "a user's $call of a ring of mode $mode fails" 1 \
				timeout 10 "${other[@]}" "$HOTLINE" $call "root$mode"
			says 'and says whose it is' 'owned by uid 0'
		done
		run "${other[@]}" "$HOTLINE" create "root$mode" -c 16
		tap_check 'so does create' grep -q 'owned by uid 0' <<< "$err"
	done
	hotline create readable -c 16 --mode 0644
	echo '{"type":7}' | hotline send readable
	expect 'a user taps a ring of mode 0644' 0 \
		"${other[@]}" "$HOTLINE" tail -f oldest -t 0 readable
	run "${other[@]}" "$HOTLINE" recv -t 0 -g g readable
	is 'a member has to be able to write' 1 "$status"
	says 'and is told' 'ermission denied'
	stop_children
else
	tap_skip 'rings are shared with another user' \
		'only as root, where another user can run the command'
fi

# --- 58 and 59: small memory; 63: a folder of one's own ---------------------------

if can_mount; then
	# shellcheck disable=SC2016 # expanded in the new namespace
	run "${new[@]}" bash -c 'mount -t tmpfs -o size=4M none "$HOTLINE_DIR" &&
		head -c 3M /dev/zero > "$HOTLINE_DIR/full" || exit 9
		"$0" create half -c 4096 || exit 8
		yes "{\"type\":1}" | head -9000 | "$0" send half || exit 7
		"$0" create large -c 16384' "$HOTLINE"
	is 'a ring that does not fit is refused' 1 "$status"
	tap_check 'with the bytes needed and free' \
		grep -qE '[0-9]+ bytes needed, [0-9]+ free of 4194304' <<< "$err"
	tap_check 'and where' grep -qF "$HOTLINE_DIR" <<< "$err"
	# shellcheck disable=SC2016 # the same
	run "${new[@]}" bash -c 'mount -t tmpfs -o size=64M none "$HOTLINE_DIR" || exit 9
		for ((i = 0; i < 50; i++)); do "$0" create r$i || exit 1; done
		"$0" ls --json | jq ".rings | length"' "$HOTLINE"
	is 'fifty default rings fit into 64 MiB' '0 50' "$status $out"

	hotline create split -c 16
	# shellcheck disable=SC2016 # the same
	run "${new[@]}" bash -c 'mount -t tmpfs none "$HOTLINE_DIR" || exit 9
		"$0" stat split; echo $?
		"$0" create split -c 16 && "$0" stat --json split |
			jq -r .alive' "$HOTLINE"
	is 'a folder of one'\''s own has no ring of others' 3 "$(head -1 <<< "$out")"
	says 'and the error has the path that was looked at' \
		"$HOTLINE_DIR/hotline.split"
	is 'one that is made there has no peer' 0 "$(sed -n 2p <<< "$out")"
else
	tap_skip 'a ring that does not fit is refused' 'no right to mount'
fi

tap_done
