#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Every fast path gives the bytes of the slow one, on every recorded file: our reader against libtracecmd,
# compiled print formats against libtraceevent, threads against one.
set -u
cd "$(dirname "$0")/../.." || exit 2
slow=(--set reader=libtracecmd --set fastprint=off --set threads=1)
pipelines=(
	'*'
	'* | count by event, comm'
	'* | count by event, cpu'
	'* | count by comm, event, system'
	'* | agg n = count(), least = min(ts), most = max(ts) by comm, tid'
	'* | quantile ts p50 p99 by event'
	'* | distinct comm by event'
	'* | where cpu == 0 | hist common_pid by event'
	'* | sum common_pid by event | top 3'
	'* | stats ts by event, cpu'
	'* | avg ts by cpu; * | count; * | min ts by event'
	'* | distinct common_pid by event'
	'* | agg a = max(common_pid), b = distinct(event), c = avg(common_pid), d = p99(ts) by cpu'
	'* | let x = common_pid % 7 | where x > 2 | count by x, event'
	'* | where cpu > 99 | count'
	'* | hist common_pid step 10 by cpu'
	'* | count by event, comm | every 1ms'
	'* -> * on tid | stats delta by event'
)
for f in tests/data/*.dat; do
	for p in "${pipelines[@]}"; do
		"$TRACESH" -q --set threads=2 -i "$f" -e "$p" >"$TMP/fast" 2>"$TMP/fast.err"
		a=$?
		# libtracecmd leaks what its sscanf("%ms") calls gave it
		ASAN_OPTIONS=detect_leaks=0 "$TRACESH" -q "${slow[@]}" -i "$f" -e "$p" >"$TMP/slow" 2>"$TMP/slow.err"
		b=$?
		if [ $a = $b ] && [ $a != 1 ] && cmp -s "$TMP/fast" "$TMP/slow"; then
			echo "ok $(basename "$f") $p"
		else
			cat "$TMP/fast.err"
			diff "$TMP/fast" "$TMP/slow" | head -5
			echo "not ok $(basename "$f") $p (status $a and $b)"
		fi
	done
done
