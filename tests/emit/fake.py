#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Emitted shell scripts run over a directory that looks like tracefs, in dash and in busybox ash with nothing
but cat, sleep, mkdir and rmdir. What they write, seen by strace, is what the plan of the same script says."""
import os, re, shlex, shutil, signal, subprocess, sys, time

os.chdir(os.path.dirname(os.path.abspath(__file__)))
TRACESH, TMP = os.environ["TRACESH"], os.environ["TMP"]
FAKE, BIN, TRACE = TMP + "/fake", TMP + "/bin", TMP + "/strace"
SCRIPTS = [f for f in sorted(os.listdir(".")) if f.endswith(".tsh") and re.search("^# emit:.*\\bsh\\b", open(f).read(), re.M)]


def result(name, ok, *said):
    print(("ok " if ok else "not ok ") + name)
    if not ok:
        for s in said:
            print(s)


def catalog(script):
    """The directory of its `# kernel:` or `# catalog:`."""
    text = open(script).read()
    kernel, other = (re.search(rf"^# {w}: (.*)", text, re.M) for w in ("kernel", "catalog"))
    if not kernel:
        return "../data/" + (other.group(1) if other else "catalog")
    d = TMP + "/capable"
    shutil.rmtree(d, ignore_errors=True)
    shutil.copytree("../data/catalog", d)
    open(d + "/synthetic_events", "w").close()
    shutil.copy("../data/readme/" + kernel.group(1), d + "/README")
    return d


def tracesh(*args):
    env = dict(os.environ, TRACESH_CATALOG_DIR=catalog(args[-1]))
    return subprocess.run([TRACESH, *args], env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True)


def args_of(script):
    m = re.search(r"^# args: (.*)", open(script).read(), re.M)
    return m.group(1).split() if m else []


def logical_lines(text):
    """Lines of a shell text, quotes and here-documents left whole."""
    line = ""
    for l in text.split("\n"):
        if not line and l.startswith("#"):
            continue
        line += re.sub("   # [^\"\\\\]*$", "", l)
        if line.count("'") % 2 == 0:
            yield line
            line = ""
        else:
            line += "\n"


def planned(script):
    """(file, text) of each write of the plan in order, mkdir and rmdir as text None."""
    out = []
    for line in logical_lines(tracesh("-n", *args_of(script), script).stdout):
        if not line or line.startswith("#"):
            continue
        w = shlex.split(line, comments=True)
        if w[0] in ("mkdir", "rmdir"):
            out.append((rel(w[1]), w[0]))
        else:
            out.append((rel(w[-1]), w[2] if w[0] == "printf" else w[1]))
    return out


def rel(path):
    return re.sub(r"^.*?/(instances/|dynamic_events|synthetic_events|kprobe_events|uprobe_events)", r"\1", path)


def word_of(writes):
    """A pattern of the word in names that stands for a run."""
    return next(re.findall(r"tracesh-([\d-]+)", p)[0].replace("-", "[-_]") for p, _ in writes if "tracesh-" in p)


def neutral(writes, word):
    """The run's own word in names, and ids of tasks, are no difference."""
    out = []
    for path, text in writes:
        path, text = re.sub(word, "ID", path), re.sub(word, "ID", text)
        out.append((path, "PID" if path.endswith("set_event_notrace_pid") else text))
    return out


def make_fake():
    shutil.rmtree(FAKE, ignore_errors=True)
    os.makedirs(FAKE + "/instances")
    for f in ("dynamic_events", "synthetic_events", "kprobe_events", "uprobe_events", "trace"):
        open(f"{FAKE}/{f}", "w").close()


def make_bin():
    shutil.rmtree(BIN, ignore_errors=True)
    os.makedirs(BIN)
    for c in ("cat", "sleep", "mkdir", "rmdir"):
        os.symlink(shutil.which("busybox"), f"{BIN}/{c}")


EVENTS = set()


def instances():
    return os.listdir(FAKE + "/instances")


def populate(missing):
    """What tracefs puts into a new instance; while strace holds up the script's mkdir."""
    for _ in range(1000):
        if instances():
            break
        time.sleep(0.01)
    d = f"{FAKE}/instances/{instances()[0]}/"
    events = {e.replace("ID", instances()[0].split("-")[1]) for e in EVENTS}
    files = "tracing_on trace_clock buffer_size_kb buffer_percent tracing_cpumask set_event_pid set_event_notrace_pid trace error_log".split()
    files += [f"options/{o}" for o in ("overwrite", "stacktrace", "userstacktrace")]
    files += [f"events/{e}/{f}" for e in events for f in ("enable", "filter", "trigger", "hist")]
    for f in files:
        os.makedirs(os.path.dirname(d + f), exist_ok=True)
        if f == missing:
            os.mkdir(d + f)
            continue
        with open(d + f, "w") as o:
            o.write("line of trace\n" if f == "trace" else "Totals:\n" if f.endswith("/hist") else "")


def emitted(script):
    p = tracesh("--emit", "sh", *args_of(script), script)
    path = f"{TMP}/{script}.sh"
    open(path, "w").write(p.stdout)
    return path


def start(shell, path, *args, missing=None):
    """Runs it under strace: mkdir takes a while, and rmdir removes an instance as tracefs does."""
    make_fake()
    cmd = [shutil.which("strace"), "-f", "-y", "-s", "8192", "-e", "trace=write,mkdir,mkdirat,rmdir,unlinkat",
           "-e", "inject=mkdir,mkdirat:delay_exit=300000", "-e", "inject=rmdir,unlinkat:retval=0", "-o", TRACE, *shell, path, *args]
    p = subprocess.Popen(cmd, env={"PATH": BIN, "TRACEFS": FAKE}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    populate(missing)
    return p


def removed():
    """Is the last thing done to the instance its removal?"""
    last = [l for l in open(TRACE, errors="replace") if FAKE + "/instances" in l][-1]
    return "rmdir(" in last or "unlinkat(" in last


def unescape(s):
    return s.encode().decode("unicode_escape")


def written():
    out = []
    for line in open(TRACE, errors="replace"):
        m = re.match(r'\d+ +write\(\d+<(.*?)>, "(.*)", \d+\)', line)
        if m and m.group(1).startswith(FAKE + "/"):
            out.append((rel(m.group(1)), unescape(m.group(2)).rstrip("\n")))
        m = re.match(r'\d+ +(mkdir|rmdir)\("([^"]*)"', line)
        if m:
            out.append((rel(m.group(2)), m.group(1)))
    return out


def same_writes(script, shell, name):
    p = start(shell, emitted(script), "1")
    out, err = p.communicate(timeout=60)
    got = written()
    want = planned(script)
    got, want = neutral(got, word_of(got)), neutral(want, word_of(want))
    # tracing is switched off before the results are printed and once more by the undoing
    begin = [i for i, w in enumerate(want) if w[0].endswith("/tracing_on") and w[1] == "1"][-1]
    want.insert(begin + 1, (want[begin][0], "0"))
    result(f"{script} in {name} makes the plan's writes", got == want,
           *(f"  want {w}\n  got  {g}" for w, g in zip(want, got) if w != g), f"{len(want)} planned, {len(got)} made", err)
    result(f"{script} in {name} ends well", p.returncode == 0, p.returncode, err)
    result(f"{script} in {name} prints what the kernel has", "line of trace" in out or "Totals:" in out, out)


def refused(script, shell, name):
    p = start(shell, emitted(script), "1", missing="trace_clock")
    out, err = p.communicate(timeout=60)
    result(f"{script} in {name}: a refused write is said and undone",
           p.returncode == 3 and re.search(r"refused: instances/tracesh-\d+/trace_clock", err) and out == "" and removed(), p.returncode, out, err)


def armed():
    pid = int(instances()[0].split("-")[1])
    for _ in range(1000):
        if open(f"{FAKE}/instances/tracesh-{pid}/tracing_on").read() == "1\n":
            break
        time.sleep(0.02)
    return pid


def interrupted(script, shell, name):
    p = start(shell, emitted(script), "600")
    os.kill(armed(), signal.SIGTERM)
    out, err = p.communicate(timeout=60)
    result(f"{script} in {name}: SIGTERM prints and undoes", p.returncode == 0 and out != "" and removed(), p.returncode, out, err)


def killed(script, shell, name):
    path = emitted(script)
    p = start(shell, path, "600")
    pid = armed()
    os.kill(pid, signal.SIGKILL)
    p.communicate()
    env = {"PATH": BIN, "TRACEFS": FAKE}
    left = removed()
    q = subprocess.run([*shell, path, "undo", "1"], env=env, capture_output=True)
    result(f"{script} in {name}: nothing of that number to undo", q.returncode == 2 and instances() == [f"tracesh-{pid}"], q)
    q = subprocess.run([*shell, path, "undo", str(pid)], env=env, capture_output=True, text=True)
    # a directory that is not tracefs cannot be removed while it holds files: that it is said is right here
    result(f"{script} in {name}: undo looks after what a killed one left", not left and q.returncode == 4 and "not all could be undone" in q.stderr
           and open(f"{FAKE}/instances/tracesh-{pid}/tracing_on").read() == "0\n", left, q)


for tool in ("strace", "busybox"):
    if not shutil.which(tool):
        print(f"skip emitted scripts: {tool} is not installed")
        sys.exit(0)
make_bin()
for s in SCRIPTS:
    w = planned(s)
    EVENTS |= {p.split("/events/")[1].rsplit("/", 1)[0] for p, _ in neutral(w, word_of(w)) if "/events/" in p}
for shell, name in ((["/bin/sh"], "sh"), ([shutil.which("busybox"), "ash"], "busybox ash")):
    for s in SCRIPTS:
        same_writes(s, shell, name)
    refused(SCRIPTS[0], shell, name)
    interrupted(SCRIPTS[0], shell, name)
    killed(SCRIPTS[0], shell, name)
