#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# doctor.sh - rings that are damaged on purpose, by hotline-format(5)

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/hold_lib.sh"
tap_need jq

# put RING AT - overwrite bytes with standard input
put() { dd of="$HOTLINE_DIR/hotline.$1" bs=1 seek="$2" conv=notrunc status=none; }

# word RING AT - a word of 8 bytes
word() { od -An -tu8 -j"$2" -N8 "$HOTLINE_DIR/hotline.$1" | tr -d ' '; }

# slot RING POSITION [AT] - where a byte of a slot of 64 bytes lies
slot() { echo $(($(word "$1" 72) + ($2 - 1) * 64 + ${3-0})); }

sum() { md5sum < "$HOTLINE_DIR/hotline.$1"; }

# finds KIND TEXT - is there such a finding in the JSON in out?
# shellcheck disable=SC2317 # called by tap_check
finds() {
	jq -e --arg kind "$1" --arg text "$2" '.findings | any(.kind == $kind
		and (.text | contains($text)))' <<< "$out"
}

# --- Health ---------------------------------------------------------------

hotline create r -c 16 --arena 64K --checksum payload --group g:shared:durable
printf '{"type":%d,"sender":"me","payload":["one",{"hex":"00ff"}]}\n' 1 2 3 |
	hotline send r
fill r 2
expect 'a ring that is well has no findings' 0 hotline doctor r
tap_check 'as it says' grep -q 'every invariant holds' <<< "$out"
run hotline doctor --json r
is 'in JSON too' '0 0' "$(jq -r '"\(.findings | length) \(.exit)"' <<< "$out")"
hold take r g 2
expect 'a stopped consumer is no finding' 0 hotline doctor r
kill_off "$pid"
before=$(sum r)
run hotline doctor --json r
is 'a dead one waits for recovery' 7 "$status"
tap_check 'and is a finding' finds pending 'is dead'
is 'nothing was changed' "$before" "$(sum r)"

# --- Salvage --------------------------------------------------------------

expect 'messages are saved' 7 hotline doctor --salvage "$tmp/all" r
tap_check 'how many is said' grep -q '^salvaged  5 messages, positions 1 to 5' <<< "$out"
is 'nothing was changed by that' "$before" "$(sum r)"
is 'only the owner may read them' 600 "$(stat -c %a "$tmp/all")"
is 'payloads too' '["one",{"hex":"00ff"}]' "$(head -1 "$tmp/all" | jq -c .payload)"
hotline recv -g g -t 0 --json r | jq -c 'del(.redelivered, .attempt)' > "$tmp/received"
is 'they look as recv shows them' "$(jq -c . < "$tmp/received")" \
	"$(jq -c 'del(.salvage)' < "$tmp/all")"
is 'each with a verdict' '5 whole' \
	"$(jq -r .salvage.verdict "$tmp/all" | sort | uniq -c | xargs)"
is 'and whether it was in hand' '1 2' \
	"$(jq -r 'select(.salvage.in_hand) | .position' "$tmp/all" | xargs)"
before=$(md5sum < "$tmp/all")
expect 'a file that exists stays' 1 hotline doctor --salvage "$tmp/all" r
says 'and that is said' 'exists already'
is 'as it is' "$before" "$(md5sum < "$tmp/all")"
expect 'unless forced' 0 hotline doctor --salvage "$tmp/all" --force --raw r
is 'raw slots are written' 320 "$(stat -c %s "$tmp/all")"
before=$(sum r)
expect 'but never the ring itself' 1 \
	hotline doctor --salvage "$HOTLINE_DIR/hotline.r" --force r
is 'which is unhurt' "$before" "$(sum r)"
hotline create again -c 16
hotline doctor --salvage "$tmp/lines" r > /dev/null
# Without their payloads: that ring has no arena.
expect 'saved messages can be sent' 0 hotline send again \
	< <(jq -c 'del(.payload)' < "$tmp/lines")
is 'all of them' 5 "$(hotline stat --json again | jq .messages)"

# --- Damage ---------------------------------------------------------------

printf 'XX' | put r "$(slot r 4 32)"
run hotline doctor --json r
is 'a changed message is damage' 6 "$status"
tap_check 'found by its checksum' finds damage 'position 4: its checksum'
head -c 8 /dev/zero | put r "$(slot r 5 24)"
run hotline doctor --json r
tap_check 'a stamp that is gone is found' finds damage 'position 5'
printf '\377\377\377\377\377\377\377\077' | put r 1152
run hotline doctor --json r
tap_check 'and an announced beyond head' finds damage announced
printf '\377\377\377\377\377\377\377\177' | put r 1160
run hotline doctor --json r
tap_check 'and an acted beyond that' finds damage 'acted is'
before=$(sum r)
run hotline doctor --json --salvage "$tmp/four" r
is 'what is not published is counted' '3 1 1' "$(jq -r '.salvaged |
	"\(.whole) \(.bad_checksum) \(.unpublished)"' <<< "$out")"
is 'the rest is saved' '1 2 3 4' "$(jq -r .position "$tmp/four" | xargs)"
is 'what was changed is marked' 'whole,whole,whole,bad checksum' \
	"$(jq -r .salvage.verdict "$tmp/four" | paste -sd,)"
is 'and nothing changed without --repair' "$before" "$(sum r)"
run hotline doctor --repair --json r
is 'what can be mended is mended' 'true 6' \
	"$(jq -r '"\(.repaired > 0) \(.exit)"' <<< "$out")"
is 'what is left is the message' 'position 4: its checksum is wrong' \
	"$(jq -r '.findings_after[].text' <<< "$out")"
hotline send r <<< '{"type":9}'
is 'and the ring works' 9 "$(hotline recv -g g -t 0 --json r | jq -s '.[-1].type')"

hotline create busy -c 16
fill busy 2
mkfifo "$tmp/fifo"
exec 9<> "$tmp/fifo"
start hotline send busy < "$tmp/fifo"
until_true alive_in busy 1
expect 'a healthy ring in use needs no repair' 0 hotline doctor --repair busy
printf '\77' | put busy "$(slot busy 1 24)"
expect 'a damaged one cannot be mended while somebody lives' 5 \
	hotline doctor --repair busy
says 'as is said' 'nobody lives'
kill -TERM "$pid"
ends "$pid"
expect 'then it can' 0 hotline doctor --repair busy

hotline create dead -c 16 --group g:shared:durable
hold claim dead 2
kill_off "$pid"
expect 'a dead producer is pending' 7 hotline doctor dead
expect 'and recovered by --repair' 0 hotline doctor --repair dead
is 'as recovery does' '2 0' "$(hotline stat --json dead | jq -r '"\(.voided) \(.dead)"')"

# --- Verdicts -------------------------------------------------------------

# verdicts RING - of the messages in the ring, as numbers in a row
verdicts() {
	hotline doctor --json --force --salvage "$tmp/verdicts" "$1" |
		jq -r '.salvaged | "\(.whole) \(.unproved) \(.bad_checksum)" +
			" \(.payloads_lost) \(.unpublished) \(.void)"'
}
hotline create v -c 4 --group g:shared:durable
fill v 2
is 'without a checksum nothing proves a message' '0 2 0 0 0 0' "$(verdicts v)"
is 'it is still needed' '2 true' \
	"$(jq -r .salvage.needed "$tmp/verdicts" | uniq -c | xargs)"
hotline recv -g g -t 0 v > /dev/null
verdicts v > /dev/null
is 'but not once it was received' '2 false' \
	"$(jq -r .salvage.needed "$tmp/verdicts" | uniq -c | xargs)"
hold claim v 1
is 'what is claimed is no message' '0 2 0 0 1 0' "$(verdicts v)"
kill_off "$pid"
hotline recv -g g -t 0 v > /dev/null
is 'nor is what was given up' '0 2 0 0 0 1' "$(verdicts v)"
fill v 3
hotline recv -g g -t 0 v > /dev/null
hold claim v 1
# Positions 4, 5 and 6 stand there; the slot of 3, which is void, is claimed.
is 'nor what is claimed over one of the lap before' '0 3 0 0 1 0' \
	"$(verdicts v)"
kill_off "$pid"
hotline create w -c 4 --arena 64K --checksum payload
printf '{"type":1,"payload":["one"]}\n{"type":2,"payload":["two"]}\n' |
	hotline send w
printf '\377\377\377\377' | put w "$(slot w 2 60)"
is 'a payload that cannot be read is told' '1 0 0 1 0 0' "$(verdicts w)"
is 'in its line too' 'no payload' \
	"$(jq -r 'select(.position == 2).salvage.verdict' "$tmp/verdicts")"
printf '\0' | put w 36 # the capacity no longer fits the places
printf '\1' | put w 39
run hotline doctor --json --force --salvage "$tmp/verdicts" --capacity 4 w
is 'a checksum proves a message also without a header' '1 1' \
	"$(jq -r '.salvaged | "\(.whole) \(.payloads_lost)"' <<< "$out")"
run hotline doctor --force --salvage "$tmp/verdicts" --capacity 4 w
tap_check 'people are told, too' grep -q 'of these: 1 whole, 1 no payload' <<< "$out"

# --- Schemas --------------------------------------------------------------

cat > "$tmp/order" << 'END'
message order
hot u32 magic
hot u32 type
@16 hot i64 amount "cents"
hot u64 sequence
@60 warm u32 payload_offset
END
hotline create --schema "$tmp/order" --group g:shared:durable s
hotline send s <<< '{}'
expect 'a schema that is well is no finding' 0 hotline doctor s
printf 'X' | put s $(($(word s 200) + 20))
run hotline doctor --json s
is 'one that was changed is damage' 6 "$status"
tap_check 'as its fingerprint shows' finds damage 'its schema is damaged: the fingerprint'
expect 'which repair cannot mend' 6 hotline doctor --repair s
expect 'and the messages are saved all the same' 6 \
	hotline doctor --salvage "$tmp/schemaless" s
is 'all of them' 1 "$(wc -l < "$tmp/schemaless")"

# --- Headers --------------------------------------------------------------

hotline create h -c 16
fill h 3
printf 'NOTARING' | put h 0
expect 'a ring without its magic is damaged' 6 hotline doctor h
expect 'and not to be mended' 6 hotline doctor --repair h
before=$(sum h)
expect 'its messages are saved' 6 hotline doctor --salvage "$tmp/h1" h
is 'all of them' 3 "$(wc -l < "$tmp/h1")"
head -c 8 /dev/zero | put h 32
head -c 4 /dev/zero | put h 92
expect 'without its sizes they are asked for' 2 \
	hotline doctor --salvage "$tmp/h2" h
says 'as is said' 'slot size and capacity'
tap_check 'and no file is left' test ! -e "$tmp/h2"
expect 'and suffice' 6 hotline doctor --salvage "$tmp/h2" --capacity 16 \
	--slot-size 64 h
is 'for all of them again' "$(cat "$tmp/h1")" "$(cat "$tmp/h2")"
head -c 2048 /dev/zero | put h 0
expect 'without a header the slots are searched for' 6 \
	hotline doctor --salvage "$tmp/h3" --capacity 16 --slot-size 64 h
is 'and found' "$(cat "$tmp/h1")" "$(cat "$tmp/h3")"
hotline create c -c 1024
fill c 3
truncate -s 60000 "$HOTLINE_DIR/hotline.c"
expect 'a file that was cut is damaged' 6 hotline doctor c
run hotline doctor --json c
tap_check 'as is said' finds damage 'cut'
expect 'what lies before the cut is saved' 6 \
	hotline doctor --salvage "$tmp/cut" c
is 'all that was there' 3 "$(wc -l < "$tmp/cut")"
expect 'noise is, too' 6 hotline doctor "$tmp/../$(basename "$tmp")/h1"
expect 'a ring that is not there is an error' 3 hotline doctor nosuch
expect 'and leaves no file' 3 hotline doctor --salvage "$tmp/none" nosuch
tap_check 'none at all' test ! -e "$tmp/none"
expect '--raw alone is wrong usage' 2 hotline doctor --raw h
expect 'and so is a capacity that no ring has' 2 hotline doctor -s "$tmp/none" \
	--capacity 1000 h
run hotline doctor --json --salvage "$tmp/all" h
is 'an error is in the JSON, beside the findings' '1 1 true' "$(
	jq -r '"\(.exit) \(.findings | length) \(.error != null)"' <<< "$out")"

tap_done
