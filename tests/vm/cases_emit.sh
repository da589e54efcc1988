#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Runs inside the virtual machine: scripts compiled for a machine with busybox alone, and kernels left armed with no process.
N=1000
same() {
	sh /x/tracefs-state.sh >/tmp/after
	if cmp -s /tmp/before /tmp/after; then echo "ok $1"; else echo "not ok $1"; diff /tmp/before /tmp/after | head -n 20; fi
}
check() { if [ "$2" = "$3" ]; then echo "ok $1"; else echo "not ok $1"; echo "  got: $2"; echo "  want: $3"; cat /tmp/err; fi; }
# something of somebody else's, to be there afterwards
mkdir /sys/kernel/tracing/instances/other
echo 1 >/sys/kernel/tracing/instances/other/events/sched/sched_wakeup/enable
sh /x/tracefs-state.sh >/tmp/before
hist= kprobes=
[ -e /sys/kernel/tracing/events/sched/sched_switch/hist ] && hist=1
[ -e /sys/kernel/tracing/kprobe_events ] && kprobes=1

# ---- emit sh: busybox alone runs it ----
mkdir /tmp/alone
for c in cat sleep mkdir rmdir; do ln -s /bin/busybox /tmp/alone/$c; done
# emitted NAME TEXT: compiled, then run with nothing but busybox while `calls` makes its calls
emitted() {
	echo "$2" >/tmp/$1.tsh
	tracesh --emit sh /tmp/$1.tsh >/tmp/$1.sh 2>/tmp/err || { echo "not ok $1 is compiled"; cat /tmp/err; }
	PATH=/tmp/alone /bin/busybox ash /tmp/$1.sh 600 >/tmp/$1.out 2>/tmp/err &
	pid=$!
	while ! grep -qs 1 /sys/kernel/tracing/instances/tracesh-$pid/tracing_on && kill -0 $pid 2>/dev/null; do usleep 50000; done
	calls $N >/dev/null
	kill -TERM $pid
	wait $pid
	check "$1: the compiled script ends well" $? 0
	same "$1: tracefs as before"
}
emitted count 'syscalls:sys_enter_getppid | where common_pid > 1 | count by common_pid'
if [ $hist ]; then
	check "count: the kernel's table has them all" "$(sed -n "s/.*hitcount: *\($N\) *$/\1/p" /tmp/count.out)" $N
	emitted pair 'syscalls:sys_enter_getppid -> syscalls:sys_exit_getppid on common_pid | count by common_pid'
	check "pair: the kernel's table has them all" "$(sed -n "s/.*hitcount: *\($N\) *$/\1/p" /tmp/pair.out)" $N
else
	check "count: the buffer has them all" "$(grep -c 'calls-.*sys_getppid' /tmp/count.out)" $N
fi
emitted print 'syscalls:sys_enter_getppid | print comm'
check "print: the buffer has them all" "$(grep -c 'calls-.*sys_getppid' /tmp/print.out)" $N
if [ $kprobes ]; then
	emitted kprobe 'kprobe:do_sys_openat2(path = ustr(arg2)) | print path'
	[ "$(grep -c 'do_sys_openat2: .*path="' /tmp/kprobe.out)" -gt 2 ] && echo "ok kprobe: its events are printed" || { echo "not ok kprobe: its events are printed"; head /tmp/kprobe.out; }
fi
# refused: a clock that is not there
sed 's/^echo mono /echo monolith /' /tmp/print.sh >/tmp/refused.sh
PATH=/tmp/alone /bin/busybox ash /tmp/refused.sh 5 >/tmp/out 2>/tmp/err
check "a refused write ends with 3" $? 3
grep -q 'refused: instances/.*/trace_clock' /tmp/err && echo "ok and is named" || { echo "not ok and is named"; cat /tmp/err; }
same "refused: tracefs as before"
# killed, then undone by its own undo
sh /tmp/count.sh 600 >/dev/null 2>&1 &
pid=$!
while ! grep -qs 1 /sys/kernel/tracing/instances/tracesh-$pid/tracing_on; do usleep 50000; done
kill -9 $pid
wait $pid 2>/dev/null
sh /tmp/count.sh undo $pid 2>/tmp/err
check "undo of a killed one" $? 0
same "undo: tracefs as before"

# ---- arm and collect: nothing of tracesh runs in between ----
cat >/tmp/armed.tsh <<'S'
set buffer 8MiB
syscalls:sys_enter_getppid | where common_pid > 1 | count by common_pid
syscalls:sys_enter_getppid -> syscalls:sys_exit_getppid on common_pid | where common_pid > 1 | count by common_pid
syscall:getppid | where comm == "calls" | agg n = count()
syscalls:sys_enter_getppid | where comm == "calls" | quantile common_pid p50
S
[ $kprobes ] && echo 'kprobe:do_sys_openat2(path = ustr(arg2)) | where path == "/etc/no-such-file" | count by path' >>/tmp/armed.tsh
arm() { tracesh "$@" -e 'arm /tmp/armed.tsh' >/tmp/out 2>/tmp/err; }
load() {
	calls $N >/dev/null
	i=0
	while [ $i -lt 20 ]; do cat /etc/no-such-file 2>/dev/null; i=$((i + 1)); done
}
arm
check "arm ends well" $? 0
grep -q 'holds the last\|no event came' /tmp/err && echo "ok it says how long the buffer lasts" || { echo "not ok it says how long the buffer lasts"; cat /tmp/err; }
check "no process of ours runs" "$(ps | grep -c '[t]racesh')" 0
arm
check "armed twice is refused" $? 3
tracesh -e cleanup >/tmp/out 2>&1
load
tracesh -q -f csv -o /tmp/out -e 'collect armed' 2>/tmp/err
check "collect ends well" $? 0
same "collect: tracefs as before"
awk -v dir=/tmp/r 'BEGIN {name = "1"; system("rm -rf " dir "; mkdir " dir)} /^# / {name = substr($0, 3); next} $0 != "" {print > (dir "/" name)}' /tmp/out
check "collect: count" "$(tail -n 1 /tmp/r/1 | cut -d, -f2)" $N
check "collect: a pair's table" "$(tail -n 1 /tmp/r/2 | cut -d, -f2)" $N
check "collect: calls as pairs" "$(tail -n 1 /tmp/r/3)" $N
check "collect: a quantile, which only tracesh makes" "$(wc -l </tmp/r/4)" 2
[ $kprobes ] && check "collect: a probe" "$(tail -n 1 /tmp/r/5)" /etc/no-such-file,20
tracesh -q -e collect >/tmp/out 2>/tmp/err
check "nothing is armed any more" $? 3
# --keep goes on
arm -q
calls 30 >/dev/null
check "collect --keep" "$(tracesh -q -f csv -e 'collect --keep' 2>/tmp/err | sed -n 2p | cut -d, -f2)" 30
calls 12 >/dev/null
tracesh -q -f csv -o /tmp/out -e 'collect' 2>/tmp/err
check "collect after --keep" "$(grep -c ',12$\|,42$' /tmp/out)" 2
same "collect after --keep: tracefs as before"
# cleanup --armed, and a set that a killed one armed only in part
arm -q
tracesh -q -e 'cleanup --armed' >/tmp/out 2>/tmp/err
check "cleanup --armed" $? 0
same "cleanup --armed: tracefs as before"
[ -z "$(ls /run/tracesh 2>/dev/null)" ] && echo "ok no state is left" || { echo "not ok no state is left"; ls /run/tracesh; }
exit 0
