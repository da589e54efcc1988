#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Our own activity does not fill the trace; readiness is told; `for` and `every` keep time.
. "$(dirname "$0")/lib.sh"
state >"$TMP/before"
"$TRACESH" -q -f json --for 1s -e 'syscalls:sys_enter_write, syscalls:sys_enter_read | count by comm' >"$TMP/out" 2>"$TMP/err"
check "tracesh is not in its own trace" "$(grep -c '"comm":"tracesh"' "$TMP/out")" 0
mkfifo "$TMP/ready"
"$TRACESH" -q -f json --ready-fd 3 --for 5s -e 'syscalls:sys_enter_getppid | where comm == "calls" | count' 3>"$TMP/ready" >"$TMP/out" 2>"$TMP/err" &
pid=$!
head -c 1 "$TMP/ready" >/dev/null
"$CALLS" 777 >/dev/null
kill -INT $pid
wait $pid
check "nothing is missed after --ready-fd" "$(field count <"$TMP/out")" 777
"$TRACESH" -q -f csv --for 2200ms -e 'sched_switch | count | every 1s' >"$TMP/out" 2>"$TMP/err"
n=$(grep -c '^[0-9]' "$TMP/out")
[ "$n" -ge 2 ] && [ "$n" -le 4 ] && echo "ok every 1s prints each second" || echo "not ok every 1s printed $n times"
echo 'syscalls:sys_enter_getppid | where comm == "calls" | count' >"$TMP/s.tsh"
check "a script file" "$("$TRACESH" -q -f json -c "$CALLS 100 >/dev/null" "$TMP/s.tsh" | field count)" 100
check "standard input" "$("$TRACESH" -q -f json -c "$CALLS 100 >/dev/null" <"$TMP/s.tsh" | field count)" 100
check "redirection" "$("$TRACESH" -q -c "$CALLS 100 >/dev/null" -e "syscalls:sys_enter_getppid | where comm == \"calls\" | count | json > $TMP/r.json" && field count <"$TMP/r.json")" 100
check "a pipe to a command" "$("$TRACESH" -q -c "$CALLS 100 >/dev/null" -e "syscalls:sys_enter_getppid | where comm == \"calls\" | count | json |! cat" | field count)" 100
same_state "tracefs as before"
