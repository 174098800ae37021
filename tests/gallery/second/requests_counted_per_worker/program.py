# SPDX-License-Identifier: Apache-2.0
"""Web service with forked workers; a registry counts requests, a thread pushes the counts."""

import multiprocessing
import os
import threading
import time


class Registry:
    def __init__(self):
        self.mutex = threading.Lock()
        self.counts = {}
        self.pushing = threading.Event()

    def increment(self, name):
        with self.mutex:
            self.counts[name] = self.counts.get(name, 0) + 1

    def push(self):
        with self.mutex:
            self.pushing.set()
            time.sleep(3)
            return dict(self.counts)


registry = Registry()


def push_counts():
    while True:
        registry.push()
        time.sleep(30)


def serve_requests(paths):
    with open("ready.new", "w") as file:
        file.write("%d\n" % os.getpid())
    os.rename("ready.new", "ready")
    for path in paths:
        registry.increment(path)


def main():
    threading.Thread(target=push_counts, name="push", daemon=True).start()
    registry.pushing.wait()
    worker = multiprocessing.get_context("fork").Process(
        target=serve_requests, args=(["/", "/cart", "/"],)
    )
    worker.start()
    worker.join()


main()
