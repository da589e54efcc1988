#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# lint: formatting, layers, header guards and SPDX lines. Prints what is wrong; status 1 if anything is.
cd "$(dirname "$0")/.." || exit 2
bad=0
say() { echo "lint: $*"; bad=1; }
files=$(git ls-files --cached --others --exclude-standard 'src/*.c' 'src/*.h' 'plugins/*.c' 'include/*.h' 'tests/*.c' 'tests/*.h')
if command -v clang-format >/dev/null; then
	# shellcheck disable=SC2086
	for f in $(clang-format --dry-run $files 2>&1 | sed -n 's/^\([^ :]*\):[0-9]*:.*clang-format-violations.*/\1/p' | sort -u); do
		say "$f: not formatted (clang-format -i $f)"
	done
else
	echo "lint: clang-format is not installed, formatting not checked"
fi
# a layer includes only what stands before it (or itself); every file says its licence; none grows too long
# shellcheck disable=SC2086
out=$(awk '
	BEGIN {
		n = split("base lang catalog check source:stage plan kernel:emit:feed engine report capture:plugin shell run", row, " ")
		for (i = 1; i <= n; i++) { m = split(row[i], names, ":"); for (j = 1; j <= m; j++) rank[names[j]] = i }
	}
	function ended() {
		if (file ~ /^src\// && file != "src/catalog/syscall_names.c" && lines > 650) print file ": " lines " lines, split it"
		if (file != "" && !spdx) print file ": no SPDX line"
	}
	FNR == 1 { ended(); file = FILENAME; spdx = 0; split(file, part, "/"); own = part[2] in rank ? part[2] : "run" }
	{ lines = FNR }
	FNR <= 2 && /SPDX-License-Identifier/ { spdx = 1 }
	file ~ /^src\// && /^#include "[a-z]*\// {
		split($2, q, /["\/]/); l = q[2]
		if (l == "tracesh" || !(l in rank)) next
		if (rank[l] > rank[own]) print file ": includes " $2 " of a later layer"
		# check reaches stages and sources through their tables only
		else if (l != own && rank[l] == rank[own] && rank[own] >= 7) print file ": includes " $2 " of a layer beside it"
	}
	END { ended() }' $files)
if [ -n "$out" ]; then
	while read -r line; do say "$line"; done <<<"$out"
fi
[ $bad = 0 ] && echo "lint: clean"
exit $bad
