#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# deps.sh [build]: installs the Debian packages that are missing (as root), else prints the one line
# that does. `build` asks only for what building needs.
set -eu
build="gcc make pkg-config libc6-dev libtracefs-dev libtraceevent-dev libtracecmd-dev libreadline-dev libpcre2-dev libzstd-dev libelf-dev"
tests="libcmocka-dev trace-cmd tmux qemu-system-x86 busybox-static cpio xz-utils zstd curl ca-certificates clang-format strace python3 libtraceevent1-plugin"
want=$build
[ "${1:-}" = build ] || want="$build $tests"
missing=
for p in $want; do
	[ "$(dpkg-query -W -f '${Status}' "$p" 2>/dev/null)" = "install ok installed" ] || missing="$missing $p"
done
[ -n "$missing" ] || exit 0
line="apt-get install -y --no-install-recommends$missing"
if [ "$(id -u)" != 0 ]; then
	echo "missing packages; run as root:" >&2
	echo "  $line" >&2
	exit 1
fi
echo "installing:$missing" >&2
log=$(mktemp)
# package lists may be absent on a fresh machine
if ! { DEBIAN_FRONTEND=noninteractive $line || { apt-get update && DEBIAN_FRONTEND=noninteractive $line; }; } >"$log" 2>&1; then
	cat "$log" >&2
	rm -f "$log"
	exit 1
fi
rm -f "$log"
