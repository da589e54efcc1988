#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A recorded fork storm on six ids: every event has the name, process and parent that the processes themselves
# printed (v7-storm.phases, by tests/prog/storm).
cd "$(dirname "$0")/.." || exit 2
for reader in native libtracecmd; do
	"$TRACESH" -q --set reader=$reader -i data/v7-storm.dat -e \
		'syscalls:sys_enter_getppid | printf "%d\t%d\t%d\t%d\t%s\n", ts, tid, pid, ppid, comm' >"$TMP/events" 2>"$TMP/err"
	got=$(awk -f storm-check.awk data/v7-storm.phases "$TMP/events" 2>"$TMP/wrong")
	if [ "$got" = "312 events, 312 expected, 0 wrong" ]; then
		echo "ok names and parents of reused ids ($reader)"
	else
		echo "not ok names and parents of reused ids ($reader): $got"
		cat "$TMP/wrong" "$TMP/err"
	fi
done
