#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Recorded files cut at 200 random places: each is analysed as far as it goes, with exit status 5. What comes of a CPU is the
beginning of what the whole file gives of it, never less than of a shorter cut, and all tables are of the same events."""
import csv
import os
import random
import re
import subprocess
import sys

FILES = [("v6-lost.dat", 0.15), ("v6-small.dat", 0.6), ("v7-zstd.dat", 0.4), ("v7-none.dat", 0.65)]  # cut from here on
CUTS = 50
HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data")
TABLES = """* | count by cpu
* -> * on tid | count
* | do { @n[cpu] = count() }
* | quantile ts p50 p99 by cpu
"""


def run(path, *args):
    r = subprocess.run([os.environ["TRACESH"], "-f", "csv", "-i", path, *args],
                       stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
    return r.returncode, r.stdout.decode("utf-8", "replace"), r.stderr.decode("utf-8", "replace")


def events(out):
    """the events of each CPU in the order in which they came"""
    cpus = {}
    for row in csv.reader(out.splitlines()[1:]):
        cpus.setdefault(row[0], []).append(tuple(row[1:]))
    return cpus


def table(out, n):
    """the Nth table of several, as rows without its head; one that would be empty is not there"""
    parts = re.split(r"^# (\d+)\n", "# 1\n" + out, flags=re.M)[1:]
    text = dict(zip(parts[::2], parts[1::2])).get(str(n), "")
    return [r.split(",") for r in text.split("\n\n")[0].strip().splitlines()][1:]


def beyond_head(data):
    """where the events begin: all before is needed to understand any of them"""
    at = data.find(b"flyrecord\0")
    if at >= 0:
        return min(int.from_bytes(data[at + 10 + 16 * i:at + 18 + 16 * i], "little") for i in range(2))
    return None


def check(name, begin, rand):
    with open(os.path.join(HERE, name), "rb") as f:
        data = f.read()
    rc, out, err = run(os.path.join(HERE, name), "-e", "* | print cpu, ts, event, tid")
    assert rc in (0, 5), (rc, err)
    whole = events(out)
    head = beyond_head(data)
    path = os.path.join(os.environ["TMP"], "cut.dat")
    last, answered, partly = {}, 0, 0
    for at in sorted(rand.sample(range(int(begin * len(data)), len(data)), CUTS)):
        with open(path, "wb") as f:
            f.write(data[:at])
        rc, out, err = run(path, "-e", "* | print cpu, ts, event, tid")
        where = f"{name} cut at {at} of {len(data)}: status {rc}: {err.strip()}"
        if rc == 3 and not (head and at >= head):
            assert "error" in err, where
            continue
        assert rc == 5 and ("cut" in err or "short" in err), where
        cpus = events(out)
        for c, v in cpus.items():
            assert v == whole[c][:len(v)], where + f": CPU {c} differs"
        for c, k in last.items():
            assert len(cpus.get(c, [])) >= k, where + f": CPU {c} has less than of a shorter cut"
        last = {c: len(v) for c, v in cpus.items()}
        answered += 1
        partly += 0 < sum(last.values()) < sum(map(len, whole.values()))
        if at % 3:
            continue
        rc, out, err = run(path, "-e", TABLES)
        assert rc == 5, where
        assert {r[0]: int(r[1]) for r in table(out, 1)} == last, where + out
        assert {r[0]: int(r[1]) for r in table(out, 3)} == last, where + out
        assert {r[0] for r in table(out, 4)} == {c for c in last if last[c]}, where + out
        rc, out, err = run(path, "-e", "info")
        assert rc in (0, 5), where
    assert answered > CUTS // 2 and partly > CUTS // 4, f"{name}: {answered} answered, {partly} in part"
    return f"{CUTS} cuts, {answered} answered, {partly} of them in part"


def main():
    rand = random.Random(20)
    for name, begin in FILES:
        try:
            print(f"ok {name}: {check(name, begin, rand)}")
        except AssertionError as e:
            print(f"not ok {name}")
            print(" ", e)
    return 0


sys.exit(main())
