"""A payment provider in the shape of Stripe's API, for the example: checkout and portal sessions, subscriptions, events.

Bodies are form-encoded and answers are JSON, as there; an Idempotency-Key makes a repeated POST answer what the first one
did. What it does not have is the page on which a person pays: a customer's card on file decides a moment later.
"""
import json
import threading
import urllib.parse

PRICES = {"price_studio": {"amount": 1999, "currency": "usd", "product": "Studio"}}
CARDS = {"cus_1": "paid", "cus_2": "declined", "cus_3": "left"}  # cus_3 leaves the page without paying
EVENTS = {
    "paid": "checkout.session.completed",
    "declined": "checkout.session.async_payment_failed",
    "left": "checkout.session.expired",
}


class Refused(Exception):
    def __init__(self, status, kind, message):
        super().__init__(message)
        self.status, self.body = status, {"error": {"type": kind, "message": message}}


class Provider:
    def __init__(self, ledger, key="sk_test_example"):
        self.ledger, self.key = ledger, key
        self.lock = threading.RLock()
        self.answers = {}  # by idempotency key: the request and its answer
        self.sessions, self.subscriptions, self.events = {}, {}, []

    def request(self, method, path, form, headers):
        """Answers (status, body, headers)."""
        url = urllib.parse.urlsplit(path)
        with self.lock:
            try:
                if headers.get("Authorization") != f"Bearer {self.key}":
                    raise Refused(401, "invalid_request_error", "Invalid API Key provided.")
                if method == "GET":
                    return 200, self.get(url.path, dict(urllib.parse.parse_qsl(url.query))), {}
                return self.once(headers.get("Idempotency-Key"), url.path, form)
            except Refused as refusal:
                return refusal.status, refusal.body, {}

    def once(self, key, path, form):
        """A key's first POST is done and remembered; the same again is answered from memory, another one refused."""
        if key in self.answers:
            request, answer = self.answers[key]
            if request != (path, form):
                raise Refused(400, "idempotency_error", "This key was used with other parameters.")
            return 200, answer, {"Idempotent-Replayed": "true"}
        answer = self.post(path, form)
        if key:
            self.answers[key] = ((path, form), answer)
        return 200, answer, {}

    def post(self, path, form):
        if path == "/v1/checkout/sessions":
            return self.create_checkout(form["customer"], form["line_items[0][price]"])
        if path == "/v1/billing_portal/sessions":
            return {"id": "bps_1", "object": "billing_portal.session", "url": "https://pay.example/p/session/bps_1"}
        raise Refused(404, "invalid_request_error", f"Unrecognized request URL (POST: {path}).")

    def get(self, path, query):
        if path == "/v1/subscriptions":
            found = [one for one in self.subscriptions.values() if one["customer"] == query.get("customer")]
            return {"object": "list", "data": found, "has_more": False}
        if path == "/v1/events":
            # Oldest first, behind the one that was seen last.
            names = [event["id"] for event in self.events]
            start = names.index(query["after"]) + 1 if query.get("after") in names else 0
            return {"object": "list", "data": self.events[start:], "has_more": False}
        raise Refused(404, "invalid_request_error", f"Unrecognized request URL (GET: {path}).")

    def create_checkout(self, customer, price):
        if price not in PRICES:
            raise Refused(400, "invalid_request_error", f"No such price: '{price}'")
        name = f"cs_{len(self.sessions) + 1}"
        session = {"id": name, "object": "checkout.session", "customer": customer, "status": "open", "subscription": None}
        self.sessions[name] = session
        threading.Timer(0.05, self.settle, [name, price]).start()
        return dict(session)

    def settle(self, name, price):
        """What the person and the bank do: an event says how it went, and a charge is written down."""
        with self.lock:
            session = self.sessions[name]
            end = CARDS[session["customer"]]
            session["status"] = "expired" if end == "left" else "complete"
            if end == "paid":
                number = f"sub_{len(self.subscriptions) + 1}"
                session["subscription"] = number
                self.subscriptions[number] = {
                    "id": number, "object": "subscription", "customer": session["customer"], "status": "active",
                    "items": {"data": [{"price": {"id": price}}]},
                }
                with open(self.ledger, "a") as ledger:
                    charge = {"session": name, "customer": session["customer"], "amount": PRICES[price]["amount"]}
                    ledger.write(json.dumps(charge) + "\n")
            event = {"id": f"evt_{len(self.events) + 1}", "object": "event", "type": EVENTS[end]}
            self.events.append(event | {"data": {"object": dict(session)}})
