#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What `record` writes: trace-cmd and tracesh count in the file what tracesh counted live in the same run; losses, modes,
# disks that are full, places that refuse.
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
same_state "tracefs as before"
