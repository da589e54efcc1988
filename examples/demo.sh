#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# demo.sh TRACESH: three seconds of this machine, or of a recorded trace.dat where tracefs cannot be used.
t=$1
dir=$(dirname "$0")
if [ "$(id -u)" = 0 ] && "$t" -q --for 100ms -e 'sched_switch | count' >/dev/null 2>&1; then
	echo "Three seconds of this machine: system calls by name and process, and wake-up latency."
	exec "$t" --for 3s "$dir/demo.tsh"
fi
echo "tracefs cannot be used here (it needs root and a kernel with tracing): the same over a recorded file."
exec "$t" -i "$dir/../tests/data/v6-small.dat" "$dir/demo.tsh"
