#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks FILE... against the grammar of the kernel's Documentation/admin-guide/bootconfig.rst: words, braces, quotes without
escapes, arrays, no key that is given twice, 32767 bytes, 1024 nodes. Prints what is wrong; status 1 then."""
import re, sys

WORD = re.compile(r"[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*")


class Parser:
    def __init__(self, text):
        self.t, self.at, self.tree = text, 0, {}

    def fail(self, why):
        raise ValueError(f"line {self.t.count(chr(10), 0, self.at) + 1}: {why}")

    def space(self, newlines):
        while self.at < len(self.t):
            c = self.t[self.at]
            if c == "#":
                while self.at < len(self.t) and self.t[self.at] != "\n":
                    self.at += 1
            elif c in " \t" or (newlines and c in "\n;"):
                self.at += 1
            else:
                return

    def value(self):
        self.space(False)
        q = self.t[self.at]
        if q in "'\"":
            end = self.t.find(q, self.at + 1)
            if end < 0:
                self.fail("no closing quote")
            v, self.at = self.t[self.at + 1:end], end + 1
        else:
            m = re.compile(r"[^\s;,#}]+").match(self.t, self.at)
            if not m:
                self.fail("no value")
            v, self.at = m.group(), m.end()
        if not all(c.isprintable() or c.isspace() for c in v):
            self.fail("a value with bytes that are not printed")
        return v

    def values(self):
        v = [self.value()]
        self.space(False)
        while self.at < len(self.t) and self.t[self.at] == ",":
            self.at += 1
            self.space(True)
            v.append(self.value())
            self.space(False)
        if self.at < len(self.t) and self.t[self.at] not in "\n;}":
            self.fail(f"'{self.t[self.at]}' after a value")
        return v

    def block(self, tree, inner):
        while True:
            self.space(True)
            if self.at == len(self.t):
                if inner:
                    self.fail("no closing brace")
                return
            if self.t[self.at] == "}":
                if not inner:
                    self.fail("a brace that was not opened")
                self.at += 1
                return
            m = WORD.match(self.t, self.at)
            if not m:
                self.fail("no key")
            self.at = m.end()
            node = tree
            for w in m.group().split("."):
                node = node.setdefault(w, {})
            self.space(False)
            rest = self.t[self.at:self.at + 2]
            if rest[:1] == "{":
                self.at += 1
                self.block(node, True)
            elif rest[:1] == "=" or rest in ("+=", ":="):
                if rest[:1] == "=" and "=" in node:
                    self.fail(f"{m.group()} has a value already")
                self.at += 1 if rest[:1] == "=" else 2
                new = self.values()
                node["="] = node.get("=", []) + new if rest == "+=" else new
            elif rest[:1] not in ("", "\n", ";", "}"):
                self.fail(f"'{rest[:1]}' after a key")


def nodes(tree):
    return sum(len(v) if k == "=" else 1 + nodes(v) for k, v in tree.items())


bad = 0
for f in sys.argv[1:]:
    text = open(f).read()
    try:
        p = Parser(text)
        p.block(p.tree, False)
        if len(text.encode()) > 32767:
            raise ValueError("more than 32767 bytes")
        if nodes(p.tree) > 1024:
            raise ValueError("more than 1024 nodes")
        if not p.tree.get("ftrace", {}).get("instance"):
            raise ValueError("no ftrace.instance")
    except ValueError as e:
        print(f"{f}: {e}")
        bad = 1
sys.exit(bad)
