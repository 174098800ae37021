# SPDX-License-Identifier: Apache-2.0
"""A future whose worker forgot it; an idle pool and a log listener beside it."""

import logging
import logging.handlers
import os
import queue
import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor


def tell_ready():
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")


def start_logging(path="service.log"):
    records = queue.Queue(-1)
    root = logging.getLogger()
    root.setLevel(logging.INFO)
    root.addHandler(logging.handlers.QueueHandler(records))
    listener = logging.handlers.QueueListener(records, logging.FileHandler(path))
    listener.start()
    return listener


class Registry:
    def __init__(self):
        self.open = {}

    def ask(self, number):
        future = self.open[number] = Future()
        return future

    def expire(self, oldest):
        for number in [each for each in self.open if each < oldest]:
            del self.open[number]


def main():
    start_logging()
    registry = Registry()
    pool = ThreadPoolExecutor(2)
    list(pool.map(len, ["a", "bb"]))
    future = registry.ask(7)
    registry.expire(10)
    threading.Thread(target=beat, args=(registry,), daemon=True).start()
    tell_ready()
    print(future.result())


def beat(registry):
    while True:
        time.sleep(30)
        logging.info("open: %d", len(registry.open))


if __name__ == "__main__":
    main()
