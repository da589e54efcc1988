#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# bench: the same questions to tracesh, to a minimal libtracecmd loop and to trace-cmd, side by side in one
# run over one file, as ratios. The file is recorded here (sched, raw_syscalls, irq, kmem under load), or given: run.sh FILE.
set -u
cd "$(dirname "$0")/../.." || exit 2
B=${B:-build} dir=${BENCH_DIR:-${TMPDIR:-/tmp}/tracesh-bench} events=${BENCH_EVENTS:-10000000}
mkdir -p "$dir"
t=$B/tracesh
# shellcheck disable=SC2046
${CC:-gcc} -O2 -o "$dir/loop" tests/bench/loop.c $(pkg-config --cflags --libs libtracecmd libtraceevent) || exit 2

record() { # a v6 file of at least $events events
	local tfs=/sys/kernel/tracing i=tracesh-bench-$$ n=0 e
	[ -e $tfs/instances ] || mount -t tracefs nodev $tfs || { echo "no tracefs: give a file"; exit 2; }
	mkdir "$tfs/instances/$i"
	echo 600000 >"$tfs/instances/$i/buffer_size_kb"
	for e in sched raw_syscalls irq kmem; do echo 1 >"$tfs/instances/$i/events/$e/enable"; done
	for _ in $(seq 60); do
		timeout 2 sh -c 'while :; do find /usr/bin /etc -type f 2>/dev/null | xargs cat 2>/dev/null | dd bs=2048 of=/dev/null 2>/dev/null; done'
		n=$(cat "$tfs/instances/$i"/per_cpu/cpu*/stats | awk '/^entries:/ {s += $2} END {print s}')
		[ "$n" -ge "$events" ] && break
	done
	echo 0 >"$tfs/instances/$i/tracing_on"
	trace-cmd extract -B "$i" -o "$dir/v7.dat" >/dev/null 2>&1
	[ -e "$tfs/instances/$i" ] && rmdir "$tfs/instances/$i"
	trace-cmd convert --file-version 6 -i "$dir/v7.dat" -o "$dir/v6.dat" >/dev/null 2>&1
}
if [ $# -gt 0 ]; then v6=$1 v7=; else
	v6=$dir/v6.dat v7=$dir/v7.dat
	[ -s "$v6" ] || record
fi
seconds() { # best of three, user + system; the file stays in the page cache
	local best= s i
	for i in 1 2 3; do
		s=$( { TIMEFORMAT='%R'; time "$@" >"$dir/out" 2>/dev/null; } 2>&1)
		if [ -z "$best" ] || awk "BEGIN {exit !($s < $best)}"; then best=$s; fi
	done
	echo "$best"
}
cat "$v6" >/dev/null
read -r n _ < <("$dir/loop" "$v6")
all=$(seconds "$dir/loop" -r "$v6") lib=$(seconds "$dir/loop" "$v6")
echo "$n events, $(stat -c %s "$v6") bytes; elapsed seconds, best of three"
printf '%-44s %8s %10s %14s\n' work seconds 'x bytes' 'x faster than libtracecmd'
row() { awk -v w="$1" -v s="$2" -v a="$all" -v l="$3" 'BEGIN {printf "%-44s %8.3f %10.2f %14.1f\n", w, s, s / a, l / s}'; }
row "reading all bytes" "$all" "$lib"
row "libtracecmd loop (count and one field)" "$lib" "$lib"
ask() { row "$1" "$(seconds "$t" -q -i "$v6" -f csv -e "$2")" "$lib"; }
ask "count by one key, one event" 'sched_switch | count by next_comm'
row "the same, one thread" "$(seconds "$t" -q --set threads=1 -i "$v6" -f csv -e 'sched_switch | count by next_comm')" "$lib"
ask "sum" 'sched_switch | sum prev_pid by next_comm'
ask "log2 hist" 'kmem:kmalloc | hist bytes_req'
ask "count of every event by name and comm" '* | count by event, comm'
ask "pair by pid, hist by comm" 'sched_waking -> sched_switch on pid == next_pid | hist delta by next_comm'
ask "syscalls by name and process" 'syscall:* | stats delta by name, comm'
row "info" "$(seconds "$t" -i "$v6" -e info)" "$lib"
if [ -n "$v7" ]; then
	lib7=$(seconds "$dir/loop" "$v7")
	row "v7 zstd: libtracecmd loop" "$lib7" "$lib7"
	row "v7 zstd: count by one key" "$(seconds "$t" -q -i "$v7" -f csv -e 'sched_switch | count by next_comm')" "$lib7"
	row "v7 zstd: pair" "$(seconds "$t" -q -i "$v7" -f csv -e 'sched_waking -> sched_switch on pid == next_pid | hist delta by next_comm')" "$lib7"
fi
lines=500000
p=$(seconds sh -c "trace-cmd report -i '$v6' 2>/dev/null | head -n $lines")
row "print of $lines events, trace-cmd report" "$p" "$p"
row "the same by libtraceevent alone" "$(seconds sh -c "'$t' -q --set fastprint=off -i '$v6' -e '*' | head -n $lines")" "$p"
row "print of $lines events" "$(seconds sh -c "'$t' -q -i '$v6' -e '*' | head -n $lines")" "$p"
