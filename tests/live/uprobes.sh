#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Functions and static probes of a program that calls them a known number of times: counted exactly, with
# their arguments; nothing of it stays, and somebody else's probe does.
. "$(dirname "$0")/lib.sh"
[ -e $TFS/uprobe_events ] || { echo "skip uprobes this kernel has no uprobe_events"; exit 0; }
cp "$(dirname "$TRACESH")/tests/prog/probed" "$TMP/probed"
P=$TMP/probed N=3000
SUM=$((N * (N - 1) / 2))
theirs=theirs_$$/probe
echo "p:$theirs $P:0x$(nm "$P" | awk '$3 == "main" {print $1}')" >>$TFS/uprobe_events
trap 'echo "-:$theirs" >>$TFS/uprobe_events' EXIT
state >"$TMP/before"
run() { "$TRACESH" -q -f csv -c "$P $N >/dev/null" "$@" 2>"$TMP/err"; }
got() { tail -n +2 | tr '\n' ' ' | sed 's/ $//'; }
check "uprobe: every call" "$(run -e "uprobe:$P:step | count" | got)" $N
check "uprobe: registers, a string, what a pointer leads to" \
	"$(run -e "uprobe:$P:step(w = ustr(arg2), a = u32(arg3), b = u8(arg3 + 4), n = ustr(u64(arg3 + 8))) | count by w, a, b, n" | got)" \
	"even,40,200,inner,$((N / 2)) odd,40,200,inner,$((N / 2))"
check "uprobe: a number" "$(run -e "uprobe:$P:step(i = arg1) | sum i" | got)" $SUM
check "uprobe: a register by name" "$(run -e "uprobe:$P:twice(i = reg(di)) | sum i" | got)" $SUM
check "uprobe: behind an instruction" "$(run -e "uprobe:$P:step+2(i = reg(di)) | sum i" | got)" $SUM
check "uretprobe: what it returns" "$(run -e "uretprobe:$P:step(r = retval: s32) | sum r" | got)" "-$SUM"
check "uprobe to uretprobe" "$(run -e "uprobe:$P:step(i = arg1) -> uretprobe:$P:step(r = retval: s32) on tid | where i == -r | stats delta" | got | cut -d, -f1)" $N
check "uprobe: a pattern" "$(run -e "uprobe:$P:?????(i = arg1), uprobe:$P:step | count by event" | grep -c "^probed_\(twice\|step\),$N$")" 2
check "uprobe: the task's name" "$(run -e "uprobe:$P:step(c = comm) | count by c" | got)" "probed,$N"
check "usdt: a number, a string, a constant, memory" \
	"$(run -e "usdt:$P:tracesh:step(i = arg1, w = ustr(arg2), c = arg3, b = arg4) | agg n = count(), t = sum(i) by w, c, b | sort w" | got)" \
	"even,-5,200,$((N / 2)),$((SUM - N * N / 4)) odd,-5,200,$((N / 2)),$((N * N / 4))"
check "usdt: a semaphore lets it through" "$(run -e "usdt:$P:tracesh:guarded(i = arg1) | agg n = count(), t = sum(i)" | got)" "$N,-$SUM"
check "usdt: several places" "$(run -e "usdt:$P:tracesh:many(i = arg1) | agg n = count(), t = sum(i) by event | sort event" | got)" \
	"tracesh_many__1,$N,$SUM tracesh_many__2,$N,$((7 * N))"
at=$(readelf -n "$P" 2>/dev/null | awk '/Name: guarded/ {f = 1} f && /Location/ {sub(",", "", $2); print $2; exit}')
if [ -n "$at" ]; then
	check "a uprobe where a static probe is" "$(run -e "uprobe:$P:$at | count" -e "usdt:$P:tracesh:guarded | count" | grep -c "^$N$")" 2
else
	echo "skip a uprobe where a static probe is: readelf is not installed"
fi
check "only the processes that are asked for" "$("$P" $N >/dev/null; run --children -e "uprobe:$P:step | count by comm" | got)" "probed,$N"
check "in the kernel's own format" "$("$TRACESH" -q -c "$P 3 >/dev/null" -e "uprobe:$P:step(i = arg1, w = ustr(arg2))" 2>"$TMP/err" | grep -c 'probed_step: *([0-9a-f]*) i=[012] w="[a-z]*"')" 3
"$TRACESH" -q -e "uprobe:$P:step(i = reg(nonsense)) | count" >"$TMP/out" 2>"$TMP/err"
check "a refusal ends with status 3" $? 3
same_state "nothing stays"
"$TRACESH" -q -e "uprobe:$P:step(i = arg1) | sum i" -e "usdt:$P:tracesh:guarded | count" >"$TMP/out" 2>"$TMP/err" &
pid=$!
wait_for grep -q "tracesh_${pid}_0/tracesh_guarded" $TFS/uprobe_events
sleep 0.5
kill -9 $pid
wait $pid 2>/dev/null
check "kill -9 leaves its probes" "$(grep -c "tracesh_${pid}_0/" $TFS/uprobe_events)" 2
"$TRACESH" -q -e cleanup >"$TMP/out" 2>"$TMP/err"
check "cleanup removes them" "$?:$(grep -c "tracesh_${pid}_0/" $TFS/uprobe_events)" 0:0
same_state "tracefs as before, somebody else's probe with it"
