#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The man pages build from the tables, name every stage, command and setting, and groff takes them without a word.
cd "$(dirname "$0")/.." || exit 2
sh man/make.sh "$TRACESH" "$TMP/man" 2>"$TMP/man.err" && echo "ok pages build" || { echo "not ok pages build"; cat "$TMP/man.err"; }
for topic in stages sources commands settings functions suffixes; do
	"$TRACESH" -e "help $topic" | awk 'NF > 1 && $1 ~ /^[a-z_]/ {print $1}' | sed 's/(.*//' >"$TMP/names"
	[ -s "$TMP/names" ] || echo "not ok help $topic lists nothing"
	missing=
	while read -r n; do grep -qF -- "$n" "$TMP"/man/* || missing="$missing $n"; done <"$TMP/names"
	[ -z "$missing" ] && echo "ok $topic are in the pages" || echo "not ok missing $topic:$missing"
done
if command -v groff >/dev/null; then
	for p in "$TMP"/man/*; do
		groff -man -Tutf8 -ww "$p" >/dev/null 2>"$TMP/groff.err"
		[ -s "$TMP/groff.err" ] && { echo "not ok groff $(basename "$p")"; head -5 "$TMP/groff.err"; } || echo "ok groff $(basename "$p")"
	done
else
	echo "skip groff is not installed"
fi
