#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Whom a run traces: a command with three generations of children from the first instruction of each, tasks that
# run already, a control group; and nobody else, though others make the same calls all the time.
. "$(dirname "$0")/lib.sh"
FAMILY=$(dirname "$TRACESH")/tests/prog/family
state >"$TMP/before"
Q='syscalls:sys_enter_openat | where mode >= 1000 | printf "%d %d\n", tid, mode'
# strangers: marks below 9000; the family's are above
(while :; do "$FAMILY" 400 2; done) >/dev/null 2>&1 &
noise=$!
trap 'kill $noise 2>/dev/null; wait $noise 2>/dev/null' EXIT
seen() { # seen NAME FILE-OF-MARKS FILE-OF-EVENTS
	sort "$2" >"$TMP/want"; sort "$3" >"$TMP/got"
	if [ -s "$TMP/want" ] && cmp -s "$TMP/want" "$TMP/got"; then
		echo "ok $1 ($(wc -l <"$TMP/want") calls)"
	else
		echo "not ok $1"; diff "$TMP/want" "$TMP/got" | head; cat "$TMP/err"
	fi
}
"$TRACESH" -q --children -c "sh -c '$FAMILY 3000 4 >$TMP/marks'" -e "$Q" >"$TMP/events" 2>"$TMP/err"
seen "-c --children" "$TMP/marks" "$TMP/events"
"$TRACESH" -q -e "set scope run
$Q
run sh -c '$FAMILY 3000 4 >$TMP/marks'
$Q
run sh -c '$FAMILY 3000 4 >>$TMP/marks'" >"$TMP/events" 2>"$TMP/err"
seen "set scope run, twice" "$TMP/marks" "$TMP/events"
"$TRACESH" -q --set children=on -c "sh -c '$FAMILY 3000 4 >$TMP/marks; :'" -e 'syscalls:sys_enter_* | count by comm' -f csv 2>"$TMP/err" >"$TMP/events"
check "nobody else in anything" "$(grep -c -v '^comm,\|^sh,\|^family,\|^exe,\|^tracesh,' "$TMP/events")" 0
# a shell that waits for a line, traced by its id
mkfifo "$TMP/go"
sh -c "read x <'$TMP/go'; '$FAMILY' 3000 4 >'$TMP/marks'" &
shell=$!
exec 5> >(cat >"$TMP/ready")
"$TRACESH" -q -p $shell --children --ready-fd 5 --for 30s -e "$Q" >"$TMP/events" 2>"$TMP/err" 5>&5 &
tracer=$!
wait_for test -s "$TMP/ready"
echo go >"$TMP/go"
wait $shell
sleep 0.3
kill -INT $tracer; wait $tracer
seen "-p --children" "$TMP/marks" "$TMP/events"
exec 5>&-
# a control group
for root in /sys/fs/cgroup /sys/fs/cgroup/unified /sys/fs/cgroup/pids; do
	group=$root/tracesh-test-$$
	if [ -e $root/cgroup.procs ] && mkdir -p $group/below 2>/dev/null && [ -e $group/cgroup.procs ]; then break; fi
	group=
done
if [ -n "$group" ]; then
	"$TRACESH" -q --set "cgroup=$group" -e "$Q" >"$TMP/out" 2>"$TMP/err"
	check "an empty group is refused" "$? $(grep -c 'no task is in' "$TMP/err")" "1 1"
	sh -c "echo \$\$ >$group/below/cgroup.procs; read x <'$TMP/go'; '$FAMILY' 3000 4 >'$TMP/marks'" &
	shell=$!
	wait_for grep -q . $group/below/cgroup.procs
	exec 5> >(cat >"$TMP/ready2")
	"$TRACESH" -q --set "cgroup=$group" --ready-fd 5 --for 30s -e "$Q" >"$TMP/events" 2>"$TMP/err" 5>&5 &
	tracer=$!
	wait_for test -s "$TMP/ready2"
	echo go >"$TMP/go"
	wait $shell
	sleep 0.3
	kill -INT $tracer; wait $tracer
	exec 5>&-
	seen "set cgroup" "$TMP/marks" "$TMP/events"
	rmdir $group/below $group
else
	echo "skip set cgroup no control group can be made here"
fi
same_state "tracefs as before"
