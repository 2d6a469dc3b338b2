#!/usr/bin/env python3
"""Measures the storage block of a session: what an event costs in a long list, and how a session that watches behaves
while many files are written.

    make build
    Benchmarks/storage.py [--only ROW[,ROW]] [--quick]

Prints one table; exit status 1 when a bar is missed. Folders are made in memory (/dev/shm) and removed again.
"""
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import bench

ROOT = Path(__file__).resolve().parent.parent
RPCSHELL = os.path.abspath(os.environ.get("RPCSHELL_BINARY", ROOT / ".build/release/rpcshell"))


class Session:
    """A session over folders of its own, with one request in flight."""

    def __init__(self, **storage):
        self.folder = Path(tempfile.mkdtemp(prefix="rpcshell-bench-", dir="/dev/shm"))
        roots = {kind: [str(self.folder / kind)] for kind in ["downloads", "cache"]}
        for kind in roots:
            (self.folder / kind).mkdir()
        (self.folder / "config.json").write_text(json.dumps({"storage": {"roots": roots, **storage}}))
        self.id, self.events = 0, []

    def __enter__(self):
        return self

    def start(self):
        environment = {**os.environ, "XDG_STATE_HOME": str(self.folder / "state")}
        self.process = subprocess.Popen([RPCSHELL, "--config", self.folder / "config.json"], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, env=environment)

    def call(self, method, **params):
        """The result, the seconds it took, and the bytes of the events before it."""
        self.id += 1
        line = json.dumps({"jsonrpc": "2.0", "id": self.id, "method": method, "params": params}) + "\n"
        start = time.perf_counter()
        self.process.stdin.write(line.encode())
        self.process.stdin.flush()
        size = 0
        while True:
            line = self.process.stdout.readline()
            if b'"method":"storage.state"' in line[:60]:
                size += len(line)
                self.events.append((time.perf_counter(), json.loads(line)["params"]["cause"]))
            elif line.startswith(b'{"jsonrpc":"2.0","id":%d,' % self.id):
                return line, time.perf_counter() - start, size

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.stdout.read()
        self.process.wait()
        shutil.rmtree(self.folder)


def removals(count, rounds):
    """Seconds and bytes of events of removals, one at a time, from a list of so many downloads."""
    with Session() as session:
        for number in range(count):
            (session.folder / "downloads" / f"episode-{number:06}.mp3").write_bytes(b"x")
        session.start()
        session.call("storage.get")
        results = [session.call("storage.remove", id=f"episode-{number * count // rounds:06}.mp3")
                   for number in range(rounds)]
        assert all(b'"completed"' in result[0] for result in results)
        return [statistics.median(result[at] for result in results[2:]) for at in (1, 2)]


def remove_rows(quick):
    few, many = 200, 10_000 if quick else 100_000
    rounds = 12 if quick else 40
    pairs = [(removals(many, rounds), removals(few, rounds)) for _ in range(1 if quick else 3)]
    yield "remove", "time of a removal, 100k downloads / 200", ratio(pairs, 0), 1.5, 1.1, "×"
    yield "remove", "bytes of its events, 100k downloads / 200", ratio(pairs, 1), 1.2, 1.05, "×"


def ratio(pairs, at):
    return statistics.median(many[at] / few[at] for many, few in pairs)


def latencies(session, seconds):
    """Seconds of plan.get, called again and again for so long."""
    end, taken = time.monotonic() + seconds, []
    while time.monotonic() < end:
        taken.append(session.call("plan.get")[1])
        time.sleep(0.001)
    return taken


def p99(values):
    return statistics.quantiles(values, n=100)[98]


def write_files(folder, count):
    for number in range(count):
        if number % 1000 == 0:
            (folder / f"{number // 1000:04}").mkdir()
        (folder / f"{number // 1000:04}" / f"{number:07}").write_bytes(b"x")


def watch_rows(quick):
    count = 20_000 if quick else 1_000_000
    with Session(watch=True) as session:
        session.start()
        session.call("storage.get")
        # What else the machine does while files are written slows both: the writer works on other folders, too.
        idle = with_writer(session, Path(tempfile.mkdtemp(dir="/dev/shm")), count)
        session.events.clear()
        busy = with_writer(session, session.folder / "cache", count)
        times = [moment for moment, cause in session.events if cause == "watch"]
        most = max((sum(1 for other in times if moment <= other < moment + 1) for moment in times), default=0)
        settle(session)
        session.call("plan.get")
        session.events.clear()
        ticks = cpu_ticks(session.process.pid)
        time.sleep(5)
        session.call("shell.ping")
        yield "watch", "p99 of plan.get, files written in a root / elsewhere", p99(busy) / p99(idle), 2, 1.2, "×"
        yield "watch", "most events in a second", most, 4, 4, ""
        yield "watch", "events, when nothing changes any more", len(session.events), 0, 0, ""
        yield "watch", "CPU in 5 idle seconds", (cpu_ticks(session.process.pid) - ticks) * 10, 20, 0, "ms"


def settle(session):
    """Waits until the last change has been looked at: a second without work, for half a minute at most."""
    for _ in range(30):
        ticks = cpu_ticks(session.process.pid)
        time.sleep(1)
        if cpu_ticks(session.process.pid) == ticks:
            time.sleep(9)  # what takes a second may be done again after four
            if cpu_ticks(session.process.pid) == ticks:
                return


def with_writer(session, folder, count):
    writer = subprocess.Popen([sys.executable, __file__, "--write", folder, str(count)])
    taken = []
    while writer.poll() is None:
        taken += latencies(session, 0.2)
    if not str(folder).startswith(str(session.folder)):
        shutil.rmtree(folder)
    return taken


def cpu_ticks(process):
    fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return int(fields[11]) + int(fields[12])


ROWS = {"remove": remove_rows, "watch": watch_rows}


def main():
    if sys.argv[1:2] == ["--write"]:
        return write_files(Path(sys.argv[2]), int(sys.argv[3]))
    parser = bench.parser(__doc__, ROWS, "row", "few files: does it run at all?")
    chosen = parser.parse_args()
    names = bench.only(parser, chosen)
    if not os.access(RPCSHELL, os.X_OK):
        parser.error(f"{RPCSHELL} is missing; build it first: make build")
    lines = [["row", "what", "measured", "bar", "goal", "verdict"]]
    for name in names:
        print(f"{name} …", file=sys.stderr)
        for row, what, value, bar, goal, unit in ROWS[name](chosen.quick):
            verdict = "MISSED" if value > bar else "goal" if value <= goal else "ok"
            lines.append([row, what, f"{value:.2f} {unit}".strip(), f"≤ {bar:g}", f"≤ {goal:g}", verdict])
    return bench.show(lines)


if __name__ == "__main__":
    sys.exit(main())
