#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Each NAME.tsh here is a wrong script; NAME.err is what must stand on standard error, caret included.
# `# args: ...` in the script adds options, `# status: N` is the expected exit status (1 without),
# `# catalog: NAME` names another saved catalog.
cd "$(dirname "$0")" || exit 2
for t in *.tsh; do
	n=${t%.tsh}
	catalog=$(sed -n 's/^# catalog: //p' "$t")
	export TRACESH_CATALOG_DIR=../data/${catalog:-catalog}
	args=$(sed -n 's/^# args: //p' "$t") want=$(sed -n 's/^# status: //p' "$t")
	# shellcheck disable=SC2086
	"$TRACESH" -q $args "$t" >"$TMP/diag.out" 2>"$TMP/diag.err" </dev/null
	rc=$?
	if [ -n "${REWRITE:-}" ]; then cp "$TMP/diag.err" "$n.err"; fi
	if [ "$rc" = "${want:-1}" ] && cmp -s "$TMP/diag.err" "$n.err" && [ ! -s "$TMP/diag.out" ]; then
		echo "ok $n"
	else
		echo "not ok $n (status $rc)"
		diff -u "$n.err" "$TMP/diag.err"; head -5 "$TMP/diag.out"
	fi
done
# every code that a script can earn has a case
"$TRACESH" -e 'help errors' | awk '$2 == 1 {print $1}' >"$TMP/codes"
[ -s "$TMP/codes" ] || echo "not ok codes are listed by help errors"
while read -r code; do
	if grep -qs "\[$code\]" ./*.err; then echo "ok case for $code"; else echo "not ok no case for $code"; fi
done <"$TMP/codes"
