#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# mutants.sh - test_race fails when a step of the protocol is broken
#
# Each sentence of doc/protocol.md that the model wanted, broken in turn in the
# real code: see tests/race/README.md.

. "$(dirname "$0")/../support/tap.sh"
. "$(dirname "$0")/mutants_lib.sh"

[ "$SANITIZER" = no ] || tap_skip_all 'mutants are built without sanitizers'
[ -x "$top_builddir/tests/race/test_race" ] ||
	tap_skip_all 'test_race is not built'
sed --version >/dev/null 2>&1 || tap_skip_all 'sed is not that of GNU'
tap_tmp

objects=$(echo "$top_builddir"/tests/race/test_race-*.o)
archive=lib/libhotline-hooked.la
flags=-DHLI_HOOKED
link_flags=$(sed -n '/^race_wraps =/,/[^\\]$/p' "$top_builddir/Makefile" |
	sed 's/^race_wraps =//; s/\\$//' | tr '\n' ' ')
run() {
	HOTLINE_RUNS=100000 HOTLINE_SCENARIO=$1 CK_TAP_LOG_FILE_NAME=- CK_VERBOSITY=silent timeout 120 \
		"$tmp/test"
}

# Claims.
mutant 'a claim does not look whether the slots are settled' 'no group' claim.c \
	's/if \(n && !claimer->sole && /if (false \&\& /'
mutant 'a publish stamps again what readers have passed' 'puts' claim.c \
	's/hli_stamp_position\(hli_load_acq\(stamp\)\) >= first/false/'
mutant 'what lies below a cursor counts as settled' 'a shared group at the newest' group.c \
	's/passed.from = hli_load_acq\(&g->start\);/passed.from = 1;/'
mutant 'a producer that fails to claim keeps its range' 'two producers, exclusive' claim.c \
	's/hli_range_empty\(claimer->record\);/;/'
mutant 'a producer stores its range after the claim' 'no group' claim.c \
	's/(\thli_range_set\(claimer->record, h, h \+ n\);\n)(.*return 0;\n)(\tHLI_HOOK\("claim_head"\);\n)/\2\3\1/'
mutant 'a sole producer stores its range after head' 'sole' claim.c \
	's/(\thli_range_set\(claimer->record, h, h \+ n\);\n)(.*return 0;\n)(\tHLI_HOOK\("claim_head"\);\n)/\tif (!claimer->sole)\n\1\2\3\tif (claimer->sole)\n\1/'
mutant 'a stamp is stored before the claim is in head' 'no group' claim.c \
	's/(\thli_range_set\(claimer->record, h, h \+ n\);\n)/\1\thli_store_rel(hli_stamp(view, h), h);\n/'

# Low.
mutant 'low is not scanned again' 'comes and goes' group.c \
	's/(	low = hli_min\(low, found.low\);\n)/	;\n/'
mutant 'low is not announced' 'comes and goes' group.c \
	's/raise_to\(&view->header->announced, low\);/;/'
mutant 'a group does not look at announced once it is active' 'comes and goes' group.c \
	's/(hli_fence_store_load\(\);\n)\treturn hli_load_acq\(&view->header->announced\);/\1\treturn start;/'
mutant_not_seen 'tails are read after the ranges' 'producer, two members' group.c \
	's/(\tHLI_HOOK\("scan_head"\);\n)/\1\tfound.low = lowest_range(view, found.low);\n/; s/if \(found.shared\)\n/if (false)\n/'
mutant 'ranges of the dead do not hold low' 'producer, two members' group.c \
	's/if \(hli_range_get\(&view->records\[i\], &from, &to\)\)\n\t\t\tlow/if (hli_record_active(\&view->records[i]) \&\&\n\t\t    hli_range_get(\&view->records[i], \&from, \&to))\n\t\t\tlow/'
mutant 'ranges do not hold low' 'producer, two members' group.c \
	's/if \(found.shared\)\n/if (false)\n/'

# Takes.
mutant 'a member stores its range after the tail' 'producer, two members' take.c \
	's/(\thli_range_set\(taker->record, t, t \+ n\);\n)(.*)(\tHLI_HOOK\("take_tail"\);\n)/\2\3\1/'
mutant 'a member that fails to take keeps its range' 'producer, two members' take.c \
	's/hli_range_empty\(taker->record\);/;/'
mutant 'an exclusive consumer does not store what it hands out' 'two producers, exclusive' take.c \
	's/hli_store_rel\(&taker->group->handed, taker->handed\);/;/'
mutant 'a lossy reader trusts the stamp alone' 'lossy reader' take.c \
	's/return head > position \+ view->geo.capacity;/return false;/'
mutant 'a lossy reader does not look at the lease again' 'payloads, lossy' take.c \
	's/if \(hli_load_rlx\(&block->lease_position\) > position\)/if (false)/'

# Single messages.
mutant 'a single message is sent without a look at the room' 'singles: producer, consumer' straight.h \
	's/h - claimer->straight_from >= claimer->straight_n/claimer->straight_n == 0/'
mutant_not_seen 'a single message goes on where there is room, settled or not' 'singles: two producers, a' claim.c \
	's/from = hli_max\(from, claimer->passed_from\);/;/'
mutant 'a single message has no range' 'singles: producer, consumer' straight.h \
	's/hli_range_set\(record, h, h \+ 1\);/;/'
mutant 'the next message is taken before it is stored as handed out' 'singles: producer, consumer' straight.h \
	's/hli_store_rel\(&taker->group->handed, p \+ 1\);/;/'
mutant 'what comes again is taken for new' 'singles: sole' straight.h \
	's/p != \(taker->taken \? taker->run.to : taker->cursor\)/false/'
mutant 'the next message is taken, published or not' 'singles: two producers' straight.h \
	's/hli_load_acq\(hli_stamp\(view, p\)\) != p/false/'
mutant 'what is in hand is finished before the next is there' 'singles: producer, consumer' straight.h \
	's/hli_store_rel\(&taker->group->next, p\);/hli_store_rel(\&taker->group->next, p + 1);/'

# The dead.
mutant 'void is stored, whatever the stamp is by now' 'two who look' recover.c \
	's/hli_cas_ar\(stamp, seen, p \| HL_SEQUENCE_VOID\)/(hli_store_rel(stamp, p | HL_SEQUENCE_VOID), true)/'
mutant 'a position that a living producer covers is made void' 'two producers, exclusive' recover.c \
	's/if \(covered\(view, p, dead\)\)/if (false)/'
mutant 'a stamp of a later lap is not taken for settled' 'no group' recover.c \
	's/hli_stamp_position\(seen\) >= p/hli_stamp_position(seen) == p/'
mutant 'positions from head on are made void' 'no group' recover.c \
	's/p < to && p < head/p < to/'
mutant 'an adopter does not look at acted' 'old tail' recover.c \
	's/acted = hli_load_acq\(&view->header->acted\);/acted = 0;/'
mutant 'an adopter looks at announced' 'a new group' recover.c \
	's/acted = hli_load_acq\(&view->header->acted\);/acted = hli_load_acq(\&view->header->announced);/'
mutant 'acted is raised to what the first scan found' 'a new group' group.c \
	's/raise_to\(&view->header->announced, low\);/raise_to(\&view->header->announced, low);\n\traise_to(\&view->header->acted, low);/'
mutant 'acted is not raised' 'old tail' group.c \
	's/raise_to\(&view->header->acted, low\);/;/'
mutant_not_seen 'low is not scanned again once acted is raised' 'old tail' group.c \
	's/return hli_min\(low, scan\(view\).low\);/return low;/'
mutant 'an adopter does not look at the stamps' 'abandons' recover.c \
	's/hli_load_acq\(hli_stamp\(view, \*from\)\) != \*from/false/; s/if \(hli_load_acq\(hli_stamp\(view, \*from \+ n\)\) != \*from \+ n\)/if (false)/'
mutant_not_seen 'a record becomes free with its range' 'adopt' recover.c \
	's/hli_range_empty\(r\);/;/'
mutant 'who looks does not read the state again under the byte' 'one who joins' reap.c \
	's/if \(hli_record_state\(r\) == HLI_FREE\)/if (false)/'
mutant 'a dead record is not marked so before its range is read' 'at the newest' reap.c \
	's/if \(hli_record_state\(r\) != HLI_DEAD\)/if (false)/'
mutant 'a byte is given back before the record is recovered' 'one who joins' reap.c \
	's/(HLI_HOOK\("reap_dead"\);\n)/\1\thli_lock_drop(member->lock_fd, HLI_LOCK_RECORD(record));\n/'
mutant 'who looks does not ask for the byte' 'no group' reap.c \
	's/if \(hli_lock_try\(member->lock_fd, HLI_LOCK_RECORD\(record\)\) < 0\)\n\t\treturn 0;/(void)hli_lock_try(member->lock_fd, HLI_LOCK_RECORD(record));/'
mutant_not_seen 'who joins does not read the state again under the byte' 'one who joins' join.c \
	's/(HLI_HOOK\("join_locked"\);\n\tif \()hli_record_state\(r\) != state/\1false/'
mutant 'an adopted record is unlocked before it is free' 'one who adopts, one' reap.c \
	's/(\thli_record_free\(&member->ring->view, record\);\n)(\thli_lock_drop\(member->lock_fd, HLI_LOCK_RECORD\(record\)\);\n)/\2\1/'

# Blocks.
mutant 'a block is not looked at again once it is leased' 'two producers with' arena.c \
	's/if \(hli_load_acq\(&b->last_position\) >= low\)/if (false)/'
mutant 'a lease says nothing about its position' 'payloads, lossy' arena.c \
	's/hli_store_rel\(&b->lease_position, hli_head\(view\)\);/;/'
mutant 'blocks of the dead are sealed with head' 'two dead producers' arena.c \
	's/hli_head\(view\) - 1/hli_head(view)/'
mutant 'a block becomes free before its last position is stored' 'two producers with' arena.c \
	's/(\thli_store_rel\(&b->last_position, last\);\n)(.*)(\tHLI_HOOK\("seal_owner"\);\n)/\2\3\1/'

# Ends.
mutant 'finish stores head instead of setting its bit' 'finish, producer' claim.c \
	's/hli_or_ar\(&view->header->head, HLI_FINISHED\);/uint64_t h = hli_load_acq(\&view->header->head);\n\tHLI_HOOK("mutant");\n\thli_store_rel(\&view->header->head, h | HLI_FINISHED);/'
mutant 'a group is at the end when all is handed out' 'finish, two' take.c \
	's/hli_group_low\(view, taker->group_index\)/hli_load_acq(\&taker->group->next)/'
mutant 'an evicted member loses its run before it is handed over' 'by force' admin.c \
	's/(\thli_range_set\(member->record, begin, end\);\n)(.*)(\t\(void\)hli_cas_ar\(&from->from, begin, end\);\n)/\3\2\1/'
mutant 'what an evicted member had is not handed over' 'by force' admin.c \
	's/(\tHLI_HOOK\("evict_dead"\);\n)\thli_range_set\(member->record, begin, end\);/\1/'
mutant 'checksums are for the first position of a burst' 'checksums of two' produce.c \
	's/slot, view->geo.slot_bytes, position,/slot, view->geo.slot_bytes, producer->claimer.first,/'
mutant 'nobody goes on with a record whose reaper died' 'two deaths' reap.c \
	's/(if \(hli_record_state\(r\) == )HLI_FREE\)/\1HLI_FREE || hli_record_state(r) == HLI_DEAD)/'

tap_diag "$mutants_caught of $mutants_count caught"
tap_done
