#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Runs inside the virtual machine: tracesh is killed before each of its writes in turn, and each of its writes is refused
# in turn; tracefs has to be what it was before, after `cleanup` where it was killed. What others set up stays.
T=/sys/kernel/tracing
[ -e $T/events/sched/sched_switch/hist ] || { echo "skip killed at each write: this kernel has no histogram triggers"; exit 0; }
SCRIPT='sched_waking -> sched_switch on pid == next_pid | count by next_comm; kprobe:vfs_read(n = arg3) | sum n'
# somebody else's: an event, a filter, a probe, a synthetic event with a histogram, in an instance and at the top
mkdir $T/instances/other
echo 1 >$T/instances/other/events/sched/sched_wakeup/enable
echo 'prio < 100' >$T/instances/other/events/sched/sched_wakeup/filter
echo 'hist:keys=prev_prio' >$T/instances/other/events/sched/sched_switch/trigger
echo 'p:theirs/open do_sys_openat2' >>$T/kprobe_events
echo 'their_synth u64 x' >>$T/synthetic_events
echo 'hist:keys=x' >$T/events/synthetic/their_synth/trigger
echo 1 >$T/events/sched/sched_process_exit/enable
sh /x/tracefs-state.sh >/tmp/before
# what is ours is seen here at once; the whole state is compared at the end
brief() { ls $T/instances; cat $T/synthetic_events $T/kprobe_events $T/dynamic_events 2>/dev/null; cat $T/events/sched/*/trigger $T/events/irq/*/trigger; }
brief >/tmp/brief
run() { strace -qq -o /dev/null -e trace=write,mkdir -e "inject=write,mkdir:$1:when=$2" tracesh -q --for 100ms -e "$SCRIPT" >/tmp/out 2>/tmp/err </dev/null; }
# every write on one kernel, every third on the others: each run takes seconds here
case $(uname -r) in 6.12.*) step=1 ;; *) step=3 ;; esac
k=1 bad=0 left=0 kills=0
while [ $k -lt 200 ]; do
	run signal=KILL $k
	status=$?
	[ $status = 137 ] || break
	brief | cmp -s - /tmp/brief || left=$((left + 1))
	tracesh -q -e cleanup >/tmp/out 2>/tmp/err </dev/null || { echo "not ok cleanup after a kill before write $k"; cat /tmp/err; bad=1; }
	brief | cmp -s - /tmp/brief || { echo "not ok tracefs as before after a kill before write $k"; brief | diff /tmp/brief - | head -n 10; bad=1; break; }
	k=$((k + step)) kills=$((kills + 1))
done
[ $bad = 0 ] && [ $kills -gt $((25 / step)) ] && [ $left -gt $((10 / step)) ] && echo "ok killed before $kills of its writes in turn, cleaned up each time" || echo "not ok killed before each write: $k writes, $left times something was left, last status $status"
k=1 bad=0 refused=0
while [ $k -lt 200 ]; do
	run error=EINVAL $k
	status=$?
	# an undo that is refused leaves what it was to remove, and says so
	[ $status != 4 ] || tracesh -q -e cleanup >/tmp/out 2>&1 </dev/null
	brief | cmp -s - /tmp/brief || { echo "not ok tracefs as before when write $k is refused"; brief | diff /tmp/brief - | head -n 10; bad=1; tracesh -q -e cleanup; }
	case $status in 0 | 3 | 4 | 5) ;; *) echo "not ok status $status when write $k is refused"; cat /tmp/err; bad=1 ;; esac
	[ $status = 3 ] && refused=$((refused + 1))
	k=$((k + 5 * step / 2 + 1))
	[ $k -gt 60 ] && break
done
# a journal that could not be written on is the next cleanup's
tracesh -q -e cleanup >/tmp/out 2>&1 </dev/null
[ -z "$(ls /run/tracesh 2>/dev/null)" ] || { echo "not ok no journal is left"; ls -l /run/tracesh; bad=1; }
[ $bad = 0 ] && [ $refused -gt 1 ] && echo "ok each write refused in turn: nothing stays" || echo "not ok each write refused in turn: $refused runs ended with status 3"
# two at once
tracesh -q -f csv --for 2s -e 'sched_switch | count by cpu' -e 'sched_waking -> sched_switch on pid == next_pid | count' >/tmp/a 2>/tmp/erra </dev/null &
a=$!
tracesh -q -f csv --for 1s -e 'sched_switch | count by cpu' -e 'sched_waking -> sched_switch on pid == next_pid | count' >/tmp/b 2>/tmp/errb </dev/null
sb=$?
wait $a
sa=$?
if [ $sa = 0 ] && [ $sb = 0 ] && [ "$(tail -n 1 /tmp/a)" -gt 0 ] && [ "$(tail -n 1 /tmp/b)" -gt 0 ]; then echo "ok two at once"; else echo "not ok two at once: $sa $sb"; cat /tmp/erra /tmp/errb; fi
# the writes that explain shows, made by a shell, arm the same
tracesh -n -e "$SCRIPT" >/tmp/plan 2>/dev/null </dev/null
sed '/^# undo/,$d' /tmp/plan >/tmp/do.sh
sed '1,/^# undo/d' /tmp/plan >/tmp/undo.sh
sh /tmp/do.sh 2>/tmp/err || cat /tmp/err
usleep 300000
n=$(cat $T/instances/tracesh-*/events/synthetic/*/hist | grep -c hitcount:)
sh /tmp/undo.sh 2>>/tmp/err
[ "$n" -gt 1 ] && ! [ -s /tmp/err ] && echo "ok the writes that explain shows work in a shell" || { echo "not ok the writes that explain shows: $n rows"; cat /tmp/err; }
sh /x/tracefs-state.sh >/tmp/after
if cmp -s /tmp/before /tmp/after; then echo "ok tracefs as before, somebody else's too"; else echo "not ok tracefs as before"; diff /tmp/before /tmp/after | head -n 20; fi
exit 0
