#!/usr/bin/env python3
"""A plugin for rpcshell without dependencies: notes in memory.

notes.add {text} and notes.list answer at once, and notes.changed tells that there is something new. notes.search {text}
takes its time: it reports progress and can be cancelled.
"""
import json
import sys
import threading
import time

notes = []
cancelled = set()
output = threading.Lock()

METHODS = {
    "notes.add": ("Adds a note.", [{"name": "text", "required": True, "schema": {"type": "string"}}]),
    "notes.list": ("All notes, the oldest first.", []),
    "notes.search": ("Looks through the notes, slowly.",
                     [{"name": "text", "required": True, "schema": {"type": "string"}}]),
}


class Failure(Exception):
    def __init__(self, code, message):
        super().__init__(message)
        self.code, self.message = code, message


def send(**message):
    with output:  # a line must not be torn by another thread's
        print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def text_of(params):
    if not isinstance(params.get("text"), str):
        raise Failure(-32602, "text: expected a string")
    return params["text"]


def add(_, params):
    notes.append(text_of(params))
    send(method="notes.changed", params={"count": len(notes)})
    return {"count": len(notes)}


def search(id, params):
    found, token = [], params.get("workDoneToken")
    for index, note in enumerate(notes):
        if id in cancelled:
            raise Failure(-32800, "Request cancelled")
        if token is not None:
            percentage = 100 * index // len(notes)
            send(method="$/progress", params={"token": token, "value": {"kind": "report", "percentage": percentage}})
        if text_of(params).lower() in note.lower():
            found.append(note)
        time.sleep(0.1)
    return {"notes": found}


def discover(_, params):
    return {"methods": [{"name": name, "summary": summary, "params": parameters}
                        for name, (summary, parameters) in METHODS.items()]}


HANDLERS = {
    "initialize": lambda *_: {"serverInfo": {"name": "notes", "version": "1.0.0"},
                              "plugins": [{"name": "notes", "methods": list(METHODS)}]},
    "rpc.discover": discover,
    "shutdown": lambda *_: None,
    "notes.add": add,
    "notes.list": lambda *_: {"notes": notes},
    "notes.search": search,
}


def answer(id, method, params):
    try:
        if method not in HANDLERS:
            raise Failure(-32601, f"unknown method '{method}'")
        result = {"result": HANDLERS[method](id, params or {})}
    except Failure as failure:
        result = {"error": {"code": failure.code, "message": failure.message}}
    if id is not None:
        send(id=id, **result)


for line in sys.stdin:
    message = json.loads(line)
    id, method, params = message.get("id"), message["method"], message.get("params")
    if method == "exit":
        break
    if method == "$/cancelRequest":
        cancelled.add(params["id"])
    elif method == "notes.search":  # the only one that is not over at once
        threading.Thread(target=answer, args=(id, method, params), daemon=True).start()
    else:
        answer(id, method, params)
