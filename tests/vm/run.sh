#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Boots Debian's kernels of four generations and runs each tests/vm/cases*.sh in each, a boot for each.
# KERNELS="6.1 6.12" and CASES="cases_probes" choose. The kernels are fetched once into a cache outside the tree.
cd "$(dirname "$0")/../.." || exit 2
TMP=${TMP:-$(mktemp -d)}
cache=${TRACESH_VM_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/tracesh/kernels}
declare -A suite=([5.10]=bullseye [6.1]=bookworm [6.12]=trixie [7.2]=sid)
want=${KERNELS:-5.10 6.1 6.12 7.2}
command -v qemu-system-x86_64 >/dev/null || { echo "skip vm qemu-system-x86_64 is not installed"; exit 0; }

# cases KERNEL IMAGE SCRIPT
cases() {
	local said; said=$TMP/vm-$1-$(basename "$3" .sh)
	bash tests/vm/boot.sh "$2" "$3" "$TRACESH" "$(dirname "$TRACESH")"/tests/prog/* tests/tracefs-state.sh tests/vm/push.tsh \
		tests/data/v6-small.dat tests/data/v7-zstd.dat >"$said" 2>&1
	sed -n "s/^\(ok\|not ok\|skip\) /\1 $1: /p" "$said"
	if ! grep -q '=====END 0' "$said"; then
		echo "not ok $1: $(basename "$3") ran to its end"
		tail -n 15 "$said"
	elif grep -q '^not ok' "$said"; then
		grep -v '^ok' "$said" | head -40
	fi
}

for k in $want; do
	s=${suite[$k]}
	if ! bash tests/vm/fetch.sh "$cache" "$s" >"$TMP/fetch" 2>&1; then
		echo "not ok $k: its kernel could not be fetched: $(tail -n 1 "$TMP/fetch")"
		continue
	fi
	image=$(ls "$cache/$s"/boot/vmlinuz-* "$cache/$s"/usr/lib/modules/*/vmlinuz 2>/dev/null | head -1)
	for c in tests/vm/cases*.sh; do
		case " ${CASES:-$(basename "$c" .sh)} " in *" $(basename "$c" .sh) "*) cases "$k" "$image" "$c" ;; esac
	done
done
