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
	PATH=/tmp/alone /bin/busybox ash /tmp/$1.sh 5 >/tmp/$1.out 2>/tmp/err &
	pid=$!
	while ! grep -qs 1 /sys/kernel/tracing/instances/tracesh-$pid/tracing_on && kill -0 $pid 2>/dev/null; do usleep 50000; done
	calls $N >/dev/null
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
exit 0
