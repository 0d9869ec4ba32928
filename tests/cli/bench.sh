#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# bench.sh - hotline bench: figures that can be, and refusals

. "$(dirname "$0")/lib.sh"

expect 'an argument is refused' 2 hotline bench 10
expect 'one core is refused' 2 hotline bench --cores 0
expect 'the same core twice is refused' 2 hotline bench --cores 0,0
expect 'no number is refused' 2 hotline bench --cores a,b
expect 'an hour is refused' 2 hotline bench --time 1h

if [ "$(nproc)" -lt 2 ]; then
	tap_skip 'it measures' 'it takes two cores'
	tap_done
fi
expect 'a core that is not there is refused' 2 hotline bench --cores 0,1023
says 'and named' '--cores: 0 and 1023'

tap_need jq
expect 'it measures' 0 hotline bench --time 100ms --json
printf '%s\n' "$out" > "$tmp/json"
tap_check 'every figure is positive, and its median is between its ends' \
	jq -e '[.line_round_trip_ns, .round_trip_ns, .round_trip_p99_ns,
		.single_per_s, .burst_32_per_s, .wake_ns] |
		all(.min > 0 and .min <= .median and .median <= .max)' "$tmp/json"
tap_check 'it says how many runs it made, and on which cores' \
	jq -e '.runs >= 3 and (.cores | length) == 2' "$tmp/json"
tap_none 'it leaves nothing behind' "$(ls "$HOTLINE_DIR")"

tap_done
