#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Runs inside the virtual machine with busybox: the same questions on every kernel, exact counts, and
# tracefs compared with what it was before.
N=2000
T="tracesh -q -f csv"
check() { if [ "$2" = "$3" ]; then echo "ok $1"; else echo "not ok $1"; echo "  got: $2"; echo "  want: $3"; cat /tmp/err; fi; }
last() { tail -n 1; }
same() {
	sh /x/tracefs-state.sh >/tmp/after
	if cmp -s /tmp/before /tmp/after; then echo "ok $1"; else echo "not ok $1"; diff /tmp/before /tmp/after | head -n 20; fi
}
uname -r
# something of somebody else's, to be there afterwards
mkdir /sys/kernel/tracing/instances/other
echo 1 >/sys/kernel/tracing/instances/other/events/sched/sched_wakeup/enable
echo 'prio < 100' >/sys/kernel/tracing/instances/other/events/sched/sched_wakeup/filter
echo 1 >/sys/kernel/tracing/events/sched/sched_process_exit/enable
sh /x/tracefs-state.sh >/tmp/before
run() { $T -c "calls $N >/dev/null" "$@" 2>/tmp/err; }
check "an event is counted" "$(run -e 'syscalls:sys_enter_getppid | where comm == "calls" | count' | last)" $N
check "by process" "$(run -e 'syscalls:sys_enter_getppid | count by comm' | grep '^calls,')" "calls,$N"
check "a call as a pair" "$(run -e 'syscall:getppid | where comm == "calls" | agg n = count()' | last)" $N
check "over raw_syscalls" "$(run -e 'syscall:* | where comm == "calls" && name == "getppid" | count' | last)" $N
check "a pair by task" "$(run -e 'syscalls:sys_enter_getppid -> syscalls:sys_exit_getppid on tid | where comm == "calls" | stats delta' | last | cut -d, -f1)" $N
check "only the command's children" "$(run --children -e 'syscalls:sys_enter_getppid | count by comm' | grep -c -v '^comm,\|^calls,\|^sh,\|^tracesh,')" 0
run -e 'sched_waking -> sched_switch on pid == next_pid | hist delta by next_comm' | grep -q ",[1-9]" && echo "ok wake-up latency" || { echo "not ok wake-up latency"; cat /tmp/err; }
run -e 'sched_switch | where prev_state == "S" | count by prev_comm' | grep -q ',[1-9]' && echo "ok states by their letters" || { echo "not ok states by their letters"; cat /tmp/err; }
run -e 'sched:*, irq:*, timer:* | count by event' | grep -q '^sched_switch,' && echo "ok globs" || echo "not ok globs"
tracesh -q -c "calls $N >/dev/null" -e "sched_switch | limit 5" | grep -q 'sched_switch: .*==>' && echo "ok the kernel's own format" || echo "not ok the kernel's own format"
check "no format is beyond the parser" "$(tracesh -e 'describe *:*' 2>/tmp/err | grep -c 'could not be read whole')" 0
check "a file is read" "$(tracesh -q -f csv -i v6-small.dat -e 'sched_switch | count' | last)" 152
check "a packed file is read" "$(tracesh -q -f csv -i v7-zstd.dat -e '* | count' | last)" 1409
tracesh -q -f csv -e 'sched_switch | count' >/tmp/out 2>/tmp/err &
pid=$!
sleep 3
kill -TERM $pid
wait $pid
check "SIGTERM ends a run well" $? 0
same "tracefs as before after SIGTERM"
tracesh -q -e 'sched_switch | count' >/tmp/out 2>/tmp/err &
pid=$!
sleep 3
kill -9 $pid
wait $pid 2>/dev/null
ls /sys/kernel/tracing/instances | grep -q tracesh && echo "ok kill -9 leaves an instance" || echo "not ok kill -9 leaves an instance"
tracesh -q -e cleanup >/tmp/out 2>/tmp/err
check "cleanup ends well" $? 0
same "tracefs as before after kill -9 and cleanup"
tracesh -e doctor >/tmp/out 2>/tmp/err
check "doctor" $? 0
[ "$(grep -c . /tmp/out)" -gt 20 ] && echo "ok doctor tells" || echo "not ok doctor tells"
exit 0
