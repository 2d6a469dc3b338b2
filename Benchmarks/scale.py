#!/usr/bin/env python3
"""Measures how far an account store goes: bytes an account takes, upgrades a second over many sessions, memory a session takes.

    make build
    Tests/Servers/with-postgres Benchmarks/scale.py [--only ROW[,ROW]] [--quick]

The sessions are real ones of the release binary, each with an account of its own unless a row says otherwise. An upgrade is
two transactions that reach the disk: its intent before, its outcome with the plan after. docs/SCALE.md says what comes out.
"""
import argparse
import json
import os
import selectors
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RPCSHELL = os.path.abspath(os.environ.get("RPCSHELL_BINARY", ROOT / ".build/release/rpcshell"))
SERVER = os.environ.get("RPCSHELL_TEST_POSTGRES")
CATALOGUE = [{"name": f"Plan {n}", "price": {"amount": "9.99", "currencyCode": "USD"}, "period": "month",
              "status": {"renews": "2026-11-02"}, "upgrade": {"title": "Go up"},
              "meters": [{"id": "storage", "label": "Storage", "used": 8.2, "limit": 10, "unit": "GB"},
                         {"id": "exports", "label": "Exports", "used": 412, "limit": 1000, "resets": "2026-11-02"}]}
             for n in range(3000)]


def sql(database, statement):
    url = SERVER.replace("/postgres?", f"/{database}?")
    return subprocess.run(["psql", "-qXAt", url, "-c", statement], check=True, capture_output=True, text=True).stdout.strip()


def url(database):
    return SERVER.replace("/postgres?", f"/{database}?")


class Session:
    """One process that does one upgrade after the other, as long as there are plans."""

    def __init__(self, folder, name, store, account="default", plans=3000):
        self.folder = folder / name
        self.folder.mkdir()
        self.plans = plans
        configuration = {"store": store, "accountId": account, "holds": {"upgrade": 0}, "account": {"catalogue": CATALOGUE[:plans]}}
        (self.folder / "config.json").write_text(json.dumps(configuration))
        environment = {**os.environ, "XDG_STATE_HOME": str(self.folder / "state")}
        self.process = subprocess.Popen([RPCSHELL, "--config", str(self.folder / "config.json")], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, env=environment)
        self.input, self.output = self.process.stdin.fileno(), self.process.stdout.fileno()
        self.id, self.rest, self.times = 0, b"", []

    def send(self, method):
        self.id += 1
        self.start = time.perf_counter()
        os.write(self.input, json.dumps({"jsonrpc": "2.0", "id": self.id, "method": method, "params": {}}).encode() + b"\n")

    def receive(self):
        """Whether the reply has come."""
        lines = (self.rest + os.read(self.output, 1 << 16)).split(b"\n")
        self.rest = lines.pop()
        for line in lines:
            if line.startswith(b'{"jsonrpc":"2.0","id":%d,' % self.id):
                assert b'"error"' not in line, line
                self.times.append(time.perf_counter() - self.start)
                return True
        return False

    def has_more(self):
        return len(self.times) < self.plans - 2

    def wait(self):
        while not self.receive():
            pass

    def end(self):
        self.process.stdin.close()
        assert self.process.wait() == 0


def cpu_seconds(pids):
    total = 0
    for pid in pids:
        try:
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            total += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        except OSError:
            pass
    return total


def children(pid):
    found = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        try:
            found += [int(child) for child in (task / "children").read_text().split()]
        except OSError:
            pass  # the thread has ended
    return found


def server_pids():
    main = int(sql("postgres", "SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1)"))
    return [main] + children(main)


def memory(pid):
    """Kilobytes, shared pages divided among those who share them."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("Pss:")).split()[1])


def upgrades(folder, sessions, seconds):
    """Upgrades a second, milliseconds of one (median, 99th percentile), and CPU seconds a second by who spent them."""
    for session in sessions:
        session.send("plan.get")
        session.wait()
        session.times.clear()
    shells = [pid for s in sessions for pid in [s.process.pid] + children(s.process.pid)]
    server = server_pids() if SERVER and "postgresql" in (sessions[0].folder / "config.json").read_text()[:60] else []
    selector = selectors.DefaultSelector()
    for session in sessions:
        selector.register(session.output, selectors.EVENT_READ, session)
    before, start = (cpu_seconds(shells), cpu_seconds(server)), time.perf_counter()
    for session in sessions:
        session.send("plan.upgrade")
    busy = len(sessions)
    while busy:
        for key, _ in selector.select():
            if key.data.receive():
                if time.perf_counter() - start < seconds and key.data.has_more():
                    key.data.send("plan.upgrade")
                else:
                    busy -= 1
    took = time.perf_counter() - start
    after = (cpu_seconds(shells), cpu_seconds(server))
    times = sorted(t for s in sessions for t in s.times)
    return {"rate": len(times) / took, "median": statistics.median(times) * 1000, "late": times[int(len(times) * 0.99)] * 1000,
            "shells": (after[0] - before[0]) / took, "server": (after[1] - before[1]) / took}


def fsyncs(folder, seconds=2):
    """What the disk can do: appended pages that reach it, one after the other."""
    with open(folder / "fsync", "wb") as file:
        count, start = 0, time.perf_counter()
        while time.perf_counter() - start < seconds:
            file.write(b"x" * 8192)
            file.flush()
            os.fdatasync(file.fileno())
            count += 1
        return count / (time.perf_counter() - start)


def row_disk(folder, quick):
    print(f"disk             {fsyncs(folder):8.0f} writes of 8 KB a second that reach it, one after the other")


def row_upgrades(folder, quick):
    print("upgrades         sessions   a second   median ms   99th ms   CPUs of shells   CPUs of server")
    runs = [("sqlite, own files", n) for n in (1, 8, 64)] + [("sqlite, one file", n) for n in (8,)]
    runs += [("postgresql", n) for n in (1, 8, 64)] if SERVER else []
    for what, count in runs:
        place = folder / f"{what}-{count}".replace(" ", "-")
        place.mkdir()
        if what == "postgresql":
            sql("postgres", f"CREATE DATABASE scale{count}")
        stores = {"postgresql": lambda n: url(f"scale{count}"), "sqlite, one file": lambda n: f"sqlite:{place}/account.db",
                  "sqlite, own files": lambda n: f"sqlite:{place}/{n}.db"}
        sessions = [Session(place, f"s{n}", stores[what](n), f"account{n}", max(200, 3000 // count))
                    for n in range(count)]
        found = upgrades(place, sessions, 3 if quick else 15)
        print(f"  {what:20} {count:5} {found['rate']:10.0f} {found['median']:11.1f} {found['late']:9.1f}"
              f" {found['shells']:16.2f} {found['server']:16.2f}")
        for session in sessions:
            session.end()


def row_watching(folder, quick):
    """One account, one session that upgrades, and others that watch it."""
    if not SERVER:
        return
    print("watching         sessions   a second   median ms")
    for count in (1, 2, 8, 64):
        place = folder / f"watching-{count}"
        place.mkdir()
        sql("postgres", f"CREATE DATABASE watching{count}")
        sessions = [Session(place, f"s{n}", url(f"watching{count}")) for n in range(count)]
        for session in sessions[1:]:
            session.send("plan.get")
            session.wait()
        found = upgrades(place, sessions[:1], 3 if quick else 10)
        print(f"  postgresql       {count:9} {found['rate']:10.0f} {found['median']:11.1f}")
        for session in sessions:
            session.process.kill()


def row_bytes(folder, quick):
    """Copies of an account that did one upgrade, which is in its journal."""
    count = 10_000 if quick else 100_000
    base = folder / "bytes.db"
    sessions = [Session(folder, "bytes-file", f"sqlite:{base}")]
    if SERVER:
        sql("postgres", "CREATE DATABASE bytes")
        sessions.append(Session(folder, "bytes-server", url("bytes")))
    for session in sessions:
        session.send("plan.upgrade")
        session.wait()
        session.end()
    account = "INSERT INTO account (account_id, plan, as_of, changed) SELECT 'account' || n, plan, as_of, changed FROM account, {}"
    columns = "sequence, key, action, digest, begun, session, outcome, ended, members"
    journal = f"INSERT INTO journal (account_id, {columns}) SELECT 'account' || n, {columns} FROM journal, {{}}"
    print(f"bytes            accounts   an account   a line of the journal   of both together")
    file = sqlite3.connect(base)
    file.execute("CREATE TEMP TABLE many (n)")
    file.executemany("INSERT INTO many VALUES (?)", ((n,) for n in range(count)))
    sizes = []
    for statement in (account, journal):
        before = os.path.getsize(base)
        file.execute(statement.format("many"))
        file.commit()
        file.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        sizes.append((os.path.getsize(base) - before) / count)
    print(f"  sqlite           {count:9} {sizes[0]:12.0f} {sizes[1]:23.0f} {sum(sizes):18.0f}")
    if not SERVER:
        return
    sizes = []
    for table, statement in (("account", account), ("journal", journal)):
        many = f"generate_series(1, {count}) AS many(n)"
        sql("bytes", f"SET search_path = rpcshell; {statement.format(many)}")
        sizes.append(int(sql("bytes", f"SELECT pg_total_relation_size('rpcshell.{table}')")) / count)
    sql("bytes", "VACUUM ANALYZE")
    print(f"  postgresql       {count:9} {sizes[0]:12.0f} {sizes[1]:23.0f} {sum(sizes):18.0f}")
    session = Session(folder, "bytes-many", url("bytes"), "account77")
    found = upgrades(folder, [session], 3)
    print(f"  postgresql, one session among so many accounts: {found['rate']:.0f} upgrades a second, {found['median']:.1f} ms")
    session.end()


def row_memory(folder, quick):
    print("memory           KB of the shell   KB of the helper   KB of the server's process")
    place = folder / "memory"
    place.mkdir()
    session = Session(place, "file", f"sqlite:{place}/account.db")
    session.send("plan.get")
    session.wait()
    print(f"  sqlite           {memory(session.process.pid):15} {'–':>18} {'–':>28}")
    session.end()
    if not SERVER:
        return
    sql("postgres", "CREATE DATABASE memory")
    sessions = [Session(place, f"s{n}", url("memory"), f"a{n}") for n in range(8)]
    for session in sessions:
        session.send("plan.upgrade")
        session.wait()
    backends = sql("postgres", "SELECT pid FROM pg_stat_activity WHERE datname = 'memory'").split()
    shells = statistics.median(memory(s.process.pid) for s in sessions)
    helpers = statistics.median(memory(children(s.process.pid)[0]) for s in sessions)
    servers = statistics.median(memory(pid) for pid in backends)
    print(f"  postgresql       {shells:15.0f} {helpers:18.0f} {servers:28.0f}")
    for session in sessions:
        session.end()


def main():
    rows = {name[4:]: row for name, row in globals().items() if name.startswith("row_")}
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", default=",".join(rows))
    parser.add_argument("--quick", action="store_true", help="does it run at all?")
    options = parser.parse_args()
    if not SERVER:
        print("no server (Tests/Servers/with-postgres starts one): files only", file=sys.stderr)
    folder = Path(tempfile.mkdtemp(prefix="rpcshell-scale-"))
    try:
        for name in options.only.split(","):
            rows[name](folder, options.quick)
    finally:
        shutil.rmtree(folder)


main()
