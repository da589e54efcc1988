#!/bin/sh
# kernel-pair.tsh, compiled by tracesh 0.1.0
# sched_waking -> sched_switch on pid == next_pid | hist delta by next_comm
#  sched_waking -> sched_switch on pid == next_pid kernel   variables of histograms find each end's start
#    sched_waking                        kernel   1 event, counted where they happen
#    sched_switch                        kernel   1 event, counted where they happen
#  hist delta by next_comm               kernel   a histogram trigger
# Stages marked `kernel` are carried out; for those marked `tracesh` the events are printed as the kernel
# writes them. Needs root, a POSIX shell (busybox ash will do), cat, sleep, mkdir and rmdir.
# usage: sh FILE [SECONDS]   (without: until interrupted)
#        sh FILE undo PID    (what a killed one left)
# status: 0 done, 2 usage, 3 the kernel refused something, 4 not all could be undone
id=$$ n=0 stop= seconds=
for T in "${TRACEFS:-/sys/kernel/tracing}" /sys/kernel/debug/tracing ''; do
	[ -d "$T/instances" ] && break
done
[ "$T" ] || { echo 'tracefs is not mounted: mount -t tracefs t /sys/kernel/tracing' >&2; exit 3; }
say() { echo "$*" >&2; }
I=instances/tracesh-"$id"

undo() {
	trap '' INT TERM HUP
	left=
	if [ $n -ge 14 ]; then
		echo 0 > "$T"/instances/tracesh-"$id"/tracing_on || left=1
	fi
	if [ $n -ge 13 ]; then
		echo '!hist:keys=next_pid:lt_'"$id"'_0=common_timestamp-$ts_'"$id"'_0:size=8192:clock=mono:onmatch(sched.sched_waking).trace(tracesh_'"$id"'_0,$lt_'"$id"'_0,next_comm)' >> "$T"/instances/tracesh-"$id"/events/sched/sched_switch/trigger || left=1
	fi
	if [ $n -ge 12 ]; then
		echo '!hist:keys=pid:ts_'"$id"_0=common_timestamp:size=8192:clock=mono >> "$T"/instances/tracesh-"$id"/events/sched/sched_waking/trigger || left=1
	fi
	if [ $n -ge 11 ]; then
		echo '!hist:keys=delta.log2,b_next_comm:size=8192' >> "$T"/instances/tracesh-"$id"/events/synthetic/tracesh_"$id"_0/trigger || left=1
	fi
	if [ $n -ge 10 ]; then
		echo '!tracesh_'"$id"_0 >> "$T"/synthetic_events || left=1
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
	id=$2 n=14
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
# an event of each pair
echo tracesh_"$id"'_0 u64 delta; char b_next_comm[]' >> "$T"/synthetic_events || fail synthetic_events
n=10
# the table
echo hist:keys=delta.log2,b_next_comm:size=8192 >> "$T"/instances/tracesh-"$id"/events/synthetic/tracesh_"$id"_0/trigger || fail instances/tracesh-"$id"/events/synthetic/tracesh_"$id"_0/trigger
n=11
# a pair's start
echo hist:keys=pid:ts_"$id"_0=common_timestamp:size=8192:clock=mono >> "$T"/instances/tracesh-"$id"/events/sched/sched_waking/trigger || fail instances/tracesh-"$id"/events/sched/sched_waking/trigger
n=12
# a pair's end
echo hist:keys=next_pid:lt_"$id"'_0=common_timestamp-$ts_'"$id"'_0:size=8192:clock=mono:onmatch(sched.sched_waking).trace(tracesh_'"$id"'_0,$lt_'"$id"'_0,next_comm)' >> "$T"/instances/tracesh-"$id"/events/sched/sched_switch/trigger || fail instances/tracesh-"$id"/events/sched/sched_switch/trigger
n=13
# begin
echo 1 > "$T"/instances/tracesh-"$id"/tracing_on || fail instances/tracesh-"$id"/tracing_on
n=14
[ ! -t 2 ] || say "armed${seconds:+ for $seconds s}, Ctrl-C ends it"
while [ ! "$stop" ] && [ "${seconds:-1}" -gt 0 ]; do
	sleep 1
	seconds=${seconds:+$((seconds - 1))}
done
echo 0 > "$T"/instances/tracesh-"$id"/tracing_on
cat "$T"/instances/tracesh-"$id"/events/synthetic/tracesh_"$id"_0/hist
undo
exit ${left:+4}
