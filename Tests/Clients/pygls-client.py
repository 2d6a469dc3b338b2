#!/usr/bin/env python3
"""pygls drives `rpcshell` (docs/EMBEDDING.md)."""
from lsprotocol import types
from pygls.lsp.client import BaseLanguageClient

from checks import NON_ASCII, STUDIO, check, finish

# >>> connect
import asyncio, os
from pygls.client import JsonRPCClient
from pygls.exceptions import JsonRpcException

client = JsonRPCClient()

def request(method, params=None, request_id=None):
    """To be awaited: the result as named tuples, or JsonRpcException with code and message."""
    return client.protocol.send_request_async(method, params, msg_id=request_id)

async def start():
    await client.start_io("rpcshell")
    await request("initialize", {"processId": os.getpid(), "handlers": ["onUpgrade"]})
    page.update((await request("plan.get")).state._asdict())
    show()

def upgrade(request_id):
    return request("plan.upgrade", {"workDoneToken": "upgrade"}, request_id)

def cancel(request_id):
    client.protocol.notify("$/cancelRequest", {"id": request_id})

async def stop():
    await request("shutdown")
    client.protocol.notify("exit")
    return await client._server.wait()
# <<< connect


# >>> show
page = {}  # the sections, each as it last came

def show():
    """Draws the page; here it prints a line for each thing on it."""
    print(page["summary"].name, page["summary"].priceLine or "", page["summary"].dateLine or "")
    for meter in page["usage"].meters:
        print(" ", meter.label, meter.figure)
    if upgrade := page["upgrade"]:
        print(f"  [{upgrade.title}]", upgrade.message or upgrade.phase)

@client.feature("plan.state")
def changed(event):
    page.update(event.state._asdict())
    show()
# <<< show


# >>> answer
@client.feature("host.onUpgrade")
async def upgrade_asked(call):
    """What this returns is the answer. When the shell cancels, pygls cancels this and answers."""
    return await buy(call.plan)

async def buy(plan):
    """Here your billing takes over."""
    price = {"amount": "19.99", "currencyCode": "USD"}
    meters = [meter._asdict() for meter in plan.meters]
    return {"plan": {"name": "Studio", "price": price, "period": "month", "status": plan.status._asdict(), "meters": meters}}
# <<< answer

events, progress, questions, cancelled = [], [], [], []
answers = []
moved = asyncio.Condition()


def remember(kept):
    """Takes events in the order in which they come, and wakes until()."""
    async def remembered(event):
        kept.append(event)
        async with moved:
            moved.notify_all()
    return remembered


client.feature("$/progress")(remember(progress))
show_changed = changed
remember_event = remember(events)


async def changed_too(event):
    show_changed(event)
    await remember_event(event)


client.protocol.fm.features["plan.state"] = changed_too
bought = buy


async def buy(plan):
    questions.append((client.protocol.msg_id, plan.name))
    async with moved:
        moved.notify_all()
    return await answers.pop(0)(plan)


async def report_and_buy(plan):
    client.protocol.notify("$/progress", {"token": "upgrade", "value": {"kind": "report", "percentage": 40}})
    await until(lambda: page["upgrade"].progress == 0.4)
    return await bought(plan)


async def back_out(plan):
    return {"outcome": "cancelled"}


async def ask_for_long(plan):
    try:
        await asyncio.Event().wait()
    except asyncio.CancelledError:
        cancelled.append(client.protocol.msg_id)
        raise


async def answer_late(plan):
    """The person goes on for longer than the shell waits for the host."""
    try:
        await asyncio.Event().wait()
    except asyncio.CancelledError:
        cancelled.append(client.protocol.msg_id)
        await until(lambda: page["upgrade"].phase == "idle")
    return {"plan": STUDIO}


async def until(condition, seconds=5):
    """Whether it becomes true in time."""
    try:
        async with moved:
            await asyncio.wait_for(moved.wait_for(condition), seconds)
    except asyncio.TimeoutError:
        pass
    return condition()


async def ask(method, params=None):
    return await asyncio.wait_for(request(method, params), 5)


async def error_of(reply):
    try:
        return "no error", await asyncio.wait_for(reply, 5)
    except JsonRpcException as error:
        return error.code, error.message


def phases():
    return [event.state.upgrade.phase for event in events if getattr(event.state, "upgrade", None)]


async def main():
    await start()
    check("initialize, plan.get", page["summary"].dateLine == "Renews Nov 2", page)

    answers.append(report_and_buy)
    outcome = await asyncio.wait_for(upgrade("first"), 5)
    check("the client does the upgrade", outcome.outcome == "completed" and questions == [(1000001, "Plus")],
          (outcome, questions))
    check("working, then done", phases() == ["working", "working", "done"], phases())
    check("the new plan is shown", page["summary"].name == "Studio" and len(page["usage"].meters) == 2, page["summary"])
    done = [event for event in events if hasattr(event, "feedback")]
    check("what to feel and to say", done and done[0].feedback == "success"
          and done[0].announcement.text == "Upgrade complete", done)
    kinds = [entry.value.kind for entry in progress if entry.token == "upgrade"]
    check("$/progress", kinds == ["begin", "report", "end"], progress)
    check("the button folds away", await until(lambda: page["upgrade"] is None), page["upgrade"])

    code, message = await error_of(request("plan.upgarde"))
    check("an unknown method", code == -32601 and "did you mean 'plan.upgrade'?" in message, (code, message))

    await ask("plan.set", {"plan": NON_ASCII})
    name = (await ask("plan.get")).state.plan.name
    check("a name outside ASCII, there and back", name == NON_ASCII["name"], name)
    pong = await ask("shell.ping", NON_ASCII)
    check("shell.ping", pong.name == NON_ASCII["name"] and pong.price.display == NON_ASCII["price"]["display"], pong)

    answers.append(back_out)
    outcome = await ask("plan.upgrade")
    check("the person backs out", outcome.outcome == "cancelled", outcome)

    for title, answer in ("", ask_for_long), (", answered late", answer_late):
        answers.append(answer)
        asked = len(questions)
        waiting = upgrade("late" + title)
        waits = await until(lambda: phases()[-1] == "working" and asked < len(questions))
        check("an upgrade waits for the client" + title, waits, phases())
        cancel("late" + title)
        code, message = await error_of(waiting)
        check("the cancel is passed on" + title, cancelled[-1:] == [questions[-1][0]], cancelled)
        check("and answered" + title, code == -32800, (code, message))
        check("the button rests" + title, page["upgrade"].phase == "idle", page["upgrade"])
    check("an answer that comes late does no harm", await ask("shell.ping") == ())

    status = await asyncio.wait_for(stop(), 5)
    check("shutdown, exit", status == 0, status)
    await client.stop()
    await language_client()
    finish()


async def language_client():
    """The client of language servers sends an initialize of its own, and knows no other members."""
    client = BaseLanguageClient("account", "1")
    await client.start_io("rpcshell")
    params = types.InitializeParams(
        capabilities=types.ClientCapabilities(), process_id=os.getpid(), root_uri="file:///tmp",
        client_info=types.ClientInfo(name="pygls"), trace=types.TraceValue.Messages, work_done_token="begin")
    result = await asyncio.wait_for(client.initialize_async(params), 5)
    check("pygls' initialize", result.server_info.name == "rpcshell", result)
    client.initialized(types.InitializedParams())
    await asyncio.wait_for(client.shutdown_async(None), 5)
    client.exit(None)
    status = await asyncio.wait_for(client._server.wait(), 5)
    check("pygls' shutdown and exit", status == 0, status)


asyncio.run(main())
