"""A session of the release binary, as a client that has one request in flight sees it."""
import json
import os
import subprocess
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RPCSHELL = os.path.abspath(os.environ.get("RPCSHELL_BINARY", ROOT / ".build/release/rpcshell"))


class Session:
    """Ends with the block of `with`, or at its start where it was not started."""

    def __init__(self, folder, configuration, event):
        """What it keeps is in the folder; `event` is the notification whose causes and bytes count."""
        (folder / "config.json").write_text(json.dumps(configuration))
        self.state, self.event = folder, b'"method":"%s"' % event.encode()
        self.id, self.events = 0, []

    def __enter__(self):
        return self

    def start(self):
        environment = {**os.environ, "XDG_STATE_HOME": str(self.state / "state")}
        self.process = subprocess.Popen([RPCSHELL, "--config", self.state / "config.json"], stdin=subprocess.PIPE,
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
            if self.take(line):
                size += len(line)
            elif line.startswith(b'{"jsonrpc":"2.0","id":%d,' % self.id):
                return line, time.perf_counter() - start, size

    def take(self, line):
        """Notes an event; returns whether it is one."""
        if self.event not in line[:60]:
            return False
        self.events.append((time.perf_counter(), json.loads(line)["params"]["cause"]))
        return True

    def wait(self, cause):
        """The moment of the next event of this cause."""
        while True:
            line = self.process.stdout.readline()
            if self.take(line) and self.events[-1][1] == cause:
                return self.events[-1][0]

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.stdout.read()
        self.process.wait()


def cpu_ticks(process):
    """User and system time of a process, in hundredths of a second."""
    fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return int(fields[11]) + int(fields[12])
