#!/usr/bin/env python3
"""billing.py CONFIGURATION [--charges FILE]: the backend of an app, between rpcshell's http adapter and a payment provider.

Writes a configuration for rpcshell that names it, prints a line when it listens, and ends when its stdin does. Each charge
is a line of FILE (charges.jsonl). The provider runs in the same process (provider.py); this side of it speaks to it over
HTTP as it would to the real one: another base URL and key are all that changes.
"""
import argparse
import http.server
import json
import os
import sys
import threading
import time
import urllib.parse
import urllib.request

sys.dont_write_bytecode = True
from provider import Provider

# Who calls, by the token that the app was given for its person.
CUSTOMERS = {"app-token-1": "cus_1", "app-token-2": "cus_2", "app-token-3": "cus_3"}
PLANS = {
    "price_studio": {
        "name": "Studio",
        "price": {"amount": "19.99", "currencyCode": "USD"},
        "period": "month",
        "status": {"renews": "2026-11-02"},
        "meters": [{"id": "storage", "label": "Storage", "used": 8.2, "limit": 100, "unit": "GB"}],
    }
}


class PaymentAPI:
    """The provider, over HTTP."""

    def __init__(self, base, key):
        self.base, self.key = base, key

    def send(self, path, form=None, key=None):
        headers = {"Authorization": f"Bearer {self.key}"}
        if key:
            headers["Idempotency-Key"] = key
        body = urllib.parse.urlencode(form).encode() if form is not None else None
        with urllib.request.urlopen(urllib.request.Request(self.base + path, body, headers), timeout=30) as answer:
            return json.load(answer)


class Backend:
    """What the three actions of the account page come to. Each gives a status and a result of the http adapter."""

    def __init__(self, api):
        self.api = api

    def upgrade(self, customer, call):
        form = {"mode": "subscription", "customer": customer, "line_items[0][price]": "price_studio"}
        # A key of ours for each thing that is made under the caller's, so that a repeated call makes nothing twice.
        session = self.api.send("/v1/checkout/sessions", form, key=call["idempotencyKey"] + ":checkout")
        event = self.wait_for(session["id"], call["timeout"])
        if event is None:
            return 200, {"outcome": "pending"}
        if event["type"] == "checkout.session.completed":
            return 200, {"outcome": "completed", "plan": PLANS["price_studio"]}
        if event["type"] == "checkout.session.expired":
            return 499, {"outcome": "cancelled"}
        return 402, {"message": "Your card was declined."}

    def wait_for(self, session, timeout):
        """Webhooks as polling: reads the provider's events until one is about the session."""
        end = time.monotonic() + timeout - 5
        last = ""
        while time.monotonic() < end:
            for event in self.api.send("/v1/events?after=" + last)["data"]:
                last = event["id"]
                if event["data"]["object"]["id"] == session:
                    return event
            time.sleep(0.02)
        return None

    def manage(self, customer, call):
        form = {"customer": customer, "return_url": "https://app.example/account"}
        session = self.api.send("/v1/billing_portal/sessions", form, key=call["idempotencyKey"] + ":portal")
        return 200, {"outcome": "presented", "url": session["url"]}

    def restore(self, customer, call):
        found = self.api.send("/v1/subscriptions?customer=" + customer)["data"]
        active = [one for one in found if one["status"] == "active"]
        if not active:
            return 200, {"restored": 0}
        return 200, {"restored": len(active), "plan": PLANS[active[-1]["items"]["data"][0]["price"]["id"]]}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def read(self):
        return self.rfile.read(int(self.headers.get("Content-Length", 0)))

    def answer(self, status, body, headers={}):
        text = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(text)

    def do_GET(self):
        self.answer(*self.server.provider.request("GET", self.path, None, self.headers))

    def do_POST(self):
        body = self.read()
        if self.path.startswith("/v1/"):
            form = dict(urllib.parse.parse_qsl(body.decode()))
            return self.answer(*self.server.provider.request("POST", self.path, form, self.headers))
        customer = CUSTOMERS.get(self.headers.get("Authorization", "").removeprefix("Bearer "))
        action = self.path.removeprefix("/account/")
        if customer is None:
            return self.answer(401, {"message": "Sign in again to change your plan."})
        if action not in ("upgrade", "manage", "restore"):
            return self.answer(404, {})
        self.answer(*getattr(self.server.backend, action)(customer, json.loads(body)))


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True


def configuration(base):
    headers = {"Authorization": {"env": "BILLING_TOKEN", "prefix": "Bearer "}}
    actions = {"onUpgrade": "upgrade", "onManage": "manage", "onRestore": "restore"}
    return {
        "handlers": {
            name: {"adapter": "http", "url": f"{base}/account/{path}", "headers": headers}
            for name, path in actions.items()
        }
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("configuration")
    parser.add_argument("--charges", default="charges.jsonl")
    options = parser.parse_args()
    server = Server(("127.0.0.1", 0), Handler)
    base = f"http://127.0.0.1:{server.server_address[1]}"
    server.provider = Provider(options.charges)
    server.backend = Backend(PaymentAPI(base, server.provider.key))
    open(options.charges, "a").close()
    with open(options.configuration, "w") as file:
        json.dump(configuration(base), file, indent=2)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(f"listening on {base}; rpcshell --config {options.configuration}", flush=True)
    sys.stdin.read()
    os._exit(0)


if __name__ == "__main__":
    main()
