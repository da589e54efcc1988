#!/bin/sh
# kernel-count.tsh, compiled by tracesh 0.1.0
# sched_switch | where prev_comm == "it's" || prev_comm ~ "a\\b*" | count by next_comm | top 10
#  sched_switch                          kernel   1 event, recorded into a buffer of our own
#  where prev_comm == "it's" || prev_comm ~ "a\\b*" tracesh  over the events read from the ring buffer
#  count by next_comm                    tracesh  over the events read from the ring buffer: a condition is beyond the kernel's filters
#  top 10                                tracesh  works on the finished rows
# sched_switch | sum prev_prio by prev_comm, prev_pid
#  sched_switch                          kernel   1 event, counted where they happen
#  sum prev_prio by prev_comm, prev_pid  kernel   a histogram trigger
# sched_switch | print comm, next_comm for 2s
#  sched_switch                          kernel   1 event, recorded into a buffer of our own
#  print comm, next_comm                 tracesh  the kernel prints no events by itself
# Stages marked `kernel` are carried out; for those marked `tracesh` the events are printed as the kernel
# writes them. Needs root, a POSIX shell (busybox ash will do), cat, sleep, mkdir and rmdir.
# usage: sh FILE [SECONDS]   (without: 2)
#        sh FILE undo PID    (what a killed one left)
# status: 0 done, 2 usage, 3 the kernel refused something, 4 not all could be undone
id=$$ n=0 stop= seconds=2
for T in "${TRACEFS:-/sys/kernel/tracing}" /sys/kernel/debug/tracing ''; do
	[ -d "$T/instances" ] && break
done
[ "$T" ] || { echo 'tracefs is not mounted: mount -t tracefs t /sys/kernel/tracing' >&2; exit 3; }
say() { echo "$*" >&2; }
I=instances/tracesh-"$id"

undo() {
	trap '' INT TERM HUP
	left=
	if [ $n -ge 17 ]; then
		echo 0 > "$T"/instances/tracesh-"$id"/tracing_on || left=1
	fi
	if [ $n -ge 16 ]; then
		echo '!hist:keys=prev_pid,prev_comm:vals=prev_prio:size=8192' >> "$T"/instances/tracesh-"$id"/events/sched/sched_switch/trigger || left=1
	fi
	if [ $n -ge 1 ]; then
		rmdir "$T"/instances/tracesh-"$id" 2>/dev/null || { sleep 1; rmdir "$T"/instances/tracesh-"$id"; } || left=1
	fi
	[ ! "$left" ] || say 'not all could be undone'
}
# refused: what was done so far is undone
fail() {
	say "refused: $1"
	[ ! -r "$T/$I/error_log" ] || cat "$T/$I/error_log" >&2
	undo
	exit 3
}

case $1 in
undo)
	id=$2 n=17
	I=instances/tracesh-"$id"
	[ -d "$T/$I" ] || { say "no $T/$I"; exit 2; }
	undo
	exit ${left:+4}
	;;
'') ;;
*[!0-9]*)
	say "usage: $0 [SECONDS]"
	exit 2
	;;
*) seconds=$1 ;;
esac
trap stop=1 INT TERM HUP

# a buffer of our own
mkdir "$T"/instances/tracesh-"$id" || fail instances/tracesh-"$id"
n=1
# nothing is recorded before all is set
echo 0 > "$T"/instances/tracesh-"$id"/tracing_on || fail instances/tracesh-"$id"/tracing_on
# a full buffer loses its oldest events
echo 1 > "$T"/instances/tracesh-"$id"/options/overwrite || fail instances/tracesh-"$id"/options/overwrite
# no stacks unless asked for, if it can be
echo 0 2>/dev/null > "$T"/instances/tracesh-"$id"/options/stacktrace || :
# no stacks unless asked for, if it can be
echo 0 2>/dev/null > "$T"/instances/tracesh-"$id"/options/userstacktrace || :
# set clock
echo mono > "$T"/instances/tracesh-"$id"/trace_clock || fail instances/tracesh-"$id"/trace_clock
# set buffer, for each CPU
echo 4096 > "$T"/instances/tracesh-"$id"/buffer_size_kb || fail instances/tracesh-"$id"/buffer_size_kb
# wake the reader seldom, if it can be
echo 10 2>/dev/null > "$T"/instances/tracesh-"$id"/buffer_percent || :
# keep ourselves out, if it can be
echo "$id" 2>/dev/null > "$T"/instances/tracesh-"$id"/set_event_notrace_pid || :
# to follow names and parents of tasks
echo 1 > "$T"/instances/tracesh-"$id"/events/sched/sched_process_exec/enable || fail instances/tracesh-"$id"/events/sched/sched_process_exec/enable
# to follow names and parents of tasks
echo 1 > "$T"/instances/tracesh-"$id"/events/sched/sched_process_exit/enable || fail instances/tracesh-"$id"/events/sched/sched_process_exit/enable
# to follow names and parents of tasks
echo 1 > "$T"/instances/tracesh-"$id"/events/sched/sched_process_fork/enable || fail instances/tracesh-"$id"/events/sched/sched_process_fork/enable
# this event
echo 1 > "$T"/instances/tracesh-"$id"/events/sched/sched_switch/enable || fail instances/tracesh-"$id"/events/sched/sched_switch/enable
# to follow names and parents of tasks
echo 1 > "$T"/instances/tracesh-"$id"/events/task/task_newtask/enable || fail instances/tracesh-"$id"/events/task/task_newtask/enable
# to follow names and parents of tasks
echo 1 > "$T"/instances/tracesh-"$id"/events/task/task_rename/enable || fail instances/tracesh-"$id"/events/task/task_rename/enable
# the table
echo hist:keys=prev_pid,prev_comm:vals=prev_prio:size=8192 >> "$T"/instances/tracesh-"$id"/events/sched/sched_switch/trigger || fail instances/tracesh-"$id"/events/sched/sched_switch/trigger
n=16
# begin
echo 1 > "$T"/instances/tracesh-"$id"/tracing_on || fail instances/tracesh-"$id"/tracing_on
n=17
[ ! -t 2 ] || say "armed${seconds:+ for $seconds s}, Ctrl-C ends it"
while [ ! "$stop" ] && [ "${seconds:-1}" -gt 0 ]; do
	sleep 1
	seconds=${seconds:+$((seconds - 1))}
done
echo 0 > "$T"/instances/tracesh-"$id"/tracing_on
cat "$T"/instances/tracesh-"$id"/events/sched/sched_switch/hist
cat "$T/$I/trace"
undo
exit ${left:+4}
