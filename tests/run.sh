#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# run.sh fast|all|vm|golden: runs the tests and prints a line each, then "N passed, N failed, N skipped".
# Every program and script speaks TAP's words: "ok NAME", "not ok NAME", "skip NAME REASON".
# REWRITE=1 (make golden) rewrites expected outputs; the diff is for review.
set -u
cd "$(dirname "$0")/.." || exit 2
export LC_ALL=C.UTF-8 B=${B:-build}
export TRACESH=$PWD/$B/tracesh
case $B in /*) TRACESH=$B/tracesh ;; esac
export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=1:abort_on_error=0} HOME=${HOME:-/root}
mode=${1:-fast}
tmp=$(mktemp -d) || exit 2
export TMP=$tmp
trap 'rm -rf "$tmp"' EXIT
pass=0 fail=0 skip=0
started=$SECONDS

# lines of a test program on standard input; $1: its name, $2: file with what it said besides
count() {
	local line seen=0
	while IFS= read -r line; do
		case $line in
		"ok "*) pass=$((pass + 1)); seen=1; [ -n "${V:-}" ] && echo "ok   $1: ${line#ok }" ;;
		"not ok "*) fail=$((fail + 1)); seen=1; echo "FAIL $1: ${line#not ok }" ;;
		"skip "*) skip=$((skip + 1)); seen=1; echo "SKIP $1: ${line#skip }" ;;
		*) [ -n "${V:-}" ] && echo "     $line"; printf '%s\n' "$line" >>"$tmp/said" ;;
		esac
	done
	return $((1 - seen))
}

# run NAME LIMIT-SECONDS COMMAND...: a program that speaks TAP's words; a crash or silence is a failure
run() {
	local name=$1 limit=$2 rc before=$fail t=$SECONDS
	shift 2
	: >"$tmp/said"
	timeout -k 5 "$limit" "$@" >"$tmp/out" 2>"$tmp/err"
	rc=$?
	if ! count "$name" < <(sed 's/^not ok [0-9]* # SKIP \(.*\)/skip \1 its source says why/; s/^\(not ok\|ok\) [0-9]* - /\1 /; s/^ok \(.*\) # SKIP *\(.*\)/skip \1 \2/' "$tmp/out"); then
		fail=$((fail + 1)); echo "FAIL $name: no test ran (status $rc)"
	elif [ $rc != 0 ] && [ "$fail" = "$before" ]; then
		fail=$((fail + 1)); echo "FAIL $name: ended with status $rc"
	fi
	if [ "$fail" != "$before" ]; then
		cat "$tmp/said" "$tmp/err" | head -60 | sed 's/^/     | /'
	fi
	[ -n "${V:-}${CI:-}" ] && echo "---- $name ($((SECONDS - t)) s)"
}

units() {
	local p
	for p in tests/unit/*.c; do
		p=$(basename "$p" .c)
		CMOCKA_MESSAGE_OUTPUT=TAP run "unit/$p" 300 "$B/tests/unit/$p"
	done
}

fast() {
	units
	run golden 60 bash tests/golden/run.sh
	run emit 60 bash tests/emit/run.sh
	run diag 120 bash tests/diag/run.sh
	run offline 300 bash tests/offline/run.sh
	run independent 300 python3 tests/diff/independent.py
	run fast 300 bash tests/diff/fast.sh
	run cuts 120 python3 tests/diff/cuts.py
	run storm 60 bash tests/diff/storm.sh
	run examples 120 bash tests/examples.sh
	run man 60 bash tests/man.sh
	run install 120 bash tests/install.sh
	[ -n "${SAN:-}" ] || run lint 120 bash -c 'if bash tests/lint.sh >"$TMP/lint"; then echo "ok formatted, layered, licensed"; else cat "$TMP/lint"; echo "not ok lint"; fi'
}

full() {
	local t
	fast
	for t in tests/live/*.sh; do
		case $t in */lib.sh) continue ;; esac
		run "live/$(basename "$t" .sh)" 300 bash "$t"
	done
	run emit/fake 200 python3 tests/emit/fake.py
	run tmux 120 bash tests/tmux/prompt.sh
	vm
}

vm() {
	[ -e tests/vm/run.sh ] && run vm 3600 bash tests/vm/run.sh
}

case $mode in
fast) fast ;;
all) full ;;
vm) vm ;;
golden) REWRITE=1 bash tests/golden/run.sh; REWRITE=1 bash tests/emit/run.sh; REWRITE=1 bash tests/diag/run.sh; REWRITE=1 bash tests/offline/run.sh; exit ;;
*) echo "usage: run.sh fast|all|vm|golden" >&2; exit 2 ;;
esac
echo "took $((SECONDS - started)) s"
echo "$pass passed, $fail failed, $skip skipped"
[ "$fail" = 0 ]
