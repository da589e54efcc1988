#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Every call of a program that makes a known number of them has the right stacks.
. "$(dirname "$0")/lib.sh"
DEEP=$(dirname "$TRACESH")/tests/prog/deep
state >"$TMP/before"
grep -q 'T __x64_sys_getppid\|T do_syscall_64' /proc/kallsyms || { echo "skip stacks kernel symbols are hidden here"; exit 0; }
run() { "$TRACESH" -q -f json -c "$DEEP 500" "$@" 2>"$TMP/err"; }
rows() { python3 -c 'import json,sys
'"$1"''; }
check "every call has its kernel stack" "$(run -e 'syscalls:sys_enter_getppid | where comm == "deep" | count by kstack' | rows '
r=[json.loads(l) for l in sys.stdin]
print(sum(x["count"] for x in r), all(x["kstack"].split(";")[-1].startswith("entry_") and "do_syscall_64" in x["kstack"] for x in r))')" "501 True"
check "and the program's, whose frames differ by caller" "$(run -e 'syscalls:sys_enter_getppid | where comm == "deep" | count by ustack' | rows '
r=[json.loads(l) for l in sys.stdin]
n={x["count"]: len(x["ustack"].split(";")) for x in r}
print(sorted(n), n[500] - n[1])')" "[1, 500] 1"
check "at most so many frames" "$(run -e 'sched_switch | stack 2 | ustack 1 | count by kstack, ustack' | rows '
r=[json.loads(l) for l in sys.stdin]
print(len(r) > 0, max(len(x["kstack"].split(";")) for x in r) <= 2, max(len(x["ustack"].split(";")) for x in r))')" "True True 1"
check "both ends of a call have theirs" "$(run -e 'syscalls:sys_enter_getppid -> syscalls:sys_exit_getppid on tid | where comm == "deep" | count by start.kstack, end.kstack' | rows '
r=[json.loads(l) for l in sys.stdin]
print(sum(x["count"] for x in r), r[0]["start.kstack"] != r[0]["end.kstack"])')" "501 True"
check "folded, from the outermost" "$(run -e 'syscalls:sys_enter_getppid | where comm == "deep" | count by comm, kstack | folded' | sed -n 's/^\(deep;entry_[^;]*\);do_syscall_64;.* 501$/yes/p')" yes
check "print shows them below the event" "$("$TRACESH" -q -c "$DEEP 3" -e 'syscalls:sys_enter_getppid | where comm == "deep" | stack | limit 2' 2>"$TMP/err" | grep -c '^<stack trace>$\|^ => do_syscall_64$')" 4
check "behind a filter" "$(run -e 'sched_process_exit | where prio < 200 | stack 1 | where comm == "deep" | print kstack, prio' | rows '
print([(r["kstack"], r["prio"]) for r in map(json.loads, sys.stdin)])')" "[('do_exit', 120)]"
# two pipelines, one without stacks: its events have none
check "only who asks pays" "$(run -e 'sched_process_fork | count' -e 'syscalls:sys_enter_getppid | where comm == "deep" | count by kstack' | rows '
print(sum(r["count"] for r in map(json.loads, sys.stdin) if r["job"] == "2"))')" 501
same_state "tracefs as before"
