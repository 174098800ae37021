# SPDX-License-Identifier: Apache-2.0
"""Takes the orders of a stationery shop's branches."""

import os
import signal
import threading
import xmlrpc.client
from pathlib import Path

from rpc import Service


class Orders:
    def __init__(self):
        self._orders = []
        self._lock = threading.Lock()

    def place(self, branch, article, pieces):
        with self._lock:
            self._orders.append((branch, article, pieces))
            return len(self._orders)

    def of_branch(self, branch):
        with self._lock:
            return [order for order in self._orders if order[0] == branch]


class Branch:
    """A branch's till; it keeps its connection."""

    def __init__(self, name, url):
        self.name = name
        self.office = xmlrpc.client.ServerProxy(url, allow_none=True)

    def order(self, article, pieces):
        return self.office.place(self.name, article, pieces)


def main():
    closing = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: closing.set())
    with Service(Orders()) as service:
        branches = [Branch(name, service.url) for name in ("station", "market")]
        for branch in branches:
            print(branch.name, branch.order("blotting paper", 40), flush=True)
        Path("ready").write_text(f"{os.getpid()}\n")
        closing.wait()


if __name__ == "__main__":
    main()
