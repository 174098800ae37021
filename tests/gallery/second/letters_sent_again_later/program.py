# SPDX-License-Identifier: Apache-2.0
"""A mail relay: letters that were refused for now are sent again after a quarter of an hour."""

import heapq
import itertools
import os
import socket
import threading
import time


class Outbox:
    def __init__(self):
        self.due, self.count = [], itertools.count()
        self.changed = threading.Condition()

    def put(self, letter, delay):
        with self.changed:
            heapq.heappush(self.due, (time.monotonic() + delay, next(self.count), letter))
            self.changed.notify()

    def take(self):
        with self.changed:
            while True:
                wait = self.due[0][0] - time.monotonic() if self.due else None
                if wait is not None and wait <= 0:
                    return heapq.heappop(self.due)[2]
                self.changed.wait(wait)

    def deliver(self):
        while True:
            letter = self.take()
            letter["tries"] += 1
            if letter["to"].endswith(".example"):
                self.put(letter, 900 * letter["tries"])


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    outbox = Outbox()
    threading.Thread(target=outbox.deliver, name="deliverer", daemon=True).start()
    listener = socket.create_server(("127.0.0.1", 0))
    for name in ("ada@one.example", "bob@two.example", "eve@three.test"):
        outbox.put({"to": name, "tries": 0}, 0)
    threading.Timer(0.5, tell).start()
    while True:
        client, _ = listener.accept()
        outbox.put({"to": client.makefile().readline().strip(), "tries": 0}, 0)
        client.close()


main()
