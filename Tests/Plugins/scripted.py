"""A plugin that does what a test tells it to: by its options at the start, by its methods afterwards.

--silent               reads nothing and says nothing
--mute                 reads, and never answers
--no-initialize        knows no initialize
--refuse TEXT          answers initialize with an error
--headers              speaks in Content-Length frames once it has answered initialize
--stubborn             takes no notice of exit, the end of its input and SIGTERM
--deaf                 reads nothing behind initialize
--exit-after N         ends with status 3 at its N-th call; 0 is at once
--crash N FILE         ends with status 3 at its first call, the first N times that it is started
--log FILE             keeps every line that it gets
--describe JSON        answers rpc.discover with this
--handle JSON          what NAME.onUpgrade and the others answer: {"result":…}, {"error":…}, {"report":…}, {"die":true}
"""
import argparse
import json
import os
import signal
import sys
import time

options = argparse.ArgumentParser()
for flag in ["silent", "mute", "no-initialize", "headers", "stubborn", "deaf"]:
    options.add_argument("--" + flag, action="store_true")
options.add_argument("--refuse")
options.add_argument("--exit-after", type=int, default=-1)
options.add_argument("--crash", nargs=2)
options.add_argument("--log")
options.add_argument("--describe", type=json.loads)
options.add_argument("--handle", type=json.loads, default={})
options.add_argument("name", nargs="?", default="p")
options = options.parse_args()

uses_headers = False
environment = {}
calls = 0
input = sys.stdin.buffer


def write(text):
    os.write(1, text.encode())


def frame(text):
    data = text.encode()
    if uses_headers:
        data = b"Content-Length: %d\r\n\r\n" % len(data) + data
    else:
        data += b"\n"
    while data:
        data = data[os.write(1, data):]


def send(**message):
    frame(json.dumps({"jsonrpc": "2.0", **message}, separators=(",", ":")))


def messages():
    while line := input.readline():
        if line.lower().startswith(b"content-length:"):
            length = int(line.split(b":")[1])
            while input.readline().strip():
                pass
            line = input.read(length)
        if options.log:
            with open(options.log, "ab") as log:
                log.write(line.strip() + b"\n")
        yield line.decode(), json.loads(line)


def initialize(message):
    global environment, uses_headers
    environment = message["params"]
    if options.mute:
        return
    if options.no_initialize:
        send(id=message["id"], error={"code": -32601, "message": "unknown method"})
    elif options.refuse:
        send(id=message["id"], error={"code": 1, "message": options.refuse})
    else:
        uses_headers = options.headers
        send(id=message["id"], result={"serverInfo": {"name": "scripted", "version": "7.1"},
                                       "plugins": [{"name": "p", "methods": ["p.echo", "other.not"]}]})
    while options.deaf:
        signal.pause()


def handle(id, params, behaviour):
    if "report" in behaviour:
        send(method="$/progress", params={"token": params["workDoneToken"], "value": behaviour["report"]})
    if behaviour.get("die"):
        os._exit(3)
    if "result" in behaviour or "error" in behaviour:
        send(id=id, **{key: behaviour[key] for key in ["result", "error"] if key in behaviour})


def call(line, id, name, params):
    """What a test wants done; returns the result, or None where it was answered or never will be."""
    if name == "echo":
        return params
    if name == "line":  # the request as it came
        return line.strip()
    if name == "environment":
        return environment
    if name == "pid":
        return os.getpid()
    if name == "die":
        os._exit(params.get("status", 3))
    if name == "write":  # anything at all; ID is the request's
        text = params["text"].replace("ID", str(id))
        if "latin1" in params:
            os.write(1, text.encode("latin-1"))
        else:
            frame(text) if params.get("framed") else write(text)
        return True if params.get("answers") else None
    if name == "close":  # one of its streams, and goes on
        os.close(params["stream"])
        while True:
            signal.pause()
    if name == "error":
        os.write(2, params["text"].encode())
    if name == "notify":
        send(method=params["method"], params=params.get("params", {}))
    if name == "report":
        send(method="$/progress", params={"token": params["workDoneToken"],
                                          "value": {"kind": "report", "percentage": 40}})
    if name == "ask":
        send(id="mine", method=params["method"], params={})
        for _, answer in messages():
            return answer
    if name == "flood":
        text = "x" * params.get("size", 1)
        for number in range(params["count"]):
            send(method="p.tick", params={"number": number, "text": text})
    if name == "touch":
        open(params["path"], "w").close()
    if name in ["wait", "ignore"]:  # wait ends when it is cancelled
        return None
    if name not in ["error", "notify", "report", "flood", "touch"]:
        send(id=id, error={"code": -32601, "message": f"{name}? never heard of it"})
        return None
    return True


def starts(path):
    """How often this was started, this time included."""
    with open(path, "ab") as file:
        file.write(b".")
    return os.path.getsize(path)


is_crashing = bool(options.crash) and starts(options.crash[1]) <= int(options.crash[0])
if options.stubborn:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
if options.exit_after == 0:
    print("no licence", file=sys.stderr)
    sys.exit(3)
while options.silent:
    signal.pause()

waiting = {}
for line, message in messages():
    id, method, params = message.get("id"), message.get("method", ""), message.get("params") or {}
    if method == "initialize":
        initialize(message)
    elif method == "exit":
        if not options.stubborn:
            break
    elif method == "$/setEnvironment":
        environment.update(params)
    elif method == "$/cancelRequest":
        if waiting.pop(params["id"], None) == "p.wait":
            send(id=params["id"], error={"code": -32800, "message": "stopped"})
    elif method == "rpc.discover" and options.describe:
        send(id=id, result=options.describe)
    elif method == "shutdown":
        send(id=id, result=None)
    elif "." in method:
        calls += 1
        if is_crashing or calls == options.exit_after:
            sys.exit(3)
        name = method.split(".", 1)[1]
        waiting[id] = method
        if name.startswith("on"):
            handle(id, params, options.handle)
            continue
        result = call(line, id, name, params)
        if result is not None and id is not None:
            waiting.pop(id)
            send(id=id, result=result)
while options.stubborn:
    signal.pause()
