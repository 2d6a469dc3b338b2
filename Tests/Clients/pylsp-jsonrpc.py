#!/usr/bin/python3
"""pylsp-jsonrpc, on which the Python language server stands, drives `rpcshell` (docs/EMBEDDING.md)."""
from checks import NON_ASCII, STUDIO, Seen, check, finish

# >>> show
page = {}  # the sections, each as it last came

def show():
    """Draws the page; here it prints a line for each thing on it."""
    print(page["summary"]["name"], page["summary"]["priceLine"] or "", page["summary"]["dateLine"] or "")
    for meter in page["usage"]["meters"]:
        print(" ", meter["label"], meter["figure"])
    if upgrade := page["upgrade"]:
        print(f"  [{upgrade['title']}]", upgrade["message"] or upgrade["phase"])

def changed(event):
    page.update(event["state"])
    show()
# <<< show


# >>> answer
def upgrade_asked(call):
    """Has it done on another thread, since this one reads; what that returns is the answer."""
    return lambda: buy(call["plan"])

def buy(plan):
    """Here your billing takes over."""
    price = {"amount": "19.99", "currencyCode": "USD"}
    return {"plan": {**plan, "name": "Studio", "price": price, "upgrade": None}}
# <<< answer


# >>> connect
import os, subprocess, threading, uuid
from pylsp_jsonrpc.endpoint import Endpoint
from pylsp_jsonrpc.exceptions import JsonRpcException
from pylsp_jsonrpc.streams import JsonRpcStreamReader, JsonRpcStreamWriter

shell = subprocess.Popen(["rpcshell"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
handlers = {"plan.state": changed, "host.onUpgrade": upgrade_asked}
ids = []  # of our requests, the newest last
endpoint = Endpoint(
    handlers, JsonRpcStreamWriter(shell.stdin, ensure_ascii=False).write,
    id_generator=lambda: ids.append(str(uuid.uuid4())) or ids[-1])
threading.Thread(target=JsonRpcStreamReader(shell.stdout).listen, args=[endpoint.consume], daemon=True).start()

def start():
    endpoint.request("initialize", {"processId": os.getpid(), "handlers": ["onUpgrade"]}).result(5)
    page.update(endpoint.request("plan.get").result(5)["state"])
    show()

def upgrade():
    """A future: it has the outcome, or raises JsonRpcException with code and message."""
    return endpoint.request("plan.upgrade", {"workDoneToken": "upgrade"})

def cancel(request_id):
    endpoint.notify("$/cancelRequest", {"id": request_id})

def stop():
    endpoint.request("shutdown").result(5)
    endpoint.notify("exit")
    return shell.wait(5)
# <<< connect

states, progress, cancelled, asked = Seen(), Seen(), Seen(), Seen()
released = threading.Event()
answers = []


def recorded(event):
    changed(event)
    states.add(event)


bought = buy


def buy(plan):
    asked.add(plan["name"])
    return answers.pop(0)(plan)


def report_and_buy(plan):
    endpoint.notify("$/progress", {"token": "upgrade", "value": {"kind": "report", "percentage": 40}})
    states.until(lambda event: (event["state"].get("upgrade") or {}).get("progress") == 0.4)
    return bought(plan)


def answer_late(plan):
    released.wait(10)
    return {"plan": STUDIO}


def error_of(future):
    try:
        return "no error", future.result(5)
    except JsonRpcException as error:
        return error.code, error.message


def phases():
    return [event["state"]["upgrade"]["phase"] for event in states.entries if event["state"].get("upgrade")]


handlers["plan.state"] = recorded
handlers["$/progress"] = progress.add
# The endpoint takes $/cancelRequest for itself, so the test looks at what goes in.
consume = endpoint._handle_cancel_notification
endpoint._handle_cancel_notification = lambda request_id: (cancelled.add(request_id), consume(request_id))

start()
check("initialize, plan.get", (page["summary"]["name"], page["summary"]["dateLine"]) == ("Plus", "Renews Nov 2"), page)

answers.append(report_and_buy)
outcome = upgrade().result(5)
check("the client does the upgrade", outcome["outcome"] == "completed" and asked.entries == ["Plus"], (outcome, asked.entries))
check("working, then done", phases() == ["working", "working", "done"], phases())
check("the new plan is shown", page["summary"]["name"] == "Studio" and len(page["usage"]["meters"]) == 2, page["summary"])
done = states.entries[-1]
check("what to feel and to say",
      done["feedback"] == "success" and done["announcement"]["text"] == "Upgrade complete", done)
kinds = [entry["value"]["kind"] for entry in progress.entries if entry["token"] == "upgrade"]
check("$/progress", kinds[0] == "begin" and "report" in kinds and kinds[-1] == "end", kinds)
check("the button folds away", states.until(lambda event: event["state"].get("upgrade", 0) is None), states.entries[-1])

code, message = error_of(endpoint.request("plan.upgarde"))
check("an unknown method", code == -32601 and "did you mean 'plan.upgrade'?" in message, (code, message))

endpoint.request("plan.set", {"plan": NON_ASCII}).result(5)
name = endpoint.request("plan.get").result(5)["state"]["plan"]["name"]
check("a name outside ASCII, there and back", name == NON_ASCII["name"] == page["summary"]["name"], name)
pong = endpoint.request("shell.ping", NON_ASCII).result(5)
check("shell.ping", pong == NON_ASCII, pong)

answers.append(lambda plan: {"outcome": "cancelled"})
outcome = upgrade().result(5)
check("the person backs out", outcome["outcome"] == "cancelled" and phases()[-1] == "idle", (outcome, phases()))

answers.append(answer_late)
waiting = upgrade()
check("an upgrade waits for the client", asked.until(lambda _: len(asked.entries) == 3), asked.entries)
cancel(ids[-1])
check("the cancel is passed on", cancelled.until(lambda request_id: request_id == 1000003), cancelled.entries)
code, message = error_of(waiting)
check("and answered", code == -32800 and phases()[-1] == "idle", (code, message, phases()))
released.set()
endpoint.shutdown()  # waits until its threads have answered
check("an answer that comes late does no harm", endpoint.request("shell.ping").result(5) == {})

status = stop()
check("shutdown, exit", status == 0, status)
finish()
