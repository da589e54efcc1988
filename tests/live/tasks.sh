#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# 2,000 short processes on 64 ids, with threads, exec, children and orphans: every event has the name, process
# and parent that they printed themselves.
. "$(dirname "$0")/lib.sh"
STORM=$(dirname "$TRACESH")/tests/prog/storm
state >"$TMP/before"
first=$(($(cat /proc/sys/kernel/pid_max) / 2 + RANDOM % 4096))
"$STORM" 1 $first 64 >/dev/null 2>&1 || { echo "skip tasks process ids cannot be chosen here"; exit 0; }
Q='syscalls:sys_enter_getppid | printf "%d\t%d\t%d\t%d\t%s\n", ts, tid, pid, ppid, comm'
"$TRACESH" -q -c "'$STORM' 2000 $first 64 >'$TMP/phases'" -e "$Q" >"$TMP/events" 2>"$TMP/err"
check "ran without a loss" $? 0
check "events and ids" "$(cut -f1 "$TMP/phases" | sort | uniq -c | awk '$1 > 10 {n++} END {print (n >= 60)}')" 1
check "every event is attributed rightly" "$(awk -f tests/storm-check.awk "$TMP/phases" "$TMP/events")" "10400 events, 10400 expected, 0 wrong"
# the idle task of each CPU has a name of its own and process 0
idle=$("$TRACESH" -q -f csv -c 'sleep 0.5' -e 'sched_switch | where tid == 0 | count by comm, cpu, pid' 2>"$TMP/err" | sed 1d)
if [ -z "$idle" ]; then
	echo "skip idle tasks no CPU was idle"
else
	check "idle tasks" "$(echo "$idle" | awk -F, '$1 != ("swapper/" $2) || $3 != 0 {bad++} END {print bad + 0}')" 0
fi
same_state "tracefs as before"
