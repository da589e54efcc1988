# SPDX-License-Identifier: GPL-3.0-or-later
# Sourced by the live tests: is tracefs usable here, and comparing its state before and after.
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 2
TMP=${TMP:-$(mktemp -d)}
TFS=/sys/kernel/tracing
CALLS=$(dirname "$TRACESH")/tests/prog/calls
[ "$(id -u)" = 0 ] || { echo "skip $(basename "$0" .sh) needs root for tracefs"; exit 0; }
[ -e $TFS/instances ] || mount -t tracefs nodev $TFS 2>/dev/null
[ -e $TFS/instances ] || { echo "skip $(basename "$0" .sh) tracefs cannot be mounted here"; exit 0; }

state() { sh tests/tracefs-state.sh $TFS; }
check() { # check NAME GOT WANT
	if [ "$2" = "$3" ]; then echo "ok $1"; else echo "not ok $1"; echo "  got: $2"; echo "  want: $3"; fi
}
same_state() { # same_state NAME: as it was when $TMP/before was taken
	state >"$TMP/after"
	if cmp -s "$TMP/before" "$TMP/after"; then echo "ok $1"; else echo "not ok $1"; diff "$TMP/before" "$TMP/after" | head -20; fi
}
field() { # field NAME < json: the value in the first row
	python3 -c 'import json,sys
for l in sys.stdin:
    print(json.loads(l)[sys.argv[1]]); break' "$1"
}
# wait_for COMMAND...: until it succeeds, ten seconds at most
wait_for() {
	local i
	for i in $(seq 100); do "$@" >/dev/null 2>&1 && return 0; sleep 0.1; done
	return 1
}
