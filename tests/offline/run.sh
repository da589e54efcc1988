#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Each NAME.tsh is run over a recorded file; NAME.out is what must stand on standard output.
# In the script: `# args: -i v6-small.dat -f csv` (files are those of tests/data), `# status: N`.
cd "$(dirname "$0")/../data" || exit 2
for t in ../offline/*.tsh; do
	n=$(basename "$t" .tsh)
	args=$(sed -n 's/^# args: //p' "$t") want=$(sed -n 's/^# status: //p' "$t")
	# shellcheck disable=SC2086
	"$TRACESH" $args "$t" >"$TMP/off.out" 2>"$TMP/off.err" </dev/null
	rc=$?
	if [ -n "${REWRITE:-}" ]; then cp "$TMP/off.out" "../offline/$n.out"; fi
	if [ "$rc" = "${want:-0}" ] && cmp -s "$TMP/off.out" "../offline/$n.out"; then
		echo "ok $n"
	else
		echo "not ok $n (status $rc)"
		diff -u "../offline/$n.out" "$TMP/off.out" | head -20; head -5 "$TMP/off.err"
	fi
done
