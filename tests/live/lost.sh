#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A busy run of ten seconds loses nothing with a large buffer, and tells its losses truly with a small
# one: what was seen and what was lost add up to what was made.
. "$(dirname "$0")/lib.sh"
state >"$TMP/before"
N=2000000
got=$("$TRACESH" -f json --set buffer=64MiB -c "$CALLS $N 10 >/dev/null" -e 'syscalls:sys_enter_getppid | where comm == "calls" | count' 2>"$TMP/err" | field count)
check "ten busy seconds, nothing lost" "$got" $N
# one CPU, a tiny buffer, and a reader that is stopped for a while
# sh itself calls getppid as well
own=$("$TRACESH" -q -f json --children -c true -e 'syscalls:sys_enter_getppid | count' 2>/dev/null | field count)
"$TRACESH" -f json --set buffer=64KiB --children -c "kill -STOP \$PPID; $CALLS 300000 >/dev/null; kill -CONT \$PPID" \
	-e 'syscalls:sys_enter_getppid | count' >"$TMP/out" 2>"$TMP/err"
check "losses lead to status 5" $? 5
seen=$(field count <"$TMP/out")
lost=$(grep -o '[0-9]* events were lost' "$TMP/err" | head -1 | grep -o '^[0-9]*')
check "seen and lost add up to what was made" "$((seen + ${lost:-0}))" $((300000 + ${own:-0}))
[ "${lost:-0}" -gt 0 ] && echo "ok some were lost ($lost of 300000)" || { echo "not ok some were lost"; cat "$TMP/err"; }
same_state "tracefs as before"
