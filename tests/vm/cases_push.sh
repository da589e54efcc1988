#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Runs inside the virtual machine: the kernel's tables against the engine's, over the same events of a closed load. The
# pipelines of push.tsh are armed together, in groups, each twice; their results must be equal line by line.
ROUNDS=${ROUNDS:-300}
sh /x/tracefs-state.sh >/tmp/before
grep -v '^#' /x/push.tsh >/tmp/all
group() { # group N: the lines up to the Nth empty one
	awk -v n="$1" 'BEGIN {RS = ""} NR == n' /tmp/all >/tmp/group
	m=$(grep -c . /tmp/group)
	tracesh -f csv --set pushdown=both --set buffer=32MiB -v -c "load $ROUNDS" /tmp/group >/tmp/out 2>/tmp/err </dev/null
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
sh /x/tracefs-state.sh >/tmp/after
if cmp -s /tmp/before /tmp/after; then echo "ok tracefs as before"; else echo "not ok tracefs as before"; diff /tmp/before /tmp/after | head -n 20; fi
exit 0
