#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Each NAME.tsh is compiled over a saved catalog ("# kernel: 6.12": with what that kernel's tracefs says of itself, or that of
# "# catalog: NAME"); NAME.KIND is the text (make golden rewrites it). fake.py runs the shell scripts.
cd "$(dirname "$0")" || exit 2
cp -r ../data/catalog "$TMP/capable"
: >"$TMP/capable/synthetic_events"
for t in *.tsh; do
	n=${t%.tsh}
	args=$(sed -n 's/^# args: //p' "$t") kernel=$(sed -n 's/^# kernel: //p' "$t") catalog=$(sed -n 's/^# catalog: //p' "$t")
	export TRACESH_CATALOG_DIR=../data/${catalog:-catalog}
	if [ -n "$kernel" ]; then
		cp ../data/readme/"$kernel" "$TMP/capable/README"
		TRACESH_CATALOG_DIR=$TMP/capable
	fi
	for kind in $(sed -n 's/^# emit: //p' "$t"); do
		# shellcheck disable=SC2086
		"$TRACESH" --emit "$kind" $args "$t" >"$TMP/emitted" 2>&1 </dev/null
		[ -n "${REWRITE:-}" ] && cp "$TMP/emitted" "$n.$kind"
		if cmp -s "$TMP/emitted" "$n.$kind"; then echo "ok $n as $kind"; else echo "not ok $n as $kind"; diff -u "$n.$kind" "$TMP/emitted" | head -30; fi
	done
done
rm -r "$TMP/capable"
# the kernel's own tool where it is installed, and the grammar in any case
for f in *.bootconfig; do
	if python3 bootconfig.py "$f" >"$TMP/bootconfig"; then echo "ok $f keeps to the grammar"; else echo "not ok $f keeps to the grammar"; cat "$TMP/bootconfig"; fi
	command -v bootconfig >/dev/null || continue
	if bootconfig "$f" >"$TMP/bootconfig" 2>&1; then echo "ok $f is taken by bootconfig"; else echo "not ok $f is taken by bootconfig"; cat "$TMP/bootconfig"; fi
done
printf 'a = "b\n' >"$TMP/bad.bootconfig"
python3 bootconfig.py "$TMP/bad.bootconfig" >/dev/null && echo "not ok an open quote is found" || echo "ok an open quote is found"
