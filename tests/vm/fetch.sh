#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# fetch.sh DIR SUITE...: unpacks Debian's kernels into DIR/SUITE from the mirror that apt is set up with.
# Checked against the sums of the package index.
set -eu
dir=$1; shift
mkdir -p "$dir"
sources=/etc/apt/sources.list.d/debian.sources
mirror=$(awk '/^URIs:/ {print $2; exit}' $sources 2>/dev/null || true)
[ -n "$mirror" ] || mirror=$(awk '$1 == "deb" {for (i = 2; i <= NF; i++) if ($i ~ /^http/) {print $i; exit}}' /etc/apt/sources.list)
[ -n "$mirror" ] || { echo "apt has no mirror" >&2; exit 1; }
field() { # field PACKAGE FIELD INDEX
	awk -v p="$1" -v f="$2" 'BEGIN {RS = ""; FS = "\n"} {n = v = ""; for (i = 1; i <= NF; i++) {
		if ($i == "Package: " p) n = 1; if (index($i, f ": ") == 1) v = substr($i, length(f) + 3)} if (n) {print v; exit}}' "$3"
}
for suite in "$@"; do
	out=$dir/$suite
	# the image lies in /boot, since trixie's successor in /usr/lib/modules
	if compgen -G "$out/boot/vmlinuz-*" >/dev/null || compgen -G "$out/usr/lib/modules/*/vmlinuz" >/dev/null; then
		continue
	fi
	idx=$(mktemp)
	curl -fsS --retry 3 "$mirror/dists/$suite/main/binary-amd64/Packages.xz" | xz -dc >"$idx"
	img=$(field linux-image-amd64 Depends "$idx" | grep -o 'linux-image-[0-9][^ ,]*' | head -1)
	rm -rf "$out.part"; mkdir -p "$out.part"
	for p in $img $(field "$img" Depends "$idx" | grep -oE 'linux-binary-[0-9][^ ,(]*' | sort -u); do
		f=$(field "$p" Filename "$idx")
		[ -n "$f" ] || continue
		curl -fsS --retry 3 -o "$dir/x.deb" "$mirror/$f"
		echo "$(field "$p" SHA256 "$idx")  $dir/x.deb" | sha256sum -c --quiet
		dpkg -x "$dir/x.deb" "$out.part"
		rm -f "$dir/x.deb"
	done
	rm -rf "$out.part"/lib/modules/*/kernel "$out.part"/usr/lib/modules/*/kernel # modules are not needed
	rm -rf "$out"
	mv "$out.part" "$out"
	rm -f "$idx"
done
