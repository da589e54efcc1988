#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Runs inside the virtual machine: every block script of tests/offline over this machine's own events under
# load, its output of the same shape as over the file; exact counts where the load makes them; speculation.
N=60
FAILED=$(((N + 2) / 3)) # of the opens of each task of work, once it has begun: /no/such/file
echo vm >/etc/hostname
LOAD="work $N 2000; cat /no/such/file; true"
check() { if [ "$2" = "$3" ]; then echo "ok $1"; else echo "not ok $1"; echo "  got: $2"; echo "  want: $3"; cat /tmp/err; fi; }
yes_if() { if [ "$2" = 0 ]; then echo "ok $1"; else echo "not ok $1"; head -n 5 /tmp/out /tmp/err; fi; }
run() { tracesh -q -c "$LOAD" "$@" 2>/tmp/err; }
uname -r
# headers and names of maps: what does not depend on who ran
shape() { grep -v '[0-9]' "$1" | grep '^# @\|^@.*:$\|,count$\|,value$\|^count$\|^value$\|,sum(\|^lo,hi\|lo,hi,count$\|"map":' | sort -u; }
# nothing may pass here, on a slow machine or a quiet one
may_be_silent() {
	case $1 in
	block-speculate-keeps-lets | block-times | block-longest-wait) return 0 ;;
	esac
	return 1
}
for t in offline/block-*.tsh; do
	n=$(basename $t .tsh)
	[ $n = block-runaway ] && continue # below
	args=$(sed -n 's/^# args: -i [^ ]*//p' $t)
	run $args $t >/tmp/out
	rc=$?
	shape offline/$n.out >/tmp/want
	shape /tmp/out >/tmp/got
	missing=$(grep -v -x -F -f /tmp/got /tmp/want | head -n 1)
	if [ $rc != 0 ]; then
		echo "not ok $n live (status $rc)"; head -n 5 /tmp/err
	elif [ -s offline/$n.out ] && [ ! -s /tmp/out ] && ! may_be_silent $n; then
		echo "not ok $n live printed nothing"
	elif [ -n "$missing" ] && [ -s /tmp/got -o "$(grep -c . /tmp/want)" = 0 ]; then
		echo "not ok $n live: no '$missing'"; head -n 12 /tmp/out
	else
		echo "ok $n live"
	fi
done
run offline/block-runaway.tsh >/tmp/out
check "a loop without end has status 1" $? 1
grep -q 'runaway-loop' /tmp/err; yes_if "and says where" $?

# exact counts
run -f csv -e 'sys_enter_getppid | do { @[comm] = count() }' >/tmp/out
check "calls of the task that renames itself" "$(grep '^my task 1,' /tmp/out)" "my task 1,$N"
check "and of its parent" "$(grep '^work,' /tmp/out)" "work,$N"
run -f csv -e 'syscalls:sys_enter_openat, syscalls:sys_exit_openat | do {
	if (comm != "my task 1") { next }
	if (event == "sys_enter_openat") { @s[tid] = ts; $in++; next }
	if (tid in @s) { @ns[ret.errno] = stats(ts - @s[tid]); delete(@s[tid]) }
	if (ret < 0) { $failed++ }
}; end { printf "%d calls, %d failed\n", $in, $failed; clear(@s) }' >/tmp/out
grep -q ' failed$' /tmp/out; yes_if "a block prints at the end" $?
check "failed opens" "$(sed -n 's/.*calls, \([0-9]*\) failed/\1/p' /tmp/out)" $FAILED
check "as many by their error" "$(sed -n 's/^ENOENT,\([0-9]*\),.*/\1/p' /tmp/out)" $FAILED
run -f csv -e 'begin { printf "begin\n" }; syscalls:sys_enter_getppid | do { $n++; if (comm == "my task 1") { $mine++ } }
syscalls:sys_exit_getppid | do { if (comm == "my task 1") { $out++ } }; end { printf "%d %d\n", $mine, $out }' >/tmp/out
check "pipelines share variables" "$(tail -n 1 /tmp/out)" "$N $N"
check "begin comes first" "$(head -n 1 /tmp/out)" begin
tracesh -q -c 'sleep 20' -e 'tick 100ms { $t++; if ($t == 5) { printf "five\n"; exit } }' >/tmp/out 2>/tmp/err
check "ticks without events, and exit" "$(cat /tmp/out)" five

# every event inside those openat calls that fail
run -f csv -e 'syscalls:sys_enter_openat, syscalls:sys_exit_openat, sched:*
| speculate by task.tid from event == "sys_enter_openat" commit event == "sys_exit_openat" && ret < 0 discard event == "sys_exit_openat"
| where task.comm == "my task 1" | count by event' >/tmp/out
check "speculation lets failed calls through" "$(grep '^sys_exit_openat,' /tmp/out)" "sys_exit_openat,$FAILED"
check "each with its beginning" "$(grep '^sys_enter_openat,' /tmp/out)" "sys_enter_openat,$FAILED"
if [ -e /sys/kernel/tracing/kprobe_events ]; then
	for e in /x/examples/*.tsh; do
		grep -q '^# live:' $e || continue
		tracesh -q -f csv -c "$LOAD" $e >/tmp/out 2>/tmp/err
		yes_if "$(basename $e) runs" $?
		# the page with the path may not be there yet when a probe reads it the first time, which it may not wait for
		got=$(grep -c '^[0-9]*,[0-9]*,\(work\|my task 1\),.*,/no/such/file,' /tmp/out)
		[ "$got" -ge $((2 * FAILED - 2)) ] && [ "$got" -le $((2 * FAILED)) ]
		yes_if "the path of each failed call" $?
		check "and of no other" "$(grep -c hostname /tmp/out)" 0
		grep -q ',cat,.*,ENOENT$' /tmp/out; yes_if "cat's too" $?
	done
else
	echo "skip speculation with paths: this kernel has no kprobe events"
fi
ls /sys/kernel/tracing/instances | grep -q tracesh
check "nothing is left behind" $? 1
exit 0
