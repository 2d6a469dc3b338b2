#!/usr/bin/python3
"""jsonrpc-glib, the C library, drives `rpcshell` through GObject introspection (docs/EMBEDDING.md)."""
from checks import NON_ASCII, STUDIO, check, finish

# >>> connect
import os
import gi
gi.require_version("Jsonrpc", "1.0")
from gi.repository import Gio, GLib, Jsonrpc

process = Gio.Subprocess.new(["rpcshell"], Gio.SubprocessFlags.STDIN_PIPE | Gio.SubprocessFlags.STDOUT_PIPE)
client = Jsonrpc.Client.new(Gio.SimpleIOStream.new(process.get_stdout_pipe(), process.get_stdin_pipe()))

def variant(value):
    """As jsonrpc-glib takes it: a{sv}, av, an empty maybe for null."""
    if isinstance(value, dict):
        return GLib.Variant("a{sv}", {name: variant(member) for name, member in value.items()})
    if isinstance(value, list):
        return GLib.Variant("av", [variant(entry) for entry in value])
    return GLib.Variant({bool: "b", int: "x", float: "d", str: "s", type(None): "mv"}[type(value)], value)

def request(method, params, done):
    """Calls done(result, None) or done(None, error); returns the id, for cancel()."""
    def finished(client, task):
        try:
            _, result = client.call_finish(task)
        except GLib.Error as error:  # the shell's is an error object, written as GLib writes variants
            said = error.message if error.message.startswith("{") else "{'message': <'no answer'>}"
            return done(None, GLib.Variant.parse(None, said, None, None).unpack())
        done(result.unpack(), None)
    return client.call_with_id_async(method, variant(params), None, finished)

def notify(method, params=None):
    client.send_notification(method, params and variant(params), None)

def start():
    client.start_listening()
    request("initialize", {"processId": os.getpid(), "handlers": ["onUpgrade"]}, lambda result, error: None)
    request("plan.get", None, lambda result, error: (page.update(result["state"]), show()))

def upgrade(done):
    return request("plan.upgrade", {"workDoneToken": "upgrade"}, done)

def cancel(request_id):
    notify("$/cancelRequest", {"id": request_id.unpack()})

def stop():
    request("shutdown", None, lambda result, error: notify("exit"))
# <<< connect


# >>> show
page = {}  # the sections, each as it last came

def show():
    """Draws the page; here it prints a line for each thing on it."""
    print(page["summary"]["name"], page["summary"]["priceLine"] or "", page["summary"]["dateLine"] or "")
    for meter in page["usage"]["meters"]:
        print(" ", meter["label"], meter["figure"])
    if upgrade := page["upgrade"]:
        print(f"  [{upgrade['title']}]", upgrade["message"] or upgrade["phase"])

def notified(client, method, params):
    if method == "plan.state":
        page.update(params.unpack()["state"])
        show()

client.connect("notification", notified)
# <<< show


# >>> answer
def asked(client, method, request_id, params):
    """Whoever returns True here answers, now or later."""
    if method == "host.onUpgrade":
        GLib.idle_add(buy, request_id, params.unpack()["plan"])
    return method == "host.onUpgrade"

def buy(request_id, plan):
    """Here your billing takes over; until it is done, the main loop goes on."""
    price = {"amount": "19.99", "currencyCode": "USD"}
    answer(request_id, {"plan": {**plan, "name": "Studio", "price": price, "upgrade": None}})

def answer(request_id, result):
    client.reply_async(request_id, variant(result), None, None)

client.connect("handle-call", asked)
# <<< answer

events, progress, cancelled, questions = [], [], [], []
answers = []


def look(client, method, params):
    if method == "plan.state":
        events.append(params.unpack())
    elif method == "$/progress":
        progress.append(params.unpack())
    elif method == "$/cancelRequest":
        cancelled.append(params.unpack()["id"])


client.connect("notification", look)


bought = buy


def buy(request_id, plan):
    questions.append((request_id, plan["name"]))
    answers.pop(0)(request_id, plan)


def report_and_buy(request_id, plan):
    report = {"token": "upgrade", "value": {"kind": "report", "percentage": 40}}
    notify("$/progress", report)
    until(lambda: page["upgrade"]["progress"] == 0.4)
    bought(request_id, plan)


def until(condition, seconds=5):
    """Whether it becomes true in time."""
    expired = []
    timer = GLib.timeout_add_seconds(seconds, lambda: expired.append(True))
    while not condition() and not expired:
        GLib.MainContext.default().iteration(True)
    GLib.source_remove(timer)
    return condition()


def ask(method, params=None):
    replies = []
    request(method, params, lambda *reply: replies.append(reply))
    until(lambda: replies)
    return replies[0] if replies else (None, "no reply")


def phases():
    return [event["state"]["upgrade"]["phase"] for event in events if event["state"].get("upgrade")]


start()
check("initialize, plan.get", until(lambda: page) and page["summary"]["dateLine"] == "Renews Nov 2", page)

answers.append(report_and_buy)
outcome, error = ask("plan.upgrade", {"workDoneToken": "upgrade"})
check("the client does the upgrade", not error and outcome["outcome"] == "completed" and questions[0][1] == "Plus",
      (outcome, error, questions))
check("working, then done", phases() == ["working", "working", "done"], phases())
check("the new plan is shown", page["summary"]["name"] == "Studio" and len(page["usage"]["meters"]) == 2, page["summary"])
done = [event for event in events if "feedback" in event]
check("what to feel and to say", done and done[0]["feedback"] == "success"
      and done[0]["announcement"]["text"] == "Upgrade complete", done)
kinds = [entry["value"]["kind"] for entry in progress if entry["token"] == "upgrade"]
check("$/progress", kinds == ["begin", "report", "end"], progress)
check("the button folds away", until(lambda: page["upgrade"] is None), page["upgrade"])

_, error = ask("plan.upgarde")
check("an unknown method", error["code"] == -32601 and "did you mean 'plan.upgrade'?" in error["message"], error)

ask("plan.set", {"plan": NON_ASCII})
state, error = ask("plan.get")
check("a name outside ASCII, there and back", state and state["state"]["plan"]["name"] == NON_ASCII["name"], (state, error))
pong, error = ask("shell.ping", NON_ASCII)
check("shell.ping", pong == NON_ASCII, (pong, error))

answers.append(lambda request_id, plan: answer(request_id, {"outcome": "cancelled"}))
outcome, error = ask("plan.upgrade")
check("the person backs out", outcome and outcome["outcome"] == "cancelled", (outcome, error))

answers.append(lambda request_id, plan: None)
refusals = []
late = upgrade(lambda _, error: refusals.append(error))
check("an upgrade waits for the client", until(lambda: len(questions) == 3), questions)
cancel(late)
check("the cancel is passed on", until(lambda: cancelled == [questions[2][0].unpack()] == [1000003]), cancelled)
check("and answered", until(lambda: refusals) and refusals[0]["code"] == -32800, refusals)
check("the button rests", page["upgrade"]["phase"] == "idle", page["upgrade"])
answer(questions[2][0], {"plan": STUDIO})
check("an answer that comes late does no harm", ask("shell.ping") == ({}, None))

stop()
ended = []
process.wait_async(None, lambda process, task: ended.append(process.wait_finish(task)))
check("shutdown, exit", until(lambda: ended) and process.get_exit_status() == 0, process.get_exit_status())
finish()
