#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# payments.sh - the payments pipeline gives a file's totals, to the cent
#
# Runs it on files that nacha_gen writes, on spoiled copies of them, and on the
# sample files beside the project if there are any ($HOTLINE_TEST_DATA).

. "$(dirname "$0")/../support/tap.sh"

export HOTLINE_BUILD=$top_builddir
run=$top_srcdir/examples/payments/run
gen=$top_builddir/examples/payments/nacha_gen
data=${HOTLINE_TEST_DATA:-$top_srcdir/../shared/data}/ach
shm=${HOTLINE_DIR:-/dev/shm}
ring=test-payments-$$

tap_tmp

# payments STATUS ARGUMENT... - run it; what it says goes to $tmp/said
payments() {
	local wanted=$1 status

	shift
	timeout 120 "$run" --ring "$ring" "$@" > "$tmp/said" 2>&1
	status=$?
	[ "$status" -eq "$wanted" ] && [ ! -e "$shm/hotline.$ring" ] && return
	echo "status $status, expected $wanted;" \
		"ring: $(ls "$shm/hotline.$ring" 2>&1)"
	head -n 40 "$tmp/said"
	return 1
}

said() {
	grep -qF -- "$1" "$tmp/said" && return
	printf 'does not say "%s" but:\n' "$1"
	head -n 40 "$tmp/said"
	return 1
}

# total FILES BATCHES COUNT DEBITS CREDITS
total() {
	said "total: files $1, batches $2, entries and addenda $3, debits $4, credits $5"
}

sample() {
	payments 0 "$top_srcdir/examples/payments/sample.ach" &&
		total 1 4 256 68,026.76 409,261.55 &&
		said '5 of 5 control records agree'
}
tap_check 'the sample in the repository agrees with its control records' sample

# every_way FILE COUNT DEBITS CREDITS - workers and slot sizes
every_way() {
	local workers slot

	for workers in 1 3; do
		for slot in 64 128; do
			payments 0 --workers "$workers" --slot-size "$slot" "$1" &&
				total 1 4 "$2" "$3" "$4" || return
		done
	done
}

"$gen" --entries 3000 --batches 4 --seed 7 --addenda all --out "$tmp/all.ach"
tap_check 'totals agree with 1 and 3 workers, slots of 64 and 128 bytes' \
	every_way "$tmp/all.ach" 6000 964,669.55 6,173,848.11

two_files() {
	payments 0 --repeat 3 "$tmp/all.ach" "$tmp/all.ach" &&
		total 6 24 36000 5,788,017.30 37,043,088.66 &&
		said '30 of 30 control records agree'
}
tap_check 'several files, and repeated ones, are counted each' two_files

standard_input() {
	payments 0 - < "$tmp/all.ach" && total 1 4 6000 964,669.55 6,173,848.11
}
tap_check 'a file can come by standard input' standard_input

# A batch of one entry with as many addenda as the format allows.
many_addenda() {
	awk 'BEGIN {
		printf "101 231380104 1210428822601020930A094101%-54s\n", ""
		printf "5200%-46s%-19s%6s   11210428800000%02d\n", "", "CTX", "260105", 1
		note = sprintf("%80s", "")
		gsub(/ /, "x", note)
		printf "622231380104%-17s%010d%-15s9999%-20s1121042880000001\n",
			"1", 150, "", "Name"
		for (i = 1; i <= 9999; i++)
			printf "705%s%04d0000001\n", note, i
		printf "8200%06d%010d%012d%012d%-35s121042880000001\n",
			10000, 23138010, 0, 150, ""
		printf "9%06d%06d%08d%010d%012d%012d\n",
			1, 1001, 10000, 23138010, 0, 150
	}' > "$tmp/many.ach"
	payments 0 "$tmp/many.ach" && total 1 1 10000 0.00 1.50
}
tap_check 'an entry may have 9,999 addenda' many_addenda

# --- Malformed lines ---------------------------------------------------------

"$gen" --entries 100 --batches 2 --seed 3 --addenda none --out "$tmp/good.ach"

spoiled_type() {
	sed '5s/^6/x/' "$tmp/good.ach" > "$tmp/spoiled.ach"
	payments 1 "$tmp/spoiled.ach" &&
		said "spoiled.ach: line 5: record type 'x' is not 1 or 5 to 9" &&
		said 'entries 49, control says 50' &&
		said '1 of 3 control records agree' &&
		said 'entries 99, addenda 0, malformed lines 1'
}
tap_check 'a malformed line is reported, and its batch does not agree' \
	spoiled_type

inserted_line() {
	sed '5i this is no record' "$tmp/good.ach" > "$tmp/spoiled.ach"
	payments 0 "$tmp/spoiled.ach" &&
		said "spoiled.ach: line 5: record type 't' is not 1 or 5 to 9" &&
		said '3 of 3 control records agree'
}
tap_check 'a line that should not be there is reported and stops nothing' \
	inserted_line

wrong_control() {
	sed '/^9000/s/^9000002/9000003/' "$tmp/good.ach" > "$tmp/spoiled.ach"
	payments 1 "$tmp/spoiled.ach" &&
		said 'DIFFERS: batches 2, control says 3'
}
tap_check 'a control record that is wrong is shown with both values' \
	wrong_control

missing_control() {
	sed '/^8200/d' "$tmp/good.ach" > "$tmp/spoiled.ach"
	payments 1 "$tmp/spoiled.ach" &&
		said 'no control record (type 8) of batch 0000001' &&
		said 'DIFFERS: no batch control'
}
tap_check 'a batch control that is missing is a difference' missing_control

cut_file() {
	head -n 60 "$tmp/good.ach" > "$tmp/spoiled.ach"
	payments 1 "$tmp/spoiled.ach" && said 'DIFFERS: no file control'
}
tap_check 'a file that breaks off is a difference' cut_file

no_records() {
	payments 1 /dev/null && said '0 of 0 control records agree'
}
tap_check 'a file without records is not right' no_records

# Messages of others on the same ring; the worker ends when it is finished.
dead_letters() {
	{
		"$HOTLINE" create "$ring" --arena 1M \
			--group workers:shared:durable &&
			printf '%s\n' '{"type": 6, "recipient": "231380104"}' \
				'{"type": 77}' | "$HOTLINE" send "$ring" &&
			"$top_builddir/examples/payments/ach_source" \
				--ring "$ring" "$tmp/good.ach" &&
			timeout 20 "$top_builddir/examples/payments/ach_worker" \
				--ring "$ring"
	} > "$tmp/said" 2>&1
	"$HOTLINE" rm "$ring"
	said 'position 1, line 0: no entry of a file' &&
		said 'position 2, line 0: unknown type' &&
		grep -q "^total	100	[0-9]*	[0-9]*	2	0\$" "$tmp/said"
}
tap_check 'a worker reports what is no payment, counts it, and goes on' \
	dead_letters

# --- Sample files ------------------------------------------------------------

samples() {
	local file status

	for file in "$data"/*.ach; do
		# These three do not agree with their own control records.
		case ${file##*/} in
		several-batches.ach | several-batches-invalid.ach | utf8-names.ach)
			status=1
			;;
		*) status=0 ;;
		esac
		payments "$status" "$file" || return
	done
}

payroll() {
	every_way "$data/payroll-ppd-5000-entries.ach" 10000 0.00 5,000,000.00
}

# A million entries.
payroll_again() {
	local times=200

	[ "$SANITIZER" = no ] || times=10
	payments 0 --workers 3 --repeat "$times" \
		"$data/payroll-ppd-5000-entries.ach" &&
		said "$((times * 5)) of $((times * 5)) control records agree" &&
		said "entries $((times * 5000)), addenda $((times * 5000)), malformed lines 0"
}

if [ -d "$data" ]; then
	tap_check 'the sample files agree, or differ where they are wrong' samples
	tap_check 'the totals of the 5,000 entries are right in every way' payroll
	tap_check 'a million entries give a million, to the cent' \
		payroll_again
else
	tap_skip 'the sample files agree' "no folder $data"
fi

# decoded - a ring that was kept is read by the schema that it carries
decoded() {
	local slot

	for slot in 64 128; do
		timeout 120 "$run" --ring "$ring" --keep --slot-size "$slot" \
			"$top_srcdir/examples/payments/sample.ach" > "$tmp/said" \
			2>&1 || return
		"$top_builddir/tools/hotline" tail --from oldest --timeout 0 \
			--where 'type == batch-control' "$ring" > "$tmp/tail"
		rm -f "$shm/hotline.$ring"
		[ "$(grep -c 'type batch-control ' "$tmp/tail")" = 4 ] || return
	done
}
tap_check 'its ring is read by the schema that it carries' decoded

# other_ring - the source does not send into a ring of other messages
other_ring() {
	"$top_builddir/examples/payments/ach_source" --print-schema 64 |
		sed 's/"cents"/"mills"/' |
		"$top_builddir/tools/hotline" create --schema - "$ring" || return
	! "$top_builddir/examples/payments/ach_source" --ring "$ring" \
		"$top_srcdir/examples/payments/sample.ach" 2> "$tmp/said" &&
		said 'byte 16: ours is i64 amount "cents", theirs is i64 amount "mills"'
}
tap_check 'the source refuses a ring whose amounts are no cents' other_ring
rm -f "$shm/hotline.$ring"

tap_done
