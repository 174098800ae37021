"""Quotes of a small broker, kept for a minute; one fetch at a time for all callers."""

import threading
import time

_fetching = threading.RLock()
_kept = {}
asked = threading.Event()
answer = threading.Event()


def _ask_exchange(symbol):
    """Ask the exchange; a slow line."""
    if symbol == "SLOW":
        asked.set()
        answer.wait()
    return 100.0 + sum(map(ord, symbol)) % 37


def quote(symbol):
    with _fetching:
        found = _kept.get(symbol)
        if found is None or time.monotonic() - found[1] > 60:
            found = _kept[symbol] = _ask_exchange(symbol), time.monotonic()
        return found[0]


def refresh_forever(symbols, pause=5.0):
    while True:
        for symbol in symbols:
            quote(symbol)
        time.sleep(pause)
