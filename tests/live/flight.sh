#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What is kept of the past: record last, snapshot; and stop.
. "$(dirname "$0")/lib.sh"
state >"$TMP/before"
D=$TMP/flight; mkdir -p "$D"

"$TRACESH" -q -c "for i in 1 2 3 4; do $CALLS 1000 >/dev/null; sleep 0.5; done" -e "raw_syscalls:* | record \"$D/last.dat\" last 1s" 2>"$TMP/err"
check "record last" $? 0
"$TRACESH" -q -i "$D/last.dat" -f json -e 'raw_syscalls:* | agg first = min(ts), last = max(ts)' >"$D/out" 2>"$TMP/err"
check "no losses in it" $? 0
check "it holds the last second and not much more" "$(python3 -c 'import json,sys
r=json.loads(open(sys.argv[1]).readline()); d=r["last"]-r["first"]; print(0.3e9 < d < 2e9 or d)' "$D/out")" True
"$TRACESH" -q -c "$CALLS 200000 >/dev/null" -e 'set buffer 256KiB' -e "raw_syscalls:* | record \"$D/over.dat\" last 60s" 2>"$TMP/err"
check "what a flight recorder overwrites is no loss" "$? $(wc -c <"$TMP/err")" "0 0"
"$TRACESH" -q -i "$D/over.dat" -e 'raw_syscalls:* | count' >/dev/null 2>"$TMP/err"
check "nor in the file" "$? $(wc -c <"$TMP/err")" "0 0"

"$TRACESH" -q -f json -c "$CALLS 3000 >/dev/null; sleep 20" -e 'raw_syscalls:sys_enter | where comm == "calls" | stop after 500' \
	-e 'raw_syscalls:sys_enter | where comm == "calls" | count' >"$D/out" 2>"$TMP/err"
check "stop after 500" "$(field count <"$D/out")" 500
start=$(date +%s)
"$TRACESH" -q -c 'sleep 0.3; /bin/true; sleep 30' -e 'sched_process_exec | where filename ~ "*/true" | stop' -e "sched_process_exec | record \"$D/stopped.dat\"" 2>"$TMP/err"
check "stop ends a recording" "$? $(($(date +%s) - start < 20))" "0 1"
check "at the event that it is said of" "$("$TRACESH" -q -i "$D/stopped.dat" -e 'sched_process_exec | printf "%s\n", filename' | tail -n 1 | sed 's/.*\///')" true
check "stop over a file" "$("$TRACESH" -q -i tests/data/v6-small.dat -f json -e 'sched_switch | stop after 7' -e 'sched_switch | count' | field count)" 7

"$TRACESH" -q -c "$CALLS 2000 >/dev/null; sleep 0.3; /bin/true; sleep 0.5; $CALLS 2000" \
	-e "raw_syscalls:sys_enter, sched_process_exec | where event == \"sched_process_exec\" && filename ~ \"*/true\" | snapshot \"$D/snap.dat\"" >"$D/out" 2>"$TMP/err"
check "snapshot" "$? $(test -s "$D/snap.dat" && echo there) $(grep -c sched "$D/out")" "0 there 0"
check "it has what led to it and not what came long after" "$("$TRACESH" -q -f json -i "$D/snap.dat" -e 'raw_syscalls:sys_enter | where comm == "calls" | count' | python3 -c 'import json,sys
n = json.loads(sys.stdin.readline())["count"]; print(2000 <= n < 4000 or n)')" True
"$TRACESH" -q -c "sleep 0.2; /bin/true; sleep 0.5" -e "sched_process_exec | where filename ~ \"*/true\" | snapshot \"$D/exact.dat\"" 2>"$TMP/err"
check "by a trigger the event is the last" "$("$TRACESH" -q -i "$D/exact.dat" -e 'sched_process_exec | printf "%s\n", filename' | tail -n 1 | sed 's/.*\///')" true
"$TRACESH" -q -c "$CALLS 2000 >/dev/null; sleep 0.3" -e "(sched_waking -> sched_switch on pid == next_pid) | where delta > 0ns | snapshot \"$D/pair.dat\"" 2>"$TMP/err"
check "of a pair: both its events are kept" "$("$TRACESH" -q -f json -i "$D/pair.dat" -e 'sched:* | count by event' | python3 -c 'import json,sys
print(sorted(r["event"] for r in map(json.loads, sys.stdin)))')" "['sched_switch', 'sched_waking']"
"$TRACESH" -c true -e "sched_process_exec | where filename == \"/no/such\" | snapshot \"$D/never.dat\"" 2>"$TMP/err"
check "no event, no file" "$? $(grep -c 'no event came' "$TMP/err") $(ls "$D/never.dat" 2>/dev/null)" "0 1 "
"$TRACESH" -i tests/data/v6-small.dat -e "sched_switch | snapshot \"$D/over.dat\"" >/dev/null 2>"$TMP/err"
check "over a file it has no meaning" "$? $(grep -c 'no meaning over a file' "$TMP/err")" "0 1"
same_state "tracefs as before"
