#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# record.sh [DIR]: how the files here were recorded (Debian 12's 6.1 kernel, 2 CPUs, trace-cmd 3.1.6, as root in a
# virtual machine). ./work is work.c, built statically. Afterwards make-answers.sh takes the answers.
set -eu
out=$(cd "${1:-.}" && pwd)
work=$(cd "$(dirname "$0")" && pwd)/work
# a small kallsyms keeps the files small
syms=$(mktemp)
grep -E ' [tT] (schedule|do_idle|__x64_sys_(getppid|openat|nanosleep)|do_sys_openat2|try_to_wake_up|hrtimer_[a-z_]*|tick_[a-z_]*|irq_[a-z_]*|handle_[a-z_]*|vfs_[a-z_]*|.*\.part\.0|.*\.isra\.0)$' /proc/kallsyms | head -400 >"$syms"
mount -o bind "$syms" /proc/kallsyms

sched="-e sched:sched_switch -e sched:sched_wakeup -e sched:sched_waking -e sched:sched_process_fork -e sched:sched_process_exit -e sched:sched_process_exec"
calls="-e syscalls:sys_enter_getppid -e syscalls:sys_exit_getppid -e syscalls:sys_enter_openat -e syscalls:sys_exit_openat"
irq="-e irq:irq_handler_entry -e irq:irq_handler_exit -e irq:softirq_entry -e irq:softirq_exit"
v6="--file-version 6"
v7="--file-version 7 --compression zstd"
rec() { f=$1; shift; trace-cmd record -q -o "$out/$f" "$@"; }

rec v6-small.dat $v6 -C mono $sched $calls $irq "$work" 30 2000
rec v7-zstd.dat $v7 -C mono $sched $calls $irq "$work" 60 2000
rec v6-instances.dat $v6 $calls -B one $sched -B two $irq "$work" 20 2000
rec v7-instances.dat $v7 $calls -B one $sched -B two $irq "$work" 20 2000
rec v7-none.dat --file-version 7 --compression none $sched $calls "$work" 10 2000
rec v6-clock-tsc.dat $v6 -C x86-tsc $sched $calls "$work" 10 2000
# a reader that sleeps while a small buffer runs over
rec v6-lost.dat $v6 -C mono -b 4 -s 100000 -e syscalls:sys_enter_getppid -e syscalls:sys_exit_getppid \
	-e sched:sched_switch "$work" 2500 0
# a flight recorder: the start is overwritten
cd /sys/kernel/tracing
echo 0 >tracing_on; echo 4 >buffer_size_kb; echo mono >trace_clock
echo 1 >events/syscalls/sys_enter_getppid/enable; echo 1 >events/syscalls/sys_exit_getppid/enable
echo 1 >tracing_on
"$work" 300 0
echo 0 >tracing_on
cd - >/dev/null
trace-cmd extract -o "$out/v7-overwrite.dat"
umount /proc/kallsyms
# events with their stacks, and of kallsyms what stacks name, each with the symbol behind it. ./deep is
# tests/prog/deep.c. A function that only the last recording met has the name of the one before it.
stk="-e syscalls:sys_enter_getppid -e sched:sched_switch -e sched:sched_waking -e irq:softirq_entry"
deep=$(cd "$(dirname "$0")" && pwd)/deep
for i in 1 2 3 4 5 6; do
	rec v6-stacks.dat $v6 -C mono -T -O userstacktrace $stk "$deep" 40
	tracesh -q -f csv -i "$out/v6-stacks.dat" -e 'sched_switch, sched_waking, sys_enter_getppid, softirq_entry | count by kstack' | tr ';",' '\n\n\n'
done | sort -u >"$syms.names"
grep -E ' (trace_event_raw_event_(sched_|softirq)[a-z_]*|__traceiter_(sched_|softirq)[a-z_]*|ftrace_syscall_[a-z]*)$' /proc/kallsyms | cut -d' ' -f3 >>"$syms.names"
sort /proc/kallsyms | awk 'NR==FNR{want[$1]=1;next} {if(prev && $1!=at){print; prev=0} if($3 in want){print; prev=1; at=$1}}' "$syms.names" - >"$syms"
mount -o bind "$syms" /proc/kallsyms
rec v6-stacks.dat $v6 -C mono -T -O userstacktrace $stk "$deep" 40
umount /proc/kallsyms
rm -f "$syms" "$syms.names"
# a fork storm on six ids (tests/prog/storm.c, whose output is kept)
storm=$(cd "$(dirname "$0")" && pwd)/storm
rec v7-storm.dat $v7 -C mono -e syscalls:sys_enter_getppid -e sched:sched_process_fork -e sched:sched_process_exec \
	-e sched:sched_process_exit -e task sh -c "'$storm' 60 20000 6 >'$out/v7-storm.phases'"
# values that people read otherwise; work.sh: busybox's nc over 127.0.0.1 and ::1, kill -TERM, -9, -40, cat /nonesuch
rec v6-values.dat $v6 -C mono -e sock:inet_sock_set_state -e signal:signal_generate -e kmem:mm_page_alloc -f 'order > 0' \
	-e syscalls:sys_exit_openat -f 'ret < 0' -e raw_syscalls:sys_enter -f 'id == 41 || id == 43 || id == 62' sh work.sh
