#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Runs inside the virtual machine: the kernel's tables against the engine's, over the same events of a closed load. The
# pipelines of push.tsh are armed together, in groups, each twice; their results must be equal line by line.
ROUNDS=${ROUNDS:-300}
sh /x/tracefs-state.sh >/tmp/before
# all of it without bpf(2) and perf_event_open(2)
strict -t 2>/dev/null
[ $? = 159 ] && echo "ok a call of perf_event_open would be killed" || echo "not ok a call of perf_event_open would be killed"
grep -v '^#' /x/push.tsh >/tmp/all
group() { # group N: the lines up to the Nth empty one
	awk -v n="$1" 'BEGIN {RS = ""} NR == n' /tmp/all >/tmp/group
	m=$(grep -c . /tmp/group)
	strict tracesh -f csv --set pushdown=both --set buffer=32MiB -v -c "load $ROUNDS" /tmp/group >/tmp/out 2>/tmp/err </dev/null
	status=$?
	[ $status = 0 ] || { echo "not ok group $1 runs: status $status"; cat /tmp/err; }
	awk -v dir=/tmp/r 'BEGIN {name = "1"; system("rm -rf " dir "; mkdir " dir)}
		/^# / {name = substr($0, 3); next} $0 != "" {f = dir "/" name; gsub(/ /, "_", f); print > f}' /tmp/out
	i=1
	while [ $i -le $m ]; do
		text=$(sed -n "${i}p" /tmp/group)
		a=/tmp/r/$i b=/tmp/r/${i}_by_tracesh
		if ! [ -s "$a" ] || [ "$(wc -l <"$a")" -lt 2 ]; then echo "not ok kernel: $text"; echo "  no rows"; head -5 "$b"
		elif cmp -s "$a" "$b"; then echo "ok kernel and tracesh agree: $text"
		else echo "not ok kernel and tracesh agree: $text"; diff "$a" "$b" | head -n 10; fi
		i=$((i + 1))
	done
	# on these kernels each of them is the kernel's to count
	if grep -q 'the kernel refused' /tmp/err; then echo "not ok none is refused"; grep 'the kernel refused' /tmp/err; fi
}
for g in 1 2 3 4; do group $g; done
[ -e /sys/kernel/tracing/events/sched/sched_switch/hist ] && while read -r text; do
	[ -n "$text" ] || continue
	tracesh -n -e "$text" >/tmp/plan 2>&1 </dev/null
	grep -q 'a histogram trigger$' /tmp/plan || { echo "not ok counted by the kernel: $text"; grep '^#' /tmp/plan; }
done </tmp/all
# what is printed goes through an event filter, which must let pass what the kernel counts
while IFS='|' read -r event cond; do
	tracesh -q -f csv -c "load 60" -e "$event | where $cond | print event" -e "$event | where $cond | count" >/tmp/out 2>/tmp/err </dev/null
	printed=$(awk '/^$/ {exit} NR > 1 {n++} END {print n + 0}' /tmp/out)
	counted=$(tail -n 1 /tmp/out)
	if [ "$printed" = "$counted" ] && [ "$printed" -gt 20 ]; then echo "ok as many printed as counted: $event where $cond"
	else echo "not ok as many printed as counted: $event where $cond: $printed, $counted"; cat /tmp/err; fi
	tracesh -n -e "$event | where $cond | print event" 2>/dev/null </dev/null | sed -n "s|^echo .\(.*\). > .*/filter .*|\1|p" >/tmp/filter
	[ -s /tmp/filter ] && echo "$(cat /tmp/filter)" >/sys/kernel/tracing/events/${event%%:*}/${event#*:}/filter && echo 0 >/sys/kernel/tracing/events/${event%%:*}/${event#*:}/filter ||
		{ echo "not ok the filter is taken: $event where $cond"; cat /tmp/filter; }
done <<'X'
sched:sched_waking|comm ~ "load-*" && prio >= 100
sched:sched_waking|comm in ("load-0", "load-1") || comm == "load-2"
syscalls:sys_exit_openat|comm ~ "load-*" && ret < 0
syscalls:sys_enter_mmap|comm ~ "load-*" && flags & 0x22 && len in (16384, 4096) || comm == "none of them"
kmem:kmalloc|comm ~ "load-*" && gfp_flags has "GFP_KERNEL"
X
sh /x/tracefs-state.sh >/tmp/after
if cmp -s /tmp/before /tmp/after; then echo "ok tracefs as before"; else echo "not ok tracefs as before"; diff /tmp/before /tmp/after | head -n 20; fi
exit 0
