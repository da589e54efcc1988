#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Runs inside the virtual machine with busybox: functions and static probes of a program, the function
# tracers; exact counts and arguments, and tracefs compared with what it was before.
N=600
SUM=$((N * (N - 1) / 2))
T="tracesh -q -f csv"
tfs=/sys/kernel/tracing
P=$(which probed)
check() { if [ "$2" = "$3" ]; then echo "ok $1"; else echo "not ok $1"; echo "  got: $2"; echo "  want: $3"; cat /tmp/err; fi; }
got() { tail -n +2 | tr '\n' ' ' | sed 's/ $//'; }
same() {
	sh /x/tracefs-state.sh >/tmp/after
	if cmp -s /tmp/before /tmp/after; then echo "ok $1"; else echo "not ok $1"; diff /tmp/before /tmp/after | head -n 20; fi
}
run() { $T -c "$P $N >/dev/null" "$@" 2>/tmp/err; }
opens() { $T "$@" 2>/tmp/err; }
echo hello >/tmp/f
echo 'p:other/theirs vfs_read' >>$tfs/dynamic_events
sh /x/tracefs-state.sh >/tmp/before

for push in on off; do
	set -- --set pushdown=$push
	check "uprobe: every call ($push)" "$(run "$@" -e "uprobe:$P:step | count" | got)" $N
	check "uprobe: its arguments ($push)" "$(run "$@" -e "uprobe:$P:step(w = ustr(arg2), a = u32(arg3), b = u8(arg3 + 4)) | count by w, a, b" | got)" \
		"even,40,200,$((N / 2)) odd,40,200,$((N / 2))"
	check "uprobe: the sum of an argument ($push)" "$(run "$@" -e "uprobe:$P:step(i = arg1) | sum i" | got)" $SUM
	check "usdt: its arguments ($push)" "$(run "$@" -e "usdt:$P:tracesh:step(i = arg1, w = ustr(arg2), c = arg3, b = arg4) | agg n = count(), t = sum(i) by w, c, b | sort w" | got)" \
		"even,-5,200,$((N / 2)),$((SUM - N * N / 4)) odd,-5,200,$((N / 2)),$((N * N / 4))"
	check "usdt: behind a semaphore ($push)" "$(run "$@" -e "usdt:$P:tracesh:guarded(i = arg1) | agg n = count(), t = sum(i)" | got)" "$N,-$SUM"
	check "usdt: several places ($push)" "$(run "$@" -e "usdt:$P:tracesh:many(i = arg1) | agg n = count(), t = sum(i) by event | sort event" | got)" \
		"tracesh_many__1,$N,$SUM tracesh_many__2,$N,$((7 * N))"
	check "uprobe to uretprobe ($push)" "$(run "$@" -e "uprobe:$P:step(i = arg1) -> uretprobe:$P:step(r = retval: s32) on tid | stats delta" | got | cut -d, -f1)" $N
done
check "uretprobe: what it returns" "$(run -e "uretprobe:$P:step(r = retval: s32) | sum r" | got)" "-$SUM"
check "uprobe: behind an instruction" "$(run -e "uprobe:$P:step+2(i = reg(di)) | sum i" | got)" $SUM
run -e "uprobe:$P:step+1 | count" >/tmp/out
check "an offset inside an instruction is refused" "$?:$(grep -c 'no instruction at step+0x1' /tmp/err)" 1:1
same "tracefs as before uprobes"

# the function tracers: as long as the command lives
opens --children -c "opens /tmp/f $N" -e 'function:vfs_* | where comm == "opens" | count by func' >/tmp/out
check "function: opens" "$(grep -c "^vfs_open,$((N + 1))$\|^vfs_open,$((N + 2))$" /tmp/out)" 1
M=$(opens --children -c "opens /tmp/f $N" -e 'function:vfs_read | where comm == "opens" | count' | got)
check "function: calls of one" "$([ "$M" -ge $N ] && [ "$M" -lt $((N + 9)) ] && echo yes)" yes
check "function: from where" "$(opens --children -c "opens /tmp/f $N" -e 'function:vfs_read | where comm == "opens" | count by parent | top 1' | got | cut -d, -f1)" ksys_read
check "function: shared by two pipelines" "$(opens --children -c "opens /tmp/f $N" -e 'function:vfs_read | where comm == "opens" | count' -e 'function:vfs_read | where comm == "opens" && func == "vfs_read" | count' | grep -c "^$M$")" 2
check "function: its stack" "$(opens --children -c "opens /tmp/f $N" -e 'function:vfs_read | where comm == "opens" && kstack ~ "*vfs_read;ksys_read;*" | count' | got)" "$((M - 2))"
check "only the tasks that are asked for" "$(opens --children -c "opens /tmp/f $N" -e 'function:vfs_read | where comm != "opens" && comm != "sh" && comm != "tracesh" | count' | got)" "0"
mkdir $tfs/instances/probe
graph=$(grep -c function_graph $tfs/instances/probe/available_tracers)
rmdir $tfs/instances/probe
if [ "$graph" = 1 ]; then
	check "graph: how long each call takes" "$(opens --children -c "opens /tmp/f $N" -e 'graph:vfs_read | where comm == "opens" | stats delta by func' | got | cut -d, -f1,2)" "vfs_read,$M"
	opens --children -c "opens /tmp/f $N" -e 'graph:vfs_read | where comm == "opens" | hist delta' >/tmp/out
	check "graph: a histogram of it" "$(awk -F, 'NR > 1 {n += $3; if ($1 < 1) bad = 1} END {print n bad}' /tmp/out)" "$M"
else
	opens -c "opens /tmp/f 3" -e 'graph:vfs_read | hist delta' >/tmp/out
	check "graph: where no instance can have it" "$?:$(grep -c 'hint: tracers that this kernel lets a buffer of ours have: ' /tmp/err)" 3:1
fi
check "somebody else's tracer" "$(cat $tfs/current_tracer)" nop
same "tracefs as before the tracers"

$T -e 'function:vfs_* | count by func' -e "uprobe:$P:step | count" >/tmp/out 2>/tmp/err &
pid=$!
for i in 1 2 3 4 5 6 7 8 9 10; do grep -q "^function" $tfs/instances/tracesh-$pid-0/current_tracer 2>/dev/null && break; sleep 1; done
sleep 1
kill -9 $pid
wait $pid 2>/dev/null
check "kill -9 leaves the tracer" "$(cat $tfs/instances/tracesh-$pid-0/current_tracer)" function
tracesh -q -e cleanup >/tmp/out 2>/tmp/err
check "cleanup of a tracer ends well" $? 0
same "tracefs as before after kill -9 and cleanup of a tracer"
exit 0
