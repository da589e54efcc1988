#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Each NAME.tsh is compiled over the saved catalog; NAME.KIND is the text (make golden rewrites it).
# fake.py runs the shell scripts.
cd "$(dirname "$0")" || exit 2
for t in *.tsh; do
	n=${t%.tsh}
	args=$(sed -n 's/^# args: //p' "$t")
	for kind in $(sed -n 's/^# emit: //p' "$t"); do
		# shellcheck disable=SC2086
		TRACESH_CATALOG_DIR=../data/catalog "$TRACESH" --emit "$kind" $args "$t" >"$TMP/emitted" 2>&1 </dev/null
		[ -n "${REWRITE:-}" ] && cp "$TMP/emitted" "$n.$kind"
		if cmp -s "$TMP/emitted" "$n.$kind"; then echo "ok $n as $kind"; else echo "not ok $n as $kind"; diff -u "$n.$kind" "$TMP/emitted" | head -30; fi
	done
done
