# SPDX-License-Identifier: Apache-2.0
"""A host that runs each plugin in an interpreter of its own, as mod_wsgi does, and feeds it."""

import json
import os

try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters

PLUGIN = """
import os
import threading

prices = {}
first_price = threading.Event()

def follow_prices(descriptor):
    for line in os.fdopen(descriptor):
        name, price = line.split()
        prices[name] = float(price)
        first_price.set()

def open_market():
    threading.Thread(target=follow_prices, args=(%d,), name="price-feed").start()
    first_price.wait()
    return max(prices.values())

open_market()
"""


def create_interpreter():
    """Return a new interpreter that may have threads."""
    try:
        return interpreters.create(isolated=False)
    except TypeError:
        return interpreters.create()


class PluginHost:
    def __init__(self):
        self.plugins = {}

    def load(self, name, source):
        self.plugins[name] = create_interpreter()
        interpreters.run_string(self.plugins[name], source)


def main():
    feed, exchange = os.pipe()
    host = PluginHost()
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid()}) + "\n")
    host.load("quotes", PLUGIN % feed)
    os.write(exchange, b"ACME 12.5\n")
    os.close(exchange)


main()
