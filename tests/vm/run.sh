#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Boots Debian's kernels of four generations and runs tests/vm/cases.sh in each. KERNELS="6.1 6.12" chooses.
# The kernels are fetched once into a cache outside the tree.
cd "$(dirname "$0")/../.." || exit 2
TMP=${TMP:-$(mktemp -d)}
cache=${TRACESH_VM_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/tracesh/kernels}
declare -A suite=([5.10]=bullseye [6.1]=bookworm [6.12]=trixie [7.2]=sid)
want=${KERNELS:-5.10 6.1 6.12 7.2}
command -v qemu-system-x86_64 >/dev/null || { echo "skip vm qemu-system-x86_64 is not installed"; exit 0; }
for k in $want; do
	s=${suite[$k]}
	if ! bash tests/vm/fetch.sh "$cache" "$s" >"$TMP/fetch" 2>&1; then
		echo "not ok $k: its kernel could not be fetched: $(tail -n 1 "$TMP/fetch")"
		continue
	fi
	image=$(ls "$cache/$s"/boot/vmlinuz-* "$cache/$s"/usr/lib/modules/*/vmlinuz 2>/dev/null | head -1)
	bash tests/vm/boot.sh "$image" tests/vm/cases.sh "$TRACESH" "$(dirname "$TRACESH")/tests/prog/calls" tests/tracefs-state.sh \
		tests/data/v6-small.dat tests/data/v7-zstd.dat >"$TMP/vm-$k" 2>&1
	sed -n "s/^\(ok\|not ok\|skip\) /\1 $k: /p" "$TMP/vm-$k"
	if ! grep -q '=====END 0' "$TMP/vm-$k"; then
		echo "not ok $k: ran to its end"
		tail -n 15 "$TMP/vm-$k"
	elif grep -q '^not ok' "$TMP/vm-$k"; then
		grep -v '^ok' "$TMP/vm-$k" | head -40
	fi
done
