# SPDX-License-Identifier: GPL-3.0-or-later
# awk -f storm-check.awk PHASES EVENTS: what tests/prog/storm printed against events "TS TID PID PPID COMM"
# (tabs). Prints "CALLS events, CALLS expected, N wrong" and the first wrong ones.
BEGIN { FS = "\t" }
FNR == NR {
	n[$1]++
	k = $1 SUBSEP n[$1]
	pid[k] = $2; ppid[k] = $3; name[k] = $4; from[k] = $5 + 0; to[k] = $6 + 0
	expected += $7
	next
}
{
	ts = $1 + 0
	for (i = 1; i <= n[$2]; i++) {
		k = $2 SUBSEP i
		if (ts < from[k] || ts > to[k])
			continue
		got++
		if ($3 != pid[k] || $4 != ppid[k] || $5 != name[k]) {
			if (wrong++ < 10)
				print "tid " $2 " at " $1 ": pid " $3 " ppid " $4 " '" $5 "', it was pid " pid[k] " ppid " ppid[k] " '" name[k] "'" >"/dev/stderr"
		}
		break
	}
}
END { printf "%d events, %d expected, %d wrong\n", got, expected, wrong }
