#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A program that makes exactly N calls is counted as N, whichever way one asks.
. "$(dirname "$0")/lib.sh"
state >"$TMP/before"
N=5000
run() { "$TRACESH" -q -f json -c "$CALLS $N >/dev/null" "$@" 2>"$TMP/err"; }
check "event counted" "$(run -e 'syscalls:sys_enter_getppid | where comm == "calls" | count' | field count)" $N
check "by process" "$(run -e 'syscalls:sys_enter_getppid | count by comm' | python3 -c 'import json,sys
print([r["count"] for r in map(json.loads, sys.stdin) if r["comm"] == "calls"])')" "[$N]"
check "by name" "$(run --children -e 'syscall:getppid | where comm == "calls" | count by name' | python3 -c 'import json,sys
print([(r["name"], r["count"]) for r in map(json.loads, sys.stdin)])')" "[('getppid', $N)]"
check "as a pair with its exit" "$(run -e 'syscalls:sys_enter_getppid -> syscalls:sys_exit_getppid on tid | where comm == "calls" | stats delta' | field count)" $N
check "as a call" "$(run -e 'syscall:getppid | where comm == "calls" | count' | field count)" $N
check "over raw_syscalls" "$(run -e 'raw_syscalls:sys_enter | where comm == "calls" && id.syscall == "getppid" | count' | field count)" $N
check "among all calls" "$(run -e 'syscall:* | where comm == "calls" && name == "getppid" | count' | field count)" $N
check "several questions at once" "$(run -e 'syscalls:sys_enter_getppid | where comm == "calls" | count' -e 'syscalls:sys_exit_getppid | where comm == "calls" | count' | python3 -c 'import json,sys
print([(r["job"], r["count"]) for r in map(json.loads, sys.stdin)])')" "[('1', $N), ('2', $N)]"
check "only the command with --children" "$(run --children -e 'syscalls:sys_enter_getppid | count by comm' | python3 -c 'import json,sys
print(sorted((r["comm"], r["count"] >= 5000) for r in map(json.loads, sys.stdin) if r["comm"] not in ("sh", "tracesh")))')" "[('calls', True)]"
run -e 'sched_switch | count by next_com' >/dev/null; check "a typo is status 1" $? 1
same_state "tracefs as before"
