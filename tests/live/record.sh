#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What `record` writes: trace-cmd and tracesh count in the file what tracesh counted live in the same run; losses, modes,
# disks that are full, places that refuse. The flight recorder, stop and snapshot are in flight.sh.
. "$(dirname "$0")/lib.sh"
state >"$TMP/before"
D=$TMP/record; mkdir -p "$D"
LOAD=$(dirname "$TRACESH")/tests/prog/calls
WHAT='sched:*, irq:*, raw_syscalls:*'
load() { echo "$LOAD 100000 >/dev/null; for i in 1 2 3; do /bin/true; done; sleep ${1:-0.5}"; }
# counts "EVENT N" a line, sorted, of csv on standard input
csv_counts() { sed 1d | awk -F, 'NF == 2 { print $1, $2 }' | sort; }
report_counts() { # report_counts FILE: by trace-cmd
	trace-cmd report "$1" 2>/dev/null | awk '!/^cpus=/ { for (i = 1; i <= NF; i++) if ($i ~ /^[0-9]+\.[0-9]+:$/) { e = $(i + 1); sub(/:$/, "", e); n[e]++; break } }
		END { for (e in n) print e, n[e] }' | sort
}
file_counts() { "$TRACESH" -q -i "$1" -f csv -e "$WHAT | count by event" 2>"$TMP/err" | csv_counts; }
same() { # same NAME FILE FILE
	if [ -s "$2" ] && cmp -s "$2" "$3"; then echo "ok $1"; else echo "not ok $1"; diff "$2" "$3" | head -20; fi
}

for compress in none zstd; do
	f=$D/$compress.dat
	"$TRACESH" -q -f csv -c "$(load)" -e "set buffer 64MiB" -e "set compress $compress" -e "$WHAT | record \"$f\"" \
		-e "$WHAT | count by event" >"$D/live.csv" 2>"$TMP/err"
	check "$compress: recorded and counted in one run" $? 0
	grep -v '^#' "$D/live.csv" | csv_counts >"$D/live"
	file_counts "$f" >"$D/file"
	report_counts "$f" >"$D/report"
	same "$compress: the file holds what was counted" "$D/live" "$D/file"
	same "$compress: trace-cmd finds the same in it" "$D/file" "$D/report"
	check "$compress: mode" "$(stat -c %a "$f")" 600
	"$TRACESH" -q -f csv -c "$(load)" -e "set buffer 64MiB" -e "set compress $compress" -e "$WHAT | record \"$f\"" 2>"$TMP/err"
	check "$compress: recorded without being read" $? 0
	file_counts "$f" >"$D/file"
	report_counts "$f" >"$D/report"
	same "$compress: and trace-cmd counts the same" "$D/file" "$D/report"
	check "$compress: all calls of the program" "$("$TRACESH" -q -i "$f" -f json -e 'raw_syscalls:sys_enter | where comm == "calls" && id.syscall == "getppid" | count' | field count)" 100000
done

# conditions are the kernel's
"$TRACESH" -q -c "$(load 0)" -e 'set buffer 64MiB' -e "raw_syscalls:sys_enter | where comm == \"calls\" && id > 0 | record \"$D/where.dat\"" 2>"$TMP/err"
check "a condition sifts in the kernel" "$("$TRACESH" -q -i "$D/where.dat" -f json -e 'raw_syscalls:* | count by comm' | python3 -c 'import json,sys
print([(r["comm"], r["count"] >= 100000) for r in map(json.loads, sys.stdin)])')" "[('calls', True)]"
"$TRACESH" -q -c true -e "sched_switch | where next_comm == prev_comm | record \"$D/no.dat\"" 2>"$TMP/err"
check "a condition that no filter can hold is refused" "$? $(grep -c "event filters cannot hold" "$TMP/err") $(ls "$D/no.dat" 2>/dev/null)" "1 1 "
"$TRACESH" -q -c "$(load 0)" --children -e "raw_syscalls:sys_enter | record \"$D/children.dat\"" 2>"$TMP/err"
check "with --children only the command's" "$("$TRACESH" -q -i "$D/children.dat" -f json -e 'raw_syscalls:* | count by comm' | python3 -c 'import json,sys
print(sorted({r["comm"] for r in map(json.loads, sys.stdin)} - {"sh", "tracesh"}))')" "['calls', 'sleep', 'true']"
"$TRACESH" -q -c "$(load 0)" -e 'set buffer 64MiB' -e "irq:*, sched_switch | record \"$D/one.dat\"" -e "raw_syscalls:sys_enter | record \"$D/two.dat\"" \
	-e 'raw_syscalls:sys_exit | where comm == "calls" | count' -f json >"$D/out" 2>"$TMP/err"
check "two files and a count: the count" "$(test "$(field count <"$D/out")" -ge 100000 && echo yes)" yes
check "two files and a count: each has its own" "$(for f in one two; do "$TRACESH" -q -i "$D/$f.dat" -f json -e '*:* | count by system' | python3 -c 'import json,sys
print(*sorted(r["system"] for r in map(json.loads, sys.stdin)), end=" ")'; done)" "irq sched raw_syscalls "

# other forms of output
"$TRACESH" -q -c "$(load 0)" -e 'set buffer 64MiB' -e 'raw_syscalls:sys_enter | where comm == "calls" | record "-"' 2>"$TMP/err" | cat >"$D/pipe.dat"
file_counts "$D/pipe.dat" >"$D/file"; report_counts "$D/pipe.dat" >"$D/report"; same "standard output gets the same file" "$D/file" "$D/report"
check "all of it" "$(awk '$1 == "sys_enter" { print ($2 >= 100000) }' "$D/file")" 1
"$TRACESH" -q -c true -e 'sched_switch | record "-"' 2>"$TMP/err" | head -c 10 >/dev/null; check "nobody reads: status 3" "${PIPESTATUS[0]}" 3
"$TRACESH" -q -c true -e "sched_switch | record \"$D/none/x.dat\"" 2>"$TMP/err"; check "no such directory" "$? $(grep -c 'No such file' "$TMP/err")" "3 1"
"$TRACESH" -q -c true -e 'sched_switch | record "/dev/full"' 2>"$TMP/err"; check "a full device" "$? $(grep -c 'No space left' "$TMP/err")" "3 1"
mkdir -p "$D/ro" && mount -t tmpfs -o ro none "$D/ro" 2>/dev/null && {
	"$TRACESH" -q -c true -e "sched_switch | record \"$D/ro/x.dat\"" 2>"$TMP/err"; check "a read-only place" "$? $(grep -c 'Read-only' "$TMP/err")" "3 1"
	umount "$D/ro"
}
mkdir -p "$D/small"
for compress in none zstd; do
	# room for the symbols and formats and not much more
	mount -t tmpfs -o size=$([ $compress = none ] && echo 16m || echo 6m) none "$D/small" 2>/dev/null || continue
	"$TRACESH" -q -c "$LOAD 3000000 >/dev/null" -e "set compress $compress" -e "$WHAT | record \"$D/small/x.dat\"" 2>"$TMP/err"
	check "$compress: the disk fills: said, status 3" "$? $(grep -c 'No space left' "$TMP/err")" "3 1"
	file_counts "$D/small/x.dat" >"$D/file"
	report_counts "$D/small/x.dat" >"$D/report"
	same "$compress: what was written before can be read" "$D/file" "$D/report"
	check "$compress: and is no little" "$(awk '$1 == "sys_enter" { print ($2 > 20000) }' "$D/file")" 1
	umount "$D/small"
done
mount -t tmpfs -o size=16m none "$D/small" 2>/dev/null && {
	head -c 15m /dev/zero >"$D/small/filler"
	"$TRACESH" -q -c true -e "sched_switch | record \"$D/small/x.dat\"" 2>"$TMP/err"; check "full before it begins: no file is left" "$? $(ls "$D/small")" "3 filler"
	umount "$D/small"
}
(ulimit -f 20000; "$TRACESH" -q -c "$LOAD 3000000 >/dev/null" -e "$WHAT | record \"$D/limit.dat\"" 2>"$TMP/err"; check "a limit on file sizes: said, status 3" "$? $(grep -c 'too large' "$TMP/err")" "3 1")
file_counts "$D/limit.dat" >"$D/file"; report_counts "$D/limit.dat" >"$D/report"; same "and what was written can be read" "$D/file" "$D/report"
"$TRACESH" -c "$LOAD 2000000 >/dev/null" -e 'set buffer 64KiB' -e "$WHAT | record \"$D/lost.dat\"" -e "sched_switch | count" >/dev/null 2>"$TMP/err"
check "losses are said, status 5" "$? $(grep -c 'events were lost' "$TMP/err")" "5 1"
"$TRACESH" -i "$D/lost.dat" -e 'raw_syscalls:* | count' >/dev/null 2>"$TMP/err2"; check "and are in the file" "$? $(grep -c 'lost' "$TMP/err2")" "5 1"

# killed: the file is as of a second before, at most
"$TRACESH" -q -e "$WHAT | record \"$D/killed.dat\"" 2>"$TMP/err" & pid=$!
wait_for test -s "$D/killed.dat"; for i in 1 2 3 4 5; do "$LOAD" 50000 >/dev/null; sleep 0.5; done
kill -9 $pid; wait $pid 2>/dev/null
"$TRACESH" -q -e cleanup >/dev/null 2>&1
file_counts "$D/killed.dat" >"$D/file"; report_counts "$D/killed.dat" >"$D/report"; same "killed: the file can be read" "$D/file" "$D/report"
check "killed: and has most of it" "$(awk '$1 == "sys_enter" { print ($2 > 100000) }' "$D/file")" 1
same_state "tracefs as before"
