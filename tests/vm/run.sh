#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Boots Debian's kernels of four generations and runs all of tests/vm/cases*.sh in each, one after the other.
# KERNELS="6.1 6.12" and CASES="cases_probes" (or boot) choose. The kernels are fetched once into a cache outside the tree.
cd "$(dirname "$0")/../.." || exit 2
TMP=${TMP:-$(mktemp -d)}
cache=${TRACESH_VM_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/tracesh/kernels}
declare -A suite=([5.10]=bullseye [6.1]=bookworm [6.12]=trixie [7.2]=sid)
want=${KERNELS:-5.10 6.1 6.12 7.2}
command -v qemu-system-x86_64 >/dev/null || { echo "skip vm qemu-system-x86_64 is not installed"; exit 0; }

# all.sh: what runs inside; a case that hangs does not take the others with it
cat >"$TMP/all.sh" <<'X'
for c in $(cat /x/chosen-*); do
	echo "=====CASE $c"
	timeout 900 sh /x/$c.sh
	echo "=====DONE $c $?"
done
X
# kernel NAME IMAGE
kernel() {
	local said=$TMP/vm-$1 case=$TMP/case-$1 c
	VM_S=2400 bash tests/vm/boot.sh "$2" "$TMP/all.sh" "$TMP/chosen-$1" tests/vm/cases*.sh "$TRACESH" "$(dirname "$TRACESH")"/tests/prog/* \
		tests/tracefs-state.sh tests/vm/push.tsh tests/offline examples tests/data/v6-small.dat tests/data/v7-zstd.dat "$(command -v strace)" >"$said" 2>&1
	sed -n "s/^\(ok\|not ok\|skip\) /\1 $1: /p" "$said"
	while read -r c; do
		sed -n "/^=====CASE $c\$/,/^=====DONE $c /p" "$said" >"$case"
		if ! grep -q "^=====DONE $c 0" "$case"; then
			echo "not ok $1: $c ran to its end"
			tail -n 15 "$case"
		elif grep -q '^not ok' "$case"; then
			echo "  $c says:"
			grep -v '^ok' "$case" | head -40
		fi
	done <"$TMP/chosen-$1"
}

# parameters KERNEL IMAGE [OPTION...]: boots with what emit cmdline makes of boot.tsh, and collects it
parameters() {
	local line said cat k=$1 image=$2; shift 2
	said=$TMP/vm-$k-boot cat=$TMP/catalog-$k
	cp -r tests/data/catalog "$cat"
	: >"$cat/synthetic_events"
	cp tests/data/readme/6.12 "$cat/README"
	line=$(TRACESH_CATALOG_DIR=$cat "$TRACESH" --set kernel="$k" "$@" --emit cmdline tests/vm/boot.tsh)
	rm -r "$cat"
	CMDLINE=$line bash tests/vm/boot.sh "$image" tests/vm/boot_params.sh "$TRACESH" tests/vm/boot.tsh >"$said" 2>&1
	sed -n "s/^\(ok\|not ok\|skip\) /\1 $k: boot $*: /p" "$said"
	if ! grep -q '=====END 0' "$said" || grep -q '^not ok' "$said"; then
		grep -q '=====END 0' "$said" || echo "not ok $k: boot $*: ran to its end"
		echo "parameters: $line"; grep -v '^ok' "$said" | tail -n 30
	fi
}

# all_of KERNEL IMAGE
all_of() {
	[ "${CASES:-}" = boot ] || kernel "$1" "$2"
	case " ${CASES:-boot} " in *" boot "*) parameters "$1" "$2" ;; *) return ;; esac
	# an instance of its own, where the kernel can make one
	case $1 in 5.* | 6.1) ;; *) parameters "$1" "$2" --set pushdown=off ;; esac
}

# two at a time
declare -A said
for k in $want; do
	s=${suite[$k]}
	if ! bash tests/vm/fetch.sh "$cache" "$s" >"$TMP/fetch" 2>&1; then
		echo "not ok $k: its kernel could not be fetched: $(tail -n 1 "$TMP/fetch")"
		continue
	fi
	image=$(ls "$cache/$s"/boot/vmlinuz-* "$cache/$s"/usr/lib/modules/*/vmlinuz 2>/dev/null | head -1)
	for c in tests/vm/cases*.sh; do basename "$c" .sh; done >"$TMP/chosen-$k"
	# many runs that say the same on all kernels: on two of them, unless asked for
	case $k in 6.1 | 6.12) ;; *) sed -i /cases_blocks/d "$TMP/chosen-$k" ;; esac
	[ -z "${CASES:-}" ] || tr ' ' '\n' <<<"$CASES" | grep -vx boot >"$TMP/chosen-$k"
	[ "$(jobs -rp | wc -l)" -lt 2 ] || wait -n
	all_of "$k" "$image" >"$TMP/result-$k" &
	said[$k]=1
done
wait
for k in $want; do
	[ -z "${said[$k]:-}" ] || cat "$TMP/result-$k"
done
