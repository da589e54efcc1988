#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Each NAME.tsh is explained over the saved catalog (or that of `# catalog: NAME`); NAME.plan is the writes it plans. No root, no kernel.
cd "$(dirname "$0")" || exit 2
# "# kernel: 6.12" in a script: the saved catalog with what that kernel's tracefs says of itself
cp -r ../data/catalog "$TMP/capable"
: >"$TMP/capable/synthetic_events"
for t in *.tsh; do
	n=${t%.tsh}
	catalog=$(sed -n 's/^# catalog: //p' "$t")
	export TRACESH_CATALOG_DIR=../data/${catalog:-catalog}
	kernel=$(sed -n 's/^# kernel: //p' "$t")
	if [ -n "$kernel" ]; then
		cp ../data/readme/"$kernel" "$TMP/capable/README"
		TRACESH_CATALOG_DIR=$TMP/capable
	fi
	args=$(sed -n 's/^# args: //p' "$t")
	# shellcheck disable=SC2086
	"$TRACESH" -n $args "$t" 2>&1 </dev/null | sed "s|$TMP/capable|../data/catalog|g" | sed "s|$PWD|CWD|g" | sed 's/tracesh-[0-9]*-[0-9]*/tracesh-ID/g; s/_[0-9]*_0_\([0-9]\)/_ID_\1/g; s/tracesh_[0-9]*_[0-9]*/tracesh_ID/g; s/^echo [0-9]* > \(.*set_[a-z]*_notrace_pid\)/echo PID > \1/' >"$TMP/plan"
	[ -n "${REWRITE:-}" ] && cp "$TMP/plan" "$n.plan"
	if cmp -s "$TMP/plan" "$n.plan"; then echo "ok $n"; else echo "not ok $n"; diff -u "$n.plan" "$TMP/plan" | head -30; fi
done
