#!/usr/bin/env python3
"""Measures rpcshell against a C + libjansson server doing the same work, and against fixed bounds.

    swift build -c release
    Benchmarks/rpc.py [--only ROW[,ROW]] [--quick] [--frame lines|headers|both]

Prints one table; exit status 1 when a bar is missed or a reply was lost, doubled or wrong.
"""
import json
import os
import shlex
import subprocess
import sys
from collections import namedtuple
from pathlib import Path

import bench

SOURCES = Path(__file__).resolve().parent / "rpc"
ROOT = SOURCES.parent.parent
BUILT = ROOT / ".build/bench"
RIG, REFERENCE = BUILT / "rigdrive", BUILT / "c_jansson"
# A session whose actions are done by a program, and a C server that runs the same one.
EXEC_CONFIGURATION, EXEC_REFERENCE, HANDLER = BUILT / "exec.json", BUILT / "c_exec", BUILT / "handler"
RPCSHELL = os.path.abspath(os.environ.get("RPCSHELL_BINARY", ROOT / ".build/release/rpcshell"))
TESTSHELL = os.path.abspath(os.environ.get("TESTSHELL_BINARY", ROOT / ".build/release/TestShell"))

# Who is measured, and what its figures are divided by (None: they stand for themselves).
Pair = namedtuple("Pair", "subject reference")
DEMO = [RPCSHELL, "--demo"]
AGAINST_C = Pair(DEMO, [str(REFERENCE)])
ALONE = Pair(DEMO, None)
AGAINST_ITSELF = Pair(DEMO, DEMO)
EXEC = [RPCSHELL, "--config", str(EXEC_CONFIGURATION)]
EXEC_AGAINST_C = Pair(EXEC, [str(EXEC_REFERENCE), str(HANDLER)])
EXEC_ALONE = Pair(EXEC, None)
# The same account, in a file of its own and in memory.
STORED = BUILT / "stored.json"
STORED_AGAINST_MEMORY = Pair([RPCSHELL, "--config", str(STORED)], DEMO)
# The reference server as a plugin of the shell, against that server alone.
FORWARDING = BUILT / "forwarding.json"
FORWARDED_AGAINST_ALONE = Pair([RPCSHELL, "--config", str(FORWARDING)], [str(REFERENCE)])
SLOW_AGAINST_IDLE = Pair([TESTSHELL], [TESTSHELL])

# A check holds one of the rig's values, or a part of it (divided by `per`), against a bar, which must be met, and a
# goal, which is hoped for.
Check = namedtuple("Check", "value sign bar goal unit what per")


def at_most(value, bar, goal=None, unit="×", what="", per=1):
    return Check(value, "≤", bar, goal, unit, what, per)


def at_least(value, bar, goal=None, unit="×", what="", per=1):
    return Check(value, "≥", bar, goal, unit, what, per)


def peak_memory(bar, goal=None):
    return at_most("hwm_kb", bar, goal, unit="MB", what="peak memory", per=1024)


STEADY_MEMORY = at_most("growth", 1.05, what="growth after 10 %")


Row = namedtuple("Row", "name what pair options quick checks")
ROWS = [  # the options are those of rpc/rigdrive.c; of an option given twice the last counts
    Row("start", "start → reply", AGAINST_C, "startup -n 60", "-n 20", [at_most("ratio_reply_us", 1.8, 1.0)]),
    Row("ping", "ping-pong p50, one CPU", AGAINST_C, "ping --one-cpu --reps 5", "-n 5000 --reps 3",
        [at_most("ratio_p50_us", 1.2, 0.8)]),
    Row("small", "pipelined 89 B", AGAINST_C, "pipe --reps 7", "-n 100000 --reps 3", [at_least("ratio_msg_s", 1.5, 6)]),
    Row("mix", "pipelined 10 KB mixed", AGAINST_C, "pipe --payload mix -n 5000 --reps 5", "--reps 2",
        [at_least("ratio_msg_s", 2.5, 10)]),
    Row("str", "pipelined 10 KB string", AGAINST_C, "pipe --payload str -n 5000 --reps 5", "--reps 2",
        [at_least("ratio_msg_s", 5, 10)]),
    Row("soak", "1M pings", ALONE, "soak", "-n 200000", [peak_memory(8), STEADY_MEMORY]),
    Row("flood", "2 GB unread for 5 s", ALONE, "flood --payload mix -n 200000 --deaf 5", "-n 20000 --deaf 2",
        [peak_memory(96)]),
    Row("busy", "ping p99, 16 slow actions / idle", SLOW_AGAINST_IDLE, "ping --init slow16.jsonl --linger 0 --reps 5",
        "-n 5000 --reps 3", [at_most("ratio_p99_us", 2, 1.1)]),
    # 3: what forwarding adds is at most twice what the plugin's own answer takes
    Row("plugin", "ping of a plugin through the shell / that plugin alone, one CPU", FORWARDED_AGAINST_ALONE,
        "ping --one-cpu --method echo.ping --ref-method shell.ping --reps 5", "-n 5000 --reps 3",
        [at_most("ratio_p50_us", 3, 2.5)]),
    Row("plan-start", "plan.get: start → reply", AGAINST_C,
        "startup --method plan.get --payload none --ref-method shell.ping --ref-payload small -n 60", "-n 20",
        [at_most("ratio_reply_us", 6, 3.7)]),
    # the size: an echo of it is as long as the reply of plan.get
    Row("plan-get", "plan.get: ping-pong p50, one CPU", AGAINST_C,
        "ping --one-cpu --method plan.get --payload none --ref-method shell.ping --ref-payload mix --ref-size 2000 "
        "--reps 5", "-n 5000 --reps 3", [at_most("ratio_p50_us", 1.2, 0.5)]),
    Row("plan-get-store", "plan.get from a file / from memory, ping-pong p50, one CPU", STORED_AGAINST_MEMORY,
        "ping --one-cpu --method plan.get --payload none --ref-method plan.get --ref-payload none --reps 5",
        "-n 5000 --reps 3", [at_most("ratio_p50_us", 1.3, 1.05)]),
    # one at a time: the events of many in flight may be merged, and less is written for each then
    Row("plan-set", "plan.set: CPU a message, 5 meters", ALONE,
        "ping --one-cpu --method plan.set --payload meters:5 --events 1 -n 10000 --reps 5", "-n 2000 --reps 3",
        [at_most("cpu_us_msg", 100, 40, unit="µs")]),
    Row("plan-memory", "100k plan.set, 5 meters", ALONE, "soak --method plan.set --payload meters:5 -n 100000",
        "-n 10000", [peak_memory(30, 16), STEADY_MEMORY]),
    # ten times the meters may take ten times the CPU
    Row("plan-1000", "plan.set: CPU a meter, 1,000 meters / 100 meters", AGAINST_ITSELF,
        "ping --one-cpu --method plan.set --payload meters:1000 --ref-payload meters:100 --events 1 --warm 20 -n 200 "
        "--reps 5", "-n 50 --reps 3", [at_most("ratio_cpu_us_msg", 1.25, 1.1, per=10)]),
    Row("exec", "an action by a program, p50, one CPU", EXEC_AGAINST_C,
        "ping --one-cpu --method plan.manage --payload none --ref-method shell.ping --warm 50 -n 1000 --reps 7",
        "-n 200 --reps 3", [at_most("ratio_p50_us", 1.3, 1.1)]),
    Row("exec-leak", "1,000 actions by a program", EXEC_ALONE,
        "soak --method plan.manage --payload none --window 1 -n 1000", "-n 300", [peak_memory(24), STEADY_MEMORY]),
]


def build():
    BUILT.mkdir(parents=True, exist_ok=True)
    compile_c = ["gcc", "-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", "-o"]
    rest = {path.stem for path in (REFERENCE, EXEC_REFERENCE, HANDLER)}
    rig = [path for path in SOURCES.glob("*.c") if path.stem not in rest]
    subprocess.run([*compile_c, RIG, *rig], cwd=SOURCES, check=True)
    subprocess.run([*compile_c, REFERENCE, "c_jansson.c", "-ljansson"], cwd=SOURCES, check=True)
    subprocess.run([*compile_c, EXEC_REFERENCE, "c_exec.c", "-ljansson"], cwd=SOURCES, check=True)
    subprocess.run([*compile_c, HANDLER, "handler.c"], cwd=SOURCES, check=True)
    # In memory: no disk is measured.
    handlers = {action: {"adapter": "exec", "command": ["./" + HANDLER.name]}
                for action in ["onUpgrade", "onManage", "onRestore"]}
    EXEC_CONFIGURATION.write_text(json.dumps({"timeZone": "UTC", "store": "memory", "handlers": handlers}))
    # With its lock, which says that there was one.
    for left in [*BUILT.glob("account*"), BUILT / "plan.json"]:
        left.unlink(missing_ok=True)
    STORED.write_text(json.dumps({"timeZone": "UTC", "store": f"sqlite:{BUILT / 'account.db'}"}))
    FORWARDING.write_text(json.dumps({"plugins": [{"name": "echo", "command": [str(REFERENCE)]}]}))


def run(row, frame, quick):
    """One call of the rig; its report, or one that says only that there was none."""
    mode, *options = shlex.split(row.options)
    command = [RIG, mode, "--label", row.name, "--method", "shell.ping", *options, "--frame", frame]
    if quick:
        command += shlex.split(row.quick)
    if row.pair.reference:
        command += ["--ref", shlex.join(row.pair.reference)]
    command += ["--", *row.pair.subject]
    output = subprocess.run(command, cwd=SOURCES, stdout=subprocess.PIPE, text=True).stdout
    return {"row": row.name, "frame": frame, "pass": False, **json.loads(output or "{}")}


def measured(check, report):
    return report.get(check.value, float("nan")) / check.per


def worse(check, reports):
    """The report in which the check comes off worst; a run that was not exact is the worst there is."""
    sign = 1 if check.sign == "≤" else -1
    return max(reports, key=lambda report: (not report["pass"], sign * measured(check, report)))


def verdict(check, report):
    def meets(limit):
        return value <= limit if check.sign == "≤" else value >= limit

    value = measured(check, report)
    if not report["pass"]:
        return "MISSED: not exact"
    if not meets(check.bar):
        return "MISSED"
    return "goal" if check.goal is not None and meets(check.goal) else "ok"


def table(results):
    yield ["row", "what", "frames", "measured", "bar", "goal", "verdict"]
    for row, reports in results:
        for check in row.checks:
            report = worse(check, reports)
            what = ", ".join(filter(None, [row.what, check.what]))
            goal = "" if check.goal is None else f"{check.sign} {check.goal:g}"
            yield [row.name, what, report["frame"], f"{measured(check, report):.2f} {check.unit}",
                   f"{check.sign} {check.bar:g}", goal, verdict(check, report)]


def arguments():
    names = [row.name for row in ROWS]
    parser = bench.parser(__doc__, names, "row", "fewer repetitions: a smoke test, not a measurement")
    parser.add_argument("--frame", choices=["lines", "headers", "both"],
                        help="default: both where requests are pipelined, else lines; the worse one is shown")
    chosen = parser.parse_args()
    only = bench.only(parser, chosen)
    rows = [row for row in ROWS if row.name in only]
    for binary in {row.pair.subject[0] for row in rows}:
        if not os.access(binary, os.X_OK):
            parser.error(f"{binary} is missing; build it first: swift build -c release")
    return rows, chosen


def main():
    rows, chosen = arguments()
    build()
    results = []
    with open(BUILT / "rpc.jsonl", "w") as raw:
        for row in rows:
            frame = chosen.frame or ("both" if row.options.startswith("pipe") else "lines")
            reports = []
            for one in ["lines", "headers"] if frame == "both" else [frame]:
                print(f"{row.name}, {one} …", file=sys.stderr)
                reports.append(run(row, one, chosen.quick))
                print(json.dumps(reports[-1]), file=raw, flush=True)
            results.append((row, reports))
    return bench.show(list(table(results)))


if __name__ == "__main__":
    sys.exit(main())
