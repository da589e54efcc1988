#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Runs inside the virtual machine: what the kernel's histograms and filters do in silence, a case each. The answer must be
# right wherever it comes from, or what is missing must be told.
N=1000
T="tracesh -f csv"
tfs=/sys/kernel/tracing
check() { if [ "$2" = "$3" ]; then echo "ok $1"; else echo "not ok $1"; echo "  got: $2"; echo "  want: $3"; cat /tmp/err; fi; }
run() { $T -c "keys $N" "$@" 2>/tmp/err; }
rows() { awk -F, 'NR > 1 {n++; t += $NF} END {print n + 0, t + 0}'; }
[ -e $tfs/events/sched/sched_switch/hist ] && hist=yes || hist=
sh /x/tracefs-state.sh >/tmp/before

OK='syscalls:sys_enter_lseek | where comm == "keys" && fd < 100'
check "more keys than entries, with room" "$(run -e "$OK | count by offset" | rows)" "$N $N"
if [ $hist ]; then
	run --set histsize=128 -e "$OK | count by offset" >/tmp/out
	check "a full table: status" $? 5
	told=$(sed -n 's/.* \([0-9]*\) events found no room in the kernel.s table.*histsize.*/\1/p' /tmp/err)
	check "a full table: what is there and what is told make all" "$(rows </tmp/out | cut -d' ' -f2) + $told" "$((N - ${told:-0})) + $told"
	[ "${told:-0}" -gt 100 ] && echo "ok a full table: drops" || echo "not ok a full table: drops $told"
	grep -q ' ksys_lseek$' /proc/kallsyms && {
		run --set histsize=128 -e "($OK) -> kprobe:ksys_lseek(o = arg2) on offset == o | count" >/tmp/out
		check "a full table of starts: status" $? 5
		grep -q '[1-9][0-9]* starts or ends of pairs.*histsize' /tmp/err && echo "ok a full table of starts is told" || { echo "not ok a full table of starts is told"; cat /tmp/err; }
		check "starts that have room" "$(run -e "($OK) -> kprobe:ksys_lseek(o = arg2) on offset == o | count" | tail -n 1)" "$N"
	}
fi
PAIR="($OK) -> syscalls:sys_exit_lseek on offset == ret"
check "as many pairs as keys, with room" "$(run -e "$PAIR | count" | tail -n 1)" $N
check "an end takes its start once" "$(run -e "($OK && offset == 5) -> syscalls:sys_enter_lseek on tid | count" | tail -n 1)" 1
check "sums of negative values" "$(run -e 'syscalls:sys_exit_lseek | where comm == "keys" && ret < 0 | agg s = sum(ret), n = count() by ret' | tail -n 1)" "-9,-$((9 * N)),$N"
check "buckets of negative values" "$(run -e 'syscalls:sys_exit_lseek | where comm == "keys" | hist ret step 100' | grep '^-100,' | grep -o '[0-9]*$')" $N
check "buckets where none is negative" "$(run -e 'syscalls:sys_exit_lseek | where comm == "keys" && ret >= 0 | hist ret step 100' | rows | cut -d' ' -f2)" $N
check "zero, and powers of two at their bounds" "$(run -e 'syscalls:sys_exit_lseek | where comm == "keys" && ret in (0, 1, 2, 3, 4, 512, 513) | count by ret.log2' | tail -n +2 | tr '\n' ' ')" \
	"$(run --set pushdown=off -e 'syscalls:sys_exit_lseek | where comm == "keys" && ret in (0, 1, 2, 3, 4, 512, 513) | count by ret.log2' | tail -n +2 | tr '\n' ' ')"
check "four keys" "$(run -e "$OK | count by offset, whence, tid, cpu" | rows)" "$N $N"
check "a key of the pair that differs in type" "$(run -e "($OK) -> syscalls:sys_exit_lseek on fd == ret | count" | tail -n 1)" 1
check "a start and its end of the same event" "$(run -e "($OK && offset < 20) -> ($OK && offset < 20) on tid | count" | tail -n 1)" 19
# longer than the kernel takes a filter
long=$(seq 0 999 | tr '\n' ',')
check "a filter of 1000 numbers" "$(run -e "$OK && offset in (${long%,}) | count" | tail -n 1)" $N
check "field against field" "$(run -e "$OK && offset == fd | count" | tail -n 1)" 1
check "a constant beyond the field" "$(run -e "$OK && whence < 5000000000 && whence > -1 | count" | tail -n 1)" $N
check "quotes in a text" "$(run -e 'syscalls:sys_enter_lseek | where comm != "it'"'"'s \"q\"" && comm == "keys" && fd < 100 | count' | tail -n 1)" $N
check "brackets in a glob" "$(run -e 'syscalls:sys_enter_lseek | where comm ~ "[k]eys" || comm == "keys" && fd < 100 | count' | tail -n 1)" $N
# pairs on a CPU: a field that only the start has, next to a key that is no field
# shellcheck disable=SC2086
check "a start's field with cpu as the key" "$(run -e "($OK) -> syscalls:sys_exit_lseek on cpu, tid | count by whence" | tail -n 1)" "0,$N"
# names that a trigger's own words have
K='kprobe:ksys_lseek'
grep -q ' ksys_lseek$' /proc/kallsyms && {
	check "a field of one letter" "$(run -e "$K(o = arg2, w = arg3) -> kretprobe:ksys_lseek(r = retval: s64) on tid | where comm == \"keys\" && r >= 0 | agg s = sum(o), t = sum(r) by w" | tail -n 1)" \
		"0,$((N * (N - 1) / 2)),$((N * (N - 1) / 2))"
	check "fields named as a histogram's own words" "$(run -e "$K(hitcount = arg2, size = arg3, ts0 = arg1) | where comm == \"keys\" && ts0 < 100 | agg a = sum(hitcount), n = count() by size" | tail -n 1)" "0,$((N * (N - 1) / 2)),$N"
	check "a key named hitcount" "$(run -e "$K(hitcount = arg3) | where comm == \"keys\" | count by hitcount" | tail -n 1)" "0,$((2 * N))"
}
# strings as keys are cut
path=$(printf '%0.s./' $(seq 200))etc/passwd
for p in "$path" "${path}x"; do
	$T -c "keys 40 $p" -e 'kprobe:do_sys_openat2(path = ustr(arg2)) | where comm == "keys" && path ~ "./././*" | count by path' >/tmp/out 2>/tmp/err
	n=$(grep -c "^$p,40\$" /tmp/out)
	told=$(grep -c 'cut .*pushdown' /tmp/err)
	check "a long string is whole, or it is told that it is not: ${#p}" "$([ $n = 1 ] || [ "$told" = 1 ] && [ "$(rows </tmp/out)" = "1 40" ] && echo yes)" yes
done
! dmesg | grep -q 'Oops\|BUG:' && echo "ok no oops" || { echo "not ok no oops"; dmesg | grep -A 5 'Oops\|BUG:'; }
sh /x/tracefs-state.sh >/tmp/after
if cmp -s /tmp/before /tmp/after; then echo "ok tracefs as before the traps"; else echo "not ok tracefs as before the traps"; diff /tmp/before /tmp/after | head -n 20; fi
exit 0
