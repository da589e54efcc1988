#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Makes the ELF files of this directory again (x86-64, gcc). Tests know their addresses: look at the differences.
set -eu
cd "$(dirname "$0")"
t=$(mktemp -d)
gcc -O1 -fpie -pie -o probed ../../prog/probed.c && strip -g probed
gcc -O1 -fno-pie -no-pie -o probed-exec ../../prog/probed.c && strip -g probed-exec
gcc -O1 -fPIC -c -o "$t/a.o" names.c
gcc -O1 -fPIC -DSECOND -Dtable=table2 -c -o "$t/b.o" names.c
gcc -shared -nostdlib -Wl,--version-script=names.map -Wl,-z,noseparate-code -o names.so "$t/a.o" "$t/b.o"
cp names.so names-stripped.so && strip names-stripped.so
rm -r "$t"
