#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Runs inside the virtual machine with busybox: events that tracesh makes itself, with exact counts, and
# tracefs compared with what it was before.
N=500
T="tracesh -q -f csv"
tfs=/sys/kernel/tracing
check() { if [ "$2" = "$3" ]; then echo "ok $1"; else echo "not ok $1"; echo "  got: $2"; echo "  want: $3"; cat /tmp/err; fi; }
last() { tail -n 1; }
same() {
	sh /x/tracefs-state.sh >/tmp/after
	if cmp -s /tmp/before /tmp/after; then echo "ok $1"; else echo "not ok $1"; diff /tmp/before /tmp/after | head -n 20; fi
}
has() { grep -q "$1" $tfs/README; }
run() { $T -c "opens /etc/probe.txt $N" "$@" 2>/tmp/err; }
echo hello >/etc/probe.txt
# somebody else's probe, to be there afterwards
echo 'p:other/theirs vfs_read' >>$tfs/dynamic_events
echo 1 >$tfs/events/sched/sched_process_exit/enable
sh /x/tracefs-state.sh >/tmp/before

check "kprobe: opens by path" "$(run -e 'kprobe:do_sys_openat2(path = ustr(arg2)) | where path == "/etc/probe.txt" | count by path' | last)" "/etc/probe.txt,$N"
check "kprobe: flags behind a pointer" "$(run -e 'kprobe:do_sys_openat2(path = ustr(arg2), flags = u64(arg3): x64) | where path == "/etc/probe.txt" | count by flags' | last | cut -d, -f2)" "$N"
check "kprobe: the name of the task" "$(run -e 'kprobe:do_sys_openat2(path = ustr(arg2), c = comm) | where path ~ "/etc/pr*" | count by c' | last)" "opens,$N"
check "kprobe: signs" "$(run -e 'kprobe:do_sys_openat2(fd = arg1: s32, path = ustr(arg2)) | where path == "/etc/probe.txt" && fd == -100 | count by fd' | last)" "-100,$N"
check "kprobe: two sources of one run" "$(run -e 'kprobe:do_sys_openat2(path = ustr(arg2)) | where path == "/etc/probe.txt" | count' -e 'kprobe:do_sys_openat2(fd = arg1: s32) | where comm == "opens" && fd == -100 | count' | grep -c "^$N\$\|^50[0-9]\$")" 2
check "kretprobe: bytes read" "$(run -e 'kretprobe:vfs_read(n = retval: s64) | where comm == "opens" && n == 1 | count by n' | last)" "1,$N"
check "kprobe: a pattern" "$(run -e 'kprobe:vfs_rea*(a = arg1) | where comm == "opens" && func == "vfs_read" | count by event' | last | cut -d, -f1)" "vfs_read"
check "a probe's pair" "$(run -e 'kprobe:vfs_read(size = arg3) -> kretprobe:vfs_read(n = retval: s64) on tid | where comm == "opens" && size == 1 && n == 1 | stats delta' | last | cut -d, -f1)" "$N"
tracesh -q -c "opens /etc/probe.txt 3" -e 'kprobe:do_sys_openat2(path = ustr(arg2)) | where path == "/etc/probe.txt" | print' 2>/tmp/err | grep -c 'do_sys_openat2: *(.*) path="/etc/probe.txt"' >/tmp/out
check "kprobe: in the kernel's own format" "$(cat /tmp/out)" 3

# members by the types of the kernel
check "a member through pointers" "$(run -e 'kprobe:vfs_read(name = str(file->f_path.dentry->d_name.name), n = count) | where name == "probe.txt" && n == 1 | count by name' | last)" "probe.txt,$N"
check "a member of argN" "$(run -e 'kprobe:vfs_read(name = str(arg1->f_path.dentry->d_name.name), n = arg3) | where name == "probe.txt" && n == 1 | count' | last)" "$N"
forks() { $T -c "opens /etc/probe.txt 1; opens /etc/probe.txt 1; true" "$@" 2>/tmp/err; }
check "an array of char" "$(forks -e 'kprobe:wake_up_new_task(c = p->comm, d = str(p->comm), b = u8(p->comm + 1)) | where c == d && b == 104 | count by c' | last)" "sh,2"
check "a bitfield and signs" "$(forks -e 'kprobe:wake_up_new_task(b = p->in_execve, prio = p->prio, pid = p->pid, c = p->comm) | where c == "sh" && b == 0 && prio >= 0 && prio <= 140 && pid > 1 | count' | last)" 2
check "an address as a symbol" "$(run -e 'kprobe:vfs_read(op = file->f_op->read_iter: sym, name = str(file->f_path.dentry->d_name.name), n = count) | where name == "probe.txt" && n == 1 | count by op' | last | grep -c "_read_iter,$N\$")" 1
check "memory of the kernel by symbol" "$(forks -e 'kprobe:wake_up_new_task(j = sym(jiffies): u64, c = p->comm) | where j > 0 && c == "sh" | count' | last)" 2

if has 'f\[:\['; then
	check "fprobe" "$(run -e 'fprobe:vfs_read(n = count) | where comm == "opens" && n == 1 | count' | last)" "$N"
	check "fexit" "$(run -e 'fexit:vfs_read(r = retval: s64) | where comm == "opens" && r == 1 | count' | last)" "$N"
	check "fexit with arguments" "$(run -e 'fexit:vfs_read(r = retval: s64, n = count, name = str(file->f_path.dentry->d_name.name)) | where name == "probe.txt" && r == 1 && n == 1 | count' | last)" "$N"
	check "fprobe: a pattern" "$(run -e 'fprobe:vfs_rea*(a = arg3) | where comm == "opens" && a == 1 | count by func' | last)" "vfs_read,$N"
	check "kretprobe with arguments" "$(run -e 'kretprobe:vfs_read(r = retval: s64, n = count) | where comm == "opens" && n == 1 && r == 1 | count' | last)" "$N"
else
	echo "skip fprobe this kernel has none"
	tracesh -e 'fprobe:vfs_read | count' >/tmp/out 2>/tmp/err
	check "without fprobes: status" $? 3
	check "without fprobes: what it needs" "$(grep -c 'error\[unsupported\]\|CONFIG_FPROBE_EVENTS' /tmp/err)" 2
	tracesh -e 'kretprobe:vfs_read(n = count) | count' >/tmp/out 2>/tmp/err
	check "kretprobe without arguments: status" $? 3
	check "kretprobe without arguments: hint" "$(grep -c 'kprobe:F -> kretprobe:F on tid' /tmp/err)" 1
fi
if has 't\[:\['; then
	run -e 'tprobe:pelt_cfs_tp(load = cfs_rq->avg.load_avg) | hist load' >/tmp/out
	check "tprobe" "$(grep -c '^[0-9]*,[0-9]*,[1-9]' /tmp/out | sed 's/[1-9][0-9]*/some/')" some
	# both from the records: two tables of the kernel are read one after the other
	run --set pushdown=off -e 'tprobe:pelt_cfs_tp(load = cfs_rq->avg.load_avg) | count' -e 'tprobe:pelt_cfs_tp(nr = arg1->avg.load_avg) | where nr >= 0 | count' >/tmp/out
	check "tprobe: two sources of one tracepoint" "$(grep '^[1-9]' /tmp/out | sort -u | grep -c .)" 1
	tracesh -e 'tprobe:pelt_cfs_t(x = arg1) | count' >/tmp/out 2>/tmp/err
	check "tprobe: a name near" "$(grep -c "did you mean 'pelt_cfs_tp'" /tmp/err)" 1
else
	tracesh -e 'tprobe:pelt_cfs_tp(load = cfs_rq->avg.load_avg) | hist load' >/tmp/out 2>/tmp/err
	check "without tprobes: what it needs" "$(grep -c 'error\[unsupported\]\|CONFIG_FPROBE_EVENTS' /tmp/err)" 2
fi
if has '<attached-group>'; then
	check "eprobe: numbers" "$(run -e 'eprobe:syscalls:sys_enter_read(n = count) | where comm == "opens" && n == 1 | count' | last)" "$N"
	if has 'f\[:\['; then
		check "eprobe: through a pointer" "$(run -e 'eprobe:syscalls:sys_enter_openat(path = ustr(filename), d = dfd: s32) | where comm == "opens" && path == "/etc/probe.txt" && d == -100 | count by path' | last)" "/etc/probe.txt,$N"
	else
		tracesh -e 'eprobe:syscalls:sys_enter_openat(path = ustr(filename)) | count' >/tmp/out 2>/tmp/err
		check "eprobe: a kernel that misreads pointers to strings" "$? $(grep -c 'error\[unsupported\]' /tmp/err)" "3 1"
	fi
	check "eprobe: strings" "$(run -e 'eprobe:sched:sched_process_exit(who = comm) | count by who' | grep -c '^opens,1$')" 1
else
	tracesh -e 'eprobe:syscalls:sys_enter_read(n = count) | count' >/tmp/out 2>/tmp/err
	check "without eprobes: status" $? 3
fi

# names that are not there
tracesh -e 'kprobe:sys_execve | count' >/tmp/out 2>/tmp/err
check "a system call by its old name" "$? $(grep -c "'__x64_sys_execve'" /tmp/err)" "1 1"

# more calls at a time than can be followed are counted
echo 'for i in 1 2 3 4 5 6; do sleep 1 & done; wait' >/tmp/sleeps
$T --set maxactive=1 -c 'sh /tmp/sleeps' -e 'kretprobe:do_nanosleep(r = retval: s32) | count' >/tmp/out 2>/tmp/err
check "missed returns: status" $? 5
tracesh --set maxactive=1 -c 'sh /tmp/sleeps' -e 'kretprobe:do_nanosleep(r = retval: s32) | count' >/tmp/out 2>/tmp/err
check "missed returns are told" "$(grep -c '[1-9] returns of do_nanosleep were missed.*maxactive' /tmp/err)" 1
same "tracefs as before"

# refused: a definition that the kernel does not take, at its place; nothing stays
tracesh -e 'kprobe:do_sys_openat2(path = ustr(arg2), x = reg(nonsense)) | count' >/tmp/out 2>/tmp/err
check "a refusal ends with status 3" $? 3
grep -q "trace_kprobe: error" /tmp/err && grep -A 2 "error\[refused\]" /tmp/err | grep -q '^ *| *\^~*$' && echo "ok the kernel's words on a refused probe" || { echo "not ok the kernel's words on a refused probe"; cat /tmp/err; }
same "tracefs as before after a refusal"

# killed: everything stays, cleanup removes it
tracesh -q -e 'kprobe:do_sys_openat2(path = ustr(arg2)) | count by path' -e 'kretprobe:vfs_read(n = retval) | count' >/tmp/out 2>/tmp/err &
pid=$!
for i in 1 2 3 4 5 6 7 8 9 10; do grep -q "tracesh_${pid}_0/vfs_read__exit" $tfs/dynamic_events && break; sleep 1; done
sleep 1
kill -9 $pid
wait $pid 2>/dev/null
grep -q "tracesh_${pid}_0/do_sys_openat2" $tfs/dynamic_events && echo "ok kill -9 leaves a probe" || echo "not ok kill -9 leaves a probe"
tracesh -q -e cleanup >/tmp/out 2>/tmp/err
check "cleanup of probes ends well" $? 0
same "tracefs as before after kill -9 and cleanup of probes"
check "somebody else's probe is there" "$(grep -c 'p:other/theirs vfs_read' $tfs/dynamic_events)" 1
exit 0
