#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Every example runs over a recorded file, prints something and complains of nothing.
cd "$(dirname "$0")/data" || exit 2
for t in ../../examples/*.tsh; do
	n=$(basename "$t" .tsh)
	if grep -q "^# live:" "$t"; then continue; fi # tests/vm/cases_blocks.sh runs it
	args=$(sed -n 's/^# args: //p' "$t")
	# shellcheck disable=SC2086
	if "$TRACESH" $args "$t" >"$TMP/ex.out" 2>"$TMP/ex.err" </dev/null && [ -s "$TMP/ex.out" ] && [ ! -s "$TMP/ex.err" ]; then
		echo "ok $n"
	else
		echo "not ok $n"; cat "$TMP/ex.err"
	fi
done
if sh ../../examples/demo.sh "$TRACESH" >"$TMP/demo" 2>"$TMP/demo.err" && grep -q count "$TMP/demo"; then
	echo "ok demo"
else
	echo "not ok demo"; tail -n 5 "$TMP/demo" "$TMP/demo.err"
fi
