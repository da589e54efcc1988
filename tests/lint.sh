#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# lint: formatting, layers, header guards and SPDX lines. Prints what is wrong; status 1 if anything is.
cd "$(dirname "$0")/.." || exit 2
bad=0
say() { echo "lint: $*"; bad=1; }
files=$(git ls-files --cached --others --exclude-standard 'src/*.c' 'src/*.h' 'plugins/*.c' 'include/*.h' 'tests/*.c' 'tests/*.h')
if command -v clang-format >/dev/null; then
	for f in $files; do
		clang-format --dry-run -Werror "$f" >/dev/null 2>&1 || say "$f: not formatted (clang-format -i $f)"
	done
else
	echo "lint: clang-format is not installed, formatting not checked"
fi
# a layer includes only what stands before it (or itself)
rank() {
	case $1 in
	base) echo 1 ;; lang) echo 2 ;; catalog) echo 3 ;; check) echo 4 ;; source | stage) echo 5 ;; plan) echo 6 ;;
	kernel | emit | feed) echo 7 ;; engine) echo 8 ;; report) echo 9 ;; capture) echo 10 ;; plugin) echo 10 ;;
	shell) echo 11 ;; *) echo 12 ;;
	esac
}
for f in $(printf '%s\n' $files | grep '^src/'); do
	own=$(echo "$f" | cut -d/ -f2); case $own in *.c | *.h) own=run ;; esac
	r=$(rank "$own")
	while read -r inc; do
		l=${inc%%/*}
		[ "$l" = tracesh ] && continue
		[ "$(rank "$l")" -le "$r" ] || say "$f: includes $inc of a later layer"
		# check reaches stages and sources through their tables only
		if [ "$l" != "$own" ] && [ "$(rank "$l")" = "$r" ] && [ "$r" -ge 7 ]; then say "$f: includes $inc of a layer beside it"; fi
	done < <(sed -n 's/^#include "\([a-z]*\/[^"]*\)".*/\1/p' "$f")
done
for f in $files; do
	head -2 "$f" | grep -q SPDX-License-Identifier || say "$f: no SPDX line"
	n=$(wc -l <"$f")
	case $f in src/catalog/syscall_names.c) ;; src/*) [ "$n" -le 650 ] || say "$f: $n lines, split it" ;; esac
done
[ $bad = 0 ] && echo "lint: clean"
exit $bad
