#!/usr/bin/env python3
"""Measures sessions that share an account in a file: when the others know of a change, and what knowing costs.

    make build
    Benchmarks/store.py [--only ROW[,ROW]] [--quick]

Prints one table; exit status 1 when a bar is missed. The account is on the disk of the temporary folder.
"""
import shutil
import statistics
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

import bench
import session


class Accounts:
    """So many sessions of one account, which all have been asked for it."""

    def __init__(self, count):
        self.folder = Path(tempfile.mkdtemp(prefix="rpcshell-bench-"))
        self.sessions = [session.Session(self.folder, {}, "plan.state") for _ in range(count)]

    def __enter__(self):
        self.open = ExitStack()
        for shell in self.sessions:
            shell.start()
            self.open.enter_context(shell)
            shell.call("plan.get")
        return self.sessions

    def __exit__(self, *_):
        self.open.close()
        shutil.rmtree(self.folder)


def news_rows(quick):
    taken = []
    with Accounts(2) as (one, other):
        for number in range(10 if quick else 100):
            begun = time.perf_counter()
            answer = one.call("plan.set", plan={"name": f"Plan {number}", "price": {"free": True},
                                                "status": {"noRenewal": True}, "meters": []})[0]
            assert b'"result"' in answer, answer
            taken.append((other.wait("account") - begun) * 1000)
            # Apart, as what people do.
            time.sleep(0.02)
    yield "news", "until another session says what one was told, median", statistics.median(taken), 1000, 100, "ms"
    yield "news", "… the longest", max(taken), 1000, 250, "ms"


def idle_rows(quick):
    with Accounts(2) as (one, other):
        time.sleep(1)
        begun = [session.cpu_ticks(shell.process.pid) for shell in (one, other)]
        seconds = 2 if quick else 10
        time.sleep(seconds)
        spent = [session.cpu_ticks(shell.process.pid) for shell in (one, other)]
        yield "idle", "CPU of two sessions in 10 s without news", (sum(spent) - sum(begun)) * 100 / seconds, 20, 0, "ms"


ROWS = {"news": news_rows, "idle": idle_rows}

if __name__ == "__main__":
    sys.exit(bench.measure(__doc__, ROWS, "few changes: does it run at all?"))
