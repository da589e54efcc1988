#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# make-answers.sh [FILE.dat...]: what `trace-cmd report` alone says of each file (default: all here).
#   FILE.counts  "EVENT COUNT" a line, sorted by name
#   FILE.report  totals: events, first and last time, per cpu, per buffer, places of lost events
# The tests compare tracesh with these, never with tracesh's own output.
set -eu
command -v trace-cmd >/dev/null || { echo "trace-cmd is not there" >&2; exit 1; }
[ $# -gt 0 ] || set -- "$(dirname "$0")"/*.dat

for f in "$@"; do
	# -N: no plugins, -R: fields as they are, -t: all digits of a time
	trace-cmd report -N -R -t "$f" 2>/dev/null | LC_ALL=C awk -v counts="${f%.dat}.counts" -v report="${f%.dat}.report" '
	/^CPU:[0-9]+ \[.*EVENTS DROPPED\]$/ {
		n = $2; sub(/^\[/, "", n)
		if (n ~ /^[0-9]+$/) lost += n; else spots++
		next
	}
	# [instance:] comm-pid [cpu] time: event: fields; the comm may hold anything
	match($0, /\[[0-9][0-9][0-9]+\] *[0-9.]+: +[A-Za-z0-9_]+: /) {
		line = substr($0, RSTART, RLENGTH)
		sub(/\] */, "] ", line)
		split(line, w, / +/)
		cpu = w[1]; gsub(/[\[\]]/, "", cpu)
		time = w[2]; sub(/:$/, "", time)
		name = w[3]; sub(/:$/, "", name)
		buffer = "-"
		if (match($0, /^[^ ]+:  /)) buffer = substr($0, 1, RLENGTH - 3)
		event[name]++; percpu[cpu + 0]++; perbuf[buffer]++
		if (!total++) first = time
		last = time
	}
	END {
		sorted = "LC_ALL=C sort >" counts
		for (n in event) print n, event[n] | sorted
		close(sorted)
		print "events", total + 0 > report
		print "first", first > report
		print "last", last > report
		print "lost", lost + 0, "spots", spots + 0 > report
		sorted = "LC_ALL=C sort >>" report
		close(report)
		for (c in percpu) print "cpu", c, percpu[c] | sorted
		for (b in perbuf) print "buffer", b, perbuf[b] | sorted
		close(sorted)
	}'
done
