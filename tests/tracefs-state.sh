#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# tracefs-state.sh [DIR]: prints the state of all of tracefs that tracing tools change, for comparing before
# and after. Needs a POSIX shell and cat, busybox will do.
cd "${1:-/sys/kernel/tracing}" || exit 2

# values BASE: files that hold one setting; trace_options and the like show themselves
values() {
	for f in tracing_on trace_clock current_tracer buffer_size_kb buffer_subbuf_size_kb buffer_percent \
		trace_options tracing_cpumask set_event_pid set_event_notrace_pid set_event tracing_thresh; do
		[ -r "$1$f" ] || continue
		# what a buffer will have once it is used tells nothing of a setting
		while IFS= read -r line; do echo "$1$f: ${line%% (expanded*}"; done <"$1$f"
	done
	# set_event lists what is enabled; filters and triggers are looked at where they can be there
	for e in "$1"events/*/*/; do
		for f in filter trigger; do
			[ -r "$e$f" ] || continue
			while IFS= read -r line; do
				case $line in none | '#'*) ;; *) echo "$e$f: $line" ;; esac
			done <"$e$f"
		done
	done
}
values ""
for i in instances/*/; do
	[ -d "$i" ] || continue
	echo "instance $i"
	values "$i"
done
for f in dynamic_events synthetic_events kprobe_events uprobe_events set_ftrace_filter set_ftrace_notrace; do
	[ -r "$f" ] || continue
	n=0
	{ while IFS= read -r line && [ $n -lt 200 ]; do echo "$f: $line"; n=$((n + 1)); done <"$f"; } 2>/dev/null
done
exit 0
