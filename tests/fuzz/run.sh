#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# run.sh [TARGET...]: each libFuzzer target of this directory for FUZZ_S seconds (60), with the recorded
# files and the scripts of the tests as seeds. What crashes stays in $B/fuzz/TARGET.crash/. Not part of
# `make test`; what was found once belongs there as a case of its own.
set -u
cd "$(dirname "$0")/../.." || exit 2
B=${B:-build} secs=${FUZZ_S:-60}
clang=${CLANG:-clang}
if ! command -v "$clang" >/dev/null; then
	echo "skip fuzz needs clang: apt-get install -y --no-install-recommends clang"
	exit 0
fi
pkgs="libtracefs libtraceevent libtracecmd libpcre2-8 libzstd"
dir=$B/fuzz
mkdir -p "$dir/obj"
flags="-std=gnu11 -D_GNU_SOURCE -Isrc -Iinclude $(pkg-config --cflags $pkgs) -g -O1 -fsanitize=address,undefined -fno-sanitize-recover=undefined"
if ! echo 'int LLVMFuzzerTestOneInput(const char *p, unsigned long n) { return p && n ? 0 : 0; }' |
	$clang -x c -fsanitize=fuzzer,address,undefined -o "$dir/try" - 2>"$dir/try.err"; then
	echo "skip fuzz needs clang's libFuzzer: $(head -1 "$dir/try.err")"
	exit 0
fi

# the program's own code, instrumented, once; main.c is not needed
cat >"$dir/Makefile" <<MK
SRC := \$(shell find src -name '*.c' ! -name main.c)
$dir/lib.a: \$(SRC:%.c=$dir/obj/%.o)
	@rm -f \$@
	@ar rcs \$@ \$^
$dir/obj/%.o: %.c
	@mkdir -p \$(@D)
	@$clang $flags -DTRACESH_VERSION='"fuzz"' -fsanitize=fuzzer-no-link -MMD -c -o \$@ \$<
-include \$(shell find $dir/obj -name '*.d')
MK
env -u MAKEFLAGS make -s -j"$(nproc)" -f "$dir/Makefile" "$dir/lib.a" || exit 1

seeds() {
	local s=$dir/seeds.$1 f
	mkdir -p "$s"
	case $1 in
	fuzz_container) cp tests/data/*.dat "$s" ;;
	fuzz_page) # sub-buffers of a plain file, behind the byte that chooses the layout
		for f in 4 8 12 16 20; do
			{ printf '\000'; tail -c "$((f * 4096))" tests/data/v6-small.dat | head -c 4096; } >"$s/page$f"
		done ;;
	*)
		for f in tests/offline/*.tsh tests/diag/*.tsh tests/golden/*.tsh examples/*.tsh; do
			cp "$f" "$s/$(echo "$f" | tr / _)"
		done ;;
	esac
	echo "$s"
}

fails=0
for c in tests/fuzz/*.c; do
	t=$(basename "$c" .c)
	[ $# = 0 ] || [[ " $* " = *" $t "* ]] || continue
	# shellcheck disable=SC2086
	$clang $flags -fsanitize=fuzzer -o "$dir/$t" "$c" "$dir/lib.a" $(pkg-config --libs $pkgs) -lreadline -lelf -lm -ldl || exit 1
	mkdir -p "$dir/$t.corpus" "$dir/$t.crash"
	if "$dir/$t" -max_total_time="$secs" -timeout=20 -rss_limit_mb=4096 -max_len=300000 -artifact_prefix="$dir/$t.crash/" \
		"$dir/$t.corpus" "$(seeds "$t")" >"$dir/$t.log" 2>&1; then
		echo "ok $t: $(sed -n 's/^Done \([0-9]*\) runs in \([0-9]*\) .*/\1 runs in \2 s/p' "$dir/$t.log")"
	else
		echo "not ok $t"
		grep -E '^(==|SUMMARY|Test unit|artifact_prefix)|runtime error' "$dir/$t.log" | head -8 | sed 's/^/  /'
		fails=$((fails + 1))
	fi
done
[ $fails = 0 ]
