#!/usr/bin/env python3
"""Measures how fast file trees are measured and removed: against a C program that does as little as possible, and beside
others.

    make treetool
    Benchmarks/tree.py [--only TREE[,TREE]] [--quick]

Prints one table; exit status 1 when a bar is missed or a sum is wrong. Trees are made once, under .build/bench/trees.
"""
import json
import os
import resource
import shlex
import statistics
import subprocess
import sys
import time
from collections import namedtuple
from pathlib import Path

import bench

SOURCES = Path(__file__).resolve().parent / "tree"
ROOT = SOURCES.parent.parent
BUILT = ROOT / ".build/bench"
TREES = BUILT / "trees"
LIMIT, MKTREE = BUILT / "limit", BUILT / "mktree"
TREETOOL = os.path.abspath(os.environ.get("TREETOOL_BINARY", ROOT / ".build/release/TreeTool"))

# Who takes part. The tree's path comes last.
OURS_1 = [TREETOOL, "measure", "-e", "-t", "1"]
OURS_2 = [TREETOOL, "measure", "-e", "-t", "2"]
LIMIT_1 = [str(LIMIT), "-t", "1"]
LIMIT_2 = [str(LIMIT), "-t", "2"]
DU = ["du", "-s"]
GDU = ["gdu", "-nps"]
NCDU = ["ncdu", "-0", "-o", "/dev/null"]
REMOVE = [TREETOOL, "remove"]
CLEAR = [TREETOOL, "clear"]
RM = ["rm", "-rf"]
IDLE = "idle"  # ours, with nothing to measure

# How a tree is made; --quick makes one of a tenth of the size. `fresh`: anew for every run, as what is removed must be.
Tree = namedtuple("Tree", "make quick rounds fresh", defaults=[False])
TREES_MADE = {
    "small": Tree("small {} 100000 10000", "small {} 10000 1000", 11),
    "wide": Tree("wide {} 200000", "wide {} 20000", 11),
    "deep": Tree("deep {} 50000", "deep {} 5000", 5),
    "large": Tree("small {} 1000000 50000", "small {} 100000 5000", 5),
    "gone": Tree("small {} 100000 10000", "small {} 10000 1000", 3, fresh=True),
}

# A row is a quantity of one who takes part over (`memory`: less; `usable`: by itself) that of another, which must be at
# most the bar; the goal is hoped for.
Row = namedtuple("Row", "tree what quantity subject reference bar goal unit", defaults=["×"])


def cpu(tree):
    return Row(tree, "CPU, one thread / C", "cpu", OURS_1, LIMIT_1, 1.25, 1.05)


def wall(tree, reference=LIMIT_2, what="time, two threads / C with two"):
    return Row(tree, what, "wall", OURS_2, reference, 1.3, 1.05)


def ahead(tree, other):
    return Row(tree, f"time, two threads / {other[0]}", "wall", OURS_2, other, 1, 0.67)


def memory(tree):
    return Row(tree, "peak memory over an idle process", "memory", OURS_2, IDLE, 20, 10, "MB")


ROWS = [
    *(row for tree in ["small", "wide", "large"]
      for row in [cpu(tree), wall(tree), *(ahead(tree, other) for other in [DU, GDU, NCDU]), memory(tree)]),
    # gdu and ncdu fail here, and C with two threads takes minutes.
    Row("gone", "CPU until all is free / rm -rf", "cpu", REMOVE, RM, 1.15, 1),
    Row("gone", "until a cleared folder is empty and usable", "usable", CLEAR, RM, 50, 5, "ms"),
    cpu("deep"), wall("deep", LIMIT_1, "time, two threads / C with one"), ahead("deep", DU), memory("deep"),
]

Run = namedtuple("Run", "wall cpu memory sums usable", defaults=[None])


def build():
    TREES.mkdir(parents=True, exist_ok=True)
    (TREES / "empty").mkdir(exist_ok=True)
    for program in [LIMIT, MKTREE]:
        subprocess.run(["gcc", "-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", "-pthread", "-o", program,
                        SOURCES / f"{program.name}.c"], check=True)


def made(name, quick):
    """The tree's path; it is made where it is not there yet, or has to be fresh."""
    tree = TREES_MADE[name]
    arguments = tree.quick if quick else tree.make
    # One that is used up has a place of its own: it must not take away another of the same make.
    path = TREES / (("fresh-" if tree.fresh else "") + arguments.format("").replace("  ", " ").replace(" ", "-"))
    if tree.fresh or not path.exists():
        unfinished = TREES / "unfinished"
        subprocess.run(["rm", "-rf", path, unfinished], check=True)
        subprocess.run([MKTREE, *shlex.split(arguments.format(unfinished))], check=True)
        unfinished.rename(path)
    return path


def used():
    """User and system time of the processes that have ended."""
    times = resource.getrusage(resource.RUSAGE_CHILDREN)
    return times.ru_utime + times.ru_stime


def run(who, path):
    command, path = (OURS_2, TREES / "empty") if who is IDLE else (who, path)
    before, start = used(), time.perf_counter()
    ended = subprocess.run([*command, path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wall, cpu = time.perf_counter() - start, used() - before
    if ended.returncode != 0:
        return Run(wall, cpu, None, ended.stderr.strip()[:200])
    report = json.loads(ended.stdout) if ended.stdout.startswith("{") else {}
    sums = report["units"][0] if "units" in report else report
    return Run(wall, cpu, report.get("peakKB", 0) / 1024, (sums.get("allocated"), sums.get("entries")),
               report.get("usable", 0) * 1000)


def contest(name, quick):
    """All who take part in the rows of a tree, taking turns; their runs, by who it is."""
    takers = []
    for row in (row for row in ROWS if row.tree == name):
        takers += [who for who in [row.subject, row.reference] if who not in takers]
    runs = [(who, []) for who in takers]
    path = made(name, quick)
    for taker, _ in runs:  # what the kernel keeps is there then
        if not TREES_MADE[name].fresh:
            run(taker, path)
    for _ in range(2 if quick else TREES_MADE[name].rounds):
        for taker, list in runs:
            list.append(run(taker, made(name, quick)))
    return lambda who: next(list for taker, list in runs if taker == who)


def measured(row, runs):
    """Of pairs of neighbouring runs, since a machine that is busy for a while is so for both."""
    if row.quantity == "usable":
        return statistics.median(one.usable for one in runs(row.subject))
    pairs = [(getattr(one, row.quantity), getattr(other, row.quantity))
             for one, other in zip(runs(row.subject), runs(row.reference))]
    if row.quantity == "memory":
        return statistics.median(one - other for one, other in pairs)
    return statistics.median(one / other for one, other in pairs)


def verdict(row, runs, exact):
    wrong = [one.sums for one in runs(row.subject)
             if (isinstance(one.sums, str) if exact is None else one.sums != exact)]
    if wrong:
        return f"MISSED: not exact, {wrong[0]} instead of {exact}"
    value = measured(row, runs)
    if value > row.bar:
        return "MISSED"
    return "goal" if value <= row.goal else "ok"


def table(names, quick):
    yield ["tree", "what", "measured", "bar", "goal", "verdict"]
    for name in names:
        print(f"{name} …", file=sys.stderr)
        runs = contest(name, quick)
        exact = None if TREES_MADE[name].fresh else runs(LIMIT_1)[0].sums
        for row in (row for row in ROWS if row.tree == name):
            says = verdict(row, runs, exact)
            value = "–" if "exact" in says else f"{measured(row, runs):.2f} {row.unit}"
            yield [name, row.what, value, f"≤ {row.bar:g}", f"≤ {row.goal:g}", says]


def main():
    parser = bench.parser(__doc__, TREES_MADE, "tree", "small trees, two rounds: does it run at all?")
    chosen = parser.parse_args()
    names = bench.only(parser, chosen)
    if not os.access(TREETOOL, os.X_OK):
        parser.error(f"{TREETOOL} is missing; build it first: make treetool")
    build()
    return bench.show(list(table(names, chosen.quick)))


if __name__ == "__main__":
    sys.exit(main())
