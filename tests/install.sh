#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# `make install` into a DESTDIR: which files, with which modes; the installed program runs from there.
cd "$(dirname "$0")/.." || exit 2
d=$TMP/dest p=/opt/x
if ! env -u MAKEFLAGS -u MAKELEVEL make -s B="$B" DESTDIR="$d" PREFIX=$p install >"$TMP/install.out" 2>&1; then
	echo "not ok make install"
	tail -5 "$TMP/install.out"
	exit 1
fi
echo "ok make install"

{
	echo "755 bin/tracesh"
	for e in examples/*.tsh; do echo "644 share/tracesh/examples/$(basename "$e")"; done
	for m in man/*.in; do
		m=$(basename "$m" .in)
		echo "644 share/man/man${m##*.}/$m"
	done
} | sort >"$TMP/install.want"
(cd "$d$p" && find . -type f -printf '%m %P\n' | sort) >"$TMP/install.got"
if diff "$TMP/install.want" "$TMP/install.got"; then echo "ok files and modes"; else echo "not ok files and modes"; fi
# what boots a machine lies where init systems look, whatever the prefix
(cd "$d" && find . -type f ! -path "./${p#/}/*" -printf '%m %f\n' | sort) >"$TMP/install.boot"
{ echo "755 tracesh-init"; echo "755 tracesh"; echo "755 tracesh"
	for f in boot/*.service boot/*.timer; do echo "644 $(basename "$f")"; done; } | sort >"$TMP/install.bootwant"
if diff "$TMP/install.bootwant" "$TMP/install.boot"; then echo "ok nothing else beside the prefix"; else echo "not ok nothing else beside the prefix"; fi
[ -z "$(find "$d$p" -type d ! -perm 755)" ] && echo "ok modes of directories" || echo "not ok modes of directories"

# from another directory, with an installed example
data=$PWD/tests/data
if (cd "$TMP" && "$d$p/bin/tracesh" --version) | grep -q "^tracesh $(cat VERSION)"; then echo "ok version"; else echo "not ok version"; fi
e=$d$p/share/tracesh/examples/wakeup-latency.tsh
args=$(sed -n 's/^# args: //p' "$e")
# shellcheck disable=SC2086
if (cd "$data" && "$d$p/bin/tracesh" $args "$e") >"$TMP/install.run" 2>&1 && [ -s "$TMP/install.run" ]; then
	echo "ok an installed example"
else
	echo "not ok an installed example"; tail -5 "$TMP/install.run"
fi
for m in "$d$p"/share/man/man*/*; do
	if grep -q '^\.TH' "$m" && ! grep -q '^@' "$m"; then echo "ok $(basename "$m")"; else echo "not ok $(basename "$m")"; fi
done

# every target is in the list, with a word on what it does
env -u MAKEFLAGS make help >"$TMP/help"
missing=
for t in all deps demo test check lint bench install clean help golden fuzz test-vm man unit; do
	grep -q "^  $t  *[a-z\$]" "$TMP/help" || missing="$missing $t"
done
[ -z "$missing" ] && echo "ok make help" || echo "not ok make help lacks$missing"
