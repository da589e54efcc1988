#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Runs inside the virtual machine, booted with the parameters that `emit cmdline` made of boot.tsh: collect --boot reads what
# was recorded from before the first process on.
T=/sys/kernel/tracing
tracesh -q -f csv -o /tmp/out -e 'collect --boot /x/boot.tsh' 2>/tmp/err
st=$?
[ $st = 0 ] || [ $st = 5 ] && echo "ok collect --boot ends well" || { echo "not ok collect --boot ends well: $st"; cat /tmp/err; cat /proc/cmdline; }
awk -v dir=/tmp/r 'BEGIN {name = "1"; system("rm -rf " dir "; mkdir " dir)} /^# / {name = substr($0, 3); next} $0 != "" {print > (dir "/" name)}' /tmp/out
# the first tasks are made by the kernel itself, long before init
grep -q '^swapper' /tmp/r/1 && echo "ok forks before init are counted" || { echo "not ok forks before init are counted"; head -5 /tmp/r/1; }
grep -q '^kthreadd' /tmp/r/1 && echo "ok and those of kthreadd" || { echo "not ok and those of kthreadd"; head -5 /tmp/r/1; }
grep -q '^swapper[^,]*,1,\|^swapper[^,]*,2,' /tmp/r/2 && echo "ok init and kthreadd are made" || { echo "not ok init and kthreadd are made"; head -5 /tmp/r/2; }
[ -z "$(ls $T/instances)" ] && echo "ok no instance is left" || { echo "not ok no instance is left"; ls $T/instances; }
check() { if [ "$2" = "$3" ]; then echo "ok $1"; else echo "not ok $1"; echo "  got: $2"; echo "  want: $3"; fi; }
check "no event is on" "$(cat $T/events/enable)" 0
check "no trigger is left" "$(grep -hv '^#' $T/events/sched/*/trigger $T/events/task/*/trigger)" ""
check "the buffer is on and empty" "$(cat $T/tracing_on) $(grep -vc '^#' $T/trace)" "1 0"
grep -q '\[local\]' $T/trace_clock && echo "ok the clock is the kernel's own" || { echo "not ok the clock is the kernel's own"; cat $T/trace_clock; }
exit 0
