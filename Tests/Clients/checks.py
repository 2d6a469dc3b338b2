"""What the Python clients share: checks that print a line each, a time limit, and the plans that they hand over."""
import os
import threading

LIMIT = 30  # seconds, for the whole script

STUDIO = {
    "name": "Studio",
    "price": {"amount": "19.99", "currencyCode": "USD"},
    "period": "month",
    "status": {"renews": "2026-11-02"},
}
NON_ASCII = {
    "name": "Größe-🚀",
    "price": {"display": "9,99 €"},
    "status": {"noRenewal": True},
    "upgrade": {"title": "Auf Größe XL"},
}

_passed = _failed = 0


def check(name, passed, got=None):
    global _passed, _failed
    if passed:
        _passed += 1
        print(f"ok   {name}", flush=True)
    else:
        _failed += 1
        print(f"FAIL {name}: got {got!r}", flush=True)


def finish():
    """Ends the process: some clients leave threads behind."""
    print(f"{_passed} passed, {_failed} failed", flush=True)
    os._exit(1 if _failed or not _passed else 0)


def _expire():
    check(f"ends within {LIMIT} s", False)
    finish()


_limit = threading.Timer(LIMIT, _expire)
_limit.daemon = True
_limit.start()


class Seen:
    """What has arrived so far; until() waits for more of it."""

    def __init__(self):
        self.entries = []
        self._changed = threading.Condition()

    def add(self, entry):
        with self._changed:
            self.entries.append(entry)
            self._changed.notify_all()

    def until(self, predicate, seconds=5):
        """Whether an entry that the predicate takes arrives in time."""
        with self._changed:
            return self._changed.wait_for(lambda: any(predicate(entry) for entry in self.entries), seconds)
