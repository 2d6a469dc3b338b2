#!/usr/bin/env python3
"""Measures the storage block of a session: what an event costs in a long list, and how a session that watches behaves
while many files are written.

    make build
    Benchmarks/storage.py [--only ROW[,ROW]] [--quick]

Prints one table; exit status 1 when a bar is missed. Folders are made in memory (/dev/shm) and removed again.
"""
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import bench
import session


class Folders(session.Session):
    """A session over folders of its own."""

    def __init__(self, **storage):
        self.folder = Path(tempfile.mkdtemp(prefix="rpcshell-bench-", dir="/dev/shm"))
        roots = {kind: [str(self.folder / kind)] for kind in ["downloads", "cache"]}
        for kind in roots:
            (self.folder / kind).mkdir()
        super().__init__(self.folder, {"storage": {"roots": roots, **storage}}, "storage.state")

    def __exit__(self, *_):
        super().__exit__()
        shutil.rmtree(self.folder)


def removals(count, rounds):
    """Seconds and bytes of events of removals, one at a time, from a list of so many downloads."""
    with Folders() as shell:
        for number in range(count):
            (shell.folder / "downloads" / f"episode-{number:06}.mp3").write_bytes(b"x")
        shell.start()
        shell.call("storage.get")
        results = [shell.call("storage.remove", id=f"episode-{number * count // rounds:06}.mp3")
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


def latencies(shell, seconds):
    """Seconds of plan.get, called again and again for so long."""
    end, taken = time.monotonic() + seconds, []
    while time.monotonic() < end:
        taken.append(shell.call("plan.get")[1])
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
    with Folders(watch=True) as shell:
        shell.start()
        shell.call("storage.get")
        # What else the machine does while files are written slows both: the writer works on other folders, too.
        idle = with_writer(shell, Path(tempfile.mkdtemp(dir="/dev/shm")), count)
        shell.events.clear()
        busy = with_writer(shell, shell.folder / "cache", count)
        times = [moment for moment, cause in shell.events if cause == "watch"]
        most = max((sum(1 for other in times if moment <= other < moment + 1) for moment in times), default=0)
        settle(shell)
        shell.call("plan.get")
        shell.events.clear()
        ticks = session.cpu_ticks(shell.process.pid)
        time.sleep(5)
        shell.call("shell.ping")
        yield "watch", "p99 of plan.get, files written in a root / elsewhere", p99(busy) / p99(idle), 2, 1.2, "×"
        yield "watch", "most events in a second", most, 4, 4, ""
        yield "watch", "events, when nothing changes any more", len(shell.events), 0, 0, ""
        yield "watch", "CPU in 5 idle seconds", (session.cpu_ticks(shell.process.pid) - ticks) * 10, 20, 0, "ms"


def settle(shell):
    """Waits until the last change has been looked at: a second without work, for half a minute at most."""
    for _ in range(30):
        ticks = session.cpu_ticks(shell.process.pid)
        time.sleep(1)
        if session.cpu_ticks(shell.process.pid) == ticks:
            time.sleep(9)  # what takes a second may be done again after four
            if session.cpu_ticks(shell.process.pid) == ticks:
                return


def with_writer(shell, folder, count):
    writer = subprocess.Popen([sys.executable, __file__, "--write", folder, str(count)])
    taken = []
    while writer.poll() is None:
        taken += latencies(shell, 0.2)
    if not str(folder).startswith(str(shell.folder)):
        shutil.rmtree(folder)
    return taken


ROWS = {"remove": remove_rows, "watch": watch_rows}


def main():
    if sys.argv[1:2] == ["--write"]:
        return write_files(Path(sys.argv[2]), int(sys.argv[3]))
    return bench.measure(__doc__, ROWS, "few files: does it run at all?")


if __name__ == "__main__":
    sys.exit(main())
