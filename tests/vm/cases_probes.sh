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
