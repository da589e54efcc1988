#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# However a run ends, tracefs is afterwards what it was, somebody else's settings included.
. "$(dirname "$0")/lib.sh"
mine=$TFS/instances/somebody-$$
mkdir "$mine" && echo 1 >"$mine/events/sched/sched_wakeup/enable"
echo 'prio < 100' >"$mine/events/sched/sched_wakeup/filter"
was=$(cat $TFS/events/sched/sched_process_exit/enable)
echo 1 >$TFS/events/sched/sched_process_exit/enable
trap 'echo $was >$TFS/events/sched/sched_process_exit/enable; rmdir "$mine"' EXIT
state >"$TMP/before"
"$TRACESH" -q --for 300ms -e 'sched_switch | count by next_comm' >"$TMP/out" 2>"$TMP/err"
check "a run ends by itself" $? 0
same_state "after the end of a run"
for sig in TERM INT HUP; do
	"$TRACESH" -q -f json -e 'sched_switch | count' >"$TMP/out" 2>"$TMP/err" &
	pid=$!
	wait_for sh -c "ls $TFS/instances | grep -q tracesh-$pid"
	sleep 0.5
	kill -$sig $pid
	wait $pid
	check "status after SIG$sig" $? 0
	[ "$(field count <"$TMP/out")" -gt 0 ] && echo "ok results so far after SIG$sig" || echo "not ok results so far after SIG$sig"
	same_state "after SIG$sig"
done
"$TRACESH" -q -e 'sched_switch | print next_comm' 2>"$TMP/err" | head -1 >"$TMP/out"
[ -s "$TMP/out" ] && echo "ok head got its line" || echo "not ok head got its line"
same_state "after a closed pipe"
"$TRACESH" -q --set clock=nonsense --for 1s -e 'sched_switch | count' >"$TMP/out" 2>"$TMP/err"
check "a refused write is status 3" $? 3
same_state "after a refused write"
"$TRACESH" -q --for 1s -e 'sched_switch | count > /nonexistent/file' >"$TMP/out" 2>"$TMP/err"
check "an unwritable file is status 3" $? 3
same_state "after an unwritable file"
# killed: everything stays, cleanup removes it and nothing else
"$TRACESH" -q -e 'sched_switch | count' >"$TMP/out" 2>"$TMP/err" &
pid=$!
wait_for sh -c "ls $TFS/instances | grep -q tracesh-$pid"
sleep 0.3
kill -9 $pid
wait $pid 2>/dev/null
"$TRACESH" -e cleanup >"$TMP/out" 2>"$TMP/err"
check "cleanup ends well" $? 0
same_state "after kill -9 and cleanup"
# two at once
"$TRACESH" -q -f json -c 'sleep 1' -e 'sched_switch | count' >"$TMP/out1" 2>"$TMP/err" &
one=$!
"$TRACESH" -q -f json -c 'sleep 0.3' -e 'sched_waking | count' >"$TMP/out2" 2>"$TMP/err2"
wait $one
[ "$(field count <"$TMP/out1")" -gt 0 ] && [ "$(field count <"$TMP/out2")" -gt 0 ] && echo "ok two at once" || echo "not ok two at once"
same_state "after two at once"
