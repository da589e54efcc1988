#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The prompt as a person sees it, driven in tmux: completion, several lines, Ctrl-C, history, jobs.
cd "$(dirname "$0")/../.." || exit 2
TMP=${TMP:-$(mktemp -d)}
command -v tmux >/dev/null || { echo "skip prompt tmux is not installed"; exit 0; }
sock=
n=0
home=$TMP/tmuxhome
rm -rf "$home"; mkdir -p "$home"
dat=$PWD/tests/data/v6-small.dat
tm() { tmux -L $sock "$@"; }
trap 'tm kill-server 2>/dev/null' EXIT
begin() { # begin ARGS...: tracesh in a fresh window
	[ -z "$sock" ] || tm kill-server 2>/dev/null
	sock=tracesh-$$-$((++n)) # a server that is just ending must not be met again
	tm new-session -d -x 120 -y 50 "env HOME=$home XDG_STATE_HOME= TERM=screen PS1= $TRACESH $*; echo ended with \$?; sleep 60"
	see 'tracesh>' || { echo "not ok the prompt appears"; tm capture-pane -p; exit 1; }
}
keys() { tm send-keys "$@"; }
screen() { tm capture-pane -p; }
see() { # see PATTERN: until the screen shows it, ten seconds at most
	local i
	for i in $(seq 100); do screen | grep -qE -- "$1" && return 0; sleep 0.1; done
	return 1
}
test_see() { # test_see NAME PATTERN
	if see "$2"; then echo "ok $1"; else echo "not ok $1"; screen | sed 's/^/  | /'; fi
}

begin -i "$dat"
keys 'sched_sw' Tab; test_see "TAB completes an event" 'tracesh> sched_switch'
keys '| cou' Tab; test_see "TAB completes a stage" 'sched_switch ?\| count'
keys 'by next_c' Tab; test_see "TAB completes a field of the source" 'count by next_comm'
keys Enter; test_see "the pipeline runs" 'swapper/0 +40'
keys 'sched_waking -> sched_switch on pid == next_pid | hist delta.l' Tab; test_see "TAB completes a suffix" 'delta\.l'
keys C-c; test_see "Ctrl-C drops the line" '\^C'
keys 'sched_wak' Tab Tab; test_see "TAB twice lists what there is" 'sched_waking'
keys C-c
keys 'sched_switch |' Enter; test_see "a line that ends in a bar goes on" '^ {7}>'
keys 'count' Enter; test_see "and ends with its last line" '^152$|^ *152$'
keys 'sched_switch | count by next_com' Enter; test_see "a typo is shown with a hint" "did you mean 'next_comm'"
keys 'let x = 5' Enter 'echo x is $x' Enter; test_see "variables" 'x is 5'
keys 'help hist' Enter; test_see "help on a stage" 'hist E'
keys C-d; test_see "Ctrl-D ends with status" 'ended with'
begin -i "$dat"
keys Up Up; test_see "history from the session before" 'tracesh> echo x is'
keys C-c; keys 'exit' Enter; test_see "exit ends" 'ended with 0'

if [ "$(id -u)" = 0 ] && [ -e /sys/kernel/tracing/instances ]; then
	begin
	keys 'sched_switch | count by cpu' Enter
	for _ in $(seq 50); do ls /sys/kernel/tracing/instances | grep -q '^tracesh-' && break; sleep 0.1; done
	sleep 0.5
	keys C-c; test_see "Ctrl-C ends a running pipeline and prints its result" '^cpu +count'
	test_see "and the prompt is back" 'tracesh> *$'
	keys 'n = sched_switch | count &' Enter; test_see "a job in the background" '%1'
	keys 'jobs' Enter; test_see "jobs lists it" '%1 +n +running'
	keys 'show' Enter; test_see "show gives its result so far" '^ *count'
	calls=$(dirname "$TRACESH")/tests/prog/calls
	keys "run $calls 3" Enter; test_see "run beside a job" '^3$'
	keys 'stop n' Enter; keys 'echo done' Enter; test_see "stop ends it" '^done'
	keys C-l
	keys 'syscalls:sys_enter_getppid | where comm == "calls" | sum 7 by comm' Enter
	for _ in $(seq 50); do ls /sys/kernel/tracing/instances | grep -q '^tracesh-' && break; sleep 0.1; done
	keys C-c
	keys C-l "run $calls 30 >/dev/null" Enter; test_see "run takes the latest pipeline" '^calls +210'
	keys C-l "syscalls:sys_enter_getppid | where comm == \"calls\" | sum 11 by comm; run $calls 30 >/dev/null" Enter
	test_see "run takes the pipelines of its line" '^calls +330'
	keys C-l 'echo all' Enter; see '^all'; see 'tracesh> *$'
	keys C-d; test_see "ended" 'ended with 0'
	[ -z "$(ls /sys/kernel/tracing/instances | grep "^tracesh-")" ] && echo "ok no instance is left" || echo "not ok no instance is left"
else
	echo "skip live prompt needs root and tracefs"
fi
