#!/bin/sh
# probes.tsh, compiled by tracesh 0.1.0
# kprobe:do_sys_openat2(path = ustr(arg2)) | count by path
#  kprobe:do_sys_openat2(path = ustr(arg2)) kernel   1 event made by us, counted where they happen
#  count by path                         kernel   a histogram trigger
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
	if [ $n -ge 12 ]; then
		echo 0 > "$T"/instances/tracesh-"$id"/tracing_on || left=1
	fi
	if [ $n -ge 11 ]; then
		echo '!hist:keys=path:size=8192' >> "$T"/instances/tracesh-"$id"/events/tracesh_"$id"/do_sys_openat2/trigger || left=1
	fi
	if [ $n -ge 2 ]; then
		rmdir "$T"/instances/tracesh-"$id" 2>/dev/null || { sleep 1; rmdir "$T"/instances/tracesh-"$id"; } || left=1
	fi
	if [ $n -ge 1 ]; then
		echo -:tracesh_"$id"/do_sys_openat2 >> "$T"/dynamic_events || left=1
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
	id=$2 n=12
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

# an event of our own
echo p:tracesh_"$id"'/do_sys_openat2 do_sys_openat2 path=+0($arg2):ustring' >> "$T"/dynamic_events || fail dynamic_events
n=1
# a buffer of our own
mkdir "$T"/instances/tracesh-"$id" || fail instances/tracesh-"$id"
n=2
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
# the table
echo hist:keys=path:size=8192 >> "$T"/instances/tracesh-"$id"/events/tracesh_"$id"/do_sys_openat2/trigger || fail instances/tracesh-"$id"/events/tracesh_"$id"/do_sys_openat2/trigger
n=11
# begin
echo 1 > "$T"/instances/tracesh-"$id"/tracing_on || fail instances/tracesh-"$id"/tracing_on
n=12
[ ! -t 2 ] || say "armed${seconds:+ for $seconds s}, Ctrl-C ends it"
while [ ! "$stop" ] && [ "${seconds:-1}" -gt 0 ]; do
	sleep 1
	seconds=${seconds:+$((seconds - 1))}
done
echo 0 > "$T"/instances/tracesh-"$id"/tracing_on
cat "$T"/instances/tracesh-"$id"/events/tracesh_"$id"/do_sys_openat2/hist
undo
exit ${left:+4}
