#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares tracesh's tables over the recorded files with a calculation of its own, made from what
`trace-cmd report -R -t` prints. Nothing here comes from tracesh's code."""
import bisect, collections, glob, json, os, re, statistics, subprocess, sys

here = os.path.dirname(os.path.abspath(__file__))
tracesh = os.environ["TRACESH"]
line_re = re.compile(r"^\s*(?:\w+: )?\s*(.{1,16}?)-(\d+)\s+\[(\d+)\]\s*(?:[\d.]+\s+)?(\d+)(?:\.(\d{9}))?: (\w+): +(.*)$")


def events(path):
    """All records in the order of trace-cmd report, and the number of lines that tell of losses."""
    out = subprocess.run(["trace-cmd", "report", "-R", "-t", "-i", path], capture_output=True).stdout
    got, lost = [], 0
    for line in out.decode("utf-8", "replace").split("\n"):
        if "EVENTS DROPPED" in line:
            lost += 1
            continue
        m = line_re.match(line)
        if not m:
            continue
        ts = int(m.group(4)) * 10**9 + int(m.group(5)) if m.group(5) else int(m.group(4))
        f = {}
        for part in re.split(r" (?=[A-Za-z_]\w*=)", m.group(7).strip()):
            k, _, v = part.partition("=")
            f[k] = v
        got.append(dict(comm=m.group(1), tid=int(m.group(2)), cpu=int(m.group(3)), ts=ts, event=m.group(6), f=f))
    return got, lost


def num(v):
    n = int(v, 0) if v.startswith("0x") else int(v)
    return n - (1 << 64) if n >= 1 << 63 else n


def ours(path, script, *more):
    p = subprocess.run([tracesh, "-q", "-i", path, "-f", "json", "-e", script, *more], capture_output=True)
    if p.returncode not in (0, 5):
        raise RuntimeError("status %d: %s" % (p.returncode, p.stderr.decode()[:400]))
    return [json.loads(l) for l in p.stdout.decode().splitlines()]


def check(name, got, want):
    if got == want:
        print("ok", name)
    else:
        print("not ok", name)
        print("  tracesh: ", str(got)[:300])
        print("  expected:", str(want)[:300])


def table(rows, key, val):
    return {r[key]: r[val] for r in rows}


def log2_low_high(v):
    if v < 0:
        lo, hi = log2_low_high(-v)
        return -hi, -lo
    if v <= 1:
        return 0, 1
    n = (v - 1).bit_length()
    return (2 ** (n - 1) + 1 if n > 1 else 2), 2**n


def pairs(evs, a, b, ka, kb):
    """Each b with the latest a of an equal key; the first b takes it."""
    open_, done = {}, []
    for e in evs:
        if e["event"] == b and kb(e) in open_:
            done.append((open_.pop(kb(e)), e))
        if e["event"] == a:
            open_[ka(e)] = e
    return done


def nearest_rank(v, q):
    v = sorted(v)
    return v[max(0, -(-len(v) * q // 100) - 1)]


def counting(name, path, evs):
    evs = [e for e in evs if e["event"] not in ("kernel_stack", "user_stack")]  # no events of a system
    want = collections.Counter(e["event"] for e in evs)
    check(name + " counts by event", table(ours(path, "* | count by event"), "event", "count"), dict(want))
    want = collections.Counter((e["event"], e["cpu"]) for e in evs)
    got = {(r["event"], r["cpu"]): r["count"] for r in ours(path, "* | count by event, cpu")}
    check(name + " counts by event and cpu", got, dict(want))
    rows = ours(path, "* | count by event")
    check(name + " rows come largest first, then by key", [(r["event"]) for r in rows],
          sorted([r["event"] for r in rows], key=lambda k: (-table(rows, "event", "count")[k], k)))


def switches(name, path, evs):
    sw = [e for e in evs if e["event"] == "sched_switch"]
    if not sw:
        return
    want = collections.Counter(e["f"]["next_comm"] for e in sw)
    check(name + " count by next_comm", table(ours(path, "sched_switch | count by next_comm"), "next_comm", "count"), dict(want))
    want = collections.Counter(e["f"]["next_comm"] for e in sw if num(e["f"]["prev_pid"]) > 0 and e["f"]["prev_comm"] != "work")
    got = table(ours(path, 'sched_switch | where prev_pid > 0 && prev_comm != "work" | count by next_comm'), "next_comm", "count")
    check(name + " where with && and strings", got, dict(want))
    s = collections.Counter()
    for e in sw:
        s[e["f"]["next_comm"]] += num(e["f"]["prev_pid"])
    check(name + " sum by", table(ours(path, "sched_switch | sum prev_pid by next_comm"), "next_comm", "sum(prev_pid)"), dict(s))
    got = ours(path, "sched_switch | stats next_pid")[0]
    v = [num(e["f"]["next_pid"]) for e in sw]
    check(name + " stats", [got["count"], got["min"], got["max"], got["total"]], [len(v), min(v), max(v), sum(v)])
    check(name + " avg and stddev", [abs(got["avg"] - sum(v) / len(v)) < 1e-5, abs(got["stddev"] - statistics.pstdev(v)) < 1e-5], [True, True])
    check(name + " distinct", ours(path, "sched_switch | distinct next_pid")[0]["distinct(next_pid)"], len(set(v)))
    got = ours(path, "sched_switch | agg n = count(), lo = min(next_pid), hi = max(next_pid) by next_comm")
    want = {}
    for e in sw:
        w = want.setdefault(e["f"]["next_comm"], [0, 1 << 40, 0])
        p = num(e["f"]["next_pid"])
        w[0], w[1], w[2] = w[0] + 1, min(w[1], p), max(w[2], p)
    check(name + " agg", {r["next_comm"]: [r["n"], r["lo"], r["hi"]] for r in got}, want)
    got = ours(path, "sched_switch | hist next_pid step 10")
    want = collections.Counter(num(e["f"]["next_pid"]) // 10 * 10 for e in sw)
    check(name + " linear hist", [(r["lo"], r["hi"], r["count"]) for r in got], [(k, k + 9, want[k]) for k in sorted(want)])


def latencies(name, path, evs):
    done = pairs(evs, "sched_waking", "sched_switch", lambda e: num(e["f"]["pid"]), lambda e: num(e["f"]["next_pid"]))
    if not done:
        return
    src = "sched_waking -> sched_switch on pid == next_pid | "
    want = collections.Counter(b["f"]["next_comm"] for a, b in done)
    check(name + " pairs counted", table(ours(path, src + "count by next_comm"), "next_comm", "count"), dict(want))
    want = [(a["ts"], b["ts"], a["cpu"], b["cpu"], b["f"]["next_comm"]) for a, b in done]
    got = [(r["start.ts"], r["end.ts"], r["start.cpu"], r["end.cpu"], r["next_comm"])
           for r in ours(path, src + "print start.ts, end.ts, start.cpu, end.cpu, next_comm")]
    check(name + " each pair", sorted(got), sorted(want))
    d = [b["ts"] - a["ts"] for a, b in done]
    got = ours(path, src + "stats delta")[0]
    check(name + " stats of deltas", [got["count"], got["min"], got["max"], got["total"]], [len(d), min(d), max(d), sum(d)])
    want = collections.Counter(log2_low_high(x) for x in d)
    got = {(r["lo"], r["hi"]): r["count"] for r in ours(path, src + "hist delta")}
    check(name + " log2 histogram of deltas", got, dict(want))
    got = ours(path, src + "quantile delta p50 p90 p99")[0]
    for q in (50, 90, 99):
        w = nearest_rank(d, q)
        check("%s p%d within 1 %% (%d, %d)" % (name, q, got["p%d" % q], w), abs(got["p%d" % q] - w) <= w * 0.01 + 1, True)
    w = [x for x in d if x > 100000]
    got = ours(path, src + "where delta > 100us | count")
    check(name + " where on deltas", got[0]["count"] if got else 0, len(w))


def syscalls(name, path, evs):
    for call in ("getppid", "openat"):
        done = pairs(evs, "sys_enter_" + call, "sys_exit_" + call, lambda e: e["tid"], lambda e: e["tid"])
        if not done:
            continue
        got = ours(path, "syscall:%s | stats delta" % call)[0]
        d = [b["ts"] - a["ts"] for a, b in done]
        check("%s syscall:%s" % (name, call), [got["count"], got["min"], got["max"], got["total"]], [len(d), min(d), max(d), sum(d)])
        want = collections.Counter(num(b["f"]["ret"]) for a, b in done)
        got = {r["ret"]: r["count"] for r in ours(path, "syscall:%s | count by ret" % call)}
        check("%s returns of %s" % (name, call), got, dict(want))


def kallsyms(path):
    """Addresses, and of each the name: functions first, then as nm would choose them."""
    out = subprocess.run(["trace-cmd", "dump", "--kallsyms", "-i", path], capture_output=True).stdout.decode()
    best = {}
    for line in out.split("\n"):
        w = line.split()
        if len(w) < 3 or not re.fullmatch("[0-9a-f]{16}", w[0]):
            continue
        rank = (w[1] not in "tTwW", "." in w[2], w[2][0] == "_", w[1] in "tw", w[2])
        a = int(w[0], 16)
        if a not in best or rank < best[a][0]:
            best[a] = (rank, w[2])
    return sorted(best), {a: best[a][1] for a in best}


def stacks(name, path, evs):
    """The stacks of trace-cmd's raw records (it shows eight callers), each with the latest event of its
    CPU and task that has none yet."""
    if not any(e["event"] == "kernel_stack" for e in evs):
        return
    addrs, names = kallsyms(path)
    waiting, got = {"kernel_stack": collections.defaultdict(list), "user_stack": collections.defaultdict(list)}, {}
    for i, e in enumerate(evs):
        if e["event"] not in waiting:
            for w in waiting.values():
                w[e["cpu"], e["tid"]].append(i)
            continue
        of = waiting[e["event"]][e["cpu"], e["tid"]]
        if not of:
            continue
        b = bytes(int(x, 16) for x in re.search(r"ARRAY\[(.*)\]", e["f"]["caller"]).group(1).split(", "))
        words = [int.from_bytes(b[k:k + 8], "little") for k in range(0, len(b), 8)]
        n = min(num(e["f"]["size"]), 8) if e["event"] == "kernel_stack" else 8
        words = words[:n]
        got[of.pop(), e["event"]] = words[:words.index(0)] if 0 in words else words

    def sym(k, a):
        return names[addrs[bisect.bisect_right(addrs, a - (k > 0)) - 1]]

    def kernel(words):
        v = [sym(k, a) for k, a in enumerate(words)]
        while len(v) > 1 and re.match("trace_event_raw_event_|trace_event_buffer_commit|__traceiter_|ftrace_syscall_", v[0]):
            v = v[1:]
        return ";".join(v[:4])
    plain = [i for i, e in enumerate(evs) if e["event"] not in waiting]
    list_ = ", ".join(sorted({evs[i]["event"] for i in plain}))
    want = [kernel(got[i, "kernel_stack"]) if (i, "kernel_stack") in got else None for i in plain]
    check(name + " each kernel stack", [r["kstack"] for r in ours(path, list_ + " | stack 4 | print kstack")], want)
    want = [";".join(hex(a) for a in got.get((i, "user_stack"), [])) or None for i in plain]
    check(name + " each program stack", [r["ustack"] for r in ours(path, list_ + " | print ustack")], want)


def block_sums(name, path, evs):
    """Blocks that keep times and states in maps."""
    sw = [e for e in evs if e["event"] == "sched_switch"]
    if not sw:
        return
    on, ran = {}, collections.Counter()
    for e in sw:
        if e["cpu"] in on:
            ran[e["f"]["prev_comm"]] += e["ts"] - on[e["cpu"]]
        on[e["cpu"]] = e["ts"]
    got = ours(path, "sched_switch | do { if (@on[cpu]) { @ran[prev_comm] = sum(ts - @on[cpu]) } @on[cpu] = ts }; end { clear(@on) }")
    check(name + " block: time on CPUs", {r["prev_comm"]: r["sum(ts - @on[cpu])"] for r in got}, dict(ran))
    start, off = {}, collections.Counter()
    for e in sw:
        start[num(e["f"]["prev_pid"])] = e["ts"]
        if num(e["f"]["next_pid"]) in start:
            off[e["f"]["next_comm"]] += e["ts"] - start.pop(num(e["f"]["next_pid"]))
    got = ours(path, "sched_switch | do { @s[prev_pid] = ts; if (next_pid in @s) { @off[next_comm] = sum(ts - @s[next_pid]); "
               "delete(@s[next_pid]) } }; end { clear(@s) }")
    check(name + " block: time off CPUs", {r["next_comm"]: r["sum(ts - @s[next_pid])"] for r in got}, dict(off))
    last, changes = {}, collections.Counter()
    for e in sw:
        c = e["f"]["next_comm"]
        if last.get(e["cpu"]) != c:
            changes[e["cpu"], c] += 1
        last[e["cpu"]] = c
    got = ours(path, "sched_switch | do { if (@last[cpu] != next_comm) { @n[cpu, next_comm]++ } @last[cpu] = next_comm }; end { clear(@last) }")
    check(name + " block: counts under two keys", {(r["cpu"], r["next_comm"]): r["value"] for r in got}, dict(changes))
    n = collections.Counter(e["f"]["next_comm"] for e in sw)
    got = ours(path, "sched_switch | do { @n[next_comm] = count() }; end { for (k in @n) { if (@n[k] < 5) { delete(@n[k]) } else { $all += @n[k] } } @all = $all }")
    want = {k: v for k, v in n.items() if v >= 5}
    check(name + " block: entries deleted in a loop", {r["next_comm"]: r["count"] for r in got if r["map"] == "@n"}, want)
    check(name + " block: a loop's sum", [r["value"] for r in got if r["map"] == "@all"], [sum(want.values())])


def block_waits(name, path, evs):
    waking = [e for e in evs if e["event"] in ("sched_waking", "sched_switch")]
    at, hist, most = {}, collections.Counter(), None
    for e in waking:
        if e["event"] == "sched_waking":
            at[num(e["f"]["pid"])] = e["ts"]
        elif num(e["f"]["next_pid"]) in at:
            d = e["ts"] - at.pop(num(e["f"]["next_pid"]))
            hist[log2_low_high(d)] += 1
            if most is None or d > most[0]:
                most = (d, e["f"]["next_comm"], e["ts"])
    if not hist:
        return
    block = ('sched_waking, sched_switch | do { if (event == "sched_waking") { @at[pid] = ts } else if (next_pid in @at) { '
             "$d = ts - @at[next_pid]; delete(@at[next_pid]); %s } }; end { clear(@at); %s }")
    got = ours(path, block % ("@h = hist($d)", ""))
    check(name + " block: histogram of waits", {(r["lo"], r["hi"]): r["count"] for r in got}, dict(hist))
    got = ours(path, block % ("if ($d > $max) { $max = $d; $who = next_comm; $when = ts }", "print $max, $who, $when"))
    check(name + " block: the longest wait and whose", [(r["$max"], r["$who"], r["$when"]) for r in got], [most])


def block_calls(name, path, evs):
    open_, sums = {}, collections.Counter()
    for e in evs:
        if e["event"].startswith("sys_enter_"):
            open_[e["tid"]] = e
        elif e["event"].startswith("sys_exit_") and e["tid"] in open_:
            sums[e["event"], num(e["f"]["ret"])] += e["ts"] - open_.pop(e["tid"])["ts"]
    if not sums:
        return
    got = ours(path, '/^sys_/ | do { if (event ~ "sys_enter_*") { @s[tid] = ts } else if (tid in @s) { @ns[event, ret] = sum(ts - @s[tid]); '
               "delete(@s[tid]) } }; end { clear(@s) }")
    check(name + " block: time in calls by event and result", {(r["event"], r["ret"]): r["sum(ts - @s[tid])"] for r in got}, dict(sums))


def speculation(name, path, evs):
    """The events inside those openat calls that fail, each task's in order."""
    inside, want = {}, []
    for e in evs:
        if e["event"] in ("kernel_stack", "user_stack"):
            continue
        t = e["tid"]
        if e["event"] == "sys_enter_openat":
            inside[t] = []
        if t in inside:
            inside[t].append((e["ts"], t, e["event"]))
            if e["event"] == "sys_exit_openat":
                done = inside.pop(t)
                want += done if num(e["f"]["ret"]) < 0 else []
    if not any(e["event"] == "sys_enter_openat" for e in evs):
        return
    show = " | print ts, task.tid, event"
    got = ours(path, '* | speculate by task.tid from event == "sys_enter_openat" commit event == "sys_exit_openat" && ret < 0 '
               'discard event == "sys_exit_openat"' + show)
    check(name + " speculate: events of failed calls", [(r["ts"], r["task.tid"], r["event"]) for r in got], want)
    got = ours(path, '* | do { if (event == "sys_enter_openat") { @in[task.tid] = 1 } if (@in[task.tid]) { speculate(task.tid) } '
               'if (event == "sys_exit_openat") { if (ret < 0) { commit(task.tid) } else { discard(task.tid) } delete(@in[task.tid]) } }' + show)
    check(name + " block: events of failed calls", [(r["ts"], r["task.tid"], r["event"]) for r in got if "ts" in r], want)
    got = ours(path, '* | speculate by task.tid from event == "sys_enter_openat" commit event == "sys_exit_openat" && ret < 0 '
               'discard event == "sys_exit_openat" | count by event')
    check(name + " speculate: counted behind it", table(got, "event", "count"), dict(collections.Counter(e for _, _, e in want)))


def lines(name, path, evs):
    """The kernel's own format, byte for byte, with the name of the instance before it. Task names
    are set aside: report knows only the last name of a task, tracesh the one it had then."""
    task = re.compile(r"^(.*?)(.{16})-(\d+ *\[\d{3}\])")
    blank = lambda l: task.sub(lambda m: m.group(1) + " " * 16 + "-" + m.group(3), l)
    out = subprocess.run(["trace-cmd", "report", "-i", path], capture_output=True).stdout.decode("utf-8", "replace")
    want = [blank(l) for l in out.split("\n") if l and not l.startswith("cpus=") and "EVENTS DROPPED" not in l]
    p = subprocess.run([tracesh, "-q", "-i", path, "-e", "* | print"], capture_output=True)
    got = [blank(l) for l in p.stdout.decode("utf-8", "replace").split("\n") if l]
    check(name + " print", got, want)


def main():
    files = sorted(glob.glob(os.path.join(here, "../data/*.dat"))) if len(sys.argv) < 2 else sys.argv[1:]
    for path in files:
        name = os.path.basename(path)
        evs, lost = events(path)
        if not evs:
            print("not ok", name, "trace-cmd report shows nothing")
            continue
        for part in (counting, switches, block_sums) + (() if "stacks" in name else (lines,)) + (() if lost else (latencies, syscalls, stacks, block_waits, block_calls, speculation)):
            try:
                part(name, path, evs)
            except Exception as x:  # a failing run must not hide the others
                print("not ok", name, part.__name__, str(x).replace("\n", " | ")[:400])


main()
